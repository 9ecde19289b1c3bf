"""Scans of caches (Spark: InMemoryScans)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.config import OptimizerConfig
from planviz.expressions.core import AttributeReference
from planviz.expressions.predicates import conjunction
from planviz.logical.cached import InMemoryRelation
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.scan_operation import ALWAYS_INLINE, scan_operation
from planviz.physical.in_memory import InMemoryTableScanExec
from planviz.physical.operators import FilterExec, ProjectExec

if TYPE_CHECKING:
    from planviz.physical.plan import SparkPlan

_VECTORIZED = "spark.sql.inMemoryColumnarStorage.enableVectorizedReader"


def in_memory_scan(plan: LogicalPlan, config: OptimizerConfig) -> SparkPlan | None:
    """The operators for projections and filters right above a cache, or None for another plan.

    Every filter is evaluated once more above the scan, which only skips whole batches by it
    (Spark: pruneFilterProject).
    """
    if not plan.bits & InMemoryRelation.BIT:
        return None
    found = scan_operation(plan, config.flag(ALWAYS_INLINE), InMemoryRelation)
    if found is None:
        return None
    projects, filters, relation = found.projects, [f for group in found.filters for f in group], found.relation
    if len(found.filters) > 1 and not all(f.deterministic for f in filters):
        return None
    by_id = {a.expr_id: a for a in relation.output}
    given = frozenset[int]().union(*[e.references for e in projects])
    asked = frozenset[int]().union(*[f.references for f in filters])
    plain = tuple([e for e in projects if isinstance(e, AttributeReference)])
    if len(plain) == len(projects) and asked <= given:
        columns = plain
    else:
        columns = tuple(sorted((by_id[i] for i in given | asked), key=lambda a: (a.name, a.expr_id)))
    both = config.behaviour.caches_give_rows
    made: SparkPlan = InMemoryTableScanExec(columns, tuple(filters), relation, config.flag(_VECTORIZED), both)
    if filters:
        made = FilterExec(conjunction(filters), made)
    return made if columns == tuple(projects) else ProjectExec(tuple(projects), made)
