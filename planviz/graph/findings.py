"""What a reader of a single plan should look at first, each finding with its evidence and its node.

Every finding is a statement about nodes and their arguments, never about words of the text: `formatted` and adaptive
output name an operator several times, and it still is one node. Where the text cannot prove a thing, nothing is said.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from planviz.graph.plan_graph import PlanGraph, PlanNode
from planviz.graph.words import join_type_words, title, without_ids

Severity = Literal["problem", "warning", "info"]

#: More shuffles than this in one plan are worth a word.
MANY_SHUFFLES = 10

#: Spark's size of a relation that it knows nothing of (`spark.sql.defaultSizeInBytes`), about 8 EiB; printed rounded.
UNKNOWN_SIZE = 9e18

#: Findings of one kind that are listed each for itself.
MOST_ALIKE = 4

_DIGITS = re.compile(r"[\d,]+")
_RANK = {"problem": 0, "warning": 1, "info": 2}
_LOOSE = frozenset(
    {"Project", "Filter", "Sort", "InputAdapter", "WholeStageCodegen", "ColumnarToRow", "RowToColumnar",
     "AQEShuffleRead", "CustomShuffleReader", "ShuffleQueryStage", "BroadcastQueryStage", "ResultQueryStage",
     "SubqueryAlias"}
)  # fmt: skip
_ROW_BY_ROW = frozenset({"BatchEvalPython", "BatchEvalPythonUDTF"})
_IN_BATCHES = frozenset(
    {"ArrowEvalPython", "ArrowEvalPythonUDTF", "MapInPandas", "MapInArrow", "PythonMapInArrow", "FlatMapGroupsInPandas",
     "FlatMapGroupsInArrow", "FlatMapCoGroupsInPandas", "FlatMapCoGroupsInArrow", "AggregateInPandas",
     "ArrowAggregatePython", "WindowInPandas", "ArrowWindowPython"}
)  # fmt: skip
_EXPRESSION_ID = re.compile(r"#\d+")
_RUN_IDS = re.compile(r"\[?plan_id=\d+\]?")
_RANDOM = re.compile(r"\b(rand|randn|uuid|shuffle|monotonically_increasing_id)\(", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Finding:
    """`title` in a few words, `evidence` in a sentence, `node` the id of the node to look at (None: the whole plan)."""

    severity: Severity
    title: str
    evidence: str
    node: int | None


def findings(graph: PlanGraph) -> list[Finding]:
    """The findings of one plan, the gravest first and else in the order of the text."""
    if not len(graph):
        return []
    nodes = _without_caches(graph)
    found: list[Finding] = []
    for node in nodes:
        found.extend(_of_node(graph, node))
    found.extend(_shuffles(nodes))
    found.extend(_statistics(graph, nodes))
    found.extend(_computed_twice(graph, nodes))
    found.extend(_cut(nodes))
    found.sort(key=lambda f: (_RANK[f.severity], -1 if f.node is None else f.node))
    return _not_too_many(found)


def _without_caches(graph: PlanGraph) -> list[PlanNode]:
    """The nodes of the query itself: the plan below an InMemoryRelation ran when it was cached, and is printed again
    under each of its uses.
    """
    cached: set[int] = set()
    for node in graph:
        if node.parent is not None and (node.parent in cached or graph[node.parent].op == "InMemoryRelation"):
            cached.add(node.id)
    return [node for node in graph if node.id not in cached]


def _not_too_many(found: list[Finding]) -> list[Finding]:
    """The first `MOST_ALIKE` of each kind; the rest of a kind is one line that leads to the next of them."""
    kinds: dict[str, list[Finding]] = {}
    for finding in found:
        kinds.setdefault(_DIGITS.sub("", finding.title), []).append(finding)
    kept = []
    for alike in kinds.values():
        kept += alike[:MOST_ALIKE]
        rest = alike[MOST_ALIKE:]
        if len(rest) == 1:
            kept += rest
        elif rest:
            first = rest[0]
            kept.append(Finding(first.severity, f"{len(rest):,} more like these", first.title, first.node))
    return kept


def _of_node(graph: PlanGraph, node: PlanNode) -> Iterator[Finding]:
    op = node.op
    if op == "CartesianProduct":
        yield from _cartesian(graph, node)
    elif op == "BroadcastNestedLoopJoin":
        yield from _nested_loop(graph, node)
    elif op == "Join" and graph.stage == "optimized":
        yield from _join_without_condition(graph, node)
    elif op == "Filter" and graph.stage in ("physical", "initial"):
        yield from _filter_not_pushed(graph, node)
    elif op in ("Exchange", "ShuffleExchange") and graph.stage in ("physical", "initial"):
        yield from _one_partition(graph, node)
    elif op in _ROW_BY_ROW:
        yield Finding(
            "warning",
            "Python function, row by row",
            f"{_functions(node)}Every row is pickled to a Python worker and back; "
            "a built-in or an Arrow function avoids that.",
            node.id,
        )
    elif op in _IN_BATCHES:
        evidence = f"{_functions(node)}Rows go to a Python worker as Arrow batches."
        yield Finding("info", "Python function in batches", evidence, node.id)
    elif node.kind == "join" and node.arguments.get("skew"):
        yield Finding("info", "Skewed join", "Adaptive execution split its large partitions.", node.id)


def _cartesian(graph: PlanGraph, node: PlanNode) -> Iterator[Finding]:
    if any(_at_most_one_row(graph, child) for child in graph.children(node.id)):
        return
    condition = node.arguments.get("condition")
    what = f"Only then it is tested: {_short(condition)}." if condition else "There is no join condition."
    yield Finding(
        "problem", "Cartesian product", f"Every row of one side is paired with every row of the other. {what}", node.id
    )


def _nested_loop(graph: PlanGraph, node: PlanNode) -> Iterator[Finding]:
    if any(_at_most_one_row(graph, child) for child in graph.children(node.id)):
        return  # A side of one row, such as a total, costs nothing.
    condition = node.arguments.get("condition")
    join_type = join_type_words(str(node.arguments.get("join_type", ""))).lower()
    if not condition and _only_asks(node):
        return
    if condition:
        evidence = f"No equality to hash by: each row is compared with all broadcast rows on {_short(condition)}."
        yield Finding("warning", "Nested loop join", evidence, node.id)
    else:
        cut = "truncated" in node.badges
        evidence = "The condition is cut off." if cut else "Each row meets all broadcast rows."
        words = " ".join(f"Nested loop {join_type} join.".split())
        yield Finding(
            "problem", "Nested loop join" if cut else "Join without a condition", f"{words} {evidence}", node.id
        )


def _join_without_condition(graph: PlanGraph, node: PlanNode) -> Iterator[Finding]:
    arguments = node.arguments
    join_type = str(arguments.get("join_type", ""))
    if "truncated" in node.badges or arguments.get("condition") or arguments.get("left_keys") or not join_type:
        return
    if _only_asks(node) or any(_at_most_one_row(graph, child) for child in graph.children(node.id)):
        return
    words = join_type_words(join_type).lower()
    if join_type in ("Inner", "Cross"):
        yield Finding("problem", "Join without a condition", f"A {words} join of every row with every row.", node.id)
    else:
        yield Finding("warning", "Join without a condition", f"A {words} join that matches every row.", node.id)


def _only_asks(join: PlanNode) -> bool:
    """Whether a join only asks if the other side has a match: it gives no more rows than its left side has."""
    return str(join.arguments.get("join_type", "")).startswith(("LeftSemi", "LeftAnti", "ExistenceJoin"))


def _filter_not_pushed(graph: PlanGraph, node: PlanNode) -> Iterator[Finding]:
    """A filter right above a file scan that says it pushes none: the scan reads everything."""
    below = _below(graph, node, {"ColumnarToRow", "InputAdapter", "WholeStageCodegen", "Project"})
    if below is None or below.kind != "scan" or "truncated" in below.badges:
        return
    scan = below.arguments
    if scan.get("pushed_filters", None) != [] or scan.get("partition_filters"):
        return
    condition = node.arguments.get("condition")
    if condition:
        evidence = f"{title(below)} reads all rows, then keeps {_short(condition)}."
        yield Finding("info", "Filter not pushed into the scan", evidence, node.id)


def _one_partition(graph: PlanGraph, node: PlanNode) -> Iterator[Finding]:
    """All rows in one partition, unless few are left: after a partial aggregate or a limit that is as it must be."""
    arguments = node.arguments
    if arguments.get("partitioning_kind") != "single":
        return
    below = _below(graph, node, _LOOSE)
    if below is None or below.kind in ("aggregate", "limit", "command") or below.op in _SMALL:
        return
    if below.arguments.get("partitioning_kind") == "single":
        return
    if str(arguments.get("origin", "")).startswith("REPARTITION"):
        yield Finding("info", "One partition, as asked", "repartition(1) sends all rows to one task.", node.id)
        return
    above = next((p for p in _above(graph, node) if p.op not in _LOOSE), None)
    window = above is not None and above.kind == "window"
    why = "A window without PARTITION BY" if window else "This exchange"
    yield Finding("warning", "All rows in one partition", f"{why} sends all rows to a single task.", node.id)


_TABLES = frozenset({"Relation", "LogicalRelation", "HiveTableRelation", "MetastoreRelation", "RelationV2",
                     "DataSourceV2ScanRelation"})  # fmt: skip
_SMALL = frozenset({"LocalTableScan", "OneRowRelation", "Scan OneRowRelation", "EmptyRelation", "Range"})


def _shuffles(nodes: list[PlanNode]) -> Iterator[Finding]:
    shuffles = [node for node in nodes if node.op in ("Exchange", "ShuffleExchange")]
    if len(shuffles) > MANY_SHUFFLES:
        reused = sum(node.op == "ReusedExchange" for node in nodes)
        more = f"; {reused} more are reused" if reused else ""
        evidence = f"Data is redistributed {len(shuffles):,} times{more}."
        yield Finding("info", f"{len(shuffles):,} shuffles", evidence, shuffles[0].id)


def _statistics(graph: PlanGraph, nodes: list[PlanNode]) -> Iterator[Finding]:
    """Leaves of a plan with estimates (`explain cost`) that Spark knows nothing or only the size of."""
    leaves = [node for node in nodes if node.estimate is not None and not graph.children(node.id)]
    unknown = [n for n in leaves if n.estimate and (n.estimate.size_in_bytes or 0) >= UNKNOWN_SIZE]
    if unknown:
        tables = any("table" in node.arguments for node in unknown)
        advice = " ANALYZE TABLE makes it known." if tables else ""
        evidence = f"{_names(unknown)}: Spark assumes 8 EiB and will not broadcast it.{advice}"
        yield Finding("warning", "Size unknown", evidence, unknown[0].id)
    silent = [n for n in leaves if n.estimate and n.estimate.rows is None and n not in unknown and n.op in _TABLES]
    if silent:
        count = "a table" if len(silent) == 1 else f"{len(silent):,} tables"
        evidence = f"{_names(silent)}: only the size is known, so filters and joins are guessed. Run ANALYZE TABLE."
        yield Finding("info", f"No row count for {count}", evidence, silent[0].id)


def _computed_twice(graph: PlanGraph, nodes: list[PlanNode]) -> Iterator[Finding]:
    """Equal exchanges that were not reused.

    Not asked of a plan that adaptive execution has yet to finish: it reuses stages while it runs.
    """
    if graph.stage != "physical":
        return
    if any(node.op == "AdaptiveSparkPlan" and node.arguments.get("final") is not True for node in nodes):
        return
    exchanges = [node for node in nodes if node.op in ("Exchange", "ShuffleExchange", "BroadcastExchange")]
    if len(exchanges) < 2:
        return
    shapes = _shapes(graph)
    alike: dict[int, list[PlanNode]] = defaultdict(list)
    for node in exchanges:
        alike[shapes[node.id]].append(node)
    inside: set[int] = set()
    for group in sorted((g for g in alike.values() if len(g) > 1), key=lambda g: g[0].depth):
        same: dict[str, list[PlanNode]] = defaultdict(list)
        for node in group:
            if node.id not in inside and (exact := _canonical(graph, node)) is not None:
                same[exact].append(node)
        for twins in same.values():
            if len(twins) < 2 or len({node.plan_id for node in twins if node.plan_id is not None}) == 1:
                continue  # Of one plan id they are one exchange, printed twice.
            for twin in twins:
                inside.update(node.id for node in graph.walk(twin.id))
            kept = twins[0]
            size = sum(1 for _ in graph.walk(kept.id))
            evidence = (
                f"{len(twins)} equal exchanges over {_leaf_names(graph, kept)} ({size} operators each), not reused."
            )
            yield Finding("warning", f"The same exchange {len(twins)} times", evidence, kept.id)


def _shapes(graph: PlanGraph) -> dict[int, int]:
    """A number per node that equal subtrees share; children come after their parents in the text."""
    shapes: dict[int, int] = {}
    for node in reversed(list(graph)):
        shapes[node.id] = hash((node.op, tuple(shapes[child] for child in graph.children(node.id) if child in shapes)))
    return shapes


def _canonical(graph: PlanGraph, start: PlanNode) -> str | None:
    """A subtree's operators and arguments with expression ids numbered by appearance; None when it cannot be known."""
    numbers: dict[str, str] = {}
    parts = []
    for node in graph.walk(start.id):
        if node.badges:
            return None  # Cut off, unsure, reused ...: what is not seen cannot be called equal.
        arguments = {name: value for name, value in node.arguments.items() if name not in ("plan_id", "origin")}
        text = _RUN_IDS.sub("", json.dumps(arguments, sort_keys=True, default=str) if arguments else node.text)
        if _RANDOM.search(text):
            return None
        text = _EXPRESSION_ID.sub(lambda found: numbers.setdefault(found[0], f"#{len(numbers)}"), text)
        parts.append(f"{node.depth - start.depth} {node.op} {text}")
    return "\n".join(parts)


def _cut(nodes: list[PlanNode]) -> Iterator[Finding]:
    cut = [node for node in nodes if "truncated" in node.badges]
    if cut:
        count = "1 operator is" if len(cut) == 1 else f"{len(cut):,} operators are"
        yield Finding(
            "info",
            "Text cut off by Spark",
            f"{count} shortened. Set spark.sql.debug.maxToStringFields and spark.sql.maxMetadataStringLength to 100000 "
            "and print the plan again.",
            cut[0].id,
        )


def _at_most_one_row(graph: PlanGraph, id: int) -> bool:
    """Whether a subtree gives one row at most: a total without keys or a limit of one, below what adds no rows."""
    node: PlanNode | None = graph[id]
    while node is not None:
        if node.kind == "aggregate" and node.op.endswith("Aggregate") and "truncated" not in node.badges:
            final = all(f.get("mode") in ("final", "complete") for f in node.arguments.get("functions", ()))
            return not node.arguments.get("keys") and "keys" in node.arguments and final
        if node.op in ("GlobalLimit", "CollectLimit") and node.arguments.get("limit") in (1, "1"):
            return True
        if node.kind == "scan" and "OneRowRelation" in (node.op, str(node.arguments.get("table")).split("[")[0]):
            return True
        if node.kind == "join" and _only_asks(node):
            node = graph[graph.children(node.id)[0]] if graph.children(node.id) else None
            continue
        if node.op not in _LOOSE and node.kind != "exchange":
            return False
        node = _only_child(graph, node)
    return False


def _only_child(graph: PlanGraph, node: PlanNode) -> PlanNode | None:
    """The one input of a node; subqueries are no inputs."""
    children = [child for child in graph.children(node.id) if graph.tree.edges[node.id, child]["type"] == "child"]
    return graph[children[0]] if len(children) == 1 else None


def _below(graph: PlanGraph, node: PlanNode, loose: Iterable[str]) -> PlanNode | None:
    below = _only_child(graph, node)
    while below is not None and below.op in loose:
        below = _only_child(graph, below)
    return below


def _above(graph: PlanGraph, node: PlanNode) -> Iterator[PlanNode]:
    while node.parent is not None:
        node = graph[node.parent]
        yield node


def _names(nodes: list[PlanNode]) -> str:
    names = list(dict.fromkeys(_name(node) for node in nodes))
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _name(node: PlanNode) -> str:
    table = str(node.arguments.get("table", "")).rsplit(".", 1)[-1].strip("`")
    return table or title(node)


def _leaf_names(graph: PlanGraph, start: PlanNode) -> str:
    return _names([node for node in graph.walk(start.id) if not graph.children(node.id)]) or title(start)


def _functions(node: PlanNode) -> str:
    details = node.arguments.get("functions") or node.arguments.get("details") or []
    words = without_ids(str(details[0]).strip("[]")) if details and isinstance(details[0], str) else ""
    return f"{_short(words)}. " if words else ""


def _short(text: object, limit: int = 90) -> str:
    words = " ".join(without_ids(str(text)).split())
    return words if len(words) <= limit else words[: limit - 1].rstrip() + "…"
