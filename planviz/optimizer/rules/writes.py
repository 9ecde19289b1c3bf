"""Rows that are written: sorted as folders and buckets want them."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.core import Alias, AttributeReference, Expression, SortOrder, id_of
from planviz.expressions.ids import next_id
from planviz.expressions.writes import BucketId, Empty2Null
from planviz.logical.operators import Filter, Limit, Offset, Project, Sort
from planviz.logical.plan import LogicalPlan
from planviz.logical.writes import InsertIntoHadoopFsRelationCommand, WriteFiles
from planviz.optimizer.context import OptimizerRule
from planviz.types import is_string

#: Whether the rule is on.
PLANNED_WRITE = "spark.sql.optimizer.plannedWrite.enabled"
#: How many files a task keeps open; with more than none, folders need no sorted rows.
_WRITERS = "spark.sql.maxConcurrentOutputFileWriters"


class V1Writes(OptimizerRule):
    """Sort what is written by the columns that tell the folder and by the bucket: a task has one file open at a time.

    Insert t PARTITIONED BY (d) over q  =>  Insert t over WriteFiles over Sort [d] over q

    Rows that are sorted that way already stay as they are. An empty text names no folder: it is written as null. The
    columns of which all rows have the same value, as of PARTITION (d = 'x'), are not sorted by.
    """

    matches = (InsertIntoHadoopFsRelationCommand,)
    settings = (PLANNED_WRITE, _WRITERS)
    package = "org.apache.spark.sql.execution.datasources"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if not self.context.on(PLANNED_WRITE):
            return self.refuse(plan, "a setting switches it off", setting=PLANNED_WRITE)
        return plan.transform_up(self._one, self.mask)

    def _one(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, InsertIntoHadoopFsRelationCommand) or isinstance(plan.child, WriteFiles):
            return plan
        query = _with_nulls(plan)
        new = {old.expr_id: a for old, a in zip(plan.child.output, query.output, strict=True)}

        def now(keys: tuple[Expression, ...]) -> tuple[Expression, ...]:
            return tuple([new.get(k.expr_id, k) if isinstance(k, AttributeReference) else k for k in keys])

        folders, by, within = now(plan.partitions), now(plan.bucketed_by), now(plan.sorted_by)
        bucket = (BucketId(self.context.config.behaviour.bucket_hash, by, plan.buckets),) if by else ()
        wanted = [k for k in (*folders[len(plan.fixed) :], *bucket, *within) if not _is_constant(query, k)]
        many = self.context.config.number(_WRITERS) > 0 and not within
        if wanted and not many and not _begins_with(_order_of(query), wanted):
            query = Sort(tuple([SortOrder(k, "ASC", "NULLS FIRST") for k in wanted]), False, query)
        return plan.replace(partitions=folders, bucketed_by=by, sorted_by=within, child=WriteFiles(query))


def _with_nulls(plan: InsertIntoHadoopFsRelationCommand) -> LogicalPlan:
    """The query, empty texts in columns that tell the folder as nulls."""
    ids = {id_of(p) for p in plan.partitions if is_string(p.data_type) and p.nullable}
    if not ids:
        return plan.child
    items = [Alias(Empty2Null(a), a.name, next_id()) if a.expr_id in ids else a for a in plan.child.output]
    return Project(tuple(items), plan.child)


def _is_constant(query: LogicalPlan, key: Expression) -> bool:
    """Whether a key is the same for all rows."""
    if not isinstance(query, Project) or not isinstance(key, AttributeReference):
        return key.foldable
    return any(isinstance(e, Alias) and e.expr_id == key.expr_id and e.child.foldable for e in query.projects)


def _order_of(plan: LogicalPlan) -> list[Expression]:
    """What the rows of a partition are sorted by, under the names that the plan gives."""
    names: list[dict[int, AttributeReference]] = []
    while isinstance(plan, Project | Filter | Limit | Offset):
        if isinstance(plan, Project):
            renamed = [(i, _renamed(i)) for i in plan.projects if isinstance(i, Alias)]
            names.append({id_of(a): i.to_attribute() for i, a in renamed if a is not None})
        plan = plan.child
    order: list[Expression] = [o.child for o in plan.order] if isinstance(plan, Sort) else []
    for known in reversed(names):
        order = [known.get(e.expr_id, e) if isinstance(e, AttributeReference) else e for e in order]
    return order


def _renamed(item: Alias) -> AttributeReference | None:
    """The column that an item gives under another name, empty texts as nulls or not."""
    value = item.child.child if isinstance(item.child, Empty2Null) else item.child
    return value if isinstance(value, AttributeReference) else None


def _begins_with(order: list[Expression], wanted: list[Expression]) -> bool:
    pairs = zip(order, wanted, strict=False)
    return len(wanted) <= len(order) and all(a.canonicalized == b.canonicalized for a, b in pairs)
