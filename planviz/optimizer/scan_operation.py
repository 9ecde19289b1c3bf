"""Projections and filters right above a leaf, put together: what a scan takes in (Spark: ScanOperation)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

from planviz.expressions.core import Alias, AttributeReference, Expression, id_of
from planviz.expressions.predicates import split_conjunction
from planviz.logical.operators import Filter, Project
from planviz.logical.plan import LeafNode, LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.optimizer.attributes import substitute
from planviz.optimizer.context import OptimizerContext
from planviz.optimizer.rules.projections import can_collapse

#: The setting that lets columns be put in wherever they are used, however often; what `always` says.
ALWAYS_INLINE = "spark.sql.optimizer.collapseProjectAlwaysInline"


LeafT = TypeVar("LeafT", bound=LeafNode)


@dataclass(frozen=True)
class ScanOperation(Generic[LeafT]):
    """Projections and filters over a leaf, merged; `filters` are those of each Filter, the lowest first."""

    projects: tuple[Expression, ...]
    filters: tuple[tuple[Expression, ...], ...]
    relation: LeafT

    @cached_property
    def meanings(self) -> dict[int, Expression]:
        """What the computed columns stand for."""
        return {p.expr_id: p.child for p in self.projects if isinstance(p, Alias)}

    @property
    def all_filters(self) -> list[Expression] | None:
        """The filters, the lowest first; None where one of several is random, which must keep its place."""
        if len(self.filters) > 1 and not all(f.deterministic for group in self.filters for f in group):
            return None
        return [f for group in self.filters for f in group]

    @property
    def split_filters(self) -> tuple[list[Expression], list[tuple[Expression, ...]]]:
        """The filters that the scan may know, and the Filters that stay above: those from the first random one on."""
        fixed = [all(f.deterministic for f in group) for group in self.filters]
        first = next((i for i, ok in enumerate(fixed) if not ok), len(fixed))
        known = max(first, 1) if self.filters else 0
        return [f for group in self.filters[:known] for f in group], list(self.filters[known:])


def scan_operation(plan: LogicalPlan, always: bool, leaf: type[LeafT]) -> ScanOperation[LeafT] | None:
    """The projections and filters above a leaf as one (Spark: ScanOperation); None where they cannot be merged."""
    if isinstance(plan, leaf):
        return ScanOperation(tuple(plan.output), (), plan)
    if not isinstance(plan, Project | Filter):
        return None
    below = scan_operation(plan.child, always, leaf)
    if below is None:
        return None
    if isinstance(plan, Filter):
        random = not all(p.deterministic for p in below.projects)
        if random or not can_collapse((plan.condition,), below.projects, always):
            return None
        conditions = tuple(substitute(c, below.meanings) for c in split_conjunction(plan.condition))
        return ScanOperation(below.projects, (*below.filters, conditions), below.relation)
    if not can_collapse(plan.projects, below.projects, always):
        return None
    inner: dict[int, Expression] = {id_of(p): p for p in below.projects}
    projects = tuple(_over(p, inner, below.meanings) for p in plan.projects)
    return ScanOperation(projects, below.filters, below.relation)


def physical_operation(plan: LogicalPlan, context: OptimizerContext) -> ScanOperation[LogicalRelation] | None:
    """The same above a table, as the rules about its files see it (Spark: PhysicalOperation).

    Before Spark 3.4 it writes out what is used twice, and wants projections without random numbers.
    """
    inlines = context.config.behaviour.scan_rules_inline_all
    if inlines and isinstance(plan, Project) and not all(p.deterministic for p in plan.projects):
        return None
    return scan_operation(plan, inlines or context.on(ALWAYS_INLINE), LogicalRelation)


def _over(e: Expression, inner: dict[int, Expression], meanings: dict[int, Expression]) -> Expression:
    """A projected expression over the columns of the table; an attribute keeps its qualifier, or its alias beneath."""
    if isinstance(e, AttributeReference):
        below = inner.get(e.expr_id, e)
        return e if isinstance(below, AttributeReference) else below
    return substitute(e, meanings)
