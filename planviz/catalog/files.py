"""Catalogue files: JSON in the format planviz-catalog/1."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from planviz.catalog.tables import Catalog, ColumnStatistics, Histogram, Table, View
from planviz.errors import InputError
from planviz.types import StructField, parse_type

FORMAT = "planviz-catalog/1"
# A catalogue names few types many times.
_type = lru_cache(maxsize=1000)(parse_type)
_TOP = {"format", "name", "description", "tables", "views"}
_TABLE = {"columns", "provider", "partition_columns", "stats"}
_COLUMN = {"name", "type", "nullable", "guessed"}
_STATS = {"rowCount", "sizeInBytes", "columns"}
_COLUMN_STATS = {
    "distinctCount": "distinct_count",
    "min": "min",
    "max": "max",
    "nullCount": "null_count",
    "avgLen": "avg_len",
    "maxLen": "max_len",
    "histogram": "histogram",
}


def read_catalog(source: str | Path) -> Catalog:
    """A catalogue from a file, or from its text when `source` is JSON. Raises InputError that names the mistake."""
    text = source if isinstance(source, str) and source.lstrip().startswith("{") else _read(Path(source))
    try:
        document = json.loads(text)
    except json.JSONDecodeError as e:
        raise InputError(f"The catalogue is not valid JSON: {e.msg}.", line=e.lineno, column=e.colno) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f'The catalogue must be a JSON object with "format": "{FORMAT}".')
    _known(document, _TOP, "the catalogue")
    tables = {}
    for name, entry in _object(document.get("tables", {}), '"tables"').items():
        table = _table(name, _object(entry, f"table {name}"))
        tables[f"{table.database.lower()}.{table.name.lower()}"] = table
    views = {}
    for name, sql in _object(document.get("views", {}), '"views"').items():
        if not isinstance(sql, str):
            raise InputError(f"In the catalogue, view {name} must be the text of a query.")
        views[name.lower()] = View(name, None, sql)
    return Catalog(str(document.get("name", "catalog")), tables, views, str(document.get("description", "")))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise InputError(f"The catalogue file {path} cannot be read: {e}.") from None


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(f"In the catalogue, {where} must be a JSON object.")
    return value


def _known(entry: dict[str, Any], keys: set[str], where: str) -> None:
    unknown = sorted(set(entry) - keys)
    if unknown:
        raise InputError(f'In {where}, the key "{unknown[0]}" is unknown; known are {", ".join(sorted(keys))}.')


def _table(name: str, entry: dict[str, Any]) -> Table:
    where = f"table {name}"
    _known(entry, _TABLE, where)
    columns = []
    guessed = set()
    for column in entry.get("columns", []):
        column = _object(column, f"a column of {where}")
        _known(column, _COLUMN, f"a column of {where}")
        if not isinstance(column.get("name"), str) or not isinstance(column.get("type"), str):
            raise InputError(f'Every column of {where} needs a "name" and a "type".')
        if column.get("guessed"):
            guessed.add(column["name"])
        columns.append(StructField(column["name"], _type(column["type"]), bool(column.get("nullable", True))))
    stats = _object(entry.get("stats") or {}, f"the stats of {where}")
    _known(stats, _STATS, f"the stats of {where}")
    database, _, short = name.rpartition(".")
    by_column = _object(stats.get("columns", {}), f"the column stats of {where}")
    return Table(
        short,
        tuple(columns),
        database or "default",
        str(entry.get("provider", "parquet")),
        tuple(entry.get("partition_columns", [])),
        _count(stats.get("rowCount"), f"rowCount of {where}"),
        _count(stats.get("sizeInBytes"), f"sizeInBytes of {where}"),
        tuple((c, _column_stats(s, f"the stats of {name}.{c}")) for c, s in by_column.items()),
        frozenset(guessed),
    )


def _count(value: Any, where: str) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
        return value
    raise InputError(f"In the catalogue, {where} must be a whole number of at least 0, not {value!r}.")


def _column_stats(entry: Any, where: str) -> ColumnStatistics:
    entry = _object(entry, where)
    _known(entry, set(_COLUMN_STATS), where)
    values = {_COLUMN_STATS[k]: v for k, v in entry.items()}
    histogram = values.pop("histogram", None)
    if histogram is not None:
        bins = tuple((float(b["lo"]), float(b["hi"]), int(b["ndv"])) for b in histogram["bins"])
        values["histogram"] = Histogram(float(histogram["height"]), bins)
    return ColumnStatistics(**values)


def write_catalog(catalog: Catalog) -> str:
    """The catalogue as JSON text that `read_catalog` reads back."""
    tables = {}
    for table in catalog.tables.values():
        name = table.name if table.database == "default" else f"{table.database}.{table.name}"
        tables[name] = _table_entry(table)
    document: dict[str, Any] = {"format": FORMAT, "name": catalog.name}
    if catalog.description:
        document["description"] = catalog.description
    document["tables"] = tables
    if catalog.views:
        document["views"] = {v.name: v.sql for v in catalog.views.values()}
    return json.dumps(document, indent=1)


def _table_entry(table: Table) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "columns": [_column_entry(c, c.name in table.guessed) for c in table.columns],
        "provider": table.provider,
        "partition_columns": list(table.partition_columns),
    }
    stats: dict[str, Any] = {}
    if table.row_count is not None:
        stats["rowCount"] = table.row_count
    if table.size_in_bytes is not None:
        stats["sizeInBytes"] = table.size_in_bytes
    if table.column_stats:
        stats["columns"] = {c: _column_stats_entry(s) for c, s in table.column_stats}
    if stats:
        entry["stats"] = stats
    return entry


def _column_entry(column: StructField, guessed: bool) -> dict[str, Any]:
    entry = {"name": column.name, "type": column.data_type.simple_string, "nullable": column.nullable}
    return {**entry, "guessed": True} if guessed else entry


def _column_stats_entry(s: ColumnStatistics) -> dict[str, Any]:
    entry = {k: getattr(s, v) for k, v in _COLUMN_STATS.items() if k != "histogram" and getattr(s, v) is not None}
    if s.histogram is not None:
        bins = [{"lo": lo, "hi": hi, "ndv": ndv} for lo, hi, ndv in s.histogram.bins]
        entry["histogram"] = {"height": s.histogram.height, "bins": bins}
    return entry
