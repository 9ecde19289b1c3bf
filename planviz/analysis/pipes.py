"""What SQL pipes leave to analysis."""

from __future__ import annotations

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import Expression
from planviz.expressions.pipes import PipeExpression
from planviz.expressions.windows import WindowExpression
from planviz.frontend.errors import analysis_error
from planviz.logical.plan import LogicalPlan


class ValidateAndStripPipeExpressions(AnalyzerRule):
    """See that a pipe operator's expression aggregates where it must and not elsewhere, then take its mark off.

    pipeexpression(sum(a), true, AGGREGATE)  =>  sum(a)
    """

    matches = (PipeExpression,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(lambda p: p.transform_expressions_up(self._one, PipeExpression.BIT), self.mask)

    @staticmethod
    def _one(e: Expression) -> Expression:
        if not isinstance(e, PipeExpression) or not e.child.resolved:
            return e
        found = _first_aggregate(e.child)
        if e.aggregates and found is None:
            raise analysis_error(
                "PIPE_OPERATOR_AGGREGATE_EXPRESSION_CONTAINS_NO_AGGREGATE_FUNCTION",
                f'"{e.child.pretty}" in |> AGGREGATE is no grouping expression and has no aggregate function.',
                e,
            )
        if not e.aggregates and found is not None and e.clause != "SELECT":
            raise analysis_error(
                "PIPE_OPERATOR_CONTAINS_AGGREGATE_FUNCTION",
                f"The aggregate function {found.pretty} is not allowed in |> {e.clause}; use |> AGGREGATE instead.",
                e,
            )
        return e.child


def _first_aggregate(e: Expression) -> Expression | None:
    """The first aggregate function outside of window functions."""
    if isinstance(e, AggregateExpression):
        return e
    if isinstance(e, WindowExpression):
        return None
    return next((f for c in e.children if (f := _first_aggregate(c)) is not None), None)
