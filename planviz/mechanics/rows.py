"""The rows of a plan, computed where its tables' rows are known: small, exact, or not at all (inventory F-006).

Conditions have three values, as in SQL: a row passes only where one is true. Expressions are computed by
`planviz.evaluation`; what that does not know, and what would fail in the query, has no rows here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from typing import TYPE_CHECKING, Any

from planviz.evaluation import DEFAULT_EVALUATOR, UnknownValueError, compare
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import Expression, Literal, SortOrder
from planviz.logical.combining import Except, Intersect, Join, SetOperation, Union
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    GlobalLimit,
    LocalLimit,
    Offset,
    Project,
    Sort,
    SubqueryAlias,
    View,
)
from planviz.logical.plan import UnaryNode
from planviz.logical.relations import LocalRelation, LogicalRelation, OneRowRelation, Range
from planviz.mechanics.buffers import buffered
from planviz.types.values import Value

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan

#: Rows are computed by Spark's default settings.
row_value = DEFAULT_EVALUATOR.row_value
#: Most rows that any operator may give, and most pairs that a join may look at.
MOST_ROWS = 10_000
MOST_PAIRS = 200_000

Row = tuple[Value, ...]
Rows = list[Row]
#: Rows of catalogue tables by qualified or plain name.
Tables = Mapping[str, Sequence[Row]]


@dataclass(frozen=True)
class Filtered:
    """The rows below a filter with whether each passes; `columns` are their names."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    kept: tuple[bool, ...]


def rows_of(plan: LogicalPlan, tables: Tables | None = None) -> Rows | None:
    """The rows of an analyzed or optimized plan, values as those of `Literal`, in an order that Spark could give.

    `tables` has the rows of catalogue tables. None where an operator, function or table is not known here, or where
    more than MOST_ROWS rows or MOST_PAIRS pairs of rows came up.
    """
    try:
        return _Evaluator(tables or {}).rows(plan)
    except UnknownValueError:
        return None


def filtered(plan: LogicalPlan, tables: Tables | None = None) -> Filtered | None:
    """What a Filter keeps of the rows below it; None for another operator and where the rows are not known."""
    if not isinstance(plan, Filter):
        return None
    below = rows_of(plan.child, tables)
    if below is None:
        return None
    try:
        kept = tuple([row_value(plan.condition, row) is True for row in _named(plan.child, below)])
    except UnknownValueError:
        return None
    return Filtered(tuple([a.name for a in plan.child.output]), tuple(below), kept)


class _Evaluator:
    """Rows from the leaves up; raises UnknownValueError where it cannot."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables

    def rows(self, plan: LogicalPlan) -> Rows:
        compute = _OPERATORS.get(type(plan))
        if compute is None:
            raise UnknownValueError(plan.node_name)
        found = compute(self, plan)
        if len(found) > MOST_ROWS:
            raise UnknownValueError(f"more than {MOST_ROWS} rows")
        return found

    def table(self, plan: LogicalRelation) -> Rows:
        for name in (".".join(plan.name), *plan.name[-1:]):
            if name in self.tables:
                return [tuple(row) for row in self.tables[name]]
        raise UnknownValueError(".".join(plan.name) or "files")

    def range(self, plan: Range) -> Rows:
        numbers = range(plan.start, plan.end, plan.step)
        return [(n,) for n in numbers[: MOST_ROWS + 1]]

    def project(self, plan: Project) -> Rows:
        return [_values(plan.projects, row) for row in _named(plan.child, self.rows(plan.child))]

    def expand(self, plan: Expand) -> Rows:
        named = _named(plan.child, self.rows(plan.child))
        return [_values(projection, row) for row in named for projection in plan.projections]

    def filter(self, plan: Filter) -> Rows:
        below = self.rows(plan.child)
        named = _named(plan.child, below)
        return [row for row, values in zip(below, named, strict=True) if row_value(plan.condition, values) is True]

    def join(self, plan: Join) -> Rows:
        left, right = self.rows(plan.left), self.rows(plan.right)
        if len(left) * len(right) > MOST_PAIRS:
            raise UnknownValueError(f"more than {MOST_PAIRS} pairs of rows")
        combine = _JOINS.get(plan.kind)
        if combine is None:
            raise UnknownValueError(plan.kind)
        return combine(left, right, _matches(plan, left, right), plan)

    def union(self, plan: LogicalPlan) -> Rows:
        return [row for one in plan.children for row in self.rows(one)]

    def intersect(self, plan: Intersect) -> Rows:
        return self.set_operation(plan, inside=True)

    def except_(self, plan: Except) -> Rows:
        return self.set_operation(plan, inside=False)

    def set_operation(self, plan: SetOperation, inside: bool) -> Rows:
        left, right = self.rows(plan.left), [same_key(row) for row in self.rows(plan.right)]
        if not plan.is_all:
            found = set(right)
            return _distinct(row for row in left if (same_key(row) in found) is inside)
        kept = []
        for row in left:
            there = same_key(row) in right
            if there:
                right.remove(same_key(row))
            if there is inside:
                kept.append(row)
        return kept

    def distinct(self, plan: Distinct) -> Rows:
        return _distinct(self.rows(plan.child))

    def aggregate(self, plan: Aggregate) -> Rows:
        groups: dict[object, list[dict[int, object]]] = {} if plan.grouping else {(): []}
        for row in _named(plan.child, self.rows(plan.child)):
            groups.setdefault(same_key(_values(plan.grouping, row)), []).append(row)
        return [tuple([_result(item, plan, rows) for item in plan.aggregates]) for rows in groups.values()]

    def sort(self, plan: Sort) -> Rows:
        below = self.rows(plan.child)
        rows = list(zip(below, _named(plan.child, below), strict=True))
        for order in reversed(plan.order):
            rows.sort(key=cmp_to_key(_comparing(order)))
        return [row for row, _ in rows]

    def limit(self, plan: GlobalLimit | LocalLimit) -> Rows:
        return self.rows(plan.child)[: row_value(plan.limit, {})]

    def offset(self, plan: Offset) -> Rows:
        return self.rows(plan.child)[row_value(plan.offset, {}) :]

    def below(self, plan: UnaryNode) -> Rows:
        return self.rows(plan.child)


_OPERATORS: dict[type, Callable[[_Evaluator, Any], Rows]] = {
    LocalRelation: lambda _, plan: [tuple(map(_plain, row)) for row in plan.rows],
    OneRowRelation: lambda _, plan: [()],
    LogicalRelation: _Evaluator.table,
    Range: _Evaluator.range,
    Project: _Evaluator.project,
    Expand: _Evaluator.expand,
    Filter: _Evaluator.filter,
    Join: _Evaluator.join,
    Union: _Evaluator.union,
    Intersect: _Evaluator.intersect,
    Except: _Evaluator.except_,
    Distinct: _Evaluator.distinct,
    Aggregate: _Evaluator.aggregate,
    Sort: _Evaluator.sort,
    GlobalLimit: _Evaluator.limit,
    LocalLimit: _Evaluator.limit,
    Offset: _Evaluator.offset,
    SubqueryAlias: _Evaluator.below,
    View: _Evaluator.below,
}


def _plain(value: object) -> Value:
    """A value of an inline table, which may still stand as an expression of constants."""
    return row_value(value, {}) if isinstance(value, Expression) else value


def _named(plan: LogicalPlan, rows: Rows) -> list[dict[int, Value]]:
    """Rows as values by attribute id, as expressions read them."""
    ids = [a.expr_id for a in plan.output]
    return [dict(zip(ids, row, strict=True)) for row in rows]


def _values(expressions: Sequence[Expression], row: dict[int, object]) -> Row:
    return tuple([row_value(e, row) for e in expressions])


def same_key(value: object) -> Value:
    """What is equal exactly for values of one column that SQL groups together: nulls, NaNs, both zeros."""
    if isinstance(value, tuple):
        return tuple([same_key(v) for v in value])
    return "NaN" if value != value else value


def _distinct(rows: Iterable[Row]) -> Rows:
    return list({same_key(row): row for row in rows}.values())


def _comparing(order: SortOrder) -> Callable[[object, object], int]:
    least = order.null_order == "NULLS FIRST"

    def comparing(a: Value, b: Value) -> int:
        x, y = row_value(order.child, a[1]), row_value(order.child, b[1])
        if x is None or y is None:
            return ((y is None) - (x is None)) * (1 if least else -1)
        return compare(x, y) * (1 if order.direction == "ASC" else -1)

    return comparing


# -- joins: `matches` has for every left row the numbers of the right rows for which the condition is true


def _matches(join: Join, left: Rows, right: Rows) -> list[list[int]]:
    if join.condition is None:
        return [list(range(len(right)))] * len(left)
    others = _named(join.right, right)
    return [
        [at for at, other in enumerate(others) if row_value(join.condition, row | other) is True]
        for row in _named(join.left, left)
    ]


def _inner(left: Rows, right: Rows, matches: list[list[int]], join: LogicalPlan) -> Rows:
    return [row + right[at] for row, found in zip(left, matches, strict=True) for at in found]


def _outer(left: Rows, right: Rows, matches: list[list[int]], join: Join) -> Rows:
    rows: Rows = []
    for row, found in zip(left, matches, strict=True):
        rows += [row + right[at] for at in found]
        if not found and join.kind != "RightOuter":
            rows.append(row + (None,) * len(join.right.output))
    if join.kind != "LeftOuter":
        matched = {at for found in matches for at in found}
        rows += [(None,) * len(join.left.output) + row for at, row in enumerate(right) if at not in matched]
    return rows


def _semi(left: Rows, right: Rows, matches: list[list[int]], join: Join) -> Rows:
    return [row for row, found in zip(left, matches, strict=True) if bool(found) is (join.kind == "LeftSemi")]


def _existence(left: Rows, right: Rows, matches: list[list[int]], join: LogicalPlan) -> Rows:
    return [(*row, bool(found)) for row, found in zip(left, matches, strict=True)]


_JOINS: dict[str, Callable[..., Rows]] = {
    "Inner": _inner,
    "Cross": _inner,
    **dict.fromkeys(("LeftOuter", "RightOuter", "FullOuter"), _outer),
    **dict.fromkeys(("LeftSemi", "LeftAnti"), _semi),
    "ExistenceJoin": _existence,
}


# -- aggregates


def _result(item: Expression, plan: LogicalPlan, rows: list[dict[int, object]]) -> Value:
    """A result column over the rows of a group: functions become their values, keys those of the first row."""

    def known(e: Expression) -> Value:
        return Literal(_aggregated(e, rows), e.data_type) if isinstance(e, AggregateExpression) else e

    return row_value(item.transform_down(known, AggregateExpression.BIT), rows[0] if rows else {})


def _aggregated(e: AggregateExpression, rows: list[dict[int, object]]) -> Value:
    """The value of an aggregate function as it is used: with its FILTER and DISTINCT."""
    function = e.function
    if e.where is not None:
        rows = [row for row in rows if row_value(e.where, row) is True]
    kept = buffered(function)
    values = [_values(kept.arguments, row) for row in rows]
    return kept.over(_distinct(values) if e.distinct else values)
