"""Decisions that are taken from a text because nothing in it says why they came out so: the order of joins by cost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from planviz.logical.combining import Join
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.replay.fitted_tables import key_of
from planviz.replay.opaque import nodes_of
from planviz.replay.wanted import Wanted, signature_of

_NUMBER = re.compile(r"#\d+L?")
Leaves = frozenset[int]
Names = frozenset[str]
Tokens = frozenset[int | str]
#: What tells relations apart.
Leaf = TypeVar("Leaf", int, str, int | str)


class PrintedOrder:
    """The order of the joins of an optimized plan: what each join has on its left and right, by the leaves there.

    Leaves are told by their columns; where a definition stands for several uses, each has new columns, and its tables
    tell it. `used` are the groups of relations whose order was asked for and found, as words.
    """

    def __init__(self, printed: LogicalPlan) -> None:
        self.leaf: dict[int, int] = {}
        self.joins: list[tuple[Leaves, Leaves]] = []
        self.named: list[tuple[Names, Names]] = []
        self.within: list[tuple[Tokens, Tokens]] = []
        self.nodes: list[Join] = []
        self.used: list[str] = []
        for at, node in enumerate(n for n in nodes_of(printed) if not n.children):
            for a in node.output:
                self.leaf.setdefault(a.expr_id, at)
        for node in nodes_of(printed):
            if isinstance(node, Join):
                self.nodes.append(node)
                self.joins.append((self._leaves(node.left), self._leaves(node.right)))
                self.named.append((_tables(node.left), _tables(node.right)))
                self.within.append((_given(node.left), _given(node.right)))

    def _told_apart(self, relations: Sequence[LogicalPlan]) -> list[Tokens]:
        """What only one of the relations has: ids of columns that it gives and the printed plan has, too, which is so
        for each use of a definition; of a relation without such ones, tables."""
        printed = frozenset[int | str]().union(*(side for sides in self.within for side in sides))
        ids = [frozenset(a.expr_id for a in r.output) & printed for r in relations]
        tables = [_tables(r) for r in relations]
        found: list[Tokens] = []
        for at in range(len(relations)):
            other = (part for i, part in enumerate(ids) if i != at)
            own: Tokens = ids[at].difference(*other)
            if not own:
                own = frozenset(tables[at]).difference(*(t for i, t in enumerate(tables) if i != at))
            found.append(own)
        return found

    def _likest(self, relations: Sequence[LogicalPlan]) -> list[tuple[Names, Names]]:
        """The tables of the joins, those first beneath which most operators are those of the relations: where a query
        joins the same tables twice, their filters tell which is meant."""
        operators = frozenset[str]().union(*map(_operators, relations))
        alike = [-len(operators & _operators(node)) for node in self.nodes]
        return [self.named[at] for at in sorted(range(len(self.nodes)), key=alike.__getitem__)]

    def _leaves(self, plan: LogicalPlan) -> Leaves:
        """The leaves beneath, as they are numbered in the printed plan, without those that are not in it."""
        ids = (a.expr_id for node in plan.walk() if not node.children for a in node.output)
        return frozenset(self.leaf[i] for i in ids if i in self.leaf)

    def __call__(self, relations: Sequence[LogicalPlan]) -> dict[int, tuple[int, int]] | None:
        """The joins that the printed order makes of these relations, as bits; None where it has none for them."""
        pairs = _pairs([self._leaves(r) for r in relations], self.joins)
        if pairs is None:
            pairs = _pairs([_tables(r) for r in relations], self._likest(relations))
        if pairs is None:
            pairs = _pairs(self._told_apart(relations), self.within)
        if pairs is None:
            return None
        words = f"the order in which {', '.join(_name(r) for r in relations)} are joined"
        if words not in self.used:
            self.used.append(words)
        return pairs


def _operators(plan: LogicalPlan) -> frozenset[str]:
    """The lines of the operators beneath, without numbers."""
    return frozenset(_NUMBER.sub("", n.simple_string) for n in plan.walk())


def _given(plan: LogicalPlan) -> Tokens:
    """The ids of all columns beneath, and the names of the tables."""
    return frozenset(a.expr_id for n in plan.walk() for a in n.output) | _tables(plan)


def _pairs(
    beneath: Sequence[frozenset[Leaf]], joins: Sequence[tuple[frozenset[Leaf], frozenset[Leaf]]]
) -> dict[int, tuple[int, int]] | None:
    """The joins of relations that have these leaves beneath them, by joins over the same leaves; None: no such ones."""
    every = frozenset[Leaf]().union(*beneath)
    if not all(beneath) or sum(map(len, beneath)) > len(every):
        return None
    bits = {leaf: 1 << at for at, leaves in enumerate(beneath) for leaf in leaves}
    sides: dict[int, tuple[int, int]] = {}
    for left, right in joins:
        a, b = _items(left & every, bits), _items(right & every, bits)
        if a and b and not a & b:
            sides.setdefault(a | b, (a, b))
    pairs: dict[int, tuple[int, int]] = {}
    stack = [(1 << len(beneath)) - 1]
    while stack:
        items = stack.pop()
        if items.bit_count() == 1:
            continue
        if items not in sides:
            return None
        pairs[items] = sides[items]
        stack += sides[items]
    return pairs


def _tables(plan: LogicalPlan) -> Names:
    """The names of the tables beneath."""
    return frozenset(key_of(n) for n in plan.walk() if isinstance(n, LogicalRelation))


def _items(leaves: frozenset[Leaf], bits: dict[Leaf, int]) -> int:
    found = 0
    for leaf in leaves:
        found |= bits[leaf]
    return found


def _name(plan: LogicalPlan) -> str:
    """What a relation is called: its table, or the operator at its top."""
    given = [getattr(n, "name", None) for n in plan.walk() if not n.children]
    names = [str(name[-1]) for name in given if name]
    return names[0] if len(names) == 1 else plan.node_name


def with_choices(plan: LogicalPlan, wanted: Sequence[Wanted]) -> tuple[LogicalPlan, list[str]]:
    """An optimized plan whose joins become what the text says, and each such choice in words.

    A hint does it: what planning prints of a join does not show who decided.
    """
    hints: dict[str, tuple[str | None, str | None]] = {}
    words: list[str] = []
    for w in wanted:
        operator, side = w.choices[0]
        found = _HINTS.get(operator)
        if found is None or len(w.choices) > 1:
            continue
        left = found if side != "BuildRight" else None
        right = found if side == "BuildRight" else None
        hints[w.signature] = (left, right)
        built = f", {side}" if side else ""
        words.append(f"{operator}{built} of the join {w.signature}"[:300])

    def one(p: LogicalPlan) -> LogicalPlan:
        if not isinstance(p, Join) or p.left_hint or p.right_hint:
            return p
        left, right = hints.get(signature_of(p)[0], (None, None))
        return p.replace(left_hint=left, right_hint=right) if left or right else p

    return plan.transform_with_subqueries(one), words


#: The hint that makes a join each operator.
_HINTS = {
    "BroadcastHashJoin": "broadcast",
    "SortMergeJoin": "merge",
    "ShuffledHashJoin": "shuffle_hash",
    "CartesianProduct": "shuffle_replicate_nl",
    "BroadcastNestedLoopJoin": "broadcast",
}
