"""What a command that writes files asks of the rows that it writes (Spark: V1Writes)."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.core import Alias, AttributeReference, Expression, SortOrder
from planviz.expressions.ids import next_id
from planviz.expressions.writes import BucketId, Empty2Null
from planviz.logical.operators import Filter, GlobalLimit, LocalLimit, Project, Sort
from planviz.logical.plan import LogicalPlan
from planviz.logical.writes import InsertIntoHadoopFsRelationCommand, WriteFiles
from planviz.optimizer.context import OptimizerRule
from planviz.types import is_string

#: The batch in which V1Writes runs, where there is something to write.
BATCH = "Early Filter and Projection Push-Down"
#: Operators that leave rows in the order in which they come.
_KEEP_ORDER = (Project, Filter, GlobalLimit, LocalLimit)


class V1Writes(OptimizerRule):
    """Sort rows that are written by the folders and buckets that they go to.

    Insert [day] over q  =>  Insert [day] over WriteFiles over Sort [day] over q

    Pays because a task then has one file open at a time. Rows in that order already are not sorted again:
    `df.sortWithinPartitions("day").write.partitionBy("day")`.
    """

    matches = (InsertIntoHadoopFsRelationCommand,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, InsertIntoHadoopFsRelationCommand) or isinstance(plan.child, WriteFiles):
            return plan
        known = self.context.config.behaviour
        query = plan.child
        texts = {p.expr_id for p in plan.partitions if isinstance(p, AttributeReference) and _may_be_empty(p)}
        if texts:
            query = Project(tuple(_named(a) if a.expr_id in texts else a for a in query.output), query)
        columns = {old.expr_id: new for old, new in zip(plan.child.output, query.output, strict=True)}

        def now(keys: tuple[Expression, ...]) -> tuple[Expression, ...]:
            return tuple(columns[k.expr_id] if isinstance(k, AttributeReference) else k for k in keys)

        partitions, by, order = now(plan.partitions), now(plan.bucketed_by), now(plan.sorted_by)
        bucket = (BucketId(known.bucket_hash, by, plan.buckets),) if by else ()
        required = tuple(k for k in (*partitions, *bucket, *order) if not _constant(query, k))
        if required and not _ordered(query, required):
            query = Sort(tuple(SortOrder(k, "ASC", "NULLS FIRST") for k in required), False, query)
        return plan.replace(child=WriteFiles(query), partitions=partitions, bucketed_by=by, sorted_by=order)


def _may_be_empty(column: Expression) -> bool:
    return is_string(column.data_type) and column.nullable


def _constant(query: LogicalPlan, key: Expression) -> bool:
    """Whether a key is the same for all rows, so that nothing has to be sorted by it."""
    if not isinstance(query, Project) or not isinstance(key, AttributeReference):
        return key.foldable
    made = next((e for e in query.projects if isinstance(e, Alias) and e.expr_id == key.expr_id), None)
    return made is not None and made.child.foldable


def _named(column: AttributeReference) -> Expression:
    return Alias(Empty2Null(column), column.name, next_id())


def _ordered(plan: LogicalPlan, required: tuple[Expression, ...]) -> bool:
    """Whether rows come in an order that begins with these keys, whatever its direction."""
    wanted = list(required)
    while isinstance(plan, _KEEP_ORDER):
        if isinstance(plan, Project):
            made = {e.expr_id: e.child for e in plan.projects if isinstance(e, Alias)}
            wanted = [made.get(k.expr_id, k) if isinstance(k, AttributeReference) else k for k in wanted]
            wanted = [k.child if isinstance(k, Empty2Null) else k for k in wanted]
        plan = plan.child
    if not isinstance(plan, Sort) or len(plan.order) < len(wanted):
        return False
    return all(
        isinstance(o, SortOrder) and o.child.canonicalized == k.canonicalized
        for o, k in zip(plan.order, wanted, strict=False)
    )
