"""The files of one log, line by line, to its executions; `plantext.eventlog` folds the events."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planviz.errors import InputError
from planviz.plantext.eventlog.fold import UNREADABLE, Application, EventFold, Execution, Place
from planviz.spark.eventlog.logs import Log, part_name
from planviz.spark.eventlog.streams import Gap, pieces

_START = b'{"Event":"'
#: Bytes of one line at most: no event is larger, but a file may be damaged into a single line.
_LONGEST = 256 << 20
#: Faults of one log that are told one by one.
_FAULTS = 1_000


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
        self._fold = EventFold(resume.application if resume else None)
        self.faults: list[Fault] = [Fault(log.path, 0, log.fault)] if log.fault else []
        self.faults += resume.faults if resume else ()
        self._more = 0
        self.bytes = 0
        self._log = log
        self._resume = resume.place if resume else None
        self._lines = _Lines(Place(""))

    @property
    def application(self) -> Application:
        """Whose log it is, as far as it was read."""
        return self._fold.application

    @property
    def events(self) -> int:
        """How many events were taken."""
        return self._fold.events

    @property
    def place(self) -> Place:
        """Where the first execution starts that the log has not ended, or the log's end."""
        return next((execution.place for execution in self._fold.open.values()), self._lines.place)

    def executions(self) -> Iterator[Execution]:
        """The executions in the order in which they end; those that the log does not end come last."""
        for file in self._files():
            for _ in self._pieces(file):
                yield from self._fold.ended
                self._fold.ended.clear()
        yield from self._fold.open.values()

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
                    except UNREADABLE as error:
                        self._odd(file, line, error)
                yield
        except InputError as error:
            self.fault(file, 0, f"it {error}")
        except OSError as error:
            self.fault(file, self._lines.number, f"the file cannot be read any further ({error})")
        self._last(file)
        yield

    def _take(self, line: bytes) -> None:
        self._fold.take(line, lambda: self._lines.place)

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
        except UNREADABLE as error:
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
