"""A catalogue of executions in Parquet, which several jobs may write at once and each may stop at any moment.

    CATALOGUE/executions/day=2026-11-20/LOG.parquet    one row per execution (`executions.schema`); LOG is a hash
    CATALOGUE/logs/RUN.parquet                         one row per log that a run has read, with its faults
    CATALOGUE/_runs/RUN/                               what a run is at, and files that are not whole yet

A file is written under `_runs` and then put in its place, so that a reader never meets half of one. What a run that was
stopped had done is taken over by the next.
"""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from planviz.errors import InputError
from planviz.jsontypes import JsonObject
from planviz.plantext.eventlog.fold import Application, Place
from planviz.spark.eventlog.events import Fault, Resume
from planviz.spark.eventlog.executions import UNLIKE, schema
from planviz.spark.eventlog.logs import Log, filesystem

#: Rows and bytes of plans that are written at once.
_ROWS, _BYTES = 1_000, 16 << 20
#: Seconds without a sign of life after which a run has ended.
_SILENCE = 60.0


@dataclass(frozen=True)
class Reading:
    """What came of reading a log.

    Its size then, its executions in the catalogue, the events, bytes of text and CPU seconds of this reading, its
    faults, where a later reading begins should it grow, its application, and the most bytes of memory of its reader.
    """

    log: str
    size: int
    executions: int
    events: int
    bytes: int
    seconds: float
    files: list[str]
    lines: list[int]
    reasons: list[str]
    in_progress: bool
    place_file: str
    place_offset: int
    place_lines: int
    app_id: str
    app_name: str
    user: str
    spark_version: str
    attempt_id: str
    peak: int

    def resume(self) -> Resume:
        """What a later reading needs of this one: faults before the place among it."""
        place = Place(self.place_file, self.place_offset, self.place_lines)
        faults = [Fault(*found) for found in zip(self.files, self.lines, self.reasons, strict=True)]
        before = (f for f in faults if f.line and (not f.file.endswith(place.file) or f.line <= place.lines))
        application = Application(self.app_id, self.app_name, self.user, self.spark_version, self.attempt_id)
        return Resume(place, application, tuple(before))


def done_by(note: JsonObject) -> tuple[int, Reading] | None:
    """When and how a log was read by its last note; None while it is being read."""
    return (note["time"], Reading(**note["done"])) if "done" in note else None


class Catalogue:
    """The catalogue at a path or URI, made when it is not there; `run` is the name of the job that writes."""

    def __init__(self, path: str, run: str = "") -> None:
        self.path = path
        self.run = run or _new_name()
        self.files, self.root = filesystem(path)
        self._folder = f"{self.root}/_runs/{self.run}"

    # -- logs

    def readings(self) -> dict[str, Reading]:
        """What is known of every log, by its name. Raises InputError for a folder that is no catalogue."""
        from pyarrow import dataset

        known: dict[str, Reading] = {}
        try:
            table = dataset.dataset(f"{self.root}/logs", filesystem=self.files, format="parquet").to_table()
            rows = sorted(table.to_pylist(), key=lambda row: row["run"])
            known = {row["log"]: Reading(**{name: row[name] for name in Reading.__annotations__}) for row in rows}
        except FileNotFoundError:
            pass
        except (OSError, ValueError, KeyError) as error:
            raise InputError(f"{self.path}: this catalogue cannot be read ({error}). Give another folder.") from None
        return known

    def remember(self, readings: list[tuple[int, Reading]]) -> None:
        """Add what came of logs, each with the time (ns) at which it was read: the latest counts."""
        import pyarrow
        from pyarrow import parquet

        if not readings:
            return
        rows = [{**asdict(reading), "run": moment} for moment, reading in readings]
        self.start()
        with self.files.open_output_stream(f"{self._folder}/logs.parquet") as stream:
            parquet.write_table(pyarrow.Table.from_pylist(rows, _logs_schema()), stream)
        self.files.create_dir(f"{self.root}/logs", recursive=True)
        self.files.move(
            f"{self._folder}/logs.parquet", f"{self.root}/logs/{time.time_ns()}-{uuid.uuid4().hex[:8]}.parquet"
        )

    # -- runs

    def start(self) -> None:
        """Make the folder of this run, or say that the run goes on."""
        self.files.create_dir(self._folder, recursive=True)
        with self.files.open_output_stream(f"{self._folder}/alive") as stream:
            stream.write(b"")

    def note(self, log: str, at: dict[str, object]) -> None:
        """Say what this run is at with a log: JSON values."""
        with self.files.open_output_stream(f"{self._folder}/{_hashed(log)}.json") as stream:
            stream.write(json.dumps({**at, "time": time.time_ns()}).encode())

    def notes(self, but: set[str]) -> Iterator[tuple[str, dict[str, object]]]:
        """Notes of this run, and the names under which they lie, but for some."""
        yield from self._notes(self._folder, but)

    def finish(self) -> None:
        """The run has ended: nothing of it is needed any more."""
        with suppress(OSError):
            self.files.delete_dir(self._folder)

    def take_over(self) -> None:
        """Remember what other runs have done so far, and clear up after those that have ended."""
        from pyarrow import fs

        done: list[tuple[int, Reading]] = []
        ended: list[str] = []
        for run in self.files.get_file_info(fs.FileSelector(f"{self.root}/_runs", allow_not_found=True)):
            if run.path == self._folder:
                continue
            done += [read for _, note in self._notes(run.path, set()) if (read := done_by(note)) is not None]
            inside = self.files.get_file_info(fs.FileSelector(run.path, allow_not_found=True))
            # The folder of a run that begins is empty for a moment: its own time counts, where the store keeps one.
            signs = [file.mtime_ns for file in (run, *inside) if file.mtime_ns is not None]
            if signs and time.time() - max(signs) / 1e9 > _SILENCE:
                ended.append(run.path)
        self.remember(done)
        for path in ended:
            with suppress(OSError):
                self.files.delete_dir(path)

    def _notes(self, folder: str, but: set[str]) -> Iterator[tuple[str, dict[str, object]]]:
        from pyarrow import fs

        for file in self.files.get_file_info(fs.FileSelector(folder, allow_not_found=True)):
            if file.path.endswith(".json") and file.base_name not in but:
                # It is being written, or its run has just ended.
                with suppress(OSError, ValueError), self.files.open_input_stream(file.path) as stream:
                    yield file.base_name, json.loads(stream.read())

    # -- executions

    def rows_of(self, log: Log) -> Rows:
        """Where the rows of a log go."""
        return Rows(self, _hashed(log.name), self._folder)


class Rows:
    """The rows of one log, a file for each day, written in batches and put in place at the end."""

    def __init__(self, catalogue: Catalogue, name: str, folder: str) -> None:
        self.count = 0
        self._files, self._root, self._name, self._folder = catalogue.files, catalogue.root, name, folder
        self._ids: set[int] = set()
        self._waiting: dict[Any, list[JsonObject]] = {}
        self._held = self._plans = 0
        self._writers: JsonObject = {}
        self._streams: JsonObject = {}

    def add(self, found: JsonObject) -> None:
        """Take one row of `executions.row`."""
        self._waiting.setdefault(found["day"], []).append(found)
        self._ids.add(found["execution_id"])
        self.count += 1
        self._held += 1
        self._plans += len(found["plan"])
        if self._held >= _ROWS or self._plans >= _BYTES:
            self._flush()

    def put(self, merge: bool, replace: bool) -> int:
        """Put all files in place; how many rows of the log were there before and stay.

        With `merge` those of other executions stay, with `replace` none of any day; with neither there were none.
        """
        self._flush()
        kept = self._kept() if merge else 0
        for day, writer in self._writers.items():
            writer.close()
            self._streams[day].close()
            self._files.create_dir(f"{self._root}/executions/{day}", recursive=True)
            self._files.move(self._part(day), self._place(day))
        if replace:
            for day in set(self._days()) - self._writers.keys():
                self._files.delete_file(self._place(day))
        return kept

    def _days(self) -> list[str]:
        """The days of which the catalogue has rows of the log."""
        from pyarrow import fs

        days = self._files.get_file_info(fs.FileSelector(f"{self._root}/executions", allow_not_found=True))
        places = self._files.get_file_info([self._place(day.base_name) for day in days])
        return [d.base_name for d, p in zip(days, places, strict=True) if p.type == fs.FileType.File]

    def _kept(self) -> int:
        """Copy rows of other executions to the new files of their days; the other days' files stay as they are."""
        import pyarrow
        from pyarrow import compute, parquet

        kept = 0
        ids = pyarrow.array(self._ids, pyarrow.int64())
        for day in self._days():
            with self._files.open_input_file(self._place(day)) as stream:
                old = parquet.ParquetFile(stream)
                if day not in self._writers:
                    kept += old.metadata.num_rows
                    continue
                for batch in old.iter_batches(_ROWS):
                    table = pyarrow.Table.from_batches([batch])
                    table = table.filter(compute.invert(compute.is_in(table["execution_id"], ids)))
                    kept += table.num_rows
                    self._writers[day].write_table(pyarrow.concat_tables(
                        [schema().empty_table(), table], promote_options="default").select(schema().names))  # fmt: skip
        return kept

    def _flush(self) -> None:
        import pyarrow
        from pyarrow import parquet

        for date, rows in self._waiting.items():
            day = f"day={date}"
            if day not in self._writers:
                stream = self._files.open_output_stream(self._part(day))
                self._streams[day] = stream
                self._writers[day] = parquet.ParquetWriter(stream, schema(), **_written())
            columns = [pyarrow.array([row[column.name] for row in rows], column.type) for column in schema()]
            self._writers[day].write_table(pyarrow.Table.from_arrays(columns, schema=schema()))
        self._waiting.clear()
        self._held = self._plans = 0

    def _part(self, day: str) -> str:
        return f"{self._folder}/{self._name}-{day}.parquet"

    def _place(self, day: str) -> str:
        return f"{self._root}/executions/{day}/{self._name}.parquet"


def _new_name() -> str:
    return f"{time.time_ns()}-{uuid.uuid4().hex[:8]}"


def _hashed(log: str) -> str:
    return hashlib.md5(log.encode(), usedforsecurity=False).hexdigest()


def _written() -> dict[str, object]:
    """How rows are written: dictionaries and least and greatest values of what repeats or is searched."""
    names = [name for name in schema().names if name not in UNLIKE and name not in ("operators", "joins")]
    return {"compression": "zstd", "compression_level": 1, "use_dictionary": names, "write_statistics": names}


def _logs_schema() -> object:
    import pyarrow

    kinds = {"str": pyarrow.string(), "int": pyarrow.int64(), "float": pyarrow.float64(), "bool": pyarrow.bool_(),
             "list[str]": pyarrow.list_(pyarrow.string()), "list[int]": pyarrow.list_(pyarrow.int64())}  # fmt: skip
    columns = [(name, kinds[str(kind)]) for name, kind in Reading.__annotations__.items()]
    return pyarrow.schema([*columns[:9], ("run", pyarrow.int64()), *columns[9:]])
