"""Many users of one Spark at once, and one who is alone with it for as long as others could see what he does.

Settings, temporary views and functions, variables and the current database belong to a session. What `CACHE TABLE`
keeps and what a catalogue holds belong to the whole Spark: others' plans would change. SQL of a user that does such
things runs while nobody else is at work, and what it left behind is cleared away.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from planviz.frontend import parse_script
from planviz.types import quote

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Statements whose effect ends with the session, by their first words.
_PRIVATE = re.compile(
    r"\(*\s*(SELECT|WITH|FROM|VALUES|TABLE|SET|RESET|USE|DECLARE|SHOW|DESCRIBE|DESC|EXPLAIN|"
    r"(CREATE\s+(OR\s+REPLACE\s+)?|DROP\s+)TEMP(ORARY)?\s+(VIEW|FUNCTION|VARIABLE))\b",
    re.IGNORECASE,
)


def statements_of(setup: str) -> list[str]:
    """The statements of a text that is not checked."""
    return [statement.sql for statement in parse_script(setup, tolerant=True)]


def is_private(statements: list[str]) -> bool:
    """Whether nothing of these statements can be seen by another session."""
    return all(_PRIVATE.match(sql) for sql in statements)


class Sharing:
    """Lets any number of tasks in together, or one alone; who waits to be alone goes before those who come later."""

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._inside = 0
        self._alone = False
        self._waiting = 0

    @contextmanager
    def together(self) -> Iterator[None]:
        """With others, but with nobody who is alone."""
        with self._free:
            self._free.wait_for(lambda: not self._alone and not self._waiting)
            self._inside += 1
        try:
            yield
        finally:
            with self._free:
                self._inside -= 1
                self._free.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """With nobody else."""
        with self._free:
            self._waiting += 1
            try:
                self._free.wait_for(lambda: not self._alone and not self._inside)
            finally:
                self._waiting -= 1
            self._alone = True
        try:
            yield
        finally:
            with self._free:
                self._alone = False
                self._free.notify_all()


@contextmanager
def cleared_away(session: SparkSession) -> Iterator[None]:
    """Undo what a user's SQL leaves in the whole Spark: caches, global views and, in memory, tables and databases.

    A catalogue that is not in memory is the user's own, and what he makes there stays.
    """
    own = session.conf.get("spark.sql.catalogImplementation", "in-memory") == "in-memory"
    before = _tables(session) if own else {}
    try:
        yield
    finally:
        session.catalog.clearCache()
        for view in session.catalog.listTables("global_temp"):
            if view.namespace == ["global_temp"]:
                session.catalog.dropGlobalTempView(view.name)
        if own:
            _drop_new(session, before)


def _tables(session: SparkSession) -> dict[str, set[str]]:
    return {
        database.name: {t.name for t in session.catalog.listTables(database.name) if not t.isTemporary}
        for database in session.catalog.listDatabases()
    }


def _drop_new(session: SparkSession, before: dict[str, set[str]]) -> None:
    session.sql("USE default")
    for database in session.catalog.listDatabases():
        if database.name not in before:
            session.sql(f"DROP DATABASE {quote(database.name)} CASCADE")
            continue
        for table in session.catalog.listTables(database.name):
            if not table.isTemporary and table.name not in before[database.name]:
                kind = "VIEW" if table.tableType == "VIEW" else "TABLE"
                session.sql(f"DROP {kind} IF EXISTS {quote(database.name)}.{quote(table.name)}")
