"""The rows of groups, projections and unions (Spark: AggregateEstimation, ProjectEstimation, UnionEstimation)."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import TYPE_CHECKING

from planviz.catalog.statistics import ColumnStatistics
from planviz.estimation import formulas
from planviz.estimation.model import Columns, Estimate, Part, counted, number, output_size, ranged
from planviz.evaluation import DEFAULT_EVALUATOR
from planviz.expressions.core import Alias, AttributeReference, Expression
from planviz.logical.plan import LogicalPlan
from planviz.types import BOOLEAN, DataType

if TYPE_CHECKING:
    from planviz.logical.operators import Project


def aggregate_estimate(
    grouping: tuple[Expression, ...],
    items: tuple[Expression, ...],
    output: tuple[AttributeReference, ...],
    child: Estimate,
    constants: bool = True,
) -> Estimate | None:
    """The estimate of groups; None where rows or the distinct values of a key are unknown.

    `constants`: a constant's statistics are told, too (since Spark 3.4).
    """
    if child.rows is None:
        return None
    parts = []
    for key in grouping:
        stats = child.columns.get(key.expr_id) if isinstance(key, AttributeReference) else None
        if stats is None or stats.distinct_count is None or not counted(stats):
            return None
        null = 1 if stats.null_count else 0
        given = (("distinct values", stats.distinct_count), ("null", null))
        parts.append(Part(key, stats.distinct_count + null, formulas.KEY_GROUPS, given))
    groups = prod(int(p.value or 0) for p in parts)
    rows = min(groups, child.rows) if grouping else 1
    columns = _of_output(items, output, child, rows, constants)
    rule = formulas.GROUPS if grouping else formulas.NO_KEYS
    size = output_size(output, rows, columns)
    return Estimate(size, rows, columns, rule, (child,), tuple(parts), (("product of the keys", groups),))


def project_estimate(plan: Project, child: Estimate, constants: bool = True) -> Estimate | None:
    """The estimate of a projection: the rows of its child, with the columns that it keeps or renames.

    `constants`: a constant's statistics are told, too (since Spark 3.4).
    """
    if child.rows is None:
        return None
    columns = _of_output(plan.projects, plan.output, child, child.rows, constants)
    return Estimate(output_size(plan.output, child.rows, columns), child.rows, columns, formulas.PROJECT, (child,))


def _of_output(
    items: Iterable[Expression], output: Iterable[AttributeReference], child: Estimate, rows: int, constants: bool
) -> Columns:
    known = dict(child.columns)
    for i in items:
        if not isinstance(i, Alias):
            continue
        inner = i.child
        if isinstance(inner, AttributeReference):
            if inner.expr_id in child.columns:
                known[i.expr_id] = child.columns[inner.expr_id]
        elif constants and inner.foldable and inner.deterministic:
            known[i.expr_id] = _constant(inner, rows)
    return {a.expr_id: known[a.expr_id] for a in output if a.expr_id in known}


def _constant(e: Expression, rows: int) -> ColumnStatistics:
    literal = DEFAULT_EVALUATOR.value_of(e)
    size = e.data_type.default_size
    if literal is not None and literal.value is None:
        return ColumnStatistics(0, None, None, rows, size, size)
    value = None if literal is None else number(literal.value, e.data_type)
    return ColumnStatistics(1, value, value, 0, size, size)


def union_estimate(plan: LogicalPlan, inputs: tuple[Estimate, ...], distinct: bool = True) -> Estimate:
    """The estimate of a union: sums; a column's range covers all inputs, distinct values are those of the largest.

    `distinct`: whether distinct values are told at all, which Spark does since 4.2.
    """
    counts = [i.rows for i in inputs if i.rows is not None]
    rows = sum(counts) if len(counts) == len(inputs) else None
    columns: dict[int, ColumnStatistics] = {}
    for at, a in enumerate(plan.output):
        known = [e.columns.get(c.output[at].expr_id) for e, c in zip(inputs, plan.children, strict=True)]
        given = [s for s in known if s is not None]
        merged = _merged(given, a.data_type, rows, distinct) if len(given) == len(known) else None
        if merged is not None:
            columns[a.expr_id] = merged
    return Estimate(sum(i.size for i in inputs), rows, columns, formulas.UNION, inputs)


def _merged(
    given: list[ColumnStatistics], data_type: DataType, rows: int | None, told: bool
) -> ColumnStatistics | None:
    with_range = data_type != BOOLEAN and all(map(ranged, given))
    nulls = [s.null_count for s in given if s.null_count is not None]
    distinct = [s.distinct_count for s in given if s.distinct_count is not None]
    most = max(distinct) if told and len(distinct) == len(given) else None
    found = ColumnStatistics(
        most if most is None or rows is None else min(most, rows),
        min(s.min for s in given) if with_range else None,
        max(s.max for s in given) if with_range else None,
        sum(nulls) if len(nulls) == len(given) else None,
    )
    return None if found == ColumnStatistics() else found
