"""char(n) columns: padded when they are read, and what they are compared with (Spark: ApplyCharTypePadding)."""

from __future__ import annotations

from dataclasses import replace

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule
from planviz.analysis.deduplication import rewrite_attributes
from planviz.analysis.text_lengths import measured, padded
from planviz.expressions.casts import Cast, declared_text
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, lit
from planviz.expressions.earlier import as_called_then
from planviz.expressions.ids import next_id
from planviz.expressions.objects import StaticInvoke
from planviz.expressions.predicates import BinaryComparison, In
from planviz.expressions.subqueries import SubqueryExpression
from planviz.expressions.unresolved import OuterReference
from planviz.functions.builders.base import signed
from planviz.functions.signatures.checks import constant, is_null
from planviz.logical.operators import Project
from planviz.logical.plan import ANALYZED, LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.trees.depth import lowest_first
from planviz.trees.memo import Memo
from planviz.types import STRING, is_string
from planviz.versions.model import Behaviour

Lengths = dict[int, int]


class ApplyCharTypePadding(AnalyzerRule):
    """Pad char(n) columns above the relation that reads them, and the shorter side of what compares them.

    Filter (c = 'ab') over Relation [c: char(5)]  =>  Filter (c = rpad('ab', 5)) over Project [padded(c, 5) AS c]

    Columns that only pass c on keep its length; inside of arrays, maps and structs it is padded when it is read alone.
    """

    # What is compared may come out of a view, whose relations have been analyzed before.
    matches = (LogicalRelation, BinaryComparison, In)
    package = "org.apache.spark.sql.execution.datasources"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        config = self.context.config
        if not _reads_chars(plan):
            return plan
        if config.get("spark.sql.legacy.charVarcharAsString"):
            return plan
        new: dict[int, AttributeReference] = {}
        lengths: Lengths = {}
        if config.get("spark.sql.readSideCharPadding"):
            read = self._read(plan, new, lengths)
            return _Comparisons(lengths, pad_columns=False).padded(read)
        pad_columns = not config.get("spark.sql.legacy.noCharPaddingInPredicate")
        return _Comparisons(lengths, pad_columns).padded(plan)

    def _read(self, plan: LogicalPlan, new: dict[int, AttributeReference], lengths: Lengths) -> LogicalPlan:
        def inside(e: Expression) -> Expression:
            # Of its own columns: before 3.5 a subquery may read a table under the ids of the query around it.
            return e.with_plan(self._read(e.plan, {}, lengths)) if isinstance(e, SubqueryExpression) else e

        def one(p: LogicalPlan) -> LogicalPlan:
            if isinstance(p, LogicalRelation):
                return _padded(p, new, lengths, self.context.config.behaviour)
            if p.own_bits & SubqueryExpression.BIT:
                p = p.transform_expressions_up(inside, SubqueryExpression.BIT)
            return rewrite_attributes(p, new) if new else p

        return plan.transform_up(one, LogicalRelation.BIT | SubqueryExpression.BIT, kept=ANALYZED.key)


_READS_CHARS: Memo[bool] = Memo("reads_chars")


def _reads_chars(plan: LogicalPlan) -> bool:
    """Whether a relation beneath has columns declared as char(n), padded or not; remembered with every operator.

    Those of a view are padded when it is analyzed, and what reads the view compares them.
    """
    found = _READS_CHARS.get(plan)
    if found is not None:
        return found
    # Of a DataFrame over another one only the new operators are asked.
    for below in lowest_first(plan, _READS_CHARS.__contains__):
        _reads_or_passes(below)
    return _reads_or_passes(plan)


def _reads_or_passes(plan: LogicalPlan) -> bool:
    read = isinstance(plan, LogicalRelation) and (
        any(_char_length(a) is not None for a in plan.attributes)
        or (plan.table is not None and bool(plan.table.inner_lengths))
    )
    inside = [s.plan for s in plan.subqueries] if plan.own_bits & SubqueryExpression.BIT else ()
    return _READS_CHARS.set(plan, read or any(_reads_chars(p) for p in (*plan.children, *inside)))


def _char_length(column: AttributeReference) -> int | None:
    """The length of a column that is declared as char(n), by what is remarked about it."""
    declared = declared_text(column.metadata) if column.metadata else None
    return int(declared[5:-1]) if declared is not None and declared.startswith("char(") else None


def _padded(
    relation: LogicalRelation, new: dict[int, AttributeReference], lengths: Lengths, known: Behaviour
) -> LogicalPlan:
    declared = dict(relation.table.char_lengths) if relation.table is not None else {}
    inner = dict(relation.table.inner_lengths) if relation.table is not None else {}
    if not declared and not inner:
        return relation
    items: list[Expression] = []
    for a in relation.attributes:
        length = declared.get(a.name)
        if length is None:
            value = measured(a, inner[a.name], padded) if a.name in inner else a
            if value is not a:
                made = new.setdefault(a.expr_id, a.with_id(next_id()))
                value = Alias(value, a.name, made.expr_id)
            items.append(value)
            continue
        made = new.setdefault(a.expr_id, a.with_id(next_id()))
        lengths[made.expr_id] = length
        read = StaticInvoke("CharVarcharCodegenUtils", "readSidePadding", STRING, (a, lit(length)))
        items.append(Alias(as_called_then(read, known), a.name, made.expr_id))
    # What is padded is not padded again, as Spark takes the lengths off the columns.
    table = None if relation.table is None else replace(relation.table, char_lengths=(), inner_lengths=())
    if all(isinstance(i, AttributeReference) for i in items):
        return relation.replace(table=table)
    return Project(tuple(items), relation.replace(table=table))


class _Comparisons:
    """Comparisons of char columns: the shorter side is padded.

    `lengths` holds the columns' lengths by expression id. With `pad_columns` a column is padded to its own length, too:
    for columns that are not padded when they are read.
    """

    def __init__(self, lengths: Lengths, pad_columns: bool) -> None:
        self.lengths = lengths
        self.pad_columns = pad_columns

    def padded(self, plan: LogicalPlan) -> LogicalPlan:
        """The plan with every comparison of char columns padded, bottom up: lengths are known where they are read."""

        def expression(e: Expression) -> Expression:
            if isinstance(e, SubqueryExpression):
                return e.with_plan(self.padded(e.plan))
            if isinstance(e, BinaryComparison):
                left, right = self._pair(e.left, e.right)
                return e if left is e.left and right is e.right else e.replace(left=left, right=right)
            return self._list(e) if isinstance(e, In) else e

        def operator(p: LogicalPlan) -> LogicalPlan:
            changed = p.transform_expressions_up(expression, BinaryComparison.BIT | In.BIT | SubqueryExpression.BIT)
            for e in changed.expressions:
                if isinstance(e, Alias):
                    inner = e.child.child if isinstance(e.child, Cast) and not e.child.user_specified else e.child
                    length = self._length(inner)
                    if length is not None:
                        self.lengths[e.expr_id] = length
            return changed

        # What was analyzed before, the query of a view above all, has been padded.
        return plan.transform_up(operator, kept=ANALYZED.key)

    def _length(self, e: Expression) -> int | None:
        inner = e.attribute if isinstance(e, OuterReference) else e
        if not isinstance(inner, AttributeReference):
            return None
        known = self.lengths.get(inner.expr_id)
        return _char_length(inner) if known is None else known

    def _pair(self, left: Expression, right: Expression) -> tuple[Expression, Expression]:
        a, b = self._length(left), self._length(right)
        if a is not None and b is not None:
            most = max(a, b)
            return self._column(left, a, most), self._column(right, b, most)
        if a is not None:
            return self._with_constant(left, a, right)
        if b is not None:
            column, value = self._with_constant(right, b, left)
            return value, column
        return left, right

    def _with_constant(self, column: Expression, length: int, value: Expression) -> tuple[Expression, Expression]:
        if is_null(value):
            return column, Literal(None, STRING)
        text = constant(value) if value.foldable and is_string(value.data_type) else None
        if not isinstance(text, str):
            return column, value
        most = max(length, len(text))
        return self._column(column, length, most), _to(value, len(text), most)

    def _list(self, e: In) -> In:
        length = self._length(e.value)
        texts = [constant(i) for i in e.items]
        if length is None or not all(isinstance(t, str) or is_null(i) for t, i in zip(texts, e.items, strict=True)):
            return e
        given = [t for t in texts if isinstance(t, str)]
        if not given:
            return e
        most = max(length, *map(len, given))
        items = tuple(i if t is None else _to(i, len(t), most) for i, t in zip(e.items, texts, strict=True))
        return e.replace(value=self._column(e.value, length, most), items=items)

    def _column(self, e: Expression, length: int, wanted: int) -> Expression:
        return _to(e, length - 1, max(length, wanted)) if self.pad_columns else _to(e, length, wanted)


def _to(e: Expression, length: int, wanted: int) -> Expression:
    return e if length >= wanted else signed("rpad", (e, lit(wanted), lit(" ")))
