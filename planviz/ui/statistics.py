"""Statistics of the tables that a query reads: what can be edited, and a catalogue with edits (inventory E-007)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from planviz.catalog.check import contradictions
from planviz.catalog.edit import scaled
from planviz.catalog.files import read_table, table_entry
from planviz.catalog.statistics import ColumnStatistics
from planviz.catalog.tables import Catalog, Table
from planviz.document.cardinality.estimates import plain_value
from planviz.errors import InputError
from planviz.execution import QueryExecution
from planviz.expressions.subqueries import QueryPlan
from planviz.jsontypes import JsonObject
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
Edits = Mapping[str, JsonObject]


def used_tables(execution: QueryExecution) -> list[JsonObject]:
    """The tables that the query reads with their statistics, in the order of the text.

    Each has `name`, `rowCount`, `sizeInBytes`, `guessed` and `columns`, those that conditions, joins and groups look
    at: `name`, `type`, `used` (words) and the fields of `COLUMN_FIELDS`.
    """
    uses = _uses(execution.optimized)
    found: dict[str, JsonObject] = {}
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


def _table(table: Table) -> JsonObject:
    told = {name: getattr(table, field) for name, field in TABLE_FIELDS.items()}
    if table.fitted:  # nobody gave it: its box is empty
        told["sizeInBytes"] = None
    return {"name": table.shown_name, "guessed": bool(table.guessed), "table": table, "used": {}} | told


def _column(table: Table, name: str, used: set[str]) -> dict[str, object]:
    stats = table.statistics_of(name) or ColumnStatistics()
    told = {key: plain_value(getattr(stats, field)) for key, field in COLUMN_FIELDS.items()}
    kind = table.type_of(name)
    return {"name": name, "type": kind.simple_string if kind else "", "used": sorted(used)} | told


def _everywhere(plan: QueryPlan) -> list[QueryPlan]:
    """All operators, those of subqueries included."""
    found = []
    for node in plan.walk():
        found.append(node)
        for inner in node.inner_children:
            found += _everywhere(inner)
    return found


def _uses(plan: QueryPlan) -> dict[int, set[str]]:
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


def _edited(table: Table, fields: JsonObject) -> Table:
    """The table with these numbers, checked as a catalogue file's are."""
    name, entry = table.shown_name, table_entry(table)
    stats = entry.setdefault("stats", {})
    # With another number they are no longer what was counted.
    stats.pop("analyzedAt", None)
    for key, value in fields.items():
        if key != "columns":
            stats[_known(key, TABLE_FIELDS, f"{name}: a table")] = _count(value, f"{name}.{key}")
    by_column = stats.setdefault("columns", {})
    for column, given in (fields.get("columns") or {}).items():
        if table.type_of(column) is None:
            raise InputError(f"{name} has no column {column}.")
        at = next((key for key in by_column if key.lower() == column.lower()), column)
        own = by_column.setdefault(at, {})
        # Bins that were counted say nothing of other numbers.
        own.pop("histogram", None)
        for key, value in given.items():
            _known(key, COLUMN_FIELDS, f"{name}.{column}: a column")
            own[key] = _count(value, f"{name}.{column}.{key}") if key in _COUNTS else value
    return read_table(name, entry)


def _known(key: str, fields: Mapping[str, str], what: str) -> str:
    if key not in fields:
        raise InputError(f"{what} has no statistic {key}; it has {', '.join(fields)}.")
    return key


def _count(value: object, where: str) -> int | None:
    """A count; JSON of a browser may write whole numbers as fractions."""
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    if whole is None or (isinstance(whole, int) and not isinstance(whole, bool) and 0 <= whole <= _MOST):
        return whole
    raise InputError(f"{where} must be a whole number of at least 0, not {str(value)[:40]}.")


def scaled_edits(execution: QueryExecution, edits: Edits, names: Sequence[str], factor: float) -> dict[str, object]:
    """The edits after which these tables have `factor` times the data (`planviz.catalog.scaled`).

    Of columns only those count that estimates look at. Raises InputError for an unknown table and for no factor.
    """
    if not isinstance(factor, int | float) or not 0 < factor < float("inf"):
        raise InputError(f"A factor must be more than 0, not {str(factor)[:40]}.")
    grown = scaled(edited(execution.catalog, edits), Fraction(str(factor)), names)
    found: JsonObject = {name: dict(own) for name, own in edits.items() if name not in names}
    for told in used_tables(execution):
        table = grown.table(tuple(told["name"].split(".")))
        if told["name"] not in names or table is None:
            continue
        now = _table(table)
        own: JsonObject = {key: now[key] for key in TABLE_FIELDS if now[key] != told[key]}
        columns = {}
        for before in told["columns"]:
            after = _column(table, before["name"], set())
            if changed := {key: after[key] for key in COLUMN_FIELDS if after[key] != before[key]}:
                columns[before["name"]] = changed
        found[told["name"]] = own | ({"columns": columns} if columns else {})
    return {name: own for name, own in found.items() if own}
