"""Logical plan to physical plan, before anything moves (Spark: SparkPlanner; QueryExecution.sparkPlan)."""

from __future__ import annotations

from typing import Any

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.logical.combining import Join
from planviz.logical.operators import Aggregate
from planviz.physical.strategies.aggregation import aggregate
from planviz.physical.strategies.basic import basic
from planviz.physical.strategies.context import PlanningContext
from planviz.physical.strategies.file_source import scan_of
from planviz.physical.strategies.in_memory_scans import in_memory_scan
from planviz.physical.strategies.join_selection import JoinSelection
from planviz.physical.strategies.limits import special_limit


class SparkPlanner:
    """Asks the strategies in Spark's order; the first that knows an operator plans it."""

    def __init__(self, config: OptimizerConfig) -> None:
        self.context = PlanningContext(config, self._below)

    def plan(self, logical: Any, root: bool = True) -> Any:
        """The operators for a whole plan. Raises AnalysisError for an operator that has none."""
        return self._plan(logical, root)

    def _below(self, logical: Any) -> Any:
        return self._plan(logical, False)

    def _plan(self, plan: Any, root: bool) -> Any:
        context = self.context
        made = scan_of(plan, context) or special_limit(plan, context, root)
        if made is None:
            made = in_memory_scan(plan, context.config)
        if made is None and isinstance(plan, Aggregate):
            made = aggregate(plan, context)
        if made is None and isinstance(plan, Join):
            made = JoinSelection(plan, context).plan()
        if made is None:
            made = basic(plan, context)
        if made is None:
            raise AnalysisError(
                "UNSUPPORTED_OPERATOR", f"There is no physical operator here for {type(plan).__name__} yet."
            )
        linked(made, plan)
        return made


def linked(made: Any, logical: Any) -> None:
    """Remember as `origin` which logical plan an operator, and those new beneath it, came from (Spark: logicalLink)."""
    if made.origin is None:
        made.__dict__["origin"] = logical
        for child in made.children:
            linked(child, logical)
