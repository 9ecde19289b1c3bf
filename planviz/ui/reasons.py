"""What Explore's panel says of the selected operator, with the page that tells the whole story."""

from __future__ import annotations

from collections.abc import Mapping

from planviz.decisions.choices import Decision
from planviz.document.decisions.aggregates import aggregates_of_text, is_same
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
from planviz.document.decisions.replayed_joins import replayed_joins
from planviz.execution import QueryExecution
from planviz.findings.documents import plan_findings, tried
from planviz.graph import PlanGraph, PlanNode
from planviz.graph.words import spaced
from planviz.jsontypes import JsonObject
from planviz.logical.plan import LogicalPlan
from planviz.render.text import one_line
from planviz.ui.aggregations import reports
from planviz.ui.join_queries import numbered_all, queries_of, weight
from planviz.ui.join_rows import reason, side
from planviz.ui.opened import Opened, in_worker
from planviz.ui.views import execution_of


@in_worker
def reasons_of(opened: Opened, plan: str, node: int) -> JsonObject:
    """Why one operator is there, as JSON values: `sections`, each with `heading`, `lines`, `formula` and `calculation`.

    A section may name the `page` with the whole story and the `number` of its join or aggregate there; that of a join
    with `flips` says under which number `flips_url` looks for changes. Raises KeyError for no such plan or node.
    """
    graph = opened.graph(plan)
    if not 0 <= node < len(graph):
        raise KeyError(node)
    execution = execution_of(opened, plan)
    own = _is_own(opened, graph, execution)
    operator = objects_of(execution.stages[graph.stage])[node] if own and execution is not None else None
    found = [*_joins(opened, plan, graph, node, operator), *_aggregates(opened, plan, graph, node, own)]
    if (here := why_here(graph, graph[node])) is not None:
        found.append(_told(here))
    if (read := what_is_read(graph[node], operator)) is not None:
        found.append(_told(read))
    if own and execution is not None:
        found += _planned(opened, plan, node, execution)
    if execution is not None and operator is not None and graph.stage in ("optimized", "physical"):
        rows = how_many_rows(operator, execution)
        if rows is not None:
            found.append(_told(rows) | {"page": "cardinality"})
    return {"sections": found} | _flips_url(opened)


@in_worker
def joins_in_short(opened: Opened, plan: str) -> dict[str, object]:
    """Why the joins of a plan are what they are, as JSON values: the few that cost most, and how many `more` there are.

    Each has its `node` (an id), its `number` on the Joins page, `operator`, `sides` with the size of the smaller,
    and the `reason` in a sentence. The one that the least would change has `flips`, as in `reasons_of`. Raises KeyError
    for no such plan.
    """
    graph = opened.graph(plan)
    execution = execution_of(opened, plan)
    own = _is_own(opened, graph, execution)
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
    return {"joins": joins, "more": len(found) - len(shown)} | _flips_url(opened)


def _flips_url(opened: Opened) -> dict[str, object]:
    """What answers for a document's joins which changes flip them; nothing where none was planned here."""
    return {"flips_url": f"/joins/{opened.key}"} if opened.document.statements else {}


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


def _is_own(opened: Opened, graph: PlanGraph, execution: QueryExecution | None) -> bool:
    """Whether a plan is one of ours, node by node: of a pasted one, replayed or not, only the text is known."""
    return execution is not None and not opened.document.is_pasted and graph.stage in execution.stages


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
        if operator is not None:
            mine = id(decision.subject) in subjects
        elif query.plan is not None:
            mine = str(query.plan) == plan and getattr(decision.subject, "id", None) == node.id
        else:
            mine = decision.subject is _replayed_joins(opened, plan).get(node.id)
        if mine:
            return number, query, decision
    return None


def _replayed_joins(opened: Opened, plan: str) -> Mapping[int, LogicalPlan]:
    """The joins of a pasted plan by id, and those of ours that a replay decided on; made once."""
    key = ("replayed_joins", plan)
    if key not in opened.made:
        queries = queries_of(opened) if plan.isdigit() else ()
        opened.made[key] = replayed_joins(opened.document, int(plan), queries) if queries else {}
    made: Mapping[int, LogicalPlan] = opened.made[key]
    return made


def _aggregates(opened: Opened, plan: str, graph: PlanGraph, node: int, own: bool) -> list[JsonObject]:
    """The stages of an aggregate: those of our own plan, or as a pasted one tells them."""
    if graph[node].kind != "aggregate" or graph.stage not in ("physical", "initial"):
        return []
    execution = execution_of(opened, plan)
    listed = reports(opened)
    mine = [r for r in listed if r.execution is execution] if own else aggregates_of_text(graph, int(plan))
    for report in mine:
        if all(stage.text.node != node for stage in report.stages):
            continue
        told = _told(why_stages(report, node)) | {"page": "aggregations"}
        number = next((n for n, other in enumerate(listed, 1) if other is report or is_same(other, report)), None)
        return [told | ({} if number is None else {"number": number})]
    return []
