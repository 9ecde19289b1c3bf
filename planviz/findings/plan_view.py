"""A plan as the checks look at it: inputs without subqueries, what stands above and below, tables, rows, sizes."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from planviz.findings.measured_values import Measured, measured
from planviz.graph.actual import ROWS
from planviz.graph.inner_names import inner_names
from planviz.graph.kinds import WRAPPERS, spark_operator
from planviz.graph.node import Link, PlanNode
from planviz.graph.plan_graph import PlanGraph
from planviz.graph.scan_names import name_of
from planviz.graph.words import without_ids
from planviz.units import exact

#: Operators that pass rows on as they are, or only fewer columns of them.
PASSING = frozenset(
    {"Project", "Sort", "InputAdapter", "WholeStageCodegen", "ColumnarToRow", "RowToColumnar", "AQEShuffleRead",
     "CustomShuffleReader", "ShuffleQueryStage", "BroadcastQueryStage", "ResultQueryStage", "TableCacheQueryStage",
     "SubqueryAlias"}
)  # fmt: skip
#: These, and filters.
LOOSE = PASSING | {"Filter"}
SHUFFLES = frozenset({"Exchange", "ShuffleExchange"})
EXCHANGES = SHUFFLES | {"BroadcastExchange"}
#: Sources of a few rows that stand in the query itself.
LITERAL_ROWS = frozenset({"LocalTableScan", "OneRowRelation", "Scan OneRowRelation", "EmptyRelation", "LocalRelation"})
_STAGES = frozenset({"ShuffleQueryStage", "BroadcastQueryStage", "TableCacheQueryStage"})
_SHUFFLE_READS = frozenset({"AQEShuffleRead", "CustomShuffleReader", "GpuCustomShuffleReader"})
_JSON = re.compile(r"\s*(?:\{|\[\s*[{\[\"\]])")
_MORE = re.compile(r"\.\.\. (\d{1,9}) more fields")
_IDS = re.compile(r"#(\d+)")
_T = TypeVar("_T")


#: Above what is printed once more than it runs.
_PRINTED_AGAIN = ("InMemoryRelation", "ReusedSubquery", "ReusedExchange")


def _range_rows(node: PlanNode) -> float | None:
    """How many rows a `Range` gives, which it says itself; None of any other operator."""
    if node.op != "Range":
        return None
    bounds = [node.arguments.get("start"), node.arguments.get("end"), node.arguments.get("step", 1)]
    numbers = [value for value in bounds if isinstance(value, int)]
    if len(numbers) < len(bounds) or numbers[2] == 0:
        return None
    start, end, step = numbers
    return float(max(0, -((start - end) // step)))


#: Spark prints three digits of a count, so that smaller ones are whole (`rowCount=1.82E+3`).
_EXACT = 1_000


class PlanView:
    """A plan of a document. `siblings` are the other plans of the same query, `settings` those it was planned with.

    `settings` is None where they are not known, as for pasted texts; `text` is the document's. `planned` tells that
    planviz planned the query, not Spark. `graph` has the names of Spark's operators, whichever engine executes them;
    `foreign` are the ids of those that another one does.
    """

    def __init__(
        self,
        graph: PlanGraph,
        siblings: Sequence[PlanGraph] = (),
        settings: Mapping[str, str] | None = None,
        text: str = "",
        planned: bool = False,
    ) -> None:
        self.printed = graph
        self.foreign = {n.id: name for n in graph if (name := _spark_name(n)) != n.op}
        self.graph = _renamed(graph, self.foreign) if self.foreign else graph
        self.siblings = siblings
        self.settings = settings
        self.text = text
        self.planned = planned
        self._ids: dict[int, set[str]] = {}
        self._below: dict[frozenset[str], dict[int, PlanNode | None]] = {}

    @cached_property
    def names(self) -> dict[str, str]:
        """The expressions behind names that Spark made up within the plan, by the name with its id."""
        return inner_names(self.nodes)

    @cached_property
    def nodes(self) -> list[PlanNode]:
        """The operators that the query runs, once each: what is below an InMemoryRelation ran when it was cached, and
        event logs have what is reused again below each of its uses.
        """
        again: set[int] = set()
        for node in self.graph:
            if node.parent is not None and (node.parent in again or self.graph[node.parent].op in _PRINTED_AGAIN):
                again.add(node.id)
        return [node for node in self.graph if node.id not in again]

    @cached_property
    def streaming(self) -> bool:
        """Whether it is a plan of a streaming query."""
        return any(
            "Streaming" in n.op or n.op.startswith(("StateStore", "MicroBatch", "EventTime")) or "streaming" in n.badges
            for n in self.nodes
        )

    @cached_property
    def adaptive(self) -> PlanNode | None:
        """The highest AdaptiveSparkPlan."""
        return next((node for node in self.nodes if node.op == "AdaptiveSparkPlan"), None)

    @cached_property
    def whole(self) -> bool:
        """Whether the text has the plan from its root on: below a heading, so that nothing was left out above it."""
        root = self.graph[self.graph.roots[0]]
        if not self.text or root.source is None or _JSON.match(self.text):
            return True
        lines = self.text.split("\n", root.source[0])[: root.source[0]]
        heading = lines[-2] if len(lines) > 1 else ""
        return "Plan ==" in heading and not lines[-1].lstrip(" #>|*").startswith(("+-", ":-"))

    @cached_property
    def settled(self) -> bool:
        """Whether nothing is reused any more: adaptive execution reuses stages while it runs."""
        if self.graph.stage != "physical":
            return False
        return not any(n.op == "AdaptiveSparkPlan" and n.arguments.get("final") is not True for n in self.nodes)

    @cached_property
    def unadapted(self) -> bool:
        """Whether adaptive execution has no part in the plan: it is switched off, or all of the plan stands here
        without AdaptiveSparkPlan and without a stage that it made."""
        made = any(n.op in _STAGES or n.op in _SHUFFLE_READS for n in self.printed)
        told = self.whole or self.setting("spark.sql.adaptive.enabled") is not None
        return self.adaptive is None and not made and told

    @property
    def measured(self) -> bool:
        """Whether Spark measured something while it ran."""
        return any(node.metrics for node in self.nodes)

    # -- around an operator

    def inputs(self, node: PlanNode) -> list[PlanNode]:
        """The operators that give a node its rows; subqueries are none."""
        return [self.graph[id] for id in self.graph.inputs(node.id)]

    def input(self, node: PlanNode) -> PlanNode | None:
        """The one input of a node, None if there are none or several."""
        found = self.inputs(node)
        return found[0] if len(found) == 1 else None

    def parent(self, node: PlanNode) -> PlanNode | None:
        """The operator that takes a node's rows; None for a root and for a subquery's."""
        if node.parent is None or self.graph.edge_type(node.parent, node.id) != "child":
            return None
        return self.graph[node.parent]

    def above(self, node: PlanNode) -> Iterator[PlanNode]:
        """The operators above, the nearest first, as far as rows flow."""
        up = self.parent(node)
        while up is not None:
            yield up
            up = self.parent(up)

    def below(self, node: PlanNode, loose: Collection[str] = PASSING) -> PlanNode | None:
        """The first operator beneath a node that is not one of `loose`."""
        known = self._below.setdefault(loose, {}) if isinstance(loose, frozenset) else {}
        passed, down = [node.id], self.input(node)
        while down is not None and down.op in loose and down.id not in known:
            passed.append(down.id)
            down = self.input(down)
        if down is not None and down.op in loose:
            down = known[down.id]
        # Each of a long chain of filters asks: what they share is walked once.
        known.update(dict.fromkeys(passed, down))
        return down

    def first_above(self, node: PlanNode, loose: Collection[str] = PASSING) -> PlanNode | None:
        """The first operator above a node that is not one of `loose`."""
        return next((up for up in self.above(node) if up.op not in loose), None)

    def served(self, node: PlanNode) -> PlanNode | None:
        """What gives a node its rows: its one input, for a ReusedExchange the exchange that it reuses."""
        reused = self._reused.get(node.id)
        return self.graph[reused[0]] if reused else self.input(node)

    def walk(self, start: PlanNode) -> Iterator[PlanNode]:
        """A node and what gives it rows, from above, without subqueries."""
        stack = [start]
        while stack:
            node = stack.pop()
            yield node
            stack += reversed(self.inputs(node))

    # -- facts of an operator

    def ids(self, node: PlanNode) -> set[str]:
        """The expression ids in an operator's line and arguments."""
        if node.id not in self._ids:
            self._ids[node.id] = ids(node.text) | ids(arguments_text(node))
        return self._ids[node.id]

    def rows(self, node: PlanNode) -> tuple[float, bool] | None:
        """The rows that come out of a node and whether they were measured; None where nobody knows.

        Spark's formulas without column statistics are no knowledge, so above a scan and its filter only measured rows
        and those of cost-based estimates count.
        """
        found = self._counted(node)
        return found[:2] if found is not None else None

    def rows_words(self, node: PlanNode) -> str:
        """The rows of `rows` with all digits, "≈" before a number that Spark rounded; empty where nobody knows."""
        found = self._counted(node)
        return f"{'≈' * found[2]}{exact(found[0])}" if found is not None else ""

    def _counted(self, node: PlanNode) -> tuple[float, bool, bool] | None:
        """Rows, whether they were measured, and whether they were printed rounded."""
        down: PlanNode | None = node
        while down is not None:
            value = self.metric(down, ROWS)
            if value is None and down.kind == "exchange":
                # What it wrote: below a shuffle by range Spark reads its rows twice, once to choose the ranges.
                value = self.metric(down, "shuffle records written")
            if value is not None:
                return value.total, True, False
            if down.estimate is not None and down.estimate.rows is not None:
                return float(down.estimate.rows), False, down.estimate.rounded and down.estimate.rows >= _EXACT
            if (counted := _range_rows(down)) is not None:
                return counted, False, False
            if down.op not in PASSING and down.kind != "exchange":
                over_scan = down.kind == "scan" or (down.op == "Filter" and self._is_scan(self.input(down)))
                if over_scan and down.estimate is not None and down.estimate.formula_rows is not None:
                    return float(down.estimate.formula_rows), False, False
                return None
            down = self.served(down)
        return None

    @staticmethod
    def _is_scan(node: PlanNode | None) -> bool:
        return node is not None and node.kind == "scan"

    def measured_size(self, node: PlanNode) -> float | None:
        """The bytes that an exchange or its stage was measured to hold; None where nothing was measured."""
        for name in ("data size", "shuffle bytes written"):
            value = self.metric(node, name)
            if value is not None:
                return value.total
        return None

    def size(self, node: PlanNode) -> float | None:
        """The bytes of what comes out of a node: measured for an exchange or a scan, else Spark's estimate."""
        value = self.metric(node, "size of files read")
        known = self.measured_size(node)
        if known is not None or value is not None:
            return known if known is not None else value.total if value is not None else None
        if node.estimate is not None and node.estimate.size_in_bytes is not None:
            return float(node.estimate.size_in_bytes)
        below = self.served(node) if node.op in PASSING or node.kind == "exchange" else None
        return self.size(below) if below is not None else None

    def metric(self, node: PlanNode, name: str) -> Measured | None:
        """A metric by Spark's name, in bytes, milliseconds or a count."""
        value = (node.metrics or {}).get(name)
        return None if value is None else measured(value)

    @cached_property
    def _stage_times(self) -> dict[int, int]:
        times: dict[int, int] = {}
        for run in self.printed.runs:
            for id in run.nodes:
                times[id] = max(times.get(id, 0), run.milliseconds)
        return times

    def stage_time(self, node: PlanNode) -> int:
        """What the tasks of the stage took that an operator ran in, in milliseconds; 0 where nobody knows.

        An operator without measures of its own is in the stage of what gives it its rows.
        """
        down: PlanNode | None = node if self._stage_times else None
        while down is not None:
            if down.id in self._stage_times:
                return self._stage_times[down.id]
            down = self.input(down) if down.kind != "exchange" else None
        return 0

    def setting(self, key: str) -> str | None:
        """A setting's value, None where it is not known."""
        return None if self.settings is None else self.settings.get(key)

    def one_row(self, start: PlanNode) -> bool:
        """Whether a subtree gives one row at most: a total without keys or a limit of one, below what adds no rows."""
        node: PlanNode | None = start
        while node is not None:
            if node.kind == "aggregate" and node.op.endswith("Aggregate") and "truncated" not in node.badges:
                final = all(f.get("mode") in ("final", "complete", None) for f in node.arguments.get("functions", ()))
                keys = node.arguments.get("keys", [] if node.text == "Aggregate []" else None)
                return keys == [] and final
            if node.op in ("GlobalLimit", "CollectLimit") and node.arguments.get("limit") in (1, "1"):
                return True
            if node.kind == "scan" and "OneRowRelation" in (node.op, str(node.arguments.get("table")).split("[")[0]):
                return True
            if node.op == "LocalTableScan" and node.arguments.get("empty"):
                return True
            if node.kind == "join" and only_asks(node):
                node = next(iter(self.inputs(node)), None)
                continue
            if node.op not in LOOSE and node.kind != "exchange":
                return False
            node = self.served(node)
        return False

    def scans(self, start: PlanNode) -> list[PlanNode]:
        """What is read beneath a node, in the order of the text; what an exchange reuses is read there, too."""
        found: list[PlanNode] = []
        stack, seen = [start], set[int]()
        while stack:
            node = stack.pop()
            if node.id in seen:
                continue
            seen.add(node.id)
            if node.kind == "scan":
                found.append(node)
            stack += [*(self.graph[id] for id in self._reused.get(node.id, ())), *reversed(self.inputs(node))]
        return found

    def tables(self, start: PlanNode) -> list[str]:
        """The names of what is read beneath a node, each once, in the order of the text."""
        return list(dict.fromkeys(map(name_of, self.scans(start))))

    @cached_property
    def _reused(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for link in self.graph.links():
            # A mutilated text may let an exchange reuse one that it stands beneath.
            if link.type == "reuse" and link.target not in {up.id for up in self.above(self.graph[link.source])}:
                found.setdefault(link.source, []).append(link.target)
        return found

    def cut(self, start: PlanNode) -> bool:
        """Whether Spark shortened something beneath a node or the node itself."""
        return any("truncated" in n.badges for n in self.walk(start))


def _spark_name(node: PlanNode) -> str:
    """Spark's name of an operator; scans keep theirs, for what they say of filters differs with the engine."""
    if node.kind == "scan":
        return node.op
    name = spark_operator(node.op)
    return "InputAdapter" if name not in PASSING and WRAPPERS.match(name) and name != "AdaptiveSparkPlan" else name


def _renamed(graph: PlanGraph, names: Mapping[int, str]) -> PlanGraph:
    """The plan with other names for some operators, whose arguments stay those of their own."""
    nodes = []
    for node in graph:
        _ = node.arguments  # read by the operator's own name
        made = copy.copy(node)
        made.op = names.get(node.id, node.op)
        nodes.append(made)
    links = list(graph.links())
    for node in graph:
        if node.parent is not None and (type := graph.edge_type(node.parent, node.id)) != "child":
            links.append(Link(node.parent, node.id, type))
    return PlanGraph.from_nodes(graph.stage, graph.title, nodes, links, graph.notes)


def only_asks(join: PlanNode) -> bool:
    """Whether a join only asks if the other side has a match: it gives no more rows than its left side has."""
    return str(join.arguments.get("join_type", "")).startswith(("LeftSemi", "LeftAnti", "ExistenceJoin"))


def listed(names: Iterable[str], most: int = 4) -> str:
    """Names in a sentence, each once: the first few and how many more."""
    unique = list(dict.fromkeys(names))
    more = f" and {len(unique) - most} more" if len(unique) > most else ""
    return ", ".join(unique[:most]) + more


def short(text: object, limit: int = 90) -> str:
    """An expression without ids, in one line."""
    words = " ".join(without_ids(str(text)).split())
    return words if len(words) <= limit else words[: limit - 1].rstrip() + "…"


def columns(names: Sequence[object]) -> int:
    """How many columns a list names, with those that Spark left out: `a#1, ... 34 more fields`."""
    left = [_MORE.search(str(name)) for name in names]
    return len(names) + sum(int(found[1]) - 1 for found in left if found)


def ids(text: object) -> set[str]:
    """The expression ids in a text."""
    return set(_IDS.findall(str(text)))


def arguments_text(node: PlanNode) -> str:
    """An operator's arguments as one text."""
    return " ".join(str(value) for value in node.arguments.values())


def count(number: float, one: str, many: str | None = None) -> str:
    """A number with its noun."""
    return f"{exact(number)} {one if number == 1 else many or one + 's'}"


def grouped(pairs: Iterable[tuple[str, _T]]) -> dict[str, list[_T]]:
    """Values by their key, in order."""
    found: dict[str, list[_T]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found
