"""JoinSelection: which of the five operators a join becomes, and why (inventory B.0)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict

from planviz.decisions.choices import Recorder
from planviz.decisions.join_tree import FACTOR, NULL_AWARE, PARTITIONS, PREFER_SORT, THRESHOLD
from planviz.expressions.earlier import as_stored
from planviz.logical.combining import Join
from planviz.physical import joins as j
from planviz.physical.strategies.context import PlanningContext
from planviz.physical.strategies.join_words import (
    LEFT,
    RIGHT,
    cannot_build,
    keeps_rows,
    no_local_map,
    not_much_smaller,
    too_large,
)
from planviz.physical.strategies.keys import EquiJoin, equi_join, null_aware_anti_join
from planviz.types import is_orderable

if TYPE_CHECKING:
    from planviz.physical.joins import JoinExec
    from planviz.physical.plan import SparkPlan

BOTH = (LEFT, RIGHT)
_RIGHT_ONLY = ("LeftSemi", "LeftAnti", "ExistenceJoin", "LeftSingle")
#: Hints that only Spark itself gives, while a query runs.
_NO_BROADCAST = ("no_broadcast_hash", "no_broadcast_and_replication")
_OPERATORS = ("BroadcastHashJoin", "ShuffledHashJoin", "SortMergeJoin", "CartesianProduct", "BroadcastNestedLoopJoin")


class Seen(TypedDict, total=False):
    """What a check of sizes saw: the sizes of both sides and its limit in bytes, and what the limit is made of."""

    left: int
    right: int
    limit: int
    threshold: int
    partitions: int
    factor: int


class JoinSelection:
    """Chooses the operator of one join, a broadcast or another; `checks` of the recorder are the path to it."""

    def __init__(self, join: Join, context: PlanningContext) -> None:
        self.join, self.context, self.recorder = join, context, Recorder()
        self.config, self.kind = context.config, join.kind
        self.old = context.config.behaviour.joins == "spark-3.0"
        self.hints = {LEFT: join.left_hint, RIGHT: join.right_hint}
        size_in_bytes = context.estimator.size_in_bytes
        self.sizes = {LEFT: size_in_bytes(join.left), RIGHT: size_in_bytes(join.right)}
        self.threshold = self.config.number(THRESHOLD)
        self.because = ""

    def plan(self) -> SparkPlan:
        """The operator over the planned sides; the decision goes to the context."""
        operator, side, flag, keys = self.choose()
        left, right = self.context.plan(self.join.left), self.context.plan(self.join.right)
        return self._made(operator, side, flag, keys, left, right)

    def choose(self) -> tuple[str, str, bool, EquiJoin]:
        """Operator, build side, whether it is null-aware, and keys; nothing beneath the join is planned."""
        keys = equi_join(self.join)
        if keys is not None and self.config.behaviour.values_are_shown_as_stored:
            zone = self.config.text("spark.sql.session.timeZone")
            keys = replace(keys, left=as_stored(keys.left, zone), right=as_stored(keys.right, zone))
        types = () if keys is None else tuple([k.data_type.simple_string for k in keys.left])
        shown = () if keys is None else tuple([f"{a} = {b}" for a, b in zip(keys.left, keys.right, strict=True)])
        words = "the condition has keys: an equality with one side each"
        if self.recorder.ask("N0", words, keys is not None, keys=shown, types=types):
            assert keys is not None
            operator, side, flag = self._by_keys(keys)
        else:
            operator, side, flag = self._without_keys()
        self._record(operator, side, shown)
        found = keys or (null_aware_anti_join(self.join) if flag else None) or EquiJoin((), (), self.join.condition)
        return operator, side, flag, found

    def _record(self, operator: str, side: str, keys: tuple[str, ...]) -> None:
        """The decision, with the candidates that nobody came to ask."""
        known = {operator, *(r.operator for r in self.recorder.rejected)}
        for later in _OPERATORS:
            if later not in known:
                self.recorder.reject(later, f"not asked: {operator} comes first")
        decision = self.recorder.decided(
            "JoinSelection", self.join, operator, type=self.kind, build=side, because=self.because, keys=keys,
            sizes=(self.sizes[LEFT], self.sizes[RIGHT]), hints=(self.hints[LEFT], self.hints[RIGHT]),
        )  # fmt: skip
        self.context.decisions.append(decision)

    def _made(
        self, operator: str, side: str, flag: bool, keys: EquiJoin, left: SparkPlan, right: SparkPlan
    ) -> JoinExec:
        kind, exists, whole = self.kind, self.join.exists, self.join.condition
        of = self.context.operator
        match operator:
            case "BroadcastHashJoin":
                rest = None if flag else keys.rest
                return of(j.BroadcastHashJoinExec)(keys.left, keys.right, kind, side, rest, left, right, flag, exists)
            case "ShuffledHashJoin":
                return of(j.ShuffledHashJoinExec)(keys.left, keys.right, kind, side, keys.rest, left, right, exists)
            case "SortMergeJoin":
                return of(j.SortMergeJoinExec)(keys.left, keys.right, kind, keys.rest, left, right, exists)
            case "CartesianProduct":
                return of(j.CartesianProductExec)(whole, left, right, kind, exists)
        return of(j.BroadcastNestedLoopJoinExec)(side, kind, whole, left, right, exists)

    # -------------------------------------------------------------------------------------------- with keys

    def _by_keys(self, keys: EquiJoin) -> tuple[str, str, bool]:
        types = [k.data_type for k in keys.left]
        hashable = keys.hashable
        sortable = all(is_orderable(t) for t in types)
        if self._any_hint("N1"):
            hinted = self._hinted(hashable, sortable)
            if hinted is not None:
                return (*hinted, False)
        side = self._small(hashable)
        if side:
            return "BroadcastHashJoin", side, False
        side = self._local_hash(hashable)
        if side:
            return "ShuffledHashJoin", side, False
        shown = tuple([t.simple_string for t in types])
        if self.recorder.ask("N6", "the keys can be sorted", sortable and self.kind != "LeftSingle", types=shown):
            return "SortMergeJoin", "", False
        self.recorder.reject("SortMergeJoin", "the keys have no order", "N6", types=shown)
        if self._inner("N7"):
            return "CartesianProduct", "", False
        return "BroadcastNestedLoopJoin", self._smaller(BOTH, "nothing else does"), False

    def _hinted(self, hashable: bool, sortable: bool) -> tuple[str, str] | None:
        """What a hint decides, by the hints' priorities; None where none can be followed."""
        for node, hint, operator, allowed, fit in (
            ("H1", "broadcast", "BroadcastHashJoin", self._broadcastable, hashable),
            ("H2", "merge", "SortMergeJoin", BOTH, sortable),
            ("H3", "shuffle_hash", "ShuffledHashJoin", self._hashable, hashable),
        ):
            hinted = [s for s in BOTH if self.hints[s] == hint]
            sides = [s for s in hinted if s in allowed and fit]
            words = f"{hint.upper()} on a side that may be built"
            if self.recorder.ask(node, words, bool(sides), None, hint, **self._hint_values, allowed=allowed, fit=fit):
                return operator, "" if hint == "merge" else self._smaller(sides, "hinted")
            for side in hinted:
                self._refused(node, hint, operator, side, fit)
        if self._replicated("H4"):
            return "CartesianProduct", ""
        return None

    def _refused(self, node: str, hint: str, operator: str, side: str, fit: bool) -> None:
        """A hint that is not followed, with Spark's warning; 3.0 says nothing."""
        if not fit:
            what = "sorted" if hint == "merge" else "hashed"
            self.recorder.reject(operator, f"the hint cannot be followed: the keys cannot be {what}", node)
            return
        reason = cannot_build(side, self.kind)
        self.recorder.reject(operator, f"the hint cannot be followed: {reason}", node)
        self._warn(hint, reason)

    def _warn(self, hint: str, reason: str) -> None:
        if not self.old:
            self.context.warnings.append(f"Hint (strategy={hint}) is not supported in the query: {reason}.")

    def _small(self, hashable: bool) -> str | None:
        """The side that a broadcast hash join builds for its size."""
        allowed = self._broadcastable
        small = self._small_sides(allowed) if hashable else []
        seen: Seen = {**self._seen, "limit": self.threshold}
        words = "a side that may be built is small enough to be broadcast"
        if self.recorder.ask("N2", words, bool(small), THRESHOLD, **seen, allowed=allowed, hashable=hashable):
            return self._smaller(small, "small enough")
        barred = [s for s in BOTH if self.hints[s] in _NO_BROADCAST]
        reason = too_large(self.sizes, allowed, self.threshold, self.kind, barred)
        self.recorder.reject("BroadcastHashJoin", reason if hashable else "the keys cannot be hashed", "N2", **seen)
        return None

    def _local_hash(self, hashable: bool) -> str | None:
        """The side of a shuffled hash join that sizes allow."""
        ask, sizes, reject = self.recorder.ask, self.sizes, self.recorder.reject
        prefer = self.config.flag(PREFER_SORT)
        if not ask("N3", "hash joins are preferred to sort merge joins", not prefer, PREFER_SORT, value=prefer):
            reject("ShuffledHashJoin", f"{PREFER_SORT} is true", "N3", value=prefer)
            return None
        partitions, allowed = self.context.partitions, self._hashable
        limit = _long(self.threshold * partitions)
        fit = [s for s in allowed if sizes[s] < limit] if hashable else []
        seen: Seen = {**self._seen, "limit": limit, "threshold": self.threshold, "partitions": partitions}
        words = "a side is small enough for a map per partition"
        if not ask("N4", words, bool(fit), PARTITIONS, **seen, allowed=allowed, hashable=hashable):
            reason = no_local_map(sizes, allowed, limit, partitions) if hashable else "the keys cannot be hashed"
            reject("ShuffledHashJoin", reason, "N4", **seen)
            return None
        factor = 3 if self.old else self.config.number(FACTOR)
        much = [s for s in fit if sizes[s] * factor <= sizes[_other(s)]]
        seen = {**self._seen, "factor": factor}
        setting = None if self.old else FACTOR
        if not ask("N5", "it is much smaller than the other", bool(much), setting, **seen, fit=tuple(fit)):
            reject("ShuffledHashJoin", not_much_smaller(sizes, fit, factor), "N5", **seen)
            return None
        return self._smaller(much, "much smaller")

    # -------------------------------------------------------------------------------------------- without keys

    def _without_keys(self) -> tuple[str, str, bool]:
        ask, reject = self.recorder.ask, self.recorder.reject
        for operator in _OPERATORS[1:3]:
            reject(operator, "there are no equi-join keys", "N0")
        if not self.old:
            on = self.config.flag(NULL_AWARE)
            form = null_aware_anti_join(self.join) is not None
            if ask("N9", "NOT IN over one column", on and form, NULL_AWARE, value=on, form=form, type=self.kind):
                self.because = "the only one that a null-aware anti join can build"
                return "BroadcastHashJoin", RIGHT, True
        reject("BroadcastHashJoin", "there are no equi-join keys", "N0")
        self._check_hints_without_keys()
        if self._any_hint("N10"):
            sides = [s for s in BOTH if self.hints[s] == "broadcast"]
            if ask("H5", "BROADCAST on a side", bool(sides), None, "broadcast", **self._hint_values):
                return "BroadcastNestedLoopJoin", self._suiting(sides, "hinted"), False
            if self._replicated("H6"):
                return "CartesianProduct", "", False
        small = self._small_sides(BOTH)
        seen: Seen = {**self._seen, "limit": self.threshold}
        if ask("N11", "a side is small enough to be broadcast", bool(small), THRESHOLD, **seen):
            return "BroadcastNestedLoopJoin", self._suiting(small, "small enough"), False
        if self._inner("N12"):
            reason = too_large(self.sizes, BOTH, self.threshold, self.kind, ())
            reject("BroadcastNestedLoopJoin", reason, "N11", **seen)
            return "CartesianProduct", "", False
        return "BroadcastNestedLoopJoin", self._suiting(BOTH, "nothing else does"), False

    def _check_hints_without_keys(self) -> None:
        """Spark warns of the first side's hint, whichever side's it is that needs keys."""
        if "merge" in self.hints.values() or "shuffle_hash" in self.hints.values():
            self._warn(next(h for h in self.hints.values() if h is not None), "no equi-join keys")

    # -------------------------------------------------------------------------------------------- questions

    @property
    def _seen(self) -> Seen:
        return {"left": self.sizes[LEFT], "right": self.sizes[RIGHT]}

    @property
    def _hint_values(self) -> dict[str, str | None]:
        return {"left_hint": self.hints[LEFT], "right_hint": self.hints[RIGHT]}

    @property
    def _broadcastable(self) -> tuple[str, ...]:
        """The sides that a broadcast hash join may build."""
        if self.kind in j.INNER_LIKE:
            return BOTH
        if self.kind == "FullOuter":
            return ()
        return (LEFT,) if self.kind == "RightOuter" else (RIGHT,)

    @property
    def _hashable(self) -> tuple[str, ...]:
        """The sides that a shuffled hash join may build."""
        if self.old:
            return self._broadcastable
        if self.kind in ("LeftOuter", "RightOuter") and not self.config.behaviour.hash_joins_build_kept_sides:
            return self._broadcastable
        return (RIGHT,) if self.kind in _RIGHT_ONLY else BOTH

    def _suiting(self, sides: Sequence[str], because: str) -> str:
        """The side that nested loops build; of both the one that suits the join's type."""
        if len(sides) == 1 or self.kind in j.INNER_LIKE or self.kind == "FullOuter":
            return self._smaller(sides, because)
        self.because = f"{because}; this type of join prefers it"
        return LEFT if self.kind == "RightOuter" else RIGHT

    def _smaller(self, sides: Sequence[str], because: str) -> str:
        if len(sides) == 1:
            self.because = because
            return sides[0]
        self.because = f"{because}, both: the smaller"
        return RIGHT if self.sizes[RIGHT] <= self.sizes[LEFT] else LEFT

    def _small_sides(self, allowed: tuple[str, ...]) -> list[str]:
        return [s for s in allowed if 0 <= self.sizes[s] <= self.threshold and self.hints[s] not in _NO_BROADCAST]

    def _any_hint(self, node: str) -> bool:
        return self.recorder.ask(node, "the join has a hint", any(self.hints.values()), **self._hint_values)

    def _replicated(self, node: str) -> bool:
        hint = "shuffle_replicate_nl"
        given = hint in self.hints.values()
        words = "SHUFFLE_REPLICATE_NL on an inner join"
        inner = self.kind in j.INNER_LIKE
        if given and not inner:
            self.recorder.reject("CartesianProduct", f"the hint cannot be followed: {keeps_rows(self.kind)}", node)
        return self.recorder.ask(node, words, given and inner, None, hint, **self._hint_values, type=self.kind)

    def _inner(self, node: str) -> bool:
        inner = self.kind in j.INNER_LIKE
        if not inner:
            self.recorder.reject("CartesianProduct", keeps_rows(self.kind), node, type=self.kind)
        return self.recorder.ask(node, "the join is inner", inner, type=self.kind)


def _other(side: str) -> str:
    return RIGHT if side == LEFT else LEFT


def _long(number: int) -> int:
    """The number as a 64-bit one that overflows, as the JVM multiplies."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)
