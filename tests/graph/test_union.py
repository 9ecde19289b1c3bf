"""The union of a plan's states: what is kept has one slot, and above is above in every state."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from planviz.document import open_text
from planviz.graph import PlanGraph, PlanNode
from planviz.graph.diff import diff
from planviz.graph.kinds import kind_of
from planviz.graph.trace import BatchRecord, RuleStep, RuleTrace, TracedPlan
from planviz.graph.union import StepUnion
from planviz.samples import load


class Random:
    """A plan that is edited at random: nodes come, go, change and slide."""

    def __init__(self, seed: int, size: int) -> None:
        self.rng = random.Random(seed)
        self.children: dict[int, list[int]] = {0: []}
        self.text = {0: "Sort [k0 ASC], true"}
        while len(self.text) < size:
            self.grow(self.rng.choice(list(self.text)))

    def grow(self, parent: int) -> None:
        if len(self.children[parent]) < 2:
            name = max(self.text) + 1
            self.children[parent].append(name)
            self.children[name] = []
            self.text[name] = f"Filter (k{name} > {name})"

    def edit(self) -> str:
        act = self.rng.choice(["grow", "over", "drop", "change", "swap"])
        name = self.rng.choice(list(self.text))
        if act == "grow":
            self.grow(name)
        elif act == "change":
            self.text[name] += f" AND x{self.rng.randrange(9)}"
        elif act == "swap":
            self.children[name].reverse()
        elif act == "over" and self.children[name]:
            new = max(self.text) + 1
            at = self.rng.randrange(len(self.children[name]))
            below = self.children[name][at]
            self.children[name][at] = new
            self.children[new] = [below]
            self.text[new] = f"Project [k{new}#1]"
        elif act == "drop" and name and len(self.children[name]) == 1:
            above = next(parent for parent, below in self.children.items() if name in below)
            at = self.children[above].index(name)
            self.children[above][at] = self.children.pop(name)[0]
            del self.text[name]
        return act

    def graph(self) -> PlanGraph:
        nodes: list[PlanNode] = []
        stack: list[tuple[int, int | None, int]] = [(0, None, 0)]
        while stack:
            name, parent, depth = stack.pop()
            text, id = self.text[name], len(nodes)
            op = text.split()[0]
            nodes.append(PlanNode(id, op, kind_of(op), text, parent=parent, depth=depth))
            stack += [(child, id, depth + 1) for child in reversed(self.children[name])]
        return PlanGraph.from_nodes("optimized", "", nodes)


def long_trace(steps: int, nodes: int) -> RuleTrace:
    """A trace of random edits, for measuring."""
    plan = Random(7, nodes)

    def traced(graph: PlanGraph) -> TracedPlan:
        return TracedPlan(lambda: "\n".join("   " * node.depth + node.text for node in graph), lambda: graph)

    last = traced(plan.graph())
    trace = RuleTrace()
    while len(trace.steps) < steps:
        plan.edit()
        now = traced(plan.graph())
        if now.text == last.text:
            continue
        trace.steps.append(RuleStep(f"Rule{len(trace.steps) % 23}", last, now, iteration=1, milliseconds=0.1))
        last = now
        if len(trace.steps) % 20 == 0:
            trace.batches.append(BatchRecord(f"Batch {len(trace.batches)}", True, len(trace.steps)))
    return trace


def above(parent: list[int], slot: int) -> set[int]:
    found = set()
    while parent[slot] >= 0:
        slot = parent[slot]
        found.add(slot)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_every_state_fits_into_the_union(seed: int) -> None:
    plan = Random(seed, 25)
    graph = plan.graph()
    union = StepUnion(graph)
    states = [(graph, list(union.slots))]
    for _ in range(25):
        acts = [plan.edit() for _ in range(plan.rng.randrange(1, 4))]
        after = plan.graph()
        found = diff(graph, after, ids=True, numbers=True)
        before_slots = union.slots
        slots = union.advance(found)
        for match in found.matches:
            if not match.moved and "swap" not in acts:
                assert slots[match.after] == before_slots[match.before]
        graph = after
        states.append((graph, list(slots)))
    for graph, slots in states:
        assert len(set(slots)) == len(slots)
        for node in graph:
            if node.parent is not None:
                assert slots[node.parent] in above(union.parent, slots[node.id])
    order = union.order()
    assert sorted(order) == list(range(len(union.parent)))
    rank = {slot: at for at, slot in enumerate(order)}
    for graph, slots in states:
        for node in graph:
            inputs = [rank[slots[child]] for child in graph.children(node.id)]
            assert inputs == sorted(inputs), "an input of a join would change sides in the picture"


def test_slots_that_nothing_needs_are_used_again() -> None:
    trace = open_text(load("rule-log")).trace
    graphs = [trace.steps[0].graphs()[0], *(step.graphs()[1] for step in trace.steps)]
    union = StepUnion(graphs[0])
    for before, after in pairwise(graphs):
        union.advance(diff(before, after, ids=True, numbers=True))
    most = max(map(len, graphs))
    every = sum(len(diff(a, b, ids=True, numbers=True).inserted) for a, b in pairwise(graphs))
    assert most <= len(union.parent) < len(graphs[0]) + every
