"""The events of one log folded into executions.

Memory does not grow with the log: an execution is given away when it and its jobs have ended. Speed comes from not
reading: nine of ten bytes are task events, whose sums stand in the stage's event again, and of the plans that adaptive
execution announces only the last counts, so lines are kept as bytes until then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from planviz.errors import InputError
from planviz.spark.eventlog.logs import Log
from planviz.spark.eventlog.streams import open_lines

_START = b'{"Event":"'
_SQL = b"org.apache.spark.sql.execution.ui."
_EXECUTION = re.compile(rb'"executionId":(\d+)')
_JOB = re.compile(rb'"Job ID":(\d+)')
_STAGES = re.compile(rb'"Stage IDs":\[([\d,]*)\]')
_JOB_EXECUTION = re.compile(rb'"spark\.sql\.execution\.id":"(\d+)"')
_STAGE = re.compile(rb'"Stage ID":(\d+)')
_TASKS = re.compile(rb'"Number of Tasks":(\d+)')
_SUM = re.compile(rb'"ID":(\d+),"Name":"([^"]*)","Value":"?(-?\d+)"?')
#: Spark's sums over the tasks of a stage, and the column that each adds to.
_INTERNAL = {
    b"internal.metrics.executorRunTime": "task_ms",
    b"internal.metrics.executorCpuTime": "cpu_ns",
    b"internal.metrics.input.bytesRead": "input_bytes",
    b"internal.metrics.output.bytesWritten": "output_bytes",
    b"internal.metrics.shuffle.read.localBytesRead": "shuffle_read_bytes",
    b"internal.metrics.shuffle.read.remoteBytesRead": "shuffle_read_bytes",
    b"internal.metrics.shuffle.write.bytesWritten": "shuffle_write_bytes",
    b"internal.metrics.memoryBytesSpilled": "memory_spill_bytes",
    b"internal.metrics.diskBytesSpilled": "disk_spill_bytes",
}


@dataclass
class Execution:
    """What the log says of one SQL execution so far; `start` and `update` are lines as they stand in the log."""

    number: int
    start: bytes
    update: bytes = b""
    end: dict[str, Any] | None = None
    jobs: int = 0
    running: set[int] = field(default_factory=set)
    failed_jobs: int = 0
    stages: int = 0
    tasks: int = 0
    sums: dict[str, int] = field(default_factory=dict)
    values: dict[int, int] = field(default_factory=dict)


@dataclass
class Application:
    """The application that a log is of."""

    id: str = ""
    name: str = ""
    user: str = ""
    spark: str = ""


@dataclass(frozen=True)
class Fault:
    """What could not be read: the file, the line in it from 1 (0: the whole file), and why."""

    file: str
    line: int
    reason: str


class LogReader:
    """Reads one log; `faults`, `events` and `bytes` are complete when its executions have been taken."""

    def __init__(self, log: Log) -> None:
        self.application = Application()
        self.faults: list[Fault] = [Fault(log.path, 0, log.fault)] if log.fault else []
        self.events = 0
        self.bytes = 0
        self._log = log
        self._open: dict[int, Execution] = {}
        self._stage_of: dict[int, Execution] = {}
        self._job_of: dict[int, tuple[Execution, tuple[int, ...]]] = {}
        self._ended: list[Execution] = []
        self._takers: dict[bytes, Callable[[bytes], None]] = {
            b"SparkListenerLogStart": self._log_start,
            b"SparkListenerApplicationStart": self._application_start,
            b"SparkListenerJobStart": self._job_start,
            b"SparkListenerJobEnd": self._job_end,
            b"SparkListenerStageCompleted": self._stage_completed,
            _SQL + b"SparkListenerSQLExecutionStart": self._execution_start,
            _SQL + b"SparkListenerSQLAdaptiveExecutionUpdate": self._execution_update,
            _SQL + b"SparkListenerSQLExecutionEnd": self._execution_end,
            _SQL + b"SparkListenerDriverAccumUpdates": self._driver_values,
        }

    def executions(self) -> Iterator[Execution]:
        """The executions in the order in which they end; those that the log does not end come last."""
        for file in self._log.files:
            for _ in self._lines(file):
                if self._ended:
                    yield from self._ended
                    self._ended.clear()
        yield from self._ended
        yield from self._open.values()

    def fault(self, file: str, line: int, reason: str) -> None:
        """Note what cannot be read."""
        self.faults.append(Fault(file, line, reason))

    def _lines(self, file: str) -> Iterator[None]:
        """Take the events of a file; yields after each that may have ended an execution."""
        number = 0
        try:
            with open_lines(file) as (stream, _):
                for line in stream:
                    number += 1
                    self.bytes += len(line)
                    if not line.startswith(_START) or line[-2:] != b"}\n":
                        self._odd(file, number, line)
                        continue
                    self.events += 1
                    try:
                        self._take(line)
                    except (ValueError, KeyError, TypeError, AttributeError) as error:
                        self.fault(file, number, f"this event is damaged ({error})")
                    if self._ended:
                        yield
        except InputError as error:
            self.fault(file, 0, f"it {error}")
        except (OSError, EOFError) as error:
            # What an application is writing at this moment ends anywhere.
            if self._log.in_progress and file == self._log.files[-1] and "runcated" in str(error):
                return
            self.fault(file, number + 1, f"the file cannot be read any further ({error})")

    def _take(self, line: bytes) -> None:
        taker = self._takers.get(line[10 : line.find(b'"', 10, 120)])
        if taker is not None:
            taker(line)

    def _odd(self, file: str, number: int, line: bytes) -> None:
        if not line.strip():
            return
        if line.startswith(_START) and not line.endswith(b"\n"):
            with suppress(ValueError):
                # The last line may lack its line break and be whole.
                json.loads(line)
                self._take(line)
                return
            # What an application is writing at this moment is no damage.
            if not self._log.in_progress:
                self.fault(file, number, "the log ends within this event")
            return
        self.fault(file, number, "this line is no event")

    # -- events

    def _log_start(self, line: bytes) -> None:
        self.application.spark = json.loads(line)["Spark Version"]

    def _application_start(self, line: bytes) -> None:
        event = json.loads(line)
        self.application.id, self.application.name = event.get("App ID") or "", event.get("App Name") or ""
        self.application.user = event.get("User") or ""

    def _execution_start(self, line: bytes) -> None:
        number = _number(_EXECUTION, line)
        self._open[number] = Execution(number, line)

    def _execution_update(self, line: bytes) -> None:
        execution = self._open.get(_number(_EXECUTION, line))
        if execution is not None:
            execution.update = line

    def _execution_end(self, line: bytes) -> None:
        execution = self._open.get(_number(_EXECUTION, line))
        if execution is not None:
            execution.end = json.loads(line)
            self._end(execution)

    def _driver_values(self, line: bytes) -> None:
        event = json.loads(line)
        execution = self._open.get(event["executionId"])
        if execution is not None:
            execution.values.update(event["accumUpdates"])

    def _job_start(self, line: bytes) -> None:
        of = _JOB_EXECUTION.search(line)
        execution = self._open.get(int(of[1])) if of else None
        if execution is None:
            return
        job = _number(_JOB, line)
        listed = _STAGES.search(line)
        stages = tuple(int(stage) for stage in listed[1].split(b",") if stage) if listed else ()
        execution.jobs += 1
        execution.running.add(job)
        self._job_of[job] = execution, stages
        for stage in stages:
            self._stage_of[stage] = execution

    def _job_end(self, line: bytes) -> None:
        job = _number(_JOB, line)
        execution, stages = self._job_of.pop(job, (None, ()))
        if execution is None:
            return
        execution.running.discard(job)
        execution.failed_jobs += b'"Result":"JobSucceeded"' not in line
        for stage in stages:
            self._stage_of.pop(stage, None)
        self._end(execution)

    def _stage_completed(self, line: bytes) -> None:
        execution = self._stage_of.get(_number(_STAGE, line))
        if execution is None:
            return
        execution.stages += 1
        execution.tasks += _number(_TASKS, line)
        for id, name, value in _SUM.findall(line, line.rfind(b'"Accumulables":')):
            column = _INTERNAL.get(name)
            if column is not None:
                execution.sums[column] = execution.sums.get(column, 0) + int(value)
            elif not name.startswith(b"internal."):
                execution.values[int(id)] = int(value)

    def _end(self, execution: Execution) -> None:
        if execution.end is not None and not execution.running and execution.number in self._open:
            del self._open[execution.number]
            self._ended.append(execution)


def _number(pattern: re.Pattern[bytes], line: bytes) -> int:
    match = pattern.search(line)
    if match is None:
        raise ValueError("it lacks a number")
    return int(match[1])
