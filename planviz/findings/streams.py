"""What a streaming query keeps from one batch to the next."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planviz.findings.finding import Check, Hit
from planviz.findings.plan_view import PlanView, listed, short
from planviz.graph.node import PlanNode

#: A column that a watermark is on has its delay in its name, wherever that stands.
_WITH_DELAY = re.compile(r"-T\d{1,18}ms\b")
_KEEPING = ("StateStoreSave", "StreamingDeduplicate", "StreamingSymmetricHashJoin")


class StateWithoutWatermark(Check):
    """An operator of a streaming query that keeps state, with no watermark beneath it."""

    name = "state-without-watermark"
    title = "State that nothing removes"
    severity = "warning"
    why = (
        "Only a watermark tells Spark which keys will not come again: without one each key is kept for as long as the "
    )
    why += "query lives, and every batch has more of them to load and to store."
    advice = "Call withWatermark on the event's time before, and group, join or deduplicate by that time, too."
    cost = "Events that come later than the watermark allows are dropped."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.op not in _KEEPING or "truncated" in node.badges:
                continue
            beneath = list(plan.walk(node))
            keys = node.arguments.get("keys") or node.arguments.get("left_keys") or []
            marked = any(n.op == "EventTimeWatermark" for n in beneath) or any(map(_WITH_DELAY.search, keys))
            if not keys or marked or not _down_to_sources(plan, beneath):
                continue
            by = listed([short(key, 40) for key in keys], 3)
            told = f"{node.op} by {by}: 0 watermarks beneath, so 0 keys are ever dropped."
            complete = node.arguments.get("output_mode") == "Complete"
            if complete:
                advice = "Output mode Complete asks for that: use Update or Append with a watermark, if keys may end."
                yield Hit(told, (node.id,), cause="state", severity="info", advice=advice)
            else:
                yield Hit(told, (node.id,), cause="state")


def _down_to_sources(plan: PlanView, nodes: list[PlanNode]) -> bool:
    """Whether a part of a plan stands in the text down to what it reads: a watermark stands near the source."""
    return all(node.kind == "scan" for node in nodes if not plan.inputs(node))
