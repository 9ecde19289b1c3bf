"""Other statistics in a catalogue: numbers set one by one, tables grown or shrunk (inventory E-007)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from fractions import Fraction
from typing import Any

from planviz.catalog.files import COLUMN_KEYS, TABLE_KEYS, read_table, table_entry
from planviz.catalog.tables import Catalog, ColumnStatistics, Histogram, Table
from planviz.errors import InputError
from planviz.types import is_integral

#: How far distinct values and rows may be apart in a column that identifies rows: counts of distinct values are
#: estimates with an error of up to this share (twice spark.sql.statistics.ndv.maxError).
_ERROR = Fraction(1, 10)


def edited(catalog: Catalog, settings: Iterable[str]) -> Catalog:
    """The catalogue with numbers set: `table.rowCount=100`, `table.column.distinctCount=7`, `table.column.max=9`.

    An empty value forgets a number; histograms are written as JSON. Names are read in any case. Statistics with another
    number are no longer those that were counted: `analyzedAt` is forgotten unless it is set, too. Raises InputError
    that names the nearest table, column or key, or says what is wrong with a value.
    """
    for setting in settings:
        path, equals, value = setting.partition("=")
        if not equals:
            raise InputError(f"{setting}: write it as table.rowCount=100 or table.column.distinctCount=7.")
        catalog = _with(catalog, path.strip(), _value(value.strip()))
    return catalog


def _value(text: str) -> Any:
    if not text:
        return None
    try:
        return json.loads(text.replace("_", "") if text.replace("_", "").isdigit() else text)
    except json.JSONDecodeError:
        return text


def _with(catalog: Catalog, path: str, value: Any) -> Catalog:
    names = path.split(".")
    if len(names) < 2:
        raise InputError(f"{path}: write it as table.rowCount or table.column.distinctCount.")
    table = catalog.table(tuple(names[:-1]))
    column = None
    if table is None and len(names) > 2:
        table, column = catalog.table(tuple(names[:-2])), names[-2]
    if table is None:
        wanted = ".".join(names[: max(1, len(names) - 2)])
        raise InputError(f"The catalogue has no table {wanted}{_near(wanted, catalog.names())}")
    key = _key(names[-1], TABLE_KEYS if column is None else COLUMN_KEYS, path)
    entry = table_entry(table)
    stats = entry.setdefault("stats", {})
    stats.pop("analyzedAt", None)
    if column is not None:
        stats = stats.setdefault("columns", {}).setdefault(_column(table, column), {})
    stats[key] = value
    return catalog.with_table(read_table(table.shown_name, entry))


def _key(name: str, keys: Iterable[str], path: str) -> str:
    found = {k.lower(): k for k in keys}.get(name.lower())
    if found is None:
        raise InputError(f"{path}: {name} cannot be set{_near(name, keys)}")
    return found


def _column(table: Table, name: str) -> str:
    """The name as statistics have it, or else as the table has it."""
    known = [n for n, _ in table.column_stats] + [c.name for c in table.columns]
    found = next((n for n in known if n.lower() == name.lower()), None)
    if found is None:
        raise InputError(f"The table {table.shown_name} has no column {name}{_near(name, known)}")
    return found


def _near(name: str, known: Iterable[str]) -> str:
    names = list(dict.fromkeys(known))
    near = get_close_matches(name.lower(), [n.lower() for n in names], 1, 0.6)
    if near:
        return f"; did you mean {next(n for n in names if n.lower() == near[0])}?"
    return f"; there are {', '.join(names) or 'none'}."


def scaled(catalog: Catalog, factor: float | Fraction, tables: Iterable[str] | None = None) -> Catalog:
    """The catalogue with `factor` times the data, in these tables or in all. Raises InputError for an unknown table."""
    wanted = list(catalog.tables.values())
    if tables is not None:
        wanted = [_named(catalog, name) for name in tables]
    for table in wanted:
        catalog = catalog.with_table(scaled_table(table, Fraction(factor)))
    return catalog


def _named(catalog: Catalog, name: str) -> Table:
    table = catalog.table(tuple(name.split(".")))
    if table is None:
        raise InputError(f"The catalogue has no table {name}{_near(name, catalog.names())}")
    return table


def scaled_table(table: Table, factor: Fraction) -> Table:
    """A table with `factor` times its rows, bytes and nulls.

    Columns that identify rows (as many distinct values as rows, within 10 %) get as many more distinct values, and
    whole numbers among them a range as much wider. Other columns keep theirs, as many as there are rows at most: a key
    of another table's rows does not grow with this table's. Raises InputError for a factor of 0 or less.
    """
    if factor <= 0:
        raise InputError(f"A factor must be more than 0, not {float(factor):g}.")
    before, rows = table.row_count, _times(table.row_count, factor)
    grown = [(name, _scaled(s, factor, before, _whole(table, name))) for name, s in table.column_stats]
    stats = tuple([(name, _at_most(s, rows)) for name, s in grown])
    size = _times(table.size_in_bytes, factor)
    return replace(table, row_count=rows, size_in_bytes=size, column_stats=stats, analyzed_at=None)


def _whole(table: Table, column: str) -> bool:
    data_type = table.type_of(column)
    return data_type is not None and is_integral(data_type)


def _times(count: int | None, factor: Fraction) -> int | None:
    """So many times a count, rounded, at least 1 where there was something."""
    return None if count is None else max(round(count * factor), min(count, 1))


def _scaled(s: ColumnStatistics, factor: Fraction, rows: int | None, whole: bool) -> ColumnStatistics:
    grown = replace(s, null_count=_times(s.null_count, factor), histogram=_grown(s.histogram, factor))
    if not rows or s.distinct_count is None or abs(s.distinct_count - rows) > rows * _ERROR:
        return grown
    grown = replace(grown, distinct_count=_times(s.distinct_count, factor))
    if not whole or s.min is None or s.max is None:
        return grown
    low = int(s.min)
    stretched = replace(grown, max=low + round((int(s.max) - low) * factor))
    return replace(stretched, histogram=_stretched(grown.histogram, low, factor))


def _at_most(s: ColumnStatistics, rows: int | None) -> ColumnStatistics:
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
