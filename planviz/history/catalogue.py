"""The catalogue's files, read column by column; the plans, which are nine tenths of it, only one at a time."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import datetime
from hashlib import md5
from typing import TYPE_CHECKING

from planviz.errors import InputError
from planviz.jsontypes import JsonObject
from planviz.spark.eventlog.executions import schema
from planviz.spark.eventlog.logs import filesystem

if TYPE_CHECKING:
    import pyarrow
    from pyarrow import dataset, fs

#: Rows that are looked at together: few enough for the memory, enough for the columns to be worth it.
_PIECE = 1 << 16
_ENDING = ".parquet"
#: Pyarrow's own column: the file of a row.
FILE = "__filename"
#: Files that were looked at, by path, size and time: why one cannot be read, "" where it can.
_ENDS: OrderedDict[tuple[str, int, int], str] = OrderedDict()
_ENDS_KEPT = 65_536
_MAGIC = b"PAR1"


@dataclass(frozen=True)
class PastExecution:
    """One execution as the catalogue has it, without its plan: times in UTC, bytes, counts by name.

    Numbers that the log did not tell are None; columns that an older catalogue lacks are empty.
    """

    log: str
    execution_id: int
    app_id: str = ""
    app_name: str = ""
    user: str = ""
    spark_version: str = ""
    description: str = ""
    status: str = ""
    error: str = ""
    fingerprint: str = ""
    started: datetime | None = None
    root_execution_id: int | None = None
    milliseconds: int | None = None
    jobs: int | None = None
    stages: int | None = None
    tasks: int | None = None
    cpu_ms: int | None = None
    task_ms: int | None = None
    input_bytes: int | None = None
    output_bytes: int | None = None
    shuffle_read_bytes: int | None = None
    shuffle_write_bytes: int | None = None
    memory_spill_bytes: int | None = None
    disk_spill_bytes: int | None = None
    output_rows: int | None = None
    estimated_rows: float | None = None
    operators: dict[str, int] = field(default_factory=dict)
    joins: dict[str, int] = field(default_factory=dict)

    @property
    def reference(self) -> str:
        """The name by which it is opened: `LOG#ID`."""
        return f"{self.log}#{self.execution_id}"


@dataclass(frozen=True)
class ReadLog:
    """A log as it was read last: its executions, bytes of events, and `(file, line, reason)` of what was damaged."""

    path: str
    executions: int
    bytes: int
    faults: tuple[tuple[str, int, str], ...] = ()


@dataclass(frozen=True)
class Contents:
    """What can be asked for: how many executions, names in order, the first and the last time."""

    executions: int = 0
    applications: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    first: datetime | None = None
    last: datetime | None = None


class Catalogue:
    """A catalogue at a local path or a URI that pyarrow knows.

    `version` is another one as soon as something was added. `damaged` has the files that cannot be read, with the
    reason: only their executions are missing. Raises InputError for what is no catalogue.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.damaged: tuple[tuple[str, str], ...] = ()
        self._contents: Contents | None = None
        self._by_log: dict[str, list[str]] | None = None
        self._files, self._root = filesystem(path)
        self._executions = self._listed("executions")
        if self._executions is None:
            raise InputError(
                f"{path}: this is no catalogue of executions. `planviz spark ingest LOGS -o DIR` makes one."
            )
        self._executions = self._readable(self._executions)
        stamps = sorted(f"{found.path} {found.size} {found.mtime_ns}" for found in self._executions)
        self.version = md5("\n".join(stamps).encode(), usedforsecurity=False).hexdigest()

    def tables(self, columns: Sequence[str], where: object = None) -> Iterator[pyarrow.Table]:
        """Tables of these columns, some ten thousand rows each, where a condition of pyarrow's holds.

        The column `FILE` tells where a row is from; a file is of one log, so file and number name an execution.
        """
        import pyarrow

        with self._reading():
            waiting, rows = [], 0
            for batch in self._dataset().to_batches(columns=list(columns), filter=where):
                waiting.append(batch)
                rows += batch.num_rows
                if rows >= _PIECE:
                    yield pyarrow.Table.from_batches(waiting)
                    waiting, rows = [], 0
            if rows:
                yield pyarrow.Table.from_batches(waiting)

    def executions(self, places: Sequence[tuple[str, int]]) -> list[PastExecution]:
        """The executions at these places (`FILE` of `tables`, number), in this order; what is gone is left out."""
        numbers: dict[str, set[int]] = {}
        for file, number in places:
            numbers.setdefault(file, set()).add(number)
        columns = [each.name for each in fields(PastExecution)]
        found = {}
        for file, some in numbers.items():
            for row in self._rows(file, some, columns):
                found[file, row["execution_id"]] = _execution(row)
        return [found[place] for place in places if place in found]

    def plan(self, log: str, number: int) -> str | None:
        """The last plan of an execution with its measured values, as JSON; None when there is no such execution."""
        for file in self._files_of(log):
            for row in self._rows(file, {number}, ["execution_id", "plan"]):
                plan: str | None = row["plan"]
                return plan
        return None

    def _files_of(self, log: str) -> list[str]:
        """The files of a log, one for each day; which log a file is of is read once."""
        if self._by_log is None:
            found: dict[str, set[str]] = {}
            for table in self.tables(["log", FILE]):
                for row in table.group_by(["log", FILE]).aggregate([]).to_pylist():
                    found.setdefault(row["log"], set()).add(row[FILE])
            self._by_log = {name: sorted(some) for name, some in found.items()}
        return self._by_log.get(log, [])

    def _rows(self, file: str, numbers: set[int], columns: list[str]) -> list[JsonObject]:
        """The rows of these executions, of a file. Only the groups of rows that may hold them are read."""
        from pyarrow import parquet

        with self._reading(), self._files.open_input_file(file) as stream:
            read = parquet.ParquetFile(stream)
            at = read.schema_arrow.get_field_index("execution_id")
            groups = []
            for group in range(read.num_row_groups):
                ends = read.metadata.row_group(group).column(at).statistics
                if ends is None or not ends.has_min_max or any(ends.min <= n <= ends.max for n in numbers):
                    groups.append(group)
            there = [name for name in columns if name in read.schema_arrow.names]
            rows: list[dict[str, object]] = []
            for group in groups:
                table = read.read_row_group(group, columns=there)
                wanted = [i for i, number in enumerate(table["execution_id"].to_pylist()) if number in numbers]
                rows += table.take(wanted).to_pylist()
            return rows

    def logs(self) -> list[ReadLog]:
        """The logs that were read, those with faults first."""
        import pyarrow
        from pyarrow import dataset

        listed = self._readable(self._listed("logs") or [])
        texts = pyarrow.list_(pyarrow.string())
        columns = {"log": pyarrow.string(), "executions": pyarrow.int64(), "bytes": pyarrow.int64(), "files": texts,
                   "lines": pyarrow.list_(pyarrow.int64()), "reasons": texts, "run": pyarrow.int64()}  # fmt: skip
        with self._reading():
            names = [found.path for found in listed]
            if not names:
                return self._damaged_logs()
            read = dataset.dataset(names, filesystem=self._files, format="parquet", schema=pyarrow.schema(columns))
            rows = read.to_table().to_pylist()
        last = {row["log"]: row for row in sorted(rows, key=lambda row: row.get("run") or 0)}
        found = [*map(_log, last.values()), *self._damaged_logs()]
        return sorted(found, key=lambda log: (not log.faults, log.path))

    def _damaged_logs(self) -> list[ReadLog]:
        """The catalogue's own damaged files, told as logs with a fault."""
        files = dict(self.damaged).items()
        return [
            ReadLog(path, 0, 0, ((path, 0, f"this file of the catalogue is left out: {why}"),)) for path, why in files
        ]

    def contents(self) -> Contents:
        """What there is to ask for, from the columns with names and times; read once."""
        if self._contents is None:
            self._contents = self._read_contents()
        return self._contents

    def _read_contents(self) -> Contents:
        names: dict[str, set[str]] = {"app_name": set(), "status": set(), "operators": set(), "joins": set()}
        first: datetime | None = None
        last: datetime | None = None
        rows = 0
        for table in self.tables([*names, "started"]):
            rows += table.num_rows
            for name, known in names.items():
                known.update(_names(table[name]))
            low, high = _ends(table["started"])
            first = low if first is None or (low is not None and low < first) else first
            last = high if last is None or (high is not None and high > last) else last
        ordered = {name: tuple(sorted(known, key=str.lower)) for name, known in names.items()}
        return Contents(
            rows, ordered["app_name"], ordered["operators"], ordered["joins"], ordered["status"], first, last
        )

    def _dataset(self) -> dataset.Dataset:
        import pyarrow
        from pyarrow import dataset

        day = pyarrow.field("day", pyarrow.date32())
        columns = schema().append(day)
        if not self._executions:
            return dataset.dataset(columns.empty_table())
        return dataset.dataset(
            [found.path for found in self._executions],
            filesystem=self._files,
            format="parquet",
            schema=columns,
            partitioning=dataset.partitioning(pyarrow.schema([day]), flavor="hive"),
        )

    def _listed(self, folder: str) -> list[fs.FileInfo] | None:
        """The Parquet files below a folder that are complete; None when there is no such folder."""
        from pyarrow import fs

        with self._reading():
            place = f"{self._root.rstrip('/')}/{folder}"
            if self._files.get_file_info(place).type != fs.FileType.Directory:
                return None
            found = self._files.get_file_info(fs.FileSelector(place, recursive=True))
            return [entry for entry in found if entry.type == fs.FileType.File and entry.path.endswith(_ENDING)]

    def _readable(self, listed: list[fs.FileInfo]) -> list[fs.FileInfo]:
        """The files that end as Parquet does; the others are noted as `damaged`. Elsewhere than on a disk: all files.

        A file that was cut or overwritten has another end. To ask another machine for the end of each takes too long.
        """
        from pyarrow import fs

        if not isinstance(self._files, fs.LocalFileSystem):
            return listed
        good = []
        for entry in listed:
            known = (entry.path, entry.size, entry.mtime_ns)
            if known not in _ENDS:
                _ENDS[known] = self._fault_of(entry)
                while len(_ENDS) > _ENDS_KEPT:
                    _ENDS.popitem(last=False)
            if _ENDS[known]:
                self.damaged += ((entry.path, _ENDS[known]),)
            else:
                good.append(entry)
        return good

    def _fault_of(self, entry: fs.FileInfo) -> str:
        try:
            with self._files.open_input_file(entry.path) as stream:
                stream.seek(max(0, entry.size - 8))
                end = stream.read(8)
        except OSError as error:
            return " ".join(str(error).split())[:300]
        if len(end) < 8 or end[4:] != _MAGIC or int.from_bytes(end[:4], "little") > entry.size - 12:
            return "its end is not that of a Parquet file; it was cut or overwritten"
        return ""

    @contextmanager
    def _reading(self) -> Iterator[None]:
        import pyarrow

        try:
            yield
        except (OSError, UnicodeEncodeError, pyarrow.ArrowException) as error:
            reason = " ".join(str(error).split())[:300]
            raise InputError(f"{self.path}: this catalogue cannot be read ({reason}).") from None


def _execution(row: JsonObject) -> PastExecution:
    """A row as Python values; what is null is as if it were not there."""
    known = {name: value for name, value in row.items() if value is not None}
    counts = {name: dict(known.get(name, ())) for name in ("operators", "joins")}
    return PastExecution(**(known | counts))


def _log(row: JsonObject) -> ReadLog:
    faults = zip(row.get("files") or (), row.get("lines") or (), row.get("reasons") or (), strict=False)
    return ReadLog(row["log"], row.get("executions") or 0, row.get("bytes") or 0, tuple(faults))


def _names(column: pyarrow.ChunkedArray) -> set[str]:
    """The different texts of a column, or the keys of one that counts by name."""
    import pyarrow
    import pyarrow.compute as pc

    found: set[str] = set()
    for chunk in column.chunks:
        texts = chunk.keys if pyarrow.types.is_map(chunk.type) else chunk
        found.update(text for text in pc.unique(texts).to_pylist() if text)
    return found


def _ends(column: object) -> tuple[datetime | None, datetime | None]:
    import pyarrow.compute as pc

    ends = pc.min_max(column).as_py()
    return ends["min"], ends["max"]
