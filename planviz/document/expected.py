"""What the optimizer expects of the operators of our own plans, for their graphs (Spark: logicalLink().stats())."""

from __future__ import annotations

from typing import Any

from planviz.graph.plan_graph import Estimate
from planviz.logical.operators import Filter, Project
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.statistics import estimate
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


def expected(node: Any) -> Estimate | None:
    """Rows and bytes that are expected of an optimized or a physical operator, None where nobody estimates them.

    Reckoned as the surrounding `estimating` block says. A partial aggregate has none: nobody estimates its groups.
    """
    logical = node if isinstance(node, LogicalPlan) else _logical(node)
    if logical is None:
        return None
    found = estimate(logical)
    return Estimate(drawn(found.rows), drawn(found.size))


def drawn(number: int | None) -> int | None:
    """A number of rows or bytes that a picture can tell."""
    return None if number is None else min(number, _MOST)


def _logical(node: SparkPlan) -> LogicalPlan | None:
    """The logical operator whose rows a physical one gives."""
    while isinstance(node, _PASSING):
        node = node.child
    if isinstance(node, BaseAggregateExec) and node.distribution is None:
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
