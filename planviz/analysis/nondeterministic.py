"""What varies from row to row is computed once, before an operator that may ask for it twice."""

from __future__ import annotations

from collections.abc import Iterable

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule
from planviz.expressions.core import Expression, NamedExpression, alias
from planviz.logical.operators import Aggregate, Filter, Project
from planviz.logical.plan import LogicalPlan, UnaryNode


class PullOutNondeterministic(AnalyzerRule):
    """Compute random keys of groups and sorts in a projection below.

    Sort [rand(7)] over p  =>  Project [columns of p] over Sort [x] over Project [*, rand(7) AS x] over p
    """

    matches = (UnaryNode,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan if plan.deterministic else plan.resolve_operators_up(self._operator, self.mask)

    @staticmethod
    def _operator(plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, UnaryNode) or isinstance(plan, Project | Filter) or not plan.resolved:
            return plan
        if isinstance(plan, Aggregate):
            return _over(plan, plan.grouping) if not all(g.deterministic for g in plan.grouping) else plan
        if all(e.deterministic for e in plan.expressions) or plan.output != plan.child.output:
            return plan
        return Project(plan.output, _over(plan, plan.expressions))


def _over(plan: UnaryNode, expressions: Iterable[Expression]) -> UnaryNode:
    """The operator over a projection that computes what varies in these of its expressions."""
    found: dict[Expression, Expression] = {}
    for e in expressions:
        for x in () if e.deterministic else e.walk():
            if not x.deterministic and all(c.deterministic for c in x.children):
                found.setdefault(
                    x.canonicalized, x if isinstance(x, NamedExpression) else alias(x, "_nondeterministic")
                )

    def use(e: Expression) -> Expression:
        made = None if e.deterministic else found.get(e.canonicalized)
        return e if made is None else made.to_attribute()

    below = Project((*plan.child.output, *found.values()), plan.child)
    return plan.map_expressions(lambda e: e.transform_down(use)).replace(child=below)
