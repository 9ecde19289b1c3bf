"""Rows of logs that real Sparks wrote, against the same logs read the slow way: every event, every task."""

from __future__ import annotations

import json
from collections import Counter, defaultdict

from planviz.document import open_text
from planviz.spark.eventlog.events import LogReader
from planviz.spark.eventlog.executions import row
from planviz.spark.eventlog.logs import find_logs
from planviz.spark.eventlog.streams import pieces
from tests.spark.eventlog.made_logs import SQL

SUMS = {
    "task_ms": ("Executor Run Time",),
    "input_bytes": ("Input Metrics", "Bytes Read"),
    "shuffle_write_bytes": ("Shuffle Write Metrics", "Shuffle Bytes Written"),
    "memory_spill_bytes": ("Memory Bytes Spilled",),
    "disk_spill_bytes": ("Disk Bytes Spilled",),
}


def events(log):
    whole = b"".join(piece for file in log.files for piece in pieces(file) if isinstance(piece, bytes))
    for line in whole.split(b"\n"):
        try:
            yield json.loads(line)
        except ValueError:
            continue


def by_tasks(log):
    """Of every execution: its last plan, the values of its metrics, the sums over its tasks."""
    plans, values, sums, stages = {}, defaultdict(dict), defaultdict(Counter), {}
    for event in events(log):
        name = event["Event"].removeprefix(SQL).removeprefix("SparkListener")
        if name in ("SQLExecutionStart", "SQLAdaptiveExecutionUpdate"):
            plans[event["executionId"]] = event["sparkPlanInfo"]
        elif name == "DriverAccumUpdates":
            values[event["executionId"]].update(event["accumUpdates"])
        elif name == "JobStart" and "spark.sql.execution.id" in event["Properties"]:
            number = int(event["Properties"]["spark.sql.execution.id"])
            stages.update(dict.fromkeys(event["Stage IDs"], number))
        elif name == "TaskEnd" and event["Stage ID"] in stages:
            number = stages[event["Stage ID"]]
            for one in event["Task Info"]["Accumulables"]:
                if one.get("Metadata") == "sql":
                    values[number][one["ID"]] = values[number].get(one["ID"], 0) + int(one["Update"])
            for column, path in SUMS.items():
                found = event["Task Metrics"]
                for key in path:
                    found = found[key]
                sums[number][column] += found
            sums[number]["tasks"] += 1
    return plans, values, sums


def metrics(plan):
    yield from plan.get("metrics", ())
    for child in plan.get("children", ()):
        yield from metrics(child)


def test_rows_are_what_the_tasks_add_up_to(corpus):
    compared = 0
    for log in find_logs([str(corpus / "live" / "logs")]):
        plans, values, sums = by_tasks(log)
        reader = LogReader(log)
        found = [row(execution, reader.application, log.name) for execution in reader.executions()]
        assert sorted(one["execution_id"] for one in found) == sorted(plans)
        for one in found:
            number = one["execution_id"]
            told = list(metrics(json.loads(one["plan"])))
            announced = list(metrics(plans[number]))
            assert [m["accumulatorId"] for m in told] == [m["accumulatorId"] for m in announced]
            assert len(open_text(one["plan"]).plans[0]) > 0
            if one["status"] == "succeeded":
                assert [m.get("value") for m in told] == [values[number].get(m["accumulatorId"]) for m in told]
                assert {name: one[name] for name in (*SUMS, "tasks")} == {n: sums[number][n] for n in (*SUMS, "tasks")}
                compared += len(told)
    assert compared > 10_000
