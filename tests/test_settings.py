"""Settings that change the plan, each by a plan that it changes; what is said of those that planviz does not read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import QueryExecution, Session
from planviz.settings import SETTINGS
from planviz.versions.unread import UNREAD
from tests.plans import canonical, small_catalog

DOCS = Path(__file__).resolve().parents[1] / "docs" / "settings.md"
SCAN = "select a from t1 where a > 1"
MERGED = "select /*+ MERGE(t1) */ t1.a from t1 join t2 on t1.a = t2.a"


def planned(sql: str, stage: str = "physical", **settings: Any) -> str:
    config = OptimizerConfig.of(**{"spark.sql.adaptive.enabled": False, **settings})
    return canonical(QueryExecution(sql, small_catalog(), config).text(stage))


def test_without_whole_stage_code_there_are_no_stages_and_no_batches() -> None:
    assert "*(1) ColumnarToRow" in planned(SCAN)
    without = planned(SCAN, **{"spark.sql.codegen.wholeStage": False})
    assert "*(" not in without
    assert "ColumnarToRow" not in without
    assert "Batched: false" in without


def test_a_reader_without_batches_needs_no_columnar_to_row() -> None:
    assert "Batched: true" in planned(SCAN)
    rows = planned(SCAN, **{"spark.sql.parquet.enableVectorizedReader": False})
    assert "ColumnarToRow" not in rows
    assert "Batched: false" in rows
    assert rows.startswith("*(1) Filter")
    assert planned(SCAN, **{"spark.sql.orc.enableVectorizedReader": False}) == planned(SCAN)


def test_redundant_sorts_stay_where_a_setting_says_so() -> None:
    sql = f"{MERGED} sort by t1.a"
    one, two = planned(sql), planned(sql, **{"spark.sql.execution.removeRedundantSorts": False})
    assert two.count("Sort [a") == one.count("Sort [a") + 1


def test_redundant_projects_stay_where_a_setting_says_so() -> None:
    sql = "select a, b from t1 where a > 1 order by b"
    assert "Project" not in planned(sql)
    assert planned(sql, **{"spark.sql.execution.removeRedundantProjects": False}).count("Project [a#2, b#1]") == 1


def test_hints_count_unless_they_are_disabled() -> None:
    assert "SortMergeJoin" in planned(MERGED, **{"spark.sql.autoBroadcastJoinThreshold": 1 << 40})
    other = {"spark.sql.autoBroadcastJoinThreshold": 1 << 62, "spark.sql.optimizer.disableHints": True}
    assert "strategy=merge" in planned(MERGED, "analyzed")
    assert "strategy" not in planned(MERGED, "analyzed", **other)


def test_between_is_two_comparisons_where_a_setting_says_so() -> None:
    sql = "select a from t1 where a + b between 1 and 2"
    assert "between(" in planned(sql, "analyzed")
    old = planned(sql, "analyzed", **{"spark.sql.legacy.duplicateBetweenInput": True})
    assert "between(" not in old
    assert old.count("(a#1 + b#2)") == 2


def test_the_size_that_a_generator_is_filtered_by_takes_null_for_minus_one_without_ansi() -> None:
    sql = "select explode(xs) from arr"
    assert "(size(xs#1, false) > 0)" in planned(sql, "optimized")
    assert "(size(xs#1, true) > 0)" in planned(sql, "optimized", **{"spark.sql.ansi.enabled": False})


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("spark.sql.legacy.lpadRpadAlwaysReturnString", r"does not read .* the type of lpad and rpad"),
        ("spark.sql.adaptive.skewJoin.enabled", "changes nothing in the plan before it runs"),
        ("spark.databricks.delta.optimizeWrite.enabled", "Databricks' own"),
        ("spark.sql.cbo.enable", r"did you mean spark\.sql\.cbo\.enabled"),
    ],
)
def test_who_sets_what_is_not_read_is_told_what_that_means(key: str, words: str) -> None:
    (told,) = OptimizerConfig.of(**{key: "true"}).warnings
    assert re.search(words, told), told


def test_the_documentation_lists_what_is_not_read() -> None:
    text = DOCS.read_text(encoding="utf-8")
    assert not [key for key in UNREAD if f"| `{key}` |" not in text]
    assert not [key for key in UNREAD if key in SETTINGS]


def test_reset_gives_a_setting_back_as_the_session_was_given_it() -> None:
    session = Session(config=OptimizerConfig.of(**{"spark.sql.shuffle.partitions": 50}))
    script = """SET spark.sql.shuffle.partitions = 7; SET spark.sql.adaptive.enabled = false;
        RESET spark.sql.shuffle.partitions"""
    list(session.run(script))
    assert session.config.number("spark.sql.shuffle.partitions") == 50
    assert not session.config.flag("spark.sql.adaptive.enabled")
    list(session.run("SET spark.sql.shuffle.partitions = 8; RESET"))
    assert session.config.number("spark.sql.shuffle.partitions") == 50
    assert session.config.flag("spark.sql.adaptive.enabled")


GROUPED = "select b, count(*) from t1 group by b order by b"
ADAPTIVE = {"spark.sql.adaptive.enabled": True, "spark.sql.adaptive.coalescePartitions.initialPartitionNum": 37}


def test_one_partition_is_still_shuffled_by_its_keys_and_by_ranges() -> None:
    plan = planned(GROUPED, **{"spark.sql.shuffle.partitions": 1})
    assert re.findall(r"Exchange (\w+\(b#\d+[^)]*\))", plan) == [
        "rangepartitioning(b#1 ASC NULLS FIRST, 1)",
        "hashpartitioning(b#1, 1)",
    ]


def test_adaptive_execution_begins_with_its_own_number_of_partitions() -> None:
    assert planned(GROUPED, **ADAPTIVE).count(", 37)") == 2
    kept = {**ADAPTIVE, "spark.sql.adaptive.coalescePartitions.enabled": False}
    assert planned(GROUPED, **kept).count(", 200)") == 2
    assert planned(GROUPED, **{**ADAPTIVE, "spark.sql.adaptive.enabled": False}).count(", 200)") == 2


def test_adaptive_execution_is_forced_upon_a_plan_without_exchanges() -> None:
    forced = {"spark.sql.adaptive.enabled": True, "spark.sql.adaptive.forceApply": True}
    assert planned(SCAN, **forced).startswith("AdaptiveSparkPlan")
    assert not planned(SCAN, **{"spark.sql.adaptive.enabled": True}).startswith("AdaptiveSparkPlan")


def test_a_reader_gives_batches_of_as_many_fields_as_code_is_generated_for() -> None:
    two = "select a, b from t1"
    assert "Batched: true" in planned(two, **{"spark.sql.codegen.maxFields": 2})
    assert "Batched: false" in planned(two, **{"spark.sql.codegen.maxFields": 1})


def test_a_hash_join_that_keeps_the_hashed_side_loses_its_code_by_a_setting() -> None:
    sql = "select /*+ SHUFFLE_HASH(t1) */ t1.a from t1 left join t2 on t1.a = t2.a"
    key = "spark.sql.codegen.join.buildSideOuterShuffledHashJoin.enabled"
    assert re.search(r"\*\(\d\) ShuffledHashJoin", planned(sql))
    without = planned(sql, **{key: False})
    assert "ShuffledHashJoin" in without
    assert not re.search(r"\*\(\d\) ShuffledHashJoin", without)
    other = "select /*+ SHUFFLE_HASH(t1) */ t1.a from t1 join t2 on t1.a = t2.a"
    assert planned(other, **{key: False}) == planned(other)


@pytest.mark.parametrize(
    ("policy", "value", "refused"),
    [
        ("ANSI", "c", True), ("legacy", "c", False), ("STRICT", "a", False), ("STRICT", "cast(a as bigint)", True),
        ("ANSI", "cast(a as bigint)", False),
    ],
)  # fmt: skip
def test_a_policy_says_what_a_column_takes(policy: str, value: str, refused: bool) -> None:
    session = Session(small_catalog(), OptimizerConfig.of(**{"spark.sql.storeAssignmentPolicy": policy}))
    *_, done = session.run(
        f"create table target (n int) using parquet; insert into target select {value} from"
        " (select a, cast(b as string) as c from t1)"
    )
    assert (done.error is not None) == refused
