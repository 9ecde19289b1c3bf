"""What refers to what inside one plan: reused exchanges and subqueries, dynamic pruning, runtime bloom filters."""

from __future__ import annotations

import re

from planviz.graph import Link, PlanGraph, PlanNode

_PLAN_ID = re.compile(r"(?:plan_id=|\[id=#)(\d{1,18})")
_SUBQUERY = re.compile(r"\b((?:scalar-)?subquery#\d+|dynamicpruning#\d+)")
_PRUNING = re.compile(r"dynamicpruning#(\d+)")
_IDS = re.compile(r"#\d+L?")


def link_references(graph: PlanGraph) -> None:
    """Add the cross links of a plan as edges of type "reuse", "pruning" and "bloom"."""
    reused, pruned, blooming = [], [], []
    for node in graph:
        if node.op.startswith("Reused"):
            reused.append(node)
        text = node.text
        if "dynamicpruning#" in text and "Subquery" not in node.op:
            pruned.append(node)
        if "might_contain(" in text:
            blooming.append(node)
    if reused:
        _link_reused(graph, reused)
    for node in pruned:
        _link_pruning(graph, node)
    for link in graph.links():
        # `explain formatted` prints conditions in detail blocks, so only the hosts of subqueries are looked at.
        host = graph[link.source]
        if link.type == "subquery" and host.operator_id is not None:
            if "dynamicpruning#" in str(host.arguments.get("partition_filters", "")):
                graph.add_link(Link(link.source, link.target, "pruning"))
            elif "might_contain(" in str(host.arguments.get("condition", "")):
                blooming.append(host)
    for node in blooming:
        for child in graph.children(node.id):
            if graph.edge_type(node.id, child) == "subquery":
                graph.add_link(Link(node.id, child, "bloom"))


def _link_reused(graph: PlanGraph, reused: list[PlanNode]) -> None:
    by_plan: dict[int, int] = {}
    by_operator: dict[int, int] = {}
    by_subquery: dict[str, int] = {}
    for node in graph:
        if node.op.startswith("Reused"):
            continue
        if node.operator_id is not None:
            by_operator.setdefault(node.operator_id, node.id)
        if "Exchange" in node.op:
            if match := _PLAN_ID.search(node.text):
                by_plan.setdefault(int(match.group(1)), node.id)
        elif node.op.startswith("Subquery") and (name := _SUBQUERY.search(node.text)):
            by_subquery.setdefault(name.group(1), node.id)
    by_shape: dict[str, int] | None = None
    for node in reused:
        target: int | None = None
        reference = str(node.arguments.get("reuses", ""))
        kind, _, number = reference.partition(" ")
        if kind == "operator":
            target = by_operator.get(int(number))
        elif match := _PLAN_ID.search(node.text):
            target = by_plan.get(int(match.group(1)))
        if target is None and (name := _SUBQUERY.search(node.text) or _SUBQUERY.search(reference)):
            target = by_subquery.get(name.group(1))
        if target is None and "], " in node.text:
            # Spark 2 prints the reused exchange whole and without a number.
            if by_shape is None:
                by_shape = _exchanges_by_shape(graph)
            target = by_shape.get(_IDS.sub("#", node.text.split("], ", 1)[1]))
        if target is not None:
            graph.add_link(Link(node.id, target, "reuse"))


def _exchanges_by_shape(graph: PlanGraph) -> dict[str, int]:
    found: dict[str, int] = {}
    for node in graph:
        if "Exchange" in node.op and node.op != "ReusedExchange":
            found.setdefault(_IDS.sub("#", node.text), node.id)
    return found


def _link_pruning(graph: PlanGraph, node: PlanNode) -> None:
    names = {f"dynamicpruning#{number}" for number in _PRUNING.findall(node.text)}
    for child in graph.children(node.id):
        if any(name in graph[child].text for name in names):
            graph.add_link(Link(node.id, child, "pruning"))
