"""Rows that are written: sorted as folders and buckets want them."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.arithmetic import Pmod
from planviz.expressions.calls import FunctionCall
from planviz.expressions.core import Alias, AttributeReference, Expression, SortOrder, id_of, lit
from planviz.expressions.ids import next_id
from planviz.expressions.internal import Empty2Null
from planviz.expressions.specs import FunctionSpec
from planviz.logical.operators import Filter, Limit, Offset, Project, Sort
from planviz.logical.plan import LogicalPlan
from planviz.logical.writes import InsertIntoHadoopFsRelationCommand, WriteFiles
from planviz.optimizer.context import OptimizerRule
from planviz.types import INT, is_string

#: Whether the rule is on.
PLANNED_WRITE = "spark.sql.optimizer.plannedWrite.enabled"
#: How many files a task keeps open; with more than none, folders need no sorted rows.
_WRITERS = "spark.sql.maxConcurrentOutputFileWriters"
_HASH = FunctionSpec("hash", (), lambda _: INT, False)


class V1Writes(OptimizerRule):
    """Sort what is written by the columns that tell the folder and by the bucket: a task has one file open at a time.

    Insert t PARTITIONED BY (d) over q  =>  Insert t over WriteFiles over Sort [d] over q

    Rows that are sorted that way already stay as they are. An empty text names no folder: it is written as null. The
    columns of which all rows have the same value (PARTITION (d = 'x')) are not sorted by.
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
        by = tuple([new[a.expr_id] for a in plan.partition_columns])
        order = self._order(plan, by, query)
        if order and not _begins_with(_order_of(query), order):
            query = Sort(tuple([SortOrder(e, "ASC", "NULLS FIRST") for e in order]), False, query)
        return plan.replace(partition_columns=by, child=WriteFiles(query))

    def _order(
        self, plan: InsertIntoHadoopFsRelationCommand, by: tuple[AttributeReference, ...], query: LogicalPlan
    ) -> list[Expression]:
        """What the files want sorted rows by: folders, then buckets, then what is sorted within a bucket."""
        target = plan.target
        column = {a.name.lower(): a for a in query.output}
        folders: list[Expression] = list(by[len(target.static) :])
        if target.buckets is None:
            return [] if self.context.config.number(_WRITERS) > 0 else folders
        within = [column[name.lower()] for name in target.buckets.sorted_by]
        if self.context.config.number(_WRITERS) > 0 and not within:
            return []
        word = "collation_aware_hash" if self.context.config.behaviour.buckets_hash_by_collation else "hash"
        keys = tuple([column[name.lower()] for name in target.buckets.columns])
        hashed = FunctionCall(word, keys, _HASH, ("42",))
        return [*folders, Pmod(hashed, lit(target.buckets.number)), *within]


def _with_nulls(plan: InsertIntoHadoopFsRelationCommand) -> LogicalPlan:
    """The query, empty texts in columns that tell the folder as nulls."""
    ids = {a.expr_id for a in plan.partition_columns if is_string(a.type) and a.nullable}
    if not ids:
        return plan.child
    items = [
        Alias(Empty2Null(a), a.name, next_id()) if a.expr_id in ids else a for a in plan.child.output
    ]  # fmt: skip
    return Project(tuple(items), plan.child)


def _order_of(plan: LogicalPlan) -> list[Expression]:
    """What the rows of a partition are sorted by, under the names that the plan gives."""
    names: list[dict[int, AttributeReference]] = []
    while isinstance(plan, Project | Filter | Limit | Offset):
        if isinstance(plan, Project):
            renamed = [i for i in plan.projects if isinstance(i, Alias) and isinstance(i.child, AttributeReference)]
            names.append({id_of(i.child): i.to_attribute() for i in renamed})
        plan = plan.child
    order: list[Expression] = [o.child for o in plan.order] if isinstance(plan, Sort) else []
    for known in reversed(names):
        order = [known.get(e.expr_id, e) if isinstance(e, AttributeReference) else e for e in order]
    return order


def _begins_with(order: list[Expression], wanted: list[Expression]) -> bool:
    pairs = zip(order, wanted, strict=False)
    return len(wanted) <= len(order) and all(a.canonicalized == b.canonicalized for a, b in pairs)
