"""What would change a join, and what a what-if did to the whole plan."""

from __future__ import annotations

from typing import Any

from planviz.document.traces import plan_graph
from planviz.document.what_if import WhatIf
from planviz.execution import QueryExecution
from planviz.graph import PlanGraph
from planviz.graph.diff import PlanDiff, diff
from planviz.graph.from_tree import Identities
from planviz.graph.trace import RuleStep, RuleTrace, TracedPlan
from planviz.graph.words import spaced
from planviz.render.step_drawing import draw_step
from planviz.render.steps import trace_data
from planviz.render.svg import svg
from planviz.ui.cache import Opened

_MOST_CHANGES = 12


def flips(opened: Opened, asked: WhatIf, join: int) -> list[dict[str, Any]]:
    """The nearest flips of a join, each with what it asks for beside what is asked already."""
    return []


def difference(opened: Opened, asked: WhatIf, join: int) -> dict[str, Any] | None:
    """The plan of a join's query before and after a what-if: `summary`, `words` on each change, both as one `svg`."""
    from planviz.ui.joins import queries_of

    first = 0
    for before, after in zip(queries_of(opened), queries_of(opened, asked), strict=True):
        count = len(before.of("JoinSelection"))
        if first <= join < first + count and before.execution is not None and after.execution is not None:
            return _difference(before.execution, after.execution)
        first += count
    return None


def _difference(before: QueryExecution, after: QueryExecution) -> dict[str, Any] | None:
    one, two = _graph(before), _graph(after)
    found = diff(one, two)
    if not found:
        return None
    step = RuleStep("what if", _traced(one, before), _traced(two, after), batch="The plan as it is, and as if")
    drawing = draw_step(trace_data(RuleTrace([step])), 0, view="merged")
    return {"summary": found.summary(), "words": _words(found), "svg": svg(drawing, embed_font=False)}


def _graph(execution: QueryExecution) -> PlanGraph:
    return plan_graph(
        execution.physical, Identities(), stage="physical", title="Physical Plan", source_of=lambda _: None
    )


def _traced(graph: PlanGraph, execution: QueryExecution) -> TracedPlan:
    return TracedPlan(lambda: execution.text("physical"), lambda: graph)


def _words(found: PlanDiff) -> list[list[str]]:
    """Every change as a sign and words."""
    told = [["~", f"{spaced(found.after[m.after].op)}: {m.changes[0]}"] for m in found.changed]
    told += [["+", spaced(found.after[id].op)] for id in found.inserted]
    told += [["−", spaced(found.before[id].op)] for id in found.removed]
    told += [["↕", f"{spaced(found.after[m.after].op)} moved"] for m in found.moved if not m.changes]
    return told[:_MOST_CHANGES] + ([["", f"and {len(told) - _MOST_CHANGES} more"]] if len(told) > _MOST_CHANGES else [])
