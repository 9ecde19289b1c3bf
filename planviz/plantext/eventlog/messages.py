"""The events of Spark that a catalogue takes from, as the JSON that Spark writes (its JsonProtocol).

Everything that is not named here is checked for being JSON and skipped, which is an order of magnitude faster than
reading it: nine of ten bytes of a log are events of tasks, whose sums stand in the event of their stage again. They are
read for who wants to know how even the tasks of a stage were. What is read forms trees, never cycles, so Python's
collector need not look at it (`gc=False`).
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import msgspec
from msgspec import Raw, Struct, field

_SQL = "org.apache.spark.sql.execution.ui."


class Message(Struct, gc=False):
    """Any event."""

    name: str = field(name="Event")


class LogStart(Struct):
    """SparkListenerLogStart."""

    spark: str = field(name="Spark Version")


class ApplicationStart(Struct):
    """SparkListenerApplicationStart."""

    name: str = field(name="App Name", default="")
    id: str | None = field(name="App ID", default=None)
    user: str | None = field(name="User", default=None)
    attempt: str | None = field(name="App Attempt ID", default=None)


class EnvironmentUpdate(Struct):
    """SparkListenerEnvironmentUpdate: what the application was started with, still to be read by `read_settings`."""

    properties: Raw = field(name="Spark Properties", default=Raw(b"{}"))


class _Properties(Struct, gc=False):
    execution: str | None = field(name="spark.sql.execution.id", default=None)


class JobStart(Struct, gc=False):
    """SparkListenerJobStart."""

    job: int = field(name="Job ID")
    stages: list[int] = field(name="Stage IDs", default_factory=list)
    properties: _Properties | None = field(name="Properties", default=None)


class _Result(Struct, gc=False):
    result: str = field(name="Result")


class JobEnd(Struct, gc=False):
    """SparkListenerJobEnd."""

    job: int = field(name="Job ID")
    result: _Result = field(name="Job Result")


class _Accumulable(Struct, gc=False):
    id: int = field(name="ID")
    name: str | None = field(name="Name", default=None)
    value: Any = field(name="Value", default=None)


class _StageInfo(Struct, gc=False):
    stage: int = field(name="Stage ID")
    tasks: int = field(name="Number of Tasks")
    sums: list[_Accumulable] = field(name="Accumulables", default_factory=list)


class StageCompleted(Struct, gc=False):
    """SparkListenerStageCompleted. `summary` is no field of Spark's: what was left of its tasks' events."""

    info: _StageInfo = field(name="Stage Info")
    summary: tuple[int, int, int, int, int, int] | None = field(name="Task Summary", default=None)


class _Read(Struct, gc=False):
    """What a task read from shuffles, `Total Records Read`, or from files, `Records Read`."""

    total: int = field(name="Total Records Read", default=0)
    rows: int = field(name="Records Read", default=0)

    @property
    def records(self) -> int:
        """Rows."""
        return self.total + self.rows


class _TaskMetrics(Struct, gc=False):
    run: int = field(name="Executor Run Time", default=0)
    shuffle: _Read = field(name="Shuffle Read Metrics", default_factory=_Read)
    input: _Read = field(name="Input Metrics", default_factory=_Read)


class _Reason(Struct, gc=False):
    reason: str = field(name="Reason", default="")


class TaskEnd(Struct, gc=False):
    """SparkListenerTaskEnd; tasks that were killed may have no metrics."""

    stage: int = field(name="Stage ID", default=-1)
    reason: _Reason = field(name="Task End Reason", default_factory=_Reason)
    metrics: _TaskMetrics | None = field(name="Task Metrics", default=None)


class ExecutionStart(Struct, rename="camel"):
    """SparkListenerSQLExecutionStart; the plans stay text. `time` is in milliseconds since 1970; 0: not said."""

    execution_id: int
    spark_plan_info: Raw
    time: int = 0
    root_execution_id: int | None = None
    description: str | None = None
    physical_plan_description: Raw = Raw(b"null")
    query_id: str | None = None
    modified_configs: Raw = Raw(b"{}")


class ExecutionUpdate(Struct, rename="camel"):
    """SparkListenerSQLAdaptiveExecutionUpdate."""

    execution_id: int
    spark_plan_info: Raw


class ExecutionEnd(Struct, rename="camel"):
    """SparkListenerSQLExecutionEnd."""

    execution_id: int
    time: int
    error_message: str | None = None
    query_id: str | None = None


class DriverAccumUpdates(Struct, rename="camel"):
    """SparkListenerDriverAccumUpdates."""

    execution_id: int
    accum_updates: list[tuple[int, int]]


class Metric(Struct, rename="camel", gc=False, omit_defaults=True):
    """A metric of an operator; `value` is what Spark measured, None when it says nothing."""

    name: str
    accumulator_id: int
    metric_type: str
    value: int | None = None


class Operator(Struct, rename="camel", gc=False):
    """A node of `sparkPlanInfo`."""

    node_name: str
    simple_string: Raw
    children: list[Operator] = []
    metadata: Raw = Raw(b"{}")
    metrics: list[Metric] = []


class Form(Struct, rename="camel", gc=False):
    """The shape of a `sparkPlanInfo` alone."""

    node_name: str
    children: list[Form] = []


#: Events by their names in a log.
MESSAGES: dict[str, type[Struct]] = {
    "SparkListenerLogStart": LogStart,
    "SparkListenerApplicationStart": ApplicationStart,
    "SparkListenerEnvironmentUpdate": EnvironmentUpdate,
    "SparkListenerJobStart": JobStart,
    "SparkListenerJobEnd": JobEnd,
    "SparkListenerStageCompleted": StageCompleted,
    f"{_SQL}SparkListenerSQLExecutionStart": ExecutionStart,
    f"{_SQL}SparkListenerSQLAdaptiveExecutionUpdate": ExecutionUpdate,
    f"{_SQL}SparkListenerSQLExecutionEnd": ExecutionEnd,
    f"{_SQL}SparkListenerDriverAccumUpdates": DriverAccumUpdates,
}

#: The event of tasks; who asks for sums alone does not read it.
TASK_END = "SparkListenerTaskEnd"

# All raise ValueError for what is no JSON or lacks what it must have.
read_message = msgspec.json.Decoder(Message).decode
read_task = msgspec.json.Decoder(TaskEnd).decode
read_stage = msgspec.json.Decoder(StageCompleted).decode
read_plan = msgspec.json.Decoder(Operator).decode
read_form = msgspec.json.Decoder(Form).decode
read_text = msgspec.json.Decoder(str).decode
plan_text = msgspec.json.Encoder().encode
_read_values = msgspec.json.Decoder(dict[str, str]).decode


#: Settings of an event, and characters of one, that are read at most: no session has so many.
_MOST, _LONGEST = 1_000, 2_000


def read_settings(raw: Raw) -> dict[str, str]:
    """Settings of Spark SQL by key; nothing for what is no such list, which damages nothing else of an event."""
    try:
        told = _read_values(raw).items()
    except (ValueError, RecursionError):
        return {}
    kept = ((key, value) for key, value in told if key.startswith("spark.sql.") and len(value) <= _LONGEST)
    return dict(islice(kept, _MOST))
