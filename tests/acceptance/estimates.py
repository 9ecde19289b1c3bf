"""Tables with statistics for the estimates of group E, in planviz and in a real Spark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from planviz.catalog import Catalog, ColumnStatistics, Table
from planviz.catalog.ddl import table_of
from planviz.config import OptimizerConfig
from planviz.decisions.estimates import Step
from planviz.estimation import explain_estimates
from planviz.execution import explain
from planviz.types import parse_fields
from tests.acceptance.table import Case, plain

BASE = {"spark.sql.session.timeZone": "UTC", "spark.sql.cbo.enabled": "true"}
#: name: rows, columns, and per column distinct values, least, greatest, nulls (and bytes where they are not 4).
TABLES: dict[str, tuple[int, str, dict[str, tuple[Any, ...]]]] = {
    "f": (10_000, "a int, b int, c int, n int, s string, d date, ts timestamp, bo boolean, u int", {
        "a": (1000, 1, 1001, 0), "b": (500, 501, 1501, 0), "c": (100, 2000, 3000, 0), "n": (10, 1, 10, 2000),
        "s": (20, None, None, 0, 10), "d": (366, "2020-01-01", "2020-12-31", 0),
        "ts": (1000, "2020-01-01 00:00:00.000000", "2020-12-31 00:00:00.000000", 0, 8),
        "bo": (2, "false", "true", 0, 1), "u": (10_000, 1, 10_000, 0)}),
    "eq": (1000, "x int, y int, z int", {"x": (100, 1, 100, 0), "y": (100, 1, 100, 0), "z": (100, 1, 100, 10)}),
    "ja": (1000, "k1 int, k2 int, x int", {"k1": (100, 1, 100, 0), "k2": (10, 1, 10, 0), "x": (1000, 1, 1000, 0)}),
    "jb": (500, "k1 int, k2 int, y int", {"k1": (50, 1, 50, 0), "k2": (5, 1, 5, 0), "y": (500, 1, 500, 0)}),
    "jc": (200, "k1 int, z int", {"k1": (20, 1000, 2000, 0), "z": (200, 1, 200, 0)}),
}  # fmt: skip


def counted_catalog() -> Catalog:
    """The tables with their statistics."""
    catalog = Catalog()
    for name, (rows, columns, stats) in TABLES.items():
        fields = parse_fields(columns)
        known = tuple([(c, _statistics(*s)) for c, s in stats.items()])
        size = rows * (8 + 4 * len(fields))
        table = replace(table_of((name,), fields), row_count=rows, size_in_bytes=size, column_stats=known)
        catalog = catalog.with_table(table)
    return catalog


def _statistics(distinct: int, low: Any, high: Any, nulls: int, length: int = 4) -> ColumnStatistics:
    return ColumnStatistics(distinct, low, high, nulls, length, length)


@dataclass(frozen=True)
class Estimated:
    """What an engine thinks of a query's result; `columns` are (distinct, least, greatest, nulls) as text by name.

    `told` are the steps of all operators, of planviz alone.
    """

    rows: int | None
    size: int
    columns: dict[str, tuple[str, ...]]
    told: tuple[Step, ...] = ()


def check(case: Case, found: Estimated) -> None:
    """Assert that the estimate is what the case says."""
    expect = case.expect
    for rows in expect.get("rows", []):
        assert found.rows == (None if rows == "unknown" else int(rows))
    for size in expect.get("size", []):
        assert found.size == int(size)
    for text in expect.get("column", []):
        name, *numbers = text.split()
        assert found.columns.get(name) == tuple(numbers)
    if "columns" in expect:
        assert found.columns == {}
    if found.told:
        told = {_told(step) for step in _every(found.told)}
        assert set(expect.get("told", [])) <= told


def _every(steps: tuple[Step, ...]) -> list[Step]:
    return [s for step in steps for s in (step, *_every(step.parts))]


def _told(step: Step) -> str:
    return plain(f"{step.about} {step.value} {' '.join(f'{name}={value}' for name, value in step.inputs)}")


def ours(case: Case, catalog: Catalog) -> Estimated:
    """The estimate of planviz."""
    config = OptimizerConfig().with_settings({**BASE, **case.settings})
    plan = explain(case.code, catalog, config).optimized
    records = list(explain_estimates(plan, config))
    top = records[0]
    columns = {
        re.sub(r"#.*", "", c.name): tuple(
            "-" if v is None else str(v) for v in (c.after.distinct_count, c.after.min, c.after.max, c.after.null_count)
        )
        for c in top.columns
        if c.after is not None
    }
    return Estimated(top.rows, top.size, columns, tuple([s for r in records for s in r.steps]))


class CountedSpark:
    """A real Spark with the tables of a catalogue, statistics and all; nothing is in them."""

    def __init__(self, spark: Any, catalog: Catalog) -> None:
        self.spark, self.jvm = spark, spark._jvm
        self.as_java = self.jvm.scala.jdk.javaapi.CollectionConverters.asJava
        for table in catalog.tables.values():
            columns = ", ".join(f"{c.name} {c.data_type.simple_string}" for c in table.columns)
            spark.sql(f"CREATE TABLE IF NOT EXISTS {table.name} ({columns}) USING parquet")
            self.tell(table)

    def tell(self, table: Table) -> None:
        """Write a table's statistics into Spark's catalogue."""
        columns = self.jvm.java.util.HashMap()
        for name, stats in table.column_stats:
            columns.put(name, self._column(stats))
        # Constructed by reflection: a BigInt of Scala becomes an int of Python on every other way.
        values = self.jvm.java.util.ArrayList()
        values.addAll(self.as_java(self._count(table.size_in_bytes or 0).toList()))
        values.add(self._count(table.row_count))
        values.add(self._map(columns))
        kind = self.jvm.java.lang.Class.forName("org.apache.spark.sql.catalyst.catalog.CatalogStatistics")
        made = kind.getConstructors()[0].newInstance(values.toArray())
        identifier = self.jvm.org.apache.spark.sql.catalyst.TableIdentifier(table.name)
        self.spark._jsparkSession.sessionState().catalog().alterTableStats(identifier, self.jvm.scala.Some(made))
        self.spark.catalog.refreshTable(table.name)

    def _map(self, java: Any) -> Any:
        return self.jvm.org.apache.spark.api.python.PythonUtils.toScalaMap(java)

    def _count(self, number: int | None) -> Any:
        """An Option[BigInt]."""
        return self._column(ColumnStatistics(number)).distinctCount()

    def _column(self, stats: ColumnStatistics) -> Any:
        """A CatalogColumnStat, read from what Spark writes into a table's properties."""
        values = {
            "version": 2, "distinctCount": stats.distinct_count, "min": stats.min, "max": stats.max,
            "nullCount": stats.null_count, "avgLen": stats.avg_len, "maxLen": stats.max_len,
        }  # fmt: skip
        written = self.jvm.java.util.HashMap()
        for key, value in values.items():
            if value is not None:
                written.put(f"c.{key}", str(value))
        catalog = self.jvm.org.apache.spark.sql.catalyst.catalog
        return catalog.CatalogColumnStat.fromMap("t", "c", self._map(written)).get()

    def estimated(self, case: Case) -> Estimated:
        """Spark's estimate; settings are put back."""
        with self._set({**BASE, **case.settings}):
            plan = self.spark.sql(case.code)._jdf.queryExecution().optimizedPlan()
            stats = plan.stats()
            columns = {e._1().name(): self._read(e._2()) for e in self.as_java(stats.attributeStats().toSeq())}
            return Estimated(_number(stats.rowCount()), int(str(stats.sizeInBytes())), columns)

    def joins(self, sql: str, settings: dict[str, Any], table: Table) -> list[str]:
        """The operator of the only join of a query, and its build side if it has one, with the table as it is given."""
        self.tell(table)
        with self._set({**BASE, **{k: str(v).lower() for k, v in settings.items()}}):
            plan = self.spark.sql(sql)._jdf.queryExecution().sparkPlan().toString()
        return re.findall(r"\b(?:\w+Join|Build(?:Left|Right))\b", plan)

    @contextmanager
    def _set(self, settings: dict[str, str]) -> Iterator[None]:
        old = {k: self.spark.conf.get(k, None) for k in settings}
        for k, v in settings.items():
            self.spark.conf.set(k, v)
        try:
            yield
        finally:
            for k, was in old.items():
                if was is None:
                    self.spark.conf.unset(k)
                else:
                    self.spark.conf.set(k, was)

    @staticmethod
    def _read(stat: Any) -> tuple[str, ...]:
        values = (stat.distinctCount(), stat.min(), stat.max(), stat.nullCount())
        return tuple("-" if v.isEmpty() else str(v.get()) for v in values)


def _number(option: Any) -> int | None:
    return None if option.isEmpty() else int(str(option.get()))
