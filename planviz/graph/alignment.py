"""Which node of one plan is which of another: matching by identity, by equal subtrees, then by likeness.

Equal subtrees first, the largest first; then nodes whose inputs were matched; then what is left between two matched
nodes; last what went elsewhere in the plan. Every step looks at a node a bounded number of times, so that plans of ten
thousand operators are aligned in a fraction of a second.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property, lru_cache

from planviz.graph.node import PlanNode
from planviz.graph.plan_graph import PlanGraph

#: Matches of one plan's node ids to the other's, each with a confidence above 0 and up to 1.
Matches = dict[int, tuple[int, float]]
#: Pairs of ids out of nodes of both plans.
Pairing = Callable[[Sequence[PlanNode], Sequence[PlanNode]], Iterable[tuple[int, int]]]

_PLAN_ID = re.compile(r",? ?\[?(?:plan_id|id)=#?\d+\]?")
_IDS = re.compile(r"(?<=\S)#\d+L?(?:-T\d+ms)?(?!\w)")
_WORD_AND_ID = re.compile(r"(?<!\w)(\w*)(?<=\S)#\d+L?(?:-T\d+ms)?(?!\w)")
_NUMBERS = re.compile(r"(?<![\w.#])\d[\d,]*(?:\.\d+)?(?:E[+-]?\d+)?(?![\w])")
_WORDS = re.compile(r"[\w.][\w.#-]*|[<>=!]+")
#: Families in which one operator may take the place of another: a join changes its strategy, a scan its source.
_FAMILIES = frozenset({"join", "aggregate", "scan", "exchange", "limit"})
_CLIMB = 12  # unmatched nodes that may stand between a node and its matched input
_PATIENCE = 4_000  # pairs of one region that are compared each with each
_LEFT_OVER = 20_000  # pairs of one operator, anywhere in the plan, that are compared each with each
_WORDS_COMPARED = 400


def without_plan_ids(text: str) -> str:
    """A node's text without Spark's `plan_id`s and without the mark of unresolved operators."""
    text = text.removeprefix("'")
    return _PLAN_ID.sub("", text) if "id=" in text else text


def without_expression_ids(text: str, literals: Collection[str] = ()) -> str:
    """Without expression ids: `a#12L` is `a`, and `Brand#12` stays when `Brand` is one of the words of `literals`."""
    if "#" not in text:
        return text
    if not literals:
        return _IDS.sub("", text)
    return _WORD_AND_ID.sub(lambda found: found[0] if found[1] in literals else found[1], text)


def without_numbers(text: str) -> str:
    """Every number replaced by 0."""
    return _NUMBERS.sub("0", text)


class _Side:
    """One plan with what matching asks of it."""

    def __init__(self, graph: PlanGraph) -> None:
        self.graph = graph
        self.order = [node.id for node in graph.walk()]
        self.parent = [node.parent for node in graph]
        self.children = [graph.children(id) for id in range(len(graph))]
        self.size = [1] * len(graph)
        for id in reversed(self.order):
            parent = self.parent[id]
            if parent is not None:
                self.size[parent] += self.size[id]

    @cached_property
    def by_identity(self) -> dict[int, list[int]]:
        """The nodes of every identity, in pre-order."""
        found: dict[int, list[int]] = {}
        for node in self.graph.walk():
            if node.identity is not None:
                found.setdefault(node.identity, []).append(node.id)
        return found

    def text(self, level: int, id: int) -> str:
        """A node's text as it is (0), without expression ids (1), without numbers either (2)."""
        return _texts(self.graph[id].text)[level]

    def subtrees(self, level: int, known: dict[tuple[object, ...], int], matched: dict[int, int]) -> dict[int, int]:
        """A number for every unmatched node's subtree, the same for equal subtrees; `known` is shared by both sides.

        `matched` gives for every matched node a number that it shares with its match.
        """
        numbers: dict[int, int] = {}
        for id in reversed(self.order):
            if id not in matched:
                below = (~matched[child] if child in matched else numbers[child] for child in self.children[id])
                key = (self.text(level, id), *below)
                numbers[id] = known.setdefault(key, len(known))
        return numbers

    def subtree(self, id: int) -> Iterable[int]:
        """The nodes of a subtree in pre-order."""
        stack = [id]
        while stack:
            at = stack.pop()
            yield at
            stack.extend(reversed(self.children[at]))


_side = lru_cache(maxsize=4)(_Side)


class _Alignment:
    def __init__(self, before: PlanGraph, after: PlanGraph) -> None:
        # A trace's plan after one step is the one before the next.
        self.before, self.after = _side(before), _side(after)
        self.matches: Matches = {}
        self.taken: dict[int, int] = {}

    def match(self, before: int, after: int, confidence: float) -> None:
        self.matches[before] = (after, confidence)
        self.taken[after] = before

    # -- identity and equal subtrees

    def by_identity(self) -> None:
        """Nodes that both plans name alike: our own plans carry an identity."""
        there = self.after.by_identity
        shared = [(ours, there[identity]) for identity, ours in self.before.by_identity.items() if identity in there]
        if any(self.before.graph[ours[0]].text != self.after.graph[theirs[0]].text for ours, theirs in shared):
            return  # numbers of two documents: the same number means the same operator within one alone
        for ours, theirs in shared:
            if len(ours) == len(theirs):  # a shared subtree may have been copied: then its places decide
                for one, other in zip(ours, theirs, strict=True):
                    self.match(one, other, 1.0)

    def by_subtrees(self, level: int, confidence: float) -> None:
        """Subtrees that are equal and stand as often here as there, the largest first."""
        known: dict[tuple[object, ...], int] = {}
        ours = self.before.subtrees(level, known, {one: two for one, (two, _) in self.matches.items()})
        theirs = self.after.subtrees(level, known, {two: two for two in self.taken})
        places: defaultdict[int, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        for which, numbers in enumerate((ours, theirs)):
            for id in reversed(numbers):
                places[numbers[id]][which].append(id)
        for id in reversed(ours):
            if id in self.matches:
                continue
            mine, other = places[ours[id]]
            mine = [one for one in mine if one not in self.matches]
            other = [one for one in other if one not in self.taken]
            if not mine or len(mine) != len(other):
                continue
            sure = confidence if len(mine) == 1 else confidence * 0.95
            for one, two in zip(mine, other, strict=True):
                self._match_all(one, two, sure)

    def _match_all(self, before: int, after: int, confidence: float) -> None:
        pairs = zip(self.before.subtree(before), self.after.subtree(after), strict=True)
        for one, two in pairs:
            if one not in self.matches and two not in self.taken:
                self.match(one, two, confidence)

    def by_texts(self, level: int, confidence: float) -> None:
        """Nodes whose own text, with arguments, stands once on each side: they may have other inputs now."""
        ours = self._lonely(self.before, self.matches, level)
        theirs = self._lonely(self.after, self.taken, level)
        for text, id in ours.items():
            if text in theirs:
                self.match(id, theirs[text], confidence)

    @staticmethod
    def _lonely(side: _Side, matched: Matches | dict[int, int], level: int) -> dict[str, int]:
        """Unmatched nodes by texts that no other unmatched node has."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for id in side.order:
            if id not in matched and len(text := side.text(level, id)) > len(side.graph[id].op) + 2:
                places[text].append(id)
        return {text: ids[0] for text, ids in places.items() if len(ids) == 1}

    def by_joins(self, pairing: Pairing) -> None:
        """Joins that `pairing` knows again by their keys."""
        ours = [node for node in self.before.graph if node.kind == "join" and node.id not in self.matches]
        theirs = [node for node in self.after.graph if node.kind == "join" and node.id not in self.taken]
        if ours and theirs:
            for one, two in pairing(ours, theirs):
                self.match(one, two, 0.9)

    # -- likeness

    def likeness(self, before: int, after: int) -> float:
        """How alike two nodes are, from 0 (cannot be the same) to 1; their inputs are not looked at."""
        one, two = self.before.graph[before], self.after.graph[after]
        if one.op != two.op and (one.kind != two.kind or one.kind not in _FAMILIES):
            return 0.0
        base, texts = (0.35, 0.65) if one.op == two.op else (0.1, 0.6)
        mine, theirs = self.before.text(1, before), self.after.text(1, after)
        return base + texts * (1.0 if mine == theirs else _dice(mine, theirs))

    def by_inputs(self) -> None:
        """Nodes above matched inputs, from below: the same operator, with other arguments maybe."""
        for id in reversed(self.before.order):
            if id in self.matches:
                continue
            same = self._on_the_same_inputs(id)
            if same is not None:
                self.match(id, same, max(0.8, self.likeness(id, same)))
                continue
            best, found = 0.3, -1
            for candidate, climbed in self._above_inputs(id).items():
                if self.after.graph[candidate].op == self.before.graph[id].op:
                    like = self.likeness(id, candidate) - 0.1 * climbed
                    if like > best:
                        best, found = like, candidate
            if found >= 0:
                self.match(id, found, 0.5 + best / 2 - 0.02)

    def _on_the_same_inputs(self, id: int) -> int | None:
        """The unmatched node of the same operator on all the inputs of this one, which must be several.

        Of joins that stand above each other the inputs tell which is which, not how alike their conditions are.
        """
        inputs = [self.matches[child][0] for child in self.before.children[id] if child in self.matches]
        if len(inputs) < 2 or len(inputs) != len(self.before.children[id]):
            return None
        at = self.after.parent[inputs[0]]
        if at is None or at in self.taken or self.after.graph[at].op != self.before.graph[id].op:
            return None
        return at if sorted(self.after.children[at]) == sorted(inputs) else None

    def _above_inputs(self, id: int) -> dict[int, int]:
        """Unmatched nodes of the other plan above what this node's inputs were matched with, and how far above."""
        found: dict[int, int] = {}
        for child in self.before.children[id][:8]:
            below: int | None = child
            for _ in range(_CLIMB):
                if below is None or below in self.matches:
                    break
                below = next(iter(self.before.children[below]), None)
            if below is None or below not in self.matches:
                continue
            at = self.after.parent[self.matches[below][0]]
            for climbed in range(_CLIMB):
                if at is None or at in self.taken:
                    break
                found.setdefault(at, climbed)
                at = self.after.parent[at]
        return found

    def by_regions(self) -> None:
        """What is left between matched nodes, from above: unmatched nodes below the two sides of one match."""
        tops = {self.before.parent[id] for id in self.before.order if id not in self.matches}
        pairs: list[tuple[int | None, int | None]] = [(None, None)]
        pairs += [(id, self.matches[id][0]) for id in self.before.order if id in tops and id in self.matches]
        for one, two in pairs:
            ours = _region(self.before, one, self.matches)
            theirs = _region(self.after, two, self.taken)
            if ours and theirs:
                self._match_region(ours, theirs)

    def _match_region(self, ours: list[int], theirs: list[int]) -> None:
        if len(ours) * len(theirs) > _PATIENCE:
            self._match_in_order(ours, theirs)
            return
        scored = []
        for at, one in enumerate(ours):
            for place, two in enumerate(theirs):
                like = self.likeness(one, two)
                if like > 0:
                    away = abs(at / len(ours) - place / len(theirs))
                    scored.append((-like - 0.05 * (1 - away), at, place))
        for score, at, place in sorted(scored):
            one, two = ours[at], theirs[place]
            if one not in self.matches and two not in self.taken:
                self.match(one, two, min(0.95, max(0.3, -score)))

    def _match_in_order(self, ours: list[int], theirs: list[int]) -> None:
        """Two large regions: the k-th node of an operator is taken for the k-th of the same text, then operator."""
        for level in (1, 2):
            waiting: defaultdict[str, list[int]] = defaultdict(list)
            for id in reversed(theirs):
                if id not in self.taken:
                    waiting[self.after.text(1, id) if level == 1 else self.after.graph[id].op].append(id)
            for id in ours:
                key = self.before.text(1, id) if level == 1 else self.before.graph[id].op
                if id not in self.matches and waiting.get(key):
                    self.match(id, waiting[key].pop(), 0.7 if level == 1 else 0.4)

    def elsewhere(self) -> None:
        """What is left anywhere: the same operator with the same or nearly the same arguments has moved."""
        ours = [id for id in self.before.order if id not in self.matches]
        theirs = [id for id in self.after.order if id not in self.taken]
        by_op: defaultdict[str, list[int]] = defaultdict(list)
        for id in theirs:
            by_op[self.after.graph[id].op].append(id)
        pairs = Counter(self.before.graph[id].op for id in ours)
        for id in ours:
            op = self.before.graph[id].op
            every = pairs[op] * len(by_op[op]) <= _LEFT_OVER
            best, found = 0.75 if every else 0.99, -1
            for candidate in by_op[op] if every else by_op[op][:64]:
                if candidate in self.taken:
                    continue
                like = self.likeness(id, candidate)
                if like > best:
                    best, found = like, candidate
            if found >= 0:
                self.match(id, found, 0.8 * best)


def align(before: PlanGraph, after: PlanGraph, joins: Pairing | None = None) -> Matches:
    """Match the nodes of two plans; what is in none of the matches was removed or inserted.

    `joins` pairs joins that are the same by what they say, whatever operator does them.
    """
    work = _Alignment(before, after)
    work.by_identity()
    for level, confidence in ((0, 1.0), (1, 0.98), (2, 0.95)):
        if len(work.matches) < min(len(before), len(after)):
            work.by_subtrees(level, confidence)
    work.by_texts(0, 0.97)
    work.by_texts(1, 0.9)
    if joins is not None:
        work.by_joins(joins)
    work.by_inputs()
    work.by_regions()
    work.by_regions()  # what the first pass matched parts the rest anew
    work.elsewhere()
    return work.matches


def _region(side: _Side, top: int | None, matched: Matches | dict[int, int]) -> list[int]:
    """The unmatched nodes that hang under `top` (None: under nothing) without a matched node between, in pre-order."""
    stack = list(reversed(side.graph.roots if top is None else side.children[top]))
    found = []
    while stack:
        id = stack.pop()
        if id in matched:
            continue
        found.append(id)
        stack.extend(reversed(side.children[id]))
    return found


def without_ids(text: str) -> str:
    """A node's text normalized: without plan ids and expression ids, as plans are matched by it; kept."""
    return _texts(text)[1]


@lru_cache(maxsize=65_536)
def _texts(text: str) -> tuple[str, str, str]:
    exact = without_plan_ids(text)
    plain = without_expression_ids(exact)
    return exact, plain, without_numbers(plain)


@lru_cache(maxsize=65_536)
def _bag(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text, 0, 20_000)[:_WORDS_COMPARED])


def _dice(one: str, two: str) -> float:
    """Common words of two texts, from 0 to 1."""
    a, b = _bag(one), _bag(two)
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0
