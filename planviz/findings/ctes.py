"""WITH queries that are computed once for each of their uses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from planviz.findings.finding import Check, Hit, Stake
from planviz.findings.plan_view import EXCHANGES, PlanView, count, listed
from planviz.findings.repeated import canonical
from planviz.graph.node import PlanNode
from planviz.graph.plan_graph import PlanGraph
from planviz.graph.scan_names import name_of

_DEFINED = re.compile(r"CTERelationDef (\d+)")
_READ = re.compile(r"CTERelationRef (\d+)")
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
        found: list[tuple[_Query, int, list[PlanNode]]] = []
        for query in _uses(analyzed) if analyzed is not None else ():
            copies = _copies(plan, query.tables)
            if len(copies) != query.expanded:
                continue  # something else reads the same tables, or an exchange serves several uses already
            times = _times(plan, copies)
            if times > 1:
                found.append((query, times, copies))
        if not found:
            return
        query, times, copies = found[0]
        over = listed(list(dict.fromkeys(query.tables.elements())))
        told = f"{query.name} is used {count(query.uses, 'time')} and computed {count(times, 'time')} over {over}."
        if len(found) > 1:
            names, total = listed([query.name for query, _, _ in found]), sum(times for _, times, _ in found)
            told = f"{len(found)} WITH queries are computed {count(total, 'time')} in all: {names}."
        stakes = [_stake(plan, copies[0], times) for _, times, copies in found]
        known = [stake for stake in stakes if stake is not None]
        stake = Stake(sum(known), "bytes") if len(known) == len(stakes) else None
        yield Hit(told, tuple(copy.id for _, _, copies in found for copy in copies), stake=stake)


def _times(plan: PlanView, copies: list[PlanNode]) -> int:
    """How often a query of which these are the copies is computed: as often as there are exchanges of its rows."""
    exchanges = [next((up for up in plan.above(copy) if up.op in EXCHANGES), None) for copy in copies]
    moved = [canonical(plan, exchange) for exchange in exchanges if exchange is not None]
    if None in moved:
        return 1  # nobody knows
    # Exchanges that differ in the numbers of their subqueries alone may be one for Spark.
    return exchanges.count(None) + len({_NUMBERS.sub("", str(text)) for text in moved})


def _stake(plan: PlanView, copy: PlanNode, times: int) -> float | None:
    """The bytes that are read more than once, None where a table's size is not known."""
    sizes = [plan.size(scan) for scan in plan.scans(copy)]
    known = [size for size in sizes if size is not None and size < 1 << 60]
    return sum(known) * (times - 1) if len(known) == len(sizes) else None


class _Query:
    """A WITH query: how often it is used, how often it stands in the plan when all are written in, what it reads."""

    def __init__(self, name: str, uses: int, expanded: int, tables: Counter[str]) -> None:
        self.name, self.uses, self.expanded, self.tables = name, uses, expanded, tables


def _uses(analyzed: PlanGraph) -> list[_Query]:
    """The WITH queries that are used more than once, as they are defined."""
    definitions = {int(m[1]): node for node in analyzed if (m := _DEFINED.match(node.text))}
    inside = {n.id: number for number, node in definitions.items() for n in analyzed.walk(node.id)}
    read: dict[int | None, Counter[int]] = {number: Counter() for number in (None, *definitions)}
    tables: dict[int, Counter[str]] = {number: Counter() for number in definitions}
    for node in analyzed:
        where = inside.get(node.id)
        if m := _READ.match(node.text):
            read[where][int(m[1])] += 1
        elif node.kind == "scan" and where is not None:
            tables[where][name_of(node)] += 1
    # A definition is read by what stands behind it only, so that one pass each way is enough.
    expanded: Counter[int] = Counter(read[None])
    for number in reversed(definitions):
        for used, times in read[number].items():
            expanded[used] += times * expanded[number]
    for number in definitions:
        for used, times in read[number].items():
            for table, many in tables.get(used, Counter()).items():
                tables[number][table] += many * times
    total = sum(read.values(), Counter[int]())
    return [
        _Query(_name(analyzed, node), total[number], expanded[number], tables[number])
        for number, node in definitions.items()
        if total[number] > 1 and tables[number]
    ]


def _name(analyzed: PlanGraph, definition: PlanNode) -> str:
    beneath = analyzed.children(definition.id)
    alias = analyzed[beneath[0]] if beneath else definition
    return alias.text.removeprefix("SubqueryAlias ").strip() if alias.op == "SubqueryAlias" else "A query"


def _copies(plan: PlanView, tables: Counter[str]) -> list[PlanNode]:
    """The lowest joins, aggregates and windows that read just these tables, so often each."""
    heavy = [n for n in plan.nodes if n.kind in ("join", "aggregate", "window") and n.op != "Expand"]
    over = [n for n in heavy if Counter(map(name_of, plan.scans(n))) == tables]
    above = {up.id for node in over for up in plan.above(node)}
    return [node for node in over if node.id not in above]
