"""Plans inside expressions."""

from __future__ import annotations

from typing import Any

from planviz.analysis.context import AnalyzerRule
from planviz.expressions.core import AttributeReference
from planviz.expressions.subqueries import ListQuery, SubqueryExpression
from planviz.expressions.unresolved import OuterReference
from planviz.logical.combining import Join, LateralJoin
from planviz.logical.operators import outer_references
from planviz.logical.plan import UnaryNode


class ResolveSubquery(AnalyzerRule):
    """Analyze the plans of subquery expressions, each with the surrounding operator in sight.

    scalar-subquery#1 []  =>  scalar-subquery#1 [a#2]

    What a subquery reads of the surrounding query stands in its brackets once its plan is resolved.
    """

    matches = (SubqueryExpression,)

    def apply(self, plan: Any) -> Any:
        """See the class."""
        return plan.transform_up(self._operator, SubqueryExpression.BIT)

    def _operator(self, plan: Any) -> Any:
        if not isinstance(plan, UnaryNode | Join) or not plan.children_resolved:
            return plan
        if isinstance(plan, Join) and not plan.duplicate_resolved:
            return plan
        if isinstance(plan, LateralJoin):
            return plan.replace(right=self._subquery(plan.right, plan)) if not plan.right.resolved else plan
        return plan.transform_expressions_up(lambda e: self._subquery(e, plan), SubqueryExpression.BIT)

    def _subquery(self, e: Any, outer: Any) -> Any:
        if not isinstance(e, SubqueryExpression) or e.plan.resolved:
            return e
        assert self.context.analyze is not None
        inner: Any = e.plan
        new: Any = self.context.analyze(inner, self.context.inside(outer))
        if new is inner:
            return e
        changed = e.with_plan(new)
        if new.resolved:
            found = tuple(o for o in outer_references(new) if isinstance(o, AttributeReference))
            changed = changed.replace(outer=found)
            if isinstance(changed, ListQuery):
                changed = changed.replace(columns=len(new.output))
        return changed


class UpdateOuterReferences(AnalyzerRule):
    """Let a subquery below an Aggregate read the Aggregate's results instead of computing them again."""

    matches = (OuterReference,)
    package = "org.apache.spark.sql.catalyst.analysis"

    def apply(self, plan: Any) -> Any:
        """Nothing to do for outer references that are plain columns."""
        return plan
