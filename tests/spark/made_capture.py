"""A capture as a live Spark makes it, for tests without one."""

from __future__ import annotations

from typing import Any

ONE = "Project [1 AS one#0]\n+- OneRowRelation"
EXTENDED = f"""== Parsed Logical Plan ==
{ONE}

== Analyzed Logical Plan ==
one: int
{ONE}

== Optimized Logical Plan ==
{ONE}

== Physical Plan ==
*(1) Project [1 AS one#0]
+- *(1) Scan OneRowRelation[]
"""


def capture(
    master: str = "local[*]", sql: str = "", run: bool = False, conf: dict[str, str] | None = None, **_: Any
) -> dict[str, Any]:
    """What Spark says of SELECT 1 AS one, whatever `sql` is; with `run`, 300 rows came where one was expected."""
    made: dict[str, Any] = {
        "format": "planviz-capture/1",
        "sql": sql,
        "spark": {"version": "4.3.0", "master": master, "kind": "classic"},
        "conf": conf or {},
        "milliseconds": {"planned": 12.3},
        "explain": {"extended": EXTENDED},
        "notes": [],
    }
    if run:
        rows = [{"name": "number of output rows", "metricType": "sum", "value": 300}]
        scan: dict[str, Any] = {
            "nodeName": "Scan OneRowRelation",
            "simpleString": "Scan OneRowRelation[]",
            "estimate": [1, 1],
        }
        scan |= {"metrics": rows, "children": []}
        plan = {"nodeName": "Project", "simpleString": "Project [1 AS one#0]", "metrics": [], "children": [scan]}
        made["executed"] = {"milliseconds": 34.5, "rows": 300, "plan": plan}
    return made
