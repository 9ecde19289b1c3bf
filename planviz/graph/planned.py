"""The plan of an adaptive query before it ran, with its subqueries as they were planned, too.

Spark prints a subquery that has run inside the initial plan of its query as it ran, and its own initial plan behind it
(AdaptiveSparkPlanExec.generateTreeString); the formatted mode lists subqueries beside the plan that ran alone.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence

from planviz.graph.node import Link, PlanNode
from planviz.graph.plan_graph import PlanGraph

#: How the title of an initial plan begins that is only a part of a query: of a subquery, of what fills a cache.
PART = "Initial Plan of "
_SUBQUERY = re.compile(r"subquery#\d+")


def planned(plans: Sequence[PlanGraph]) -> PlanGraph | None:
    """The initial plan among the plans of one query, each of its subqueries replaced by its own initial plan.

    None where there is none: a query without adaptive execution, or one that has not run. A plan of which no part was
    printed twice is given as it is.
    """
    at = next((i for i, p in enumerate(plans) if p.stage == "initial" and not p.title.startswith(PART)), None)
    if at is None:
        return None
    whole = plans[at]
    parts = [p for p in plans if p.stage == "initial" and p.title.startswith(PART) and len(p)]
    if any(node.operator_id is not None for node in whole):
        return _grown(whole, {}, _hosts(whole, parts))
    return _grown(whole, _ran(whole, parts), {})


def lists_once(graph: PlanGraph) -> bool:
    """Whether a plan lists a subquery once that several operators ask, as the formatted mode does with one that ran."""
    roots = [graph[link.target].operator_id for link in graph.links() if graph[link.target].parent == link.source]
    return any(node.operator_id is not None for node in graph) and len(roots) == len(set(roots))


def _ran(whole: PlanGraph, parts: Sequence[PlanGraph]) -> dict[int, PlanGraph]:
    """The adaptive plans inside a plan that ran before it, by id, and what they were before: the first plan that was
    printed behind each and belongs to none that ended before."""
    left = {_line(part[0]): part for part in parts}
    found: dict[int, PlanGraph] = {}
    for node in reversed(list(whole)):
        if node.op != "AdaptiveSparkPlan" or node.parent is None:
            continue
        end = max(_line(below) for below in whole.walk(node.id))
        if (behind := min((line for line in left if line > end), default=None)) is not None:
            found[node.id] = left.pop(behind)
    return found


def _hosts(whole: PlanGraph, parts: Sequence[PlanGraph]) -> dict[int, list[PlanGraph]]:
    """The subqueries of a plan in the formatted mode, by the id of the operator that asks each."""
    named = {match.group(): part for part in parts if (match := _SUBQUERY.search(part.title))}
    hosts: dict[int, list[PlanGraph]] = {}
    for node in whole if named else ():
        for name in dict.fromkeys(_SUBQUERY.findall(str(node.arguments))):
            if name in named:
                hosts.setdefault(node.id, []).append(named.pop(name))
    return hosts


def _line(node: PlanNode) -> int:
    return node.source[0] if node.source is not None else 0


def _grown(whole: PlanGraph, instead: Mapping[int, PlanGraph], more: Mapping[int, Sequence[PlanGraph]]) -> PlanGraph:
    """A plan with other plans beneath some operators, `instead` of what is there or besides it."""
    if not instead and not more:
        return whole
    graphs = [whole, *instead.values(), *(part for parts in more.values() for part in parts)]
    nodes: list[PlanNode] = []
    ids: list[dict[int, int]] = [{} for _ in graphs]
    places = {id(graph): place for place, graph in enumerate(graphs)}
    stack: list[tuple[PlanGraph, int, int | None]] = [(whole, root, None) for root in whole.roots[::-1]]
    while stack:
        graph, at, parent = stack.pop()
        node = copy.copy(graph[at])
        node.id, node.parent = len(nodes), parent
        node.depth = 0 if parent is None else nodes[parent].depth + 1
        ids[places[id(graph)]][at] = node.id
        nodes.append(node)
        beneath = [(graph, child) for child in graph.children(at)]
        if graph is whole and at in instead:
            beneath = [(instead[at], root) for root in instead[at].roots]
        elif graph is whole:
            # Other modes print a subquery before what its operator reads.
            beneath = [(part, root) for part in more.get(at, ()) for root in part.roots] + beneath
        stack += [(below, child, node.id) for below, child in beneath[::-1]]
    links = [
        Link(known[link.source], known[link.target], link.type)
        for graph, known in zip(graphs, ids, strict=True)
        for link in graph.links()
        if link.source in known and link.target in known
    ]
    for host, parts in more.items():
        links += [Link(ids[0][host], ids[places[id(part)]][root], "subquery") for part in parts for root in part.roots]
    return PlanGraph.from_nodes(whole.stage, whole.title, nodes, links, whole.notes)
