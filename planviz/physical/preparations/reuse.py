"""Exchanges and subqueries that are there twice are done once (Spark: ReuseExchangeAndSubquery)."""

from __future__ import annotations

from typing import Any

from planviz.config import OptimizerConfig
from planviz.physical.exchanges import Exchange, ReusedExchangeExec
from planviz.physical.plan import PlanHolder
from planviz.physical.subqueries import ReusedSubqueryExec


class ReuseExchangeAndSubquery:
    """Replaces every later exchange or subquery by the first of its kind."""

    def __init__(self, config: OptimizerConfig) -> None:
        self.exchanges: dict[Any, Any] | None = {} if config.get("spark.sql.exchange.reuse") else None
        self.subqueries: dict[Any, Any] | None = {} if config.get("spark.sql.execution.reuseSubquery") else None

    def apply(self, plan: Any) -> Any:
        """The plan with what is used again."""
        return plan.transform_up(self._step)

    def _step(self, plan: Any) -> Any:
        if isinstance(plan, Exchange):
            if self.exchanges is None:
                return plan
            first = self.exchanges.setdefault(plan.canonicalized, plan)
            return plan if first is plan else ReusedExchangeExec(plan.output, first)
        return plan.map_expressions(self._expression)

    def _expression(self, e: Any) -> Any:
        return e.transform_up(self._subquery) if e.bits & PlanHolder.BIT else e

    def _subquery(self, e: Any) -> Any:
        if not isinstance(e, PlanHolder):
            return e
        plan = self.apply(e.plan)
        if self.subqueries is not None:
            first = self.subqueries.setdefault(plan.canonicalized, plan)
            plan = plan if first is plan else ReusedSubqueryExec(first)
        return e.replace(plan=plan)
