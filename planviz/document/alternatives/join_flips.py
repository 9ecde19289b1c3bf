"""What might flip the choice of a join's operator: settings, hints and statistics at the value where it turns.

Each candidate is tried on the join alone, with exact numbers; nothing is planned here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf, log2

from planviz.analysis.joins import STRATEGIES
from planviz.catalog.tables import Table
from planviz.config import OptimizerConfig
from planviz.decisions.choices import Decision
from planviz.decisions.flips import Change, Flip, FlipKind, SettingChange, StatisticsChange
from planviz.decisions.join_tree import FACTOR, NULL_AWARE, PARTITIONS, PREFER_SORT, THRESHOLD
from planviz.document.alternatives.flip_costs import cost_of
from planviz.document.alternatives.hints import HINTS, hint_added, hint_removed
from planviz.document.alternatives.relation_names import named_relation
from planviz.document.alternatives.replanning import place, with_statistics
from planviz.document.alternatives.rewrites import not_exists_of
from planviz.errors import ParseError
from planviz.estimation import OF_UNKNOWN_SIZE, UNKNOWN_SIZE, Estimator
from planviz.execution import QueryExecution
from planviz.expressions.predicates import EqualTo
from planviz.frontend.lexer import tokenize
from planviz.logical.combining import Join
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.physical.strategies.context import PlanningContext, undecided
from planviz.physical.strategies.join_selection import JoinSelection
from planviz.physical.strategies.keys import null_aware_anti_join
from planviz.replay.opaque import reads_opaque
from planviz.units import byte_size

#: Larger ones fail while they run.
MOST_BROADCAST = "spark.sql.maxBroadcastTableSize"
_LONG, _INT = (1 << 63) - 1, (1 << 31) - 1
#: Shuffles into more partitions are tried by nobody: every task of one side writes a block for each.
_MOST_PARTITIONS = 100_000
_SIDES = {"left": "left_hint", "right": "right_hint"}


def join_candidates(decision: Decision, execution: QueryExecution) -> list[Flip]:
    """Changes after which the join alone would be planned otherwise: of each kind the nearest for every outcome."""
    tried = _Candidates(decision, execution)
    found = [*tried.settings(), *tried.hints(), *tried.statistics(), *tried.clauses()]
    nearest: dict[tuple[FlipKind, str, str, str], Flip] = {}
    for f in sorted(found, key=lambda f: f.rank):
        nearest.setdefault((f.kind, f.outcome, f.build, "" if f.kind == "setting" else f.relation), f)
    return list(nearest.values())


class _Candidates:
    def __init__(self, decision: Decision, execution: QueryExecution) -> None:
        self.execution, self.config = execution, execution.config
        self.join: Join = decision.subject
        self.estimator = Estimator(self.config)
        self.sizes = {side: self.estimator.size_in_bytes(getattr(self.join, side)) for side in _SIDES}
        self.now, self.node = self._chosen(self.join, self.config)
        tables = [n.table for n in self.join.walk() if isinstance(n, LogicalRelation) and n.table is not None]
        self.opaque = reads_opaque(self.join)
        self.fitted = any(t.fitted for t in tables)
        self.limits = tuple(self.config.number(k) for k in (THRESHOLD, PARTITIONS))

    def _chosen(self, join: Join, config: OptimizerConfig) -> tuple[tuple[str, str], str]:
        """Operator and build side of the join alone, and the question that decided."""
        chooser = JoinSelection(join, PlanningContext(config, undecided))
        operator, side, _, _ = chooser.choose()
        return (operator, side), chooser.recorder.checks[-1].node

    def _flip(
        self, kind: FlipKind, changes: tuple[Change, ...], words: tuple[str, str], distance: float,
        join: Join | None = None, config: OptimizerConfig | None = None, relation: str = "",
    ) -> Iterator[Flip]:  # fmt: skip
        """The flip, when the join so changed comes out otherwise."""
        chosen, node = self._chosen(join or self.join, config or self.config)
        if chosen != self.now:
            if self.fitted and kind == "setting":
                words = (f"{words[0]}, at sizes that were fitted to the plan", f"{words[1]} (fitted)")
            cost = cost_of(*chosen, join or self.join, config or self.config)
            price = f"{cost.words} (at fitted sizes)" if self.fitted and cost.words else cost.words
            price = "" if self.opaque else price
            yield Flip(kind, changes, *words, *chosen, node, distance, relation, price, cost.unsafe, cost.weight)

    # -------------------------------------------------------------------------------------------- settings

    def settings(self) -> Iterator[Flip]:
        """One setting at the value where a test turns; with hash joins preferred, too, where sorting is."""
        prefer = self.config.flag(PREFER_SORT)
        yield from self._settings((), 0.0)
        yield from self._set((SettingChange(PREFER_SORT, not prefer),), 1.0)
        if prefer:
            yield from self._settings((SettingChange(PREFER_SORT, False),), 1.0)
        aware = self.config.flag(NULL_AWARE)
        if self.join.kind == "LeftAnti":
            yield from self._set((SettingChange(NULL_AWARE, not aware),), 1.0)

    def _settings(self, also: tuple[SettingChange, ...], more: float) -> Iterator[Flip]:
        threshold, partitions = self.limits
        for value in self._thresholds():
            yield from self._set((*also, SettingChange(THRESHOLD, value)), more + _apart(threshold + 1, value + 1))
        for value in self._partitions() if also or not self.config.get(PREFER_SORT) else ():
            yield from self._set((*also, SettingChange(PARTITIONS, value)), more + _apart(partitions, value))
        factor = self.config.number(FACTOR)
        for value in self._factors() if also or not self.config.get(PREFER_SORT) else ():
            yield from self._set((*also, SettingChange(FACTOR, value)), more + _apart(factor, value))

    def _thresholds(self) -> set[int]:
        if self.opaque:  # nobody knows the sizes: what surely turns is to broadcast nothing
            return {-1}
        partitions = self.limits[1]
        edges = [(s, s // partitions + 1) for s in self.sizes.values() if s < OF_UNKNOWN_SIZE]
        # Of a size that was only fitted no more is known than that it is large: no number that Spark can broadcast.
        most = self.config.number(MOST_BROADCAST) if self.fitted else _LONG
        return {v for fits, maps in edges for v in (fits, fits - 1, maps, maps - 1) if -1 <= v <= most}

    def _partitions(self) -> set[int]:
        threshold = self.limits[0]
        if threshold <= 0 or self.opaque:
            return set()
        edges = {v for s in self.sizes.values() for v in (s // threshold, s // threshold + 1)}
        return {v for v in edges if 1 <= v <= _MOST_PARTITIONS}

    def _factors(self) -> set[int]:
        left, right = self.sizes.values()
        if self.opaque:
            return set()
        ratios = [a // b for a, b in ((left, right), (right, left)) if b]
        return {v for r in ratios for v in (r, r + 1) if 1 <= v <= _INT}

    def _set(self, changes: tuple[SettingChange, ...], distance: float) -> Iterator[Flip]:
        if all(self.config.get(c.key) == c.value for c in changes):
            return
        config = self.config.with_settings({c.key: c.value for c in changes})
        words = " and ".join(self._said(c) for c in changes)
        short = ", ".join(f"{c.key.rsplit('.', 1)[-1]} = {_value(c)}" for c in changes)
        yield from self._flip("setting", changes, (words, short), distance, config=config)

    def _said(self, change: SettingChange) -> str:
        value = change.value
        if isinstance(value, bool | str):
            return f"set {change.key} to {_value(change)}"
        number = f"{value} ({byte_size(value)})" if change.key == THRESHOLD and value >= 0 else str(value)
        return f"{'raise' if value > self.config.number(change.key) else 'lower'} {change.key} to {number}"

    # -------------------------------------------------------------------------------------------- hints

    def hints(self) -> Iterator[Flip]:
        """A hint on a side, or a side's hint taken away."""
        for side, field in _SIDES.items():
            plan, now = getattr(self.join, side), getattr(self.join, field)
            named = named_relation(plan, self.execution)
            if named is None:
                continue
            name, offset = named
            for strategy, hint in HINTS.items():
                edit = hint_added(self.execution.sql, offset, hint, name) if strategy != now else None
                if edit is not None:
                    words = (f"add the hint {hint}({name})", f"{hint}({name})")
                    hinted = self.join.replace(**{field: strategy})
                    yield from self._flip("hint", (edit,), words, 1.0, hinted, relation=name)
            if now in HINTS:
                yield from self._without(field, name, offset, HINTS[now])

    def _without(self, field: str, name: str, offset: int, hint: str) -> Iterator[Flip]:
        same = tuple(h for h, s in STRATEGIES.items() if s == STRATEGIES[hint])
        edit = hint_removed(self.execution.sql, offset, name, same)
        if edit is not None:
            words = (f"remove the hint {hint}({name})", f"no {hint}({name})")
            yield from self._flip("hint", (edit,), words, 0.5, self.join.replace(**{field: None}), relation=name)

    # -------------------------------------------------------------------------------------------- clauses

    def clauses(self) -> Iterator[Flip]:
        """NOT EXISTS in place of NOT IN: an anti join by an equality alone, which is planned as any other."""
        keys = null_aware_anti_join(self.join)
        if keys is None or not self.execution.sql:
            return
        places = [place(n, self.execution) for n in self.join.right.walk() if not n.children]
        inside = next((at for at in places if at is not None), None)
        try:
            edits = not_exists_of(tokenize(self.execution.sql), inside)
        except ParseError:
            return
        if edits:
            words = "write NOT EXISTS in place of NOT IN, where rows with nulls may stay"
            join = self.join.replace(condition=EqualTo(keys.left[0], keys.right[0]))
            yield from self._flip("clause", edits, (words, "NOT EXISTS"), 0.5, join)

    # -------------------------------------------------------------------------------------------- statistics

    def statistics(self) -> Iterator[Flip]:
        """Another size of the only table of a side."""
        for side in _SIDES:
            leaves = [n for n in getattr(self.join, side).walk() if not n.children]
            if len(leaves) == 1 and isinstance(leaves[0], LogicalRelation) and leaves[0].table is not None:
                yield from self._of_table(side, leaves[0], leaves[0].table)

    def _of_table(self, side: str, leaf: LogicalRelation, table: Table) -> Iterator[Flip]:
        by_rows = table.row_count is not None and _counts_rows(self.config)
        now = (table.row_count if by_rows else table.size_in_bytes) or 0
        unknown = (now == 0 and not by_rows) or table.fitted
        name = table.shown_name

        def changed(value: int) -> LogicalPlan:
            new = leaf.replace(table=with_statistics(table, _statistics(name, value, by_rows)))
            made: LogicalPlan = getattr(self.join, side).transform_up(lambda p: new if p is leaf else p)
            return made

        def size(value: int) -> int:
            return self.estimator.size_in_bytes(changed(value))

        for bound in self._bounds(side):
            edge = largest_within(size, bound, max(now, 1))
            for value in {edge, edge + 1} if edge is not None else ():
                if value == now or not 0 <= value <= _LONG:
                    continue
                words = _size_words(name, value, now, by_rows, unknown)
                distance = 0.5 + (0.0 if unknown else _apart(now + 1, value + 1))
                join = self.join.replace(**{side: changed(value)})
                yield from self._flip(
                    "statistics", (_statistics(name, value, by_rows),), words, distance, join, relation=name
                )

    def _bounds(self, side: str) -> set[int]:
        """The sizes of a side at which a test turns."""
        threshold, partitions = self.limits
        other = self.sizes["right" if side == "left" else "left"]
        factor = self.config.number(FACTOR)
        hashed = (
            () if self.config.get(PREFER_SORT) else (threshold * partitions - 1, other // factor, other * factor - 1)
        )
        return {b for b in (threshold, other, other - 1, *hashed) if 0 <= b <= _LONG}


def _counts_rows(config: OptimizerConfig) -> bool:
    return bool(config.get("spark.sql.cbo.enabled") or config.get("spark.sql.cbo.planStats.enabled"))


def _statistics(table: str, value: int, by_rows: bool) -> StatisticsChange:
    return StatisticsChange(table, None, value) if by_rows else StatisticsChange(table, value)


def _size_words(name: str, value: int, now: int, by_rows: bool, unknown: bool) -> tuple[str, str]:
    size = f"{value} rows" if by_rows else f"{value} bytes ({byte_size(value)})"
    short = f"{value} rows" if by_rows else byte_size(value)
    if unknown:
        return f"collect statistics for {name}, if they tell {size}", f"{name}: statistics, {short}"
    return f"if {name} {'shrank' if value < now else 'grew'} to {size}", f"{name} {short}"


def _value(change: SettingChange) -> str:
    if isinstance(change.value, bool):
        return str(change.value).lower()
    value = change.value
    return byte_size(value) if change.key == THRESHOLD and isinstance(value, int) and value >= 0 else str(value)


def _apart(now: int, then: int) -> float:
    """By how many powers of two one number is from the other."""
    return inf if now <= 0 and then <= 0 else abs(log2(max(then, 1) / max(now, 1)))


def largest_within(size: Callable[[int], int], bound: int, start: int) -> int | None:
    """The largest number whose size is within the bound, by doubling or halving from `start`; None for none.

    `size` must not fall as its number grows.
    """

    def fits(value: int) -> bool:
        return size(value) <= bound

    if fits(start):
        low, high = start, start * 2
        while high <= _LONG and fits(high):
            low, high = high, high * 2
        high = min(high, _LONG + 1)
    else:
        low, high = start // 2, start
        while low and not fits(low):
            low, high = low // 2, low
        if not fits(low):
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low if low < UNKNOWN_SIZE else None
