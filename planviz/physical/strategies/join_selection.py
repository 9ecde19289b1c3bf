"""JoinSelection: which of the five operators a join becomes, and why (inventory B.0)."""

from __future__ import annotations

from typing import Any

from planviz.decisions.choices import Recorder
from planviz.logical.combining import Join
from planviz.optimizer.statistics import size_in_bytes
from planviz.physical import joins as j
from planviz.physical.strategies.context import PlanningContext
from planviz.physical.strategies.keys import EquiJoin, equi_join, null_aware_anti_join
from planviz.types import MapType, is_orderable

LEFT, RIGHT = "BuildLeft", "BuildRight"
_RIGHT_ONLY = ("LeftSemi", "LeftAnti", "ExistenceJoin")
_THRESHOLD = "spark.sql.autoBroadcastJoinThreshold"
_PREFER_SORT = "spark.sql.join.preferSortMergeJoin"
_FACTOR = "spark.sql.shuffledHashJoinFactor"
_NULL_AWARE = "spark.sql.optimizeNullAwareAntiJoin"
_PARTITIONS = "spark.sql.shuffle.partitions"


class JoinSelection:
    """Chooses the operator of one join; `checks` of the recorder are the path through the tree."""

    def __init__(self, join: Join, context: PlanningContext) -> None:
        self.join, self.context, self.recorder = join, context, Recorder()
        self.config, self.kind = context.config, join.kind
        self.hints = {LEFT: join.left_hint, RIGHT: join.right_hint}
        self.sizes = {LEFT: size_in_bytes(join.left), RIGHT: size_in_bytes(join.right)}

    def plan(self) -> Any:
        """The operator over the planned sides; the decision goes to the context."""
        keys = equi_join(self.join)
        shown = () if keys is None else tuple(f"{a} = {b}" for a, b in zip(keys.left, keys.right, strict=True))
        ask = self.recorder.ask
        found = ask("N0", "the condition has keys: an equality with one side each", keys is not None, keys=shown)
        operator, side, flag = self._by_keys(keys) if found and keys is not None else self._without_keys()
        left, right = self.context.plan(self.join.left), self.context.plan(self.join.right)
        keys = keys or null_aware_anti_join(self.join) or EquiJoin((), (), self.join.condition)
        made = self._made(operator, side, flag, keys, left, right)
        values = {"type": self.kind, "build": side, "sizes": (self.sizes[LEFT], self.sizes[RIGHT])}
        self.context.decisions.append(self.recorder.decided("JoinSelection", self.join, operator, **values))
        return made

    def _made(self, operator: str, side: str, flag: bool, keys: EquiJoin, left: Any, right: Any) -> Any:
        kind, exists, whole = self.kind, self.join.exists, self.join.condition
        match operator:
            case "BroadcastHashJoin":
                rest = None if flag else keys.rest
                return j.BroadcastHashJoinExec(keys.left, keys.right, kind, side, rest, left, right, flag, exists)
            case "ShuffledHashJoin":
                return j.ShuffledHashJoinExec(keys.left, keys.right, kind, side, keys.rest, left, right, exists)
            case "SortMergeJoin":
                return j.SortMergeJoinExec(keys.left, keys.right, kind, keys.rest, left, right, exists)
            case "CartesianProduct":
                return j.CartesianProductExec(whole, left, right, kind, exists)
        return j.BroadcastNestedLoopJoinExec(side, kind, whole, left, right, exists)

    # -------------------------------------------------------------------------------------------- with keys

    def _by_keys(self, keys: EquiJoin) -> tuple[str, str, bool]:
        ask = self.recorder.ask
        hashable = not any(isinstance(k.data_type, MapType) for k in keys.left)
        sortable = all(is_orderable(k.data_type) for k in keys.left)
        if self._any_hint("N1"):
            hinted = self._hinted(hashable, sortable)
            if hinted is not None:
                return (*hinted, False)
        side = self._small("N2", self._broadcastable)
        if side and hashable:
            return "BroadcastHashJoin", side, False
        self.recorder.reject("BroadcastHashJoin", "no side that may be broadcast is small enough")
        side = self._local_hash() if hashable else None
        if side:
            return "ShuffledHashJoin", side, False
        if ask("N6", "the keys can be sorted", sortable):
            return "SortMergeJoin", "", False
        self.recorder.reject("SortMergeJoin", "the keys have no order")
        if self._inner("N7"):
            return "CartesianProduct", "", False
        return "BroadcastNestedLoopJoin", self._smaller((LEFT, RIGHT)), False

    def _hinted(self, hashable: bool, sortable: bool) -> tuple[str, str] | None:
        """What a hint decides, by the hints' priorities; None where none can be followed."""
        for node, hint, operator, allowed, fit in (
            ("H1", "broadcast", "BroadcastHashJoin", self._broadcastable, hashable),
            ("H2", "merge", "SortMergeJoin", (LEFT, RIGHT), sortable),
            ("H3", "shuffle_hash", "ShuffledHashJoin", self._hashable, hashable),
        ):
            sides = [s for s in allowed if self.hints[s] == hint]
            words = f"{hint.upper()} on a side that may be built"
            if self.recorder.ask(node, words, bool(sides) and fit, None, hint, hints=tuple(self.hints.values())):
                return operator, "" if hint == "merge" else self._smaller(sides)
            self._warn(hint, operator, [s for s in self.hints if self.hints[s] == hint and s not in allowed])
        if self._replicated("H4"):
            return "CartesianProduct", ""
        return None

    def _warn(self, hint: str, operator: str, refused: list[str]) -> None:
        """Spark's warning for a hint on a side that cannot be built."""
        words = {"LeftOuter": "left outer", "RightOuter": "right outer", "FullOuter": "full outer"}
        kind = words.get(self.kind, {"LeftSemi": "left semi", "LeftAnti": "left anti"}.get(self.kind, "existence"))
        for side in refused:
            where = f"build {'left' if side == LEFT else 'right'} for {kind} join"
            self.context.warnings.append(f"Hint (strategy={hint}) is not supported in the query: {where}.")
            self.recorder.reject(operator, f"the hint cannot be followed: {where}")

    def _local_hash(self) -> str | None:
        """The side of a shuffled hash join that sizes allow."""
        ask, sizes = self.recorder.ask, self.sizes
        prefer = bool(self.config.get(_PREFER_SORT))
        if not ask("N3", "hash joins are preferred to sort merge joins", not prefer, _PREFER_SORT, value=prefer):
            self.recorder.reject("ShuffledHashJoin", "sort merge joins are preferred")
            return None
        limit = int(self.config.get(_THRESHOLD)) * self.context.partitions
        fit = [s for s in self._hashable if sizes[s] < limit]
        if not ask("N4", "a side is small enough for a local map", bool(fit), _PARTITIONS, limit=limit, sizes=sizes):
            self.recorder.reject("ShuffledHashJoin", "no side is small enough for a map per partition")
            return None
        factor = int(self.config.get(_FACTOR))
        much = [s for s in fit if sizes[s] * factor <= sizes[_other(s)]]
        if not ask("N5", "it is much smaller than the other", bool(much), _FACTOR, factor=factor, sizes=sizes):
            self.recorder.reject("ShuffledHashJoin", f"no side is {factor} times smaller than the other")
            return None
        return self._smaller(much)

    # -------------------------------------------------------------------------------------------- without keys

    def _without_keys(self) -> tuple[str, str, bool]:
        ask = self.recorder.ask
        on = bool(self.config.get(_NULL_AWARE))
        aware = on and null_aware_anti_join(self.join) is not None
        if ask("N9", "NOT IN over one column", aware, _NULL_AWARE, value=on):
            return "BroadcastHashJoin", RIGHT, True
        if self._any_hint("N10"):
            sides = [s for s in (LEFT, RIGHT) if self.hints[s] == "broadcast"]
            if ask("H5", "BROADCAST on a side", bool(sides), None, "broadcast", hints=tuple(self.hints.values())):
                return "BroadcastNestedLoopJoin", sides[0] if len(sides) == 1 else self._desired, False
            if self._replicated("H6"):
                return "CartesianProduct", "", False
        small = self._small_sides((LEFT, RIGHT))
        threshold = self.config.get(_THRESHOLD)
        if ask("N11", "a side is small enough to be broadcast", bool(small), _THRESHOLD, limit=threshold, **self._seen):
            return "BroadcastNestedLoopJoin", small[0] if len(small) == 1 else self._desired, False
        if self._inner("N12"):
            return "CartesianProduct", "", False
        self.recorder.reject("CartesianProduct", f"a {self.kind} join keeps rows without a match")
        return "BroadcastNestedLoopJoin", self._desired, False

    # -------------------------------------------------------------------------------------------- questions

    @property
    def _seen(self) -> dict[str, Any]:
        return {"left": self.sizes[LEFT], "right": self.sizes[RIGHT]}

    @property
    def _broadcastable(self) -> tuple[str, ...]:
        """The sides that a broadcast hash join may build."""
        if self.kind in j.INNER_LIKE:
            return LEFT, RIGHT
        if self.kind == "FullOuter":
            return ()
        return (LEFT,) if self.kind == "RightOuter" else (RIGHT,)

    @property
    def _hashable(self) -> tuple[str, ...]:
        """The sides that a shuffled hash join may build."""
        if self.config.profile == "spark-3.0":
            return self._broadcastable
        return (RIGHT,) if self.kind in _RIGHT_ONLY else (LEFT, RIGHT)

    @property
    def _desired(self) -> str:
        """The side that nested loops build when both can be."""
        if self.kind in j.INNER_LIKE or self.kind == "FullOuter":
            return self._smaller((LEFT, RIGHT))
        return LEFT if self.kind == "RightOuter" else RIGHT

    def _smaller(self, sides: Any) -> str:
        if len(sides) == 1:
            return str(sides[0])
        return RIGHT if self.sizes[RIGHT] <= self.sizes[LEFT] else LEFT

    def _small_sides(self, allowed: tuple[str, ...]) -> list[str]:
        limit = int(self.config.get(_THRESHOLD))
        barred = ("no_broadcast_hash", "no_broadcast_and_replication")
        return [s for s in allowed if 0 <= self.sizes[s] <= limit and self.hints[s] not in barred]

    def _small(self, node: str, allowed: tuple[str, ...]) -> str | None:
        small = self._small_sides(allowed)
        threshold = int(self.config.get(_THRESHOLD))
        words = "a side that may be built is small enough to be broadcast"
        self.recorder.ask(node, words, bool(small), _THRESHOLD, allowed=allowed, limit=threshold, **self._seen)
        return self._smaller(small) if small else None

    def _any_hint(self, node: str) -> bool:
        hints = tuple(self.hints.values())
        return self.recorder.ask(node, "the join has a hint", any(hints), hints=hints)

    def _replicated(self, node: str) -> bool:
        hint = "shuffle_replicate_nl"
        fits = hint in self.hints.values() and self.kind in j.INNER_LIKE
        words = "SHUFFLE_REPLICATE_NL on an inner join"
        return self.recorder.ask(node, words, fits, None, hint, type=self.kind)

    def _inner(self, node: str) -> bool:
        return self.recorder.ask(node, "the join is inner", self.kind in j.INNER_LIKE, type=self.kind)


def _other(side: str) -> str:
    return RIGHT if side == LEFT else LEFT
