"""A plan as JSON, with all its named parts (the form of `planviz parse --format json`)."""

from __future__ import annotations

import json

from planviz.graph import PlanGraph
from planviz.graph.node import Estimate


def plan_json(graph: PlanGraph) -> dict[str, object]:
    """The plan as JSON values: stage, title, nodes in the order of the text, links and notes.

    A node has id, op, kind, parent (None for a root), depth, arguments, source (first and last line, from 1, or None),
    metrics (Spark's names to what it measured, or None) and estimate (None, or rows, bytes, whether Spark printed them
    rounded, and what the formulas give where Spark estimates no rows). Text stays exactly as Spark printed it.
    """
    return {
        "stage": graph.stage,
        "title": graph.title,
        "nodes": [
            {
                "id": node.id,
                "op": node.op,
                "kind": node.kind,
                "parent": node.parent,
                "depth": node.depth,
                "arguments": dict(node.arguments),
                "source": list(node.source) if node.source else None,
                "metrics": dict(node.metrics) if node.metrics else None,
                "estimate": _estimate(node.estimate),
            }
            for node in graph
        ],
        "links": [{"from": link.source, "to": link.target, "type": link.type} for link in graph.links()],
        "notes": list(graph.notes),
    }


def _estimate(estimate: Estimate | None) -> dict[str, object] | None:
    if estimate is None:
        return None
    return {
        "rows": estimate.rows,
        "bytes": estimate.size_in_bytes,
        "rounded": estimate.rounded,
        "formulaRows": estimate.formula_rows,
    }


def json_text(graph: PlanGraph, title: str | None = None) -> str:
    """`plan_json` as text in pure ASCII: control characters, directional marks and lone surrogates stand escaped."""
    plan = plan_json(graph)
    if title:
        plan["title"] = title
    # "<" and "&" escaped, so that the text is inert even when somebody puts it between script tags.
    text = json.dumps(plan, indent=1, ensure_ascii=True)
    return text.replace("<", "\\u003c").replace("&", "\\u0026") + "\n"
