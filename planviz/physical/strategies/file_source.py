"""Scans of files with what can be read less of them (Spark: FileSourceStrategy)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planviz.config import OptimizerConfig
from planviz.expressions.calls import FunctionCall
from planviz.expressions.complex import CreateNamedStruct, GetStructField
from planviz.expressions.core import Alias, AttributeReference, Expression, lit
from planviz.expressions.objects import KnownNotNull
from planviz.expressions.predicates import conjunction
from planviz.expressions.subqueries import ScalarSubquery, SubqueryExpression
from planviz.logical.file_metadata import COUNTED, NAME, ROW_INDEX, field_columns, is_metadata
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LogicalRelation
from planviz.optimizer.lineage import partition_ids, within
from planviz.optimizer.nested_fields import read_types
from planviz.optimizer.rules.schema_pruning import NESTED_SCHEMAS, prunes_fields
from planviz.optimizer.scan_operation import ALWAYS_INLINE, scan_operation
from planviz.physical.codegen import fields_in
from planviz.physical.distribution import qualifiers_of
from planviz.physical.operators import FilterExec, ProjectExec
from planviz.physical.scans import FileSourceScanExec
from planviz.physical.strategies.context import PlanningContext
from planviz.types import ArrayType, DataType, MapType, StructType, is_collated
from planviz.types.collations import COLLATED

if TYPE_CHECKING:
    from planviz.physical.plan import SparkPlan

_BUCKETING = "spark.sql.sources.bucketing.enabled"
_IN_ORDER = "spark.sql.legacy.bucketedTableScan.outputOrdering"


def scan_of(plan: LogicalPlan, context: PlanningContext) -> SparkPlan | None:
    """The operators for projections and filters right above a table, or None for another plan."""
    config = context.config
    found = scan_operation(plan, config.flag(ALWAYS_INLINE), LogicalRelation)
    if found is None:
        return None
    relation = found.relation
    filters, above = found.split_filters
    by_partition = partition_ids(relation)
    usable = _over_table([f for f in filters if f.deterministic], relation)
    # A filter of both may say something about either alone: before 3.1 nobody asked.
    parted = [f for f in usable if config.behaviour.filters_are_taken_apart or _of_either(f, by_partition)]
    on_partitions = _distinct([p for f in parted for p in within(f, by_partition)]) if by_partition else []
    on_data = [p for f in parted for p in _data_filter(f, by_partition) if not (COLLATED and _reads_collated(p))]
    done = {f.canonicalized for f in on_partitions if f.references}
    after = _distinct([f for f in filters if f.canonicalized not in done])
    needed = frozenset[int]().union(*[e.references for e in (*found.projects, *after, *[f for g in above for f in g])])
    origin = next((a for a in relation.output if is_metadata(a)), None)
    read = [a for a in relation.output if a.expr_id in needed and a.expr_id not in by_partition and a != origin]
    read += [a for a in relation.output if a.expr_id in by_partition]
    whole = not config.get(NESTED_SCHEMAS) or not prunes_fields(relation)
    reading = (*found.projects, *filters, *[f for g in above for f in g])
    narrowed = () if whole else read_types(read, reading, config.behaviour.transforms_prune_fields)
    given: tuple[Expression, ...] = tuple(read)
    if origin is not None and origin.expr_id in needed:
        fields = field_columns(origin, (read_types((origin,), reading) or (origin.type,))[0])
        on_data = [_over_fields(f, origin, fields) for f in on_data]
        given = (*read, _put_together(origin, fields))
        read, narrowed = _with_fields(read, narrowed, fields, by_partition)
    off = "" if config.get(_BUCKETING) else "disabled by configuration"
    known = config.behaviour
    if not known.scans_take_subqueries:
        on_data = [f for f in on_data if not f.bits & SubqueryExpression.BIT]
    scan = context.operator(FileSourceScanExec)
    made: SparkPlan = scan.of(relation, tuple(read), narrowed, tuple(on_partitions), tuple(on_data), off)
    if config.get(_IN_ORDER):
        made = made.replace(in_order=True)
    if not _in_batches(relation.provider.lower(), narrowed or tuple([a.type for a in read]), config):
        made = made.replace(row_by_row=True)
    if not known.scans_tell_buckets:
        made = made.replace(tells_buckets=False)
    if given != tuple(read):
        made = context.operator(ProjectExec)(given, made)
    for group in ([after] if after else []) + [list(g) for g in above]:
        made = FilterExec(conjunction(group), made)
    whole_row = tuple(made.output)
    if found.projects == whole_row and (not known.projections_mind_qualifiers or _all_same(found.projects, whole_row)):
        return made
    return context.operator(ProjectExec)(found.projects, made)


def _put_together(column: AttributeReference, fields: Sequence[AttributeReference]) -> Alias:
    """`_metadata` made of the scan's columns."""
    named = [p for a in fields for p in (lit(ROW_INDEX if a.name == COUNTED else a.name), _shown(a))]
    return Alias(KnownNotNull(CreateNamedStruct(tuple(named))), NAME, column.expr_id, column.qualifier)


def _shown(a: AttributeReference) -> AttributeReference:
    return a.replace(name=ROW_INDEX) if a.name == COUNTED else a


def _over_fields(f: Expression, column: AttributeReference, fields: Sequence[AttributeReference]) -> Expression:
    """A filter with the scan's columns in place of the fields of `_metadata`."""
    by_name = {ROW_INDEX if a.name == COUNTED else a.name: a for a in fields}
    whole = column.type.fields if isinstance(column.type, StructType) else ()

    def field(x: Expression) -> Expression:
        if not isinstance(x, GetStructField) or not isinstance(x.child, AttributeReference):
            return x
        return by_name[whole[x.ordinal].name] if x.child.expr_id == column.expr_id else x

    return f.transform_up(field, GetStructField.BIT)


def _with_fields(
    read: list[AttributeReference],
    types: tuple[DataType, ...],
    fields: Sequence[AttributeReference],
    by_partition: frozenset[int],
) -> tuple[list[AttributeReference], tuple[DataType, ...]]:
    """What is read with the fields of `_metadata`: what is counted before the partitions' columns, constants behind."""
    at = next((i for i, a in enumerate(read) if a.expr_id in by_partition), len(read))
    counted, constant = [a for a in fields if a.name == COUNTED], [a for a in fields if a.name != COUNTED]
    narrowed = (*types[:at], *[a.type for a in counted], *types[at:], *[a.type for a in constant]) if types else ()
    return [*read[:at], *counted, *read[at:], *constant], narrowed


def _all_same(some: Sequence[Expression], others: Sequence[Expression]) -> bool:
    """Whether equal columns are equal in their qualifiers, too."""
    return all(qualifiers_of(a) == qualifiers_of(b) for a, b in zip(some, others, strict=True))


def _in_batches(provider: str, types: Sequence[DataType], config: OptimizerConfig) -> bool:
    """Whether the settings let the reader of a format give batches of columns (Spark: FileFormat.supportBatch)."""
    if provider in ("parquet", "orc"):
        if not config.get(f"spark.sql.{provider}.enableVectorizedReader"):
            return False
        nested = any(isinstance(t, ArrayType | MapType | StructType) for t in types)
        if nested and not config.get(f"spark.sql.{provider}.enableNestedColumnVectorizedReader"):
            return False
        if fields_in(types) > config.number("spark.sql.codegen.maxFields"):
            return False
    return config.flag("spark.sql.codegen.wholeStage")


def _over_table(filters: list[Expression], relation: LogicalRelation) -> list[Expression]:
    """The filters with the columns' names as the table writes them (Spark: DataSourceStrategy.normalizeExprs)."""
    names: dict[int, AttributeReference] = {a.expr_id: a for a in relation.output}

    def written(x: Expression) -> Expression:
        if not isinstance(x, AttributeReference):
            return x
        known = names.get(x.expr_id)
        return x if known is None or known.name == x.name else x.replace(name=known.name)

    return [f.transform_up(written, AttributeReference.BIT) for f in filters]


def _distinct(filters: Sequence[Expression]) -> list[Expression]:
    """The filters, those of equal meaning once."""
    return list({f.canonicalized: f for f in reversed(filters)}.values())[::-1]


def _of_either(f: Expression, by_partition: frozenset[int]) -> bool:
    """Whether a filter reads columns of partitions alone, or none of them."""
    return f.references <= by_partition or not f.references & by_partition


def _data_filter(f: Expression, by_partition: frozenset[int]) -> list[Expression]:
    """What the reader of the files may know of a filter."""
    if f.bits & SubqueryExpression.BIT and not _compares_values(f):
        return []
    if not f.references & by_partition:
        return [f]
    return within(f, f.references - by_partition)


def _reads_collated(f: Expression) -> bool:
    """Whether a filter reads text that files do not order and compare as its collation does."""
    return any(is_collated(e.data_type) for e in f.collect(AttributeReference))


def _compares_values(f: Expression) -> bool:
    """Whether the subqueries of a filter give single values, none of them a runtime bloom filter."""
    bloom = isinstance(f, FunctionCall) and f.name == "might_contain"
    return not bloom and all(isinstance(s, ScalarSubquery) for s in f.collect(SubqueryExpression))
