"""Operators that change nothing (Spark: RemoveRedundantProjects, RemoveRedundantSorts ...)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.physical.aggregates import BaseAggregateExec
from planviz.physical.distribution import ordering_satisfies
from planviz.physical.exchanges import ShuffleExchangeExec
from planviz.physical.joins import JoinExec
from planviz.physical.operators import (
    ExpandExec,
    FilterExec,
    GenerateExec,
    GlobalLimitExec,
    LocalLimitExec,
    ProjectExec,
    SortExec,
    TakeOrderedAndProjectExec,
    WindowExec,
    WindowGroupLimitExec,
)
from planviz.physical.plan import SparkPlan

if TYPE_CHECKING:
    from planviz.expressions.core import SortOrder


def remove_redundant_projects(plan: SparkPlan, ordered: bool = True) -> SparkPlan:
    """The plan without projections that give their input's columns; `ordered`: their order matters above."""
    if isinstance(plan, ProjectExec):
        if _redundant(plan, ordered):
            return remove_redundant_projects(plan.child, ordered)
        return plan.map_children(lambda c: remove_redundant_projects(c, False))
    if isinstance(plan, TakeOrderedAndProjectExec | BaseAggregateExec | GenerateExec):
        return plan.map_children(lambda c: remove_redundant_projects(c, False))
    below = ordered if isinstance(plan, FilterExec | JoinExec | WindowExec | ExpandExec) else True
    return plan.map_children(lambda c: remove_redundant_projects(c, below))


def _redundant(project: ProjectExec, ordered: bool) -> bool:
    if project.origin is not None and project.origin is not project.child.origin:
        # Adaptive execution needs an operator for every logical one (Spark: canRemove, SPARK-36020).
        return False
    out, below = list(project.output), list(project.child.output)
    if ordered:
        same = [a.expr_id for a in out] == [a.expr_id for a in below]
    else:
        same = sorted(a.expr_id for a in out) == sorted(a.expr_id for a in below)
        out.sort(key=lambda a: a.expr_id)
        below.sort(key=lambda a: a.expr_id)
    return same and all(a.is_nullable or not b.is_nullable for a, b in zip(out, below, strict=True))


def remove_redundant_sorts(plan: SparkPlan, shuffled: bool = True) -> SparkPlan:
    """The plan without sorts of what is sorted already, and with `shuffled` without those whose rows are shuffled."""

    def step(p: SparkPlan) -> SparkPlan:
        if shuffled and isinstance(p, ShuffleExchangeExec) and isinstance(p.child, SortExec):
            return p.replace(child=p.child.child)
        if isinstance(p, SortExec) and ordering_satisfies(p.child.output_ordering, p.order):
            enough = p.child.output_partitioning.satisfies(p.required_distribution[0])
            return p.child if enough else p
        return p

    return plan.transform_up(step)


def remove_redundant_window_group_limits(plan: SparkPlan) -> SparkPlan:
    """The plan without the first of two group limits that stand on each other (RemoveRedundantWindowGroupLimits)."""

    def step(p: SparkPlan) -> SparkPlan:
        if isinstance(p, WindowGroupLimitExec) and isinstance(p.child, WindowGroupLimitExec):
            return p.replace(child=p.child.child) if (p.mode, p.child.mode) == ("Final", "Partial") else p
        return p

    return plan.transform_up(step, WindowGroupLimitExec.BIT)


def insert_sort_for_limit_and_offset(plan: SparkPlan) -> SparkPlan:
    """The plan with rows sorted once more where a limit's or offset's exchange lost a whole order
    (InsertSortForLimitAndOffset)."""

    def step(p: SparkPlan) -> SparkPlan:
        if isinstance(p, GlobalLimitExec) and isinstance(p.child, ShuffleExchangeExec):
            order = _whole_order(p.child.child)
            gathered = order and p.child.kind == "SinglePartition"
            return p.replace(child=_sorted_again(order, p.child)) if gathered else p
        return p

    return plan.transform_up(step, GlobalLimitExec.BIT)


def _sorted_again(order: tuple[SortOrder, ...], gathered: ShuffleExchangeExec) -> SparkPlan:
    """The gathered rows in this order; columns that only the order reads go through the exchange and are dropped."""
    project = gathered.child
    if frozenset[int]().union(*[o.references for o in order]) <= project.output_set:
        return SortExec(order, False, gathered)
    if not isinstance(project, ProjectExec):
        return SortExec(order, False, gathered)
    hidden = [a for o in order for a in o.attributes if a.expr_id not in project.output_set]
    wider = gathered.replace(child=project.replace(projects=(*project.projects, *hidden)))
    return ProjectExec(tuple(project.output), SortExec(order, False, wider))


def _whole_order(plan: SparkPlan) -> tuple[SortOrder, ...]:
    """The keys by which all rows come in order; none where they do not."""
    while isinstance(plan, ProjectExec | FilterExec | LocalLimitExec):
        plan = plan.child
    return plan.order if isinstance(plan, SortExec) and plan.whole else ()
