"""Where a value comes from."""

from __future__ import annotations

from typing import Any

from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import Alias
from planviz.logical.combining import Union
from planviz.logical.operators import Aggregate, Filter, Project
from planviz.logical.plan import LeafNode
from planviz.logical.relations import LogicalRelation
from planviz.optimizer.attributes import alias_map, id_of, inlined


def origin(e: Any, plan: Any) -> tuple[Any, LeafNode] | None:
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
            plain = [i for i in items if isinstance(i, Alias) and not i.bits & AggregateExpression.BIT]
            return origin(inlined(e, alias_map(plain)), child)
        case LeafNode():
            return (e, plan) if e.references <= plan.output_set else None
        case Union(inputs):
            at = next((i for i, a in enumerate(plan.output) if a.semantic_equals(e)), None)
            found = (origin(c.output[at], c) for c in inputs) if at is not None else iter(())
        case _:
            found = (origin(e, c) for c in plan.children if e.references <= c.output_set)
    return next((f for f in found if f is not None), None)


def scanned(plan: Any) -> LogicalRelation | None:
    """The table under nothing but projections and filters that draw no random numbers, or None
    (Spark: PhysicalOperation): the part of a plan that a scan takes in.
    """
    while isinstance(plan, Project | Filter) and all(e.deterministic for e in plan.expressions):
        plan = plan.child
    return plan if isinstance(plan, LogicalRelation) else None


def partition_ids(relation: LogicalRelation) -> frozenset[int]:
    """The ids of the columns that a table is partitioned by."""
    names = {n.lower() for n in getattr(relation.table, "partition_columns", ())}
    return frozenset(id_of(a) for a in relation.attributes if a.name.lower() in names)
