"""Logical plan to physical plan, before anything moves (Spark: SparkPlanner; QueryExecution.sparkPlan)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.logical.combining import Join
from planviz.logical.operators import Aggregate
from planviz.physical.plan import SparkPlan
from planviz.physical.strategies.aggregation import aggregate
from planviz.physical.strategies.basic import basic
from planviz.physical.strategies.context import PlanningContext
from planviz.physical.strategies.file_source import scan_of
from planviz.physical.strategies.in_memory_scans import in_memory_scan
from planviz.physical.strategies.join_selection import JoinSelection
from planviz.physical.strategies.limits import special_limit
from planviz.physical.strategies.steps import Planned
from planviz.physical.strategies.streams import streaming
from planviz.trees.memo import place

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan

Note = Callable[["LogicalPlan", "SparkPlan", Sequence[Planned]], None]


class SparkPlanner:
    """Asks the strategies in Spark's order; the first that knows an operator plans it.

    `note` is told of every plan: the logical one, the physical one, and the calls that led from one to the other.
    """

    def __init__(self, config: OptimizerConfig, note: Note | None = None) -> None:
        self.context = PlanningContext(config, self._below)
        self.note = note
        self.calls: list[Planned | None] = []

    def plan(self, logical: LogicalPlan, root: bool = True, noted: bool = True) -> SparkPlan:
        """The operators for a whole plan. Raises AnalysisError for an operator that has none."""
        around, self.calls = self.calls, []
        try:
            made = self._plan(logical, root)
            if self.note is not None and noted:
                self.note(logical, made, [call for call in self.calls if call is not None])
        finally:
            self.calls = around
        return made

    def _below(self, logical: LogicalPlan) -> SparkPlan:
        return self._plan(logical, False)

    def _plan(self, plan: LogicalPlan, root: bool) -> SparkPlan:
        # What is beneath is planned within the call: its place is before theirs.
        place = len(self.calls)
        self.calls.append(None)
        strategy, made = self._asked(plan, root)
        if made is None:
            raise AnalysisError(
                "UNSUPPORTED_OPERATOR", f"There is no physical operator here for {type(plan).__name__} yet."
            )
        self.calls[place] = Planned(strategy, plan, made)
        linked(made, plan)
        return made

    def _asked(self, plan: LogicalPlan, root: bool) -> tuple[str, SparkPlan | None]:
        """The strategy that knows the operator, and what it gives."""
        context = self.context
        if plan.is_streaming:
            made = streaming(plan, context)
            if made is not None:
                return _OF_STREAMS.get(type(plan).__name__, "StreamingRelationStrategy"), made
        made = scan_of(plan, context)
        if made is not None:
            return "FileSourceStrategy", made
        made = special_limit(plan, context, root)
        if made is not None:
            return "SpecialLimits", made
        made = in_memory_scan(plan, context.config)
        if made is not None:
            return "InMemoryScans", made
        if isinstance(plan, Aggregate):
            return "Aggregation", aggregate(plan, context)
        if isinstance(plan, Join):
            return "JoinSelection", JoinSelection(plan, context).plan()
        made = basic(plan, context)
        if made is None:
            own = plan.own_operator(self._below)
            made = own if isinstance(own, SparkPlan) else None
        return _OWN.get(type(plan).__name__, "BasicOperators"), made


#: The strategies that Spark asks first where rows keep coming.
_OF_STREAMS = {
    "EventTimeWatermark": "StatefulAggregationStrategy",
    "Deduplicate": "StreamingDeduplicationStrategy",
    "DeduplicateWithinWatermark": "StreamingDeduplicationStrategy",
    "GlobalLimit": "StreamingGlobalLimitStrategy",
    "Join": "StreamingJoinStrategy",
}

#: Operators that have a strategy of their own, beside those that become one operator each.
_OWN = {
    "Window": "Window",
    "WindowGroupLimit": "WindowGroupLimit",
    "ScriptTransformation": "SparkScripts",
    "ArrowEvalPython": "PythonEvals",
    "BatchEvalPython": "PythonEvals",
    "ArrowEvalPythonUDTF": "PythonEvals",
    "BatchEvalPythonUDTF": "PythonEvals",
}


def linked(made: SparkPlan, logical: LogicalPlan) -> None:
    """Remember as `origin` which logical plan an operator, and those new beneath it, came from (Spark: logicalLink)."""
    if made.origin is None:
        place(made, logical)
        for child in made.children:
            linked(child, logical)
