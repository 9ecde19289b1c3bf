"""Exchanges and subqueries that are there twice are done once (Spark: ReuseExchangeAndSubquery)."""

from __future__ import annotations

from collections.abc import Callable

from planviz.config import OptimizerConfig
from planviz.expressions.core import Expression
from planviz.physical.exchanges import Exchange, ReusedExchangeExec
from planviz.physical.plan import PlanHolder, SparkPlan
from planviz.physical.subqueries import InSubqueryExec, ReusedSubqueryExec, ScalarSubqueryExec, SubqueryExec


class ReuseExchangeAndSubquery:
    """Replaces every later exchange or subquery by the first of its kind."""

    def __init__(self, config: OptimizerConfig) -> None:
        self.exchanges: dict[SparkPlan, Exchange] | None = {} if config.get("spark.sql.exchange.reuse") else None
        self.subqueries: dict[SparkPlan, SubqueryExec] | None = (
            {} if config.get("spark.sql.execution.reuseSubquery") else None
        )

    def apply(self, plan: SparkPlan) -> SparkPlan:
        """The plan with what is used again."""
        return plan.transform_up(self._step)

    def _step(self, plan: SparkPlan) -> SparkPlan:
        if isinstance(plan, Exchange):
            if self.exchanges is None:
                return plan
            first = self.exchanges.setdefault(plan.canonicalized, plan)
            return plan if first is plan else ReusedExchangeExec(plan.output, first)
        return plan.map_expressions(self._expression)

    def _expression(self, e: Expression) -> Expression:
        return e.transform_up(self._subquery) if e.bits & PlanHolder.BIT else e

    def _subquery(self, e: Expression) -> Expression:
        if not isinstance(e, PlanHolder):
            return e
        plan = self.apply(e.plan)
        if self.subqueries is not None and isinstance(plan, SubqueryExec):
            first = self.subqueries.setdefault(plan.canonicalized, plan)
            return e.replace(plan=plan if first is plan else ReusedSubqueryExec(first))
        return e.replace(plan=plan)


class ReuseExchangeThenSubquery:
    """The same in Spark 3.0 (ReuseExchange, ReuseSubquery): within one plan, and only of what has the same names.

    The plan of a scalar subquery is apart from the one around it; that of IN is looked into.
    """

    def __init__(self, config: OptimizerConfig) -> None:
        self.config = config
        self.exchanges: dict[object, Exchange] = {}
        self.subqueries: dict[object, SubqueryExec] = {}

    def apply(self, plan: SparkPlan) -> SparkPlan:
        """The plan with what is used again."""
        if self.config.get("spark.sql.exchange.reuse"):
            plan = _expressions(plan.transform_up(self._exchange), self._inside)
        if self.config.get("spark.sql.execution.reuseSubquery"):
            plan = _expressions(plan, self._subquery)
        return plan

    @staticmethod
    def _form(plan: SparkPlan) -> object:
        schema = tuple([(a.name, a.type, a.is_nullable) for a in plan.output])
        # Scalar subqueries are equal under the same id alone; since 3.2 their plans are compared.
        values = [s.expr_id for p in plan.walk() for e in p.expressions for s in e.collect(ScalarSubqueryExec)]
        return schema, plan.canonicalized, tuple(values)

    def _exchange(self, plan: SparkPlan) -> SparkPlan:
        if not isinstance(plan, Exchange):
            return plan
        first = self.exchanges.setdefault(self._form(plan), plan)
        return plan if first is plan else ReusedExchangeExec(plan.output, first)

    def _inside(self, e: Expression) -> Expression:
        return e.replace(plan=e.plan.transform_up(self._exchange)) if isinstance(e, InSubqueryExec) else e

    def _subquery(self, e: Expression) -> Expression:
        if not isinstance(e, PlanHolder) or not isinstance(e.plan, SubqueryExec):
            return e
        first = self.subqueries.setdefault(self._form(e.plan), e.plan)
        return e if first is e.plan else e.replace(plan=ReusedSubqueryExec(first))


def _expressions(plan: SparkPlan, step: Callable[[Expression], Expression]) -> SparkPlan:
    """The plan with its operators' expressions that hold plans changed, from the root down."""

    def changed(e: Expression) -> Expression:
        return e.transform_up(step) if e.bits & PlanHolder.BIT else e

    return plan.transform_down(lambda p: p.map_expressions(changed))
