"""Event logs as Spark 4.3 writes them, of any size: the same events in the same order with fields of the same length.

A log is made of executions of some twenty queries: start, adaptive updates, jobs, stages with their tasks, end. Texts
are rendered once for each query; an execution only puts in its numbers.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow

SQL = "org.apache.spark.sql.execution.ui.SparkListener"
BEGAN = 1_790_000_000_000
_CALL = "collect at /srv/reports/nightly.py:118"
_STACK = "\n".join(
    f"org.apache.spark.sql.execution.{name}(SQLExecution.scala:{line})"
    for line, name in enumerate(("withNewExecutionId", "withSessionTagsApplied", "withThreadLocalCaptured") * 3, 118)
)
_TABLES = ("sales", "customers", "items", "stores", "promotions", "returns", "warehouses", "dates")
_COUNTS = ("sum", "size", "timing", "nsTiming")
_METRICS = {
    "Scan": ("number of output rows", "number of files read", "scan time", "metadata time", "size of files read",
             "number of partitions read", "static number of files read"),
    "Filter": ("number of output rows",),
    "Project": (),
    "Sort": ("sort time", "peak memory", "spill size"),
    "HashAggregate": ("number of output rows", "spill size", "time in aggregation build", "peak memory",
                      "number of sort fallback tasks", "avg hash probes per key"),
    "SortMergeJoin": ("number of output rows", "spill size"),
    "BroadcastHashJoin": ("number of output rows",),
    "BroadcastExchange": ("number of output rows", "data size", "time to collect", "time to build",
                          "time to broadcast"),
    "Exchange": ("shuffle records written", "shuffle bytes written", "shuffle write time", "records read",
                 "local bytes read", "remote bytes read", "local blocks read", "remote blocks read",
                 "fetch wait time", "remote bytes read to disk", "data size", "number of partitions",
                 "remote reqs duration", "corrupt merged block chunks", "merged fetch fallback count",
                 "remote merged blocks fetched", "local merged blocks fetched", "remote merged chunks fetched",
                 "local merged chunks fetched", "remote merged bytes read", "local merged bytes read",
                 "remote merged reqs duration"),
    "AQEShuffleRead": ("number of partitions", "partition data size", "number of coalesced partitions"),
    "WholeStageCodegen": ("duration",),
}  # fmt: skip
_TIMES = ("executorDeserializeTime", "executorDeserializeCpuTime", "executorRunTime", "executorCpuTime", "resultSize",
          "jvmGCTime", "memoryBytesSpilled", "diskBytesSpilled", "peakExecutionMemory", "input.bytesRead",
          "input.recordsRead", "shuffle.read.localBytesRead", "shuffle.read.remoteBytesRead",
          "shuffle.write.bytesWritten", "shuffle.write.recordsWritten")  # fmt: skip
#: Different random numbers in the events of a task.
_VARIED = 10
_UPDATE = re.compile(r'"Update":"@\d",')


@dataclass(frozen=True)
class Shape:
    """What a log is like: tasks of a stage on average, and how many queries it repeats."""

    tasks: int = 40
    queries: int = 20
    seed: int = 1


@dataclass
class Made:
    """What was written: logs, executions and bytes of events before they were packed."""

    logs: int = 0
    executions: int = 0
    bytes: int = 0


def write_plain(path: Path, size: int, shape: Shape) -> Made:
    """One plain log of about `size` bytes."""
    with path.open("wb", buffering=1 << 20) as stream:
        return _write(lambda chunk, _: stream.write(chunk), size, shape, path.name)


def write_rolling(folder: Path, logs: int, size: int, shape: Shape, part: int = 10_000_000) -> Made:
    """A folder of rolling logs packed with zstd, of about `size` bytes each, in parts as Spark cuts them."""
    found = Made()
    for number in range(logs):
        name = f"app-{number:04}"
        log = folder / f"eventlog_v2_{name}"
        log.mkdir(parents=True)
        (log / f"appstatus_{name}").touch()
        with _Parts(log, name, part) as parts:
            made = _write(parts.write, size, Shape(shape.tasks, shape.queries, shape.seed + number), name)
        found = Made(found.logs + 1, found.executions + made.executions, found.bytes + made.bytes)
    return found


class _Parts:
    """The parts of a rolling log; packed text is flushed where Spark flushes."""

    def __init__(self, folder: Path, name: str, size: int) -> None:
        self._path, self._name, self._size = folder, name, size
        self._number, self._written = 0, size
        self._file: BinaryIO | None = None
        self._stream: Any = None

    def __enter__(self) -> _Parts:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def write(self, chunk: bytes, flush: bool) -> None:
        if self._written >= self._size:
            self._close()
            self._number += 1
            self._written = 0
            self._file = (self._path / f"events_{self._number}_{self._name}.zstd").open("wb")
            self._stream = pyarrow.CompressedOutputStream(self._file, "zstd")
        self._stream.write(chunk)
        self._written += len(chunk)
        if flush:
            self._stream.flush()

    def _close(self) -> None:
        if self._file is not None:
            self._stream.close()
            self._file.close()


def _write(write: Callable[[bytes, bool], Any], size: int, shape: Shape, name: str) -> Made:
    made = Made(1)
    pick = random.Random(shape.seed)
    queries = [Query(pick, number) for number in range(shape.queries)]
    head = "".join(f"{line}\n" for line in _head(name)).encode()
    write(head, True)
    made.bytes += len(head)
    number = Numbers()
    while made.bytes < size:
        for text in pick.choice(queries).execution(made.executions, number, pick, shape.tasks):
            chunk = f"{text}\n".encode()
            write(chunk, True)
            made.bytes += len(chunk)
        made.executions += 1
    write(_event("SparkListenerApplicationEnd", Timestamp=BEGAN).encode() + b"\n", True)
    return made


def _event(name: str, **fields: Any) -> str:
    return json.dumps({"Event": name, **fields}, separators=(",", ":"))


def _head(name: str) -> Iterator[str]:
    yield _event("SparkListenerLogStart", **{"Spark Version": "4.3.0"})
    settings = {f"hadoop.some.longish.setting.of.the.cluster-{n}": f"its value {n * 7}" for n in range(1200)}
    yield _event("SparkListenerEnvironmentUpdate", **{"JVM Information": {}, "Hadoop Properties": settings})
    started = {"App Name": "nightly reports", "App ID": name, "Timestamp": BEGAN, "User": "reports"}
    yield _event("SparkListenerApplicationStart", **started)


@dataclass
class Numbers:
    """The next free numbers of an application."""

    accumulator: int = 0
    job: int = 0
    stage: int = 0
    task: int = 0


class Query:
    """One query: a scan, joins, an aggregate over an exchange. Accumulators in its texts are `%d`."""

    def __init__(self, pick: random.Random, number: int) -> None:
        self._pick = pick
        self._ids = 0
        self.tables = pick.sample(_TABLES, pick.randint(1, 3))
        first, self._first = self._rendered(self._plan(adapted=False))
        last, self._last = self._rendered(self._plan(adapted=True))
        text = _explained(first)
        self._description = f"report {number}: {', '.join(self.tables)}" if number % 2 else _CALL
        self._start = _event(
            f"{SQL}SQLExecutionStart", executionId="@", rootExecutionId="@", description=self._description,
            details=_STACK, physicalPlanDescription=text, sparkPlanInfo="@", time="@", modifiedConfigs={},
            jobTags=[], jobGroupId=None, queryId=f"01a1fa40-b309-78a3-ba18-{number:012}",
        ).replace('"@"', "%s")  # fmt: skip
        self._update = _event(
            f"{SQL}SQLAdaptiveExecutionUpdate", executionId="@", physicalPlanDescription=_explained(last) + text,
            sparkPlanInfo="@",
        ).replace('"@"', "%s")  # fmt: skip
        self._stages = [self._stage(table) for table in self.tables]

    # -- plans

    def _node(self, name: str, text: str, *children: dict[str, Any]) -> dict[str, Any]:
        metrics = []
        for at, metric in enumerate(_METRICS.get(name.split(" ")[0], ())):
            metrics.append({"name": metric, "accumulatorId": self._ids, "metricType": _COUNTS[at % 4]})
            self._ids += 1
        return {"nodeName": name, "simpleString": text, "children": list(children), "metadata": {}, "metrics": metrics}

    def _plan(self, adapted: bool) -> dict[str, Any]:
        self._ids = 0
        plan = self._side(self.tables[0], adapted)
        for table in self.tables[1:]:
            keys = f"[{table}_key#{self._ids}L], [{table}_sk#{self._ids + 1}L], Inner"
            other = self._side(table, adapted)
            name = "BroadcastHashJoin" if adapted and len(table) % 2 else "SortMergeJoin"
            plan = self._node("Project", f"Project [{table}_amount#{self._ids}, {table}_name#{self._ids + 2}]",
                              self._node(name, f"{name} {keys}", plan, other))  # fmt: skip
        for step in ("partial_", ""):
            plan = self._node("HashAggregate", f"HashAggregate(keys=[k#7], functions=[{step}sum(amount#9)])", plan)
            if step:
                plan = self._exchange(plan, adapted)
        if adapted:
            plan = self._node("ResultQueryStage", "ResultQueryStage 9", plan)
        return self._node("AdaptiveSparkPlan", f"AdaptiveSparkPlan isFinalPlan={str(adapted).lower()}", plan)

    def _side(self, table: str, adapted: bool) -> dict[str, Any]:
        where = f"(isnotnull({table}_key#{self._ids}L) AND ({table}_year#{self._ids + 1} = 2026))"
        scan = self._node(
            f"Scan parquet lake.{table}",
            f"FileScan parquet lake.{table}[{table}_key#3L,{table}_year#4]"
            f" Batched: true, DataFilters: [{where}], Format: Parquet, Location: InMemoryFileIndex(1"
            f" paths)[s3a://lake/{table}], PartitionFilters: [], ReadSchema: struct<a:bigint,b:int>",
        )
        scan["metadata"] = {"Format": "Parquet", "Batched": "true", "PartitionFilters": "[]", "DataFilters": where,
                            "Location": f"InMemoryFileIndex(1 paths)[s3a://lake/{table}]"}  # fmt: skip
        kept = self._node("Project", f"Project [{table}_key#3L]", self._node("Filter", f"Filter {where}", scan))
        inner = self._node(f"WholeStageCodegen ({self._ids})", f"WholeStageCodegen ({self._ids})", kept)
        sorted_side = self._exchange(inner if adapted else kept, adapted)
        return self._node("Sort", f"Sort [{table}_key#3L ASC NULLS FIRST], false, 0", sorted_side)

    def _exchange(self, child: dict[str, Any], adapted: bool) -> dict[str, Any]:
        text = f"Exchange hashpartitioning(k#{self._ids}L, 200), ENSURE_REQUIREMENTS, [plan_id={self._ids}]"
        made = self._node("Exchange", text, child)
        if not adapted:
            return made
        stage = self._node("ShuffleQueryStage", f"ShuffleQueryStage {self._ids % 10}", made)
        read = self._node("AQEShuffleRead", "AQEShuffleRead coalesced", stage)
        return self._node("InputAdapter", "InputAdapter", read)

    def _rendered(self, plan: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, list[int]]]:
        """The plan, and its JSON with `%d` for each accumulator beside their numbers from 0 on."""
        ids: list[int] = []

        def numbered(node: dict[str, Any]) -> dict[str, Any]:
            children = [numbered(child) for child in node["children"]]
            ids.extend(metric["accumulatorId"] for metric in node["metrics"])
            return {**node, "children": children, "metrics": [{**m, "accumulatorId": "@"} for m in node["metrics"]]}

        text = json.dumps(numbered(plan), separators=(",", ":")).replace('"@"', "%d")
        return plan, (text, ids)

    # -- events

    def _stage(self, table: str) -> dict[str, str]:
        storage = {"Use Disk": False, "Use Memory": False, "Use Off Heap": False, "Deserialized": False}
        rdds = [{"RDD ID": n, "Name": "MapPartitionsRDD", "Scope": f'{{"id":"spark_plan_{n}","name":"Scan {table}"}}',
                 "Callsite": _CALL, "Parent IDs": [n + 1], "Storage Level": {**storage, "Replication": 1},
                 "Barrier": False, "DeterministicLevel": "DETERMINATE", "Number of Partitions": 2,
                 "Number of Cached Partitions": 0, "Memory Size": 0, "Disk Size": 0} for n in range(5)]  # fmt: skip
        info = {"Stage ID": "@s", "Stage Attempt ID": 0, "Stage Name": _CALL, "Number of Tasks": "@n",
                "RDD Info": rdds, "Parent IDs": [], "Details": _STACK[:430], "Submission Time": BEGAN}  # fmt: skip
        rest = {"Resource Profile Id": 0, "Shuffle Push Enabled": False, "Shuffle Push Mergers Count": 0}
        settings = {f"spark.some.setting.of.this.application.{n}": f"the value of setting {n}" for n in range(28)}
        settings |= {"spark.sql.execution.id": "@e", "spark.app.name": "nightly reports"}

        def made(name: str, **fields: Any) -> str:
            text = _event(name, **fields)
            for mark in ("s", "n", "j", "a", "t", *map(str, range(_VARIED))):
                text = text.replace(f'"@{mark}"', f"%({mark})s")
            return text.replace("@e", "%(e)s")

        ends = {"Stage ID": "@s", "Stage Attempt ID": 0, "Task Type": "ShuffleMapTask",
                "Task End Reason": {"Reason": "Success"}, "Task Info": {**_task(), "Accumulables": "@a"},
                "Task Executor Metrics": {f"SomeExecutorPeakOfMemory{n}": n * 996_804 for n in range(22)},
                "Task Metrics": {f"Some Metric Of A Task {n}": f"@{n % _VARIED}" for n in range(34)}}  # fmt: skip
        return {
            "job": made("SparkListenerJobStart", **{"Job ID": "@j", "Submission Time": BEGAN,
                        "Stage Infos": [{**info, "Accumulables": [], **rest}], "Stage IDs": ["@s"],
                        "Properties": settings}),
            "submitted": made("SparkListenerStageSubmitted", **{"Stage Info": {**info, "Accumulables": [], **rest},
                              "Properties": settings}),
            "task": made("SparkListenerTaskStart", **{"Stage ID": "@s", "Stage Attempt ID": 0, "Task Info": _task()}),
            "ended": made("SparkListenerTaskEnd", **ends),
            "completed": made("SparkListenerStageCompleted",
                              **{"Stage Info": {**info, "Completion Time": BEGAN, "Accumulables": "@a", **rest}}),
        }  # fmt: skip

    def execution(self, execution: int, next: Numbers, pick: random.Random, tasks: int) -> Iterator[str]:
        """All events of one execution of this query, several to a text where Spark does not flush between them."""
        base = next.accumulator
        text, ids = self._first
        last, last_ids = self._last
        next.accumulator += max(*ids, *last_ids) + 1
        began = BEGAN + execution * 900
        final = last % tuple([base + id for id in last_ids])
        yield self._start % (execution, execution, text % tuple([base + id for id in ids]), began)
        share = len(last_ids) // len(self._stages)
        for at, stage in enumerate(self._stages):
            own = [base + id for id in last_ids[at * share : at * share + share]][:14]
            yield from self._run(stage, execution, next, own, max(1, round(pick.expovariate(1 / tasks))), pick)
            yield self._update % (execution, final)
        driver = [[base + id, pick.randrange(1000)] for id in last_ids[:3]]
        yield _event(f"{SQL}DriverAccumUpdates", executionId=execution, accumUpdates=driver)
        yield _event(f"{SQL}SQLExecutionEnd", executionId=execution, time=began + 800, errorMessage="", queryId="q")

    def _run(
        self, stage: dict[str, str], execution: int, next: Numbers, ids: list[int], tasks: int, pick: random.Random
    ) -> Iterator[str]:
        values = {"e": execution, "j": next.job, "s": next.stage, "n": tasks, "t": next.task, "a": "[]"}
        yield stage["job"] % values
        yield stage["submitted"] % values
        names = [name for names in _METRICS.values() for name in names]
        sums = [{"ID": id, "Name": names[id % len(names)], "Update": f"@{id % _VARIED}", "Value": str(id * 31),
                 "Internal": True, "Count Failed Values": True, "Metadata": "sql"} for id in ids]  # fmt: skip
        sums += [{"ID": 10**7 + n, "Name": f"internal.metrics.{name}", "Update": f"@{n % _VARIED}", "Value": 1000 + n,
                  "Internal": True, "Count Failed Values": True} for n, name in enumerate(_TIMES)]  # fmt: skip
        listed = json.dumps(sums, separators=(",", ":"))
        updates = listed
        later = {str(n): f"%({n})s" for n in range(_VARIED)}
        for n, text in later.items():
            updates = updates.replace(f"@{n}", text)
        ended = stage["ended"] % {**values, **later, "t": "%(t)s", "a": updates}
        lines = []
        for _ in range(tasks):
            task = {str(n): pick.getrandbits(4 + 2 * n) for n in range(_VARIED)} | {"t": next.task}
            lines += [stage["task"] % {**values, **task}, ended % task]
            next.task += 1
        yield "\n".join(lines)
        yield stage["completed"] % {**values, "a": _UPDATE.sub("", listed)}
        end = {"Job ID": next.job, "Completion Time": BEGAN, "Job Result": {"Result": "JobSucceeded"}}
        yield _event("SparkListenerJobEnd", **end)
        next.job += 1
        next.stage += 1


def _task() -> dict[str, Any]:
    return {"Task ID": "@t", "Index": 1, "Attempt": 0, "Partition ID": 1, "Launch Time": BEGAN, "Executor ID": "17",
            "Host": "worker-17.example.org", "Locality": "PROCESS_LOCAL", "Speculative": False,
            "Getting Result Time": 0, "Finish Time": 0, "Failed": False, "Killed": False}  # fmt: skip


def _explained(plan: dict[str, Any]) -> str:
    """The plan as EXPLAIN FORMATTED prints it, more or less."""
    lines, blocks = ["== Physical Plan =="], []
    stack = [(plan, 0)]
    while stack:
        node, depth = stack.pop()
        lines.append(f"{'   ' * depth}+- {node['nodeName']} ({len(lines)})")
        blocks.append(f"({len(blocks) + 1}) {node['nodeName']}\nInput [3]: [a#1L, b#2, c#3]\n{node['simpleString']}\n")
        stack.extend((child, depth + 1) for child in reversed(node["children"]))
    return "\n".join(lines) + "\n\n\n" + "\n".join(blocks)
