"""Scans of files with what can be read less of them (Spark: FileSourceStrategy)."""

from __future__ import annotations

from typing import Any

from planviz.expressions.core import Alias, AttributeReference
from planviz.expressions.predicates import BinaryComparison, conjunction, split_conjunction
from planviz.expressions.subqueries import ScalarSubquery, SubqueryExpression
from planviz.logical.operators import Filter, Project
from planviz.logical.relations import LogicalRelation
from planviz.optimizer.attributes import substitute
from planviz.physical.operators import FilterExec, ProjectExec
from planviz.physical.scans import FileSourceScanExec
from planviz.trees.node import mask_of


def scan_of(plan: Any) -> Any:
    """The operators for projections and filters right above a table, or None for another plan."""
    found = _operation(plan)
    if found is None:
        return None
    projects, filters, relation = found
    table = relation.table
    partitions = tuple(getattr(table, "partition_columns", ()) or ())
    by_partition = {a.expr_id for a in relation.output if a.name.lower() in {p.lower() for p in partitions}}
    on_partitions = [f for f in filters if f.references and f.references <= by_partition]
    after = [f for f in filters if f not in on_partitions or f.bits & SubqueryExpression.BIT]
    data = [f for f in filters if f not in on_partitions and f.deterministic and _readable(f)]
    needed = frozenset[int]().union(*[e.references for e in (*projects, *after)])
    read = [a for a in relation.output if a.expr_id in needed and a.expr_id not in by_partition]
    read += [a for a in relation.output if a.expr_id in needed and a.expr_id in by_partition]
    made: Any = FileSourceScanExec(
        tuple(read), relation.output, relation.name, relation.provider, partitions, tuple(on_partitions), tuple(data)
    )
    if after:
        made = FilterExec(conjunction(after), made)
    same = [getattr(e, "expr_id", None) if isinstance(e, AttributeReference) else None for e in projects] == [
        a.expr_id for a in made.output
    ]
    return made if same else ProjectExec(tuple(projects), made)


def _readable(f: Any) -> bool:
    """Whether a reader may get the filter: without subqueries, or comparing with the value of one."""
    if not f.bits & mask_of(SubqueryExpression):
        return True
    if not isinstance(f, BinaryComparison):
        return False
    sides = (f.left, f.right)
    simple = all(isinstance(s, ScalarSubquery) or not s.bits & SubqueryExpression.BIT for s in sides)
    return simple and any(isinstance(s, AttributeReference) for s in sides)


def _operation(plan: Any) -> tuple[list[Any], list[Any], LogicalRelation] | None:
    """The columns, the filters and the table of a plan of projections and filters (Spark: ScanOperation)."""
    if isinstance(plan, LogicalRelation):
        return list(plan.output), [], plan
    if not isinstance(plan, Project | Filter):
        return None
    below = _operation(plan.child)
    if below is None:
        return None
    projects, filters, relation = below
    meanings = {p.expr_id: p.child for p in projects if isinstance(p, Alias)}
    if not all(m.deterministic for m in meanings.values()):
        return None
    if isinstance(plan, Filter):
        return projects, [*filters, *[substitute(c, meanings) for c in split_conjunction(plan.condition)]], relation
    inner: dict[int, Any] = {p.expr_id: p for p in projects}
    return [_over(p, inner, meanings) for p in plan.projects], filters, relation


def _over(e: Any, inner: dict[int, Any], meanings: dict[int, Any]) -> Any:
    """A projected expression over the columns of the table; an attribute keeps its alias beneath."""
    if isinstance(e, AttributeReference):
        return inner.get(e.expr_id, e)
    return substitute(e, meanings)
