"""What `spark.catalog` tells of databases, tables, views and columns, as far as the program's session knows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from planviz.programs.spark import named_row
from planviz.programs.values import Native, Unknown, Value

if TYPE_CHECKING:
    from planviz.programs.session import ProgramSession

_TABLE = ("name", "catalog", "namespace", "description", "tableType", "isTemporary")
_COLUMN = ("name", "description", "dataType", "nullable", "isPartition", "isBucket", "isCluster")
_DATABASE = ("name", "catalog", "description", "locationUri")
_CATALOG = "spark_catalog"


def catalog_method(session: ProgramSession, name: str) -> Native | None:
    """A method of `spark.catalog`; None for one that tells nothing. Where tables are guessed, nobody knows all."""
    method = _METHODS.get(name)
    if method is None:
        return None

    def told(*given: Value, **named: Value) -> Value:
        values = [*given, *named.values()]
        if any(isinstance(v, Unknown) for v in values):
            return Unknown(f"{name}(...)")
        return method(session, [str(v) for v in values if v is not None])

    return Native(name, told, True)


def _current(session: ProgramSession, given: list[str]) -> Value:
    return session.catalog.current


def _databases(session: ProgramSession) -> list[str]:
    tables = [t.database for t in session.catalog.tables.values()]
    return sorted({session.catalog.current, "default", *tables})


def _exists(session: ProgramSession, given: list[str]) -> Value:
    name = given[0].rpartition(".")[2]
    found = name.lower() in (d.lower() for d in _databases(session))
    return Unknown(f"databaseExists({name})") if not found and session.guesses.tables else found


def _list_databases(session: ProgramSession, given: list[str]) -> Value:
    if session.guesses.tables:
        return Unknown("listDatabases()")
    return [named_row(_DATABASE, (d, _CATALOG, "", Unknown("locationUri"))) for d in _databases(session)]


def _list_tables(session: ProgramSession, given: list[str]) -> Value:
    if session.guesses.tables:
        return Unknown("listTables()")
    database = (given[0] if given else session.catalog.current).rpartition(".")[2].lower()
    tables = [t for t in session.catalog.tables.values() if t.database.lower() == database]
    lasting = sorted(t.name for t in tables)
    views = sorted(v.name for v in session.catalog.views.values() if v.temporary)
    return [
        *(named_row(_TABLE, (n, _CATALOG, [database], None, "MANAGED", False)) for n in lasting),
        *(named_row(_TABLE, (n, None, [], None, "TEMPORARY", True)) for n in views),
    ]


def _list_columns(session: ProgramSession, given: list[str]) -> Value:
    frame = session.table(".".join([*given[1:], given[0]]))
    if session.may_grow(frame):
        return Unknown("listColumns()")
    return [
        named_row(_COLUMN, (a.name, None, a.type.simple_string, a.nullable, False, False, False)) for a in frame.output
    ]


_METHODS: dict[str, Callable[[ProgramSession, list[str]], Value]] = {
    "currentDatabase": _current, "currentCatalog": lambda session, given: _CATALOG, "databaseExists": _exists,
    "listDatabases": _list_databases, "listTables": _list_tables, "listColumns": _list_columns,
}  # fmt: skip
