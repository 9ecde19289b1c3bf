"""What is known of a column's values, and how that grows with its table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from planviz.types.values import Value


@dataclass(frozen=True)
class Histogram:
    """An equi-height histogram: rows per bin, and bins of (low, high, distinct values)."""

    height: float
    bins: tuple[tuple[float, float, int], ...]


@dataclass(frozen=True)
class ColumnStatistics:
    """What is known of a column's values; None where it is not. Lengths in bytes."""

    distinct_count: int | None = None
    min: Value = None
    max: Value = None
    null_count: int | None = None
    avg_len: int | None = None
    max_len: int | None = None
    histogram: Histogram | None = None
    #: Between which numbers the distinct values lie, where they were estimated from a sample.
    distinct_range: tuple[int, int] | None = None


#: How far distinct values and rows may be apart in a column that identifies rows: counts of distinct values are
#: estimates with an error of up to this share (twice spark.sql.statistics.ndv.maxError).
_ERROR = Fraction(1, 10)


def times(count: int | None, factor: Fraction) -> int | None:
    """So many times a count, rounded, at least 1 where there was something."""
    return None if count is None else max(round(count * factor), min(count, 1))


def scaled_statistics(s: ColumnStatistics, factor: Fraction, rows: int | None, whole: bool) -> ColumnStatistics:
    """A column's statistics where its table of `rows` rows grows by `factor`; `whole`: it holds whole numbers."""
    grown = replace(s, null_count=times(s.null_count, factor), histogram=_grown(s.histogram, factor))
    if not rows or s.distinct_count is None or abs(s.distinct_count - rows) > rows * _ERROR:
        return grown
    grown = replace(grown, distinct_count=times(s.distinct_count, factor))
    if not whole or s.min is None or s.max is None:
        return grown
    low = int(s.min)
    stretched = replace(grown, max=low + round((int(s.max) - low) * factor))
    return replace(stretched, histogram=_stretched(grown.histogram, low, factor))


def with_rows(s: ColumnStatistics, rows: int | None) -> ColumnStatistics:
    """The statistics with no more distinct values than rows."""
    if rows is None or s.distinct_count is None or s.distinct_count <= rows:
        return s
    return replace(s, distinct_count=rows)


def _grown(histogram: Histogram | None, factor: Fraction) -> Histogram | None:
    return None if histogram is None else replace(histogram, height=float(histogram.height * factor))


def _stretched(histogram: Histogram | None, low: int, factor: Fraction) -> Histogram | None:
    if histogram is None:
        return None
    by = float(factor)
    bins = tuple(
        [(low + (a - low) * by, low + (b - low) * by, max(1, round(n * factor))) for a, b, n in histogram.bins]
    )
    return replace(histogram, bins=bins)
