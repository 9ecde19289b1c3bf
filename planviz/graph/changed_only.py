"""A difference without what both plans have in common: what changed, and the operators where its branches meet."""

from __future__ import annotations

import copy
from dataclasses import replace

from planviz.graph.diff import PlanDiff
from planviz.graph.node import PlanNode
from planviz.graph.plan_graph import PlanGraph


def changed_only(found: PlanDiff) -> tuple[PlanDiff, list[int], list[int]] | None:
    """The difference of what changed alone, and the ids of what is left in the plans before and after.

    A kept operator stays where it is the root, or where changes stand below several of its inputs; the others go with
    all that hangs on them unchanged. None where nothing changed.
    """
    if not found:
        return None
    touched_before = {m.before for m in found.matches if m.changes or m.moved} | set(found.removed)
    touched_after = {m.after for m in found.matches if m.changes or m.moved} | set(found.inserted)
    stay_before, stay_after = _stay(found.before, touched_before), _stay(found.after, touched_after)
    for match in found.matches:
        # What stays on one side stays on the other, so that both can be compared.
        if (match.before in stay_before) != (match.after in stay_after):
            stay_before.add(match.before)
            stay_after.add(match.after)
    before, mine = _reduced(found.before, stay_before)
    after, theirs = _reduced(found.after, stay_after)
    matches = tuple(
        replace(match, before=mine[match.before], after=theirs[match.after])
        for match in found.matches
        if match.before in mine
    )
    inserted = tuple(theirs[id] for id in found.inserted)
    removed = tuple(mine[id] for id in found.removed)
    return PlanDiff(before, after, matches, inserted, removed), list(mine), list(theirs)


def _stay(graph: PlanGraph, touched: set[int]) -> set[int]:
    holds = [id in touched for id in range(len(graph))]
    stay = set(touched) | set(graph.roots)
    for node in reversed(list(graph.walk())):
        branches = sum(holds[child] for child in graph.children(node.id))
        if branches > 1:
            stay.add(node.id)
        holds[node.id] = holds[node.id] or branches > 0
    return stay


def _reduced(graph: PlanGraph, stay: set[int]) -> tuple[PlanGraph, dict[int, int]]:
    """The plan of the nodes that stay, and the new id of each; what hung under one that goes hangs higher."""
    place: dict[int, int] = {}
    nodes: list[PlanNode] = []
    for node in graph:
        if node.id not in stay:
            continue
        above = node.parent
        while above is not None and above not in stay:
            above = graph[above].parent
        left = copy.copy(node)
        left.id = place[node.id] = len(nodes)
        left.parent = None if above is None else place[above]
        left.depth = 0 if left.parent is None else nodes[left.parent].depth + 1
        nodes.append(left)
    return PlanGraph.from_nodes(graph.stage, graph.title, nodes, (), graph.notes), place
