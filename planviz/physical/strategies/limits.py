"""Limits together with the sort beneath them (Spark: SpecialLimits)."""

from __future__ import annotations

from typing import Any

from planviz.expressions.core import Literal
from planviz.logical.operators import GlobalLimit, LocalLimit, Offset, Project, Sort
from planviz.physical.operators import CollectLimitExec, TakeOrderedAndProjectExec
from planviz.physical.strategies.context import PlanningContext


def special_limit(plan: Any, context: PlanningContext, root: bool) -> Any:
    """The operator for a limit over a sort; at the root for any limit. None for another plan."""
    offset, plan = _offset(plan)
    match plan:
        case GlobalLimit(Literal(int() as limit, _), LocalLimit(_, child)):
            taken = _top(limit, child, context, offset)
            if taken is not None:
                return taken
            if root:
                if offset == 0 and isinstance(child, Offset):
                    offset, child = _offset(child)
                return CollectLimitExec(limit, context.plan(child), offset)
    return None


def _offset(plan: Any) -> tuple[int, Any]:
    match plan:
        case Offset(Literal(int() as n, _), child):
            return n, child
    return 0, plan


def _top(limit: int, child: Any, context: PlanningContext, offset: int) -> Any:
    if limit >= int(context.config.get("spark.sql.execution.topKSortFallbackThreshold")):
        return None
    match child:
        case Sort(order, True, below):
            return TakeOrderedAndProjectExec(limit, order, below.output, context.plan(below), offset)
        case Project(projects, Sort(order, True, below)):
            return TakeOrderedAndProjectExec(limit, order, projects, context.plan(below), offset)
    return None
