"""Estimates of operators without children: each is what its source says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from planviz.catalog.statistics import ColumnStatistics
from planviz.catalog.tables import Table
from planviz.estimation import formulas
from planviz.estimation.filters import filter_estimate
from planviz.estimation.model import Columns, Estimate, number, output_size, row_size
from planviz.expressions.core import AttributeReference
from planviz.expressions.predicates import conjunction
from planviz.logical.cached import CachedPlan, InMemoryRelation
from planviz.logical.operators import Filter
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import CTERelationRef, LocalRelation, LogicalRelation, OneRowRelation, Range

#: What Spark takes for a table of unknown size (spark.sql.defaultSizeInBytes).
UNKNOWN_SIZE = (1 << 63) - 1
#: From here on a size comes of an unknown one, of which fewer columns are read: no table has so many bytes.
OF_UNKNOWN_SIZE = UNKNOWN_SIZE // 1024


def leaf_estimate(
    plan: LogicalPlan, with_rows: bool, of_partitions: bool = True, local: bool = True, renamed: bool = True
) -> Estimate:
    """The estimate of a leaf; `with_rows` says whether the catalogue's rows and columns count.

    `of_partitions`: they count where a filter chose among the table's partitions, too (since Spark 3.2).
    `local`: whether known rows are counted (since Spark 3.5). `renamed`: whether what is known of a cache's columns
    holds for those under which it is read; else only where they have the same ids.
    """
    match plan:
        case LogicalRelation() if plan.partition_filters:
            return _pruned(plan, with_rows and of_partitions)
        case LogicalRelation():
            return table_estimate(plan.table, plan.read_output, with_rows)
        case LocalRelation(columns, rows):
            count = len(rows)
            return Estimate(row_size(columns) * count, count if local else None, rule=formulas.LOCAL_ROWS)
        case OneRowRelation():
            return Estimate(1, rule=formulas.ONE_ROW)
        case Range():
            return _range(plan)
        case CTERelationRef(statistics=Estimate() as found):
            return replace(found, rule=formulas.DEFINITION, inputs=(found,), parts=(), given=())
        case InMemoryRelation(columns, CachedPlan(statistics=Estimate() as found) as cached):
            rule = formulas.CACHED_SIZE if found.rows is None else formulas.CACHED_ROWS
            known = _under(columns, cached, found.columns) if renamed else found.columns
            return replace(found, columns=known, rule=rule, inputs=(found,), parts=(), given=())
    return Estimate(UNKNOWN_SIZE, rule=formulas.UNKNOWN_TABLE)


def _under(columns: Iterable[AttributeReference], cached: CachedPlan, known: Columns) -> Columns:
    """What is known of a cache's columns, by the ids under which they are read."""
    pairs = zip(cached.plan.output, columns, strict=True)
    return {read.expr_id: known[kept.expr_id] for kept, read in pairs if kept.expr_id in known}


def table_estimate(table: Table | None, output: Iterable[AttributeReference], with_rows: bool) -> Estimate:
    """The estimate of a table of the catalogue: its size, or with rows the size that they should have."""
    if table is None:
        return Estimate(UNKNOWN_SIZE, rule=formulas.UNKNOWN_TABLE)
    if with_rows and table.row_count is not None:
        columns = _columns(table, output)
        size = output_size(output, table.row_count, columns)
        return Estimate(size, table.row_count, columns, formulas.TABLE_ROWS)
    if table.size_in_bytes is None:
        return Estimate(UNKNOWN_SIZE, rule=formulas.UNKNOWN_TABLE)
    return Estimate(int(table.size_in_bytes), rule=formulas.TABLE_SIZE)


def _pruned(plan: LogicalRelation, with_rows: bool) -> Estimate:
    """The estimate of a table's partitions: that of a filter that picks them.

    Spark adds up the sizes of their files, which no catalogue of ours has: bytes are taken in proportion to rows.
    """
    table = table_estimate(plan.table, plan.read_output, with_rows)
    counted = table_estimate(plan.table, plan.read_output, True)
    chosen = Filter(conjunction(list(plan.partition_filters)), plan.replace(partition_filters=()))
    found = filter_estimate(chosen, counted)
    if found is None or not counted.rows:
        return table
    if with_rows:
        rows = (("rows of the partitions", found.rows),)
        return replace(found, rule=formulas.PARTITION_ROWS, inputs=(), given=rows)
    given = (("bytes of the table", table.size), ("rows of the partitions", found.rows),
             ("rows of the table", counted.rows))  # fmt: skip
    size = -(-table.size * (found.rows or 0) // counted.rows)
    return Estimate(size, rule=formulas.PARTITION_SIZE, parts=found.parts, given=given)


def _columns(table: Table, output: Iterable[AttributeReference]) -> Columns:
    given = {name.lower(): stats for name, stats in table.column_stats}
    found: dict[int, ColumnStatistics] = {}
    for a in output:
        stats = given.get(a.name.lower())
        if stats is not None:
            low, high = number(stats.min, a.data_type), number(stats.max, a.data_type)
            found[a.expr_id] = replace(stats, min=low, max=high)
    return found


def _range(plan: Range) -> Estimate:
    rows = plan.max_rows if plan.max_rows is not None else 1
    if not rows:
        return Estimate(0, 0, rule=formulas.RANGE)
    last = plan.start + (rows - 1) * plan.step
    stats = ColumnStatistics(rows, min(plan.start, last), max(plan.start, last), 0, 8, 8)
    return Estimate(8 * rows, rows, {plan.column.expr_id: stats}, formulas.RANGE)
