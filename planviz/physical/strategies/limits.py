"""Limits together with the sort beneath them (Spark: SpecialLimits)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.expressions.core import Literal
from planviz.logical.operators import GlobalLimit, LocalLimit, Offset, Project, Sort
from planviz.logical.plan import LogicalPlan
from planviz.physical.operators import CollectLimitExec, TakeOrderedAndProjectExec
from planviz.physical.strategies.context import PlanningContext

if TYPE_CHECKING:
    from planviz.physical.plan import SparkPlan


def special_limit(plan: LogicalPlan, context: PlanningContext, root: bool) -> SparkPlan | None:
    """The operator for a limit over a sort; at the root for any limit. None for another plan."""
    found = limit_and_offset(plan)
    if found is None:
        return None
    limit, offset, child = found
    taken = _top(limit, child, context, offset) if limit >= 0 else None
    if taken is not None or not root:
        return taken
    return CollectLimitExec(limit, context.plan(child), offset)


def limit_and_offset(plan: LogicalPlan) -> tuple[int, int, LogicalPlan] | None:
    """Limit, offset and what they are of; rows that the offset skips count for the limit, -1 stands for no limit."""
    match plan:
        case Offset(Literal(int() as offset, _), GlobalLimit(Literal(int() as limit, _), LocalLimit(_, child))):
            return limit, offset, child
        case GlobalLimit(
            Literal(int() as limit, _),
            Offset(Literal(int() as offset, _), LocalLimit(Literal(int() as both, _), child)),
        ) if limit + offset == both:
            return both, offset, child
        case GlobalLimit(Literal(int() as limit, _), LocalLimit(_, child)):
            return limit, 0, child
        case Offset(Literal(int() as offset, _), child):
            return -1, offset, child
    return None


def _top(limit: int, child: LogicalPlan, context: PlanningContext, offset: int) -> SparkPlan | None:
    if limit >= context.config.number("spark.sql.execution.topKSortFallbackThreshold"):
        return None
    match child:
        case Sort(order, True, below):
            return context.operator(TakeOrderedAndProjectExec)(limit, order, below.output, context.plan(below), offset)
        case Project(projects, Sort(order, True, below)):
            return context.operator(TakeOrderedAndProjectExec)(limit, order, projects, context.plan(below), offset)
    return None
