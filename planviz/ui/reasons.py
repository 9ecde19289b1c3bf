"""What Explore's panel says of the selected operator, with the page that tells the whole story."""

from __future__ import annotations

from typing import Any

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
from planviz.graph import PlanGraph
from planviz.render.text import one_line
from planviz.ui.aggregations import reports
from planviz.ui.join_queries import numbered_all
from planviz.ui.opened import Opened, in_worker
from planviz.ui.views import execution_of


@in_worker
def reasons_of(opened: Opened, plan: str, node: int) -> dict[str, Any]:
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


def _planned(opened: Opened, plan: str, node: int, execution: QueryExecution) -> list[dict[str, Any]]:
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


def _operator(execution: QueryExecution | None, graph: PlanGraph, node: int) -> Any:
    """Our own operator behind a node; None for a pasted plan."""
    if execution is None or graph.stage not in execution.stages:
        return None
    return objects_of(execution.stages[graph.stage])[node]


def _joins(opened: Opened, plan: str, graph: PlanGraph, node: int, operator: Any) -> list[dict[str, object]]:
    if graph[node].kind != "join":
        return []
    subjects = {id(operator), id(getattr(operator, "origin", None))}
    for number, (query, decision) in enumerate(numbered_all(opened)):
        subject = decision.subject
        mine = id(subject) in subjects if operator is not None else _same(query.plan, plan, subject, node)
        if mine:
            told = _told(why_join(decision)) | {"page": "joins", "number": number + 1}
            return [told | {"flips": number} if query.execution is not None else told]
    return []


def _same(index: int | None, plan: str, subject: object, node: int) -> bool:
    return str(index) == plan and getattr(subject, "id", None) == node


def _aggregates(
    opened: Opened, plan: str, graph: PlanGraph, node: int, execution: QueryExecution | None
) -> list[dict[str, Any]]:
    if graph[node].kind != "aggregate" or graph.stage not in ("physical", "initial"):
        return []
    for number, report in enumerate(reports(opened), 1):
        mine = report.execution is execution if execution is not None else str(report.plan) == plan
        if not mine or all(stage.text.node != node for stage in report.stages):
            continue
        told = _told(why_stages(report, node))
        return [told | {"page": "aggregations", "number": number}]
    return []
