"""Running once what several parts of a plan compute."""

from __future__ import annotations

import itertools
from typing import ClassVar

from typing_extensions import override

from planviz.expressions.complex import CreateNamedStruct, GetStructField
from planviz.expressions.core import Alias, AttributeReference, Expression, LeafExpression, Typed, alias, lit
from planviz.expressions.ids import next_id
from planviz.expressions.subqueries import ScalarSubquery
from planviz.logical.combining import CTERelationDef, WithCTE
from planviz.logical.operators import Aggregate, Project, Subquery
from planviz.logical.plan import LeafNode, LogicalPlan
from planviz.logical.relations import CTERelationRef, OneRowRelation
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.plan_merger import PlanMerger
from planviz.trees.node import Held, always, lazy, node
from planviz.types import DataType


@node
class ScalarSubqueryReference(Typed, LeafExpression):
    """Stands for a scalar subquery while plans are merged: the column at `ordinal` of plan `index` of a level."""

    level: int
    index: int
    ordinal: int
    type: DataType
    expr_id: int

    nullable = always(True)
    foldable = always(False)


@node
class NonGroupingAggregateReference(LeafNode):
    """Stands for an aggregate without keys while plans are merged."""

    level: int
    index: int
    ordinals: tuple[int, ...]
    columns: Held[tuple[AttributeReference, ...]]

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The aggregate's."""
        return self.columns


class MergeSubplans(OptimizerRule):
    """Compute plans that give one row and read the same rows together, once.

    Project(q1 > q2), q1 = (max of a in t), q2 = (min of a in t)
        =>  WithCTE(m: named_struct(max of a, min of a in t), Project(m.max > m.min))

    Pays because the rows are read once. Subqueries that are merely equal become the very same one, which is run once.
    Not inside a correlated subquery and not where plans draw random numbers: `(SELECT max(x) FROM (SELECT rand() x FROM
    t))` twice must give two values. A filter of one side only becomes a FILTER of its aggregates, and only without
    keys: `SELECT max(a) FROM t GROUP BY k` would otherwise get the groups that the other side reads.
    """

    matches: ClassVar[tuple[type, ...]] = (ScalarSubquery, Aggregate)
    settings: ClassVar[tuple[str, ...]] = (
        "spark.sql.execution.reuseSubquery",
        "spark.sql.optimizer.mergeSubplans.filterPropagation.enabled",
        "spark.sql.optimizer.mergeSubplans.filterPropagation.symmetricFilterPropagation.enabled",
        "spark.sql.optimizer.mergeSubplans.filterPropagation.throughJoin.enabled",
    )
    package = "org.apache.spark.sql.execution.planmerging"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Subquery) or plan.bits & (WithCTE.BIT | CTERelationRef.BIT):
            return plan
        if not self.context.on("spark.sql.execution.reuseSubquery"):
            return plan
        self._numbers = itertools.count()
        self._mergers: list[PlanMerger] = []
        with_references, _ = self._insert(plan, True)
        levels: list[list[LogicalPlan]] = []
        for merger in self._mergers:
            level = [(k, _without_references(k.plan, levels)) for k in merger.kept]
            levels.append([_definition(p) if k.merged else p for k, p in level])
        new = _without_references(with_references, levels)
        definitions = tuple(p for level in levels for p in level if isinstance(p, CTERelationDef))
        return WithCTE(definitions, new) if definitions else new

    def _insert(self, plan: LogicalPlan, root: bool) -> tuple[LogicalPlan, int]:
        """The plan with references in place of what may be merged, and its level: one more than what it refers to."""
        if not plan.bits & self.mask:
            return plan, 0
        level = 0

        def subquery(e: Expression) -> Expression:
            nonlocal level
            if not isinstance(e, ScalarSubquery) or e.correlated or not e.deterministic:
                return e
            inner, depth = self._insert(e.plan, True)
            index, positions = self._merger(depth).add(inner, True)
            level = max(level, depth + 1)
            ordinal = positions[inner.output[0].expr_id]
            return ScalarSubqueryReference(depth, index, ordinal, e.data_type, e.expr_id)

        plan = plan.transform_expressions_down(subquery, ScalarSubquery.BIT)
        below = [self._insert(c, False) for c in plan.children]
        level = max([level, *(depth for _, depth in below)])
        plan = plan.with_new_children(tuple(c for c, _ in below))
        if root or not isinstance(plan, Aggregate) or plan.grouping:
            return plan, level
        index, positions = self._merger(level).add(plan, False)
        ordinals = tuple(positions[a.expr_id] for a in plan.output)
        return NonGroupingAggregateReference(level, index, ordinals, plan.output), level + 1

    def _merger(self, level: int) -> PlanMerger:
        while len(self._mergers) <= level:
            self._mergers.append(PlanMerger(self.context.config, self._numbers))
        return self._mergers[level]


class MergeScalarSubqueries(MergeSubplans):
    """Compute scalar subqueries that read the same rows together, once (Spark 3.3 to 4.1; MergeSubplans since 4.2).

    Project(q1 > q2), q1 = (max of a in t), q2 = (min of a in t)
        =>  WithCTE(m: named_struct(max of a, min of a in t), Project(m.max > m.min))

    Pays because the rows are read once. Only subqueries are looked at, those of the plan's leaves first; one that is
    correlated stays: its rows differ for every row around it.
    """

    matches = (ScalarSubquery,)
    settings = ("spark.sql.execution.reuseSubquery",)
    package = "org.apache.spark.sql.catalyst.optimizer"

    def _insert(self, plan: LogicalPlan, root: bool) -> tuple[LogicalPlan, int]:
        if not plan.bits & self.mask:
            return plan, 0
        below = [self._insert(c, False) for c in plan.children]
        level = max([0, *(depth for _, depth in below)])
        plan = plan.with_new_children(tuple(c for c, _ in below))

        def subquery(e: Expression) -> Expression:
            nonlocal level
            if not isinstance(e, ScalarSubquery) or e.correlated or not e.deterministic:
                return e
            inner, depth = self._insert(e.plan, True)
            index, positions = self._merger(depth).add(inner, True)
            level = max(level, depth + 1)
            return ScalarSubqueryReference(depth, index, positions[inner.output[0].expr_id], e.data_type, e.expr_id)

        return plan.transform_expressions_up(subquery, ScalarSubquery.BIT), level


def _definition(plan: LogicalPlan) -> CTERelationDef:
    parts = tuple(part for a in plan.output for part in (lit(a.name), a))
    return CTERelationDef(Project((alias(CreateNamedStruct(parts), "mergedValue"),), plan), next_id(), False, True)


def _without_references(plan: LogicalPlan, levels: list[list[LogicalPlan]]) -> LogicalPlan:
    """The plan with its own or the merged plans in place of the references."""

    def expression(e: Expression) -> Expression:
        if not isinstance(e, ScalarSubqueryReference):
            return e
        target = levels[e.level][e.index]
        if isinstance(target, CTERelationDef):
            return _field(target, e.ordinal, e.expr_id)
        return ScalarSubquery(target, (), e.expr_id)

    def operator(p: LogicalPlan) -> LogicalPlan:
        if not isinstance(p, NonGroupingAggregateReference):
            return p.transform_expressions_up(expression, ScalarSubqueryReference.BIT)
        target = levels[p.level][p.index]
        if not isinstance(target, CTERelationDef):
            return target
        pairs = zip(p.ordinals, p.columns, strict=True)
        items = tuple(Alias(_field(target, i, next_id()), a.name, a.expr_id) for i, a in pairs)
        return Project(items, OneRowRelation())

    return plan.transform_up(operator, ScalarSubqueryReference.BIT | NonGroupingAggregateReference.BIT)


def _field(definition: CTERelationDef, ordinal: int, expr_id: int) -> GetStructField:
    ref = CTERelationRef(definition.id, True, definition.output)
    return GetStructField(ScalarSubquery(ref, (), expr_id), ordinal)
