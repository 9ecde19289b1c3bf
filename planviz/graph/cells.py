"""Numbers of two plans side by side: before, after, difference, percent, and whether that is better."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from planviz.graph.kinds import spark_name
from planviz.graph.node import PlanNode
from planviz.graph.plan_graph import PlanGraph
from planviz.units import beyond, byte_size, duration, exact

Unit = Literal["", "rows", "bytes", "ms"]

_NUMBER = re.compile(r"(-?\d[\d,]{0,30}(?:\.\d{1,12})?)\s*(ms|s|m|h|[KMGTPE]?i?B)?(?![\w.])")
_TIMES = {"ms": 1.0, "s": 1_000.0, "m": 60_000.0, "h": 3_600_000.0}
_SIZES = "BKMGTPE"
#: Spark's metrics that are told of an operator and summed up over a plan, with what they are in words.
TOTALS = {
    "size of files read": "bytes of files read",
    "number of files read": "files read",
    "shuffle bytes written": "bytes shuffled",
    "spill size": "bytes spilled",
    "peak memory": "peak memory, summed up",
}
#: Metrics that say how long an operator worked; what they sum up to counts threads, no clock.
_WORKING = re.compile(r"\btime\b|\bduration\b", re.IGNORECASE)
_BYTES = re.compile(r"\bsize\b|\bbytes\b|\bmemory\b", re.IGNORECASE)
#: Metrics of which less is neither better nor worse.
_NEUTRAL = re.compile(r"^number of (output )?(rows|partitions|batches|input batches)|coalesced|records")


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of both plans; None where it is not known. `lower_is_better` is None where neither is.

    `measured` tells numbers of a run from those that were expected or counted.
    """

    name: str
    before: float | None
    after: float | None
    unit: Unit = ""
    lower_is_better: bool | None = None
    measured: bool = False

    @property
    def difference(self) -> float | None:
        """After minus before; None where one of them is not known."""
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def percent(self) -> float | None:
        """The difference in percent of the number before; None where there is no such number."""
        return None if not self.before or self.difference is None else 100 * self.difference / abs(self.before)

    @property
    def better(self) -> bool | None:
        """Whether the number after is better; None where it is the same, or nobody can say."""
        if self.lower_is_better is None or not self.difference:
            return None
        return (self.difference < 0) == self.lower_is_better

    @property
    def factor(self) -> float:
        """How many times the larger is the smaller, counted from 1 on; 1 where one of them is not known."""
        if self.before is None or self.after is None:
            return 1.0
        low, high = sorted((max(abs(self.before), 1.0), max(abs(self.after), 1.0)))
        return high / low

    def to_json(self) -> dict[str, object]:
        """The cell as JSON values."""
        return {
            "name": self.name, "before": _whole(self.before), "after": _whole(self.after),
            "difference": _whole(self.difference), "percent": None if self.percent is None else round(self.percent, 1),
            "unit": self.unit, "lower_is_better": self.lower_is_better, "better": self.better,
            "measured": self.measured,
        }  # fmt: skip


def _whole(number: float | None) -> float | int | None:
    return int(number) if number is not None and number == int(number) else number


def number_words(number: float | None, unit: Unit = "", *, signed: bool = False) -> str:
    """A number for people: `1,234`, `12.5 MiB`, `1.4 s`; `–` where it is not known."""
    if number is None:
        return "–"
    sign = "+" if signed and number > 0 else "−" if number < 0 else ""
    size = abs(number)
    words = byte_size(size) if unit == "bytes" else duration(size) if unit == "ms" else exact(size)
    return sign + words


def metric(name: str, value: object) -> tuple[float, Unit] | None:
    """A metric of Spark as a number: times in ms, sizes in bytes; None where it was not measured or is no number.

    Spark prints `22 ms`, `32.2 MiB`, `8,315`, or a total over the tasks below a heading line.
    """
    unit: Unit = "ms" if _WORKING.search(name) else "bytes" if _BYTES.search(name) else ""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return float(value), unit
    found = _NUMBER.match(str(value).rpartition("\n")[2].strip()[:200])
    if found is None:
        return None
    number, word = float(found[1].replace(",", "")), found[2]
    if word in _TIMES:
        return number * _TIMES[word], "ms"
    if word:
        return number * 1024.0 ** _SIZES.index(word[0]), "bytes"
    return number, unit


def node_cells(before: PlanNode, after: PlanNode) -> list[Cell]:
    """The numbers of one operator: rows and bytes expected, and every metric that either side has."""
    cells = []
    for name, unit in (("rows", "rows"), ("size_in_bytes", "bytes")):
        one, two = (getattr(node.estimate, name) if node.estimate else None for node in (before, after))
        if one is not None or two is not None:
            words: Unit = "rows" if unit == "rows" else "bytes"
            cells.append(Cell(f"{words} expected", one, two, words))
    mine, theirs = before.metrics or {}, after.metrics or {}
    for name in [*mine, *(name for name in theirs if name not in mine)]:
        first, second = metric(name, mine.get(name)), metric(name, theirs.get(name))
        if first is not None or second is not None:
            found = (first or second or (0, ""))[1]
            lower = None if _NEUTRAL.search(name) else True
            cells.append(
                Cell(name, first and first[0], second and second[0], "rows" if _rows(name) else found, lower, True)
            )
    return cells


def _rows(name: str) -> bool:
    return name == "number of output rows"


def working(node: PlanNode) -> float | None:
    """Milliseconds that an operator says it worked, over all its tasks; None where it says nothing."""
    times = [value[0] for name, text in (node.metrics or {}).items()
             if _WORKING.search(name) and (value := metric(name, text)) is not None]  # fmt: skip
    return sum(times) if times else None


def plan_cells(before: PlanGraph, after: PlanGraph) -> list[Cell]:
    """The numbers of two whole plans: operators by family, columns read, what was expected, what was measured."""
    one, two = _counts(before), _counts(after)
    cells = [Cell(name, one[name], two[name], "", lower) for name, lower in _COUNTED.items() if one[name] or two[name]]
    for name, unit, mine, theirs in _expected(before, after):
        cells.append(Cell(name, mine, theirs, unit))
    mine_all, theirs_all = _measured(before), _measured(after)
    for name, words in (*TOTALS.items(), ("working", "time that operators report, over all tasks")):
        unit = "ms" if name == "working" else "" if name.startswith("number of") else "bytes"
        if name in mine_all or name in theirs_all:
            cells.append(Cell(words, mine_all.get(name), theirs_all.get(name), unit, True, True))
    return cells


#: What is counted of a plan, and whether fewer are better.
_COUNTED: dict[str, bool | None] = {
    "operators": None,
    "joins": None,
    "shuffles": True,
    "broadcasts": None,
    "sorts": True,
    "aggregates": None,
    "scans": None,
    "columns read": True,
    "reused exchanges": False,
}


def is_shuffle(node: PlanNode) -> bool:
    """Whether an operator sends rows over the network by key, range or at random; no broadcast, and nothing reused."""
    name = spark_name(node.op)
    return name.endswith(("Exchange", "ExchangeSink")) and not name.startswith(("Broadcast", "Reused"))


def is_broadcast(node: PlanNode) -> bool:
    """Whether an operator sends all its rows to every executor."""
    return spark_name(node.op) == "BroadcastExchange"


def _counts(graph: PlanGraph) -> Counter[str]:
    found: Counter[str] = Counter(operators=len(graph))
    for node in graph:
        if node.kind in ("join", "sort", "aggregate", "scan"):
            found[f"{node.kind}s"] += 1
        found["shuffles"] += is_shuffle(node)
        found["broadcasts"] += is_broadcast(node)
        found["reused exchanges"] += spark_name(node.op) == "ReusedExchange"
        if node.kind == "scan":
            found["columns read"] += len(_columns(node.arguments.get("output")))
    return found


def _columns(output: object) -> Sequence[str]:
    return output if isinstance(output, list) else ()


def _expected(before: PlanGraph, after: PlanGraph) -> list[tuple[str, Unit, float | None, float | None]]:
    """Rows and bytes that are expected to come out of both plans; rows that nobody can believe are none."""
    tops = [next((node.estimate for node in graph.walk() if node.estimate is not None), None)
            for graph in (before, after)]  # fmt: skip
    found: list[tuple[str, Unit, float | None, float | None]] = []
    rows = [None if top is None or beyond(top.rows or 0) else top.rows for top in tops]
    sizes = [None if top is None else top.size_in_bytes for top in tops]
    if any(number is not None for number in rows):
        found.append(("rows expected of the query", "rows", rows[0], rows[1]))
    if any(number is not None for number in sizes):
        found.append(("bytes expected of the query", "bytes", sizes[0], sizes[1]))
    return found


def _measured(graph: PlanGraph) -> Mapping[str, float]:
    totals: dict[str, float] = {}
    for node in graph:
        if not node.metrics:
            continue
        for name in TOTALS:
            value = metric(name, node.metrics.get(name))
            if value is not None:
                totals[name] = totals.get(name, 0) + value[0]
        worked = working(node)
        if worked is not None:
            totals["working"] = totals.get("working", 0) + worked
    return totals


def basis(graph: PlanGraph) -> str:
    """What the numbers of a plan are: "measured", "estimated", or "" where it has none."""
    if any(value is not None for node in graph if node.metrics for value in node.metrics.values()):
        return "measured"
    return "estimated" if any(node.estimate is not None for node in graph) else ""
