"""The union of a plan's successive states as one tree, so that what is kept has one place over all steps.

Every node of every state gets a slot. A node that a step keeps or changes keeps its slot; one that it inserts or moves
gets another: the slot of something long gone on the same branch, or a new one between its parent and its inputs. Above
and below, left and right in any state are so in the union, so one layout of the union serves every state.
"""

from __future__ import annotations

from planviz.graph.diff import PlanDiff
from planviz.graph.plan_graph import PlanGraph

NOWHERE = -1  # the parent of a root


class StepUnion:
    """Grows with every state. `parent[slot]` is the slot above it, or -1; `children[slot]` stand in order."""

    def __init__(self, first: PlanGraph) -> None:
        self.parent: list[int] = []
        self.children: list[list[int]] = []
        self.roots: list[int] = []
        #: The slot of every node of the last state, by the node's id.
        self.slots: list[int] = [NOWHERE] * len(first)
        for node in first.walk():
            above = NOWHERE if node.parent is None else self.slots[node.parent]
            self.slots[node.id] = self._new(above, len(self._below(above)))

    def advance(self, found: PlanDiff) -> list[int]:
        """Take the state after `found`, whose state before is the last one; returns the slots of its nodes by id."""
        after, before_slots = found.after, self.slots
        new = [NOWHERE] * len(after)
        used = set(before_slots)
        for node in after.walk():
            above = NOWHERE if node.parent is None else new[node.parent]
            left = self._left_neighbour(after, new, node.id)
            match = found.of_after.get(node.id)
            if match is not None and not match.moved:
                slot = before_slots[match.before]
                if self._is_below(slot, above) and self._is_right_of(slot, left, above):
                    new[node.id] = slot
                    continue
            anchors = [at for at in self._anchors(found, node.id, above) if self._is_right_of(at, left, above)]
            new[node.id] = self._room(above, anchors, used, left, self._right_neighbour(found, node.id, above))
            used.add(new[node.id])
        self.slots = new
        return new

    def order(self) -> list[int]:
        """All slots, parents before their children, in pre-order."""
        found, stack = [], list(reversed(self.roots))
        while stack:
            slot = stack.pop()
            found.append(slot)
            stack.extend(reversed(self.children[slot]))
        return found

    # -- finding room

    def _room(self, above: int, anchors: list[int], used: set[int], left: int, right: int) -> int:
        if not anchors:
            return self._free_leaf(above, used, left, right) or self._new(above, self._place(above, left))
        top = self._meeting(anchors)
        slot = top if top not in anchors else self.parent[top]
        while slot not in (above, NOWHERE):
            if slot not in used:
                return slot
            slot = self.parent[slot]
        if top == above:
            branches = {self._branch(above, anchor) for anchor in anchors}
            return self._put_over(above, [slot for slot in self._below(above) if slot in branches])
        return self._put_over(self.parent[top], [top])

    def _free_leaf(self, above: int, used: set[int], left: int, right: int) -> int | None:
        """A slot under `above`, between its neighbours, that nothing needs now, with nothing in use below it.

        Never slot 0, which is a root.
        """
        for slot in self._below(above):
            between = self._is_right_of(slot, left, above) and (
                right == NOWHERE or self._is_right_of(right, slot, above)
            )
            if slot and between and slot not in used and not self._any_used(slot, used):
                return slot
        return None

    def _any_used(self, slot: int, used: set[int]) -> bool:
        stack = [slot]
        while stack:
            at = stack.pop()
            if at in used:
                return True
            stack.extend(self.children[at])
        return False

    def _anchors(self, found: PlanDiff, id: int, above: int) -> list[int]:
        """Slots of the nearest nodes below `id` that keep their place."""
        return [slot for below in found.after.children(id) for slot in self._kept(found, below, above)]

    def _kept(self, found: PlanDiff, id: int, above: int) -> list[int]:
        """The slot of `id` where it keeps its place, else those of the nearest below it that do."""
        after, slots = found.after, []
        stack = [id]
        while stack:
            at = stack.pop()
            match = found.of_after.get(at)
            if match is not None and not match.moved and self._is_below(self.slots[match.before], above):
                slots.append(self.slots[match.before])
            else:
                stack.extend(reversed(after.children(at)))
        return slots

    @staticmethod
    def _left_neighbour(after: PlanGraph, new: list[int], id: int) -> int:
        """The slot of the nearest sibling on the left, or -1."""
        parent = after[id].parent
        siblings = after.roots if parent is None else after.children(parent)
        at = siblings.index(id)
        return new[siblings[at - 1]] if at else NOWHERE

    def _right_neighbour(self, found: PlanDiff, id: int, above: int) -> int:
        """The slot of the nearest on the right, of a sibling or below one, that keeps its place, or -1."""
        after = found.after
        parent = after[id].parent
        siblings = after.roots if parent is None else after.children(parent)
        for sibling in siblings[siblings.index(id) + 1 :]:
            kept = self._kept(found, sibling, above)
            if kept:
                return kept[0]
        return NOWHERE

    def _is_right_of(self, slot: int, left: int, above: int) -> bool:
        """Whether a slot's branch under `above` stands on the right of the one of `left`; -1 is left of everything."""
        if left == NOWHERE or not self._is_below(left, above):
            return True
        below = self._below(above)
        return below.index(self._branch(above, slot)) > below.index(self._branch(above, left))

    def _place(self, above: int, neighbour: int) -> int:
        """Where a new slot goes among the children of `above`: behind the branch of its neighbour, else first."""
        below = self._below(above)
        if neighbour == NOWHERE or not self._is_below(neighbour, above):
            return 0
        return below.index(self._branch(above, neighbour)) + 1

    # -- the tree

    def _below(self, slot: int) -> list[int]:
        return self.roots if slot == NOWHERE else self.children[slot]

    def _is_below(self, slot: int, above: int) -> bool:
        if above == NOWHERE:
            return True
        at = self.parent[slot]
        while at not in (above, NOWHERE):
            at = self.parent[at]
        return at == above

    def _branch(self, above: int, slot: int) -> int:
        """The child of `above` on the way to `slot`."""
        while self.parent[slot] != above:
            slot = self.parent[slot]
        return slot

    def _meeting(self, slots: list[int]) -> int:
        """The lowest slot that is each of the slots or above it; -1 when only nothing is above all."""
        way = self._way_up(slots[0])
        for slot in slots[1:]:
            mine = set(self._way_up(slot))
            way = [at for at in way if at in mine]
        return way[0] if way else NOWHERE

    def _way_up(self, slot: int) -> list[int]:
        way = []
        while slot != NOWHERE:
            way.append(slot)
            slot = self.parent[slot]
        return way

    def _new(self, above: int, place: int) -> int:
        slot = len(self.parent)
        self.parent.append(above)
        self.children.append([])
        self._below(above).insert(place, slot)
        return slot

    def _put_over(self, above: int, branches: list[int]) -> int:
        """A new slot under `above` that takes over some of its children, in the place of the first."""
        slot = self._new(above, self._below(above).index(branches[0]))
        below = self._below(above)
        for branch in branches:
            below.remove(branch)
            self.parent[branch] = slot
        self.children[slot] = branches
        return slot
