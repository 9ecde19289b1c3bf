"""The engines that the acceptance table is run on: ours, and a real Spark in one shared session."""

from __future__ import annotations

import atexit
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest

from planviz.config import OptimizerConfig
from planviz.dataframe import Encoders, functions, session
from planviz.errors import PlanvizError
from planviz.physical.aggregates import BaseAggregateExec
from tests.acceptance.table import Answer, Case, stage
from tests.plans import TABLES, small_catalog

MORE_TABLES = "dec(d7 decimal(7,2), d8 decimal(8,2), d9 decimal(9,2), d11 decimal(11,2), d12 decimal(12,2))"
VIEWS = """
CREATE TEMPORARY VIEW ds1 AS SELECT * FROM VALUES ('Michael', 9), ('Andy', 7), ('Justin', 11) AS t(id, age);
CREATE TEMPORARY VIEW ds2 AS SELECT * FROM VALUES ('Michael', 29), ('Andy2', 30), ('Justin2', 11) AS t(no, age)
"""
#: What the tables hold where rows are compared.
ROWS = {
    "t1": "(1, 10, 'x'), (2, 20, 'y'), (2, 20, 'y'), (3, null, 'z'), (null, 5, null)",
    "t2": "(1, 10, 'x'), (2, 20, 'y'), (2, 20, 'y'), (3, null, 'z'), (null, 5, null), (1, 10, 'x'), (7, 70, 'q')",
}
BASE = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "4",
    "spark.sql.adaptive.enabled": "false",
}


def f(x):
    return x


def short(rule: str) -> str:
    """A rule's name without its package."""
    return re.split(r"[.$]", rule.rstrip("$"))[-1]


def typed_names(spark: Any, encoders: Any, typed: Any) -> dict[str, Any]:
    """The names of the typed cases; `typed(df, encoder)` makes a Dataset."""
    pair = encoders.tuple(encoders.LONG, encoders.STRING)
    return {
        "spark": spark, "E": encoders, "PAIR": pair, "f": f,
        "longs": typed(spark.range(5), encoders.LONG),
        "flags": typed(spark.range(5).selectExpr("id > 2 AS b"), encoders.BOOLEAN),
        "texts": typed(spark.sql("SELECT array('a', 'b') AS v"), encoders.array("string")),
        "numbers": typed(spark.sql("SELECT array(1, 2) AS v"), encoders.array("int")),
        "pairs": typed(spark.range(5).selectExpr("id AS _1", "cast(id AS string) AS _2"), pair),
    }  # fmt: skip


class Ours:
    """planviz."""

    @staticmethod
    def config(case: Case) -> OptimizerConfig:
        """The settings of a case, beside those that hold for all."""
        return OptimizerConfig().with_settings({**BASE, **case.settings})

    def run(self, case: Case) -> Answer:
        """The answer to one case, in a session of its own."""
        spark = session(small_catalog(), self.config(case))
        spark.sql(f"CREATE TABLE {MORE_TABLES}; {VIEWS}")
        try:
            if case.is_sql:
                df = spark.sql(case.code)
            else:
                df = eval(case.code, {"F": functions, **typed_names(spark, Encoders, lambda d, e: d.as_(e))})
            asked = ("parsed", "analyzed", "optimized", *(("physical",) if case.physical else ()))
            stages = {s: df.execution.text(s) for s in asked}
        except PlanvizError as e:
            return Answer({}, frozenset(), str(e))
        aggregates = aggregates_of(df.execution.physical) if case.physical else ()
        return Answer(stages, frozenset(short(a.rule) for a in df.execution.trace), aggregates=aggregates)


def aggregates_of(plan: Any) -> tuple[str, ...]:
    """The aggregates of one of our physical plans, top down, in the words of the table."""
    found = []
    for node in plan.walk():
        if isinstance(node, BaseAggregateExec):
            functions = [(f.function.pretty_name, f.mode) for f in node.functions]
            (distribution,), ordered = node.required_distribution, any(node.required_ordering)
            name = type(distribution).__name__.removesuffix("Distribution") or "Unspecified"
            found.append(stage(node.node_name, len(node.keys), name, ordered, functions))
    return tuple(found)


class Dataset:
    """A Dataset of the JVM with our names for its methods, over py4j."""

    def __init__(self, java: Any, same: Any, none: Any) -> None:
        self.java, self.same, self.none = java, same, none

    def _next(self, java: Any) -> Dataset:
        return Dataset(java, self.same, self.none)

    def map(self, function: Any, encoder: Any) -> Dataset:
        return self._next(self.java.map(self.same, encoder))

    def filter(self, function: Any) -> Dataset:
        return self._next(self.java.filter(self.same))

    def groupByKey(self, function: Any, encoder: Any) -> Dataset:  # noqa: N802
        return self._next(self.java.groupByKey(self.same, encoder))

    def count(self) -> Dataset:
        return self._next(self.java.count())

    def select(self, column: str) -> Dataset:
        return self._next(self.java.select(column, self.none))


class JavaEncoders:
    """The JVM's encoders under our names."""

    def __init__(self, jvm: Any, implicits: Any) -> None:
        made = jvm.org.apache.spark.sql.Encoders
        self.LONG, self.STRING, self.BOOLEAN, self.tuple = made.LONG(), made.STRING(), made.BOOLEAN(), made.tuple
        self.arrays = {"string": implicits.newStringArrayEncoder(), "int": implicits.newIntArrayEncoder()}

    def array(self, of: str) -> Any:
        return self.arrays[of]


class RealSpark:
    """A local Spark, one session for all cases."""

    def __init__(self, folder: str) -> None:
        from pyspark.sql import SparkSession

        options = {
            "spark.ui.enabled": "false",
            "spark.sql.warehouse.dir": f"{folder}/warehouse", "spark.sql.catalogImplementation": "in-memory",
            "spark.sql.maxPlanStringLength": "1000000", "spark.sql.debug.maxToStringFields": "1000",
            "spark.driver.memory": "900m", "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -Xss4m", **BASE,
        }  # fmt: skip
        builder = SparkSession.builder.master("local[1]").appName("planviz acceptance")
        for key, value in options.items():
            builder = builder.config(key, value)
        self.spark = builder.getOrCreate()
        self.spark.sparkContext.setLogLevel("OFF")
        for line in [*TABLES.strip().splitlines(), MORE_TABLES]:
            self.spark.sql(f"CREATE TABLE {line} USING parquet")
        for view in VIEWS.strip().split(";"):
            self.spark.sql(view)
        for table, rows in ROWS.items():
            self.spark.sql(f"INSERT INTO {table} VALUES {rows}")

    @property
    def names(self) -> dict[str, Any]:
        spark = self.spark
        jvm, none = spark._jvm, spark.sparkContext._gateway.new_array(spark._jvm.java.lang.String, 0)
        same = getattr(getattr(jvm.scala, "Predef$"), "MODULE$").__getattr__("$conforms")()
        encoders = JavaEncoders(jvm, spark._jsparkSession.implicits())
        return typed_names(spark, encoders, lambda d, e: Dataset(d._jdf.__getattr__("as")(e), same, none))

    def run(self, case: Case) -> Answer:
        """The answer to one case; settings are put back."""
        try:
            with self.settings(case.settings):
                return self._answer(case)
        except Exception as e:
            return Answer({}, frozenset(), str(e))

    @contextmanager
    def settings(self, given: dict[str, str]) -> Iterator[None]:
        """Use settings within the block."""
        old = {k: self.spark.conf.get(k, None) for k in given}
        for k, v in given.items():
            self.spark.conf.set(k, v)
        try:
            yield
        finally:
            for k, v in old.items():
                if v is None:
                    self.spark.conf.unset(k)
                else:
                    self.spark.conf.set(k, v)

    def _answer(self, case: Case) -> Answer:
        df = self.spark.sql(case.code) if case.is_sql else eval(case.code, self.names)
        execution = (df.java if isinstance(df, Dataset) else df._jdf).queryExecution()
        stages = {
            "parsed": execution.logical().toString(),
            "analyzed": execution.analyzed().toString(),
            "optimized": execution.optimizedPlan().toString(),
        }
        aggregates: tuple[str, ...] = ()
        if case.physical:
            stages["physical"] = execution.executedPlan().toString()
            aggregates = tuple(self._aggregates(execution.executedPlan()))
        return Answer(stages, self._fired(execution), aggregates=aggregates)

    def rows(self, sql: str) -> list[str]:
        """The rows that a query gives, in no order."""
        return sorted(str(tuple(r)) for r in self.spark.sql(sql).collect())

    def _aggregates(self, plan: Any) -> Iterator[str]:
        """The aggregates of an executed plan, top down, in the words of the table."""
        listed = self.spark._jvm.scala.jdk.javaapi.CollectionConverters.asJava
        name = plan.getClass().getSimpleName()
        if name.endswith("AggregateExec"):
            functions = [
                (f.aggregateFunction().prettyName(), f.mode().toString()) for f in listed(plan.aggregateExpressions())
            ]
            asked = plan.requiredChildDistribution().head().toString()
            kind = re.match(r"\w+", asked)[0].removesuffix("Distribution")
            keys, ordered = len(listed(plan.groupingExpressions())), plan.requiredChildOrdering().head().nonEmpty()
            yield stage(name, keys, kind, ordered, functions)
        for child in listed(plan.children()):
            yield from self._aggregates(child)

    @staticmethod
    def _fired(execution: Any) -> frozenset[str]:
        rules = execution.tracker().topRulesByTime(1000)
        pairs = [rules.apply(i) for i in range(rules.length())]
        return frozenset(short(p._1()) for p in pairs if p._2().numEffectiveInvocations() > 0)

    def stop(self) -> None:
        self.spark.stop()


@cache
def real_spark() -> RealSpark:
    """The real Spark of the whole test run: a JVM keeps its warehouse, so there is one session, ended with Python."""
    engine = RealSpark(tempfile.mkdtemp(prefix="planviz-spark-"))
    atexit.register(engine.stop)
    return engine


@cache
def java_is_there() -> bool:
    """Whether a JVM can be started."""
    return shutil.which("java") is not None


def skip_without_java() -> None:
    """Skip the test on a machine without Java."""
    if not java_is_there():
        pytest.skip("no Java here, so no real Spark to ask")
