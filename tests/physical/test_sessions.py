"""session_window: the stages that Spark 4.3 plans for it."""

from __future__ import annotations

import pytest

from planviz.catalog.tables import Catalog, Table
from planviz.config import OptimizerConfig
from planviz.execution import Session
from planviz.types import INT, STRING, TIMESTAMP, StructField
from tests.plans import canonical

COLUMNS = (StructField("user", STRING), StructField("at", TIMESTAMP), StructField("n", INT))
CATALOG = Catalog().with_table(Table("clicks", COLUMNS, size_in_bytes=1))


def operators(sql):
    config = OptimizerConfig().with_settings({"spark.sql.adaptive.enabled": False, "spark.sql.shuffle.partitions": 4})
    *_, outcome = Session(CATALOG, config).run(sql, "physical")
    assert outcome.error is None
    lines = canonical(outcome.execution.text("physical")).splitlines()
    return [line.lstrip(" :+-*()0123456789") for line in lines if "Scan" not in line]


def test_sessions_are_merged_between_the_partial_and_the_final_stage():
    columns = "user, session_window.start, sum(n)"
    found = operators(f"select {columns} from clicks group by user, session_window(at, '1 day')")

    session = "session_window#2: struct<start: timestamp, end: timestamp>"
    assert found[0].startswith("SortAggregate(key=[user#1, session_window#2], functions=[sum(n#3)]")
    assert found[1] == (
        f"MergingSessions List(user#1), false, [user#1, session_window#2], {session}, [merge_sum(n#3)], "
        "[sum(n#3)#6L], 2, [user#1, session_window#2, sum#7L]"
    )
    assert found[2] == "Sort [user#1 ASC NULLS FIRST, session_window#2 ASC NULLS FIRST], false, 0"
    assert found[3].startswith("Exchange hashpartitioning(user#1, 4)")
    assert found[4].startswith("HashAggregate(keys=[user#1, session_window#2], functions=[partial_sum(n#3)]")
    assert "+ 1 days" in found[5]


def test_a_session_alone_needs_all_rows_in_one_place():
    found = operators("select session_window, count(*) from clicks group by session_window(at, '5 minutes')")

    assert found[1].startswith("MergingSessions List(), false, [session_window#1]")
    assert found[3].startswith("Exchange SinglePartition")


def test_the_order_of_keys_is_the_aggregates_but_rows_are_sorted_by_the_session_last():
    found = operators("select max(user) from clicks group by session_window(at, '5 minutes'), n")

    assert found[1] == "Sort [session_window#1 ASC NULLS FIRST, n#2 ASC NULLS FIRST], false, 0"
    assert found[2].startswith("MergingSessions List(n#2), false, [session_window#1, n#2]")
    assert found[3] == "Sort [n#2 ASC NULLS FIRST, session_window#1 ASC NULLS FIRST], false, 0"


def test_distinct_values_are_counted_in_sessions_that_rows_are_given_before():
    found = operators("select count(distinct n) from clicks group by user, session_window(at, '5 minutes')")

    assert "UpdatingSessions false, [user#1, session_window#2], session_window#2: struct<start: timestamp," in str(
        found
    )
    assert not any(line.startswith("MergingSessions") for line in found)


def test_a_session_under_another_name_is_still_one():
    inner = "select user, session_window as w from clicks group by user, session_window(at, '5 minutes')"
    found = operators(f"select w, count(*) from ({inner}) group by w")

    assert sum(line.startswith("MergingSessions") for line in found) == 2


@pytest.mark.parametrize(
    ("gap", "filtered"), [("'5 minutes'", False), ("'-5 minutes'", True), ("concat(n, ' days')", True)]
)
def test_a_gap_that_may_lead_backwards_is_filtered(gap, filtered):
    *_, outcome = Session(CATALOG).run(f"select count(*) from clicks group by session_window(at, {gap})", "analyzed")

    assert (".end > session_window#" in outcome.execution.text("analyzed")) == filtered


@pytest.mark.parametrize(("profile", "tested"), [("spark-3.3", True), ("spark-3.5", True), ("spark-4.0", False)])
def test_before_4_0_a_gap_written_as_a_text_is_tested_for_every_row(profile, tested):
    sql = "select session_window.start, count(*) from clicks group by session_window(at, '5 minutes')"
    (outcome,) = Session(CATALOG, OptimizerConfig.of(profile)).run(sql, "physical")
    (condition,) = (line for line in outcome.execution.text("analyzed").splitlines() if "Filter" in line)
    assert ("session_window" in condition) is tested


def test_a_formatted_plan_names_the_buffers_of_the_stage_below_the_merging():
    sql = "select session_window.start, count(*) from clicks group by session_window(at, '5 minutes')"
    (outcome,) = Session(CATALOG, OptimizerConfig()).run(sql, "physical")
    told = outcome.execution.explain_string("formatted")
    attributes = [canonical(line) for line in told.splitlines() if line.startswith("Aggregate Attributes")]
    names = [line.partition("[1]: [")[2].partition("#")[0] for line in attributes]
    assert names == ["count", "count(1)", "count(1)"]
