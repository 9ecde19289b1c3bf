"""One query of a Spark Connect session captured: texts, and metrics of a query that ran; and what its errors mean.

A Connect client sees no plan objects and no rules, so there is no trace, no exact estimate, and of the operators that
ran only the names. Where these are those of the explained plan, in the same tree, its lines describe them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from planviz.errors import AnalysisError, PlanvizError, SparkError, SparkLost, SparkUnreachable
from planviz.jsontypes import JsonObject
from planviz.plantext.captures import FORMAT, MODES
from planviz.spark.jvm import JavaObject

if TYPE_CHECKING:
    from pyspark.sql.connect.dataframe import DataFrame as ConnectFrame

_LIMITS = (
    "Spark Connect shows a client neither the rules nor exact estimates: the rules stand in the server's own log when "
    "spark.sql.planChangeLog.level is set there."
)
_JOINED = "What ran has the operators of the plan as it was explained, so each is described by its line there."
_APART = (
    "What ran has other operators than the plan as it was explained (it was adapted while it ran), and Spark Connect "
    "tells their names and metrics only."
)
#: Operators that only one of the two plans shows.
_WRAPPERS = ("WholeStageCodegen", "InputAdapter", "AdaptiveSparkPlan", "AQEShuffleRead", "ColumnarToRow",
             "ResultQueryStage", "ShuffleQueryStage", "BroadcastQueryStage", "TableCacheQueryStage")  # fmt: skip
_BRANCH = re.compile(r"^([ :]*)[+:]- ")
_STAGE = re.compile(r"^\*(?:\(\d+\))? ")
#: Connect's names of metrics in the words of Spark's own page.
_NAMES = {
    "numOutputRows": "number of output rows",
    "dataSize": "data size",
    "spillSize": "spill size",
    "peakMemory": "peak memory",
    "numFiles": "number of files read",
    "filesSize": "size of files read",
}


def capture_connect(frame: ConnectFrame, *, sql: str, run: bool, progress: Callable[[str], None]) -> dict[str, object]:
    """A DataFrame of Spark Connect in the form planviz-capture/1."""
    progress("planning")
    now = datetime.now(UTC).isoformat()
    begin = time.perf_counter()
    explain = {mode: str(frame._explain_string(mode=mode)) for mode in MODES}
    session = frame.sparkSession
    found: JsonObject = {
        "format": FORMAT,
        "sql": sql,
        "at": now,
        "spark": {"version": session.version, "master": "Spark Connect", "kind": "connect"},
        "conf": {},
        "milliseconds": {"planned": round((time.perf_counter() - begin) * 1e3 / len(MODES), 1)},
        "explain": explain,
        "notes": [_LIMITS],
    }
    if run:
        progress("running")
        begin = time.perf_counter()
        rows = frame.toArrow().num_rows
        spent = (time.perf_counter() - begin) * 1e3
        information = frame.executionInfo
        plan = executed_tree(None if information is None else information.metrics)
        if plan is not None:
            found["executed"] = {"milliseconds": round(spent, 1), "rows": rows, "plan": plan}
            found["notes"].append(_JOINED if describe(plan, explain["simple"]) else _APART)
    return found


def executed_tree(collected: JavaObject) -> dict[str, object] | None:
    """The operators that ran as sparkPlanInfo; None when the server sent nothing."""
    plans = [] if collected is None else list(collected._metrics)
    if not plans:
        return None
    ids = {plan.plan_id for plan in plans}
    roots = [plan for plan in plans if plan.parent_plan_id in (0, plan.plan_id) or plan.parent_plan_id not in ids]
    below: dict[int, list[object]] = {}
    for plan in plans:
        if plan not in roots:
            below.setdefault(plan.parent_plan_id, []).append(plan)

    def node(plan: JavaObject) -> JsonObject:
        metrics = [
            {"name": _NAMES.get(m.name, m.name), "metricType": m.metric_type, "value": m.value} for m in plan.metrics
        ]
        children = [node(child) for child in below.get(plan.plan_id, ())]
        return {"nodeName": plan.name, "simpleString": plan.name, "metrics": metrics, "children": children}

    return node(roots[0])


def describe(executed: JsonObject, explained: str) -> bool:
    """Give the operators that ran the lines of the explained plan, if both are the same tree of names; whether so."""
    ran = list(_ran(executed, 0))
    lines = list(_lines(explained))
    same = len(ran) == len(lines) and all(
        depth == other and line.removeprefix("File").startswith(node["nodeName"].strip())
        for (depth, node), (other, line) in zip(ran, lines, strict=True)
    )
    if same:
        for (_, node), (_, line) in zip(ran, lines, strict=True):
            node["simpleString"] = line
    return same


def _ran(node: JsonObject, depth: int) -> Iterator[tuple[int, JsonObject]]:
    """Operators with their depth, without wrappers."""
    if not node["nodeName"].startswith(_WRAPPERS):
        yield depth, node
        depth += 1
    for child in node["children"]:
        yield from _ran(child, depth)


def _lines(explained: str) -> Iterator[tuple[int, str]]:
    """Lines of a physical plan with their depth, without wrappers."""
    wrappers: list[int] = []
    for line in explained.strip().splitlines():
        branch = _BRANCH.match(line)
        depth = 0 if branch is None else len(branch[1]) // 3 + 1
        text = _STAGE.sub("", line[branch.end() :] if branch is not None else line)
        if not text or text.startswith("=="):
            continue
        wrappers = [at for at in wrappers if at < depth]
        if text.startswith(_WRAPPERS):
            wrappers.append(depth)
        else:
            yield depth - len(wrappers), text


_STATUS = re.compile(r"status = StatusCode\.(\w+)\s+details = \"(.*?)\"(?:\s+debug|\s*>|$)", re.DOTALL)


def connect_error(error: Exception, where: str) -> SparkError | None:
    """What a broken connection to the server `where` means, in a sentence; None for any other error."""
    status = _STATUS.search(str(error))
    if status is None:
        return None
    kind, details = status[1], " ".join(status[2].split())[:300]
    if kind == "UNAVAILABLE":
        return SparkLost(f"The Spark Connect server at {where} has ended, or cannot be reached any more ({details}).")
    if kind in ("UNAUTHENTICATED", "PERMISSION_DENIED"):
        return SparkUnreachable(
            f"The Spark Connect server at {where} lets nobody in without its own token ({details})."
        )
    return SparkError(f"The Spark Connect server at {where} answers {kind}: {details}.")


_EXPLAIN_ERROR = re.compile(r"Error occurred during query planning:\s*(?:\[([\w.]+)\] )?(.*)", re.DOTALL)


def explained_error(text: str) -> PlanvizError | None:
    """The error that EXPLAIN gives in place of a plan; None where there is a plan."""
    found = _EXPLAIN_ERROR.match(text.lstrip())
    if found is None:
        return None
    sentence = " ".join(found[2].split("== SQL")[0].split())[:1000]
    return AnalysisError(found[1], sentence) if found[1] else SparkError(f"Spark says: {sentence}")
