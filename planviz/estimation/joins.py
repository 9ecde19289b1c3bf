"""The rows of joins (Spark: JoinEstimation).

The keys of the side with fewer distinct ones are taken to be among those of the other side (containment), and of
several pairs of keys the most selective one decides alone.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from math import inf

from planviz.catalog.statistics import ColumnStatistics
from planviz.decisions.estimates import Formula
from planviz.estimation import formulas
from planviz.estimation.intervals import intersection, overlaps
from planviz.estimation.model import (
    Columns,
    Estimate,
    Given,
    Part,
    ceiling,
    counted,
    only_nulls,
    output_size,
    quotient,
    scaled,
)
from planviz.expressions.core import AttributeReference
from planviz.logical.combining import Join
from planviz.logical.join_keys import Key, join_keys, unique_keys
from planviz.types.values import Value

_FORMULAS = {
    "LeftOuter": formulas.LEFT_OUTER,
    "RightOuter": formulas.RIGHT_OUTER,
    "FullOuter": formulas.FULL_OUTER,
}


def join_estimate(plan: Join, left: Estimate, right: Estimate, unique: bool = True) -> Estimate | None:
    """The estimate of a Join from its inputs'; None where rows are unknown or the kind is not estimated.

    `unique`: whether keys that are unique by the plan of their side count (since Spark 3.4).
    """
    if plan.kind in ("LeftSemi", "LeftAnti"):
        if left.rows is None:
            return None
        size = output_size(plan.output, left.rows, left.columns)
        return Estimate(size, left.rows, left.columns, formulas.LEFT_ROWS, (left, right))
    if plan.kind in ("ExistenceJoin", "LeftSingle") or left.rows is None or right.rows is None:
        return None
    keys = join_keys(plan)
    if not keys:
        rows, columns = left.rows * right.rows, {**left.columns, **right.columns}
        size = output_size(plan.output, rows, columns)
        return Estimate(size, rows, columns, formulas.PAIRS, (left, right))
    return _equi_join(plan, left, right, left.rows, right.rows, keys, unique)


def _equi_join(
    plan: Join, left: Estimate, right: Estimate, left_rows: int, right_rows: int, keys: list[Key], unique: bool
) -> Estimate:
    kind = plan.kind
    matches = _Matches(plan, left, right, left_rows, right_rows)
    matches.count(keys, unique)
    inner = matches.rows
    rows = {
        "LeftOuter": max(left_rows, inner),
        "RightOuter": max(right_rows, inner),
        "FullOuter": max(left_rows, inner) + max(right_rows, inner) - inner,
    }.get(kind, inner)
    columns = _columns_after(plan, matches, rows) if rows else {}
    size = output_size(plan.output, rows, columns)
    rule = _FORMULAS.get(kind, formulas.INNER)
    return Estimate(size, rows, columns, rule, (left, right), tuple(matches.parts), (("inner rows", inner),))


def _columns_after(plan: Join, matches: _Matches, rows: int) -> Columns:
    kind, inner = plan.kind, matches.rows
    known: Columns = {**matches.left.columns, **matches.right.columns}
    if inner == matches.left_rows * matches.right_rows and inner:
        return known
    of_left = plan.left.output_set
    with_counts = [a for a in plan.output if counted(known.get(a.expr_id))]
    from_left = [a for a in with_counts if a.expr_id in of_left]
    from_right = [a for a in with_counts if a.expr_id not in of_left]

    def kept(attributes: list[AttributeReference]) -> dict[int, ColumnStatistics]:
        return {a.expr_id: known[a.expr_id] for a in attributes}

    def nulls(attributes: list[AttributeReference], count: int) -> dict[int, ColumnStatistics]:
        return {a.expr_id: only_nulls(a.data_type, count) for a in attributes}

    def more_nulls(attributes: list[AttributeReference], count: int) -> dict[int, ColumnStatistics]:
        old = kept(attributes)
        return {i: replace(s, null_count=(s.null_count or 0) + count) for i, s in old.items()}

    def updated(attributes: list[AttributeReference], before: int) -> dict[int, ColumnStatistics]:
        old = kept(attributes)
        return {i: matches.keys.get(i) or scaled(before, rows, s) for i, s in old.items()}

    left_rows, right_rows = matches.left_rows, matches.right_rows
    if kind == "LeftOuter":
        return {**kept(from_left), **(updated(from_right, right_rows) if inner else nulls(from_right, left_rows))}
    if kind == "RightOuter":
        return {**(updated(from_left, left_rows) if inner else nulls(from_left, right_rows)), **kept(from_right)}
    if kind == "FullOuter":
        return known if inner else {**more_nulls(from_left, right_rows), **more_nulls(from_right, left_rows)}
    return {**updated(from_left, left_rows), **updated(from_right, right_rows)}


class _Matches:
    """How many pairs of rows agree in their keys: `rows`; `keys` are the keys' statistics among these."""

    def __init__(self, plan: Join, left: Estimate, right: Estimate, left_rows: int, right_rows: int) -> None:
        self.plan, self.left, self.right = plan, left, right
        self.left_rows, self.right_rows = left_rows, right_rows
        self.rows = 0
        self.keys: dict[int, ColumnStatistics] = {}
        self.parts: list[Part] = []

    def count(self, keys: list[Key], unique: bool) -> None:
        """Estimate from these pairs of keys; `unique`: those that are unique in a side bound the rows."""
        self.rows, rule = self._at_most(keys, unique)
        self.parts.append(Part(None, self.rows, rule, self._sides))
        for a, b in keys:
            if self.rows == 0:
                return
            if isinstance(a, AttributeReference) and isinstance(b, AttributeReference):
                one, other = self.left.columns.get(a.expr_id), self.right.columns.get(b.expr_id)
                if one is not None and other is not None and counted(one) and counted(other):
                    self._pair(a, b, one, other)

    @property
    def _sides(self) -> Given:
        return (("left rows", self.left_rows), ("right rows", self.right_rows))

    def _at_most(self, keys: list[Key], unique: bool) -> tuple[int, Formula]:
        left = unique and unique_keys(self.plan.left, [a for a, _ in keys])
        right = unique and unique_keys(self.plan.right, [b for _, b in keys])
        if not self.left_rows or not self.right_rows:
            return 0, formulas.AT_MOST_PAIRS
        if left and right:
            return min(self.left_rows, self.right_rows), formulas.BOTH_UNIQUE
        if left or right:
            return (self.right_rows, formulas.LEFT_UNIQUE) if left else (self.left_rows, formulas.RIGHT_UNIQUE)
        return self.left_rows * self.right_rows, formulas.AT_MOST_PAIRS

    def _pair(
        self, a: AttributeReference, b: AttributeReference, one: ColumnStatistics, other: ColumnStatistics
    ) -> None:
        both = intersection(one, other, a.data_type)
        if both is None:
            self.rows = 0
            self.parts.append(Part((a, b), 0, formulas.KEYS_APART, _ranges(one, other)))
            return
        if one.histogram is not None and other.histogram is not None and both[0] is not None:
            rows, distinct = self._by_histograms(one, other, both)
            rule = formulas.KEY_BINS
            given: Given = (("sum over common ranges", rows),)
        else:
            most = max(one.distinct_count or 0, other.distinct_count or 0)
            product = self.left_rows * self.right_rows
            rows = ceiling(quotient(product, most)) if most else product
            distinct = min(one.distinct_count or 0, other.distinct_count or 0)
            rule = formulas.KEYS
            given = (*self._sides, ("left distinct", one.distinct_count), ("right distinct", other.distinct_count))
        self.parts.append(Part((a, b), rows, rule, given))
        joined = ColumnStatistics(distinct, *both, 0, _mean(one.avg_len, other.avg_len), _least(one, other))
        self.keys[a.expr_id] = replace(joined, histogram=one.histogram)
        self.keys[b.expr_id] = replace(joined, histogram=other.histogram)
        self.rows = min(self.rows, rows)

    @staticmethod
    def _by_histograms(one: ColumnStatistics, other: ColumnStatistics, both: tuple[Value, Value]) -> tuple[int, int]:
        assert one.histogram is not None
        assert other.histogram is not None
        rows, distinct, last = Decimal(0), 0.0, -inf
        for r in overlaps(one.histogram, other.histogram, float(both[0]), float(both[1])):
            # A range of one value ends where the one before ended: that value is counted already.
            if r.high != last:
                distinct += min(r.left_distinct, r.right_distinct)
            last = r.high
            rows += Decimal(repr(r.left_rows * r.right_rows / max(r.left_distinct, r.right_distinct)))
        return ceiling(rows), ceiling(Decimal(repr(distinct)))


def _ranges(one: ColumnStatistics, other: ColumnStatistics) -> Given:
    return (
        ("left min", one.min), ("left max", one.max), ("right min", other.min), ("right max", other.max)
    )  # fmt: skip


def _mean(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else (a + b) // 2


def _least(one: ColumnStatistics, other: ColumnStatistics) -> int | None:
    return None if one.max_len is None or other.max_len is None else min(one.max_len, other.max_len)
