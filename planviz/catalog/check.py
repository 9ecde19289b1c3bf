"""Statistics that contradict each other or the columns they speak of."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from planviz.catalog.files import Problem
from planviz.catalog.statistics import ColumnStatistics
from planviz.catalog.tables import Catalog, Table
from planviz.types import (
    BINARY,
    BOOLEAN,
    DATE,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructType,
    is_integral,
    is_numeric,
)
from planviz.types.values import Value


def contradictions(catalog: Catalog) -> list[Problem]:
    """Everything in a catalogue that cannot be true, each with its path."""
    return [p for t in catalog.tables.values() for p in _table(t, f"tables.{t.shown_name}")]


def _table(table: Table, path: str) -> Iterator[Problem]:
    names = {c.name.lower() for c in table.columns}
    for name in table.partition_columns:
        if name.lower() not in names:
            yield Problem(f"{path}.partition_columns", f"{name} is none of the table's columns.")
    for name in table.buckets.columns + table.buckets.sorted_by if table.buckets is not None else ():
        if name.lower() not in names:
            yield Problem(f"{path}.buckets", f"{name} is none of the table's columns.")
    for name, stats in table.column_stats:
        at = f"{path}.stats.columns.{name}"
        data_type = table.type_of(name)
        if data_type is None:
            yield Problem(at, f"{name} is none of the table's columns.")
        elif isinstance(data_type, ArrayType | MapType | StructType):
            what = data_type.simple_string
            yield Problem(at, f"Spark counts nothing of {what} columns (ANALYZE_UNSUPPORTED_COLUMN_TYPE).")
        else:
            yield from _column(stats, data_type, table.row_count, at)


def _column(s: ColumnStatistics, data_type: DataType, rows: int | None, path: str) -> Iterator[Problem]:
    if rows is not None:
        for key, count in (("distinctCount", s.distinct_count), ("nullCount", s.null_count)):
            if count is not None and count > rows:
                yield Problem(f"{path}.{key}", f"{count} is more than the table's {rows} rows.")
    if s.avg_len is not None and s.max_len is not None and s.avg_len > s.max_len:
        yield Problem(f"{path}.avgLen", f"{s.avg_len} is more than maxLen, {s.max_len}.")
    low, high = s.min, s.max
    if data_type in (STRING, BINARY) and (low is not None or high is not None):
        yield Problem(f"{path}.min", f"Spark keeps no least and greatest value of {data_type.simple_string} columns.")
    values = []
    for key, value in (("min", low), ("max", high)):
        if value is None:
            continue
        try:
            values.append(_value(value, data_type))
        except (ValueError, InvalidOperation):
            yield Problem(f"{path}.{key}", f"{value!r} is no value of the column's type {data_type.simple_string}.")
    if len(values) == 2 and values[0] > values[1]:
        yield Problem(f"{path}.min", f"{low} is more than max, {high}.")
    yield from _bins(s, path)


def _bins(s: ColumnStatistics, path: str) -> Iterator[Problem]:
    last = None
    for i, (lo, hi, _) in enumerate(s.histogram.bins if s.histogram else ()):
        if lo > hi or (last is not None and lo < last):
            yield Problem(f"{path}.histogram.bins.{i}", f"{lo} to {hi} does not follow the bin before it.")
        last = hi


def _value(value: object, t: DataType) -> Value:
    """A minimum or maximum as a value that can be compared. Raises ValueError when it is none of the type."""
    if isinstance(value, bool) is not (t == BOOLEAN) and not isinstance(value, str):
        raise ValueError(value)
    read = {
        BOOLEAN: lambda x: ("false", "true").index(x.lower()),
        DATE: date.fromisoformat,
        TIMESTAMP: lambda x: datetime.fromisoformat(x).replace(tzinfo=None),
        TIMESTAMP_NTZ: datetime.fromisoformat,
    }
    if t in read:
        return read[t](str(value))
    if is_integral(t):
        return int(str(value))
    if isinstance(t, DecimalType) or is_numeric(t):
        return Decimal(str(value))
    return str(value)
