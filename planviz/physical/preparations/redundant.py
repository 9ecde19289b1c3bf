"""Operators that change nothing (Spark: RemoveRedundantProjects, RemoveRedundantSorts ...)."""

from __future__ import annotations

from typing import Any

from planviz.physical.aggregates import BaseAggregateExec
from planviz.physical.distribution import ordering_satisfies
from planviz.physical.joins import JoinExec
from planviz.physical.operators import (
    ExpandExec,
    FilterExec,
    GenerateExec,
    ProjectExec,
    SortExec,
    TakeOrderedAndProjectExec,
    WindowExec,
    WindowGroupLimitExec,
)


def remove_redundant_projects(plan: Any, ordered: bool = True) -> Any:
    """The plan without projections that give their input's columns; `ordered`: their order matters above."""
    if isinstance(plan, ProjectExec):
        if _redundant(plan, ordered):
            return remove_redundant_projects(plan.child, ordered)
        return plan.map_children(lambda c: remove_redundant_projects(c, False))
    if isinstance(plan, TakeOrderedAndProjectExec | BaseAggregateExec | GenerateExec | ExpandExec):
        return plan.map_children(lambda c: remove_redundant_projects(c, False))
    below = ordered if isinstance(plan, FilterExec | SortExec | JoinExec | WindowExec) else True
    return plan.map_children(lambda c: remove_redundant_projects(c, below))


def _redundant(project: ProjectExec, ordered: bool) -> bool:
    out, below = list(project.output), list(project.child.output)
    if ordered:
        same = [a.expr_id for a in out] == [a.expr_id for a in below]
    else:
        same = sorted(a.expr_id for a in out) == sorted(a.expr_id for a in below)
        out.sort(key=lambda a: a.expr_id)
        below.sort(key=lambda a: a.expr_id)
    return same and all(a.is_nullable or not b.is_nullable for a, b in zip(out, below, strict=True))


def remove_redundant_sorts(plan: Any) -> Any:
    """The plan without sorts of what is sorted already."""

    def step(p: Any) -> Any:
        if isinstance(p, SortExec) and ordering_satisfies(p.child.output_ordering, p.order):
            enough = p.child.output_partitioning.satisfies(p.required_distribution[0])
            return p.child if enough else p
        return p

    return plan.transform_up(step)


def remove_redundant_window_group_limits(plan: Any) -> Any:
    """The plan without the first of two group limits that stand on each other (RemoveRedundantWindowGroupLimits)."""

    def step(p: Any) -> Any:
        both = isinstance(p, WindowGroupLimitExec) and isinstance(p.child, WindowGroupLimitExec)
        return p.replace(child=p.child.child) if both and (p.mode, p.child.mode) == ("Final", "Partial") else p

    return plan.transform_up(step, WindowGroupLimitExec.BIT)
