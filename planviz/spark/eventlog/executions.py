"""One execution as a row of the catalogue."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from typing import Any

from planviz.spark.eventlog.events import Application, Execution

_NOT_OPERATORS = ("WholeStageCodegen", "InputAdapter")
_ESTIMATE = re.compile(r"== Optimized Logical Plan ==\n[^\n]*Statistics\([^\n]*?rowCount=([\d.E+]+)")
_SUMS = ("task_ms", "input_bytes", "output_bytes", "shuffle_read_bytes", "shuffle_write_bytes", "memory_spill_bytes",
         "disk_spill_bytes")  # fmt: skip

_TEXTS = ("log", "app_id", "app_name", "user", "spark_version", "query_id", "description", "status", "error",
          "fingerprint", "plan")  # fmt: skip
_TIMES = ("started", "ended")
_MAPS = ("operators", "joins")
_NUMBERS = ("execution_id", "root_execution_id", "milliseconds", "jobs", "failed_jobs", "stages", "tasks", "cpu_ms",
            *_SUMS, "output_rows")  # fmt: skip


@cache
def schema() -> Any:
    """The columns of a row as pyarrow's schema; the day is the name of the folder."""
    import pyarrow

    kinds = {
        pyarrow.string(): _TEXTS,
        pyarrow.timestamp("ms", "UTC"): _TIMES,
        pyarrow.int64(): _NUMBERS,
        pyarrow.float64(): ("estimated_rows",),
        pyarrow.map_(pyarrow.string(), pyarrow.int32()): _MAPS,
    }
    return pyarrow.schema([(name, kind) for kind, names in kinds.items() for name in names])


def row(execution: Execution, application: Application, log: str) -> dict[str, Any]:
    """The row: times in UTC, bytes, counts of operators and join strategies, the plan as Spark's sparkPlanInfo with
    its measured values as JSON. Raises ValueError or KeyError when the start event is damaged."""
    start = json.loads(execution.start)
    last = json.loads(execution.update) if execution.update else start
    plan, end = last["sparkPlanInfo"], execution.end
    _measure(plan, execution.values)
    operators = Counter(node["nodeName"].split(" ")[0] for _, node in _operators(plan))
    began, ended = start["time"], end["time"] if end is not None else None
    error = (end or {}).get("errorMessage") or ""
    estimate = _ESTIMATE.search(last.get("physicalPlanDescription") or "")
    moment = datetime.fromtimestamp(began / 1000, UTC)
    found = {
        "log": log, "app_id": application.id, "app_name": application.name, "user": application.user,
        "spark_version": application.spark, "execution_id": execution.number,
        "root_execution_id": start.get("rootExecutionId", execution.number), "query_id": start.get("queryId"),
        "description": start.get("description") or "", "started": moment,
        "ended": None if ended is None else datetime.fromtimestamp(ended / 1000, UTC),
        "milliseconds": None if ended is None else ended - began,
        "status": "incomplete" if end is None else "failed" if error or execution.failed_jobs else "succeeded",
        "error": error, "jobs": execution.jobs, "failed_jobs": execution.failed_jobs, "stages": execution.stages,
        "tasks": execution.tasks, "cpu_ms": execution.sums.get("cpu_ns", 0) // 1_000_000,
        "output_rows": _rows(plan), "estimated_rows": float(estimate[1]) if estimate else None,
        "operators": list(operators.items()),
        "joins": [(name, count) for name, count in operators.items() if name.endswith(("Join", "Product"))],
        "fingerprint": fingerprint(start["sparkPlanInfo"] if execution.update else plan),
        "plan": json.dumps(plan, separators=(",", ":")), "day": moment.date(),
    }  # fmt: skip
    return found | {name: execution.sums.get(name, 0) for name in _SUMS}


def fingerprint(plan: dict[str, Any]) -> str:
    """The shape of a plan before adaptive execution: the same for equal operators at equal places."""
    shape = "\n".join(f"{depth}:{node['nodeName'].strip()}" for depth, node in _operators(plan))
    return hashlib.md5(shape.encode(), usedforsecurity=False).hexdigest()


def _operators(plan: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Depth and node of every operator; generated stages are none. A reused subquery is not counted again."""
    stack = [(0, plan)]
    while stack:
        depth, node = stack.pop()
        own = not node["nodeName"].startswith(_NOT_OPERATORS)
        if own:
            yield depth, node
        if node["nodeName"] != "ReusedSubquery":
            stack.extend((depth + own, child) for child in reversed(node["children"]))


def _measure(plan: dict[str, Any], values: dict[int, int]) -> None:
    stack = [plan]
    while stack:
        node = stack.pop()
        for metric in node["metrics"]:
            metric["value"] = values.get(metric["accumulatorId"])
        stack.extend(node["children"])


def _rows(plan: dict[str, Any]) -> int | None:
    """The rows of the topmost operator that counts them, while every operator has one child."""
    node = plan
    while True:
        for metric in node["metrics"]:
            if metric["name"] == "number of output rows" and metric["value"] is not None:
                return int(metric["value"])
        if len(node["children"]) != 1:
            return None
        node = node["children"][0]
