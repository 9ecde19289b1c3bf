"""Runs the optimizer's batches over an analyzed plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from planviz.config import OptimizerConfig
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.batches import batches, exclusion_warnings
from planviz.optimizer.context import OptimizerContext
from planviz.optimizer.evaluation import session_zone
from planviz.optimizer.statistics import estimating
from planviz.trees.executor import Check, RuleExecutor
from planviz.trees.trace import Trace


class Optimizer:
    """Makes an analyzed plan faster; `optimize` gives the plan and fills a trace.

    Plans of subqueries are optimized in runs of their own, children of the run that met them.
    """

    def __init__(
        self,
        config: OptimizerConfig | None = None,
        context: OptimizerContext | None = None,
        checks: Sequence[Check] = (),
    ) -> None:
        self.context = context or OptimizerContext(config or OptimizerConfig())
        self.checks = checks

    @property
    def warnings(self) -> list[str]:
        """What is to be said of the excluded rules."""
        return exclusion_warnings(self.context)

    def optimize(self, plan: LogicalPlan, trace: Trace | None = None) -> LogicalPlan:
        """The optimized plan. Raises NotConverged and BrokenPlan when checks are on and a rule misbehaves."""
        config = self.context.config
        with session_zone(str(config.get("spark.sql.session.timeZone"))), estimating(config):
            optimized: LogicalPlan = self._run(plan, trace if trace is not None else Trace(), None)
        return optimized

    def _run(self, plan: Any, trace: Trace, parent: int | None) -> Any:
        run = len(trace.runs)
        context = replace(self.context, optimize=lambda p: self._run(p, trace, run))
        executor = RuleExecutor("Optimizer", batches(context), self.checks)
        return executor.execute(plan, trace, parent)
