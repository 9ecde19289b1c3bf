"""Joins of an adaptive plan that has run: which were planned so, and which were chosen anew on measured sizes.

Adaptive execution plans what is left of a query again whenever a stage is done, and may then broadcast a side that
turned out to be small (Spark: AdaptiveSparkPlanExec.reOptimize). What is joined by what stays: a join of the final
plan has the keys that it had in the initial one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planviz.document.model import Document
from planviz.graph import PlanGraph, PlanNode
from planviz.graph.actual import measured_bytes, measured_rows
from planviz.graph.planned import planned
from planviz.graph.words import without_brackets
from planviz.logical.combining import Join
from planviz.replay.wanted import signature_of

#: What stands between a join and a stage and neither drops nor makes rows or columns.
_BETWEEN = frozenset(
    {"AQEShuffleRead", "CustomShuffleReader", "InputAdapter", "Sort", "WholeStageCodegen", "ColumnarToRow"}
)
_STAGES = frozenset({"ShuffleQueryStage", "BroadcastQueryStage"})


@dataclass(frozen=True)
class Measured:
    """What a side of a join turned out to be: bytes of its stage before it was joined, and rows; None for unknown.
    `built` tells that the bytes are those of the hash table that was broadcast."""

    bytes: int
    rows: int | None
    built: bool = False


def is_final(plan: PlanGraph) -> bool:
    """Whether a plan has run to its end under adaptive execution.

    A cached relation prints the plan that filled it beneath its scan: that one has run, which says nothing of the
    query that reads it.
    """
    if plan.stage == "initial":
        return False
    adaptive = next((node for node in plan if node.op == "AdaptiveSparkPlan"), None)
    return adaptive is not None and adaptive.arguments.get("final") is True and not _is_cached(plan, adaptive)


def _is_cached(plan: PlanGraph, node: PlanNode) -> bool:
    """Whether a node is part of the plan that filled a cached relation."""
    while node.parent is not None:
        node = plan[node.parent]
        if node.op == "InMemoryRelation":
            return True
    return False


def planned_joins(document: Document, index: int) -> Mapping[int, PlanNode]:
    """The joins of a final plan by id, each with the join of the initial plan that it was.

    Joins with the same keys or condition and the same type. One that was planned several times, and ran once for all of
    them, is there where all were planned alike. Empty for other plans, and for texts without the initial plan.
    """
    plans = document.plans
    group = next((g for g in document.groups if index in g), ())
    before = planned([plans[i] for i in group])
    if before is None or not is_final(plans[index]):
        return {}
    initial, final = _by_signature(before), _by_signature(plans[index])
    found: dict[int, PlanNode] = {}
    for name, nodes in final.items():
        joins = initial.get(name, [])
        if len(nodes) == len(joins):
            found |= {node.id: join for node, join in zip(nodes, joins, strict=True)}
        elif len({_form(join) for join in joins}) == 1:
            found |= {node.id: joins[0] for node in nodes}
    return found


def _by_signature(plan: PlanGraph) -> Mapping[tuple[str, str], list[PlanNode]]:
    found: dict[tuple[str, str], list[PlanNode]] = defaultdict(list)
    for node in _joins(plan):
        found[signature(node), str(node.arguments.get("condition") or "")].append(node)
    return found


def _form(node: PlanNode) -> tuple[str, object]:
    """A join's operator and the side that it builds."""
    return node.op, node.arguments.get("build_side")


def ran_otherwise(document: Document, plans: Iterable[int]) -> Mapping[str, PlanNode]:
    """The joins of one query that ran as another operator than they were planned, or built another side, by their
    signatures; of several with one signature none is told unless all ran alike."""
    found: dict[str, list[PlanNode]] = defaultdict(list)
    unchanged: set[str] = set()
    for index in plans:
        for id, before in planned_joins(document, index).items():
            node = document.plans[index][id]
            if is_changed(node, before):
                found[signature(node)].append(node)
            else:
                unchanged.add(signature(node))
    alike = {name: nodes[0] for name, nodes in found.items() if len({_form(node) for node in nodes}) == 1}
    return {name: node for name, node in alike.items() if name not in unchanged}


def is_changed(node: PlanNode, before: PlanNode) -> bool:
    """Whether a join has another operator, or builds another side, than it was planned with."""
    return _form(node) != _form(before)


def late_broadcast(plan: PlanGraph, node: PlanNode) -> bool:
    """Whether a broadcast join's built side was shuffled first, as for a join of shuffled sides."""
    sides = plan.inputs(node.id)
    if len(sides) != 2 or not node.op.startswith("Broadcast"):
        return False
    built = sides[0] if node.arguments.get("build_side") == "left" else sides[1]
    exchange = next((n for n in _down(plan, built, loose=_BETWEEN | _STAGES) if n.op == "BroadcastExchange"), None)
    if exchange is None:
        return False
    loose = _BETWEEN | _STAGES | {"Project", "Filter"}
    below = [n for start in plan.inputs(exchange.id) for n in _down(plan, start, loose=loose)]
    return any(n.op == "Exchange" and "REPARTITION" not in str(n.arguments.get("origin", "")) for n in below)


def late_joins(plans: Sequence[PlanGraph]) -> frozenset[str]:
    """The joins of one query whose broadcast came after a shuffle, by their signatures; none where the plan that was
    made before it ran is there, too."""
    if any(plan.stage == "initial" for plan in plans):
        return frozenset()
    final = filter(is_final, plans)
    return frozenset(signature(node) for plan in final for node in _joins(plan) if late_broadcast(plan, node))


def signature(join: PlanNode | Join) -> str:
    """What tells one join of a query from another, in a physical plan's text and among the joins that we plan: its
    keys and type as the line has them, `[k#1], [k#2], Inner`; its condition where there are no keys."""
    if not isinstance(join, PlanNode):
        words, keyed = signature_of(join)
        return words if keyed else without_brackets(words)
    told = join.arguments
    left, right = (", ".join(map(str, told.get(name, ()))) for name in ("left_keys", "right_keys"))
    if not left:
        return without_brackets(str(told.get("condition") or ""))
    return f"[{left}], [{right}], {told.get('join_type') or 'Inner'}"


def measured_inputs(document: Document, plans: Iterable[int], join: PlanNode | Join) -> tuple[Measured | None, ...]:
    """What the sides of a join were measured to be in the one of these plans that has run. Empty where none has run,
    or has it not once."""
    name = signature(join)
    for plan in (document.plans[i] for i in plans):
        found = [node for node in _joins(plan) if signature(node) == name] if is_final(plan) else []
        if len(found) == 1:
            return measured_sides(plan, found[0])
    return ()


def measured_sides(plan: PlanGraph, node: PlanNode) -> tuple[Measured | None, ...]:
    """What the sides of a join were measured to be where a stage ends right beneath them: of a side that was
    broadcast late its shuffle, for that is what was compared with the threshold."""
    return tuple(_measured(plan, side) for side in plan.inputs(node.id)[:2])


def _measured(plan: PlanGraph, side: int) -> Measured | None:
    exchanges = _BETWEEN | _STAGES | {"BroadcastExchange"}
    found: Measured | None = None
    for node in _down(plan, side, loose=exchanges):
        size = measured_bytes(node)
        if size is not None and node.kind == "exchange":
            found = Measured(size, measured_rows(node), node.op == "BroadcastExchange")  # the lowest counts
    return found


def _down(plan: PlanGraph, start: int, loose: Iterable[str]) -> Iterator[PlanNode]:
    """A node and what is beneath it, as long as it is one of `loose` and has one input."""
    at: int | None = start
    while at is not None:
        yield plan[at]
        below = plan.inputs(at)
        at = below[0] if plan[at].op in loose and len(below) == 1 else None


def _joins(plan: PlanGraph) -> Iterator[PlanNode]:
    return (node for node in plan if node.kind == "join")
