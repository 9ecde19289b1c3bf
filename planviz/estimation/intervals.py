"""Ranges of values and equi-height histograms (Spark: ValueInterval, EstimationUtils)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from planviz.catalog.statistics import ColumnStatistics, Histogram
from planviz.estimation.model import from_double, ranged, textual
from planviz.types import DataType

Bin = tuple[float, float, int]


def holds(stats: ColumnStatistics, value: int, data_type: DataType) -> bool:
    """Whether a value may be in a column: strings may always; nothing is where the range is unknown."""
    if textual(data_type):
        return True
    return value is not None and ranged(stats) and float(stats.min) <= float(value) <= float(stats.max)


def intersection(a: ColumnStatistics, b: ColumnStatistics, data_type: DataType) -> tuple[object, object] | None:
    """The least and greatest value that two columns may share (None, None: no range is known); None for none."""
    if textual(data_type):
        return None, None
    if not ranged(a) or not ranged(b):
        return None
    low, high = max(float(a.min), float(b.min)), min(float(a.max), float(b.max))
    return (from_double(low, data_type), from_double(high, data_type)) if low <= high else None


def bins_in(bins: tuple[Bin, ...], low: float, high: float, with_low: bool = True, with_high: bool = True) -> float:
    """How many bins the values from `low` to `high` fill, parts of bins included."""
    low, high = max(low, bins[0][0]), min(high, bins[-1][1])
    if low > high:
        return 0.0
    first = _first(bins, low) if with_low else _last(bins, low)
    last = _last(bins, high) if with_high else _first(bins, high)
    if first >= last:
        return _part(bins[first], low, high)
    return _part(bins[first], low, bins[first][1]) + _part(bins[last], bins[last][0], high) + last - first - 1


def _first(bins: tuple[Bin, ...], value: float) -> int:
    return next(i for i, b in enumerate(bins) if value <= b[1])


def _last(bins: tuple[Bin, ...], value: float) -> int:
    return next(i for i in range(len(bins) - 1, -1, -1) if value >= bins[i][0])


def _part(b: Bin, low: float, high: float) -> float:
    """How much of a bin lies between two values."""
    start, end, distinct = b
    if start == end:
        return 1.0
    return 1.0 / distinct if low == high else min((high - low) / (end - start), 1.0)


@dataclass(frozen=True, slots=True)
class Overlap:
    """What two histograms have in one range of values: distinct values and rows on either side."""

    high: float
    left_distinct: float
    right_distinct: float
    left_rows: float
    right_rows: float


def overlaps(left: Histogram, right: Histogram, low: float, high: float) -> list[Overlap]:
    """The ranges in which a bin of either histogram meets one of the other, within two values."""
    found = []
    for one in (b for b in left.bins if b[0] <= high and b[1] >= low):
        for other in (b for b in right.bins if b[0] <= high and b[1] >= low):
            a, a_rows = _trimmed(one, left.height, low, high)
            b, b_rows = _trimmed(other, right.height, low, high)
            if a[0] <= b[1] and a[1] >= b[0]:
                found.append(_overlap(a, a_rows, b, b_rows))
    return found


def _overlap(a: Bin, a_rows: float, b: Bin, b_rows: float) -> Overlap:
    start, end = max(a[0], b[0]), min(a[1], b[1])
    if a[1] == b[0] or b[1] == a[0]:
        return Overlap(end, 1, 1, a_rows / a[2], b_rows / b[2])
    # A bin of one value, in the midst of the other bin, takes no part of that: Spark counts no rows there.
    a_part, b_part = (1.0 if x[0] == x[1] else (end - start) / (x[1] - x[0]) for x in (a, b))
    return Overlap(end, a[2] * a_part, b[2] * b_part, a_rows * a_part, b_rows * b_part)


def _trimmed(b: Bin, height: float, low: float, high: float) -> tuple[Bin, float]:
    """The part of a bin between two values and the rows in it."""
    start, end = max(b[0], low), min(b[1], high)
    if start == end:
        return (start, end, 1), height / b[2]
    part = (end - start) / (b[1] - b[0])
    return (start, end, ceil(b[2] * part)), height * part
