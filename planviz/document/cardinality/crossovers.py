"""Where the joins of a query change as its tables grow: every change exact to the byte (inventory E-070..E-073).

The query is planned at sizes evenly spread over the range, by their ratio; between two of them whose joins differ, the
size is searched at which they do. Joins that change and change back between two neighbours stay unseen: more steps find
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter

from planviz.decisions.choices import Check, Decision
from planviz.document.alternatives.what_if import WhatIf, joins_of, replanned, tables_of
from planviz.document.decisions.queries import outcome, plain, subject, title
from planviz.errors import InputError
from planviz.execution import QueryExecution
from planviz.jsontypes import JsonObject

KIB, TIB = 1 << 10, 1 << 40
#: How many sizes are planned before the search.
STEPS = 32
#: The relations of every join and the operator taken, in the order of the planner.
Joins = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Change:
    """One join that changes: its relations, the operator before and after ("": there is no such join), and the test
    that came out otherwise, with the numbers that it saw, bytes as they are ("" where another order is the reason)."""

    relations: str
    before: str
    after: str
    test: str = ""
    saw_before: tuple[tuple[str, int], ...] = ()
    saw_after: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Crossover:
    """The joins change between `at` bytes and one byte more; both were planned in full."""

    at: int
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class Stretch:
    """Sizes from `low` to `high` bytes, both included, with the same joins."""

    low: int
    high: int
    joins: Joins


@dataclass(frozen=True)
class Crossovers:
    """What becomes of a query's joins over a range of sizes.

    `tables` grow together, in proportion; sizes are those of the first of them, `now` its size in the catalogue.
    `stretches` cover the range without gaps, `crossovers` stand between them. `plans` were made in `seconds`.
    """

    tables: tuple[str, ...]
    now: int
    stretches: tuple[Stretch, ...]
    crossovers: tuple[Crossover, ...]
    plans: int
    seconds: float


def crossovers(
    execution: QueryExecution,
    table: str | None = None,
    low: int = KIB,
    high: int | None = None,
    steps: int = STEPS,
) -> Crossovers:
    """The joins of a query as a table grows from `low` to `high` bytes (None: 1 TiB, or 10 times its size if that is
    more); without a table all tables grow, and the size is that of the largest.

    Raises InputError for a table that the query does not read or whose size is unknown while others are to grow with
    it, and for a range that is none; and what the stages raise.
    """
    started = perf_counter()
    known = tables_of(execution)
    names = _growing(known, table)
    now = known[names[0]].size_in_bytes
    high = max(TIB, 10 * (now or 0)) if high is None else high
    if not 0 < low <= high:
        raise InputError(f"From {low} to {high} bytes is no range of sizes.")
    if not joins_of(execution):  # no size brings a join into a query that has none
        return Crossovers(names, now or 0, (Stretch(low, high, ()),), (), 0, perf_counter() - started)
    search = _Search(execution, {name: known[name].size_in_bytes for name in names}, names[0])
    found = list(search.between(sorted({low, high, *_spread(low, high, steps)})))
    return Crossovers(
        names,
        now or 0,
        tuple(_stretches(search, low, high, [c.at for c in found])),
        tuple(found),
        search.plans,
        perf_counter() - started,
    )


def _growing(known: JsonObject, table: str | None) -> tuple[str, ...]:
    if not known:
        raise InputError("The query reads no table of the catalogue.")
    if table is not None:
        found = next((name for name in known if name.lower() == table.lower()), None)
        if found is None:
            raise InputError(f"The query reads no table {table}; it reads {', '.join(sorted(known))}.")
        return (found,)
    unknown = sorted(name for name, t in known.items() if not t.size_in_bytes)
    if unknown:
        raise InputError(f"The size of {unknown[0]} is unknown, so that it cannot grow with the others.")
    return tuple(sorted(known, key=lambda name: -known[name].size_in_bytes))


def _spread(low: int, high: int, steps: int) -> Iterator[int]:
    ratio = (high / low) ** (1 / max(steps, 1))
    return (min(high, max(low, round(low * ratio**i))) for i in range(steps + 1))


def _stretches(search: _Search, low: int, high: int, at: list[int]) -> Iterator[Stretch]:
    for end in [*at, high]:
        yield Stretch(low, end, search.joins(end))
        low = end + 1


class _Search:
    """Plans of one query at several sizes, each made once."""

    def __init__(self, execution: QueryExecution, sizes: dict[str, int | None], leader: str) -> None:
        self.execution, self.sizes, self.leader = execution, sizes, leader
        self.plans = 0
        self.whole: dict[int, list[Decision]] = {}
        #: Sizes at which the optimizer made the plan that it makes of the catalogue's.
        self.usual: set[int] = set()
        self.text = plain(execution.optimized.tree_string)

    def asked(self, size: int) -> WhatIf:
        now = self.sizes[self.leader]
        others = {n: max(1, s * size // now) for n, s in self.sizes.items() if n != self.leader and s and now}
        return WhatIf(sizes={self.leader: size, **others})

    def decisions(self, size: int) -> list[Decision]:
        """The decisions on joins at a size, of the whole planning."""
        if size not in self.whole:
            self.plans += 1
            other = replanned(self.execution, self.asked(size))
            self.whole[size] = joins_of(other)
            if plain(other.optimized.tree_string) == self.text:
                self.usual.add(size)
        return self.whole[size]

    def joins(self, size: int) -> Joins:
        """The joins at a size, of the whole planning."""
        return _joins(self.decisions(size))

    def quick(self, size: int) -> Joins:
        """The joins at a size if the optimizer makes of it what it makes of the catalogue's sizes."""
        if size in self.whole:
            return self.joins(size)
        self.plans += 1
        return _joins(joins_of(replanned(self.execution, self.asked(size), quick=True)))

    def between(self, sizes: list[int]) -> Iterator[Crossover]:
        """Every change between neighbours of these sizes, in order."""
        for low, high in pairwise(sizes):
            if self.joins(low) != self.joins(high):
                yield from self._narrowed(low, high)

    def _narrowed(self, low: int, high: int) -> Iterator[Crossover]:
        while self.joins(low) != self.joins(high):
            before, low = self._first_change(low, high)
            yield Crossover(before, tuple(_changes(self.decisions(before), self.decisions(low))))

    def _first_change(self, low: int, high: int) -> tuple[int, int]:
        if {low, high} <= self.usual:
            start, end = self._closest(low, high, self.quick)
            if self.joins(start) == self.joins(low) != self.joins(end):
                return start, end
        return self._closest(low, high, self.joins)

    @staticmethod
    def _closest(low: int, high: int, joins: Callable[[int], Joins]) -> tuple[int, int]:
        """The least size found whose joins are not those of `low`, and the one before it."""
        first = joins(low)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if joins(middle) == first else (low, middle)
        return low, high


def _joins(decisions: list[Decision]) -> Joins:
    return tuple([(subject(d), outcome(d)) for d in decisions])


def _changes(before: list[Decision], after: list[Decision]) -> Iterator[Change]:
    old, new = _by_relations(before), _by_relations(after)
    for key in dict.fromkeys([*old, *new]):
        a, b = old.get(key), new.get(key)
        if a is None or b is None:
            yield Change(key[0], outcome(a) if a else "", outcome(b) if b else "")
        elif outcome(a) != outcome(b):
            yield Change(key[0], outcome(a), outcome(b), *_turned(a, b))


def _by_relations(decisions: list[Decision]) -> dict[tuple[str, int], Decision]:
    """Decisions by their relations, numbered where several joins have the same."""
    found: dict[tuple[str, int], Decision] = {}
    for d in decisions:
        name = subject(d)
        found[name, sum(n == name for n, _ in found)] = d
    return found


def _turned(a: Decision, b: Decision) -> tuple[str, tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]:
    """The first test that came out otherwise or saw another side, and the numbers it saw before and after."""
    for one, other in zip(a.checks, b.checks, strict=False):
        if (one.node, one.passed) != (other.node, other.passed) or one is a.checks[-1]:
            return title(one), _numbers(one), _numbers(other)
    return "", (), ()


def _numbers(check: Check) -> tuple[tuple[str, int], ...]:
    return tuple([(n, v) for n, v in check.values if isinstance(v, int) and not isinstance(v, bool)])


def crossovers_json(found: Crossovers) -> dict[str, object]:
    """Crossovers as JSON values: sizes in bytes, joins as [relations, operator]."""
    return {
        "tables": list(found.tables),
        "now": found.now,
        "stretches": [{"low": s.low, "high": s.high, "joins": [list(j) for j in s.joins]} for s in found.stretches],
        "crossovers": [
            {
                "at": c.at,
                "changes": [
                    {
                        "relations": x.relations, "before": x.before or None, "after": x.after or None,
                        "test": x.test or None, "sawBefore": dict(x.saw_before), "sawAfter": dict(x.saw_after),
                    }
                    for x in c.changes
                ],
            }
            for c in found.crossovers
        ],
        "plans": found.plans,
        "seconds": round(found.seconds, 3),
    }  # fmt: skip
