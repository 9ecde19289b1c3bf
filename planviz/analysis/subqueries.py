"""Plans inside expressions."""

from __future__ import annotations

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import Alias, Expression, occurs
from planviz.expressions.subqueries import ListQuery, SubqueryExpression
from planviz.expressions.unresolved import OuterReference
from planviz.frontend.errors import analysis_error
from planviz.logical.combining import Join, LateralJoin
from planviz.logical.operators import Aggregate, Filter
from planviz.logical.plan import LogicalPlan, UnaryNode


class ResolveSubquery(AnalyzerRule):
    """Analyze the plans of subquery expressions, each with the surrounding operator in sight.

    scalar-subquery#1 []  =>  scalar-subquery#1 [a#2]

    What a subquery reads of the surrounding query stands in its brackets once its plan is resolved.
    """

    matches = (SubqueryExpression,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._operator, SubqueryExpression.BIT)

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        # Other operators may hold none: it stays unresolved there, and is refused.
        if not isinstance(plan, UnaryNode | Join) or not plan.children_resolved:
            return plan
        if isinstance(plan, Join) and not plan.duplicate_resolved:
            return plan
        if isinstance(plan, LateralJoin) and not plan.right.resolved:
            return plan.replace(right=self._subquery(plan.right, plan))
        return plan.transform_expressions_up(lambda e: self._subquery(e, plan), SubqueryExpression.BIT)

    def _subquery(self, e: Expression, outer: LogicalPlan) -> Expression:
        if not isinstance(e, SubqueryExpression) or e.plan.resolved:
            return e
        assert self.context.analyze is not None
        inner: LogicalPlan = e.plan
        new = self.context.analyze(inner, self.context.inside(outer))
        if new is inner:
            return e
        changed = e.with_plan(new)
        if new.resolved:
            found = tuple(outer_references(new))
            changed = changed.replace(outer=found)
            if isinstance(changed, ListQuery):
                changed = changed.replace(columns=len(new.output))
        return changed


class UpdateOuterReferences(AnalyzerRule):
    """Let a subquery in HAVING read the aggregate's results, not what they were computed from.

    Filter(n > (SELECT max(b) FROM t WHERE b = outer(k)), Aggregate [k], [k AS x])
        =>  Filter(n > (SELECT max(b) FROM t WHERE b = outer(x)), Aggregate [k], [k AS x])
    """

    matches = (OuterReference,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._operator, self.mask)

    @staticmethod
    def _operator(plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, Filter) or not isinstance(plan.child, Aggregate) or not plan.resolved:
            return plan
        results = [a for a in plan.child.aggregates if isinstance(a, Alias)]

        def renamed(e: Expression) -> Expression:
            plain = without_outer(e)
            found = next((a for a in results if plain is not e and a.child.semantic_equals(plain)), None)
            return e if found is None else OuterReference(found.to_attribute())

        def inside(e: Expression) -> Expression:
            if not isinstance(e, SubqueryExpression) or not e.outer:
                return e
            inner: LogicalPlan = e.plan
            new = inner.transform_all_expressions(renamed, OuterReference.BIT)
            read = tuple(outer_references(new))
            return e if new is inner else e.with_plan(new).replace(outer=read)

        return plan.transform_expressions_down(inside, SubqueryExpression.BIT) if results else plan


def without_outer(e: Expression) -> Expression:
    """The expression as the surrounding query reads it.

    sum(outer(a#1))  =>  sum(a#1)
    """
    made: Expression = e.transform_up(lambda x: x.attribute if isinstance(x, OuterReference) else x, OuterReference.BIT)
    return made


def outer_references(plan: LogicalPlan) -> list[Expression]:
    """What a plan reads of the surrounding query, in order, as often as it reads it (Spark: getOuterReferences).

    An aggregate function over outer columns alone belongs to the surrounding query as a whole. Raises AnalysisError
    where one mixes outer columns with columns of the plan.
    """
    found: list[Expression] = []
    if plan.bits & OuterReference.BIT:
        for operator in plan.walk():
            for e in operator.expressions:
                _collect_outer(e, found)
    return found


def _collect_outer(e: Expression, found: list[Expression]) -> None:
    if not occurs(e, OuterReference.BIT):
        return
    if isinstance(e, OuterReference):
        found.append(e.attribute)
    elif not isinstance(e, AggregateExpression):
        for c in e.children:
            _collect_outer(c, found)
    elif e.references:
        raise analysis_error(
            "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.AGGREGATE_FUNCTION_MIXED_OUTER_LOCAL_REFERENCES",
            "Unsupported subquery expression: found an aggregate function in a correlated predicate that has both "
            f"outer and local references, which is not supported: {e.pretty}.",
            e,
        )
    else:
        found.append(without_outer(e))
