"""Plans before Spark 3.2 and 3.3, as real 3.1.3 prints them: shuffles of joins, adaptive plans, sizes."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from planviz.catalog.statistics import ColumnStatistics
from planviz.config import OptimizerConfig
from planviz.estimation import Estimator
from planviz.execution import Session
from planviz.logical.combining import Union
from planviz.logical.relations import LogicalRelation

TABLES = """CREATE TABLE f (a bigint, b bigint, v int) USING parquet;
CREATE TABLE g (c bigint, w string) USING parquet;
CREATE TABLE wide (c bigint, w string) USING parquet CLUSTERED BY (c) INTO 300 BUCKETS;
CREATE TABLE few (c bigint, w string) USING parquet CLUSTERED BY (c) INTO 4 BUCKETS;
CREATE TABLE p (v bigint, k int) USING parquet PARTITIONED BY (k);
CREATE TABLE d (k int, h boolean) USING parquet"""
UNSHARED = {"spark.sql.autoBroadcastJoinThreshold": -1, "spark.sql.adaptive.enabled": False}


def planned(profile: str, sql: str, **settings: bool | int):
    session = Session(config=OptimizerConfig.of(profile, **settings))
    list(session.run(TABLES))
    known = (("k", ColumnStatistics(10, "0", "9", 0, 4, 4)),)
    for name in ("p", "d"):
        table = session.catalog.table((name,))
        counted = replace(table, row_count=1000, size_in_bytes=10_000, column_stats=known)
        session.catalog = session.catalog.with_table(counted)
    (done,) = session.run(sql)
    return done.execution


def shuffled(profile: str, sql: str) -> list[str]:
    text = planned(profile, sql, **UNSHARED).text("physical")
    return [re.sub(r"#\d+L?", "", keys) for keys in re.findall(r"Exchange hashpartitioning\((.*?)\)", text)]


@pytest.mark.parametrize("profile", ["spark-3.0", "spark-3.1", "spark-3.2"])
def test_a_side_of_few_buckets_is_shuffled_with_the_other_one_before_3_3(profile):
    assert shuffled(profile, "SELECT w FROM f JOIN few ON a = c") == ["a, 200", "c, 200"]
    assert shuffled(profile, "SELECT w FROM f JOIN wide ON a = c") == ["a, 300"]


def test_since_3_3_a_side_of_few_buckets_is_followed():
    assert shuffled("spark-3.3", "SELECT w FROM f JOIN wide ON a = c") == ["a, 300"]


def test_before_3_3_a_joined_side_is_shuffled_by_all_keys_of_the_next_join():
    sql = "SELECT f.v FROM f JOIN g ON f.a = g.c JOIN f h ON h.b = f.a AND h.b = g.c"
    assert shuffled("spark-3.2", sql) == ["a, c, 200", "a, 200", "c, 200", "b, b, 200"]
    assert shuffled("spark-3.3", sql)[0] == "a, a, 200"


@pytest.mark.parametrize(("profile", "adaptive"), [("spark-3.1", False), ("spark-3.2", True)])
def test_a_query_with_dynamic_pruning_is_not_adaptive_before_3_2(profile, adaptive):
    on = {"spark.sql.adaptive.enabled": True}
    text = planned(profile, "SELECT v FROM p JOIN d ON p.k = d.k WHERE d.k > 3 AND d.h", **on).text("physical")
    assert "dynamicpruning" in text
    assert text.startswith("AdaptiveSparkPlan") is adaptive
    # Neither is one with such a subquery; others are.
    outer = "SELECT c FROM g WHERE c IN (SELECT v FROM p JOIN d ON p.k = d.k WHERE d.h AND d.k > 3)"
    assert planned(profile, outer, **on).text("physical").startswith("AdaptiveSparkPlan") is adaptive
    assert planned(profile, "SELECT c FROM g GROUP BY c", **on).text("physical").startswith("AdaptiveSparkPlan")


@pytest.mark.parametrize(("profile", "known"), [("spark-3.1", False), ("spark-3.2", True)])
def test_chosen_partitions_and_unions_have_no_rows_before_3_2(profile, known):
    sql = "SELECT v, 'a' AS x FROM p WHERE k = 1 UNION ALL SELECT k, 'b' FROM d"
    execution = planned(profile, sql, **{"spark.sql.cbo.enabled": True})
    estimate = Estimator(execution.config).estimate
    chosen = next(r for r in execution.optimized.collect(LogicalRelation) if r.name[-1] == "p")
    (union,) = execution.optimized.collect(Union)
    assert (estimate(chosen).rows is not None) is known
    assert (estimate(union).rows is not None) is known
