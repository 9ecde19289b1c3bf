"""What the profile spark-3.0 plans and prints otherwise than 4.3."""

from __future__ import annotations

import re

import pytest

from planviz.catalog import Catalog
from planviz.catalog.ddl import table_of
from planviz.config import OptimizerConfig
from planviz.execution import explain
from planviz.types import parse_fields

CATALOG = Catalog()
for name in ("t", "u"):
    CATALOG = CATALOG.with_table(table_of((name,), parse_fields("a int, b int, d decimal(17,2)")))


def planned(sql: str, profile: str = "spark-3.0", **settings) -> str:
    config = OptimizerConfig.of(profile, **settings)
    text = explain(sql, CATALOG, config).text("physical")
    return re.sub(r"#\d+", "#", text)


def test_an_exchange_has_a_flag_and_a_number():
    text = planned("SELECT a FROM t DISTRIBUTE BY a")
    assert "Exchange hashpartitioning(a#, 200), true, [id=#]" in text
    assert "Exchange RoundRobinPartitioning(3), false, [id=#]" in planned("SELECT /*+ REPARTITION(3) */ a FROM t")


def test_a_broadcast_says_nothing_of_nulls():
    text = planned("SELECT /*+ BROADCAST(u) */ * FROM t JOIN u ON t.a = u.a")

    assert "BroadcastExchange HashedRelationBroadcastMode(List(cast(input[0, int, true] as bigint))), [id=#]" in text
    assert "BroadcastHashJoin [a#], [a#], Inner, BuildRight\n" in text


def test_adaptive_execution_is_off_unless_it_is_asked_for():
    sql = "SELECT a, count(*) FROM t GROUP BY a"

    assert "AdaptiveSparkPlan" not in planned(sql)
    assert planned(sql, **{"spark.sql.adaptive.enabled": True}).startswith("AdaptiveSparkPlan isFinalPlan=false")


def test_a_scan_names_database_and_table():
    assert "FileScan parquet default.t[a#] Batched: true" in planned("SELECT a FROM t")
    assert "InMemoryFileIndex[" in planned("SELECT a FROM t")


def test_a_subquery_is_no_filter_of_a_scan():
    sql = "SELECT a FROM t WHERE b > (SELECT max(b) FROM u)"

    assert re.search(r"DataFilters: \[isnotnull\(b#\)\]", planned(sql))
    assert "DataFilters: [isnotnull(b#), (b# > " in planned(sql, "spark-4.3")


@pytest.mark.parametrize(
    ("sql", "operator", "fused"),
    [
        ("SELECT * FROM t JOIN u ON t.a = u.a", "SortMergeJoin", True),
        ("SELECT * FROM t LEFT JOIN u ON t.a = u.a", "SortMergeJoin", False),
        ("SELECT /*+ SHUFFLE_HASH(u) */ * FROM t JOIN u ON t.a = u.a", "ShuffledHashJoin", False),
        ("SELECT /*+ BROADCAST(u) */ * FROM t JOIN u ON t.a > u.a", "BroadcastNestedLoopJoin", False),
        ("SELECT /*+ BROADCAST(u) */ * FROM t JOIN u ON t.a = u.a", "BroadcastHashJoin", True),
        ("SELECT a, max(string(b)) FROM t GROUP BY a", "SortAggregate", False),
    ],
)
def test_which_operators_are_fused(sql, operator, fused):
    settings = {"spark.sql.autoBroadcastJoinThreshold": -1}
    old, new = (re.search(rf"(\*\(\d+\) )?{operator}", planned(sql, p, **settings)) for p in ("spark-3.0", "spark-4.3"))

    assert old is not None
    assert bool(old[1]) is fused
    assert new is not None


def test_the_filter_that_makes_a_column_never_null_keeps_its_projection():
    sql = "SELECT * FROM t JOIN (SELECT a FROM u) u ON t.a = u.a"

    assert re.search(r"Project \[a#\]\n.*Filter isnotnull\(a#\)", planned(sql))
    assert not re.search(r"Project \[a#\]\n.*Filter isnotnull\(a#\)", planned(sql, "spark-4.3"))


def test_a_column_under_another_name_is_shuffled_again():
    sql = "SELECT x, count(*) FROM (SELECT a AS x, max(b) FROM t GROUP BY a) GROUP BY x"

    assert planned(sql).count("Exchange hashpartitioning") == 2
    assert planned(sql, "spark-4.3").count("Exchange hashpartitioning") == 1


def test_a_sum_of_decimals_does_not_note_whether_it_saw_a_row():
    assert "output=[sum#]" in planned("SELECT sum(d) FROM u")
    assert "output=[sum#, isEmpty#]" in planned("SELECT sum(d) FROM u", "spark-4.3")
