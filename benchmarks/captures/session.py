"""A local Spark that holds the catalogues' tables with rows and captures queries over them."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any
from unittest.mock import patch

from benchmarks.captures.measure import Operators
from benchmarks.captures.queries import Query
from benchmarks.captures.rows import Rows
from benchmarks.captures.words import WORDS
from planviz.catalog import read_bundled
from planviz.spark import capturing
from planviz.spark.jvm import items, module
from planviz.spark.measured import Measured
from planviz.spark.session import WHOLE_TEXTS, start


class Captures:
    """Captures queries of any bundled catalogue; a table is written when the first query that names it comes."""

    def __init__(self, rows: int, conf: dict[str, str] | None = None, session: Any = None) -> None:
        """A session of the caller's is used when there is one, else one is started and stopped again."""
        self._rows = rows
        cost = dict.fromkeys(("spark.sql.cbo.enabled", "spark.sql.cbo.planStats.enabled"), "true")
        usual = {"spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "4"}
        self._conf = {**WHOLE_TEXTS, **cost, **usual, **(conf or {})}
        self._given = session
        self._tables: set[tuple[str, str]] = set()

    def __enter__(self) -> Captures:
        self._folder = tempfile.TemporaryDirectory()
        settings = {"master": "local[2]", "memory": "1500m", "conf": {}, "folder": Path(self._folder.name)}
        self._session = self._given or start(settings).session
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._given is None:
            self._session.stop()
        self._folder.cleanup()

    def capture(self, query: Query) -> tuple[dict[str, Any], Operators]:
        """A query captured and executed, and its operators with metrics by Spark's own walk over the executed plan."""
        session = self._session.newSession()
        for key, value in {**self._conf, **dict(query.settings)}.items():
            session.conf.set(key, value)
        session.udf.register("price_band", lambda price: "high" if price > 120 else "low", "string")
        session.udf.register("loud", lambda text: text.endswith("7"), "boolean")
        session.sql(f"USE {self._database(session, query)}")
        before = {table.name for table in session.catalog.listTables()}
        try:
            for statement in query.setup:
                session.sql(statement)
            with _walked() as found:
                return capturing.capture_frame(session.sql(query.sql), sql=query.sql, run=True), found
        finally:
            session.catalog.clearCache()
            for table in session.catalog.listTables():
                if query.setup and table.name not in before and not table.isTemporary:
                    session.sql(f"DROP TABLE {table.name}")

    def _database(self, session: Any, query: Query) -> str:
        """The database of a query's tables; an empty one when it makes its own."""
        made = any(statement.lstrip().upper().startswith("CREATE TABLE") for statement in query.setup)
        name = f"planviz_{'made' if made else query.catalogue}"
        session.sql(f"CREATE DATABASE IF NOT EXISTS {name}")
        if not made:
            self._write(session, query, name)
        return name

    def _write(self, session: Any, query: Query, database: str) -> None:
        """Make the tables that the query's text names and no query before it did."""
        words = set(re.findall(r"\w+", " ".join((*query.setup, query.sql)).lower()))
        rows = Rows(read_bundled(query.catalogue), self._rows, WORDS)
        for table in rows.tables:
            if table.name.lower() in words and (database, table.name) not in self._tables:
                self._tables.add((database, table.name))
                rows.write(session, database, table)


@contextmanager
def _walked() -> Iterator[Operators]:
    """Captures within also tell what Spark's own walk (SparkPlanInfo, of the event log) finds in the plan that ran."""
    found: Operators = Counter()

    class Walked(Measured):
        def tree(self, plan: Any) -> dict[str, Any]:
            if not found:
                found.update(_walk(self._jvm, plan))
            return super().tree(plan)

    with patch.object(capturing, "Measured", Walked):
        yield found


def _walk(jvm: Any, plan: Any) -> Iterator[tuple[str, int]]:
    """The operators with metrics, by name and number of metrics."""
    stack = [module(jvm.org.apache.spark.sql.execution, "SparkPlanInfo").fromSparkPlan(plan)]
    while stack:
        info = stack.pop()
        name, below = str(info.nodeName()), items(jvm, info.children())
        again = below and name.startswith("Reused")
        if count := int((below[0] if again else info).metrics().size()):
            yield name, count
        stack += [] if again else below
