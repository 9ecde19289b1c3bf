"""From the optimized plan to the one that runs (Spark: QueryExecution.sparkPlan, executedPlan)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from planviz.config import OptimizerConfig
from planviz.decisions.choices import Decision
from planviz.expressions.subqueries import DynamicPruningSubquery, SubqueryExpression
from planviz.physical.codegen import AdaptiveSparkPlanExec
from planviz.physical.conf import planning
from planviz.physical.distribution import UNSPECIFIED
from planviz.physical.exchanges import Exchange
from planviz.physical.in_memory import InMemoryTableScanExec
from planviz.physical.plan import SparkPlan
from planviz.physical.preparations.rules import (
    EXECUTOR,
    InsertAdaptiveSparkPlan,
    PreparationExecutor,
    batch,
    before_exchanges,
    exchanges,
    generated_code,
)
from planviz.physical.preparations.rules import Preparation as PreparationRule
from planviz.physical.preparations.subqueries import PlanSubqueries
from planviz.physical.printed import PrintedExec
from planviz.physical.strategies.planner import SparkPlanner
from planviz.physical.strategies.steps import Planned, note_strategies
from planviz.physical.streams import STATEFUL, numbered
from planviz.physical.writes import DataWritingCommandExec
from planviz.trees.trace import Trace

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan

ADAPTIVE = "spark.sql.adaptive.enabled"


@dataclass(frozen=True)
class PhysicalPlan:
    """A planned query: `spark` before the preparations, `executed` after them, every decision, warnings, and the last
    number that an exchange or subquery has."""

    spark: SparkPlan
    executed: SparkPlan
    decisions: tuple[Decision, ...]
    warnings: tuple[str, ...]
    last_plan_id: int = 0


class Preparation:
    """Plans one query and its subqueries; exchanges are numbered over all of them."""

    def __init__(self, config: OptimizerConfig, trace: Trace | None = None) -> None:
        self.config = config
        self.trace = trace if trace is not None else Trace()
        self.running: list[int] = []
        self.planner = SparkPlanner(config, self._noted)
        self.context = self.planner.context
        self.adaptive = config.flag(ADAPTIVE)
        self.forced = config.flag("spark.sql.adaptive.forceApply")
        self.subqueries = PlanSubqueries(self.planner, config, lambda plan: self._prepared(plan, True))

    def plan(self, optimized: LogicalPlan) -> PhysicalPlan:
        """Both physical plans of an optimized one. Raises AnalysisError for an operator that cannot be planned."""
        if self.adaptive and not self.config.behaviour.adaptive_plans_prune and prunes(optimized):
            self.adaptive = self.subqueries.adaptive = False
        spark = self.planner.plan(optimized)
        if optimized.is_streaming:
            spark = numbered(spark)
            # What keeps state between runs has to find it where it was.
            kept = any(isinstance(p, STATEFUL) for p in spark.walk())
            self.adaptive = self.subqueries.adaptive = self.adaptive and not kept
        executed = self._prepared(spark, False)
        context = self.context
        return PhysicalPlan(spark, executed, tuple(context.decisions), tuple(context.warnings), context.plan_id)

    def _prepared(self, plan: SparkPlan, subquery: bool) -> SparkPlan:
        adaptive = self.adaptive and (
            subquery or self.forced or needs_adaptive(plan, self.config.behaviour.caches_ask_for_adaptive)
        )
        if adaptive and isinstance(plan, DataWritingCommandExec) and not self.config.behaviour.writes_are_planned:
            return plan.replace(child=self._prepared(plan.child, subquery))
        if adaptive and isinstance(plan, PrintedExec) and plan.node_name in WRITES and len(plan.inputs) == 1:
            return plan.replace(inputs=(self._prepared(plan.inputs[0], subquery),))
        rules = [
            *before_exchanges(self.config, self.subqueries, self.adaptive),
            *exchanges(self.config, self.context),
        ]
        if adaptive:
            around = InsertAdaptiveSparkPlan(lambda p: AdaptiveSparkPlanExec(self._run(rules, p, True)))
            return self._run([around], plan)
        return self._run([*rules, *generated_code(self.config, subquery)], plan)

    def _noted(self, logical: LogicalPlan, physical: SparkPlan, calls: Sequence[Planned]) -> None:
        note_strategies(self.trace, logical, physical, calls, self.running[-1] if self.running else None)

    def _run(self, rules: list[PreparationRule], plan: SparkPlan, adaptive: bool = False) -> SparkPlan:
        """The plan after the rules; what they do is a run of the trace, within the one that asked for it."""
        parent = self.running[-1] if self.running else None
        self.running.append(len(self.trace.runs))
        try:
            return PreparationExecutor(EXECUTOR, [batch(rules, adaptive)]).execute(plan, self.trace, parent)
        finally:
            self.running.pop()


def prunes(plan: LogicalPlan) -> bool:
    """Whether partitions are left out while the query runs, in a subquery, too."""
    todo: list[LogicalPlan] = [plan]
    seen: set[int] = set()
    while todo:
        for node in todo.pop().walk():
            for e in node.expressions if id(node) not in seen else ():
                for s in e.collect(SubqueryExpression) if e.bits & SubqueryExpression.BIT else ():
                    if isinstance(s, DynamicPruningSubquery):
                        return True
                    todo.append(s.plan)
            seen.add(id(node))
    return False


#: Commands of data sources that run as they stand: the query beneath is what is planned anew (InsertAdaptiveSparkPlan).
WRITES = frozenset({"AppendData", "OverwriteByExpression", "OverwritePartitionsDynamic", "ReplaceData", "WriteDelta"})


def needs_adaptive(plan: SparkPlan, cached: bool = False) -> bool:
    """Whether there is anything to plan anew (InsertAdaptiveSparkPlan): an exchange now or soon, a subquery, or a cache
    whose own plan is planned anew; `cached`: any cache."""
    return any(
        isinstance(p, Exchange)
        or (isinstance(p, PrintedExec) and p.node_name.endswith("Exchange"))
        or (isinstance(p, InMemoryTableScanExec) and (cached or p.adaptive))
        or any(d != UNSPECIFIED for d in p.required_distribution)
        or any(e.bits & SubqueryExpression.BIT for e in p.expressions)
        for p in plan.walk()
    )


def plan_query(
    optimized: LogicalPlan, config: OptimizerConfig, last_plan_id: int = 0, trace: Trace | None = None
) -> PhysicalPlan:
    """The physical plans of an optimized query, with the decisions that led to them.

    `last_plan_id` is the last number that exchanges and subqueries of other plans have. What the preparations did goes
    into `trace`, with the plan before and after each.
    """
    preparation = Preparation(config, trace)
    preparation.context.plan_id = last_plan_id
    with planning(config):
        return preparation.plan(optimized)
