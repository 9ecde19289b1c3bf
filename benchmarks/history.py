"""How fast a catalogue of many executions answers: `python -m benchmarks.history [ROWS] [--folder DIR]`.

Makes a catalogue as `planviz spark ingest` writes it (a file per log and day, a plan of some 10 kB in each row)
and asks it every ranking, with and without filters. Tells CPU seconds and the memory of the process at most.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from planviz.history.catalogue import Catalogue
from planviz.history.changed import changes
from planviz.history.opened import document_text
from planviz.history.questions import RANKS, Question, moment
from planviz.history.ranked import ranked
from planviz.spark.eventlog.catalogue import Catalogue as Written
from planviz.spark.eventlog.logs import Log

_ROWS, _LOGS, _DAYS = 200_000, 400, 60
_JOINS = ("BroadcastHashJoin", "SortMergeJoin", "ShuffledHashJoin", "BroadcastNestedLoopJoin", "CartesianProduct")
_BEGAN = datetime(2026, 9, 1, tzinfo=UTC)


def _plan(choose: random.Random) -> str:
    """A plan as JSON, some 10 kB, with numbers of its own."""
    node: dict[str, Any] = {"nodeName": "Scan parquet ", "simpleString": "Scan parquet t", "children": []}
    for number in range(18):
        metrics = [
            {"name": name, "accumulatorId": number * 9 + at, "metricType": "sum", "value": choose.randrange(10**9)}
            for at, name in enumerate(("number of output rows", "shuffle bytes written", "spill size"))
        ]
        name = choose.choice(("Filter", "Project", "Exchange", "HashAggregate", *_JOINS))
        text = f"{name} [c{choose.randrange(10**6)}#{choose.randrange(10**6)}, d#{choose.randrange(10**6)}]"
        node = {"nodeName": name, "simpleString": text, "children": [node], "metadata": {}, "metrics": metrics}
    return json.dumps(node | {"metrics": []})


def make(folder: Path, rows: int) -> None:
    """Write a catalogue of so many executions."""
    choose = random.Random(7)
    plans = [_plan(choose) for _ in range(2_000)]
    each = rows // _LOGS
    target = Written(str(folder))
    target.start()
    for log in range(_LOGS):
        day = _BEGAN + timedelta(days=log * _DAYS // _LOGS)
        written = target.rows_of(Log(f"/logs/app-{log}", (), 0))
        for number in range(each):
            written.add(_row(choose, plans, log, number, day))
        written.put(merge=False, replace=False)
    target.finish()


def _row(choose: random.Random, plans: list[str], log: int, number: int, day: datetime) -> dict[str, Any]:
    query, application = number % 250, log % 40
    changed = query % 25 == 3 and log > _LOGS // 2
    milliseconds = int(choose.lognormvariate(8, 1.5))
    status = choose.choices(("succeeded", "failed", "incomplete"), (95, 4, 1))[0]
    operators = {name: choose.randrange(1, 6) for name in choose.sample(("Filter", "Project", "Exchange", "Scan"), 3)}
    joins = {_JOINS[(query + changed) % 5]: 1 + query % 3} if query % 2 else {}
    started = day + timedelta(milliseconds=number * 80_000)
    numbers = ("jobs", "failed_jobs", "stages", "tasks", "cpu_ms", "task_ms", "input_bytes", "output_bytes",
               "shuffle_read_bytes", "shuffle_write_bytes", "memory_spill_bytes", "disk_spill_bytes")  # fmt: skip
    return {
        **{name: choose.randrange(10**9) for name in numbers},
        "log": f"/logs/app-{log}", "app_id": f"app-{log}", "app_name": f"nightly {application}", "user": "u",
        "spark_version": "4.3.0",
        "attempt_id": "", "day": started.date(), "execution_id": number, "root_execution_id": number,
        "query_id": f"{log}-{number}",
        "description": f"select a, b, sum(c) from t{query} join s on t{query}.k = s.k where d > {query} group by a, b",
        "status": status, "error": "boom" if status == "failed" else "", "started": started,
        "ended": started + timedelta(milliseconds=milliseconds), "milliseconds": milliseconds,
        "fingerprint": f"{application:04x}{query:04x}{changed:024x}", "plan": choose.choice(plans),
        "output_rows": choose.randrange(10**7), "estimated_rows": choose.choice((None, choose.random() * 10**8)),
        "operators": list({**operators, **joins}.items()), "joins": list(joins.items()),
    }  # fmt: skip


def _timed(name: str, work: Callable[[], Any]) -> Any:
    wall, cpu = time.perf_counter(), time.process_time()
    found = work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{name:<34} {wall:6.2f} s  {cpu:6.2f} s of CPU  {peak:5.0f} MB at most so far")
    return found


def ask(path: str) -> None:
    """Every ranking, some filters, the contents, one execution."""
    catalogue = _timed("open", lambda: Catalogue(path))
    _timed("the first question of a process", lambda: ranked(catalogue, Question("latest", limit=1)))
    filters: list[dict[str, Any]] = [
        {}, {"application": "nightly 7"}, {"text": "from t17 "}, {"join": "SortMergeJoin"},
        {"since": moment("2026-10-01"), "until": moment("2026-10-08")},
    ]  # fmt: skip
    for rank in RANKS:
        for some in filters if rank in ("slowest", "changed") else filters[:1]:
            name = f"{rank} {' '.join(map(str, some.values()))}"[:34]
            question = Question(rank, **some)
            _timed(name, lambda q=question: changes(catalogue, q) if q.rank == "changed" else ranked(catalogue, q))
    _timed("contents", Catalogue(path).contents)
    found = ranked(catalogue, Question(limit=1)).executions[0]
    _timed("open one execution", lambda: document_text(catalogue, found.log, found.execution_id))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="?", type=int, default=_ROWS)
    parser.add_argument("--folder", help="a catalogue that is there already, or where to make one and leave it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as spare:
        folder = Path(options.folder or spare)
        if not (folder / "executions").is_dir():
            _timed(f"make {options.rows:,} rows", lambda: make(folder, options.rows))
        ask(str(folder))


if __name__ == "__main__":
    main()
