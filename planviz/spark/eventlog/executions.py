"""One execution as a row of the catalogue."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from planviz.jsontypes import JsonObject
from planviz.plantext.eventlog.fold import NOT_OPERATORS, Application, Execution, measure
from planviz.plantext.eventlog.messages import Form, Operator, plan_text, read_form, read_plan, read_text

if TYPE_CHECKING:
    import pyarrow

_OPTIMIZED = b"== Optimized Logical Plan =="
_ROWS = re.compile(r"== Optimized Logical Plan ==\n[^\n]*Statistics\([^\n]*?rowCount=([\d.E+]+)")
#: Metrics that count the rows that leave an operator.
_COUNTS = ("number of output rows", "shuffle records written")
_LIMITS = ("CollectLimit", "CollectTail", "GlobalLimit", "TakeOrderedAndProject")
_LIMIT = re.compile(rb'^"\w+(?: |\(limit=)(\d+)')
_SUMS = ("task_ms", "input_bytes", "output_bytes", "shuffle_read_bytes", "shuffle_write_bytes", "memory_spill_bytes",
         "disk_spill_bytes")  # fmt: skip

_TEXTS = ("log", "app_id", "app_name", "user", "spark_version", "query_id", "description", "status", "error",
          "fingerprint", "plan")  # fmt: skip
_TIMES = ("started", "ended")
_MAPS = ("operators", "joins")
_NUMBERS = ("execution_id", "root_execution_id", "milliseconds", "jobs", "failed_jobs", "stages", "tasks", "cpu_ms",
            *_SUMS, "output_rows")  # fmt: skip
#: Texts that are long or never the same twice.
UNLIKE = ("plan", "query_id")


@cache
def schema() -> pyarrow.Schema:
    """The columns of a row as pyarrow's schema; the day is the name of the folder. New ones come at the end."""
    import pyarrow

    kinds = (
        (pyarrow.string(), _TEXTS),
        (pyarrow.timestamp("ms", "UTC"), _TIMES),
        (pyarrow.int64(), _NUMBERS),
        (pyarrow.float64(), ("estimated_rows",)),
        (pyarrow.map_(pyarrow.string(), pyarrow.int32()), _MAPS),
        (pyarrow.string(), ("attempt_id",)),
    )
    return pyarrow.schema([(name, kind) for kind, names in kinds for name in names])


def row(execution: Execution, application: Application, log: str) -> JsonObject:
    """The row: times in UTC, bytes, counts of operators and join strategies, the plan as Spark's sparkPlanInfo with
    its measured values as JSON. Raises ValueError when a plan is damaged."""
    start, end = execution.start, execution.end
    if not start.time:
        raise ValueError("the start of the execution has no time")
    plan = read_plan(execution.plan)
    operators = measure(plan, execution.values)
    error = (end.error_message if end else None) or ""
    moment = datetime.fromtimestamp(start.time / 1000, UTC)
    found = {
        "log": log, "app_id": application.id, "app_name": application.name, "user": application.user,
        "attempt_id": application.attempt,
        "spark_version": application.spark, "execution_id": execution.number,
        "root_execution_id": execution.number if start.root_execution_id is None else start.root_execution_id,
        "query_id": start.query_id, "description": start.description or "", "started": moment,
        "ended": datetime.fromtimestamp(end.time / 1000, UTC) if end else None,
        "milliseconds": end.time - start.time if end else None,
        "status": "incomplete" if end is None else "failed" if error or execution.failed_jobs else "succeeded",
        "error": error, "jobs": execution.jobs, "failed_jobs": execution.failed_jobs, "stages": execution.stages,
        "tasks": execution.tasks, "cpu_ms": execution.sums.get("cpu_ns", 0) // 1_000_000,
        "output_rows": _output_rows(plan), "estimated_rows": _estimate(bytes(start.physical_plan_description)),
        "operators": list(operators.items()),
        "joins": [(name, count) for name, count in operators.items() if name.endswith(("Join", "Product"))],
        "fingerprint": fingerprint(read_form(start.spark_plan_info)),
        "plan": plan_text(plan).decode(), "day": moment.date(),
    }  # fmt: skip
    return found | {name: execution.sums.get(name, 0) for name in _SUMS}


def fingerprint(plan: Form) -> str:
    """The shape of a plan before adaptive execution: the same for equal operators at equal places."""
    shape = "\n".join([f"{depth}:{name.strip()}" for depth, name in _shape(plan)])
    return hashlib.md5(shape.encode(), usedforsecurity=False).hexdigest()


def _shape(plan: Form) -> Iterator[tuple[int, str]]:
    """Depth and name of every operator; generated stages are none. A reused subquery is not counted again."""
    stack = [(0, plan)]
    while stack:
        depth, node = stack.pop()
        own = not node.node_name.startswith(NOT_OPERATORS)
        if own:
            yield depth, node.node_name
        if node.node_name != "ReusedSubquery":
            stack += [(depth + own, child) for child in reversed(node.children)]


def _output_rows(plan: Operator) -> int | None:
    """The rows of the topmost operator that counts them, while every operator has one child; a limit above bounds them.

    An exchange counts what it wrote: of a sort's exchange, Spark runs what is below twice, to find its bounds.
    """
    node, most = plan, None
    while True:
        for metric in node.metrics:
            if metric.name in _COUNTS and metric.value is not None:
                return metric.value if most is None else min(metric.value, most)
        if node.node_name in _LIMITS and (limit := _LIMIT.search(bytes(node.simple_string))) is not None:
            most = int(limit[1]) if most is None else min(int(limit[1]), most)
        if len(node.children) != 1:
            return None
        node = node.children[0]


def _estimate(description: bytes) -> float | None:
    """The rows that the optimizer expected of the whole query, where the description (JSON text) has its plan."""
    if _OPTIMIZED not in description:
        return None
    found = _ROWS.search(read_text(description))
    return float(found[1]) if found else None
