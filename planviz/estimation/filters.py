"""The share of rows that a condition keeps, and what is then known of the columns (Spark: FilterEstimation).

Values are taken to be spread evenly between the least and the greatest unless a histogram tells more, and conditions to
be independent of each other. What cannot be estimated keeps every row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from planviz.catalog.statistics import ColumnStatistics
from planviz.decisions.estimates import Formula
from planviz.estimation import formulas
from planviz.estimation.intervals import bins_in, holds
from planviz.estimation.model import (
    Columns,
    Estimate,
    Given,
    Part,
    ceiling,
    counted,
    number,
    output_size,
    quotient,
    ranged,
    scaled,
    share,
    sized_output,
    textual,
)
from planviz.expressions.core import AttributeReference, Expression, Literal
from planviz.expressions.predicates import (
    And,
    BinaryComparison,
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InSet,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    Or,
)
from planviz.logical.plan import LeafNode
from planviz.types.values import Value

if TYPE_CHECKING:
    from planviz.logical.operators import Filter

#: A selectivity, the formula that gave it, the numbers that it took.
Selectivity = tuple[float, Formula, Given]
#: The textbook's guess for two columns whose ranges overlap in part.
A_THIRD = 1.0 / 3.0
_BELOW = (LessThan, LessThanOrEqual)
_COMPARISONS = (LessThan, LessThanOrEqual, GreaterThan, GreaterThanOrEqual)
_SIGNS: dict[type[BinaryComparison], str] = {
    LessThan: "<",
    LessThanOrEqual: "<=",
    GreaterThan: ">",
    GreaterThanOrEqual: ">=",
}
_MIRRORED: dict[type[BinaryComparison], type[BinaryComparison]] = {
    LessThan: GreaterThan,
    LessThanOrEqual: GreaterThanOrEqual,
    GreaterThan: LessThan,
    GreaterThanOrEqual: LessThanOrEqual,
}


def filter_estimate(plan: Filter, child: Estimate, shrinks: bool = False) -> Estimate | None:
    """The estimate of a Filter over a child's; None where the child's rows are unknown.

    `shrinks`: it has no more bytes than the child, whatever its columns are taken for (since Spark 4.2).
    """
    if child.rows is None:
        return None
    reader = _Conditions(child.rows, child.columns, isinstance(plan.child, LeafNode))
    kept = reader.selectivity(plan.condition, True)
    part = 1.0 if kept is None else kept
    rows = share(child.rows, part)
    columns = reader.columns_after(rows) if rows else {}
    size = output_size(sized_output(plan), rows, columns)
    if shrinks:
        size = min(size, child.size)
    return Estimate(size, rows, columns, formulas.FILTER, (child,), tuple(reader.parts), (("selectivity", part),))


class _Conditions:
    """Conditions one after the other; each sees what the ones before it left of the columns."""

    def __init__(self, rows: int, columns: Columns, over_leaf: bool) -> None:
        self.rows = rows
        self.before = columns
        self.now: dict[int, ColumnStatistics] = {}
        self.over_leaf = over_leaf
        self.parts: list[Part] = []

    def columns_after(self, rows: int) -> Columns:
        """The columns of the rows that are left."""
        return {i: scaled(self.rows, rows, old, self.now.get(i)) for i, old in self.before.items()}

    def selectivity(self, e: Expression, update: bool) -> float | None:
        """The share of rows for which a condition is true; None where nothing tells.

        `update` says that the condition holds for all rows that are left, so that the columns' statistics follow it.
        """
        match e:
            case And():
                return self._chain(e, And, update, lambda p, q: p * q)
            case Or():
                return self._chain(e, Or, False, lambda p, q: p + q - p * q)
            case Not(And(a, b)):
                return self.selectivity(Or(Not(a), Not(b)), False)
            case Not(Or(a, b)):
                return self.selectivity(And(Not(a), Not(b)), False)
            case Not(Not(inner)):
                return self.selectivity(inner, False)
            case Not(Literal(None, _) as inner):
                return self._single(inner, False)
            case Not(inner):
                start = len(self.parts)
                part = self.selectivity(inner, False)
                return None if part is None else self._compound(e, 1.0 - part, formulas.NOT, start)
        part = self._single(e, update)
        return None if part is None else min(max(part, 0.0), 1.0)

    def _chain(
        self, e: Expression, kind: type[And | Or], update: bool, combined: Callable[[float, float], float]
    ) -> float:
        """Of AND or OR; the left side, which can be thousands deep, without recursion."""
        whole, start, rights = e, len(self.parts), []
        while isinstance(e, kind):
            left, right = e.left, e.right
            rights.append(right)
            e = left
        part = self._known(e, update)
        for right in reversed(rights):
            part = combined(part, self._known(right, update))
        return self._compound(whole, part, formulas.AND if kind is And else formulas.OR, start)

    def _compound(self, e: Expression, value: float, formula: Formula, start: int) -> float:
        """Note what AND, OR, NOT gave, over the parts noted since `start`."""
        self.parts[start:] = [Part(e, value, formula, (), tuple(self.parts[start:]))]
        return value

    def _known(self, e: Expression, update: bool) -> float:
        part = self.selectivity(e, update)
        return 1.0 if part is None else part

    def _single(self, e: Expression, update: bool) -> float | None:
        found = self._estimated(e, update)
        self.parts.append(Part(e, None, formulas.NOT_ESTIMATED) if found is None else Part(e, *found))
        return None if found is None else found[0]

    def _estimated(self, e: Expression, update: bool) -> Selectivity | None:
        match e:
            case Literal(value, _):
                if value is None or isinstance(value, bool):
                    return (1.0 if value else 0.0), formulas.CONSTANT, (("constant", value),)
                return None
            case In(AttributeReference() as column, items):
                if all(isinstance(i, Literal) for i in items):
                    return self._among(column, {i.value for i in items if isinstance(i, Literal)}, update)
                return None
            case InSet(AttributeReference() as column, values):
                return self._among(column, {v.value for v in values}, update)
            case IsNull(AttributeReference() as column) | IsNotNull(AttributeReference() as column):
                # Further up, joins may have added nulls that nobody counted.
                return self._nulls(column, isinstance(e, IsNull), update) if self.over_leaf else None
        if isinstance(e, (EqualTo, EqualNullSafe, *_COMPARISONS)):
            return self._compared(e, update)
        return None

    def _compared(self, e: BinaryComparison, update: bool) -> Selectivity | None:
        kind, a, b = type(e), e.left, e.right
        if isinstance(a, Literal):
            kind, a, b = _MIRRORED.get(kind, kind), b, a
        if not isinstance(a, AttributeReference):
            return None
        if isinstance(b, AttributeReference):
            return self._two_columns(kind, a, b, update)
        if not isinstance(b, Literal):
            return None
        if kind in (EqualTo, EqualNullSafe):
            return self._equal(a, b, update)
        return self._bounded(kind, a, b, update)

    def _of(self, column: AttributeReference) -> ColumnStatistics | None:
        return self.now.get(column.expr_id) or self.before.get(column.expr_id)

    def _nulls(self, column: AttributeReference, null: bool, update: bool) -> Selectivity | None:
        stats = self._of(column)
        if stats is None or stats.null_count is None or not counted(stats):
            return None
        part = 0.0 if self.rows == 0 else min(float(quotient(stats.null_count, self.rows)), 1.0)
        if update:
            self.now[column.expr_id] = (
                replace(stats, distinct_count=0, min=None, max=None) if null else replace(stats, null_count=0)
            )
        given = (("nulls", stats.null_count), ("rows", self.rows))
        return (part, formulas.NULLS, given) if null else (1.0 - part, formulas.NO_NULLS, given)

    def _equal(self, column: AttributeReference, literal: Literal, update: bool) -> Selectivity | None:
        stats = self._of(column)
        if stats is None:
            return None
        value = number(literal.value, column.data_type)
        if ranged(stats) and not holds(stats, value, column.data_type):
            return 0.0, formulas.OUTSIDE, (("value", value), *_range(stats))
        if update:
            low, high = (stats.min, stats.max) if textual(column.data_type) else (value, value)
            self.now[column.expr_id] = replace(stats, distinct_count=1, min=low, max=high, null_count=0)
        if stats.histogram is not None:
            return self._of_bins(stats, formulas.EQUALS_BINS, "bins with the value", float(value), float(value))
        if stats.distinct_count is None:
            return None
        if not stats.distinct_count:
            return 1.0, formulas.NO_DISTINCT, (("selectivity", 1.0),)
        return 1.0 / stats.distinct_count, formulas.EQUALS, (("distinct values", stats.distinct_count),)

    @staticmethod
    def _of_bins(
        stats: ColumnStatistics,
        formula: Formula,
        name: str,
        low: float,
        high: float,
        with_low: bool = True,
        with_high: bool = True,
    ) -> Selectivity:
        bins = stats.histogram.bins if stats.histogram else ()
        whole = bins_in(bins, float(stats.min), float(stats.max))
        found = bins_in(bins, low, high, with_low, with_high)
        return found / whole, formula, ((name, found), ("bins of the range", whole))

    def _among(self, column: AttributeReference, values: set[Value], update: bool) -> Selectivity | None:
        stats = self._of(column)
        if stats is None or stats.distinct_count is None:
            return None
        distinct = stats.distinct_count
        if distinct == 0:
            return 0.0, formulas.NO_DISTINCT, (("selectivity", 0.0),)
        found = len(values)
        low, high = stats.min, stats.max
        if not textual(column.data_type):
            if not ranged(stats):
                return None
            numbers = [number(v, column.data_type) for v in values]
            within = [n for n in numbers if holds(stats, n, column.data_type)]
            if not within:
                return 0.0, formulas.NONE_AMONG, _range(stats)
            low, high, found = min(within), max(within), len(within)
        found = min(distinct, found)
        if update:
            self.now[column.expr_id] = replace(stats, distinct_count=found, min=low, max=high, null_count=0)
        return (
            min(found / distinct, 1.0), formulas.AMONG, (("values in [min, max]", found), ("distinct values", distinct))
        )  # fmt: skip

    def _bounded(
        self, kind: type[BinaryComparison], column: AttributeReference, literal: Literal, update: bool
    ) -> Selectivity | None:
        stats = self._of(column)
        if stats is None or textual(column.data_type) or not ranged(stats) or stats.distinct_count is None:
            return None
        bound = number(literal.value, column.data_type)
        if bound is None:
            return None
        value, low, high = float(bound), float(stats.min), float(stats.max)
        nothing, everything = {
            LessThan: (value <= low, value > high),
            LessThanOrEqual: (value < low, value >= high),
            GreaterThan: (value >= high, value < low),
            GreaterThanOrEqual: (value > high, value <= low),
        }[kind]
        given = (*_range(stats), ("comparison", _SIGNS[kind]), ("bound", bound))
        if nothing or everything:
            return (0.0, formulas.NONE_OF_RANGE, given) if nothing else (1.0, formulas.ALL_OF_RANGE, given)
        part, rule, more = self._within(kind, stats, value, low, high)
        if update:
            distinct = ceiling(Decimal(repr(stats.distinct_count * part)))
            below = kind in _BELOW
            least, greatest = (stats.min, bound) if below else (bound, stats.max)
            self.now[column.expr_id] = replace(stats, distinct_count=distinct, min=least, max=greatest, null_count=0)
        return part, rule, (*given, *more)

    def _within(self, kind: object, stats: ColumnStatistics, value: float, low: float, high: float) -> Selectivity:
        """The share of the values that lie on one side of a bound between the least and the greatest."""
        below, with_bound = kind in _BELOW, kind in (LessThanOrEqual, GreaterThanOrEqual)
        if stats.histogram is not None:
            ends = (low, value, True, with_bound) if below else (value, high, with_bound, True)
            return self._of_bins(stats, formulas.SIDE_BINS, "bins on that side", *ends)
        one = 1.0 / stats.distinct_count if stats.distinct_count else 1.0
        distinct = (("distinct values", stats.distinct_count),)
        if value == (high if below else low) and not with_bound:
            return 1.0 - one, formulas.ALL_BUT_ONE, distinct
        if value == (low if below else high) and with_bound:
            return one, formulas.EQUALS, distinct
        if below:
            return (value - low) / (high - low), formulas.BELOW, ()
        return (high - value) / (high - low), formulas.ABOVE, ()

    def _two_columns(
        self, kind: type[BinaryComparison], a: AttributeReference, b: AttributeReference, update: bool
    ) -> Selectivity | None:
        left, right = self._of(a), self._of(b)
        if left is None or right is None or not counted(left) or not counted(right) or textual(a.data_type):
            return None
        if not ranged(left) or not ranged(right):
            return None
        nothing, everything = _positions(kind, left, right)
        given = (("left min", left.min), ("left max", left.max), ("right min", right.min), ("right max", right.max))
        if nothing or everything:
            return (0.0, formulas.APART, given) if nothing else (1.0, formulas.ALWAYS, given)
        if update:
            self.now[a.expr_id], self.now[b.expr_id] = _narrowed(kind, left, right)
        return A_THIRD, formulas.OVERLAP, given


def _range(stats: ColumnStatistics) -> Given:
    return (("min", stats.min), ("max", stats.max))


def _positions(kind: type[BinaryComparison], a: ColumnStatistics, b: ColumnStatistics) -> tuple[bool, bool]:
    """Whether the ranges of two columns say that a comparison is never true, or always."""
    full = a.null_count == 0 and b.null_count == 0
    a_low, a_high, b_low, b_high = (float(x) for x in (a.min, a.max, b.min, b.max))
    apart = a_high < b_low or b_high < a_low
    same = full and (a_low, a_high, a.distinct_count) == (b_low, b_high, b.distinct_count)
    return {
        LessThan: (a_low >= b_high, full and a_high < b_low),
        LessThanOrEqual: (a_low > b_high, full and a_high <= b_low),
        GreaterThan: (a_high <= b_low, full and a_low > b_high),
        GreaterThanOrEqual: (a_high < b_low, full and a_low >= b_high),
        EqualTo: (apart, same),
        EqualNullSafe: (apart and full, same),
    }[kind]


def _narrowed(kind: object, a: ColumnStatistics, b: ColumnStatistics) -> tuple[ColumnStatistics, ColumnStatistics]:
    """Two columns of rows for which a comparison of them is true."""
    low, high = max(a.min, b.min), min(a.max, b.max)
    a_low, a_high, b_low, b_high = a.min, a.max, b.min, b.max
    if kind in _BELOW:
        a_high, b_low = high, low
    elif kind in _COMPARISONS:
        a_low, b_high = low, high
    else:
        a_low, a_high, b_low, b_high = low, high, low, high
    return (
        replace(a, distinct_count=_third_of(a), min=a_low, max=a_high),
        replace(b, distinct_count=_third_of(b), min=b_low, max=b_high),
    )


def _third_of(stats: ColumnStatistics) -> int:
    return max(1, share(stats.distinct_count or 0, A_THIRD))
