"""Catalogue files: JSON in the format planviz-catalog/1."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from planviz.catalog.statistics import ColumnStatistics, Histogram
from planviz.catalog.tables import (
    DATABASE,
    Buckets,
    Catalog,
    OwnFunction,
    PythonFunction,
    Table,
    View,
    placed,
    python_eval_type,
)
from planviz.errors import InputError
from planviz.expressions.python import PythonEvalType
from planviz.jsontypes import JsonObject, JsonValue
from planviz.types import UNKNOWN, DataType, StructField, parse_type

FORMAT = "planviz-catalog/1"
# A catalogue names few types many times.
_type = lru_cache(maxsize=1000)(parse_type)
_TOP = ("format", "name", "description", "tables", "views", "functions")
_TABLE = ("columns", "provider", "partition_columns", "buckets", "stats")
_FUNCTION = ("returns", "evalType", "deterministic")
_BUCKETS = ("columns", "number", "sorted_by")
_COLUMN = ("name", "type", "nullable", "guessed")
#: What a table's statistics say of the whole table.
TABLE_KEYS = ("rowCount", "sizeInBytes", "analyzedAt")
#: Halves of characters, which JSON can name and UTF-8 cannot.
_HALVES = re.compile("[\ud800-\udfff]")
_STATS = (*TABLE_KEYS, "sampledRows", "columns")
#: Keys of a column's statistics and the fields that hold them; the counts first.
_COUNTS = {"distinctCount": "distinct_count", "nullCount": "null_count", "avgLen": "avg_len", "maxLen": "max_len"}
_COLUMN_STATS = {"min": "min", "max": "max", **_COUNTS, "histogram": "histogram"}
#: What they say of a column.
COLUMN_KEYS = tuple(_COLUMN_STATS)


@dataclass(frozen=True)
class Problem:
    """What is wrong, and where: `path` leads from the document's top, as in tables.orders.stats.rowCount."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


def read_catalog(source: str | Path) -> Catalog:
    """A catalogue from a file, or from its text when `source` is JSON. Raises InputError that names the mistake."""
    text = source if isinstance(source, str) and source.lstrip().startswith("{") else _text(Path(source))
    catalog, problems = parse_catalog(text)
    _refuse(problems)
    return catalog


def read_table(name: str, entry: Mapping[str, object]) -> Table:
    """A table from its entry in a catalogue's document (as `table_entry` gives it). Raises InputError."""
    reader = _Reader()
    table = reader.table(name, entry, f"tables.{name}")
    _refuse(reader.problems)
    return table


def _refuse(problems: list[Problem]) -> None:
    if problems:
        more = f" (and {len(problems) - 1} more: see `planviz catalog check`)" if len(problems) > 1 else ""
        raise InputError(f"In the catalogue, {problems[0]}{more}")


def parse_catalog(text: str) -> tuple[Catalog, list[Problem]]:
    """The catalogue as far as it can be read, and everything in it that cannot.

    Raises InputError, with line and column, for a text that is no JSON, and for JSON that is no catalogue.
    """
    try:
        document = json.loads(text)
    except json.JSONDecodeError as e:
        raise InputError(
            f"The catalogue is not valid JSON: {e.msg} (line {e.lineno}, column {e.colno}).",
            line=e.lineno,
            column=e.colno,
        ) from None
    except ValueError:
        raise InputError("The catalogue holds a number of more than 4,300 digits: no table has that many.") from None
    except RecursionError:
        raise InputError("The catalogue nests too deep to be read.") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f'The catalogue must be a JSON object with "format": "{FORMAT}".')
    reader = _Reader()
    return reader.catalog(document), reader.problems


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as e:
        raise InputError(f"The catalogue file {path} cannot be read: {e}.") from None


class _Reader:
    """Reads what can be read and remembers what cannot."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def problem(self, path: str, message: str) -> None:
        self.problems.append(Problem(path, message))

    def object(self, value: JsonValue, path: str, known: Iterable[str] = ()) -> JsonObject:
        if not isinstance(value, dict):
            self.problem(path, f"must be a JSON object, not {_shown(value)}.")
            return {}
        keys = tuple(known)
        for key in value:
            if keys and key not in keys:
                near = get_close_matches(key, keys, 1, 0.6)
                hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(keys)}."
                self.problem(path, f'the key "{key}" is unknown; {hint}')
        return value

    def items(self, value: JsonValue, path: str) -> list[JsonValue]:
        if isinstance(value, list):
            return value
        self.problem(path, f"must be a list, not {_shown(value)}.")
        return []

    def text(self, value: JsonValue, path: str) -> str:
        if not isinstance(value, str) or not value:
            self.problem(path, f"must be a text, not {_shown(value)}.")
            return ""
        return value

    def count(self, value: JsonValue, path: str) -> int | None:
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 0):
            return value
        self.problem(path, f"must be a whole number of at least 0, not {_shown(value)}.")
        return None

    def moment(self, value: str | None, path: str) -> str | None:
        if value is None:
            return None
        try:
            datetime.fromisoformat(value)
        except (TypeError, ValueError):
            self.problem(path, f"must be a date or a moment as 2026-01-31 or 2026-01-31T12:00:00, not {_shown(value)}.")
            return None
        return str(value)

    def flag(self, value: bool, path: str) -> bool:
        if not isinstance(value, bool):
            self.problem(path, f"must be true or false, not {_shown(value)}.")
        return bool(value)

    def catalog(self, document: JsonObject) -> Catalog:
        self.object(document, "", _TOP)
        tables: dict[str, Table] = {}
        for name, entry in self.object(document.get("tables", {}), "tables").items():
            table = self.table(name, entry, f"tables.{name}")
            key = table.key
            if key in tables:
                self.problem(f"tables.{name}", "is there twice: names do not differ by case.")
            tables[key] = table
        views = {
            name.lower(): View(name, None, self.text(sql, f"views.{name}"))
            for name, sql in self.object(document.get("views", {}), "views").items()
        }
        name, about = document.get("name", "catalog"), document.get("description", "")
        shown = self.text(about, "description") if about else ""
        return Catalog(self.text(name, "name"), tables, views, shown, functions=self.functions(document))

    def functions(self, document: JsonObject) -> dict[str, OwnFunction]:
        """The functions written in Python, by lower-case name."""
        found: dict[str, OwnFunction] = {}
        for name, given in self.object(document.get("functions", {}), "functions").items():
            path = f"functions.{name}"
            entry = self.object(given, path, _FUNCTION)
            if name.lower() in found:
                self.problem(path, "is there twice: names do not differ by case.")
            returns = self.type(entry.get("returns", "string"), f"{path}.returns")
            fixed = self.flag(entry.get("deterministic", True), f"{path}.deterministic")
            found[name.lower()] = PythonFunction(name, returns, self.kind(entry, path), fixed)
        return found

    def kind(self, entry: JsonObject, path: str) -> PythonEvalType | None:
        try:
            return python_eval_type(entry.get("evalType"))
        except InputError as e:
            self.problem(f"{path}.evalType", str(e))
            return None

    def table(self, name: str, given: JsonValue, path: str) -> Table:
        entry = self.object(given, path, _TABLE)
        columns, guessed = self.columns(entry.get("columns", []), f"{path}.columns")
        *_, short = parts = name.split(".")
        stats = self.object(entry.get("stats") or {}, f"{path}.stats", _STATS)
        by_column = self.object(stats.get("columns", {}), f"{path}.stats.columns")
        table = Table(
            short,
            tuple(columns),
            DATABASE,
            self.text(entry.get("provider", "parquet"), f"{path}.provider"),
            self.names(entry, "partition_columns", path),
            self.count(stats.get("rowCount"), f"{path}.stats.rowCount"),
            self.count(stats.get("sizeInBytes"), f"{path}.stats.sizeInBytes"),
            tuple((c, self.column_stats(s, f"{path}.stats.columns.{c}")) for c, s in by_column.items()),
            frozenset(guessed),
            self.moment(stats.get("analyzedAt"), f"{path}.stats.analyzedAt"),
            self.buckets(entry["buckets"], f"{path}.buckets") if entry.get("buckets") else None,
            self.count(stats.get("sampledRows"), f"{path}.stats.sampledRows"),
        )
        return placed(table, tuple(parts))

    def buckets(self, given: JsonValue, path: str) -> Buckets:
        entry = self.object(given, path, _BUCKETS)
        number = self.count(entry.get("number"), f"{path}.number")
        if not number or not entry.get("columns"):
            self.problem(path, 'buckets need "columns" and a "number" above 0.')
        return Buckets(self.names(entry, "columns", path), number or 1, self.names(entry, "sorted_by", path))

    def names(self, entry: JsonObject, key: str, path: str) -> tuple[str, ...]:
        items = self.items(entry.get(key, []), f"{path}.{key}")
        return tuple(self.text(c, f"{path}.{key}.{i}") for i, c in enumerate(items))

    def columns(self, entries: JsonValue, path: str) -> tuple[list[StructField], list[str]]:
        columns: list[StructField] = []
        names: set[str] = set()
        guessed = []
        for i, entry in enumerate(self.items(entries, path)):
            column = self.object(entry, f"{path}.{i}", _COLUMN)
            if not column.get("name") or not column.get("type"):
                self.problem(f"{path}.{i}", 'a column needs a "name" and a "type".')
                continue
            name = self.text(column["name"], f"{path}.{i}.name")
            data_type = self.type(column["type"], f"{path}.{i}.type")
            if name.lower() in names:
                self.problem(f"{path}.{i}.name", f"{name} is there twice: names do not differ by case.")
            names.add(name.lower())
            columns.append(
                StructField(name, data_type, self.flag(column.get("nullable", True), f"{path}.{i}.nullable"))
            )
            if self.flag(column.get("guessed", False), f"{path}.{i}.guessed"):
                guessed.append(name)
        return columns, guessed

    def type(self, value: str, path: str) -> DataType:
        try:
            return _type(value) if isinstance(value, str) else parse_type(str(value))
        except InputError as e:
            self.problem(path, str(e))
            return UNKNOWN

    def column_stats(self, given: JsonValue, path: str) -> ColumnStatistics:
        entry = self.object(given, path, (*_COLUMN_STATS, "distinctRange"))
        counts = {field: self.count(entry.get(key), f"{path}.{key}") for key, field in _COUNTS.items()}
        ends = {key: entry.get(key) for key in ("min", "max")}
        for key, value in ends.items():
            if isinstance(value, dict | list):
                self.problem(f"{path}.{key}", f"must be one value, not {_shown(value)}.")
        histogram = entry.get("histogram")
        made = None if histogram is None else self.histogram(histogram, f"{path}.histogram")
        between = self.range(entry["distinctRange"], f"{path}.distinctRange") if "distinctRange" in entry else None
        return ColumnStatistics(**ends, **counts, histogram=made, distinct_range=between)

    def range(self, entry: JsonValue, path: str) -> tuple[int, int] | None:
        ends = [self.count(e, f"{path}.{i}") for i, e in enumerate(self.items(entry, path))]
        if len(ends) == 2 and None not in ends:
            return ends[0] or 0, ends[1] or 0
        self.problem(path, "must be a list of two whole numbers, the least and the largest.")
        return None

    def histogram(self, given: JsonValue, path: str) -> Histogram | None:
        entry = self.object(given, path, ("height", "bins"))
        bins = self.items(entry.get("bins", []), f"{path}.bins")
        try:
            read = tuple([_bin(b) for b in bins])
            return Histogram(_finite(entry["height"]), read)
        except (KeyError, TypeError, ValueError):
            self.problem(path, 'needs "height" and "bins", each bin with numbers "lo", "hi" and "ndv".')
            return None


def _bin(entry: object) -> tuple[float, float, int]:
    """A bin's least and greatest value and its distinct ones. Raises what Python does for other JSON."""
    if not isinstance(entry, dict):
        raise TypeError(entry)
    return _finite(entry["lo"]), _finite(entry["hi"]), int(_finite(entry["ndv"]))


def _finite(value: float | str) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def write_catalog(catalog: Catalog) -> str:
    """The catalogue as JSON text that `read_catalog` reads back."""
    document: dict[str, object] = {"format": FORMAT, "name": catalog.name}
    if catalog.description:
        document["description"] = catalog.description
    document["tables"] = {t.shown_name: table_entry(t) for t in catalog.tables.values()}
    if catalog.views:
        document["views"] = {v.name: v.sql for v in catalog.views.values()}
    functions = {f.name: _function_entry(f) for f in catalog.functions.values() if isinstance(f, PythonFunction)}
    if functions:
        document["functions"] = functions
    text = json.dumps(document, indent=1, ensure_ascii=False)
    # Half a character stands in no UTF-8 file; JSON writes it in digits.
    return text if text.isascii() or not _HALVES.search(text) else json.dumps(document, indent=1)


def _function_entry(function: PythonFunction) -> JsonObject:
    kind = "udf" if function.eval_type is None else function.eval_type.name
    entry = {"returns": function.returns.simple_string, "evalType": kind}
    return entry if function.deterministic else {**entry, "deterministic": False}


def table_entry(table: Table) -> JsonObject:
    """What a catalogue's document says of a table."""
    declared = table.declared_texts | {name: t.simple_string for name, t in table.inner_lengths}
    entry: dict[str, object] = {
        "columns": [_column_entry(c, c.name in table.guessed, declared.get(c.name)) for c in table.columns],
        "provider": table.provider,
        "partition_columns": list(table.partition_columns),
    }
    if table.buckets is not None:
        entry["buckets"] = {
            "columns": list(table.buckets.columns),
            "number": table.buckets.number,
            "sorted_by": list(table.buckets.sorted_by),
        }
    stats: dict[str, object] = {}
    if table.row_count is not None:
        stats["rowCount"] = table.row_count
    if table.size_in_bytes is not None:
        stats["sizeInBytes"] = table.size_in_bytes
    if table.analyzed_at is not None:
        stats["analyzedAt"] = table.analyzed_at
    if table.sampled_rows is not None:
        stats["sampledRows"] = table.sampled_rows
    if table.column_stats:
        stats["columns"] = {c: _column_stats_entry(s) for c, s in table.column_stats}
    if stats:
        entry["stats"] = stats
    return entry


def _column_entry(column: StructField, guessed: bool, declared: str | None) -> dict[str, object]:
    kind = declared or column.data_type.simple_string
    entry = {"name": column.name, "type": kind, "nullable": column.nullable}
    return {**entry, "guessed": True} if guessed else entry


def _column_stats_entry(s: ColumnStatistics) -> dict[str, int]:
    entry = {k: getattr(s, v) for k, v in _COLUMN_STATS.items() if k != "histogram" and getattr(s, v) is not None}
    if s.distinct_range is not None:
        entry["distinctRange"] = list(s.distinct_range)
    if s.histogram is not None:
        bins = [{"lo": lo, "hi": hi, "ndv": ndv} for lo, hi, ndv in s.histogram.bins]
        entry["histogram"] = {"height": s.histogram.height, "bins": bins}
    return entry
