"""A plan without some of its operators: what stood beneath hangs under what stood above."""

from __future__ import annotations

import copy
from collections.abc import Callable

from planviz.graph.node import Link, PlanNode
from planviz.graph.plan_graph import PlanGraph


def contracted(graph: PlanGraph, drop: Callable[[PlanNode], bool]) -> tuple[PlanGraph, list[int]]:
    """The plan without the nodes that `drop` says, and for every node that stays its id before.

    Only nodes with exactly one child and a parent can go. Cross links to or from what went are taken up by what is
    beneath it.
    """
    kept: list[int] = []
    stands: dict[int, int] = {}  # id before -> id after, of the node itself or the nearest below that stayed
    for node in graph:
        if node.parent is not None and len(graph.children(node.id)) == 1 and drop(node):
            continue
        stands[node.id] = len(kept)
        kept.append(node.id)
    nodes = [_renumbered(graph, id, stands) for id in kept]
    for id in reversed([node.id for node in graph]):
        if id not in stands:
            stands[id] = stands[graph.children(id)[0]]
    links = {
        (stands[link.source], stands[link.target]): link.type
        for link in graph.links()
        if stands[link.source] != stands[link.target]
    }
    made = [Link(source, target, type) for (source, target), type in links.items()]
    return PlanGraph.from_nodes(graph.stage, graph.title, nodes, made, graph.notes), kept


def _renumbered(graph: PlanGraph, id: int, stands: dict[int, int]) -> PlanNode:
    node = copy.copy(graph[id])
    node.id = stands[id]
    above = node.parent
    while above is not None and above not in stands:
        above = graph[above].parent
    node.parent = None if above is None else stands[above]
    depth = 0
    while above is not None:
        depth += above in stands
        above = graph[above].parent
    node.depth = depth
    return node
