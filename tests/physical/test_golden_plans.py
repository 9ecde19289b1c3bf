"""Whole plans of small statements, as real Spark 4.3 printed them: golden/adaptive_off.txt and golden/adaptive_on.txt.

Every statement stands behind `-- `, its plan below, up to an empty line. Ids are numbered by their first appearance,
the places of files are left out.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig
from planviz.execution import Session

GOLDEN = Path(__file__).parent / "golden"
DDL = """
CREATE TABLE t (a INT, b STRING, c DOUBLE, d DECIMAL(10, 2)) USING parquet;
CREATE TABLE u (a INT, e STRING, f ARRAY<INT>, g MAP<STRING, INT>, h STRUCT<x: INT, y: STRING>) USING parquet;
CREATE TABLE j (a INT, b STRING) USING json;
CREATE TABLE cs (a INT, b STRING) USING csv;
CREATE TABLE o (a INT, b STRING) USING orc;
CREATE TABLE tx (value STRING) USING text;
CREATE TABLE p (v INT, w STRING, k INT, l STRING) USING parquet PARTITIONED BY (k, l);
CREATE TABLE pd (k INT, n STRING) USING parquet;
CREATE TABLE b8 (a INT, b STRING, c INT) USING parquet CLUSTERED BY (a) INTO 8 BUCKETS;
CREATE TABLE b4 (a INT, b STRING, c INT) USING parquet CLUSTERED BY (a) SORTED BY (a) INTO 4 BUCKETS;
CREATE TABLE bb (a INT, b STRING, c INT) USING parquet CLUSTERED BY (a, b) INTO 8 BUCKETS;
CREATE TABLE b8s (a INT, b STRING) USING parquet CLUSTERED BY (a) SORTED BY (a) INTO 8 BUCKETS;
CREATE TABLE pb (a INT, b STRING, k INT) USING parquet PARTITIONED BY (k) CLUSTERED BY (a) INTO 4 BUCKETS;
"""


def canonical(text: str) -> str:
    """A plan with its ids numbered by first appearance and without the places of files."""
    seen: dict[str, int] = {}
    text = re.sub(r"(Location: \w+\(\d+ paths\))\[[^\]]*\]", r"\1", text.rstrip()).replace("[id=#", "[plan_id=")
    text = re.sub(r"plan_id=(\d+)", lambda m: f"plan_id=P{seen.setdefault('P' + m[1], len(seen) + 1)}", text)
    return re.sub(r"#(\d+)", lambda m: f"#{seen.setdefault(m[1], len(seen) + 1)}", text)


def golden(name: str) -> list[tuple[str, str]]:
    """Every statement with its plan."""
    blocks = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8").split("\n\n")
    pairs = [b.strip("\n").partition("\n") for b in blocks if b.strip()]
    return [(statement.removeprefix("-- "), plan) for statement, _, plan in pairs]


@pytest.fixture(scope="module")
def empty_tables() -> Catalog:
    """Tables without rows, as a session has them right after CREATE TABLE."""
    session = Session(Catalog())
    assert all(outcome.error is None for outcome in session.run(DDL))
    return Catalog("empty", {k: replace(t, size_in_bytes=0) for k, t in session.catalog.tables.items()})


def shown(sql: str, catalog: Catalog, adaptive: bool) -> str:
    settings = {"spark.sql.adaptive.enabled": adaptive, "spark.sql.shuffle.partitions": 4}
    config = OptimizerConfig().with_settings({**settings, "spark.sql.session.timeZone": "UTC"})
    (outcome,) = Session(catalog, config).run(sql, "physical")
    assert outcome.error is None
    assert outcome.execution is not None
    return canonical(outcome.execution.text("physical"))


@pytest.mark.parametrize(("sql", "expected"), golden("adaptive_off"))
def test_the_plan_is_spark_s(sql, expected, empty_tables):
    assert shown(sql, empty_tables, adaptive=False) == expected


@pytest.mark.parametrize(("sql", "expected"), golden("adaptive_on"))
def test_the_adaptive_plan_is_spark_s(sql, expected, empty_tables):
    assert shown(sql, empty_tables, adaptive=True) == expected


def test_few_buckets_are_better_than_one_more_shuffle(empty_tables):
    settings = {"spark.sql.adaptive.enabled": False, "spark.sql.autoBroadcastJoinThreshold": -1}
    config = OptimizerConfig().with_settings(settings)
    (outcome,) = Session(empty_tables, config).run("SELECT t.a FROM t JOIN b4 ON t.a = b4.a", "physical")
    assert outcome.execution is not None
    exchanges = [line for line in outcome.execution.text("physical").split("\n") if "Exchange" in line]
    # Spark 4.3 shuffles the one side into as many partitions as the other has buckets, not into 200 each.
    assert len(exchanges) == 1
    assert re.search(r"hashpartitioning\(a#\d+, 4\)", exchanges[0])
