"""Runs the optimizer's batches over an analyzed plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from planviz.config import OptimizerConfig
from planviz.logical.plan import LogicalPlan
from planviz.logical.writes import InsertIntoHadoopFsRelationCommand
from planviz.optimizer.batches import batches, exclusion_warnings
from planviz.optimizer.context import OptimizerContext
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
        """What is to be said of the excluded rules, and what the rules said."""
        return [*exclusion_warnings(self.context), *self.context.warnings]

    def optimize(self, plan: LogicalPlan, trace: Trace | None = None) -> LogicalPlan:
        """The optimized plan. Raises NotConverged and BrokenPlan when checks are on and a rule misbehaves."""
        writes = self.context.config.behaviour.writes_are_planned and isinstance(
            plan, InsertIntoHadoopFsRelationCommand
        )
        return self._runs(trace if trace is not None else Trace(), writes)(plan)

    def _runs(self, trace: Trace, writes: bool = False) -> Callable[[LogicalPlan], LogicalPlan]:
        """The function that optimizes a plan; rules call it again for the plans of subqueries."""
        # The numbers of the runs under way, innermost last.
        under_way: list[int] = []

        def run(plan: LogicalPlan) -> LogicalPlan:
            parent = under_way[-1] if under_way else None
            under_way.append(len(trace.runs))
            try:
                return executor.execute(plan, trace, parent)
            finally:
                under_way.pop()

        executor = RuleExecutor("Optimizer", batches(replace(self.context, optimize=run), writes), self.checks)
        return run
