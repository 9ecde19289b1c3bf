"""The same work done more than once in one plan."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from planviz.findings.filters import RANDOM
from planviz.findings.finding import Check, Hit, Stake
from planviz.findings.plan_view import EXCHANGES, LOOSE, PlanView, count, listed
from planviz.graph.differences import conjuncts
from planviz.graph.node import PlanNode
from planviz.graph.words import title, without_ids
from planviz.units import byte_size

#: An id of an expression; that of a subquery tells which one is meant, and stays.
_EXPRESSION_ID = re.compile(r"(subquery|dynamicpruning)?#\d+")
_RUN_IDS = re.compile(r"\[?plan_id=\d+\]?")


class ExchangeNotReused(Check):
    """Equal exchanges, but for expression ids, that are executed each for itself."""

    name = "exchange-not-reused"
    title = "The same exchange more than once"
    severity = "warning"
    stages = ("physical",)
    why = "The same rows are read, computed and moved again, where one exchange could serve all."
    advice = "Leave spark.sql.exchange.reuse on; else write both branches alike, or cache what they share."
    cost = "None for the setting; memory for the cache."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        if not plan.settled:
            return
        exchanges = [node for node in plan.nodes if node.op in EXCHANGES]
        for twins in _twins(plan, exchanges):
            # Of one plan id they are one exchange, printed twice.
            if len({node.plan_id for node in twins if node.plan_id is not None}) == 1:
                continue
            size = sum(1 for _ in plan.walk(twins[0]))
            if size == 1:
                continue  # What they move was left out of the text.
            amount = plan.size(twins[0])
            told = f"{len(twins)} equal exchanges over {_leaves(plan, twins[0])}, {count(size, 'operator')} each"
            known = amount is not None and amount < 1 << 60
            told += f", {byte_size(amount)} each time" if known and amount is not None else ""
            stake = Stake(amount * (len(twins) - 1), "bytes") if known and amount is not None else None
            yield Hit(f"{told}, not reused.", tuple(n.id for n in twins), str(twins[0].id), stake=stake)


class RepeatedSubtree(Check):
    """Equal parts of a plan with a join or an aggregate, outside equal exchanges: mostly a CTE or view used twice."""

    name = "repeated-subtree"
    title = "The same part computed more than once"
    stages = ("physical",)
    why = "Spark writes a WITH query or view into every place that uses it, and reuses no more than whole exchanges."
    advice = "Cache the shared part, or write it to a table, if it is large work for few rows."
    cost = "Memory or disk for the shared rows."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        if not plan.settled:
            return
        heavy = [n for n in plan.nodes if n.kind in ("join", "aggregate", "window") and n.op != "Expand"]
        inside: set[int] = set()
        for twins in _twins(plan, [n for n in plan.nodes if n.op in EXCHANGES]):
            inside.update(n.id for twin in twins for n in plan.walk(twin))
        for twins in _twins(plan, [n for n in heavy if n.id not in inside]):
            size = sum(1 for _ in plan.walk(twins[0]))
            if size >= 4:
                told = f"{len(twins)} equal parts of {count(size, 'operator')} over {_leaves(plan, twins[0])}."
                yield Hit(told, tuple(n.id for n in twins), str(twins[0].id))


class SelfJoinAggregate(Check):
    """A table joined, by shuffling both sides, with an aggregate of itself by the keys of the join."""

    name = "self-join-aggregate"
    title = "A table joined with its own aggregate"
    why = (
        "The table is read twice and both copies are shuffled by the same keys, to put a group's value beside its rows."
    )
    advice = (
        "Compute the value by a window, such as sum(x) OVER (PARTITION BY the keys): one scan, one shuffle, no join."
    )
    cost = (
        "A sort by the keys, which the sort-merge join needs as well; a window holds a group's rows, spilling if many."
    )

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for join in plan.nodes:
            sides = plan.inputs(join)
            shuffled = join.op in ("SortMergeJoin", "ShuffledHashJoin")
            if not shuffled or join.arguments.get("join_type") not in ("Inner", "LeftOuter", "RightOuter"):
                continue
            keys = [_names(join.arguments.get(f"{side}_keys") or ()) for side in ("left", "right")]
            if len(sides) != 2 or not keys[0] or keys[0] != keys[1]:
                continue
            for rows, groups in ((sides[0], sides[1]), (sides[1], sides[0])):
                own, aggregate = _alone(plan, rows), _alone(plan, groups)
                if own is None or aggregate is None or own.kind != "scan" or aggregate.kind != "aggregate":
                    continue
                read = aggregate
                while read.kind == "aggregate":
                    beneath = plan.inputs(read)
                    read = (_alone(plan, beneath[0]) if beneath else None) or join
                table = own.arguments.get("table")
                grouped = _names(aggregate.arguments.get("keys") or ())
                if read.kind == "scan" and table and read.arguments.get("table") == table and grouped == keys[0]:
                    if _conditions(plan, rows) != _conditions(plan, groups):
                        continue
                    told = f"{table} is read 2 times and joined with its own groups by {listed(sorted(grouped))}."
                    yield Hit(told, (join.id, own.id, aggregate.id), cause=str(table))
                    break


def _alone(plan: PlanView, start: PlanNode) -> PlanNode | None:
    """The first operator at or beneath a node that is no exchange, filter, sort or projection."""
    down: PlanNode | None = start
    while down is not None and (down.op in LOOSE or down.op in EXCHANGES):
        down = plan.served(down)
    return down


def _names(keys: Iterable[object]) -> frozenset[str]:
    return frozenset(_EXPRESSION_ID.sub("", str(key)).removesuffix("L") for key in keys)


def _conditions(plan: PlanView, start: PlanNode) -> set[str]:
    """The conditions beneath a node without ids, apart from IsNotNull."""
    parts = [p for n in plan.walk(start) if n.op == "Filter" for p in conjuncts(str(n.arguments.get("condition", "")))]
    return {without_ids(p) for p in parts if not p.strip("()").startswith("isnotnull(")}


class CacheNotUsed(Check):
    """A part of a plan that equals what the same plan reads from the cache elsewhere."""

    name = "cache-not-used"
    title = "Cached rows computed again"
    severity = "warning"
    stages = ("physical",)
    why = "The rows are in the cache, and this part of the plan reads and computes them from the source."
    advice = "Use the cached DataFrame or table itself in both places: Spark takes it only for an equal analyzed plan."
    cost = "None."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        relations = [n for n in plan.nodes if n.op == "InMemoryRelation"]
        if not relations:
            return
        cached = {}
        for relation in relations:
            for child in (plan.graph[at] for at in plan.graph.children(relation.id)):  # an inner child, no input
                root = next((n for n in plan.walk(child) if n.kind in ("join", "aggregate", "filter", "project")), None)
                text = canonical(plan, root) if root is not None else None
                if root is not None and text is not None and sum(1 for _ in plan.walk(root)) > 1:
                    cached[text] = relation
        for node in plan.nodes:
            text = canonical(plan, node) if node.kind in ("join", "aggregate", "filter", "project") and cached else None
            if text in cached:
                size = sum(1 for _ in plan.walk(node))
                told = f"{count(size, 'operator')} over {_leaves(plan, node)} equal what is cached."
                yield Hit(told, (node.id, cached[text].id))


def _twins(plan: PlanView, among: list[PlanNode]) -> Iterator[list[PlanNode]]:
    """Groups of equal subtrees, the highest first and none inside another group."""
    if len(among) < 2:
        return
    shapes = _shapes(plan)
    alike: dict[int, list[PlanNode]] = defaultdict(list)
    for node in among:
        alike[shapes[node.id]].append(node)
    inside: set[int] = set()
    for group in sorted((g for g in alike.values() if len(g) > 1), key=lambda g: g[0].depth):
        same: dict[str, list[PlanNode]] = defaultdict(list)
        for node in group:
            if node.id not in inside and (exact := canonical(plan, node)) is not None:
                same[exact].append(node)
        for twins in same.values():
            if len(twins) > 1:
                inside.update(n.id for twin in twins for n in plan.graph.walk(twin.id))
                yield twins


def _shapes(plan: PlanView) -> dict[int, int]:
    """A number per node that equal subtrees share; children come after their parents in the text."""
    graph, shapes = plan.graph, dict[int, int]()
    for node in reversed(list(graph)):
        shapes[node.id] = hash((node.op, tuple(shapes[child] for child in graph.children(node.id) if child in shapes)))
    return shapes


def canonical(plan: PlanView, start: PlanNode) -> str | None:
    """A subtree's operators and arguments with expression ids numbered by appearance; None when it cannot be known."""
    numbers: dict[str, str] = {}
    parts = []
    passed: list[int] = []  # depths of changes to rows above, which a plan has once it is prepared
    for node in plan.graph.walk(start.id):
        while passed and passed[-1] >= node.depth:
            passed.pop()
        if node.op == "ColumnarToRow":
            passed.append(node.depth)
            continue
        if node.badges:
            return None  # Cut off, unsure, reused ...: what is not seen cannot be called equal.
        arguments = {name: value for name, value in node.arguments.items() if name not in ("plan_id", "origin")}
        text = _RUN_IDS.sub("", json.dumps(arguments, sort_keys=True, default=str) if arguments else node.text)
        if RANDOM.search(text):
            return None
        text = _EXPRESSION_ID.sub(lambda f: f[0] if f[1] else numbers.setdefault(f[0], f"#{len(numbers)}"), text)
        parts.append(f"{node.depth - start.depth - len(passed)} {node.op} {text}")
    return "\n".join(parts)


def _leaves(plan: PlanView, start: PlanNode) -> str:
    return listed(plan.tables(start)) or title(start)
