"""char(n) columns: padded when they are read, and what they are compared with (Spark: ApplyCharTypePadding)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from planviz.analysis.builders.base import signed
from planviz.analysis.context import AnalyzerRule
from planviz.analysis.deduplication import rewrite_attributes
from planviz.analysis.signatures.checks import constant, is_null
from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, lit
from planviz.expressions.ids import next_id
from planviz.expressions.objects import StaticInvoke
from planviz.expressions.predicates import BinaryComparison, In
from planviz.expressions.subqueries import SubqueryExpression
from planviz.expressions.unresolved import OuterReference
from planviz.logical.operators import Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.types import STRING, is_string

Lengths = dict[int, int]


class ApplyCharTypePadding(AnalyzerRule):
    """Pad char(n) columns above the relation that reads them, and the shorter side of what compares them.

    Filter (c = 'ab') over Relation [c: char(5)]  =>  Filter (c = rpad('ab', 5)) over Project [padded(c, 5) AS c]

    Columns that only pass c on keep its length; inside arrays and structs nothing is padded here.
    """

    matches = (LogicalRelation,)
    package = "org.apache.spark.sql.execution.datasources"

    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        """See the class."""
        new: dict[int, AttributeReference] = {}
        lengths: Lengths = {}
        read = self._read(plan, new, lengths)
        return _compared(read, lengths) if new else plan

    def _read(self, plan: Any, new: dict[int, AttributeReference], lengths: Lengths) -> Any:
        def inside(e: Any) -> Any:
            return e.with_plan(self._read(e.plan, new, lengths)) if isinstance(e, SubqueryExpression) else e

        def one(p: LogicalPlan) -> Any:
            if isinstance(p, LogicalRelation):
                return _padded(p, new, lengths)
            if p.own_bits & SubqueryExpression.BIT:
                p = p.transform_expressions_up(inside, SubqueryExpression.BIT)
            return rewrite_attributes(p, new) if new else p

        return plan.transform_up(one, LogicalRelation.BIT | SubqueryExpression.BIT)


def _padded(relation: LogicalRelation, new: dict[int, AttributeReference], lengths: Lengths) -> Any:
    declared = dict(relation.table.char_lengths) if relation.table is not None else {}
    if not declared:
        return relation
    items: list[Expression] = []
    for a in relation.attributes:
        length = declared.get(a.name)
        if length is None:
            items.append(a)
            continue
        made = new.setdefault(a.expr_id, a.with_id(next_id()))
        lengths[made.expr_id] = length
        read = StaticInvoke("CharVarcharCodegenUtils", "readSidePadding", STRING, (a, lit(length)))
        items.append(Alias(read, a.name, made.expr_id))
    # What is padded is not padded again, as Spark takes the lengths off the columns.
    return Project(tuple(items), relation.replace(table=replace(relation.table, char_lengths=())))


def _compared(plan: Any, lengths: Lengths) -> Any:
    """The plan with every comparison of char columns padded, bottom up: lengths are known where they are read."""

    def expression(e: Any) -> Any:
        if isinstance(e, SubqueryExpression):
            return e.with_plan(_compared(e.plan, lengths))
        if isinstance(e, BinaryComparison):
            left, right = _pair(e.left, e.right, lengths)
            return e if left is e.left and right is e.right else e.replace(left=left, right=right)
        return _list(e, lengths) if isinstance(e, In) else e

    def operator(p: LogicalPlan) -> Any:
        changed = p.transform_expressions_up(expression, BinaryComparison.BIT | In.BIT | SubqueryExpression.BIT)
        for e in changed.expressions:
            if isinstance(e, Alias):
                inner = e.child.child if isinstance(e.child, Cast) and not e.child.user_specified else e.child
                length = _length(inner, lengths)
                if length is not None:
                    lengths[e.expr_id] = length
        return changed

    return plan.transform_up(operator)


def _length(e: Expression, lengths: Lengths) -> int | None:
    inner = e.attribute if isinstance(e, OuterReference) else e
    return lengths.get(inner.expr_id) if isinstance(inner, AttributeReference) else None


def _pair(left: Expression, right: Expression, lengths: Lengths) -> tuple[Expression, Expression]:
    a, b = _length(left, lengths), _length(right, lengths)
    if a is not None and b is not None:
        most = max(a, b)
        return _to(left, a, most), _to(right, b, most)
    if a is not None:
        return _with_constant(left, a, right)
    if b is not None:
        column, value = _with_constant(right, b, left)
        return value, column
    return left, right


def _with_constant(column: Expression, length: int, value: Expression) -> tuple[Expression, Expression]:
    if is_null(value):
        return column, Literal(None, STRING)
    text = constant(value) if value.foldable and is_string(value.data_type) else None
    if not isinstance(text, str):
        return column, value
    most = max(length, len(text))
    return _to(column, length, most), _to(value, len(text), most)


def _list(e: In, lengths: Lengths) -> In:
    length = _length(e.value, lengths)
    texts = [constant(i) for i in e.items]
    if length is None or not all(isinstance(t, str) or is_null(i) for t, i in zip(texts, e.items, strict=True)):
        return e
    given = [t for t in texts if isinstance(t, str)]
    if not given:
        return e
    most = max(length, *map(len, given))
    items = tuple(i if t is None else _to(i, len(t), most) for i, t in zip(e.items, texts, strict=True))
    return e.replace(value=_to(e.value, length, most), items=items)


def _to(e: Expression, length: int, wanted: int) -> Expression:
    return e if length >= wanted else signed("rpad", (e, lit(wanted), lit(" ")))
