"""What the optimizer expects of the operators of our own plans, for their graphs (Spark: logicalLink().stats())."""

from __future__ import annotations

from planviz.config import OptimizerConfig
from planviz.estimation import Estimator, RowBounds
from planviz.graph.node import Estimate
from planviz.logical.operators import Filter, Project
from planviz.logical.plan import LogicalPlan
from planviz.physical.aggregates import BaseAggregateExec
from planviz.physical.codegen import AdaptiveSparkPlanExec, ColumnarToRowExec, InputAdapter, WholeStageCodegenExec
from planviz.physical.exchanges import Exchange
from planviz.physical.operators import FilterExec, ProjectExec, SortExec
from planviz.physical.plan import LeafExec, SparkPlan

#: Operators that give the rows of their child, whatever plan they came from.
_PASSING = (AdaptiveSparkPlanExec, ColumnarToRowExec, Exchange, InputAdapter, SortExec, WholeStageCodegenExec)
#: The operators that are planned together with the scan beneath, and the logical ones that are their own.
_OWN = {FilterExec: Filter, ProjectExec: Project}
#: Rows and bytes are drawn up to this.
_MOST = 10**300


class Expectations:
    """What is expected of the operators of one query, planned with these settings."""

    def __init__(self, config: OptimizerConfig) -> None:
        self._estimator = Estimator(config)
        self._counted = Estimator.with_rows(config)
        self._bounds = RowBounds(self._counted)

    def of(self, node: object) -> Estimate | None:
        """Rows and bytes that are expected of an optimized or a physical operator, None where nobody can say.

        Where the settings give no rows, `formula_rows` are those of the cost-based formulas, and where these give none
        the most rows that follow from what is beneath. Nobody estimates the groups of a partial aggregate: it gives at
        most the rows that it reads.
        """
        logical = logical_of(node)
        if logical is None:
            return self._bound(node) if isinstance(node, SparkPlan) else None
        found = self._estimator.estimate(logical)
        size = drawn(found.size)
        if found.rows is not None:
            return Estimate(drawn(found.rows), size)
        counted = self._counted.estimate(logical).rows
        if counted is not None:
            return Estimate(None, size, formula_rows=drawn(counted))
        most = drawn(self._bounds.of(logical))
        return Estimate(None, size, formula_rows=most, at_most=most is not None)

    def _bound(self, node: SparkPlan) -> Estimate | None:
        """What an operator gives at most whose rows nobody estimates: those of what it reads."""
        while isinstance(node, _PASSING) or _is_partial(node):
            node = node.children[0]
        logical = logical_of(node)
        rows = None if logical is None else drawn(self._bounds.of(logical))
        return None if rows is None else Estimate(formula_rows=rows, at_most=True)


def drawn(number: int | None) -> int | None:
    """A number of rows or bytes that a picture can tell."""
    return None if number is None else min(number, _MOST)


def _is_partial(node: SparkPlan) -> bool:
    return isinstance(node, BaseAggregateExec) and node.distribution is None


def logical_of(node: object) -> LogicalPlan | None:
    """The logical operator whose rows a physical one gives; None of a partial aggregate. A logical one is its own."""
    if isinstance(node, LogicalPlan):
        return node
    while isinstance(node, _PASSING):
        node = node.child
    if not isinstance(node, SparkPlan) or _is_partial(node):
        return None
    plan = node.origin if isinstance(node.origin, LogicalPlan) else None
    if isinstance(node, LeafExec):
        while plan is not None and len(plan.children) == 1:
            plan = plan.children[0]
        return plan
    own = _OWN.get(type(node))
    while own is not None and plan is not None and not isinstance(plan, own):
        plan = plan.children[0] if len(plan.children) == 1 else None
    return plan
