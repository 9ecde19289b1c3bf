"""All logs, distributed over Spark's executors, to a catalogue in Parquet.

    CATALOGUE/executions/day=2026-11-20/LOG.parquet    one row per execution (`executions.COLUMNS`)
    CATALOGUE/logs/RUN.parquet                         one row per log that was read, with its faults

A log is one task, since a compressed one cannot be split and the events of an execution belong together. The task
writes its rows itself, 128 at a time, to a file named after the log: reading a log again replaces its rows. A log that
was read is not read again unless its size has changed.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from planviz.errors import InputError
from planviz.spark.eventlog.events import LogReader
from planviz.spark.eventlog.executions import row, schema
from planviz.spark.eventlog.logs import Log, filesystem, find_logs

_BATCH = 128
#: Tasks at most; above, some read several logs.
_TASKS = 20_000
#: What a task tells of a log.
_READ = """log STRING, size BIGINT, executions BIGINT, events BIGINT, bytes BIGINT, seconds DOUBLE,
    files ARRAY<STRING>, lines ARRAY<BIGINT>, reasons ARRAY<STRING>"""


def ingest(session: Any, paths: list[str], catalogue: str, progress: Callable[[str], None]) -> dict[str, Any]:
    """Read every new log under the paths into a catalogue, which is made when it is not there.

    Returns counts (`logs`, `skipped`, `executions`, `events`, `bytes`), the CPU `seconds` of all readers together and
    `faults` as `[file, line, reason]`. Raises InputError for a path that cannot be listed.
    """
    progress("listing the logs")
    logs = find_logs(paths)
    known = _known(catalogue)
    new = sorted((log for log in logs if known.get(log.path) != log.size), key=lambda log: -log.size)
    progress(f"reading {len(new)} logs")
    read = _distributed(session, new, catalogue) if new else []
    if read:
        _remember(catalogue, read)
    return {
        "logs": len(logs),
        "skipped": len(logs) - len(new),
        **{name: sum(entry[name] for entry in read) for name in ("executions", "events", "bytes", "seconds")},
        "faults": [list(f) for e in read for f in zip(e["files"], e["lines"], e["reasons"], strict=True)],
    }


def _distributed(session: Any, logs: list[Log], catalogue: str) -> list[dict[str, Any]]:
    def work(batches: Iterable[Any]) -> Iterator[Any]:
        import pandas

        for batch in batches:
            yield pandas.DataFrame([read_log(logs[number], catalogue) for number in batch["id"]])

    tasks = session.range(0, len(logs), 1, min(len(logs), _TASKS))
    return [entry.asDict() for entry in tasks.mapInPandas(work, _READ).collect()]


def read_log(log: Log, catalogue: str) -> dict[str, Any]:
    """Read one log and write its rows; what came of it, as a row of the catalogue's logs."""
    begin = time.process_time()
    reader = LogReader(log)
    output = _Output(catalogue, log.path)
    try:
        for execution in reader.executions():
            try:
                output.add(row(execution, reader.application, log.path))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                reader.fault(log.path, 0, f"execution {execution.number} is damaged ({error})")
    finally:
        output.close()
    faults = reader.faults
    return {
        "log": log.path, "size": log.size, "executions": output.rows, "events": reader.events, "bytes": reader.bytes,
        "seconds": time.process_time() - begin, "files": [f.file for f in faults], "lines": [f.line for f in faults],
        "reasons": [f.reason for f in faults],
    }  # fmt: skip


class _Output:
    """The rows of one log, a file for each day, written in small batches and put in place at the end."""

    def __init__(self, catalogue: str, log: str) -> None:
        self.rows = 0
        self._files, self._root = filesystem(catalogue)
        self._name = hashlib.md5(log.encode(), usedforsecurity=False).hexdigest()
        self._waiting: dict[Any, list[dict[str, Any]]] = {}
        self._writers: dict[Any, tuple[Any, str]] = {}

    def add(self, found: dict[str, Any]) -> None:
        """Take one row."""
        rows = self._waiting.setdefault(found.pop("day"), [])
        rows.append(found)
        self.rows += 1
        if len(rows) >= _BATCH:
            self._flush()

    def close(self) -> None:
        """Write what is left and put the files in place of those of an earlier reading."""
        self._flush()
        for writer, path in self._writers.values():
            writer.close()
            self._files.move(f"{path}.part", path)

    def _flush(self) -> None:
        import pyarrow
        from pyarrow import parquet

        for day, rows in self._waiting.items():
            if day not in self._writers:
                folder = f"{self._root}/executions/day={day}"
                self._files.create_dir(folder, recursive=True)
                path = f"{folder}/{self._name}.parquet"
                stream = self._files.open_output_stream(f"{path}.part")
                self._writers[day] = parquet.ParquetWriter(stream, schema(), compression="zstd"), path
            self._writers[day][0].write_table(pyarrow.Table.from_pylist(rows, schema()))
        self._waiting.clear()


def _known(catalogue: str) -> dict[str, int]:
    """The size of every log as it was last read."""
    from pyarrow import dataset

    files, root = filesystem(catalogue)
    try:
        table = dataset.dataset(f"{root}/logs", filesystem=files, format="parquet").to_table(
            columns=["log", "size", "run"]
        )
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InputError(f"{catalogue}: this catalogue cannot be read ({error}). Give another folder.") from None
    return {entry["log"]: entry["size"] for entry in sorted(table.to_pylist(), key=lambda entry: entry["run"])}


def _remember(catalogue: str, read: list[dict[str, Any]]) -> None:
    import pyarrow
    from pyarrow import parquet

    files, root = filesystem(catalogue)
    files.create_dir(f"{root}/logs", recursive=True)
    run = time.time_ns()
    table = pyarrow.Table.from_pylist([{**entry, "run": run} for entry in read])
    with files.open_output_stream(f"{root}/logs/{run}.parquet") as stream:
        parquet.write_table(table, stream)
