"""Catalogues made of small event logs, by the reader that `planviz spark ingest` runs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from planviz.spark.eventlog.catalogue import Catalogue, Reading
from planviz.spark.eventlog.job import read_log
from planviz.spark.eventlog.logs import find_logs
from tests.spark.eventlog.made_logs import execution, plan, scan, text

MERGED, BROADCAST = "SortMergeJoin", "BroadcastHashJoin"


def joined(name: str, id: int = 1) -> dict[str, Any]:
    """A plan of one join, whose rows are counted as those of execution number id / 10."""
    join = plan(scan("Scan parquet a"), scan("Scan parquet b"), name=name) | {
        "simpleString": f"{name} [k#1], [k#2], Inner"
    }
    return plan(join, id=id + 2) | {"simpleString": "Filter (k#1 > 2)"}


def log(application: str, *executions: list[str], id: str = "app-1") -> str:
    """A log of this application and these executions."""
    return text(*executions).replace('"reports"', f'"{application}"').replace('"app-1"', f'"{id}"')


def query(number: int, description: str, shape: Any = None, took: int = 250, **more: Any) -> list[str]:
    """An execution with a description, that took so many milliseconds."""
    lines = [line.replace(f'"query {number}"', f'"{description}"') for line in execution(number, shape, **more)]
    began = 1_790_000_000_000 + number * 1000
    return [line.replace(f'"time":{began + 250}', f'"time":{began + took}') for line in lines]


def catalogue(folder: Path, logs: dict[str, str]) -> str:
    """The path of a catalogue of these logs, by name."""
    (folder / "logs").mkdir(exist_ok=True)
    for name, content in logs.items():
        (folder / "logs" / name).write_text(content)
    ingest([str(folder / "logs")], str(folder / "catalogue"))
    return str(folder / "catalogue")


def ingest(paths: list[str], catalogue: str) -> int:
    """Read logs into a catalogue without Spark; how many executions there are."""
    target = Catalogue(catalogue)
    target.start()
    read = [read_log(log, None, target) for log in find_logs(paths)]
    executions = sum(entry.pop("read") for entry in read)
    target.remember([(time.time_ns(), Reading(**entry)) for entry in read])
    target.finish()
    return executions
