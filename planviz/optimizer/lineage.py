"""Where a value comes from."""

from __future__ import annotations

from planviz.expressions.aggregates import is_aggregate
from planviz.expressions.core import Alias, Expression, id_of
from planviz.expressions.predicates import And, Or, split_conjunction
from planviz.logical.combining import Union
from planviz.logical.operators import Aggregate, Filter, Project
from planviz.logical.plan import LeafNode, LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.optimizer.attributes import alias_map, inlined, merged_projects


def origin(e: Expression, plan: LogicalPlan) -> tuple[Expression, LeafNode] | None:
    """The expression over the columns of the one leaf that gives them, and the leaf
    (Spark: findExpressionAndTrackLineageDown).

    None for constants, for values that an aggregate or a generator makes, and for those of several leaves.
    """
    if not e.references:
        return None
    match plan:
        case Project(items, child):
            return origin(inlined(e, alias_map(items)), child)
        case Aggregate(_, items, child):
            plain = [i for i in items if isinstance(i, Alias) and not is_aggregate(i)]
            return origin(inlined(e, alias_map(plain)), child)
        case LeafNode():
            return (e, plan) if e.references <= plan.output_set else None
        case Union(inputs):
            at = next((i for i, a in enumerate(plan.output) if a.semantic_equals(e)), None)
            found = (origin(c.output[at], c) for c in inputs) if at is not None else iter(())
        case _:
            found = (origin(e, c) for c in plan.children if e.references <= c.output_set)
    return next((f for f in found if f is not None), None)


def scanned(plan: LogicalPlan) -> LogicalRelation | None:
    """The table under nothing but projections and filters that draw no random numbers, or None
    (Spark: PhysicalOperation): the part of a plan that a scan takes in.
    """
    below = _operation(plan)[2]
    return below if isinstance(below, LogicalRelation) else None


def operation(plan: LogicalPlan) -> tuple[tuple[Expression, ...], list[Expression], LogicalPlan]:
    """What a scan of the lowest operator gives, under which conditions, and that operator: projections and filters that
    draw no random numbers put together, all over the operator's own columns (Spark: PhysicalOperation).
    """
    items, conditions, below = _operation(plan)
    return (below.output if items is None else items), conditions, below


def _operation(plan: LogicalPlan) -> tuple[tuple[Expression, ...] | None, list[Expression], LogicalPlan]:
    if not isinstance(plan, Project | Filter) or not all(e.deterministic for e in plan.expressions):
        return None, [], plan
    items, conditions, below = _operation(plan.child)
    if isinstance(plan, Project):
        return (plan.projects if items is None else merged_projects(plan.projects, items)), conditions, below
    aliases = alias_map(items or ())
    return items, conditions + [inlined(c, aliases) for c in split_conjunction(plan.condition)], below


def partition_ids(relation: LogicalRelation) -> frozenset[int]:
    """The ids of the columns that a table is partitioned by."""
    names = {n.lower() for n in getattr(relation.table, "partition_columns", ())}
    return frozenset(id_of(a) for a in relation.attributes if a.name.lower() in names)


def within(f: Expression, columns: frozenset[int]) -> list[Expression]:
    """What a filter says about these columns alone, if anything (Spark: extractPredicatesWithinOutputSet)."""
    match f:
        case And(left, right):
            parts = [*within(left, columns), *within(right, columns)]
            return [And(*parts)] if len(parts) == 2 else parts
        case Or(left, right):
            either = [within(left, columns), within(right, columns)]
            return [Or(either[0][0], either[1][0])] if all(either) else []
    return [f] if f.references <= columns else []
