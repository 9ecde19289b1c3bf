"""Operators to blocks, bottom up: an operator joins the block below it where clauses allow, else wraps it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from textwrap import indent
from typing import Any

from planviz.errors import ExportError
from planviz.expressions.aggregates import is_aggregate
from planviz.expressions.calls import FunctionCall
from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal
from planviz.expressions.predicates import split_conjunction
from planviz.frontend.writing.blocks import Block, Clause, Column, Existence, Scope, unique_names, view_names
from planviz.frontend.writing.expressions import ExpressionWriter
from planviz.logical.combining import CTERelationDef, Except, Intersect, Join, SetOperation, Union, WithCTE
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    GlobalLimit,
    LocalLimit,
    Offset,
    Project,
    RebalancePartitions,
    Repartition,
    RepartitionByExpression,
    Sample,
    Sort,
    SubqueryAlias,
    View,
    Window,
    WindowGroupLimit,
)
from planviz.logical.plan import LogicalPlan, UnaryNode
from planviz.logical.relations import CTERelationRef, LocalRelation, LogicalRelation, OneRowRelation, Range
from planviz.types import DataType, quote_if_needed

#: How SQL writes a join type.
JOINS = {
    "Inner": "JOIN",
    "Cross": "CROSS JOIN",
    "LeftOuter": "LEFT JOIN",
    "RightOuter": "RIGHT JOIN",
    "FullOuter": "FULL JOIN",
    "LeftSemi": "LEFT SEMI JOIN",
    "LeftAnti": "LEFT ANTI JOIN",
}
RUNTIME_FILTERS = frozenset(("might_contain", "dynamicpruning"))


@dataclass(frozen=True)
class SqlText:
    """An equivalent query, and notes on what of the plan SQL cannot say (none of it changes the rows)."""

    text: str
    notes: tuple[str, ...] = ()


def sql_of(plan: LogicalPlan) -> SqlText:
    """SQL text that gives the rows of an analyzed or optimized plan.

    Raises ExportError, naming the operator, when the plan holds something that SQL has no words for.
    """
    writer = PlanWriter()
    text = writer.query(plan, top=True)
    return SqlText(text, tuple(dict.fromkeys(writer.notes)))


@dataclass
class PlanWriter:
    """Writes one plan. Aliases are unique in the whole text, so that no name hides another."""

    notes: list[str] = field(default_factory=list)
    _aliases: set[str] = field(default_factory=set)
    _ctes: dict[int, tuple[str, list[str]]] = field(default_factory=dict)
    _outer: tuple[Scope, ...] = ()

    # ------------------------------------------------------------------------------------------ whole queries

    def query(self, plan: LogicalPlan, top: bool = False) -> str:
        """A plan as a query; only at the top may two columns share a name."""
        if isinstance(plan, WithCTE):
            definitions = ",\n".join(self._definition(d) for d in plan.definitions)
            return f"WITH {definitions}\n{self.query(plan.plan, top)}"
        return self._text(self._block(plan), top)

    def nested(self, plan: LogicalPlan, outer: tuple[Scope, ...], conditions: tuple[Expression, ...]) -> str:
        """A subquery in parentheses; `conditions` are the correlated predicates that were pulled out of it."""
        before, self._outer = self._outer, outer
        try:
            block = self._block(plan)
            if conditions:
                self._filter(block := self._ready(block, Clause.WHERE), list(conditions))
            text = self._text(block, top=True)
        finally:
            self._outer = before
        return f"({text})" if "\n" not in text else f"(\n{indent(text, '  ')}\n)"

    def _definition(self, definition: LogicalPlan) -> str:
        assert isinstance(definition, CTERelationDef)
        name = self._alias("cte")
        names = unique_names([a.name for a in definition.child.output])
        text = self.query(definition.child)
        self._ctes[definition.id] = (name, names)
        return f"{name} AS (\n{indent(text, '  ')}\n)"

    def _alias(self, wanted: str) -> str:
        alias, n = wanted, 1
        while alias.lower() in self._aliases:
            alias, n = f"{wanted}_{n}", n + 1
        self._aliases.add(alias.lower())
        return alias

    # ------------------------------------------------------------------------------------------ text of a block

    def _text(self, block: Block, top: bool = False) -> str:
        if block.whole is not None:
            return block.whole
        write = ExpressionWriter(self, block.scope, block.sources > 1, self._outer, {})
        hints = f"/*+ {', '.join(block.hints)} */ " if block.hints else ""
        lines = [f"SELECT {hints}{'DISTINCT ' if block.distinct else ''}{self._items(block, write, top)}"]
        if block.source:
            lines.append(f"FROM {block.source}")
        if block.where:
            lines.append("WHERE " + "\n  AND ".join(write(e) for e in block.where))
        if block.grouping:
            lines.append("GROUP BY " + ", ".join(write.key(e) for e in block.grouping))
        made = self._made(block)
        if block.having:
            values = {a.expr_id: a.child for a in block.select or () if isinstance(a, Alias)}
            lines.append("HAVING " + "\n  AND ".join(write(_replaced(e, values)) for e in block.having))
        elif block.grouping == () and block.select and not any(is_aggregate(e) for e in block.select):
            lines.append("HAVING true")
        if block.order:
            names = [a.name.lower() for a in block.output]
            qualified = block.sources > 1 or len(set(names)) < len(names)
            ordered = ExpressionWriter(self, block.scope, qualified, self._outer, made)
            lines.append(f"{block.order_words} " + ", ".join(ordered.key(e) for e in block.order))
        if block.limit is not None:
            lines.append(f"LIMIT {write(block.limit)}")
        if block.offset is not None:
            lines.append(f"OFFSET {write(block.offset)}")
        return "\n".join(lines)

    def _made(self, block: Block) -> dict[int, str]:
        """The columns that the SELECT list makes, by their names."""
        return {a.expr_id: a.name for a in block.select or () if isinstance(a, Alias)}

    def _items(self, block: Block, write: ExpressionWriter, top: bool) -> str:
        items = block.output if block.select is None else block.select
        if not items:
            return "1" if block.grouping != () else "count(1)"
        wanted = [a.name for a in block.output]
        names = wanted if top else unique_names(wanted)
        parts = []
        for e, name in zip(items, names, strict=True):
            text = write(e)
            shown = text.rsplit(".", 1)[-1]
            parts.append(text if shown == quote_if_needed(name) else f"{text} AS {quote_if_needed(name)}")
        long = sum(map(len, parts)) > 100 or any("\n" in p for p in parts)
        return (",\n" + " " * 7).join(p.replace("\n", "\n" + " " * 7) for p in parts) if long else ", ".join(parts)

    # ------------------------------------------------------------------------------------------ wrapping

    def _ready(self, block: Block, clause: Clause) -> Block:
        """The block, or one around it, to which `clause` can still be added."""
        return block if block.clause <= clause and block.whole is None else self._wrapped(block)

    def _wrapped(self, block: Block) -> Block:
        alias = self._alias("q")
        text = self._text(block)
        names = unique_names([a.name for a in block.output])
        scope: Scope = {a.expr_id: Column(alias, n) for a, n in zip(block.output, names, strict=True)}
        return Block(f"(\n{indent(text, '  ')}\n) AS {alias}", 1, scope, block.output)

    def _selected(self, block: Block, plan: LogicalPlan, items: tuple[Expression, ...]) -> Block:
        """The block with this SELECT list. A name that two columns share could not be sorted by: see `_sort`."""
        block = self._ready(block, Clause.WHERE)
        return replace(block, select=items, output=plan.output, clause=Clause.SELECT)

    # ------------------------------------------------------------------------------------------ operators

    def _block(self, plan: LogicalPlan) -> Block:
        write = OPERATORS.get(type(plan))
        if write is None:
            raise ExportError(
                f"{type(plan).__name__} has no form in SQL, so this plan cannot be shown as a query; "
                "the plan's text and picture show it."
            )
        return write(self, plan)

    def _one_row(self, plan: OneRowRelation) -> Block:
        return Block("", 0, {}, ())

    def _relation(self, plan: LogicalRelation) -> Block:
        name = plan.name[-1] if plan.name else "relation"
        alias = self._alias(name)
        shown = [p for p in plan.name if p not in ("spark_catalog", "default")] or [name]
        source = ".".join(map(quote_if_needed, shown))
        if alias != shown[-1]:
            source += f" AS {quote_if_needed(alias)}"
        return Block(source, 1, {a.expr_id: Column(alias, a.name) for a in plan.output}, plan.output)

    def _local(self, plan: LocalRelation) -> Block:
        types = [a.type for a in plan.attributes]
        names = unique_names([a.name for a in plan.attributes])
        alias = self._alias("rows")
        scope: Scope = {a.expr_id: Column(alias, n) for a, n in zip(plan.attributes, names, strict=True)}
        listed = ", ".join(map(quote_if_needed, names))
        if not plan.rows or not names:
            nulls = ", ".join(
                f"CAST(NULL AS {t.sql}) AS {quote_if_needed(n)}" for t, n in zip(types, names, strict=True)
            )
            rows = f"(SELECT {nulls or '1 AS one'}{'' if plan.rows else ' WHERE false'}) AS {alias}"
            return Block(rows, 1, scope, plan.output)
        rows = ", ".join("(" + ", ".join(_value(v, t) for v, t in zip(r, types, strict=True)) + ")" for r in plan.rows)
        return Block(f"VALUES {rows} AS {alias}({listed})", 1, scope, plan.output)

    def _range(self, plan: Range) -> Block:
        alias = self._alias("range")
        scope: Scope = {plan.column.expr_id: Column(alias, "id")}
        return Block(f"range({plan.start}, {plan.end}, {plan.step}) AS {alias}", 1, scope, plan.output)

    def _cte(self, plan: CTERelationRef) -> Block:
        if plan.id not in self._ctes:
            raise ExportError("A recursive query cannot be shown as SQL of its optimized plan.")
        name, names = self._ctes[plan.id]
        alias = self._alias(name)
        scope: Scope = {a.expr_id: Column(alias, n) for a, n in zip(plan.output, names, strict=True)}
        return Block(name if alias == name else f"{name} AS {alias}", 1, scope, plan.output)

    def _transparent(self, plan: UnaryNode) -> Block:
        block = self._block(plan.child)
        if all(a.expr_id == b.expr_id for a, b in zip(plan.output, block.output, strict=True)):
            return replace(block, output=plan.output)
        return block

    def _project(self, plan: Project) -> Block:
        block = self._block(plan.child)
        if block.clause <= Clause.WHERE and all(isinstance(e, AttributeReference) for e in plan.projects):
            return replace(block, output=plan.output)
        return self._selected(block, plan, plan.projects)

    def _window(self, plan: Window) -> Block:
        return self._selected(self._block(plan.child), plan, (*plan.child.output, *plan.functions))

    def _aggregate(self, plan: Aggregate) -> Block:
        block = self._selected(self._block(plan.child), plan, plan.aggregates)
        plain = all(isinstance(e, AttributeReference) for e in plan.aggregates)
        if plain and plan.aggregates and set(plan.grouping) == set(plan.aggregates):
            return replace(block, distinct=True, clause=Clause.HAVING)
        return replace(block, grouping=plan.grouping)

    def _distinct(self, plan: Distinct) -> Block:
        block = self._ready(self._block(plan.child), Clause.SELECT)
        if block.grouping is not None:
            block = self._wrapped(block)
        return replace(block, distinct=True, clause=Clause.HAVING)

    def _filter_plan(self, plan: Filter) -> Block:
        block = self._block(plan.child)
        kept = [e for e in split_conjunction(plan.condition) if not _is_runtime_filter(e)]
        if len(kept) < len(split_conjunction(plan.condition)):
            self.notes.append("Runtime filters are left out: they only skip rows that a join drops anyway.")
        if block.clause in (Clause.SELECT, Clause.HAVING) and block.grouping and _can_be_having(block, kept):
            return replace(block, having=[*block.having, *kept], clause=Clause.HAVING)
        block = self._ready(block, Clause.WHERE)
        self._filter(block, kept)
        return block

    @staticmethod
    def _filter(block: Block, conditions: list[Expression]) -> None:
        block.where = [*block.where, *conditions]
        block.clause = max(block.clause, Clause.WHERE) if conditions else block.clause

    def _sort(self, plan: Sort) -> Block:
        block = self._ready(self._block(plan.child), Clause.HAVING)
        names = [a.name.lower() for a in block.output]
        if block.clause >= Clause.SELECT and (len(set(names)) < len(names) or _hides(block, plan)):
            block = self._wrapped(block)
        words = "ORDER BY" if plan.whole else "SORT BY"
        return replace(block, order=plan.order, order_words=words, clause=Clause.ORDER_BY)

    def _global_limit(self, plan: GlobalLimit) -> Block:
        child = plan.child.child if isinstance(plan.child, LocalLimit) else plan.child
        block = self._block(child)
        if block.limit is not None or block.whole is not None:
            block = self._wrapped(block)
        return replace(block, limit=plan.limit, clause=Clause.LIMIT)

    def _local_limit(self, plan: LocalLimit) -> Block:
        self.notes.append("Limits within partitions are left out: the limit above them decides.")
        return self._block(plan.child)

    def _group_limit(self, plan: WindowGroupLimit) -> Block:
        self.notes.append("WindowGroupLimit is left out: the filter on the rank above it decides.")
        return self._block(plan.child)

    def _offset(self, plan: Offset) -> Block:
        block = self._ready(self._block(plan.child), Clause.ORDER_BY)
        return replace(block, offset=plan.offset, clause=Clause.LIMIT)

    def _sample(self, plan: Sample) -> Block:
        if plan.with_replacement or plan.lower:
            raise ExportError("A sample with replacement, or of a part in the middle, has no form in SQL.")
        inner = self._text(self._block(plan.child))
        names = unique_names([a.name for a in plan.output])
        alias = self._alias("sample")
        scope: Scope = {a.expr_id: Column(alias, n) for a, n in zip(plan.output, names, strict=True)}
        seed = "" if plan.seed is None else f" REPEATABLE ({plan.seed})"
        share = f"{plan.upper * 100:.10g}"
        return Block(
            f"(\n{indent(inner, '  ')}\n) TABLESAMPLE ({share} PERCENT){seed} AS {alias}", 1, scope, plan.output
        )

    def _repartition(self, plan: Repartition | RepartitionByExpression | RebalancePartitions) -> Block:
        block = self._ready(self._block(plan.child), Clause.HAVING)
        if block.hints:
            block = self._wrapped(block)
        if isinstance(plan, Repartition):
            hint = f"{'REPARTITION' if plan.shuffle else 'COALESCE'}({plan.number})"
        else:
            word = "REBALANCE" if isinstance(plan, RebalancePartitions) else "REPARTITION"
            columns = [k for k in plan.keys if isinstance(k, AttributeReference)]
            if len(columns) < len(plan.keys):
                self.notes.append("Repartitioning by an expression is left out: a hint takes columns only.")
                return block
            numbers = [] if plan.number is None else [str(plan.number)]
            hint = f"{word}({', '.join([*numbers, *(quote_if_needed(k.name) for k in columns)])})"
        return replace(block, hints=[hint], clause=max(block.clause, Clause.HAVING))

    def _generate(self, plan: Generate) -> Block:
        block = self._ready(self._block(plan.child), Clause.WHERE)
        alias = self._alias(plan.qualifier or "generated")
        write = ExpressionWriter(self, block.scope, True, self._outer, {})
        names = view_names(plan.generator_output)
        outer = "OUTER " if plan.outer else ""
        view = f"\nLATERAL VIEW {outer}{_generator(write, plan.generator)} {quote_if_needed(alias)} AS " + ", ".join(
            map(quote_if_needed, names)
        )
        return self._viewed(block, plan, view, alias, plan.generator_output, names)

    def _expand(self, plan: Expand) -> Block:
        block = self._ready(self._block(plan.child), Clause.WHERE)
        alias = self._alias("expand")
        write = ExpressionWriter(self, block.scope, True, self._outer, {})
        names = view_names(plan.columns)
        rows = ",\n  ".join(
            ", ".join(_typed(write, e, a) for e, a in zip(p, plan.columns, strict=True)) for p in plan.projections
        )
        listed = ", ".join(map(quote_if_needed, names))
        view = f"\nLATERAL VIEW stack({len(plan.projections)},\n  {rows}) {alias} AS {listed}"
        return self._viewed(block, plan, view, alias, plan.columns, names)

    @staticmethod
    def _viewed(
        block: Block,
        plan: LogicalPlan,
        view: str,
        alias: str,
        columns: tuple[AttributeReference, ...],
        names: list[str],
    ) -> Block:
        scope = {**block.scope, **{a.expr_id: Column(alias, n) for a, n in zip(columns, names, strict=True)}}
        return replace(
            block,
            source=(block.source or "(SELECT 1)") + view,
            sources=block.sources + 2,
            scope=scope,
            output=plan.output,
            # A condition on the child's rows may as well be tested after the view.
            clause=max(block.clause, Clause.LATERAL_VIEW),
        )

    # ------------------------------------------------------------------------------------------ several children

    def _union(self, plan: Union) -> Block:
        return self._joined([(c, "UNION ALL") for c in plan.inputs], plan)

    def _set_operation(self, plan: SetOperation) -> Block:
        word = ("INTERSECT" if isinstance(plan, Intersect) else "EXCEPT") + (" ALL" if plan.is_all else "")
        return self._joined([(plan.left, word), (plan.right, word)], plan)

    def _joined(self, parts: list[tuple[LogicalPlan, str]], plan: LogicalPlan) -> Block:
        texts = []
        for child, _ in parts:
            block = self._block(child)
            text = self._text(block)
            closed = block.whole is not None or block.clause >= Clause.ORDER_BY
            texts.append(f"(\n{indent(text, '  ')}\n)" if closed else text)
        return Block("", 0, {}, plan.output, Clause.LIMIT, whole=f"\n{parts[0][1]}\n".join(texts))

    def _join(self, plan: Join) -> Block:
        left = self._block(plan.left)
        if left.clause > Clause.FROM or not left.source:
            left = self._wrapped(left)
        if plan.kind == "ExistenceJoin":
            assert plan.exists is not None
            left.scope = {**left.scope, plan.exists.expr_id: Existence(plan.right, plan.condition)}
            return replace(left, output=plan.output)
        right = self._side(plan.right)
        both = {**left.scope, **right.scope}
        hints = self._join_hints(plan, left, right)
        on = ""
        if plan.condition is not None:
            write = ExpressionWriter(self, both, True, self._outer, {})
            on = "\n  ON " + "\n  AND ".join(write(e) for e in split_conjunction(plan.condition))
        words = JOINS[plan.kind] if on or plan.kind != "Inner" else "CROSS JOIN"
        if on and plan.kind == "Cross":
            words = "JOIN"
        if not on and plan.kind not in ("Inner", "Cross"):
            on = "\n  ON true"
        semi = plan.kind in ("LeftSemi", "LeftAnti")
        return replace(
            left,
            source=f"{left.source}\n{words} {right.source}{on}",
            sources=left.sources + (1 if semi else right.sources),
            scope=left.scope if semi else both,
            output=plan.output,
            hints=[*left.hints, *right.hints, *hints],
        )

    def _side(self, plan: LogicalPlan) -> Block:
        """The right side of a join: one relation, or several in parentheses."""
        block = self._block(plan)
        if block.clause > Clause.FROM or not block.source:
            return self._wrapped(block)
        if block.sources > 1:
            return replace(block, source=f"(\n{indent(block.source, '  ')}\n)")
        return block

    def _join_hints(self, plan: Join, left: Block, right: Block) -> list[str]:
        found = []
        for hint, side in ((plan.left_hint, left), (plan.right_hint, right)):
            sources = {c.source for c in side.scope.values() if isinstance(c, Column)}
            if hint and len(sources) == 1:
                found.append(f"{hint.upper()}({quote_if_needed(sources.pop())})")
            elif hint:
                self.notes.append(f"The hint {hint} on a side of several relations is left out.")
        return found


def _generator(write: ExpressionWriter, e: Expression) -> str:
    """ReplicateRows, which EXCEPT ALL and INTERSECT ALL become, has no name in SQL."""
    if e.pretty_name == "replicaterows":
        times, *values = e.children
        return f"inline(array_repeat(struct({', '.join(map(write, values))}), CAST({write(times)} AS INT)))"
    return write(e)


def _value(value: object, t: DataType) -> str:
    """A value of a LocalRelation; it may still be an expression that could not be computed."""
    return Cast(value if isinstance(value, Expression) else Literal(value, t), t).sql


def _typed(write: ExpressionWriter, e: Expression, column: AttributeReference) -> str:
    """A value with the column's type, so that every row of the array has the same one."""
    return write(e) if isinstance(e, AttributeReference) else write(Cast(e, column.type))


def _replaced(e: Expression, values: dict[int, Expression]) -> Expression:
    """The condition with the columns of the SELECT list written out, as HAVING needs them."""
    new: Expression = e.transform_up(
        lambda a: values[a.expr_id] if isinstance(a, AttributeReference) and a.expr_id in values else a
    )
    return new


def _can_be_having(block: Block, conditions: list[Expression]) -> bool:
    """Whether the block groups and nothing was said after it; aggregates may be repeated there."""
    return bool(conditions) and not block.distinct and any(is_aggregate(e) for e in block.select or ())


def _hides(block: Block, plan: Sort) -> bool:
    """Whether a sort key names a column of the sources that the SELECT list names something else by."""
    made = {a.name.lower(): a.expr_id for a in block.output}
    used = {i for o in plan.order for i in o.references}
    read = {c.name.lower(): i for i, c in block.scope.items() if i in used and isinstance(c, Column)}
    return any(made.get(name, i) != i for name, i in read.items())


def _is_runtime_filter(e: Expression) -> bool:
    return any(c.pretty_name in RUNTIME_FILTERS for c in e.collect(FunctionCall))


OPERATORS: dict[type, Callable[[PlanWriter, Any], Block]] = {
    OneRowRelation: PlanWriter._one_row,
    LogicalRelation: PlanWriter._relation,
    LocalRelation: PlanWriter._local,
    Range: PlanWriter._range,
    CTERelationRef: PlanWriter._cte,
    SubqueryAlias: PlanWriter._transparent,
    View: PlanWriter._transparent,
    Project: PlanWriter._project,
    Window: PlanWriter._window,
    Aggregate: PlanWriter._aggregate,
    Distinct: PlanWriter._distinct,
    Filter: PlanWriter._filter_plan,
    Sort: PlanWriter._sort,
    GlobalLimit: PlanWriter._global_limit,
    LocalLimit: PlanWriter._local_limit,
    WindowGroupLimit: PlanWriter._group_limit,
    Offset: PlanWriter._offset,
    Sample: PlanWriter._sample,
    Repartition: PlanWriter._repartition,
    RepartitionByExpression: PlanWriter._repartition,
    RebalancePartitions: PlanWriter._repartition,
    Generate: PlanWriter._generate,
    Expand: PlanWriter._expand,
    Union: PlanWriter._union,
    Intersect: PlanWriter._set_operation,
    Except: PlanWriter._set_operation,
    Join: PlanWriter._join,
}
