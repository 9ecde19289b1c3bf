"""Settings that an event log tells of its session: read, shown with where they are from, and planned with."""

from __future__ import annotations

import json

import pytest

from planviz.document import open_text
from planviz.document.opening.replays import replays
from planviz.findings.documents import logged_settings
from planviz.replay.given import given

START = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart"


def operator(name, text, *children):
    return {"nodeName": name, "simpleString": text, "children": list(children), "metadata": {}, "metrics": []}


def log(environment, modified):
    """A join that was broadcast in a session with these settings at its start, and these set while it ran."""
    rest = "Batched: true, DataFilters: [], Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/t], "
    rest += "PartitionFilters: [], PushedFilters: [], ReadSchema: struct<k:bigint>"
    names = ("spark_catalog.default.a[k#1L]", "spark_catalog.default.b[k#2L]")
    sides = [operator(f"Scan parquet {name.split('[')[0]}", f"FileScan parquet {name} {rest}") for name in names]
    exchange = operator(
        "BroadcastExchange", "BroadcastExchange HashedRelationBroadcastMode(List(k#2L),false)", sides[1]
    )
    plan = operator("BroadcastHashJoin", "BroadcastHashJoin [k#1L], [k#2L], Inner, BuildRight", sides[0], exchange)
    start = {
        "Event": START, "executionId": 0, "description": "q", "details": "", "physicalPlanDescription": "",
        "sparkPlanInfo": plan, "time": 1, "modifiedConfigs": modified,
    }  # fmt: skip
    events = [
        {"Event": "SparkListenerLogStart", "Spark Version": "3.5.1"},
        {"Event": "SparkListenerEnvironmentUpdate", "JVM Information": {}, "Spark Properties": environment},
        start,
    ]
    return "\n".join(json.dumps(event, separators=(",", ":")) for event in events)


def test_what_was_set_later_counts_and_what_is_none_of_sparks_is_left_out():
    environment = {
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.autoBroadcastJoinThreshold": "10MB",
        "spark.sql.nobody.knows": "1",
        "spark.hadoop.fs.s3a.secret.key": "hidden",
    }
    text = log(environment, {"spark.sql.autoBroadcastJoinThreshold": "200000"})
    (plan,) = open_text(text).plans

    assert "spark.hadoop.fs.s3a.secret.key" not in plan.settings
    assert logged_settings(plan) == {
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.autoBroadcastJoinThreshold": "200000",
    }


def test_replay_plans_with_them_and_says_where_they_are_from():
    document = open_text(log({"spark.sql.shuffle.partitions": "8"}, {}))
    (made,) = replays(document)
    assert [(s.value, s.evidence) for s in made.settings if s.key == "spark.sql.shuffle.partitions"] == [
        (8, "the event log says so")
    ]

    (other,) = replays(document, given({"spark.sql.shuffle.partitions": 16}))
    assert [(s.value, s.evidence) for s in other.settings if s.key == "spark.sql.shuffle.partitions"] == [(16, "given")]


@pytest.mark.parametrize("odd", [{"spark.sql.shuffle.partitions": "many"}, {"spark.sql.x": 3}, [1, 2], "no"])
def test_odd_settings_damage_nothing_else(odd):
    for text in (log(odd, {}), log({}, odd)):
        document = open_text(text)
        assert [plan.settings for plan in document.plans] in ([{}], [odd])
        assert not logged_settings(document.plans[0])
        assert not document.unparsed


def test_sizes_are_tried_around_the_threshold_that_is_told():
    for threshold in (10 << 20, 50_000):
        (made,) = replays(open_text(log({"spark.sql.autoBroadcastJoinThreshold": str(threshold)}, {})))
        assert made.fitted is not None
        assert not made.fitted.open
        assert 4_000 < min(made.fitted.sizes.values()) <= threshold


def test_no_log_fills_the_memory_with_settings():
    environment = {f"spark.sql.k{n}": "v" for n in range(5_000)} | {"spark.sql.session.timeZone": "x" * 100_000}
    (plan,) = open_text(log(environment, {"spark.sql.shuffle.partitions": "9"})).plans

    assert len(plan.settings) <= 1_001
    assert "spark.sql.session.timeZone" not in plan.settings
    assert logged_settings(plan) == {"spark.sql.shuffle.partitions": "9"}
