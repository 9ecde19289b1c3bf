"""Plans for subqueries in expressions (Spark: PlanDynamicPruningFilters, PlanSubqueries, PlanAdaptiveSubqueries)."""

from __future__ import annotations

from collections.abc import Callable

from planviz.config import OptimizerConfig
from planviz.expressions.core import Alias, Expression, Literal
from planviz.expressions.ids import next_id
from planviz.expressions.subqueries import DynamicPruningSubquery, InSubquery, ListQuery, ScalarSubquery
from planviz.expressions.subqueries import SubqueryExpression as Subquery
from planviz.logical.operators import Aggregate
from planviz.physical.distribution import BroadcastMode
from planviz.physical.joins import BroadcastHashJoinExec, bound, relation_keys
from planviz.physical.plan import SparkPlan
from planviz.physical.strategies.planner import SparkPlanner
from planviz.physical.subqueries import (
    DynamicPruningExpression,
    InSubqueryExec,
    ScalarSubqueryExec,
    SubqueryAdaptiveBroadcastExec,
    SubqueryBroadcastExec,
    SubqueryExec,
)
from planviz.trees.node import mask_of
from planviz.types import BOOLEAN

_MASK = mask_of(Subquery, InSubquery)


class PlanSubqueries:
    """Replaces subqueries by expressions that hold their plans.

    `prepared` makes a planned subquery ready to run. A subquery that stands twice is planned once, under a root of its
    own each time; by adaptive execution once for each plan that holds it (InsertAdaptiveSparkPlan.buildSubqueryMap),
    before Spark 3.5 under one root.
    """

    def __init__(
        self, planner: SparkPlanner, config: OptimizerConfig, prepared: Callable[[SparkPlan], SparkPlan]
    ) -> None:
        self.planner, self.config, self.prepared = planner, config, prepared
        self.adaptive = config.flag("spark.sql.adaptive.enabled")
        self.decided: set[int] = set()
        self.done: dict[int, SparkPlan] = {}
        self.roots: dict[int, SubqueryExec] = {}

    def apply(self, plan: SparkPlan) -> SparkPlan:
        """The plan with every subquery planned."""
        around = self.done, self.roots
        if self.adaptive:
            self.done, self.roots = {}, {}
        try:
            return self._apply(plan)
        finally:
            self.done, self.roots = around

    def _apply(self, plan: SparkPlan) -> SparkPlan:
        def expression(e: Expression) -> Expression:
            return self._expression(e, plan)

        return plan.transform_up(lambda p: p.map_expressions(expression, _MASK))

    def _expression(self, e: Expression, root: SparkPlan) -> Expression:
        match e:
            case ScalarSubquery():
                return ScalarSubqueryExec(self._subquery(e, "scalar-subquery"), e.data_type, e.expr_id)
            case DynamicPruningSubquery():
                return DynamicPruningExpression(self._pruning(e, root))
            case InSubquery(_, ListQuery() as query):
                return InSubqueryExec(e.value, self._subquery(query, "subquery"), query.expr_id)
            case ListQuery():
                return InSubqueryExec(e.outer[0], self._subquery(e, "subquery"), e.expr_id)
        return e.map_children(lambda c: self._expression(c, root), _MASK) if e.bits & _MASK else e

    def _subquery(self, e: Subquery, name: str) -> SubqueryExec:
        if not self.adaptive or self.config.behaviour.adaptive_subqueries_have_own_roots:
            return self._root(e, "subquery" if self.adaptive else name)
        if e.expr_id not in self.roots:
            self.roots[e.expr_id] = self._root(e, "subquery")
        return self.roots[e.expr_id]

    def _root(self, e: Subquery, name: str) -> SubqueryExec:
        return SubqueryExec(f"{name}#{e.expr_id}", self._plan_of(e), self.planner.context.next_plan_id())

    def _plan_of(self, e: Subquery) -> SparkPlan:
        if e.expr_id not in self.done:
            self.done[e.expr_id] = self.prepared(self._planned(e))
        return self.done[e.expr_id]

    def _planned(self, e: Subquery) -> SparkPlan:
        """The subquery's operators; what was decided for it is noted the first time."""
        context = self.planner.context
        decisions, warnings = len(context.decisions), len(context.warnings)
        plan = self.planner.plan(e.plan, noted=e.expr_id not in self.decided)
        if e.expr_id in self.decided:
            del context.decisions[decisions:], context.warnings[warnings:]
        self.decided.add(e.expr_id)
        return plan

    def _pruning(self, e: DynamicPruningSubquery, root: SparkPlan) -> Expression:
        """The keys of the other side: from its broadcast where there is one, by a query of their own if that pays."""
        name, number = f"dynamicpruning#{e.expr_id}", self.planner.context.next_plan_id
        if self.adaptive:
            plan = self._plan_of(e)
            broadcast = self.planner.context.operator(SubqueryAdaptiveBroadcastExec)(
                name, plan, number(), (e.index,), e.only_reused, e.plan, tuple(e.keys)
            )
            return InSubqueryExec(e.outer[0], broadcast, e.expr_id)
        planned = self.planner.plan(e.plan, noted=False)
        if self.config.get("spark.sql.exchange.reuse") and _broadcast(planned, root):
            plan = self.prepared(planned)
            mode = BroadcastMode(bound(relation_keys(tuple(e.keys)), plan.output))
            exchange = self.planner.context.broadcast(mode, plan)
            subquery = self.planner.context.operator(SubqueryBroadcastExec)
            held = subquery(name, exchange, number(), (e.index,), tuple(e.keys))
            return InSubqueryExec(e.outer[0], held, e.expr_id)
        if e.only_reused:
            return Literal(True, BOOLEAN)
        key = Alias(e.keys[e.index], str(e.keys[e.index]), next_id())
        values = ListQuery(Aggregate((key,), (key,), e.plan), (), e.expr_id)
        own = "dynamicpruning" if self.config.behaviour.pruning_queries_have_their_own_name else "subquery"
        return InSubqueryExec(e.outer[0], self._subquery(values, own), e.expr_id)


def _broadcast(planned: SparkPlan, root: SparkPlan) -> bool:
    """Whether a join of the plan gathers the same rows."""
    wanted = planned.canonicalized
    return any(isinstance(p, BroadcastHashJoinExec) and p.built.canonicalized == wanted for p in root.walk())
