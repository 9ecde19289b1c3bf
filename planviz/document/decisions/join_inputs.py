"""What a planned join does with its sides: which is built, how the rows have to lie, what was put in to make them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from planviz.decisions.choices import Decision
from planviz.document.decisions.charts import side_relations
from planviz.document.decisions.queries import plain
from planviz.execution import QueryExecution
from planviz.expressions.subqueries import QueryPlan
from planviz.graph import PlanGraph
from planviz.graph.kinds import kind_of
from planviz.physical.broadcast_limits import Limit, broadcast_limits, broadcast_of
from planviz.physical.distribution import AllTuples, BroadcastDistribution, ClusteredDistribution
from planviz.physical.exchanges import Exchange
from planviz.physical.operators import SortExec
from planviz.physical.plan import SparkPlan

#: What stands between a join and its exchanges without moving a row.
_WRAPPERS = re.compile(r"QueryStage|AQEShuffleRead|CustomShuffleReader|InputAdapter|WholeStageCodegen|ResultQuery")
#: What each operator does, and what to heed (inventory B.4, F-018).
MECHANISMS = {
    "BroadcastHashJoin": "The small side is collected on the driver, made a hash table and sent to every executor. The "
    "other side is streamed: each of its rows looks up its key, and nothing of it is shuffled or sorted.",
    "ShuffledHashJoin": "Both sides are shuffled so that equal keys meet in one partition. There the smaller side "
    "becomes a hash table, and the rows of the other look up their keys; nothing has to be sorted.",
    "SortMergeJoin": "Both sides are shuffled so that equal keys meet in one partition, and sorted there. Two cursors "
    "then go through both at once; it needs no memory for a whole side, and spills to disk if it must.",
    "CartesianProduct": "Every row of one side meets every row of the other, partition by partition. As many rows come "
    "out as the product of both: avoid it if there is any key to join by.",
    "BroadcastNestedLoopJoin": "One side is sent to every executor, and each row of the other is tested against all of "
    "it. It takes as long as the product of both sides, and may run out of memory.",
}


@dataclass(frozen=True)
class Put:
    """An operator that stands beneath the join for its sake: its name, kind and arguments."""

    op: str
    kind: str
    text: str


@dataclass(frozen=True)
class JoinInput:
    """One side of a join: `side` is left or right, `role` build or stream, empty where both do the same.

    `needs` says how its rows have to lie, `sorted` by what they have to be sorted; `put` is what was put in for that,
    nearest to the join first. Nothing put in where something is needed: the rows lay so already.
    """

    side: str
    role: str
    relations: tuple[str, ...]
    needs: str = ""
    sorted: str = ""
    put: tuple[Put, ...] = ()


def join_inputs(decision: Decision, execution: QueryExecution) -> tuple[JoinInput, ...]:
    """Both sides of a join of a planned query. Raises what planning raises."""
    made = join_operator(decision, execution)
    found = []
    for at, side in enumerate(("left", "right")):
        role = _role(decision, side)
        names = tuple(side_relations(decision, side))
        if made is None:
            found.append(JoinInput(side, role, names))
            continue
        order = ", ".join(plain(part) for part in made.required_ordering[at]).replace(" ASC NULLS FIRST", "")
        below = tuple(_put(made.children[at]))
        found.append(JoinInput(side, role, names, _needs(made.required_distribution[at]), order, below))
    return tuple(found)


def run_limits(decision: Decision, execution: QueryExecution) -> tuple[Limit, ...]:
    """What the broadcast of a join may not exceed while it runs; empty for a join without one (B-049).

    None of it chooses the join. Raises what planning raises.
    """
    made = join_operator(decision, execution)
    exchange = broadcast_of(made) if made is not None else None
    return broadcast_limits(exchange, execution.config) if exchange is not None else ()


def plan_inputs(decision: Decision, plan: PlanGraph) -> tuple[JoinInput, ...]:
    """Both sides of a join of a pasted plan: what stands beneath it; what that is for, the text does not say."""
    node = decision.value("node")
    if not isinstance(node, int):
        return ()
    sides = zip(("left", "right"), plan.children(node), strict=False)
    return tuple(
        JoinInput(side, _role(decision, side), tuple(side_relations(decision, side)), put=tuple(_put_in(plan, child)))
        for side, child in sides
    )


def _put_in(plan: PlanGraph, start: int) -> Iterator[Put]:
    """Exchanges and sorts right beneath a join; what adaptive execution wraps around them is passed."""
    at: int | None = start
    while at is not None:
        node = plan[at]
        if node.kind in ("exchange", "sort"):
            text = plain(node.text).strip("+- *!").partition(" ")[2]
            if not _WRAPPERS.search(node.op):
                yield Put(node.op, node.kind, text)
        elif not _WRAPPERS.search(node.op):
            return
        at = next(iter(plan.children(at)), None)


def _role(decision: Decision, side: str) -> str:
    build = decision.value("build")
    if not build:
        return ""
    return "build" if build == f"Build{side.capitalize()}" else "stream"


def join_operator(decision: Decision, execution: QueryExecution) -> SparkPlan | None:
    """The operator that the join became; the one nearest to the root where a plan has it twice."""
    todo: list[QueryPlan] = [execution.planned.executed]
    while todo:
        node = todo.pop()
        named = node.node_name == decision.outcome
        if isinstance(node, SparkPlan) and node.origin is decision.subject and named:
            return node
        todo += [*reversed(node.inner_children), *reversed(node.children)]
    return None


def _put(node: SparkPlan) -> Iterator[Put]:
    """Exchanges and sorts right beneath the join; marks of generated stages are passed."""
    while True:
        while hasattr(node, "codegen_stage") or node.node_name == "InputAdapter":
            node = node.children[0]
        reused = node.node_name == "ReusedExchange"
        if not (reused or isinstance(node, Exchange | SortExec)):
            return
        op, _, text = plain(node.simple_string).partition(" ")
        yield Put(op, kind_of(op), text)
        if reused or not node.children:
            return
        node = node.children[0]


def _needs(distribution: object) -> str:
    if isinstance(distribution, BroadcastDistribution):
        return "the whole side on every executor"
    if isinstance(distribution, ClusteredDistribution):
        return f"equal {plain(', '.join(map(str, distribution.keys)))} in one partition"
    if isinstance(distribution, AllTuples):
        return "all rows in one partition"
    return ""
