"""Event logs whose tasks tell that one of a stage had nearly all rows: read whole, in short, and found."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from planviz.cli import files
from planviz.document import open_text
from planviz.findings.documents import plan_findings
from planviz.graph.stage_run import StageRun

_SQL = "org.apache.spark.sql.execution.ui.SparkListenerSQLExecution"
#: The accumulators of the two operators that are measured.
SORTED, WRITTEN = 7, 8


def _operator(name: str, text: str, metric: int | None, *children: object) -> dict[str, object]:
    metrics = [] if metric is None else [{"name": "spill size", "accumulatorId": metric, "metricType": "size"}]
    return {"nodeName": name, "simpleString": text, "children": children, "metadata": {}, "metrics": metrics}


def _task(milliseconds: int, rows: int, reason: str = "Success", stage: int = 4) -> dict[str, object]:
    read = {"Remote Bytes Read": 1, "Total Records Read": rows}
    metrics = {"Executor Run Time": milliseconds, "Shuffle Read Metrics": read, "Input Metrics": {"Records Read": 0}}
    return {
        "Event": "SparkListenerTaskEnd", "Stage ID": stage, "Task End Reason": {"Reason": reason},
        "Task Metrics": None if reason == "TaskKilled" else metrics,
    }  # fmt: skip


def log(*tasks: dict[str, object], ran: int = 12_000) -> str:
    """A log of one execution: a sort above an exchange, and the tasks of the sort's stage."""
    scan = _operator("Range", "Range (0, 9, step=1, splits=1)", None)
    exchange = _operator("Exchange", "Exchange hashpartitioning(id#1L, 20)", WRITTEN, scan)
    plan = _operator("Sort", "Sort [id#1L ASC NULLS FIRST], false, 0", SORTED, exchange)
    sums = [{"ID": SORTED, "Name": "spill size", "Value": "5"}, {"ID": WRITTEN, "Name": "records read", "Value": "9"}]
    events = [
        {"Event": f"{_SQL}Start", "executionId": 0, "description": "q", "sparkPlanInfo": plan, "time": 1},
        {"Event": "SparkListenerJobStart", "Job ID": 0, "Stage IDs": [4],
         "Properties": {"spark.sql.execution.id": "0"}},
        *tasks,
        {"Event": "SparkListenerStageCompleted",
         "Stage Info": {"Stage ID": 4, "Number of Tasks": len(tasks), "Accumulables": sums}},
        {"Event": "SparkListenerJobEnd", "Job ID": 0, "Job Result": {"Result": "JobSucceeded"}},
        {"Event": f"{_SQL}End", "executionId": 0, "time": 1 + ran},
    ]  # fmt: skip
    return "\n".join(json.dumps(event, separators=(",", ":")) for event in events) + "\n"


SKEWED = (_task(90, 20), _task(100, 22), _task(9_000, 990), _task(50_000, 5, "TaskKilled"))


def test_a_stage_has_its_operators_and_what_its_tasks_that_succeeded_took() -> None:
    (plan,) = open_text(log(*SKEWED)).plans
    assert plan.milliseconds == 12_000
    assert list(plan.runs) == [StageRun(4, 3, 9_190, 100, 9_000, 22, 990, nodes=(0, 1))]


def test_the_task_with_nearly_all_rows_is_the_first_finding() -> None:
    document = open_text(log(*SKEWED))
    first = plan_findings(document, 0)[0]
    assert (first.name, first.severity, first.nodes) == ("uneven-tasks", "warning", (0,))
    assert first.evidence == (
        "Stage 4 (Sort): of 3 tasks the middle one took 100 ms and read 22 rows, the longest took 9.0 s; the most that "
        "one read is 990 rows."
    )
    assert "key" in first.advice


@pytest.mark.parametrize(
    ("tasks", "ran", "found"),
    [
        ((_task(90, 20), _task(100, 22), _task(9_000, 21)), 12_000, False),  # the first task of a JVM is slow, too
        ((_task(90, 20), _task(100, 22), _task(90_000, 21)), 120_000, True),  # so long nothing else explains
        ((_task(90, 20), _task(100, 22), _task(9_000, 990)), 600_000, False),  # of no account
        ((_task(9, 20), _task(10, 22), _task(900, 990)), 1_000, False),  # too short
        ((_task(9_000, 990),), 12_000, False),  # a stage of one task
        ((_task(8_000, 20), _task(8_900, 22), _task(9_000, 990)), 30_000, False),  # nobody waited
    ],
)
def test_near_misses(tasks: tuple[dict[str, object], ...], ran: int, found: bool) -> None:
    names = [one.name for one in plan_findings(open_text(log(*tasks, ran=ran)), 0)]
    assert ("uneven-tasks" in names) is found


def test_a_task_that_is_slow_with_as_many_rows_has_other_advice() -> None:
    first = plan_findings(open_text(log(_task(90, 20), _task(100, 22), _task(90_000, 21))), 0)[0]
    assert first.advice.startswith("It read about as much as the others")


def test_a_long_log_keeps_what_its_tasks_took(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_SHORT", 300)
    text = log(*SKEWED, *(_task(100, 20) for _ in range(100)), _task(7, 7, stage=9))
    path = tmp_path / "log.gz"
    path.write_bytes(gzip.compress(text.encode()))
    read = files.read_text(str(path))
    assert read.count("Executor Run Time") == 0
    assert read.count("\n") == text.count("\n") - 1
    short, whole = open_text(read), open_text(text)
    assert list(short.plans[0].runs) == list(whole.plans[0].runs) != []
    assert short.unparsed == whole.unparsed == ()
