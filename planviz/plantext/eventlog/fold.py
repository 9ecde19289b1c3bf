"""The events of an application folded into its SQL executions: one reader for pasted logs and for logs in bulk.

Memory does not grow with the log: an execution is given away when it and its jobs have ended. Every line is checked
for being an event, but only those that say something of an execution are read; of the plans that adaptive execution
announces only the last counts, so a plan is kept as text until its execution has ended.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from planviz.plantext.eventlog.messages import (
    MESSAGES,
    TASK_END,
    ApplicationStart,
    DriverAccumUpdates,
    EnvironmentUpdate,
    ExecutionEnd,
    ExecutionStart,
    ExecutionUpdate,
    JobEnd,
    JobStart,
    LogStart,
    Operator,
    StageCompleted,
    TaskEnd,
    read_message,
    read_settings,
)
from planviz.plantext.eventlog.tasks import Summary, TaskTimes

#: What `EventFold.take` raises for a damaged event; the last one where it is nested without end.
UNREADABLE = (ValueError, TypeError, RecursionError)
#: How Spark begins a line.
START = b'{"Event":"'
#: Names of nodes that are no operators of their own.
NOT_OPERATORS = ("WholeStageCodegen", "InputAdapter")
#: Spark's sums over the tasks of a stage, and the column that each adds to.
_INTERNAL = {
    "internal.metrics.executorRunTime": "task_ms",
    "internal.metrics.executorCpuTime": "cpu_ns",
    "internal.metrics.input.bytesRead": "input_bytes",
    "internal.metrics.output.bytesWritten": "output_bytes",
    "internal.metrics.shuffle.read.localBytesRead": "shuffle_read_bytes",
    "internal.metrics.shuffle.read.remoteBytesRead": "shuffle_read_bytes",
    "internal.metrics.shuffle.write.bytesWritten": "shuffle_write_bytes",
    "internal.metrics.memoryBytesSpilled": "memory_spill_bytes",
    "internal.metrics.diskBytesSpilled": "disk_spill_bytes",
}


@dataclass(frozen=True)
class Place:
    """A place in a log between two events: the name of its file, bytes of text before it there, and lines before it."""

    file: str
    offset: int = 0
    lines: int = 0


@dataclass
class Application:
    """The application that a log is of."""

    id: str = ""
    name: str = ""
    user: str = ""
    spark: str = ""
    attempt: str = ""


@dataclass
class Execution:
    """What the log says of one SQL execution so far, and where that begins; `plan` is the last one announced."""

    number: int
    start: ExecutionStart
    place: Place
    plan: msgspec.Raw
    #: Of the session when it began (Spark 3.3 or later tells what was set while the application ran).
    settings: Mapping[str, str] = field(default_factory=dict)
    end: ExecutionEnd | None = None
    jobs: int = 0
    running: set[int] = field(default_factory=set)
    failed_jobs: int = 0
    stages: int = 0
    tasks: int = 0
    sums: dict[str, int] = field(default_factory=dict)
    #: By accumulator, as Spark writes them: numbers, or texts that mostly hold one.
    values: dict[int, int | str] = field(default_factory=dict)
    #: Of each stage that ended, where tasks are asked for: its number, its tasks, and the accumulators it added to.
    runs: list[tuple[int, Summary, frozenset[int]]] = field(default_factory=list)


def event_name(line: bytes) -> bytes:
    """The name of an event. Raises one of `UNREADABLE` for what is none."""
    if line.startswith(START):
        return line[10 : line.find(b'"', 10)]
    return read_message(line).name.encode()


class EventFold:
    """Takes the lines of a log in order; `ended` collects the executions that are over, for the caller to take away.

    `application` is whose log it is, `events` counts the events, `open` has the executions that have not ended, by
    number, in the order of their start. `excerpt`: the beginning of the log may be missing, so that an execution may
    begin with a plan that adaptive execution announces. `tasks`: read the events of tasks, too, of which a log mostly
    consists, so that executions tell how even their stages were.
    """

    def __init__(self, application: Application | None = None, *, excerpt: bool = False, tasks: bool = False) -> None:
        self._excerpt = excerpt
        self._tasks = TaskTimes() if tasks else None
        self.application = application or Application()
        self._settings: dict[str, str] = {}
        self.events = 0
        self.open: dict[int, Execution] = {}
        self.ended: list[Execution] = []
        self._where: Callable[[], Place] = lambda: Place("")
        self._stage_of: dict[int, Execution] = {}
        self._job_of: dict[int, tuple[Execution, list[int]]] = {}
        takers: dict[type[msgspec.Struct], Callable[[Any], None]] = {
            LogStart: self._log_start,
            ApplicationStart: self._application_start,
            EnvironmentUpdate: self._environment_update,
            JobStart: self._job_start,
            JobEnd: self._job_end,
            StageCompleted: self._stage_completed,
            ExecutionStart: self._execution_start,
            ExecutionUpdate: self._execution_update,
            ExecutionEnd: self._execution_end,
            DriverAccumUpdates: self._driver_values,
        }
        self._takers = {
            name.encode(): (msgspec.json.Decoder(form).decode, takers[form]) for name, form in MESSAGES.items()
        }
        if self._tasks is not None:
            self._takers[TASK_END.encode()] = msgspec.json.Decoder(TaskEnd).decode, self._tasks.take

    def take(self, line: bytes, place: Callable[[], Place] = lambda: Place("")) -> None:
        """One event; `place` says where it stands. Raises one of `UNREADABLE` when it is damaged."""
        if not line.isascii():
            line.decode()
        name = event_name(line)
        taker = self._takers.get(name)
        if taker is None:
            read_message(line)
        else:
            decode, take = taker
            self._where = place
            take(decode(line))
        self.events += 1

    def _log_start(self, event: LogStart) -> None:
        self.application.spark = event.spark

    def _application_start(self, event: ApplicationStart) -> None:
        application = self.application
        application.id, application.name = event.id or "", event.name
        application.user, application.attempt = event.user or "", event.attempt or ""

    def _environment_update(self, event: EnvironmentUpdate) -> None:
        self._settings = read_settings(event.properties)

    def _execution_start(self, event: ExecutionStart) -> None:
        # The application's are shared: a log may have ten thousand executions.
        number, settings = event.execution_id, ChainMap(read_settings(event.modified_configs), self._settings)
        self.open[number] = Execution(number, event, self._where(), event.spark_plan_info, settings)

    def _execution_update(self, event: ExecutionUpdate) -> None:
        execution = self.open.get(event.execution_id)
        if execution is not None:
            execution.plan = event.spark_plan_info
        elif self._excerpt:
            self._execution_start(ExecutionStart(event.execution_id, event.spark_plan_info))

    def _execution_end(self, event: ExecutionEnd) -> None:
        execution = self.open.get(event.execution_id)
        if execution is not None:
            execution.end = event
            self._end(execution)

    def _driver_values(self, event: DriverAccumUpdates) -> None:
        execution = self.open.get(event.execution_id)
        if execution is not None:
            execution.values.update(event.accum_updates)

    def _job_start(self, event: JobStart) -> None:
        number = event.properties.execution if event.properties else None
        execution = self.open.get(int(number)) if number else None
        if execution is None:
            return
        execution.jobs += 1
        execution.running.add(event.job)
        self._job_of[event.job] = execution, event.stages
        self._stage_of.update(dict.fromkeys(event.stages, execution))

    def _job_end(self, event: JobEnd) -> None:
        execution, stages = self._job_of.pop(event.job, (None, []))
        if execution is None:
            return
        execution.running.discard(event.job)
        execution.failed_jobs += event.result.result != "JobSucceeded"
        # Jobs that run at once may share a stage; it goes on when one of them is stopped.
        shared = {stage for job in execution.running for stage in self._job_of[job][1]}
        for stage in stages:
            if stage not in shared:
                self._stage_of.pop(stage, None)
        self._end(execution)

    def _stage_completed(self, event: StageCompleted) -> None:
        execution = self._stage_of.get(event.info.stage)
        told = self._tasks.summary(event.info.stage) if self._tasks is not None else None
        if execution is None:
            return
        if self._tasks is not None and (summary := event.summary or told) is not None:
            measured = frozenset(sum.id for sum in event.info.sums if sum.name not in _INTERNAL)
            execution.runs.append((event.info.stage, summary, measured))
        execution.stages += 1
        execution.tasks += event.info.tasks
        sums, values = execution.sums, execution.values
        for sum in event.info.sums:
            column = _INTERNAL.get(sum.name or "")
            if column is None:
                values[sum.id] = sum.value
            else:
                sums[column] = sums.get(column, 0) + int(sum.value)

    def _end(self, execution: Execution) -> None:
        if execution.end is not None and not execution.running and execution.number in self.open:
            del self.open[execution.number]
            self.ended.append(execution)


def measure(plan: Operator, values: dict[int, int | str]) -> Counter[str]:
    """Give every metric of a plan its value; the operators and how often they occur, a reused subquery once.

    `values` are by accumulator, as Spark writes them.
    """
    names: list[str] = []
    stack = [(plan, True)]
    while stack:
        node, counted = stack.pop()
        for metric in node.metrics:
            value = values.get(metric.accumulator_id)
            if value is not None:
                metric.value = int(value)
        name = node.node_name
        if counted and not name.startswith(NOT_OPERATORS):
            names.append(name.split(" ", 1)[0])
            counted = name != "ReusedSubquery"
        stack += [(child, counted) for child in reversed(node.children)]
    return Counter(names)
