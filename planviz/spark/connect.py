"""One query of a Spark Connect session captured: texts, and metrics of a query that ran.

A Connect client sees no plan objects and no rules, so there is no trace, no exact estimate, and of the operators that
ran only the names.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from planviz.plantext.captures import FORMAT, MODES

_LIMITS = (
    "Spark Connect shows a client neither the rules nor exact estimates: the rules stand in the server's own log when "
    "spark.sql.planChangeLog.level is set there. Operators that ran have a name and metrics, and no arguments."
)
#: Connect's names of metrics in the words of Spark's own page.
_NAMES = {
    "numOutputRows": "number of output rows",
    "dataSize": "data size",
    "spillSize": "spill size",
    "peakMemory": "peak memory",
    "numFiles": "number of files read",
    "filesSize": "size of files read",
}


def capture_connect(frame: Any, *, sql: str, run: bool, progress: Callable[[str], None]) -> dict[str, Any]:
    """A DataFrame of Spark Connect in the form planviz-capture/1."""
    progress("planning")
    begin = time.perf_counter()
    explain = {mode: str(frame._explain_string(mode=mode)) for mode in MODES}
    session = frame.sparkSession
    found: dict[str, Any] = {
        "format": FORMAT,
        "sql": sql,
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
        plan = executed_tree(frame.executionInfo.metrics)
        if plan is not None:
            found["executed"] = {"milliseconds": round(spent, 1), "rows": rows, "plan": plan}
    return found


def executed_tree(collected: Any) -> dict[str, Any] | None:
    """The operators that ran as sparkPlanInfo; None when the server sent nothing."""
    plans = [] if collected is None else list(collected._metrics)
    if not plans:
        return None
    ids = {plan.plan_id for plan in plans}
    roots = [plan for plan in plans if plan.parent_plan_id in (0, plan.plan_id) or plan.parent_plan_id not in ids]
    below: dict[int, list[Any]] = {}
    for plan in plans:
        if plan not in roots:
            below.setdefault(plan.parent_plan_id, []).append(plan)

    def node(plan: Any) -> dict[str, Any]:
        metrics = [
            {"name": _NAMES.get(m.name, m.name), "metricType": m.metric_type, "value": m.value} for m in plan.metrics
        ]
        children = [node(child) for child in below.get(plan.plan_id, ())]
        return {"nodeName": plan.name, "simpleString": plan.name, "metrics": metrics, "children": children}

    return node(roots[0])
