"""Sizes of tables that nobody said: such that every decision that hangs on them comes out as it was printed.

A text without statistics still tells of sizes: this side was broadcast, that one was not, here a runtime filter was
built. The search changes one table after another, keeps what leaves fewer decisions different, and stops after so many
trials. What it finds is one possibility; nothing says that it is the truth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field

from planviz.catalog.tables import Table
from planviz.config import OptimizerConfig
from planviz.decisions.join_tree import THRESHOLD
from planviz.errors import PlanvizError
from planviz.estimation import Estimator, take_estimate
from planviz.expressions.predicates import split_conjunction
from planviz.expressions.subqueries import SubqueryExpression
from planviz.graph.node import Estimate as Printed
from planviz.logical.combining import Join, Union
from planviz.logical.operators import Filter
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.optimizer.context import OptimizerContext
from planviz.optimizer.rules.pushdown import PushDownPredicates
from planviz.optimizer.rules.runtime_filters import LEAST_SCAN, InjectRuntimeFilter
from planviz.physical.strategies.context import PlanningContext, undecided
from planviz.physical.strategies.join_selection import JoinSelection
from planviz.physical.strategies.keys import equi_join
from planviz.replay.columns import Columns
from planviz.replay.fitted_tables import is_printed_leaf, key_of, source_of, table_of
from planviz.replay.opaque import nodes_of, plans_in, reads_opaque
from planviz.replay.plans import ReadPlan
from planviz.replay.runtime_filters import (
    blooms_of,
    is_bloom,
    runtime_filters,
    runtime_filters_of_one,
    without_runtime_filters,
)
from planviz.replay.wanted import Wanted, wanted_joins

#: Sizes that are tried, in bytes: around the thresholds of broadcasts (10 MB) and runtime filters (10 GB).
LEVELS = (
    4_000,
    300_000,
    3_000_000,
    9_000_000,
    15_000_000,
    40_000_000,
    700_000_000,
    6_000_000_000,
    40_000_000_000,
    2_000_000_000_000,
)
#: The places of those around the threshold of broadcasts, and what that is by default.
_AROUND, _USUAL = range(1, 6), 10 << 20
#: What a table is taken for before anything is known.
LARGE = 6_000_000_000
HUGE = 2_000_000_000_000
#: How many times all decisions are taken while sizes are looked for.
TRIALS = 160
#: More bytes than any side has.
UNBOUNDED = 1 << 100
#: The sides that a hash join may build, by the type of join.
_BROADCAST_SIDES = {
    "Inner": ("BuildLeft", "BuildRight"),
    "Cross": ("BuildLeft", "BuildRight"),
    "LeftOuter": ("BuildRight",),
    "LeftSemi": ("BuildRight",),
    "LeftAnti": ("BuildRight",),
    "ExistenceJoin": ("BuildRight",),
    "RightOuter": ("BuildLeft",),
}


@dataclass
class Fitted:
    """Sizes by table, how many decisions there were and which still come out otherwise."""

    sizes: dict[str, int]
    decisions: int
    open: list[str] = field(default_factory=list)
    #: The joins among them.
    joins: list[Wanted] = field(default_factory=list)
    trials: int = 0


# ------------------------------------------------------------------------------------------------ what is wanted


# ------------------------------------------------------------------------------------------------ estimates told


def with_estimates(read: ReadPlan, plan: LogicalPlan) -> LogicalPlan:
    """A plan that has the operators of one that was read, with the bytes and rows that the text prints of them."""
    _take([(b, e) for a, b in _pairs(read, plan) if (e := read.estimates.get(id(a))) is not None])
    return plan


def _pairs(read: ReadPlan, plan: LogicalPlan) -> Iterable[tuple[LogicalPlan, LogicalPlan]]:
    return zip(nodes_of(read.plan), nodes_of(plan), strict=True) if read.estimates else ()


def _take(estimates: Iterable[tuple[LogicalPlan, Printed]]) -> None:
    for node, told in estimates:
        if told.size_in_bytes is not None:
            take_estimate(node, told.size_in_bytes, told.rows)


# ------------------------------------------------------------------------------------------------ the search


class Fitting:
    """The decisions of one query over tables whose sizes can change."""

    def __init__(
        self,
        optimized: LogicalPlan,
        joins: Sequence[str],
        config: OptimizerConfig,
        columns: Columns,
        told: dict[str, int] | None = None,
    ) -> None:
        self.config, self.estimator, self.told = config, Estimator(config), told or {}
        plain = without_runtime_filters(optimized)
        self.tables: dict[str, Table] = {}
        #: Sizes of sources that stand as they were printed, and the leaves that read them.
        self.sources: dict[str, int] = {}
        self.leaves: list[LogicalPlan] = []

        def one(p: LogicalPlan) -> LogicalPlan:
            if is_printed_leaf(p):
                self.leaves.append(copy(p))
                self.sources[source_of(p)] = LARGE
                return self.leaves[-1]
            if not isinstance(p, LogicalRelation):
                return p
            key = key_of(p)
            if key not in self.tables:
                self.tables[key] = table_of(p, self.told.get(key, LARGE), columns)
            return p.replace(table=self.tables[key])

        self.plan: LogicalPlan = optimized.transform_with_subqueries(one)
        self.plain: LogicalPlan = plain.transform_with_subqueries(one)
        self.filters = runtime_filters(optimized)
        self.joins = wanted_joins(self.plan, joins)
        self.parts = list(plans_in(self.plain))
        #: The tables and sources beneath an operator, in its subqueries too, by the operator's id, and the operators
        #: above each; empty as long as one trial is enough.
        self.beneath: dict[int, frozenset[str]] = {}
        self.above: dict[str, list[LogicalPlan]] = {}
        self.nodes = list({id(n): n for n in (*nodes_of(self.plan), *nodes_of(self.plain))}.values())
        #: The tables whose size changed since decisions were taken last; None where all may come out otherwise.
        self.changed: set[str] | None = None
        #: Operator and side by the place of a join, keys by the place of a plan: what was decided, and still stands.
        self.chosen: dict[int, tuple[str, str] | None] = {}
        self.filtered: dict[int, Counter[str] | None] = {}
        #: The same of a join by its place and the sizes of its sides.
        self.by_sides: dict[tuple[int, int, int], tuple[str, str]] = {}
        self.inject = config.get("spark.sql.optimizer.runtime.bloomFilter.enabled")
        self.reach = {id(w): self._tables_of(w.join) for w in self.joins}
        self.trials = 0
        self.wrong: list[Wanted] = []
        self.estimates: list[tuple[LogicalPlan, Printed]] = []

    def take(self, read: ReadPlan) -> None:
        """Take what the text estimates of the plan's operators, too."""
        self.estimates = [(b, e) for a, b in _pairs(read, self.plan) if (e := read.estimates.get(id(a))) is not None]

    def bounds(self) -> tuple[int, int]:
        """The bytes of the largest side that a join of the text broadcasts by its size, and of the smallest one that it
        could have and did not; -1 and `UNBOUNDED` for none. Only joins count whose sides' sizes the text tells."""
        self.different()
        largest, smallest = -1, UNBOUNDED
        for wanted in self.joins:
            join, ((operator, side), *others) = wanted.join, wanted.choices
            known = all(t in self.told for t in self.reach[id(wanted)])
            known = known and not reads_opaque(join)
            if others or not known or join.left_hint or join.right_hint or equi_join(join) is None:
                continue
            size_in_bytes = self.estimator.size_in_bytes
            sizes = {"BuildLeft": size_in_bytes(join.left), "BuildRight": size_in_bytes(join.right)}
            if operator == "BroadcastHashJoin":
                largest = max(largest, sizes[side])
            else:
                smallest = min([smallest, *(sizes[s] for s in _BROADCAST_SIDES.get(join.kind, ()))])
        return largest, smallest

    @staticmethod
    def _tables_of(plan: LogicalPlan) -> list[str]:
        leaves = (n for n in plan.walk() if not n.children)
        keys = (
            key_of(n) if isinstance(n, LogicalRelation) else source_of(n) if is_printed_leaf(n) else "" for n in leaves
        )
        return [k for k in dict.fromkeys(keys) if k]

    def _note_beneath(self, root: LogicalPlan) -> None:
        """Note what stands beneath the operators of a plan; what is beneath one comes before it."""
        for node in reversed(list(nodes_of(root))):
            if id(node) in self.beneath:
                continue
            key = (
                key_of(node) if isinstance(node, LogicalRelation) else source_of(node) if is_printed_leaf(node) else ""
            )
            inner: list[LogicalPlan] = [s.plan for s in node.subqueries]
            found = frozenset([key] if key else ()).union(*(self.beneath[id(n)] for n in (*node.children, *inner)))
            self.beneath[id(node)] = found
            for one in found:
                self.above.setdefault(one, []).append(node)

    @property
    def levels(self) -> tuple[int, ...]:
        """The sizes that are tried, in bytes; those around the usual threshold lie as far from the one that is set."""
        threshold = int(self.config.number(THRESHOLD))
        if threshold in (-1, _USUAL):
            return LEVELS
        return tuple(max(size * threshold // _USUAL, 1) if at in _AROUND else size for at, size in enumerate(LEVELS))

    def _set(self, key: str, size: int) -> None:
        if key in self.sources:
            self.sources[key] = size
        elif key not in self.told:
            object.__setattr__(self.tables[key], "size_in_bytes", size)
        if self.changed is not None:
            self.changed.add(key)

    def _forget(self) -> None:
        """Let go of estimates and decisions that hang on a size that changed."""
        changed = self.changed
        if changed is None:
            self.chosen, self.filtered, self.by_sides = {}, {}, {}
            stale = self.nodes
        else:
            for root in () if self.beneath else (self.plan, self.plain):
                self._note_beneath(root)
            for known, plans in ((self.chosen, [w.join for w in self.joins]), (self.filtered, self.parts)):
                for at, plan in enumerate(plans):
                    if not changed.isdisjoint(self.beneath[id(plan)]):
                        known.pop(at, None)
            stale = [n for key in changed for n in self.above.get(key, ())]
        for node in stale:
            self.estimator.forget(node)
        for leaf in self.leaves:
            if changed is None or source_of(leaf) in changed:
                take_estimate(leaf, self.sources[source_of(leaf)], None)
        _take((n, e) for n, e in self.estimates if changed is None or not changed.isdisjoint(self.beneath[id(n)]))
        self.changed = set()

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes as they are now."""
        return {key: int(t.size_in_bytes or 0) for key, t in self.tables.items()} | self.sources

    def different(self, enough: int | None = None) -> tuple[list[str], set[str]]:
        """The decisions that come out otherwise than printed, and the tables that they hang on; no more than `enough`
        of them are looked for."""
        self.trials += 1
        self._forget()
        wrong: list[str] = []
        self.wrong = []
        tables: set[str] = set()
        for at, wanted in enumerate(self.joins):
            if len(wrong) == enough:
                return wrong, tables
            if at not in self.chosen:
                self.chosen[at] = self._choice(wanted.join, at)
            chosen = self.chosen[at]
            if chosen is not None and chosen not in wanted.choices:
                wrong.append(f"join {wanted.signature}")
                self.wrong.append(wanted)
                tables.update(self.reach[id(wanted)])
        if len(wrong) == enough:
            return wrong, tables
        made = self._filters()
        for text in (made - self.filters) + (self.filters - made):
            wrong.append(f"runtime filter on {text}")
            tables.update(self.sizes)
        return wrong, tables

    def _choice(self, join: Join, at: int) -> tuple[str, str] | None:
        """The operator and the side to build of a join; None of one that cannot be planned. Nothing but the sizes of
        both sides tells one trial's choice from another's."""
        try:
            sides = at, self.estimator.size_in_bytes(join.left), self.estimator.size_in_bytes(join.right)
            if sides not in self.by_sides:
                operator, side, _, _ = JoinSelection(join, PlanningContext(self.config, undecided)).choose()
                self.by_sides[sides] = operator, side
        except (PlanvizError, TypeError, ValueError, AttributeError):
            return None
        return self.by_sides[sides]

    def _critical(self, key: str) -> list[int]:
        """Sizes of a table just below and above which a side of a join that is decided otherwise can be broadcast."""
        limit, now = self.config.number(THRESHOLD), self.sizes[key]
        found: list[int] = []
        for wanted in self.wrong:
            for side in (wanted.join.left, wanted.join.right):
                size = self.estimator.size_in_bytes(side)
                if 0 < size < 1 << 62 and key in self._tables_of(side):
                    at = now * limit // size
                    found += [at * 97 // 100, at * 103 // 100]
        return [n for n in dict.fromkeys(found) if 0 < n < 1 << 50]

    def _filters(self) -> Counter[str]:
        if not self.inject:
            return Counter(self.filters)
        if max(self.sizes.values(), default=0) < self.config.number(LEAST_SCAN):
            return Counter()  # no scan is large enough to be filtered
        rule = InjectRuntimeFilter(OptimizerContext(self.config))
        found: Counter[str] = Counter()
        for at, part in enumerate(self.parts):
            if at not in self.filtered:
                try:
                    self.filtered[at] = self._filters_of(part, rule)
                except (PlanvizError, TypeError, ValueError, AttributeError):
                    self.filtered[at] = None
            made = self.filtered[at]
            if made is None:
                return Counter(self.filters)
            found.update(made)
        return found

    def _filters_of(self, part: LogicalPlan, rule: InjectRuntimeFilter) -> Counter[str]:
        """The runtime filters that one plan gets, where the optimizer leaves them: one above a union becomes one above
        each of its inputs, over the columns of that input."""
        made = rule.apply(part)
        if made is part:
            return Counter()
        found = runtime_filters_of_one(made)
        if found <= self.filters and not part.bits & Union.BIT:
            return found
        return runtime_filters_of_one(PushDownPredicates(rule.context).apply(made))

    def start(self) -> None:
        """Sizes that suggest themselves: small where a table is built alone, huge where a runtime filter helps."""
        small: set[str] = set()
        for wanted in self.joins:
            for operator, side in wanted.choices:
                if operator == "BroadcastHashJoin" and side:
                    built = wanted.join.left if side == "BuildLeft" else wanted.join.right
                    names = self._tables_of(built)
                    if len(names) == 1:
                        small.update(names)
        for key in self.sizes:
            self._set(key, self.levels[2] if key in small else LARGE)
        for node in nodes_of(self.plan):
            for inner in (c.arguments[0] for c in blooms_of(node)):
                for key in self._tables_of(inner.plan) if isinstance(inner, SubqueryExpression) else ():
                    if key not in small:
                        self._set(key, self.levels[3])
                    small.add(key)
        for node in nodes_of(self.plan):
            if isinstance(node, Filter) and any(is_bloom(c) for c in split_conjunction(node.condition)):
                for key in self._tables_of(node.child):
                    if key not in small:
                        self._set(key, HUGE)

    def search(self) -> Fitted:
        """The best sizes found, and the decisions that no sizes tried explain."""
        self.start()
        self.changed = None  # the settings may be others than those of an earlier look
        wrong, tables = self.different()
        while wrong and self.trials < TRIALS:
            better = self._step(wrong, tables)
            if better is None:
                break
            wrong, tables = better
        if not wrong:
            self.wrong = []
        decisions = len(self.joins) + sum(self.filters.values())
        return Fitted(self.sizes, decisions, wrong, self.wrong, self.trials)

    def _step(self, wrong: list[str], tables: set[str]) -> tuple[list[str], set[str]] | None:
        """The first change of one table's size that leaves fewer decisions different, or None."""
        for key in sorted(tables - self.told.keys()):
            before = self.sizes[key]
            sizes = [size for size in (*self.levels, *self._critical(key)) if size != before]
            for size in sizes[: max(TRIALS - self.trials, 0)]:
                self._set(key, size)
                # The critical sizes of the next table are those of all that is wrong with the last size of this one.
                found, reach = self.different(None if size is sizes[-1] else len(wrong))
                if len(found) < len(wrong):
                    return found, reach
            self._set(key, before)
        self.different()
        return None
