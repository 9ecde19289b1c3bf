"""One operator followed through the stages of its query: which node of another plan it is, or went into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from planviz.graph.alignment import Matches, align
from planviz.graph.join_pairs import same_joins
from planviz.graph.plan_graph import PlanGraph


def stage_matches(plans: Sequence[PlanGraph]) -> list[Matches]:
    """For every two neighbouring plans which node of the one is which of the other."""
    return [align(one, other, same_joins) for one, other in pairwise(plans)]


def followed(
    plans: Sequence[PlanGraph], matches: Sequence[Matches], at: int, node: int, to: int, *, near: bool = True
) -> int | None:
    """The node of plan `to` that the node of plan `at` is; None where nothing of it is there.

    `matches` are `stage_matches`. An operator that a stage does not have (an exchange before it was put in, a filter
    that became a part of a scan) is followed by what is next to it: its first input, and above it where there is none;
    not unless `near`.
    """
    found: int | None = node
    while at != to and found is not None:
        step = 1 if at < to else -1
        pairs = matches[min(at, at + step)]
        known = {a: b for a, (b, _) in pairs.items()} if step > 0 else {b: a for a, (b, _) in pairs.items()}
        found = _nearest(plans[at], found, known) if near else known.get(found)
        at += step
    return found


def _nearest(plan: PlanGraph, node: int, known: Mapping[int, int]) -> int | None:
    below: int | None = node
    while below is not None:
        if below in known:
            return known[below]
        below = next(iter(plan.children(below)), None)
    above = plan[node].parent
    while above is not None:
        if above in known:
            return known[above]
        above = plan[above].parent
    return None
