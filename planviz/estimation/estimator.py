"""`Estimator`: every operator's estimate, once per node (Spark: LogicalPlanStats, BasicStatsPlanVisitor)."""

from __future__ import annotations

from collections.abc import Sequence

from planviz.config import OptimizerConfig
from planviz.estimation import formulas
from planviz.estimation.aggregates import aggregate_estimate, project_estimate, union_estimate
from planviz.estimation.filters import filter_estimate
from planviz.estimation.joins import join_estimate
from planviz.estimation.leaves import leaf_estimate
from planviz.estimation.model import Estimate
from planviz.estimation.sizes import product, size_estimate
from planviz.logical.combining import Except, Intersect, Join, Union, WithCTE
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Limit,
    Offset,
    Project,
    RebalancePartitions,
    Repartition,
    RepartitionByExpression,
    Sample,
    Sort,
    Window,
)
from planviz.logical.plan import LeafNode, LogicalPlan
from planviz.trees.depth import SHALLOW, lowest_first
from planviz.trees.memo import Memo

#: The ways of estimating: bytes alone; bytes with the catalogue's rows at the tables; rows everywhere.
SIZES, TABLE_ROWS, ROWS = "_sizes", "_sizes_and_table_rows", "_rows"
#: As ROWS; of a union no distinct values are known, as before Spark 4.2.
ROWS_BUT_IN_UNIONS = "_rows_but_in_unions"
#: Behind any of these: unique keys of a side say nothing of a join's size, as before Spark 3.4.
ANY_MATCHES = "_any_matches"
#: Behind any of these: a filter's output may be estimated larger than its input, as before Spark 4.2.
GROWING = "_growing"
#: Behind any of these: a sort, a union, a choice of partitions, and what has no formula of its own, loses the number
#: of rows, as before Spark 3.2.
ROWS_LOST = "_rows_lost"
#: Behind any of these: nobody counts the rows of a LocalRelation, as before Spark 3.5.
LOCAL_UNCOUNTED = "_local_uncounted"
#: Behind any of these: what is known of a cache's columns is lost where a query reads them under ids of its own.
CACHES_FORGET = "_caches_forget"
_ESTIMATES: dict[str, Memo[Estimate]] = {
    (name := way + unique + lost + growing + local + forget): Memo("estimate" + name)
    for way in (SIZES, TABLE_ROWS, ROWS, ROWS_BUT_IN_UNIONS)
    for unique in ("", ANY_MATCHES)
    for lost in ("", ROWS_LOST)
    for growing in ("", GROWING)
    for local in ("", LOCAL_UNCOUNTED)
    for forget in ("", CACHES_FORGET)
}
#: Operators of which only bytes are estimated, whether rows are known or not.
BY_SIZE = (
    Except,
    Expand,
    Limit,
    Offset,
    RebalancePartitions,
    Repartition,
    RepartitionByExpression,
    Sample,
    Sort,
    Window,
    WithCTE,
)


class Estimator:
    """Estimates as these settings say: with rows when `spark.sql.cbo.enabled`.

    It holds nothing but the settings: two estimators with the same ones share what nodes remember.
    """

    def __init__(self, config: OptimizerConfig) -> None:
        self.config = config
        known = config.behaviour
        with_rows = ROWS if known.unions_count_distinct_values else ROWS_BUT_IN_UNIONS
        table_rows = TABLE_ROWS if config.get("spark.sql.cbo.planStats.enabled") else SIZES
        self._way = with_rows if config.get("spark.sql.cbo.enabled") else table_rows
        self._unique = known.unique_keys_bound_joins
        self._local = known.local_rows_are_counted
        # That came with the same version as the unique keys.
        self._constants = known.constants_have_statistics
        self._kept = known.sorts_keep_rows
        self._shrinks = known.filters_shrink_sizes
        self._unions, self._partitions = known.unions_count_rows, known.partitions_keep_rows
        # All three came with one version.
        rows_kept = self._kept and self._unions and self._partitions
        name = self._way + ("" if self._unique else ANY_MATCHES) + ("" if rows_kept else ROWS_LOST)
        name += "" if self._shrinks else GROWING
        name += "" if self._local else LOCAL_UNCOUNTED
        self._caches = known.caches_know_their_columns
        name += "" if self._caches else CACHES_FORGET
        self._memo = _ESTIMATES[name]

    @classmethod
    def with_rows(cls, config: OptimizerConfig) -> Estimator:
        """One with the formulas of the cost-based optimizer, whether the settings have it on or not."""
        return cls(config.with_settings({"spark.sql.cbo.enabled": True}))

    def estimate(self, plan: LogicalPlan) -> Estimate:
        """What is thought of the plan's result; computed once per node and way of estimating."""
        memo = self._memo
        found = memo.get(plan)
        if found is None:
            # Of a high plan the nodes beneath come first, so that no recursion goes down all of it.
            for below in lowest_first(plan, memo.__contains__) if plan.height > SHALLOW else ():
                memo.set(below, self._estimated(below))
            found = memo.set(plan, self._estimated(plan))
        return found

    def forget(self, plan: LogicalPlan) -> None:
        """Let the plan's own estimate be computed anew, as after its tables' sizes changed; other ways of estimating
        keep theirs."""
        self._memo.pop(plan)

    def asked_by(self, plan: LogicalPlan) -> set[int]:
        """The `id()` of the operators that the plan's estimate is computed from, its own included."""
        found, todo = set[int](), [plan]
        while todo:
            node = todo.pop()
            found.add(id(node))
            todo += node.children if self._way in (ROWS, ROWS_BUT_IN_UNIONS) else _asked(node)
        return found

    def size_in_bytes(self, plan: LogicalPlan) -> int:
        """The estimated size of the plan's result."""
        return self.estimate(plan).size

    def can_broadcast(self, plan: LogicalPlan) -> bool:
        """Whether the plan is estimated to be small enough for a broadcast join."""
        return 0 <= self.size_in_bytes(plan) <= self.config.number("spark.sql.autoBroadcastJoinThreshold")

    def _estimated(self, plan: LogicalPlan) -> Estimate:
        if isinstance(plan, LeafNode) or not plan.children:
            return leaf_estimate(plan, self._way != SIZES, self._partitions, self._local, self._caches)
        inputs = tuple([self.estimate(c) for c in plan.children])
        found = self._with_rows(plan, inputs) if self._way in (ROWS, ROWS_BUT_IN_UNIONS) else None
        found = found or size_estimate(plan, inputs, self._unique)
        if isinstance(plan, Sort | Repartition | RepartitionByExpression) and not self._kept:
            return Estimate(found.size, rule=found.rule, inputs=inputs)
        return found

    def _with_rows(self, plan: LogicalPlan, inputs: tuple[Estimate, ...]) -> Estimate | None:
        """The estimate with rows; None where only sizes can be told."""
        match plan:
            case Filter():
                return filter_estimate(plan, inputs[0], self._shrinks)
            case Project():
                return project_estimate(plan, inputs[0], self._constants)
            case Aggregate(grouping, items, _):
                return aggregate_estimate(grouping, items, plan.output, inputs[0], self._constants)
            case Distinct(child):
                return aggregate_estimate(child.output, child.output, child.output, inputs[0])
            case Join():
                left, right = inputs
                return join_estimate(plan, left, right, self._unique)
            case Union() if not self._unions:
                return None
            case Union():
                return union_estimate(plan, inputs, self._way == ROWS)
            case Intersect():
                least = inputs[0] if inputs[0].size < inputs[1].size else inputs[1]
                return Estimate(least.size, least.rows, rule=formulas.SMALLER, inputs=inputs)
        if isinstance(plan, BY_SIZE) or not self._kept:
            return None
        counts = [i.rows for i in inputs if i.rows is not None]
        rows = product(counts) if len(counts) == len(inputs) else None
        if rows is None:
            return None
        rule = formulas.PASSED_ON if len(inputs) == 1 else formulas.PRODUCT
        return Estimate(product(i.size for i in inputs), rows, rule=rule, inputs=inputs)


def _asked(plan: LogicalPlan) -> Sequence[LogicalPlan]:
    """The inputs whose size an operator's size is computed from."""
    match plan:
        case Aggregate(()):
            return ()
        case Join(left, _, "LeftSemi" | "LeftAnti") | Except(left, _):
            return (left,)
    return plan.children


def take_estimate(plan: LogicalPlan, size: int, rows: int | None) -> None:
    """Take what a text prints of an operator, bytes and rows, in place of what would be estimated, in every way."""
    told = Estimate(size, rows, rule=formulas.PRINTED)
    for memo in _ESTIMATES.values():
        memo.set(plan, told)
