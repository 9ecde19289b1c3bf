"""What Explore's panel says of the selected operator, with the page that tells the whole story."""

from __future__ import annotations

from collections.abc import Mapping

from planviz.decisions.choices import Decision
from planviz.document.decisions.adaptive import planned_joins
from planviz.document.decisions.model import Decided
from planviz.document.decisions.reasons import (
    Line,
    Reason,
    how_many_rows,
    objects_of,
    what_is_read,
    why_here,
    why_join,
    why_stages,
)
from planviz.execution import QueryExecution
from planviz.findings.documents import plan_findings, tried
from planviz.graph import PlanGraph, PlanNode
from planviz.graph.words import spaced
from planviz.jsontypes import JsonObject
from planviz.render.text import one_line
from planviz.trees.text import Printable
from planviz.ui.aggregations import reports
from planviz.ui.join_queries import numbered_all, weight
from planviz.ui.join_rows import reason, side
from planviz.ui.opened import Opened, in_worker
from planviz.ui.views import execution_of


@in_worker
def reasons_of(opened: Opened, plan: str, node: int) -> JsonObject:
    """Why one operator is there, as JSON values: `sections`, each with `heading`, `lines`, `formula` and `calculation`.

    A section may name the `page` with the whole story and the `number` of its join or aggregate there; that of a join
    with `flips` says under which number the joins' route looks for changes. Raises KeyError for no such plan or node.
    """
    graph = opened.graph(plan)
    if not 0 <= node < len(graph):
        raise KeyError(node)
    execution = execution_of(opened, plan)
    operator = _operator(execution, graph, node)
    found = [*_joins(opened, plan, graph, node, operator), *_aggregates(opened, plan, graph, node, execution)]
    if (here := why_here(graph, graph[node])) is not None:
        found.append(_told(here))
    if (read := what_is_read(graph[node], operator)) is not None:
        found.append(_told(read))
    if execution is not None:
        found += _planned(opened, plan, node, execution)
    if execution is not None and operator is not None and graph.stage in ("optimized", "physical"):
        rows = how_many_rows(operator, execution)
        if rows is not None:
            found.append(_told(rows) | {"page": "cardinality"})
    return {"sections": found}


@in_worker
def joins_in_short(opened: Opened, plan: str) -> dict[str, object]:
    """Why the joins of a plan are what they are, as JSON values: the few that cost most, and how many `more` there are.

    Each has its `node` (an id), its `number` on the Joins page, `operator`, `sides` with the size of the smaller,
    and the `reason` in a sentence. The one that the least would change has `flips`, as in `reasons_of`. Raises KeyError
    for no such plan.
    """
    graph = opened.graph(plan)
    execution = execution_of(opened, plan)
    own = execution is not None and graph.stage in execution.stages
    operators = objects_of(execution.stages[graph.stage]) if execution is not None and own else []
    found = []
    for node in graph:
        told = _decided(opened, plan, node, operators[node.id] if own else None) if node.kind == "join" else None
        if told is not None:
            found.append((node.id, *told))
    found.sort(key=lambda entry: weight(entry[3]), reverse=True)
    nearest = min(found, key=lambda entry: _to_broadcast(entry[3]), default=None)
    shown = found[:_MOST_JOINS]
    if nearest is not None and nearest not in shown and _to_broadcast(nearest[3]) < _NOTHING:
        shown[-1] = nearest
    joins = [
        {
            "node": node,
            "number": number,
            "operator": spaced(decision.outcome),
            "sides": " ⋈ ".join(_side(decision, name) for name in ("left", "right")),
            "reason": reason(decision),
        }
        | ({"flips": number - 1} if query.execution is not None and (node, number) == nearest[:2] else {})
        for node, number, query, decision in shown
        if nearest is not None
    ]
    return {"joins": joins, "more": len(found) - len(shown)}


#: Joins that stand in a panel beside much else.
_MOST_JOINS = 3
_NOTHING = 1 << 62


def _to_broadcast(decision: Decision) -> int:
    """The bytes of the smaller side, where it is not broadcast already: the nearest to being so has the fewest."""
    sizes = [size for size in decision.value("sizes") or () if isinstance(size, int)]
    return min(sizes, default=_NOTHING) if not decision.outcome.startswith("Broadcast") else _NOTHING


def _side(decision: Decision, name: str) -> str:
    """One side, the smaller with its size: it decides. The largest sizes are what Spark takes where it knows none."""
    told, sizes = side(decision, name), decision.value("sizes") or (None, None)
    size, known = sizes[name == "right"], [size for size in sizes if isinstance(size, int)]
    larger = isinstance(size, int) and (size >= _NOTHING or size > min(known))
    return str(told["names"]) if larger else f"{told['names']} {told['size']}".strip()


def _planned(opened: Opened, plan: str, node: int, execution: QueryExecution) -> list[JsonObject]:
    """The changes of settings that findings on an operator name, planned: only those that keep their promise."""
    if not plan.isdigit():
        return []
    told = []
    for finding in plan_findings(opened.document, int(plan)):
        if node not in finding.nodes or (change := tried(finding, execution).what_if) is None:
            continue
        lines = [["", f"now: {one_line(change.before, 200)}", ""], ["", f"then: {one_line(change.after, 200)}", ""]]
        told.append({"heading": "Planned with the change", "lines": lines, "formula": change.change, "calculation": ""})
    return told


def _told(reason: Reason) -> dict[str, object]:
    return {
        "heading": reason.heading,
        "lines": [_line(line) for line in reason.lines],
        "formula": one_line(reason.formula, 300),
        "calculation": one_line(reason.calculation, 600),
    }


def _line(line: Line) -> list[str]:
    return [line.mark, one_line(line.words, 300), one_line(line.seen, 400)]


def _operator(execution: QueryExecution | None, graph: PlanGraph, node: int) -> Printable | None:
    """Our own operator behind a node; None for a pasted plan."""
    if execution is None or graph.stage not in execution.stages:
        return None
    return objects_of(execution.stages[graph.stage])[node]


def _joins(opened: Opened, plan: str, graph: PlanGraph, node: int, operator: object) -> list[dict[str, object]]:
    if graph[node].kind != "join":
        return []
    found = _decided(opened, plan, graph[node], operator)
    if found is None:
        return []
    number, query, decision = found
    told = _told(why_join(decision)) | {"page": "joins", "number": number}
    return [told | {"flips": number - 1} if query.execution is not None else told]


def _decided(opened: Opened, plan: str, node: PlanNode, operator: object) -> tuple[int, Decided, Decision] | None:
    """The decision on a join, with its query and its number from 1; `operator` is our own behind the node, or None."""
    subjects = {id(operator), id(getattr(operator, "origin", None))}
    for number, (query, decision) in enumerate(numbered_all(opened), 1):
        subject = decision.subject
        if id(subject) in subjects if operator is not None else _same(query.plan, plan, subject, node.id):
            return number, query, decision
    before = _planned_as(opened, plan).get(node.id)
    if before is None:
        return None
    index, join = before  # a join that ran as it was planned: the initial plan's
    ours = _operator(execution_of(opened, str(index)), opened.document.plans[index], join.id)
    return _decided(opened, str(index), join, ours)


def _planned_as(opened: Opened, plan: str) -> Mapping[int, tuple[int, PlanNode]]:
    """The joins of a plan that has run with those of its initial plan; made once."""
    key = ("planned_joins", plan)
    if key not in opened.made:
        opened.made[key] = planned_joins(opened.document, int(plan)) if plan.isdigit() else {}
    made: Mapping[int, tuple[int, PlanNode]] = opened.made[key]
    return made


def _same(index: int | None, plan: str, subject: object, node: int) -> bool:
    return str(index) == plan and getattr(subject, "id", None) == node


def _aggregates(
    opened: Opened, plan: str, graph: PlanGraph, node: int, execution: QueryExecution | None
) -> list[dict[str, object]]:
    if graph[node].kind != "aggregate" or graph.stage not in ("physical", "initial"):
        return []
    for number, report in enumerate(reports(opened), 1):
        mine = report.execution is execution if execution is not None else str(report.plan) == plan
        if not mine or all(stage.text.node != node for stage in report.stages):
            continue
        told = _told(why_stages(report, node))
        return [told | {"page": "aggregations", "number": number}]
    return []
