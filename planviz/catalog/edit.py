"""Other statistics in a catalogue: numbers set one by one, tables grown or shrunk (inventory E-007)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fractions import Fraction

from planviz.catalog.files import COLUMN_KEYS, TABLE_KEYS, read_table, table_entry
from planviz.catalog.tables import Catalog, Table, nearest
from planviz.errors import InputError


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


def _value(text: str) -> object:
    if not text:
        return None
    try:
        return json.loads(text.replace("_", "") if text.replace("_", "").isdigit() else text)
    except (ValueError, RecursionError):
        return text


def _with(catalog: Catalog, path: str, value: object) -> Catalog:
    names = path.split(".")
    if len(names) < 2:
        raise InputError(f"{path}: write it as table.rowCount or table.column.distinctCount.")
    table = catalog.table(tuple(names[:-1]))
    column = None
    if table is None and len(names) > 2:
        table, column = catalog.table(tuple(names[:-2])), names[-2]
    if table is None:
        wanted = ".".join(names[: max(1, len(names) - 2)])
        raise InputError(f"The catalogue has no table {wanted}{nearest(wanted, catalog.names())}")
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
        raise InputError(f"{path}: {name} cannot be set{nearest(name, keys)}")
    return found


def _column(table: Table, name: str) -> str:
    """The name as statistics have it, or else as the table has it."""
    known = [n for n, _ in table.column_stats] + [c.name for c in table.columns]
    found = next((n for n in known if n.lower() == name.lower()), None)
    if found is None:
        raise InputError(f"The table {table.shown_name} has no column {name}{nearest(name, known)}")
    return found


def scaled(catalog: Catalog, factor: float | Fraction, tables: Iterable[str] | None = None) -> Catalog:
    """The catalogue with `factor` times the data, in these tables or in all. Raises InputError for an unknown table."""
    return catalog.scaled(factor, tables)
