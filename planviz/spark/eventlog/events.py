"""The events of one log folded into executions.

Memory does not grow with the log: an execution is given away when it and its jobs have ended. Every line is checked
for being an event, but only those that say something of an execution are read; of the plans that adaptive execution
announces only the last counts, so a plan is kept as text until its execution has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from planviz.errors import InputError
from planviz.spark.eventlog.logs import Log, part_name
from planviz.spark.eventlog.messages import (
    MESSAGES,
    ApplicationStart,
    DriverAccumUpdates,
    ExecutionEnd,
    ExecutionStart,
    ExecutionUpdate,
    JobEnd,
    JobStart,
    LogStart,
    StageCompleted,
    read_message,
)
from planviz.spark.eventlog.streams import Gap, pieces

_START = b'{"Event":"'
#: Bytes of one line at most: no event is larger, but a file may be damaged into a single line.
_LONGEST = 256 << 20
#: Faults of one log that are told one by one.
_FAULTS = 1_000
#: What a damaged event raises; the last one where it is nested without end.
_UNREADABLE = (ValueError, TypeError, RecursionError)
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
    end: ExecutionEnd | None = None
    jobs: int = 0
    running: set[int] = field(default_factory=set)
    failed_jobs: int = 0
    stages: int = 0
    tasks: int = 0
    sums: dict[str, int] = field(default_factory=dict)
    #: By accumulator, as Spark writes them: numbers, or texts that mostly hold one.
    values: dict[int, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Fault:
    """What could not be read: the file, the line in it from 1 (0: the whole file), and why."""

    file: str
    line: int
    reason: str


@dataclass(frozen=True)
class Resume:
    """Where an earlier reading of a log that has grown need not go on from: before it everything is known."""

    place: Place
    application: Application
    faults: tuple[Fault, ...] = ()


class LogReader:
    """Reads one log; `faults`, `events`, `bytes` and `place` are complete when its executions have been taken.

    `place` is where a later reading has to begin: there the first execution starts that had not ended.
    """

    def __init__(self, log: Log, resume: Resume | None = None) -> None:
        self.application = resume.application if resume else Application()
        self.faults: list[Fault] = [Fault(log.path, 0, log.fault)] if log.fault else []
        self.faults += resume.faults if resume else ()
        self._more = 0
        self.events = 0
        self.bytes = 0
        self._log = log
        self._resume = resume.place if resume else None
        self._lines = _Lines(Place(""))
        self._open: dict[int, Execution] = {}
        self._stage_of: dict[int, Execution] = {}
        self._job_of: dict[int, tuple[Execution, list[int]]] = {}
        self._ended: list[Execution] = []
        takers: dict[type[msgspec.Struct], Callable[[Any], None]] = {
            LogStart: self._log_start,
            ApplicationStart: self._application_start,
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

    @property
    def place(self) -> Place:
        """Where the first execution starts that the log has not ended, or the log's end."""
        return next((execution.place for execution in self._open.values()), self._lines.place)

    def executions(self) -> Iterator[Execution]:
        """The executions in the order in which they end; those that the log does not end come last."""
        for file in self._files():
            for _ in self._pieces(file):
                yield from self._ended
                self._ended.clear()
        yield from self._open.values()

    def fault(self, file: str, line: int, reason: str) -> None:
        """Note what cannot be read; of very many faults the first ones, and how many there are."""
        if len(self.faults) <= _FAULTS:
            self.faults.append(Fault(file, line, reason))
        else:
            self._more += 1
            self.faults[-1] = Fault(file, line, f"{reason}; so are {self._more:,} more places before this one")

    # -- lines

    def _files(self) -> tuple[str, ...]:
        """The files from the one on where this reading begins; all of them when that one is gone."""
        names = [part_name(file) for file in self._log.files]
        if self._resume is None or self._resume.file not in names:
            self._resume = None
            return self._log.files
        return self._log.files[names.index(self._resume.file) :]

    def _pieces(self, file: str) -> Iterator[None]:
        """Take the events of a file; yields after each piece of it."""
        begin = Place(part_name(file))
        if self._resume is not None and self._resume.file == begin.file:
            begin = self._resume
        self._lines = _Lines(begin)
        try:
            for piece in pieces(file, begin.offset):
                if isinstance(piece, Gap):
                    self._gap(file, piece)
                    continue
                self.bytes += len(piece)
                for line in self._lines.of(piece):
                    try:
                        self._take(line)
                    except _UNREADABLE as error:
                        self._odd(file, line, error)
                yield
        except InputError as error:
            self.fault(file, 0, f"it {error}")
        except OSError as error:
            self.fault(file, self._lines.number, f"the file cannot be read any further ({error})")
        self._last(file)
        yield

    def _take(self, line: bytes) -> None:
        """One event. Raises one of _UNREADABLE when it is damaged."""
        if not line.isascii():
            line.decode()
        if line.startswith(_START):
            name = line[10 : line.find(b'"', 10)]
        else:
            name = read_message(line).name.encode()
        taker = self._takers.get(name)
        if taker is None:
            read_message(line)
        else:
            decode, take = taker
            take(decode(line))
        self.events += 1

    def _is_written(self, file: str) -> bool:
        """Whether an application is writing this file at this moment; then it ends anywhere."""
        return self._log.in_progress and file == self._log.files[-1]

    def _gap(self, file: str, gap: Gap) -> None:
        if gap.cut and self._is_written(file):
            return
        if not gap.cut:
            self._lines.drop()
        what = "the file ends here" if gap.cut else "what stands here cannot be read"
        self.fault(file, self._lines.number, f"{what} ({gap.reason})")

    def _last(self, file: str) -> None:
        """The last line may lack its line break and be whole."""
        line = self._lines.rest()
        try:
            self._take(line)
        except _UNREADABLE as error:
            told = self.faults and (self.faults[-1].file, self.faults[-1].line) == (file, self._lines.number)
            if not told and not self._is_written(file):
                self._odd(file, line, error)

    def _odd(self, file: str, line: bytes, error: Exception) -> None:
        if not line.strip():
            return
        if not line.startswith(_START):
            reason = f"this line is no event ({error})"
        elif "truncated" in str(error):
            reason = "the log ends within this event"
        else:
            reason = f"this event is damaged ({error})"
        self.fault(file, self._lines.number, reason)

    # -- events

    def _log_start(self, event: LogStart) -> None:
        self.application.spark = event.spark

    def _application_start(self, event: ApplicationStart) -> None:
        application = self.application
        application.id, application.name = event.id or "", event.name
        application.user, application.attempt = event.user or "", event.attempt or ""

    def _execution_start(self, event: ExecutionStart) -> None:
        self._open[event.execution_id] = Execution(event.execution_id, event, self._lines.place, event.spark_plan_info)

    def _execution_update(self, event: ExecutionUpdate) -> None:
        execution = self._open.get(event.execution_id)
        if execution is not None:
            execution.plan = event.spark_plan_info

    def _execution_end(self, event: ExecutionEnd) -> None:
        execution = self._open.get(event.execution_id)
        if execution is not None:
            execution.end = event
            self._end(execution)

    def _driver_values(self, event: DriverAccumUpdates) -> None:
        execution = self._open.get(event.execution_id)
        if execution is not None:
            execution.values.update(event.accum_updates)

    def _job_start(self, event: JobStart) -> None:
        number = event.properties.execution if event.properties else None
        execution = self._open.get(int(number)) if number else None
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
        if execution is None:
            return
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
        if execution.end is not None and not execution.running and execution.number in self._open:
            del self._open[execution.number]
            self._ended.append(execution)


class _Lines:
    """Lines out of pieces: a line may begin in one and end in another."""

    def __init__(self, begin: Place) -> None:
        self._file = begin.file
        self._offset = begin.offset
        self._before = begin.lines
        self._held: list[bytes] = []
        self._length = 0
        self._dropping = False

    @property
    def number(self) -> int:
        """The number of the line that was given last, from 1; once all were given, of the next one."""
        return self._before + 1

    @property
    def place(self) -> Place:
        """Where that line begins."""
        return Place(self._file, self._offset, self._before)

    def of(self, piece: bytes) -> Iterator[bytes]:
        """The lines that end in a piece, without their line breaks. A line that is too long is given cut off."""
        end = piece.find(b"\n")
        if end < 0:
            self._hold(piece)
            return
        line = b"".join([*self._held, piece[:end]])
        self._held.clear()
        if not self._dropping:
            yield line
        self._offset += self._length + end + 1
        self._before += 1
        self._length, self._dropping = 0, False
        at = end + 1
        while (end := piece.find(b"\n", at)) >= 0:
            yield piece[at:end]
            self._offset += end + 1 - at
            self._before += 1
            at = end + 1
        self._hold(piece[at:])

    def rest(self) -> bytes:
        """What stands behind the last line break."""
        return b"".join(self._held)

    def drop(self) -> None:
        """Leave out what was begun, up to the next line break."""
        self._held.clear()
        self._dropping = True

    def _hold(self, piece: bytes) -> None:
        self._length += len(piece)
        if self._length > _LONGEST:
            self._held = self._held[:1]
        elif not self._dropping and piece:
            self._held.append(piece)
