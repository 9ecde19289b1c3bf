"""All logs, distributed over Spark's executors, to a catalogue in Parquet.

A log is one task, since a compressed one cannot be split and the events of an execution belong together. The task
writes its rows itself. A log that was read is not read again; one that has grown is read from where the first execution
begins that had not ended.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING

from planviz.jsontypes import JsonObject
from planviz.spark.eventlog.catalogue import Catalogue, Reading
from planviz.spark.eventlog.events import LogReader, Resume
from planviz.spark.eventlog.executions import row
from planviz.spark.eventlog.logs import Log, find_logs

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import SparkSession

#: Tasks at most; above, some read several logs.
_TASKS = 20_000
#: Seconds between two signs of what a job is at.
_OFTEN = 1.0
#: What a task tells of a log.
_READ = """log STRING, size BIGINT, executions BIGINT, events BIGINT, bytes BIGINT, seconds DOUBLE,
    files ARRAY<STRING>, lines ARRAY<BIGINT>, reasons ARRAY<STRING>, in_progress BOOLEAN, place_file STRING,
    place_offset BIGINT, place_lines BIGINT, app_id STRING, app_name STRING, user STRING, spark_version STRING,
    attempt_id STRING, peak BIGINT, read BIGINT"""
#: A log, and how an earlier reading of it ended.
Work = tuple[Log, Reading | None]


def ingest(
    session: SparkSession,
    paths: list[str],
    catalogue: str,
    progress: Callable[[str], None],
    environment: dict[str, str] | None = None,
) -> dict[str, object]:
    """Read every new log under the paths into a catalogue, which is made when it is not there.

    `environment` has variables that a file system far away needs; they are set where logs are listed and read.
    Returns counts (`logs`, `skipped`, `executions` that were read, `events`, `bytes`), the CPU `seconds` of all readers
    together, the `peak` memory of one in bytes, and `faults` as `[file, line, reason]`. Raises InputError for a path
    that cannot be listed.
    """
    with _with(environment or {}):
        progress("listing the logs")
        logs = find_logs(paths)
        target = Catalogue(catalogue)
        target.take_over()
        known = target.readings()
        work: list[Work] = [(log, known.get(log.name)) for log in logs]
        new = sorted((found for found in work if not _is_known(*found)), key=lambda found: -found[0].size)
        read = _distributed(session, new, target, environment or {}, progress) if new else []
        counts = {name: sum(entry[name] for entry in read) for name in ("events", "bytes", "seconds")}
        executions = sum(entry.pop("read") for entry in read)
        peak = max((entry["peak"] for entry in read), default=0)
        target.remember([(time.time_ns(), Reading(**entry)) for entry in read])
        target.finish()
    return {
        "logs": len(logs),
        "skipped": len(logs) - len(new),
        "executions": executions,
        "peak": peak,
        **counts,
        "faults": [list(f) for e in read for f in zip(e["files"], e["lines"], e["reasons"], strict=True)],
    }


def _is_known(log: Log, known: Reading | None) -> bool:
    return known is not None and (known.size, known.in_progress) == (log.size, log.in_progress)


def _distributed(
    session: SparkSession,
    work: list[Work],
    target: Catalogue,
    environment: dict[str, str],
    progress: Callable[[str], None],
) -> list[JsonObject]:
    path, run = target.path, target.run

    def tasks(batches: Iterator[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        import pandas

        with _with(environment):
            for batch in batches:
                chosen = [work[number] for number in batch["id"]]
                yield pandas.DataFrame([read_log(log, known, Catalogue(path, run)) for log, known in chosen])

    numbers = session.range(0, len(work), 1, min(len(work), _TASKS))
    target.start()
    with _told(target, len(work), progress):
        return [entry.asDict() for entry in numbers.mapInPandas(tasks, _READ).collect()]


def read_log(log: Log, known: Reading | None, catalogue: Catalogue) -> dict[str, object]:
    """Read one log and write its rows; a `Reading` as a dictionary, and how many executions were `read`."""
    begin = time.process_time()
    resume = _resume(log, known)
    reader = LogReader(log, resume)
    rows = catalogue.rows_of(log)
    said = time.monotonic()
    for execution in reader.executions():
        try:
            rows.add(row(execution, reader.application, log.name))
        except (ValueError, TypeError, RecursionError) as error:
            reader.fault(log.path, 0, f"execution {execution.number} is damaged ({error})")
        if time.monotonic() - said > _OFTEN:
            said = time.monotonic()
            catalogue.note(log.name, {"bytes": reader.bytes, "executions": rows.count})
    kept = rows.put(merge=resume is not None, replace=known is not None and resume is None)
    place, application = reader.place, reader.application
    reading = Reading(
        log.name, log.size, rows.count + kept, reader.events, reader.bytes, time.process_time() - begin,
        [f.file for f in reader.faults], [f.line for f in reader.faults], [f.reason for f in reader.faults],
        log.in_progress, place.file, place.offset, place.lines, application.id, application.name, application.user,
        application.spark, application.attempt, _peak_memory(),
    )  # fmt: skip
    done = asdict(reading)
    catalogue.note(log.name, {"bytes": reader.bytes, "executions": rows.count, "done": done})
    return {**done, "read": rows.count}


def _peak_memory() -> int:
    """Bytes of memory that this process has had at most; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _resume(log: Log, known: Reading | None) -> Resume | None:
    """Only what a running application wrote has grown; anything else is another log under the same name."""
    return known.resume() if known is not None and known.in_progress and log.size >= known.size else None


@contextmanager
def _told(target: Catalogue, logs: int, progress: Callable[[str], None]) -> Iterator[None]:
    """Say again and again what the tasks have noted, until they are done."""
    done: dict[str, JsonObject] = {}
    ended = threading.Event()
    said = ""

    def tell() -> None:
        nonlocal said
        at = dict(done)
        for name, note in target.notes(set(done)):
            at[name] = note
            if "done" in note:
                done[name] = note
        megabytes, executions = (sum(note[name] for note in at.values()) for name in ("bytes", "executions"))
        now = f"reading: {len(done):,} of {logs:,} logs, {megabytes / 1e6:,.0f} MB, {executions:,} executions"
        if now != said:
            progress(now)
        said = now

    def watch() -> None:
        while not ended.wait(_OFTEN):
            target.start()
            tell()

    watcher = threading.Thread(target=watch, daemon=True, name="planviz-ingest")
    watcher.start()
    try:
        tell()
        yield
        tell()
    finally:
        ended.set()
        watcher.join()


@contextmanager
def _with(environment: dict[str, str]) -> Iterator[None]:
    """Variables of the environment, set for a while."""
    before = {name: os.environ.get(name) for name in environment}
    os.environ.update(environment)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
