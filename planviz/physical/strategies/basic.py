"""Operators that become one operator each (Spark: BasicOperators, Window, WindowGroupLimit)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.expressions.core import Alias, Expression, Literal, SortOrder
from planviz.logical.combining import CTERelationDef, Union, UnionLoop, WithCTE
from planviz.logical.commands import CommandResult
from planviz.logical.objects import (
    AppendColumns,
    AppendColumnsWithObject,
    DeserializeToObject,
    MapElements,
    MapGroups,
    MapPartitions,
    SerializeFromObject,
    TypedFilter,
)
from planviz.logical.operators import (
    CollectMetrics,
    Expand,
    ExpandInLists,
    Filter,
    Generate,
    GlobalLimit,
    LocalLimit,
    Offset,
    Project,
    RebalancePartitions,
    Repartition,
    RepartitionByExpression,
    Sample,
    Sort,
    Window,
    WindowGroupLimit,
)
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import CTERelationRef, LocalRelation, LogicalRDD, OneRowRelation, Range
from planviz.logical.scripts import ScriptTransformation
from planviz.logical.writes import InsertIntoHadoopFsRelationCommand, NoopWrite, RunnableCommand, WriteFiles
from planviz.physical import objects, sources
from planviz.physical import operators as o
from planviz.physical.distribution import (
    HashPartitioning,
    Partitioning,
    RangePartitioning,
    RoundRobinPartitioning,
    SinglePartition,
)
from planviz.physical.exchanges import REPARTITION_BY_NUM
from planviz.physical.printed import PrintedExec
from planviz.physical.strategies import python
from planviz.physical.strategies.context import PlanningContext
from planviz.physical.writes import DataWritingCommandExec, ExecutedCommandExec, WriteFilesExec

if TYPE_CHECKING:
    from planviz.physical.plan import SparkPlan

_ANYHOW = "REBALANCE_PARTITIONS_BY_NONE"
_ADAPTIVE = "spark.sql.adaptive.enabled"
_UNION_CHILDREN = "spark.sql.codegen.wholeStage.union.maxChildren"
_UNION_CODE = "spark.sql.codegen.wholeStage.union.enabled"
_UNION_SPREAD = "spark.sql.unionOutputPartitioning"


def basic(plan: LogicalPlan, context: PlanningContext) -> SparkPlan | None:
    """The operator for a logical one, or None where there is none."""
    below = context.plan
    match plan:
        case Project(projects, child):
            return context.operator(o.ProjectExec)(projects, below(child))
        case Filter(condition, child):
            return o.FilterExec(condition, below(child))
        case Sort(order, whole, child):
            return o.SortExec(order, whole, below(child))
        case Window() if python.in_python(plan):
            return python.window(plan, context)
        case Window(functions, partition, order, child):
            return o.WindowExec(functions, partition, order, below(child))
        case WindowGroupLimit(partition, order, rank, limit, child):
            partial = o.WindowGroupLimitExec(partition, order, rank, limit, "Partial", below(child))
            return o.WindowGroupLimitExec(partition, order, rank, limit, "Final", partial)
        case Expand(projections, columns, child):
            expand = context.operator(o.ExpandExec)(projections, columns, below(child))
            return expand.replace(word=plan.word) if isinstance(plan, ExpandInLists) else expand
        case Generate():
            kept = tuple(a for i, a in enumerate(plan.child.output) if i not in plan.needless)
            return context.operator(o.GenerateExec)(
                plan.generator, kept, plan.outer, plan.generator_output, below(plan.child)
            )
        case CollectMetrics(name, metrics, _, child):
            return o.CollectMetricsExec(name, metrics, below(child))
        case Sample():
            return o.SampleExec(plan.lower, plan.upper, plan.with_replacement, plan.seed, below(plan.child))
        case Union(inputs):
            few = len(inputs) <= context.config.number(_UNION_CHILDREN)
            code, spread = few and context.config.flag(_UNION_CODE), context.config.flag(_UNION_SPREAD)
            return context.operator(o.UnionExec)(tuple(map(below, inputs)), plan.output, code, spread)
        case LocalRelation(columns, rows):
            return sources.LocalTableScanExec(columns, rows)
        case CommandResult(columns, operator, command, executed):
            return sources.CommandResultExec(columns, sources.CommandTextExec(operator, (command,) * executed))
        case OneRowRelation():
            return sources.OneRowRelationExec()
        case LogicalRDD(columns, rdd):
            return sources.RDDScanExec(columns, rdd)
        case UnionLoop():
            return sources.UnionLoopExec(plan.id, plan.left, plan.right, plan.output, plan.limit, plan.depth)
        case ScriptTransformation():
            return o.ScriptTransformationExec(plan, below(plan.child))
        case InsertIntoHadoopFsRelationCommand():
            return DataWritingCommandExec(plan, below(plan.child))
        case NoopWrite(name, child):
            return PrintedExec(f"{name} {context.config.behaviour.noop_write}", (below(child),), ())
        case WriteFiles(child):
            return WriteFilesExec(below(child))
        case RunnableCommand():
            return ExecutedCommandExec(plan)
        case Range(start, end, step, slices, column, _):
            return sources.RangeExec(start, end, step, slices or context.config.parallelism, (column,))
    return (
        _of_objects(plan, context)
        or _limit(plan, context)
        or _moved(plan, context)
        or _cte(plan, context)
        or python.evaluation(plan, context)
    )


def _of_objects(plan: LogicalPlan, context: PlanningContext) -> SparkPlan | None:
    below = context.plan
    match plan:
        case DeserializeToObject(deserializer, obj, child):
            return objects.DeserializeToObjectExec(deserializer, obj, below(child))
        case SerializeFromObject(serializer, child):
            return objects.SerializeFromObjectExec(serializer, below(child))
        case MapElements():
            return objects.MapElementsExec(plan.function, plan.obj, below(plan.child))
        case MapPartitions(function, obj, child):
            return objects.MapPartitionsExec(function, obj, below(child))
        case TypedFilter():
            return o.FilterExec(plan.condition, below(plan.child))
        case AppendColumns():
            return objects.AppendColumnsExec(plan.function, plan.deserializer, plan.serializer, below(plan.child))
        case AppendColumnsWithObject(function, kept, new, child):
            return objects.AppendColumnsWithObjectExec(function, kept, new, below(child))
        case MapGroups():
            deserializers = (plan.key_deserializer, plan.value_deserializer)
            return objects.MapGroupsExec(
                plan.function, *deserializers, plan.grouping, plan.data, plan.obj, below(plan.child)
            )
    return None


def _limit(plan: LogicalPlan, context: PlanningContext) -> SparkPlan | None:
    match plan:
        case LocalLimit(Literal(int() as n, _), child):
            return o.LocalLimitExec(n, context.plan(child))
        case GlobalLimit(Literal(int() as n, _), Offset(Literal(int() as offset, _), child)):
            # The rows that the offset skips are counted with the limit.
            return context.operator(o.GlobalLimitExec)(n + offset, context.plan(child), offset)
        case Offset(Literal(int() as offset, _), GlobalLimit(Literal(int() as n, _), child)):
            # In the middle of a plan the limit of each partition stays (Spark: LimitAndOffset).
            return context.operator(o.GlobalLimitExec)(n, context.plan(child), offset)
        case Offset(Literal(int() as offset, _), child):
            return context.operator(o.GlobalLimitExec)(-1, context.plan(child), offset)
        case GlobalLimit(Literal(int() as n, _), child):
            return context.operator(o.GlobalLimitExec)(n, context.plan(child), 0)
    return None


def _moved(plan: LogicalPlan, context: PlanningContext) -> SparkPlan | None:
    match plan:
        case Repartition(number, False, child):
            return o.CoalesceExec(number, context.plan(child))
        case Repartition(number, _, child):
            return _exchange(_spread((), number), child, REPARTITION_BY_NUM, context)
        case RepartitionByExpression((), child, None):
            return _exchange(_spread((), context.partitions), child, _ANYHOW, context)
        case RepartitionByExpression(keys, child, number):
            origin = "REPARTITION_BY_COL" if number is None else REPARTITION_BY_NUM
            return _exchange(_spread(keys, number or context.partitions), child, origin, context)
        case RebalancePartitions(_, child) if not context.config.get(_ADAPTIVE):
            return context.plan(child)
        case RebalancePartitions(keys, child, number):
            origin = "REBALANCE_PARTITIONS_BY_COL" if keys else _ANYHOW
            return _exchange(_spread(keys, number or context.partitions), child, origin, context)
    return None


def _exchange(p: Partitioning, child: LogicalPlan, origin: str, context: PlanningContext) -> SparkPlan:
    return context.shuffle(p, context.plan(child), origin)


def _spread(keys: tuple[Expression, ...], number: int) -> Partitioning:
    if number == 1:
        return SinglePartition()
    order = tuple([k for k in keys if isinstance(k, SortOrder)])
    if keys and len(order) == len(keys):
        return RangePartitioning(number, order)
    return HashPartitioning(number, keys) if keys else RoundRobinPartitioning(number)


def _cte(plan: LogicalPlan, context: PlanningContext) -> SparkPlan | None:
    match plan:
        case WithCTE(definitions, query):
            context.definitions |= {d.id: d for d in definitions if isinstance(d, CTERelationDef)}
            return context.plan(query)
        case CTERelationRef() if plan.id in context.definitions:
            child = context.definitions[plan.id].child
            pairs = zip(child.output, plan.output, strict=True)
            projects = tuple(Alias(a, b.name, b.expr_id) if a.expr_id != b.expr_id else a for a, b in pairs)
            same = [a.expr_id for a in child.output] == [a.expr_id for a in plan.output]
            read = child if same else Project(projects, child)
            return _exchange(RoundRobinPartitioning(context.partitions), read, _ANYHOW, context)
    return None
