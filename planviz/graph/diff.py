"""Two plans compared: what was kept, changed, moved, inserted and removed, its change in words (docs/compare.md)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from planviz.graph.alignment import align, without_expression_ids, without_numbers, without_plan_ids
from planviz.graph.differences import Change, changes
from planviz.graph.join_pairs import same_joins
from planviz.graph.literals import literal_words
from planviz.graph.plan_graph import PlanGraph


@dataclass(frozen=True, slots=True)
class Match:
    """A node that stands in both plans: `before` and `after` are its ids.

    `confidence` is 1 for a proven match (same identity, equal subtree) and less the more was guessed. `changes` say
    what is different about the node itself; `moved` that it stands elsewhere while most of the plan kept its order.
    """

    before: int
    after: int
    confidence: float
    changes: tuple[Change, ...] = ()
    moved: bool = False


@dataclass(frozen=True)
class PlanDiff:
    """Every node of both plans in exactly one place: a match, `inserted` (ids after) or `removed` (ids before).

    `matches` stand in the order of the plan before, the ids of the others in the order of their plan. `literals` are
    words of text literals that look as if they had an expression id (`planviz.graph.literals`).
    """

    before: PlanGraph
    after: PlanGraph
    matches: tuple[Match, ...]
    inserted: tuple[int, ...]
    removed: tuple[int, ...]
    literals: frozenset[str] = frozenset()

    @property
    def kept(self) -> tuple[Match, ...]:
        """Matches without a change that stand where they stood."""
        return tuple(match for match in self.matches if not match.changes and not match.moved)

    @property
    def changed(self) -> tuple[Match, ...]:
        """Matches with other arguments."""
        return tuple(match for match in self.matches if match.changes)

    @property
    def moved(self) -> tuple[Match, ...]:
        """Matches that stand elsewhere; they may have changed as well."""
        return tuple(match for match in self.matches if match.moved)

    @cached_property
    def of_after(self) -> dict[int, Match]:
        """The match of a node of the plan after, by its id."""
        return {match.after: match for match in self.matches}

    @property
    def size(self) -> int:
        """How many nodes are not as they were."""
        touched = sum(1 for match in self.matches if match.changes or match.moved)
        return touched + len(self.inserted) + len(self.removed)

    def __bool__(self) -> bool:
        return self.size > 0

    def summary(self) -> str:
        """In one line: `1 changed · 2 inserted`, or `no difference`."""
        counts = (
            (len(self.changed), "changed"),
            (len(self.moved), "moved"),
            (len(self.inserted), "inserted"),
            (len(self.removed), "removed"),
        )
        return " · ".join(f"{count:,} {word}" for count, word in counts if count) or "no difference"


def diff(before: PlanGraph, after: PlanGraph, *, ids: bool = False, numbers: bool = False) -> PlanDiff:
    """Compare two plans.

    Nodes that both carry an identity are matched by it, all others by structure and meaning. Differences in expression
    ids count only with `ids`, those in numbers alone (limits, sizes, literals) only with `numbers`; plan ids never do.
    A text literal that looks as if it had an id (`Brand#12`) is told from columns by the rest of the plan.
    """
    found = align(before, after, same_joins)
    moved = _moved(before, after, {one: two for one, (two, _) in found.items()})
    matches = []
    literals = literal_words(before, after)
    for one in sorted(found):
        two, confidence = found[one]
        different = _differs(before[one].text, after[two].text, ids, numbers, literals)
        said = changes(before[one], after[two], ids=ids, literals=literals) if different else ()
        matches.append(Match(one, two, round(confidence, 3), said, one in moved))
    taken = {match.after for match in matches}
    return PlanDiff(
        before,
        after,
        tuple(matches),
        tuple(node.id for node in after if node.id not in taken),
        tuple(node.id for node in before if node.id not in found),
        literals,
    )


def _differs(before: str, after: str, ids: bool, numbers: bool, literals: Collection[str]) -> bool:
    if before == after:
        return False
    # The mark of an unresolved operator is a difference, though alignment does not look at it.
    if (before[:1] == "'") != (after[:1] == "'"):
        return True
    one, two = without_plan_ids(before), without_plan_ids(after)
    if not ids:
        one, two = without_expression_ids(one, literals), without_expression_ids(two, literals)
    if not numbers and one != two:
        one, two = without_numbers(one), without_numbers(two)
    return one != two


def _moved(before: PlanGraph, after: PlanGraph, matches: dict[int, int]) -> set[int]:
    """Ids before of the nodes that moved: as few as explain why the rest kept its order.

    A set of matches keeps its order when both plans have it in the same pre-order and the same post-order. Nodes with
    several inputs and leaves weigh more: a filter moves through a join, not the join round the filter.
    """
    pre_after = {node.id: at for at, node in enumerate(after.walk())}
    pre_before = [node.id for node in before.walk() if node.id in matches]
    if all(pre_after[matches[a]] < pre_after[matches[b]] for a, b in pairwise(pre_before)):
        # Nothing changed places from left to right; only a node that slid along its own branch could have.
        stay = pre_before
    else:
        weights = [_weight(before, id) for id in pre_before]
        kept = _heaviest_rise([pre_after[matches[id]] for id in pre_before], weights)
        stay = [pre_before[at] for at in kept]
    post_after = {id: at for at, id in enumerate(_post_order(after))}
    staying = set(stay)
    post_before = [id for id in _post_order(before) if id in staying]
    places = [post_after[matches[id]] for id in post_before]
    if stay is pre_before and all(one < two for one, two in pairwise(places)):
        return set()
    kept = _heaviest_rise(places, [_weight(before, id) for id in post_before])
    stable = {post_before[at] for at in kept}
    return {id for id in pre_before if id not in stable and not _carried(before, after, matches, stable, id)}


def _carried(before: PlanGraph, after: PlanGraph, matches: dict[int, int], stable: set[int], id: int) -> bool:
    """Whether a node out of place only went along with the node above it, which is out of place too."""
    above = before[id].parent
    return (
        above is not None and above in matches and above not in stable and after[matches[id]].parent == matches[above]
    )


def _weight(graph: PlanGraph, id: int) -> int:
    return {"filter": 2, "project": 3}.get(graph[id].kind, 4) if len(graph.children(id)) == 1 else 8


def _post_order(graph: PlanGraph) -> list[int]:
    order, stack = [], list(graph.roots)
    while stack:
        id = stack.pop()
        order.append(id)
        stack.extend(graph.children(id))
    return order[::-1]


def _heaviest_rise(values: Sequence[int], weights: Sequence[int]) -> list[int]:
    """Positions of the heaviest rising subsequence of different values, by a Fenwick tree of best sums: O(n log n)."""
    ranks = sorted(values)
    if ranks == list(values):
        return list(range(len(values)))
    best: list[tuple[int, int]] = [(0, -1)] * (len(values) + 1)
    came_from = [-1] * len(values)
    top = (0, -1)
    for at, (value, weight) in enumerate(zip(values, weights, strict=True)):
        rank = bisect_left(ranks, value)
        sum_below, previous = 0, -1
        k = rank
        while k > 0:
            if best[k][0] > sum_below:
                sum_below, previous = best[k]
            k -= k & -k
        came_from[at] = previous
        mine = (sum_below + weight, at)
        k = rank + 1
        while k < len(best):
            if mine[0] > best[k][0]:
                best[k] = mine
            k += k & -k
        if mine[0] > top[0]:
            top = mine
    chain, at = [], top[1]
    while at >= 0:
        chain.append(at)
        at = came_from[at]
    return chain[::-1]
