"""From the optimized plan to the one that runs (Spark: QueryExecution.sparkPlan, executedPlan)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from planviz.config import OptimizerConfig
from planviz.decisions.choices import Decision
from planviz.expressions.subqueries import SubqueryExpression
from planviz.optimizer.statistics import estimating
from planviz.physical.codegen import AdaptiveSparkPlanExec
from planviz.physical.distribution import UNSPECIFIED
from planviz.physical.exchanges import Exchange
from planviz.physical.in_memory import InMemoryTableScanExec
from planviz.physical.plan import SparkPlan
from planviz.physical.preparations.adjacent_aggregates import combine_adjacent_aggregation, replace_hash_with_sort
from planviz.physical.preparations.bucketed_scans import coalesce_buckets_in_join, disable_unnecessary_bucketed_scans
from planviz.physical.preparations.collapse_codegen import CollapseCodegenStages, insert_transitions
from planviz.physical.preparations.local_sorts import push_down_local_sorts
from planviz.physical.preparations.redundant import (
    insert_sort_for_limit_and_offset,
    remove_redundant_projects,
    remove_redundant_sorts,
    remove_redundant_window_group_limits,
)
from planviz.physical.preparations.requirements import EnsureRequirements
from planviz.physical.preparations.reuse import ReuseExchangeAndSubquery, ReuseExchangeThenSubquery
from planviz.physical.preparations.subqueries import PlanSubqueries
from planviz.physical.strategies.planner import SparkPlanner

ADAPTIVE = "spark.sql.adaptive.enabled"


@dataclass(frozen=True)
class PhysicalPlan:
    """A planned query: `spark` before the preparations, `executed` after them, every decision, warnings, and the last
    number that an exchange or subquery has."""

    spark: Any
    executed: Any
    decisions: tuple[Decision, ...]
    warnings: tuple[str, ...]
    last_plan_id: int = 0


class Preparation:
    """Plans one query and its subqueries; exchanges are numbered over all of them."""

    def __init__(self, config: OptimizerConfig) -> None:
        self.config = config
        self.planner = SparkPlanner(config)
        self.context = self.planner.context
        self.adaptive = bool(config.get(ADAPTIVE))
        self.subqueries = PlanSubqueries(self.planner, config, lambda plan: self._prepared(plan, True))

    def plan(self, optimized: Any) -> PhysicalPlan:
        """Both physical plans of an optimized one. Raises AnalysisError for an operator that cannot be planned."""
        with estimating(self.config):
            spark = self.planner.plan(optimized)
            executed = self._prepared(spark, False)
        context = self.context
        return PhysicalPlan(spark, executed, tuple(context.decisions), tuple(context.warnings), context.plan_id)

    def _prepared(self, plan: Any, subquery: bool) -> Any:
        adaptive = self.adaptive and (subquery or needs_adaptive(plan))
        there = self.config.behaviour.preparations
        plan = coalesce_buckets_in_join(plan, self.config) if "CoalesceBucketsInJoin" in there else plan
        plan = self.subqueries.apply(plan)
        plan = remove_redundant_projects(plan) if "RemoveRedundantProjects" in there else plan
        plan = EnsureRequirements(self.context).apply(plan)
        for name, step in self._tidying():
            plan = step(plan) if name in there else plan
        if adaptive:
            return AdaptiveSparkPlanExec(plan)
        plan = CollapseCodegenStages().apply(insert_transitions(plan))
        if not self.config.behaviour.reused_in_one_walk:
            return ReuseExchangeThenSubquery(self.config).apply(plan)
        return plan if subquery else ReuseExchangeAndSubquery(self.config).apply(plan)

    def _tidying(self) -> list[tuple[str, Callable[[Any], Any]]]:
        """The preparations behind EnsureRequirements by name, in order."""
        config = self.config
        sorts: list[tuple[str, Callable[[Any], Any]]] = [("RemoveRedundantSorts", remove_redundant_sorts)]
        last = config.behaviour.sorts_go_last
        return [
            ("InsertSortForLimitAndOffset", insert_sort_for_limit_and_offset),
            ("CombineAdjacentAggregation", lambda p: combine_adjacent_aggregation(p, config)),
            ("ReplaceHashWithSortAgg", lambda p: replace_hash_with_sort(p, config)),
            ("PushDownLocalSort", lambda p: push_down_local_sorts(p, config)),
            *([] if last else sorts),
            ("RemoveRedundantWindowGroupLimits", remove_redundant_window_group_limits),
            ("DisableUnnecessaryBucketedScan", lambda p: disable_unnecessary_bucketed_scans(p, config)),
            *(sorts if last else []),
        ]


def needs_adaptive(plan: SparkPlan) -> bool:
    """Whether there is anything to plan anew (InsertAdaptiveSparkPlan): an exchange now or soon, a subquery, or a cache
    whose own plan is planned anew."""
    return any(
        isinstance(p, Exchange)
        or (isinstance(p, InMemoryTableScanExec) and p.adaptive)
        or any(d != UNSPECIFIED for d in p.required_distribution)
        or any(e.bits & SubqueryExpression.BIT for e in p.expressions)
        for p in plan.walk()
    )


def plan_query(optimized: Any, config: OptimizerConfig, last_plan_id: int = 0) -> PhysicalPlan:
    """The physical plans of an optimized query, with the decisions that led to them.

    `last_plan_id` is the last number that exchanges and subqueries of other plans have.
    """
    preparation = Preparation(config)
    preparation.context.plan_id = last_plan_id
    return preparation.plan(optimized)
