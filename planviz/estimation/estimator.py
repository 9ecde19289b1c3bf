"""`Estimator`: every operator's estimate, once per node (Spark: LogicalPlanStats, BasicStatsPlanVisitor)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Literal

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


@dataclass(frozen=True)
class Way:
    """All that decides how estimates come about: estimators of one way share what nodes remember, no others do.

    `rows`: "nowhere", only bytes are estimated; "of_tables", those of the catalogue count; "everywhere", as the
    cost-based optimizer estimates them. The others are what a version does (`Behaviour`), under the same names.
    """

    rows: Literal["nowhere", "of_tables", "everywhere"]
    unique_keys_bound_joins: bool
    unions_count_distinct_values: bool
    filters_shrink_sizes: bool
    unions_count_rows: bool
    local_rows_are_counted: bool
    constants_have_statistics: bool
    partitions_keep_rows: bool
    sorts_keep_rows: bool
    caches_know_their_columns: bool

    @classmethod
    def of(cls, config: OptimizerConfig) -> Way:
        """The way of these settings and this version."""
        of_tables: Literal["nowhere", "of_tables"] = (
            "of_tables" if config.get("spark.sql.cbo.planStats.enabled") else "nowhere"
        )
        known = (getattr(config.behaviour, each.name) for each in fields(cls) if each.name != "rows")
        return cls("everywhere" if config.get("spark.sql.cbo.enabled") else of_tables, *known)


@cache
def _memo_of(way: Way) -> Memo[Estimate]:
    return Memo(f"estimate_{way}")


#: What a text prints of an operator, in place of what would be estimated in whatever way.
_TOLD: Memo[Estimate] = Memo("estimate_told")
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
        self.way = Way.of(config)
        self._memo = _memo_of(self.way)

    @classmethod
    def with_rows(cls, config: OptimizerConfig) -> Estimator:
        """One with the formulas of the cost-based optimizer, whether the settings have it on or not."""
        return cls(config.with_settings({"spark.sql.cbo.enabled": True}))

    def estimate(self, plan: LogicalPlan) -> Estimate:
        """What is thought of the plan's result; computed once per node and way of estimating."""
        memo = self._memo
        found = _TOLD.get(plan) or memo.get(plan)
        if found is None:
            # Of a high plan the nodes beneath come first, so that no recursion goes down all of it.
            for below in lowest_first(plan, self._known) if plan.height > SHALLOW else ():
                memo.set(below, self._estimated(below))
            found = memo.set(plan, self._estimated(plan))
        return found

    def _known(self, plan: LogicalPlan) -> bool:
        return plan in _TOLD or plan in self._memo

    def forget(self, plan: LogicalPlan) -> None:
        """Let the plan's own estimate be computed anew, as after its tables' sizes changed, and what was told of it go;
        other ways of estimating keep theirs."""
        _TOLD.pop(plan)
        self._memo.pop(plan)

    def asked_by(self, plan: LogicalPlan) -> set[int]:
        """The `id()` of the operators that the plan's estimate is computed from, its own included."""
        found, todo = set[int](), [plan]
        while todo:
            node = todo.pop()
            found.add(id(node))
            todo += node.children if self.way.rows == "everywhere" else _asked(node)
        return found

    def size_in_bytes(self, plan: LogicalPlan) -> int:
        """The estimated size of the plan's result."""
        return self.estimate(plan).size

    def can_broadcast(self, plan: LogicalPlan) -> bool:
        """Whether the plan is estimated to be small enough for a broadcast join."""
        return 0 <= self.size_in_bytes(plan) <= self.config.number("spark.sql.autoBroadcastJoinThreshold")

    def _estimated(self, plan: LogicalPlan) -> Estimate:
        way = self.way
        if isinstance(plan, LeafNode) or not plan.children:
            return leaf_estimate(
                plan,
                way.rows != "nowhere",
                way.partitions_keep_rows,
                way.local_rows_are_counted,
                way.caches_know_their_columns,
            )
        inputs = tuple([self.estimate(c) for c in plan.children])
        found = self._with_rows(plan, inputs) if self.way.rows == "everywhere" else None
        found = found or size_estimate(plan, inputs, way.unique_keys_bound_joins)
        if isinstance(plan, Sort | Repartition | RepartitionByExpression) and not way.sorts_keep_rows:
            return Estimate(found.size, rule=found.rule, inputs=inputs)
        return found

    def _with_rows(self, plan: LogicalPlan, inputs: tuple[Estimate, ...]) -> Estimate | None:
        """The estimate with rows; None where only sizes can be told."""
        way = self.way
        match plan:
            case Filter():
                return filter_estimate(plan, inputs[0], way.filters_shrink_sizes)
            case Project():
                return project_estimate(plan, inputs[0], way.constants_have_statistics)
            case Aggregate(grouping, items, _):
                return aggregate_estimate(grouping, items, plan.output, inputs[0], way.constants_have_statistics)
            case Distinct(child):
                return aggregate_estimate(child.output, child.output, child.output, inputs[0])
            case Join():
                left, right = inputs
                return join_estimate(plan, left, right, way.unique_keys_bound_joins)
            case Union() if not way.unions_count_rows:
                return None
            case Union():
                return union_estimate(plan, inputs, way.unions_count_distinct_values)
            case Intersect():
                least = inputs[0] if inputs[0].size < inputs[1].size else inputs[1]
                return Estimate(least.size, least.rows, rule=formulas.SMALLER, inputs=inputs)
        if isinstance(plan, BY_SIZE) or not way.sorts_keep_rows:
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
    _TOLD.set(plan, Estimate(size, rows, rule=formulas.PRINTED))
