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
    sql = "select t1.a, t1.b, t2.b from t1 join t2 on t1.a = t2.a and t1.c > t2.c"
    key = "spark.sql.execution.removeRedundantProjects"
    assert planned(sql, **{key: False}).count("Project") >= planned(sql).count("Project")
    assert key in SETTINGS


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
        ("spark.sql.storeAssignmentPolicy", "does not read .* the casts of what is inserted"),
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
