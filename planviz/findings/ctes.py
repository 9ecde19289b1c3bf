"""WITH queries that are computed once for each of their uses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from planviz.findings.finding import Check, Hit, Stake
from planviz.findings.plan_view import EXCHANGES, PlanView, count, listed
from planviz.findings.repeated import canonical
from planviz.graph.node import PlanNode
from planviz.graph.plan_graph import PlanGraph
from planviz.graph.scan_names import name_of
from planviz.units import byte_size

_DEFINED = re.compile(r"CTERelationDef (\d+)")
_READ = re.compile(r"CTERelationRef (\d+)")
_HEAVY = ("join", "aggregate", "window")
_NUMBERS = re.compile(r"#\d+")


class CteComputedAgain(Check):
    """A WITH query, used several times, that is computed from other columns or rows in each place (InlineCTE)."""

    # Nothing is said of uses that come out equal: one exchange may serve them, and adaptive execution finds that while
    # it runs. Names and uses stand in the analyzed plan, since Spark 3.2.
    name = "cte-computed-again"
    title = "A WITH query computed for each of its uses"
    why = "Spark writes a WITH query into every place that uses it, and each keeps the columns and rows that it needs."
    advice = (
        "Where it is large work for few rows, cache it or write it to a table; or let all places ask for the same "
        "columns and rows, so that one exchange serves them."
    )
    cost = "Memory or disk for its rows; columns that one place does not need."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        analyzed = next((p for p in plan.siblings if p.stage == "analyzed"), None)
        found: list[_Repeated] = []
        for query in _uses(analyzed) if analyzed is not None else ():
            copies = _copies(plan, query.tables)
            # Other numbers of copies: something else reads the same tables, an exchange serves several uses already,
            # or a copy lost a join that its place does not need.
            repeated = _alike(plan, query, copies) if len(copies) == query.expanded else _pruned(plan, query)
            if repeated is not None:
                found.append(repeated)
        # A query within another one is told with that.
        found = [one for one in found if one.alike or not any(o is not one and one.tables < o.tables for o in found)]
        if not found:
            return
        found.sort(key=lambda one: -(one.stake or 0))
        told = found[0].words
        if len(found) > 1:
            names, total = listed([one.name for one in found]), sum(one.times for one in found)
            told = f"{len(found)} WITH queries are computed {count(total, 'time')} in all: {names}."
        known = [one.stake for one in found if one.stake is not None]
        if known and (largest := found[0].largest) is not None:
            name, size = largest
            told += f" The most that is read again is {name}, {byte_size(size)}."
        stake = Stake(sum(known), "bytes") if len(known) == len(found) else None
        yield Hit(told, tuple(node.id for one in found for node in one.copies), stake=stake)


@dataclass(frozen=True)
class _Repeated:
    """A WITH query that is computed several times: `copies` are the operators to look at, `alike` with all tables."""

    name: str
    words: str
    times: int
    copies: list[PlanNode]
    tables: frozenset[str]
    alike: bool
    #: Bytes that are read more than once, and the table that has most of them; None where a size is not known.
    stake: float | None
    largest: tuple[str, float] | None


def _alike(plan: PlanView, query: _Query, copies: list[PlanNode]) -> _Repeated | None:
    """The query where each place has all of it."""
    times = _times(plan, copies)
    if times < 2:
        return None
    over = listed(list(dict.fromkeys(query.tables.elements())))
    told = f"{query.name} is used {count(query.uses, 'time')} and computed {count(times, 'time')} over {over}."
    scans = list(plan.scans(copies[0]))
    tables = frozenset(query.tables)
    return _Repeated(query.name, told, times, copies, tables, True, _stake(plan, scans, times), _largest(plan, scans))


def _pruned(plan: PlanView, query: _Query) -> _Repeated | None:
    """The query by the tables that nothing but it reads: a place that needs no column of a join is without it."""
    if not query.heavy:
        return None
    read: dict[str, list[PlanNode]] = {}
    for node in plan.nodes:
        if node.kind == "scan" and name_of(node) in query.own:
            read.setdefault(name_of(node), []).append(node)
    often = {name: -(-_times(plan, scans) // query.tables[name]) for name, scans in read.items()}
    again = {name: scans for name, scans in read.items() if often[name] > 1}
    if not again:
        return None
    sizes = {name: _stake(plan, scans[:1], often[name]) for name, scans in again.items()}
    first = max(again, key=lambda name: sizes[name] or 0)
    names = sorted(again, key=lambda name: -(sizes[name] or 0))
    uses, reads = count(query.uses, "time"), count(often[first], "read")
    told = f"{query.name} is used {uses}, which takes {reads} of {listed(names)} with other columns or rows."
    known = [size for size in sizes.values() if size is not None]
    stake = sum(known) if len(known) == len(sizes) else None
    copies = [node for name in names for node in again[name]]
    largest = _largest(plan, [scans[0] for scans in again.values()])
    return _Repeated(query.name, told, often[first], copies, frozenset(again), False, stake, largest)


def _largest(plan: PlanView, scans: list[PlanNode]) -> tuple[str, float] | None:
    sizes = [(name_of(scan), size) for scan in scans if (size := plan.size(scan)) is not None and size < 1 << 60]
    return max(sizes, key=lambda one: one[1], default=None)


def _times(plan: PlanView, copies: list[PlanNode]) -> int:
    """How often a query of which these are the copies is computed: as often as there are exchanges of its rows."""
    exchanges = [next((up for up in plan.above(copy) if up.op in EXCHANGES), None) for copy in copies]
    moved = [canonical(plan, exchange) for exchange in exchanges if exchange is not None]
    if None in moved:
        return 1  # nobody knows
    # Exchanges that differ in the numbers of their subqueries alone may be one for Spark.
    return exchanges.count(None) + len({_NUMBERS.sub("", str(text)) for text in moved})


def _stake(plan: PlanView, scans: list[PlanNode], times: int) -> float | None:
    """The bytes that are read more than once, None where a table's size is not known."""
    sizes = [plan.size(scan) for scan in scans]
    known = [size for size in sizes if size is not None and size < 1 << 60]
    return sum(known) * (times - 1) if len(known) == len(sizes) else None


@dataclass(frozen=True)
class _Query:
    """A WITH query: how often it is used, how often it stands in the plan when all are written in, what it reads.

    `own` are those of its tables that nothing else reads; `heavy` tells of a join, an aggregate or a window in it.
    """

    name: str
    uses: int
    expanded: int
    tables: Counter[str]
    own: frozenset[str]
    heavy: bool


def _uses(analyzed: PlanGraph) -> list[_Query]:
    """The WITH queries that are used more than once, as they are defined."""
    definitions = {int(m[1]): node for node in analyzed if (m := _DEFINED.match(node.text))}
    inside = {n.id: number for number, node in definitions.items() for n in analyzed.walk(node.id)}
    read: dict[int | None, Counter[int]] = {number: Counter() for number in (None, *definitions)}
    tables: dict[int, Counter[str]] = {number: Counter() for number in definitions}
    outside: Counter[str] = Counter()
    heavy: set[int | None] = set()
    for node in analyzed:
        where = inside.get(node.id)
        if node.kind in _HEAVY:
            heavy.add(where)
        if m := _READ.match(node.text):
            read[where][int(m[1])] += 1
        elif node.kind == "scan" and where is not None:
            tables[where][name_of(node)] += 1
        elif node.kind == "scan":
            outside[name_of(node)] += 1
    own = {number: Counter(counts) for number, counts in tables.items()}
    # A definition is read by what stands behind it only, so that one pass each way is enough.
    expanded: Counter[int] = Counter(read[None])
    for number in reversed(definitions):
        for used, times in read[number].items():
            expanded[used] += times * expanded[number]
    for number in definitions:
        for used, times in read[number].items():
            for table, many in tables.get(used, Counter()).items():
                tables[number][table] += many * times
            if used in heavy:
                heavy.add(number)
    # How often each table is read when all are written in, to be held against what one query reads.
    whole = outside.copy()
    for number, counts in own.items():
        for table, many in counts.items():
            whole[table] += many * expanded[number]
    total = sum(read.values(), Counter[int]())
    return [
        _Query(
            _name(analyzed, node),
            total[number],
            expanded[number],
            tables[number],
            frozenset(t for t, many in tables[number].items() if many * expanded[number] == whole[t]),
            number in heavy,
        )
        for number, node in definitions.items()
        if total[number] > 1 and tables[number]
    ]


def _name(analyzed: PlanGraph, definition: PlanNode) -> str:
    beneath = analyzed.children(definition.id)
    alias = analyzed[beneath[0]] if beneath else definition
    return alias.text.removeprefix("SubqueryAlias ").strip() if alias.op == "SubqueryAlias" else "A query"


def _copies(plan: PlanView, tables: Counter[str]) -> list[PlanNode]:
    """The lowest joins, aggregates and windows that read just these tables, so often each."""
    heavy = [n for n in plan.nodes if n.kind in _HEAVY and n.op != "Expand"]
    over = [n for n in heavy if Counter(map(name_of, plan.scans(n))) == tables]
    above = {up.id for node in over for up in plan.above(node)}
    return [node for node in over if node.id not in above]
