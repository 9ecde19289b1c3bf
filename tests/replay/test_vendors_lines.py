"""Vendors' lines in Spark's form, and lines that would take long if they were searched from every place."""

from __future__ import annotations

import time

import pytest

from planviz.document import open_text
from planviz.document.opening.replays import replays
from planviz.replay.lifting.vendors import in_databricks_words, spark_line

LONG = 20_000


@pytest.mark.parametrize(
    ("op", "rest"),
    [
        ("HashAggregate", "(keys=[k#1], functions=[" + ", partial_sum(a#1)" * LONG + "])"),
        ("HashAggregate", "(keys=[k#1], functions=[" + "merge_" * LONG + "])"),
        ("HashAggregate", "(keys=[], functions=[finalmerge_sum(merge a)" + ", finalmerge_sum(merge a) AS x" * LONG),
        ("HashAggregate", "(keys=[], functions=[merge_sum(merge a)" + " AS x" * LONG),
        ("CometHashAggregate", " [a#1" + "], [Final], [" * LONG),
    ],
)
def test_a_long_line_takes_time_in_step_with_it(op: str, rest: str) -> None:
    begun = time.process_time()
    spark_line(op, rest)
    assert time.process_time() - begun < 1.5


def test_functions_that_name_the_columns_of_their_buffers_are_those_of_databricks() -> None:
    stage = "(keys=[k#1], functions=[partial_sum(a#2) AS sum#3L])"
    assert in_databricks_words("HashAggregate", stage)
    assert spark_line("HashAggregate", stage) == "(keys=[k#1], functions=[partial_sum(a#2)])"
    last = "(keys=[k#1], functions=[finalmerge_sum(merge sum#3L) AS sum(a)#4L])"
    assert spark_line("HashAggregate", last) == "(keys=[k#1], functions=[sum(a)])"
    assert not in_databricks_words("HashAggregate", "(keys=[k#1], functions=[partial_sum(a#2)])")
    assert not in_databricks_words("HashAggregate", "(keys=[merge_x(merge a) AS b], output=[])")


def test_an_aggregate_of_comet() -> None:
    line = " [k#1, sum#3L], [Partial], [k#1], [partial_sum(a#2)]"
    assert spark_line("CometHashAggregate", line) == (
        "(keys=[k#1], functions=[partial_sum(a#2)], output=[k#1, sum#3L])"
    )
    assert spark_line("CometHashAggregate", " [k#1], [Final], [k#1], [sum(a#2)]") == (
        "(keys=[k#1], functions=[sum(a#2)])"
    )


def test_the_booleans_of_a_photon_join_say_nothing_of_nulls() -> None:
    (read,) = replays(
        open_text(
            "== Physical Plan ==\n"
            "PhotonBroadcastHashJoin [a#1L], [b#2L], Inner, BuildRight, false, true, false\n"
            ":- PhotonScan parquet db.t[a#1L] DataFilters: [isnotnull(a#1L)]\n"
            "+- PhotonShuffleExchangeSource\n"
            "   +- PhotonShuffleMapStage\n"
            "      +- PhotonShuffleExchangeSink SinglePartition\n"
            "         +- PhotonScan parquet db.s[b#2L] DataFilters: [isnotnull(b#2L)]\n"
        )
    )
    assert read.verdicts["physical"] == "shape"
    assert "isnull" not in read.texts["physical"]


def test_what_has_run_is_compared_by_its_operators_and_told_so() -> None:
    from planviz.document.comparison.replays import badge
    from planviz.document.opening.replays import replayed

    document = open_text(
        "HashAggregate(keys=[k#1], functions=[sum(v#2L)])\n"
        "+- AQEShuffleRead coalesced\n"
        "   +- ShuffleQueryStage 0\n"
        "      +- Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=12]\n"
        "         +- *(1) HashAggregate(keys=[k#1], functions=[partial_sum(v#2L)])\n"
        "            +- *(1) LocalTableScan [k#1, v#2L]\n"
    )
    planned = replayed(document)
    assert planned is not None
    assert badge(planned.statements[0], "physical") == "replayed, the operators are Spark's; texts are not compared"
