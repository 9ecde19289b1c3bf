"""Exchanges and sorts where an operator asks for them (Spark: EnsureRequirements)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planviz.expressions.core import SortOrder
from planviz.physical.distribution import (
    AllTuples,
    BroadcastDistribution,
    ClusteredDistribution,
    Distribution,
    HashPartitioning,
    OrderedDistribution,
    Partitioning,
    PartitioningCollection,
    RangePartitioning,
    SinglePartition,
    StatefulDistribution,
    canonical_partitioning,
    flattened,
    ordering_satisfies,
    same,
)
from planviz.physical.exchanges import ENSURE_REQUIREMENTS, REQUIRED_BY_STATEFUL_OPERATOR, ShuffleExchangeExec
from planviz.physical.joins import ShuffledJoinExec
from planviz.physical.operators import SortExec
from planviz.physical.plan import SparkPlan
from planviz.physical.preparations.co_partitioning import agreeing, co_partitioned, spread_exactly
from planviz.physical.strategies.context import PlanningContext

if TYPE_CHECKING:
    from planviz.expressions.core import Expression


class EnsureRequirements:
    """Gives every operator its children as it asks for them, from the leaves up."""

    def __init__(self, context: PlanningContext) -> None:
        self.context = context

    def apply(self, plan: SparkPlan) -> SparkPlan:
        """The plan with exchanges and sorts."""
        return plan.transform_up(self._operator)

    def _operator(self, plan: SparkPlan) -> SparkPlan:
        if not plan.children:
            return plan
        if isinstance(plan, ShuffledJoinExec):
            plan = reordered(plan)
        if isinstance(plan, ShuffleExchangeExec) and _spread_already(plan):
            return plan.child
        wanted = plan.required_distribution
        orders = plan.required_ordering
        together = sum(isinstance(d, ClusteredDistribution) for d in wanted) > 1
        by_number = together and self.context.config.behaviour.joins_agree_by_number
        children = [self._distributed(c, d, by_number) for c, d in zip(plan.children, wanted, strict=True)]
        if by_number:
            children = agreeing(children, wanted, self._renewed, self.context.partitions)
            return plan.with_new_children(tuple(self._sorted(c, o) for c, o in zip(children, orders, strict=True)))
        most = self.context.config.number("spark.sql.maxSinglePartitionBytes")
        estimator = self.context.estimator
        children = co_partitioned(children, wanted, self.exchange, self.context.partitions, most, estimator)
        return plan.with_new_children(tuple(self._sorted(c, o) for c, o in zip(children, orders, strict=True)))

    def _distributed(self, child: SparkPlan, wanted: Distribution, exactly: bool) -> SparkPlan:
        given = child.output_partitioning
        if exactly and isinstance(wanted, ClusteredDistribution):
            enough = spread_exactly(given, wanted.keys)
        else:
            enough = given.satisfies(wanted)
        if enough:
            return child
        if isinstance(wanted, BroadcastDistribution):
            return self.context.broadcast(wanted.mode, child)
        origin = REQUIRED_BY_STATEFUL_OPERATOR if isinstance(wanted, StatefulDistribution) else ENSURE_REQUIREMENTS
        return self.context.shuffle(partitioning_for(wanted, self.context.partitions), child, origin)

    def exchange(self, p: Partitioning, child: SparkPlan) -> ShuffleExchangeExec:
        """A side of a join shuffled like the other one; in place of a shuffle that it has already."""
        if isinstance(child, ShuffleExchangeExec):
            return self.context.shuffle(p, child.child, child.shuffle_origin)
        return self.context.shuffle(p, child)

    def _renewed(self, p: Partitioning, child: SparkPlan) -> ShuffleExchangeExec:
        """As `exchange`, before Spark 3.3: what the query asked for is forgotten."""
        return self.context.shuffle(p, child.child if isinstance(child, ShuffleExchangeExec) else child)

    @staticmethod
    def _sorted(child: SparkPlan, order: tuple[SortOrder, ...]) -> SparkPlan:
        return child if ordering_satisfies(child.output_ordering, order) else SortExec(order, False, child)


def _spread_already(exchange: ShuffleExchangeExec) -> bool:
    """Whether a repartitioning that the query asks for is by keys by which the rows are spread anyway."""
    if exchange.shuffle_origin not in ("REPARTITION_BY_COL", "REPARTITION_BY_NUM"):
        return False
    wanted = canonical_partitioning(exchange.output_partitioning)
    given = flattened(exchange.child.output_partitioning)
    return isinstance(wanted, HashPartitioning) and any(canonical_partitioning(g) == wanted for g in given)


def partitioning_for(wanted: Distribution, number: int) -> Partitioning:
    """How a shuffle meets a distribution (Spark: Distribution.createPartitioning)."""
    match wanted:
        case ClusteredDistribution(keys) | StatefulDistribution(keys):
            return HashPartitioning(number, keys)
        case OrderedDistribution(order):
            return RangePartitioning(number, order)
    assert isinstance(wanted, AllTuples)
    return SinglePartition()


def reordered(join: ShuffledJoinExec) -> SparkPlan:
    """The join with its keys in the order in which a side is partitioned already (Spark: reorderJoinKeys)."""
    left, right = list(join.left_keys), list(join.right_keys)
    if not all(k.deterministic for k in (*left, *right)):
        return join
    for side, keys in ((join.left, left), (join.right, right)):
        for expected in hashed(side.output_partitioning):
            order = _places(expected, keys)
            if order is not None:
                pairs = tuple(left[i] for i in order), tuple(right[i] for i in order)
                return join.replace(left_keys=pairs[0], right_keys=pairs[1])
    return join


def hashed(p: Partitioning) -> list[Sequence[Expression]]:
    """The keys of every hash partitioning in it."""
    if isinstance(p, PartitioningCollection):
        return [k for w in p.ways for k in hashed(w)]
    return [p.keys] if isinstance(p, HashPartitioning) else []


def _places(expected: Sequence[Expression], keys: Sequence[Expression]) -> list[int] | None:
    """Where the expected keys stand among the keys, each once; None where they are not the same keys."""
    if len(expected) != len(keys):
        return None
    places: list[int] = []
    for e in expected:
        at = next((i for i, k in enumerate(keys) if i not in places and same(e, k)), None)
        if at is None:
            return None
        places.append(at)
    return places
