"""The rows of a query over rows that the program says: what pivots take their values from and collect() gives.

Nothing of a table or file is read. What a function of the program computes, what is random or depends on the clock, and
operators that are not here make the rows unknown. Rows come in the order in which one partition would give them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Context, Decimal
from functools import cmp_to_key

from planviz.errors import PlanvizError
from planviz.evaluation import DEFAULT_EVALUATOR, UnknownValueError, compare
from planviz.expressions.aggregates import AggregateCall, AggregateExpression, Average, Count, FirstLast, Max, Min, Sum
from planviz.expressions.core import Alias, Expression, Literal, SortOrder
from planviz.logical.combining import Join, Union
from planviz.logical.operators import (
    Aggregate,
    Deduplicate,
    Distinct,
    Filter,
    GlobalLimit,
    LocalLimit,
    Offset,
    Project,
    Repartition,
    RepartitionByExpression,
    ResolvedHint,
    Sort,
    SubqueryAlias,
    View,
)
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation, LogicalRDD, OneRowRelation, Range
from planviz.programs.spark import named_row
from planviz.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    LONG,
    STRING,
    TIMESTAMP,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructType,
    is_integral,
)
from planviz.types.values import Value

#: Rows are computed by Spark's default settings.
row_value = DEFAULT_EVALUATOR.row_value
#: What says that a value is not of the type that it should have.
_UNUSABLE = (UnknownValueError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError)
#: How many rows an operator gives at most, and pairs of rows a join looks at.
MOST_ROWS, MOST_PAIRS = 500, 10_000
#: How many operators a plan may have: a loop whose plans double ends there.
MOST_OPERATORS = 100
Row = dict[int, Value]
#: Rows by the number of the LogicalRDD that they were handed over as.
Given = Mapping[int, Sequence[tuple[Value, ...]]]
_CLASSES: dict[DataType, type | tuple[type, ...]] = {
    BOOLEAN: bool, DOUBLE: float, FLOAT: float, STRING: str, BINARY: bytes, DATE: date, TIMESTAMP: datetime,
}  # fmt: skip


def known_rows(plan: LogicalPlan, given: Given) -> list[tuple[Value, ...]] | None:
    """The rows of an analyzed plan as Spark holds them, None where they are not known or the plan is large."""
    if any(i >= MOST_OPERATORS for i, _ in enumerate(plan.walk())):
        return None
    try:
        return [tuple(row[a.expr_id] for a in plan.output) for row in _rows(plan, given)]
    except (PlanvizError, *_UNUSABLE):
        return None


def as_python(plan: LogicalPlan, rows: list[tuple[Value, ...]]) -> list[Value]:
    """Rows as collect() gives them."""
    names = [a.name for a in plan.output]
    return [named_row(names, [_outside(v, a.data_type) for v, a in zip(r, plan.output, strict=True)]) for r in rows]


def handed_over(row: object, names: Sequence[str], types: Sequence[DataType]) -> tuple[Value, ...] | None:
    """A row of a program as Spark holds it, None where it is not known."""
    try:
        values = [row.get(n) for n in names] if isinstance(row, dict) else row
        if not isinstance(values, list | tuple):
            values = [values]
        return tuple(_inside(v, t) for v, t in zip(values, types, strict=True))
    except _UNUSABLE:
        return None


def _inside(value: Value, kind: DataType) -> Value:
    if value is None:
        return None
    match kind:
        case ArrayType():
            return tuple(_inside(v, kind.element) for v in value)
        case MapType():
            return tuple((_inside(k, kind.key), _inside(v, kind.value)) for k, v in value.items())
        case StructType():
            if isinstance(value, dict):
                value = [value.get(f.name) for f in kind.fields]
            return tuple(_inside(v, f.data_type) for v, f in zip(value, kind.fields, strict=True))
        case DecimalType() if isinstance(value, Decimal):
            return value.quantize(Decimal(1).scaleb(-kind.scale), context=Context(prec=kind.precision))
    if isinstance(value, bool) != (kind == BOOLEAN):
        raise UnknownValueError("of another type")
    if isinstance(value, int) and (is_integral(kind) or kind == BOOLEAN):
        return value
    wanted = _CLASSES.get(kind)
    if wanted is None or not isinstance(value, wanted) or (kind == DATE and isinstance(value, datetime)):
        raise UnknownValueError("of another type")
    return value


def _outside(value: Value, kind: DataType) -> Value:
    if value is None:
        return None
    match kind:
        case ArrayType():
            return [_outside(v, kind.element) for v in value]
        case MapType():
            return {_outside(k, kind.key): _outside(v, kind.value) for k, v in value}
        case StructType():
            parts = [_outside(v, f.data_type) for v, f in zip(value, kind.fields, strict=True)]
            return named_row([f.name for f in kind.fields], parts)
    return value


def _rows(plan: LogicalPlan, given: Given) -> list[Row]:
    made = _OPERATORS.get(type(plan))
    if made is None:
        raise UnknownValueError(type(plan).__name__)
    rows = made(plan, given)
    if len(rows) > MOST_ROWS:
        raise UnknownValueError("many rows")
    return rows


def _of_rdd(plan: LogicalRDD, given: Given) -> list[Row]:
    rows = given.get(plan.rdd)
    if rows is None:
        raise UnknownValueError("rows that nobody knows")
    return [{a.expr_id: v for a, v in zip(plan.output, r, strict=True)} for r in rows]


def _of_cells(plan: LocalRelation, given: Given) -> list[Row]:
    return [
        {a.expr_id: row_value(v, {}) if isinstance(v, Expression) else v for a, v in zip(plan.output, r, strict=True)}
        for r in plan.rows
    ]


def _numbers(plan: Range, given: Given) -> list[Row]:
    numbers = range(plan.start, plan.end, plan.step)
    if len(numbers) > MOST_ROWS:
        raise UnknownValueError("many rows")
    return [{plan.column.expr_id: n} for n in numbers]


def _projected(plan: Project, given: Given) -> list[Row]:
    return [{a.expr_id: row_value(e, r) for a, e in _items(plan, plan.projects)} for r in _rows(plan.child, given)]


def _items(plan: LogicalPlan, given: Sequence[Expression]) -> list[tuple[Value, Expression]]:
    return [(a, e.child if isinstance(e, Alias) else e) for a, e in zip(plan.output, given, strict=True)]


def _filtered(plan: Filter, given: Given) -> list[Row]:
    return [r for r in _rows(plan.child, given) if row_value(plan.condition, r) is True]


def _same(plan: Value, given: Given) -> list[Row]:
    return _rows(plan.child, given)


def _under_names(plan: View | SubqueryAlias, given: Given) -> list[Row]:
    inner = plan.child.output
    return [
        {a.expr_id: r[b.expr_id] for a, b in zip(plan.output, inner, strict=True)} for r in _rows(plan.child, given)
    ]


def _limited(plan: GlobalLimit | LocalLimit, given: Given) -> list[Row]:
    return _rows(plan.child, given)[: row_value(plan.limit, {})]


def _offset(plan: Offset, given: Given) -> list[Row]:
    return _rows(plan.child, given)[row_value(plan.offset, {}) :]


def _sorted(plan: Sort, given: Given) -> list[Row]:
    rows = _rows(plan.child, given)
    for order in reversed(plan.order):
        assert isinstance(order, SortOrder)
        values = [row_value(order.child, r) for r in rows]
        down, first = order.direction == "DESC", order.null_order == "NULLS FIRST"

        def by(i: int, j: int, v: list[Value] = values, down: bool = down, first: bool = first) -> int:
            if v[i] is None or v[j] is None:
                return ((v[i] is not None) - (v[j] is not None)) * (1 if first else -1)
            return compare(v[j], v[i]) if down else compare(v[i], v[j])

        rows = [rows[i] for i in sorted(range(len(rows)), key=cmp_to_key(by))]
    return rows


def _first_of_each(rows: list[Row], key: Callable[[Row], list[Value]]) -> list[list[Row]]:
    """The rows in groups of equal keys, in the order in which the keys come."""
    groups: list[tuple[list[Value], list[Row]]] = []
    for row in rows:
        k = key(row)
        found = next((g for known, g in groups if all(compare(a, b) == 0 for a, b in zip(known, k, strict=True))), None)
        if found is None:
            groups.append((k, [row]))
        else:
            found.append(row)
    return [g for _, g in groups]


def _distinct(plan: Distinct, given: Given) -> list[Row]:
    ids = [a.expr_id for a in plan.output]
    return [g[0] for g in _first_of_each(_rows(plan.child, given), lambda r: [r[i] for i in ids])]


def _deduplicated(plan: Deduplicate, given: Given) -> list[Row]:
    return [g[0] for g in _first_of_each(_rows(plan.child, given), lambda r: [row_value(k, r) for k in plan.keys])]


def _together(plan: Union, given: Given) -> list[Row]:
    made: list[Row] = []
    for child in plan.children:
        pairs = list(zip(plan.output, child.output, strict=True))
        made += [{a.expr_id: r[b.expr_id] for a, b in pairs} for r in _rows(child, given)]
    return made


def _joined(plan: Join, given: Given) -> list[Row]:
    left, right = _rows(plan.left, given), _rows(plan.right, given)
    if len(left) * len(right) > MOST_PAIRS or plan.kind not in _JOINS:
        raise UnknownValueError("many pairs")
    condition = plan.condition
    nothing = dict.fromkeys((a.expr_id for a in plan.right.output), None)
    made: list[Row] = []
    for a in left:
        found = [{**a, **b} for b in right if condition is None or row_value(condition, {**a, **b}) is True]
        if plan.kind in ("LeftSemi", "LeftAnti"):
            made += [a] if bool(found) == (plan.kind == "LeftSemi") else []
        else:
            made += found or ([{**a, **nothing}] if plan.kind == "LeftOuter" else [])
    return made


_JOINS = ("Inner", "Cross", "LeftOuter", "LeftSemi", "LeftAnti")


def _aggregated(plan: Aggregate, given: Given) -> list[Row]:
    rows = _rows(plan.child, given)
    groups = _first_of_each(rows, lambda r: [row_value(g, r) for g in plan.grouping]) if plan.grouping else [rows]
    made = []
    for group in groups:
        first = group[0] if group else {}
        items = [(a, _computed(e, group)) for a, e in _items(plan, plan.aggregates)]
        made.append({a.expr_id: row_value(e, first) for a, e in items})
    return made


def _computed(e: Expression, group: list[Row]) -> Expression:
    """An expression over aggregates with their values in their place."""

    def step(x: Expression) -> Expression:
        return Literal(_aggregate(x, group), x.data_type) if isinstance(x, AggregateExpression) else x

    made: Expression = e.transform_up(step)
    return made


def _aggregate(e: AggregateExpression, group: list[Row]) -> Value:
    if e.where is not None:
        group = [r for r in group if row_value(e.where, r) is True]
    function = e.function
    if isinstance(function, Count):
        found = [[row_value(a, r) for a in function.arguments] for r in group]
        whole = [values for values in found if None not in values]
        return len(_different(whole) if e.distinct else whole)
    if not isinstance(function, Sum | Average | Min | Max | FirstLast | AggregateCall):
        raise UnknownValueError(function.pretty)
    (child,) = function.children[:1]
    values = [row_value(child, r) for r in group]
    if isinstance(function, FirstLast):
        return _first_or_last(function, values)
    values = [v for v in values if v is not None]
    if isinstance(function, AggregateCall):
        return _collected(function, values)
    if e.distinct:
        values = [v for (v,) in _different([[v] for v in values])]
    return _total(function, values)


def _total(function: Sum | Average | Min | Max, values: list[Value]) -> Value:
    if not values:
        return None
    if isinstance(function, Min | Max):
        return sorted(values, key=cmp_to_key(compare))[0 if isinstance(function, Min) else -1]
    if function.name not in ("sum", "avg") or function.data_type not in (LONG, DOUBLE):
        raise UnknownValueError(function.pretty)
    total = sum(values) if function.data_type == LONG else float(sum(map(float, values)))
    if function.data_type == LONG and not -(1 << 63) <= total < 1 << 63:
        raise UnknownValueError("too large")
    return total / len(values) if isinstance(function, Average) else total


def _first_or_last(function: FirstLast, values: list[Value]) -> Value:
    if function.ignore_nulls:
        values = [v for v in values if v is not None]
    return (values[-1] if function.name == "last" else values[0]) if values else None


def _collected(function: AggregateCall, values: list[Value]) -> Value:
    if function.name in ("collect_list", "array_agg"):
        return tuple(values)
    if function.name == "collect_set":
        return tuple(v for (v,) in _different([[v] for v in values]))
    raise UnknownValueError(function.name)


def _different(rows: list[list[Value]]) -> list[list[Value]]:
    return [r for i, r in enumerate(rows) if not any(_alike(r, s) for s in rows[:i])]


def _alike(a: list[Value], b: list[Value]) -> bool:
    return all(compare(x, y) == 0 for x, y in zip(a, b, strict=True))


_OPERATORS: dict[type, Callable[[Value, Given], list[Row]]] = {
    OneRowRelation: lambda plan, given: [{}],
    LogicalRDD: _of_rdd, LocalRelation: _of_cells, Range: _numbers, Project: _projected, Filter: _filtered,
    SubqueryAlias: _under_names, View: _under_names, ResolvedHint: _same, Repartition: _same,
    RepartitionByExpression: _same, GlobalLimit: _limited, LocalLimit: _limited, Offset: _offset, Sort: _sorted,
    Distinct: _distinct, Deduplicate: _deduplicated, Union: _together, Join: _joined, Aggregate: _aggregated,
}  # fmt: skip
