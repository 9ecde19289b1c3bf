"""Estimated rows beside measured ones: which operator of a run answers which of the plan, and where they part."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from planviz.graph.node import PlanNode
from planviz.graph.plan_graph import PlanGraph
from planviz.graph.words import path_name

#: Kinds that have rows of their own in both plans; all others pass on what is beneath them.
_OWN = ("scan", "filter", "join", "aggregate", "limit", "set", "generate", "window")
#: Spark's name of the metric.
ROWS = "number of output rows"
_WRITTEN = "shuffle records written"
_BYTES = re.compile(r"(?:total[^\n]*\n)?\s*(\d[\d,]{0,30}(?:\.\d{1,9})?) ([KMGTPE]?i?B)\b")
_UNITS = {"B": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_MAY_MULTIPLY = re.compile(r"MapPartitions|MapIn|FlatMap|MapGroups|^Reused")
_FORMATS = re.compile(
    r"(Columnar|Row)To|To(Row|Columnar)$|^(InputAdapter|WholeStageCodegen|AdaptiveSparkPlan)|QueryStage$"
)
_IDS = re.compile(r"#\d+L?|\s+|[()`]")
#: Operators that are looked at, for one of the run, when exchanges are reused.
_OVER = 10
#: From this factor on an estimate counts as wrong.
FACTOR = 10.0

Key = tuple[str, tuple[tuple[str, int], ...]]


def measured_rows(node: PlanNode) -> int | None:
    """Spark's "number of output rows" of an operator, of a shuffle the rows that it wrote; None when not measured.

    Spark runs what stands beneath a sort's exchange twice, first for a sample of the keys, and counts its rows twice.
    """
    metrics = node.metrics or {}
    value = metrics.get(ROWS, metrics.get(_WRITTEN) if node.kind == "exchange" else None)
    if isinstance(value, str):
        # Totals of several tasks stand below a heading: `total (min, med, max)\n12,345 (...)`.
        found = re.search(r"\d[\d,]{0,30}", value.rpartition("\n")[2])
        return int(found[0].replace(",", "")) if found else None
    return int(value) if isinstance(value, int | float) else None


def measured_bytes(node: PlanNode) -> int | None:
    """Spark's "data size" (exchanges) or "size of files read" (scans), printed such as `12.1 MiB` or raw in bytes."""
    metrics = node.metrics or {}
    value = metrics.get("data size", metrics.get("size of files read"))
    if isinstance(value, str) and (found := _BYTES.match(value)):
        return int(float(found[1].replace(",", "")) * 1024 ** _UNITS[found[2][0]])
    return int(value) if isinstance(value, int | float) else None


def keeps_rows(node: PlanNode) -> bool:
    """Whether as many rows come out of an operator as go in: exchanges, sorts, projections, changes of the format."""
    if _MAY_MULTIPLY.search(node.op) or ("ShuffleRead" in node.op and "skewed" in node.text):
        return False  # a split partition is met by a copy of its other side
    return node.kind in ("exchange", "sort", "project") or bool(_FORMATS.search(node.op))


def carried_rows(nodes: Sequence[PlanNode], parent: Sequence[int]) -> list[int | None]:
    """Measured rows of every node, also beneath and above one that keeps rows, where Spark counts nothing.

    `parent` has for each of `nodes` the place of the one that takes its rows, -1 for none; parents stand first.
    """
    rows = [measured_rows(node) for node in nodes]
    inputs = Counter(parent)
    for i in reversed(range(len(nodes))):
        p = parent[i]
        if p >= 0 and rows[p] is None and inputs[p] == 1 and keeps_rows(nodes[p]):
            rows[p] = rows[i]
    for i, p in enumerate(parent):
        if p >= 0 and rows[i] is None and inputs[p] == 1 and keeps_rows(nodes[p]):
            rows[i] = rows[p]
    return rows


def actual_rows(estimated: PlanGraph, run: PlanGraph) -> dict[int, int]:
    """Measured rows of a run by the node of the optimizer's plan that they belong to.

    Operators answer each other when they are of one kind over the same tables, and with several of those by their
    condition, then by their order. What has no rows of its own (projections, sorts, exchanges) takes those beneath it.
    """
    candidates: dict[Key, list[PlanNode]] = defaultdict(list)
    tables = tables_beneath(run)
    # A damaged text may reuse what stands above, or one reuse another many times over.
    for node in islice(_with_reused(run), _OVER * len(run)):
        if measured_rows(node) is not None and not _is_part(run, node):
            candidates[node.kind, tables[node.id]].append(node)
    found: dict[int, int] = {}
    theirs = tables_beneath(estimated)
    for node in estimated.walk():
        rest = candidates.get((node.kind, theirs[node.id]), [])
        if node.kind in _OWN and rest:
            same = [one for one in rest if _words(one) == _words(node)]
            taken = (same or rest)[0]
            rest.remove(taken)
            found[node.id] = measured_rows(taken) or 0
    for node in reversed(list(estimated.walk())):
        below = estimated.children(node.id)
        if node.id not in found and node.kind not in _OWN and len(below) == 1 and below[0] in found:
            found[node.id] = found[below[0]]
    return found


def _is_part(run: PlanGraph, node: PlanNode) -> bool:
    """Whether it is an early part of an aggregate whose last part stands above, or a batch of rows unpacked."""
    if node.op == "ColumnarToRow" or node.kind == "exchange":
        return True
    above = node.parent if node.kind == "aggregate" else None
    while above is not None and run[above].kind in ("exchange", "sort", "other"):
        above = run[above].parent
    return above is not None and run[above].kind == "aggregate"


def _with_reused(run: PlanGraph) -> Iterator[PlanNode]:
    """The operators of a run; what a reused exchange or subquery stands for comes once more for every use."""
    reused = _reused(run)
    stack = [node.id for node in reversed(list(run)) if node.parent is None]
    while stack:
        id = stack.pop()
        yield run[id]
        stack += [*reused.get(id, ()), *reversed(run.children(id))]


def _reused(graph: PlanGraph) -> dict[int, tuple[int, ...]]:
    return {link.source: (link.target,) for link in graph.links() if link.type == "reuse"}


#: Names of tables with how often each stands somewhere, in order.
Tables = tuple[tuple[str, int], ...]


def tables_beneath(graph: PlanGraph) -> list[Tables]:
    """The tables beneath every node, each with how often it stands there; those of what is reused count, too."""
    reused = _reused(graph)
    counted: dict[int, Tables] = {}
    stack = [node.id for node in graph]
    opened: set[int] = set()
    while stack:
        id = stack[-1]
        opened.add(id)
        below = [child for child in graph.children(id) if graph.edge_type(id, child) == "child"]
        below += reused.get(id, ())
        waiting = [one for one in below if one not in opened]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        own = ((_table(graph[id]), 1),) if graph[id].kind == "scan" else ()
        parts = [part for part in (own, *(counted.get(one, ()) for one in below)) if part]
        counted[id] = parts[0] if len(parts) == 1 else _summed(parts)
    return [counted[node.id] for node in graph]


def _summed(parts: list[Tables]) -> Tables:
    tables = Counter[str]()
    for name, count in (pair for part in parts for pair in part):
        tables[name] += count
    return tuple(sorted(tables.items()))


def _table(scan: PlanNode) -> str:
    """The table of a scan, else the folder or file that it reads."""
    if not scan.arguments.get("table") and (read := path_name(str(scan.arguments.get("location", "")))):
        return read.lower()
    # Ids differ from run to run: rows that stand in the plan are told by the names of their columns.
    named = scan.arguments.get("table") or _IDS.sub("", scan.text[:80])
    return str(named).rpartition(".")[2].strip("`").lower()


def _words(node: PlanNode) -> str:
    """The condition of a filter without ids, its parts in order; empty for other kinds."""
    if node.kind != "filter":
        return ""
    return " AND ".join(sorted(_IDS.sub("", str(node.arguments.get("condition", node.text))).split("AND")))


@dataclass(frozen=True)
class Divergence:
    """The node where estimates go wrong first, and how many times they are off there; `under` tells too few."""

    node: int
    factor: float
    under: bool


def error_factor(estimated: int, measured: int) -> float:
    """How many times an estimate is off, the same for too few and too many; nothing counts as one row."""
    one, other = max(1, estimated), max(1, measured)
    return max(one, other) / min(one, other)


def first_divergence(
    graph: PlanGraph, rows: Sequence[int | None], actual: Mapping[int, int], factor: float = FACTOR
) -> Divergence | None:
    """The deepest node that is off by `factor` or more while nothing beneath it is; None when all are near.

    Of several as deep the one that is farthest off.
    """
    off: dict[int, float] = {}
    for id, measured in actual.items():
        expected = rows[id]
        if expected is not None and error_factor(expected, measured) >= factor:
            off[id] = error_factor(expected, measured)
    above = {graph[id].parent for id in off}
    tainted: set[int] = set()
    for start in above:
        at = start
        while at is not None and at not in tainted:
            tainted.add(at)
            at = graph[at].parent
    first = [id for id in off if id not in tainted]
    if not first:
        return None
    node = max(first, key=lambda id: (graph[id].depth, off[id]))
    return Divergence(node, off[node], (rows[node] or 0) < actual[node])
