"""Rows known while planning, and plans without rows."""

from __future__ import annotations

from typing_extensions import override

from planviz.evaluation import Evaluator, FailsError, UnknownValueError, holds, place_of
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal
from planviz.expressions.objects import ScalaUDF
from planviz.expressions.python import PythonFuncExpression
from planviz.expressions.subqueries import SubqueryExpression
from planviz.frontend.errors import analysis_error
from planviz.logical.combining import Join, Union
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Expand,
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
)
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation, UntoldRows, UntoldValue
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.rules.boolean import FALSE, is_false, is_null
from planviz.trees.node import mask_of
from planviz.types import NULL


class ConvertToLocalRelation(OptimizerRule):
    """Compute projections, filters and limits over known rows while planning.

    Project [x + 1] over LocalRelation [1, 2]  =>  LocalRelation [2, 3]

    Pays because no job is needed. A subquery is left to the query: its rows are not known while planning.
    """

    matches = (LocalRelation,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._step, LocalRelation.BIT, self.settled)

    def _step(self, plan: LogicalPlan) -> LogicalPlan:
        evaluator = self.context.evaluator
        try:
            match plan:
                case Project(items, LocalRelation()) if not all(map(_evaluable, items)):
                    stuck = tuple(i for i in items if not _evaluable(i))
                    return self.refuse(plan, "the expressions aggregate or hold a subquery", stuck)
                case Filter(condition, LocalRelation()) if not _evaluable(condition):
                    return self.refuse(plan, "the condition holds a subquery", condition)
                case Project(items, LocalRelation(_, UntoldRows())):
                    return LocalRelation(tuple(i.to_attribute() for i in items), UntoldRows.over(len(items)))
                case Filter(_, LocalRelation(_, UntoldRows()) as relation) | LocalLimit(
                    _, LocalRelation(_, UntoldRows()) as relation
                ):
                    return relation
                case Project(items, LocalRelation(columns, rows)):
                    new = tuple(tuple(_cell(i, columns, r, evaluator) for i in items) for r in rows)
                    return LocalRelation(tuple(i.to_attribute() for i in items), new)
                case Filter(condition, LocalRelation(columns, rows)):
                    truth = [evaluator.row_value(condition, _row(condition, columns, r, evaluator)) for r in rows]
                    return LocalRelation(columns, tuple(r for r, true in zip(rows, truth, strict=True) if true is True))
                case LocalLimit(Literal(int() as n, _), LocalRelation(columns, rows)):
                    return LocalRelation(columns, rows[:n])
        except FailsError as e:
            if e.error_class:
                failing = next((x for x in plan.expressions if holds(x, e)), None)
                at = plan if failing is None else place_of(failing, e)
                raise analysis_error(e.error_class, f"Computing the rows of VALUES fails: {e}.", at) from None
            return self.refuse(plan, "a value cannot be computed while planning", str(e) or None)
        except UnknownValueError as e:
            if isinstance(plan, Filter):
                # Spark knows which rows they are.
                return LocalRelation(plan.output, UntoldRows.over(len(plan.output)))
            return self.refuse(plan, "a value cannot be computed while planning", str(e) or None)
        return plan


def _cell(
    item: Expression, columns: tuple[AttributeReference, ...], row: tuple[object, ...], evaluator: Evaluator
) -> object:
    """The value of an item; what Spark lets a function of the JVM compute stays an expression of constants here."""
    if not item.bits & ScalaUDF.BIT:
        try:
            return evaluator.row_value(item, _row(item, columns, row, evaluator))
        except FailsError:
            raise
        except UnknownValueError:
            return UntoldValue(item.data_type)
    cells = zip(columns, row, strict=True)
    known = {a.expr_id: v if isinstance(v, Expression) else Literal(v, a.data_type) for a, v in cells}
    e = item.child if isinstance(item, Alias) else item
    return e.transform_up(lambda x: known.get(x.expr_id, x) if isinstance(x, AttributeReference) else x)


def _row(
    read: Expression, columns: tuple[AttributeReference, ...], row: tuple[object, ...], evaluator: Evaluator
) -> dict[int, object]:
    """The values of the columns that an expression reads, by their ids."""
    cells = [(a.expr_id, v) for a, v in zip(columns, row, strict=True) if a.expr_id in read.references]
    return {i: evaluator.row_value(v, {}) if isinstance(v, Expression) else v for i, v in cells}


#: What has no value before the query runs.
_NEVER = mask_of(SubqueryExpression, AggregateExpression, PythonFuncExpression)


def _evaluable(e: Expression) -> bool:
    return not e.bits & _NEVER


def is_empty(plan: LogicalPlan) -> bool:
    """Whether the plan is a relation without rows."""
    return isinstance(plan, LocalRelation) and not plan.rows


def _nulls(columns: tuple[AttributeReference, ...], cast: bool) -> list[Expression]:
    """Null for each column, under its name and id; `cast`: from a null without a type."""

    def null(a: AttributeReference) -> Expression:
        return Cast(Literal(None, NULL), a.data_type) if cast else Literal(None, a.data_type)

    return [Alias(null(a), a.name, a.expr_id) for a in columns]


_REPARTITIONS = (Repartition, RepartitionByExpression, RebalancePartitions)


class PropagateEmptyRelation(OptimizerRule):
    """No rows in, no rows out, as far as the operator is of that kind.

    Join(<empty>, r, Inner)  =>  <empty>        Join(l, <empty>, LeftOuter)  =>  Project [l.*, null ...] over l

    Pays because nothing has to be read. An aggregate without keys gives one row for no rows: `SELECT count(*) FROM
    (SELECT * FROM t LIMIT 0)` is 0, not nothing.
    """

    matches = (LocalRelation, Join)
    order = "up"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if self.context.config.behaviour.root_repartitions_stay:
            top = plan
            while isinstance(top, Project | Filter):
                top = top.child
            if isinstance(top, _REPARTITIONS):
                return self._below_root(plan)
        return plan.transform_up(self._step, self.mask, self.settled)

    def _below_root(self, plan: LogicalPlan) -> LogicalPlan:
        """The plan with everything below the repartitioning that gives the query its partitions, which is asked for."""

        def below(p: LogicalPlan) -> LogicalPlan:
            return p.transform_up(self._step, self.mask, self.settled)

        return plan.map_children(below if isinstance(plan, _REPARTITIONS) else self._below_root)

    def _step(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Union):
            return self._union(plan, self.context.config.behaviour.unions_drop_empty_inputs)
        if isinstance(plan, Join):
            joined: LogicalPlan = self._join(plan)
            return joined
        match plan:
            case Aggregate(keys, _, child):
                return LocalRelation(plan.output) if keys and is_empty(child) else plan
            case (
                Project() | Filter() | Sample() | Sort() | GlobalLimit() | LocalLimit() | Offset() | Repartition()
                | RepartitionByExpression() | RebalancePartitions() | Expand() | Window() | Distinct()
            ) if is_empty(plan.child):  # fmt: skip
                return LocalRelation(plan.output)
            case Generate() if is_empty(plan.child):
                return LocalRelation(plan.output)
        return plan

    @staticmethod
    def _union(plan: Union, drops: bool) -> LogicalPlan:
        full = tuple(i for i in plan.inputs if not is_empty(i))
        if not full:
            return LocalRelation(plan.output)
        if len(full) == len(plan.inputs) or not drops:
            return plan
        new = full[0] if len(full) == 1 else plan.replace(inputs=full)
        if all(a.expr_id == b.expr_id for a, b in zip(plan.output, new.output, strict=True)):
            return new
        items = tuple(
            a if a.expr_id == b.expr_id else Alias(a, b.name, b.expr_id)
            for a, b in zip(new.output, plan.output, strict=True)
        )
        return Project(items, new)

    def _join(self, plan: Join) -> LogicalPlan:
        left, right, kind = is_empty(plan.left), is_empty(plan.right), plan.kind
        cast = not self.context.config.behaviour.missing_columns_are_null
        false = plan.condition is not None and (is_false(plan.condition) or is_null(plan.condition))
        if not left and not right and not false:
            return plan
        if kind in ("Inner", "Cross"):
            return LocalRelation(plan.output)
        if kind in ("LeftOuter", "LeftSemi", "LeftAnti", "ExistenceJoin") and left:
            return LocalRelation(plan.output)
        if kind == "LeftSemi":
            return LocalRelation(plan.output)
        if kind == "LeftAnti":
            return plan.left
        if kind == "ExistenceJoin" and plan.exists is not None:
            return Project((*plan.left.output, Alias(FALSE, plan.exists.name, plan.exists.expr_id)), plan.left)
        if kind == "RightOuter" and right:
            return LocalRelation(plan.output)
        if kind == "LeftOuter":
            return Project((*plan.left.output, *_nulls(plan.right.output, cast)), plan.left)
        if kind == "RightOuter":
            return Project((*_nulls(plan.left.output, cast), *plan.right.output), plan.right)
        if left and right:
            return LocalRelation(plan.output)
        if left:
            return Project((*_nulls(plan.left.output, cast), *plan.right.output), plan.right)
        if right:
            return Project((*plan.left.output, *_nulls(plan.right.output, cast)), plan.left)
        return plan


class UpdateAttributeNullability(OptimizerRule):
    """Attributes may be null just when the child's column may.

    Project [a (nullable)] over t[a (never null)]  =>  Project [a (never null)] over t

    Pays because later rules ask for nullability. Wrong the other way round: a null would be taken for impossible.
    """

    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_up(self._step, settled=self.settled)

    @staticmethod
    def _step(plan: LogicalPlan) -> LogicalPlan:
        if not plan.children or not plan.own_bits & AttributeReference.BIT:
            return plan
        nullable = {a.expr_id: a.is_nullable for c in plan.children for a in c.output}
        # The sides of a join do not share ids; where they do, the column of one may be null.
        if len(nullable) < sum([len(c.output) for c in plan.children]):
            nullable.update({a.expr_id: True for c in plan.children for a in c.output if a.is_nullable})

        def step(e: Expression) -> Expression:
            if type(e) is AttributeReference and e.expr_id in nullable:
                return e.with_nullability(nullable[e.expr_id])
            return e

        def updated(e: Expression) -> Expression:
            if type(e) is AttributeReference:
                return step(e)
            read = e.collect(AttributeReference)
            same = all([nullable.get(a.expr_id, a.is_nullable) == a.is_nullable for a in read])
            return e if same else e.transform_up(step, AttributeReference.BIT)

        return plan.map_expressions(updated)


class OptimizeOneRowPlan(OptimizerRule):
    """Over at most one row nothing has to be sorted, limited or grouped.

    Sort [a] over Aggregate [], [count(1) AS a]  =>  Aggregate [], [count(1) AS a]

    Pays because a shuffle goes. Wrong for two rows, of course; the number must be certain.
    """

    matches = (Sort, Aggregate)
    order = "up"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_up(self._step, self.mask, self.settled)

    @staticmethod
    def _step(plan: LogicalPlan) -> LogicalPlan:
        match plan:
            case Sort(_, _, child) if child.max_rows is not None and child.max_rows <= 1:
                return child
            case Sort(_, False, child):
                return plan
            case Aggregate(_, items, child) if plan.group_only:
                if child.max_rows is not None and child.max_rows <= 1:
                    return Project(items, child)
            case Aggregate(_, _, child) if child.max_rows is not None and child.max_rows <= 1:

                def plain(e: Expression) -> Expression:
                    return e.replace(distinct=False) if isinstance(e, AggregateExpression) and e.distinct else e

                return plan.transform_expressions_up(plain, AggregateExpression.BIT)
        return plan
