"""Decisions that are taken from a text because nothing in it says why they came out so: the order of joins by cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planviz.logical.combining import Join
from planviz.logical.plan import LogicalPlan
from planviz.replay.fitting import Wanted, nodes_of, signature_of

Leaves = frozenset[int]


class PrintedOrder:
    """The order of the joins of an optimized plan: what each join has on its left and right, by the leaves there.

    `used` are the groups of relations whose order was asked for and found, as words.
    """

    def __init__(self, printed: LogicalPlan) -> None:
        self.leaf: dict[int, int] = {}
        self.sides: dict[Leaves, tuple[Leaves, Leaves]] = {}
        self.used: list[str] = []
        for at, node in enumerate(n for n in nodes_of(printed) if not n.children):
            for a in node.output:
                self.leaf.setdefault(a.expr_id, at)
        for node in nodes_of(printed):
            if isinstance(node, Join):
                left, right = self._leaves(node.left), self._leaves(node.right)
                if left is not None and right is not None:
                    self.sides.setdefault(left | right, (left, right))

    def _leaves(self, plan: LogicalPlan) -> Leaves | None:
        """The leaves beneath, as they are numbered in the printed plan; None where one is not in it."""
        found = set()
        for node in plan.walk():
            if not node.children:
                known = {self.leaf[a.expr_id] for a in node.output if a.expr_id in self.leaf}
                if not known:
                    return None
                found |= known
        return frozenset(found)

    def __call__(self, relations: Sequence[Any]) -> dict[int, tuple[int, int]] | None:
        """The joins that the printed order makes of these relations, as bits; None where it has none for them."""
        beneath = [self._leaves(r) for r in relations]
        if any(b is None for b in beneath):
            return None
        bits = {leaf: 1 << at for at, leaves in enumerate(beneath) for leaf in leaves or ()}
        pairs: dict[int, tuple[int, int]] = {}
        stack: list[Leaves] = [frozenset(bits)]
        while stack:
            leaves = stack.pop()
            items = _items(leaves, bits)
            if items.bit_count() == 1:
                continue
            sides = self.sides.get(leaves)
            if sides is None:
                return None
            left, right = (_items(s, bits) for s in sides)
            if left & right:
                return None
            pairs[items] = (left, right)
            stack += sides
        names = ", ".join(_name(r) for r in relations)
        words = f"the order in which {names} are joined"
        if words not in self.used:
            self.used.append(words)
        return pairs


def _items(leaves: Leaves, bits: dict[int, int]) -> int:
    found = 0
    for leaf in leaves:
        found |= bits[leaf]
    return found


def _name(plan: LogicalPlan) -> str:
    """What a relation is called: its table, or the operator at its top."""
    names = [str(n.name[-1]) for n in plan.walk() if not n.children and getattr(n, "name", None)]
    return names[0] if len(names) == 1 else plan.node_name


def with_choices(plan: LogicalPlan, wanted: Sequence[Wanted]) -> tuple[Any, list[str]]:
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

    def one(p: Any) -> Any:
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
