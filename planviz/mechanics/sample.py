"""Rows to play where nobody gave any: made from columns' types and statistics, the same for the same table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal

from planviz.catalog.statistics import ColumnStatistics
from planviz.catalog.tables import Table
from planviz.expressions.core import AttributeReference
from planviz.mechanics.play import Row
from planviz.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    DecimalType,
    StructType,
    is_integral,
)
from planviz.types.values import Value

#: Rows that are made of a table whose size is not known, at most and at least.
ROWS, FEWEST = 8, 3
#: Distinct values of a column of which nothing is known: few, so that joins meet and groups have several rows.
_DISTINCT = 4
_WORDS = ("ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple")
_DAY, _MOMENT = date(2024, 1, 1), datetime(2024, 1, 1, 8, 0)


def sample_rows(
    columns: Sequence[AttributeReference], table: Table | None = None, rows: int | None = None
) -> list[Row]:
    """Rows for columns that have a name and a type; as many as asked for, else as the table's size suggests.

    Values repeat as often as the distinct count says, lie between minimum and maximum, and are null as the null count
    says; where no statistics are known, columns of one type share few values, so that keys of different tables meet.
    """
    number = rows if rows is not None else _number(table)
    made = []
    for at, column in enumerate(columns):
        stats = table.statistics_of(column.name) if table is not None else None
        count = table.row_count if table is not None else None
        made.append(_column(column.data_type, stats, count, number, at))
    return list(zip(*made, strict=True)) if made else [()] * number


def _number(table: Table | None) -> int:
    if table is None or table.row_count is None:
        return ROWS
    return max(min(FEWEST, table.row_count), min(ROWS, table.row_count))


def _column(t: DataType, stats: ColumnStatistics | None, count: int | None, rows: int, at: int) -> list[object]:
    """The values of a column: `at` shifts them, so that columns of one table differ."""
    distinct = _distinct(stats, count, rows, at)
    stride = 1 if distinct >= rows else 1 + at % 2
    nulls = _nulls(stats, count, rows)
    value = _values(t, stats)
    return [
        None if rows - n <= nulls else value((n * stride + n // distinct * (at % 2)) % distinct) for n in range(rows)
    ]


def _distinct(stats: ColumnStatistics | None, count: int | None, rows: int, at: int) -> int:
    if stats is not None and stats.distinct_count:
        share = stats.distinct_count / count if count else 1.0
        return max(1, min(stats.distinct_count, rows if share > 0.5 else max(2, rows // 2)))
    return max(1, min(_DISTINCT + (at % 3), rows))


def _nulls(stats: ColumnStatistics | None, count: int | None, rows: int) -> int:
    if stats is None or not stats.null_count:
        return 0
    return max(1, min(rows - 1, round(rows * stats.null_count / count))) if count else 1


def _values(t: DataType, stats: ColumnStatistics | None) -> Callable[[int], object]:
    """The n-th value of a type, from the minimum on where it is known."""
    low = stats.min if stats is not None else None
    high = stats.max if stats is not None else None
    if is_integral(t):
        return _numbers(int, low, high, 1, 1)
    if t in (FLOAT, DOUBLE):
        return _numbers(float, low, high, 1.5, 1.25)
    if isinstance(t, DecimalType):
        step = Decimal(1).scaleb(-t.scale)
        return _numbers(lambda x: Decimal(str(x)).quantize(step), low, high, Decimal("1.5"), Decimal("1.25"))
    made = _OTHERS.get(t)
    if made is not None:
        return made
    if isinstance(t, ArrayType):
        inner = _values(t.element, None)
        return lambda n: tuple(inner(i) for i in range(n % 3))
    if isinstance(t, StructType):
        parts = [_values(f.data_type, None) for f in t.fields]
        return lambda n: tuple(p(n) for p in parts)
    return lambda n: _WORDS[n % len(_WORDS)]


def _numbers(
    made: Callable[[Value], Value], low: object, high: object, first: object, step: Value
) -> Callable[[int], object]:
    try:
        start = made(first) if low is None else made(low)
        end = None if high is None else made(high)
    except (ArithmeticError, TypeError, ValueError):
        start, end = made(first), None

    def value(n: int) -> Value:
        found = start + made(step * n) if not isinstance(start, int) else start + n
        return found if end is None or found <= end else start

    return value


_OTHERS: dict[DataType, Callable[[int], Value]] = {
    BOOLEAN: lambda n: n % 2 == 0,
    DATE: lambda n: _DAY + timedelta(days=n),
    TIMESTAMP: lambda n: _MOMENT + timedelta(hours=n),
    TIMESTAMP_NTZ: lambda n: _MOMENT + timedelta(hours=n),
    BINARY: lambda n: bytes([65 + n % 26]),
    INT: lambda n: n + 1,
}
