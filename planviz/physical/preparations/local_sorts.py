"""One sort in place of two (Spark: PushDownLocalSort)."""

from __future__ import annotations

from planviz.config import OptimizerConfig
from planviz.expressions.core import Alias, AttributeReference, Expression, SortOrder
from planviz.physical.distribution import ordering_satisfies
from planviz.physical.operators import FilterExec, ProjectExec, SortExec, WindowExec, WindowGroupLimitExec
from planviz.physical.plan import SparkPlan, UnaryExec

_ON = "spark.sql.execution.pushDownLocalSort"
_REDUCERS = "spark.sql.execution.pushDownLocalSort.throughCardinalityReducer"


def push_down_local_sorts(plan: SparkPlan, config: OptimizerConfig) -> SparkPlan:
    """The plan in which a sort by more keys takes the place of one by the first of them beneath it.

    Sort [a, b] over Window over Sort [a]  =>  Window over Sort [a, b]
    """
    if not config.get(_ON):
        return plan
    kept: tuple[type, ...] = (ProjectExec, WindowExec)
    if config.get(_REDUCERS):
        kept += (FilterExec, WindowGroupLimitExec)

    def step(p: SparkPlan) -> SparkPlan:
        if not isinstance(p, SortExec) or p.whole or isinstance(p.child, SortExec):
            return p
        return _below(p.child, p.order, kept) or p

    return plan.transform_up(step, SortExec.BIT)


def _below(plan: SparkPlan, order: tuple[SortOrder, ...], kept: tuple[type, ...]) -> SparkPlan | None:
    """The plan sorted by `order` where it sorts by less; None where it does not or the keys are not there."""
    if not frozenset[int]().union(*[o.references for o in order]) <= plan.output_set:
        return None
    if isinstance(plan, SortExec):
        narrower = not plan.whole and len(plan.order) < len(order)
        wanted = order[: len(plan.order)]
        return plan.replace(order=order) if narrower and ordering_satisfies(plan.output_ordering, wanted) else None
    if not isinstance(plan, UnaryExec) or not isinstance(plan, kept):
        return None
    if isinstance(plan, ProjectExec):
        named = {i.expr_id: i.child for i in plan.projects if isinstance(i, Alias)}

        def meant(e: Expression) -> Expression:
            return named.get(e.expr_id, e) if isinstance(e, AttributeReference) else e

        order = tuple(o.replace(child=o.child.transform_up(meant)) for o in order)
    new = _below(plan.child, order, kept)
    return None if new is None else plan.replace(child=new)
