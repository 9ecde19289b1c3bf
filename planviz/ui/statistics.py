"""Statistics of the tables that a query reads: what can be edited, and a catalogue with edits (inventory E-007)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from planviz.catalog.check import contradictions
from planviz.catalog.tables import Catalog, ColumnStatistics, Table
from planviz.errors import InputError
from planviz.execution import QueryExecution
from planviz.logical.combining import Join
from planviz.logical.operators import Aggregate, Filter
from planviz.logical.relations import LogicalRelation

#: Editable fields of a table and of a column: the name in catalogue files and the field that holds it.
TABLE_FIELDS = {"rowCount": "row_count", "sizeInBytes": "size_in_bytes"}
COLUMN_FIELDS = {"distinctCount": "distinct_count", "nullCount": "null_count", "min": "min", "max": "max"}
_COUNTS = {"rowCount", "sizeInBytes", "distinctCount", "nullCount"}
#: Beyond this no count of rows or bytes means anything.
_MOST = 10**30

#: What stands in for a number: `{table: {field: value, "columns": {column: {field: value}}}}`.
Edits = Mapping[str, Mapping[str, Any]]


def used_tables(execution: QueryExecution) -> list[dict[str, Any]]:
    """The tables that the query reads with their statistics, in the order of the text.

    Each has `name`, `rowCount`, `sizeInBytes`, `guessed` and `columns`, those that conditions, joins and groups look
    at: `name`, `type`, `used` (words) and the fields of `COLUMN_FIELDS`.
    """
    uses = _uses(execution.optimized)
    found: dict[str, dict[str, Any]] = {}
    for relation in _everywhere(execution.optimized):
        if not isinstance(relation, LogicalRelation) or relation.table is None:
            continue
        told = found.setdefault(relation.table.shown_name, _table(relation.table))
        for a in relation.output:
            if a.expr_id in uses:
                told["used"].setdefault(a.name, set()).update(uses[a.expr_id])
    for told in found.values():
        table = told.pop("table")
        told["columns"] = [_column(table, name, used) for name, used in told.pop("used").items()]
    return list(found.values())


def _table(table: Table) -> dict[str, Any]:
    told = {name: getattr(table, field) for name, field in TABLE_FIELDS.items()}
    return {"name": table.shown_name, "guessed": bool(table.guessed), "table": table, "used": {}} | told


def _column(table: Table, name: str, used: set[str]) -> dict[str, Any]:
    stats = table.statistics_of(name) or ColumnStatistics()
    told = {key: _plain(getattr(stats, field)) for key, field in COLUMN_FIELDS.items()}
    kind = table.type_of(name)
    return {"name": name, "type": kind.simple_string if kind else "", "used": sorted(used)} | told


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _everywhere(plan: Any) -> list[Any]:
    """All operators, those of subqueries included."""
    found = []
    for node in plan.walk():
        found.append(node)
        for inner in node.inner_children:
            found += _everywhere(inner)
    return found


def _uses(plan: Any) -> dict[int, set[str]]:
    """Which columns estimates look at, by id: where they stand."""
    uses: dict[int, set[str]] = {}
    for node in _everywhere(plan):
        match node:
            case Join():
                word, read = "join", node.references
            case Filter():
                word, read = "filter", node.references
            case Aggregate():
                word, read = "group", frozenset[int]().union(*[e.references for e in node.grouping])
            case _:
                continue
        for expr_id in read:
            uses.setdefault(expr_id, set()).add(word)
    return uses


def edited(catalog: Catalog, edits: Edits) -> Catalog:
    """The catalogue with other statistics. None takes a statistic away.

    Raises InputError for a table, a column or a field that is not there, and for a count that is none.
    """
    for name, fields in edits.items():
        table = catalog.table(tuple(name.split(".")))
        if table is None:
            raise InputError(f"There is no table {name} in the catalogue.")
        catalog = catalog.with_table(_edited(table, fields))
    return catalog


def problems(catalog: Catalog, edits: Edits) -> list[str]:
    """What cannot be true in the edited tables, such as more nulls than rows."""
    tables = [catalog.table(tuple(name.split("."))) for name in edits]
    found = contradictions(Catalog(tables={t.shown_name: t for t in tables if t is not None}))
    return [str(problem).removeprefix("tables.") for problem in found]


def _edited(table: Table, fields: Mapping[str, Any]) -> Table:
    changes = {}
    for key, value in fields.items():
        if key == "columns":
            continue
        if key not in TABLE_FIELDS:
            raise InputError(f"{table.shown_name}: a table has no statistic {key}; it has {', '.join(TABLE_FIELDS)}.")
        changes[TABLE_FIELDS[key]] = _value(f"{table.shown_name}.{key}", key, value)
    by_column = dict(table.column_stats)
    for column, given in (fields.get("columns") or {}).items():
        name = next((c.name for c in table.columns if c.name.lower() == column.lower()), None)
        if name is None:
            raise InputError(f"{table.shown_name} has no column {column}.")
        known = next((key for key in by_column if key.lower() == name.lower()), name)
        by_column[known] = _edited_column(f"{table.shown_name}.{name}", by_column.get(known), given)
    return replace(table, **changes, column_stats=tuple(by_column.items()))


def _edited_column(where: str, stats: ColumnStatistics | None, given: Mapping[str, Any]) -> ColumnStatistics:
    changes: dict[str, Any] = {}
    for key, value in given.items():
        if key not in COLUMN_FIELDS:
            raise InputError(f"{where}: a column has no statistic {key}; it has {', '.join(COLUMN_FIELDS)}.")
        changes[COLUMN_FIELDS[key]] = _value(f"{where}.{key}", key, value)
    # Bins that were counted say nothing of other numbers.
    return replace(stats or ColumnStatistics(), **changes, histogram=None)


def _value(where: str, key: str, value: Any) -> Any:
    if value is None or key not in _COUNTS:
        if isinstance(value, dict | list) or (isinstance(value, float) and not math.isfinite(value)):
            raise InputError(f"{where} must be one value.")
        return value
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    if not isinstance(whole, int) or isinstance(whole, bool) or not 0 <= whole <= _MOST:
        raise InputError(f"{where} must be a whole number of at least 0, not {str(value)[:40]}.")
    return whole
