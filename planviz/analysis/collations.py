"""The names behind COLLATE (Spark: ResolveCollationName)."""

from __future__ import annotations

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule
from planviz.errors import AnalysisError
from planviz.expressions.collations import ResolvedCollation, UnresolvedCollation
from planviz.expressions.core import Expression
from planviz.frontend.errors import analysis_error
from planviz.logical.plan import LogicalPlan
from planviz.types import collated, collation_name


class ResolveCollationName(AnalyzerRule):
    """Find the collation that COLLATE names.

    collate('a, unresolvedcollation(system, builtin, unicode))  =>  collate('a, unicode)
    """

    matches = (UnresolvedCollation,)
    package = "org.apache.spark.sql.catalyst.analysis."

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_expressions(_found, self.mask)


def _found(e: Expression) -> Expression:
    if not isinstance(e, UnresolvedCollation):
        return e
    try:
        name = collation_name(e.parts)
        collated(name)
    except AnalysisError as wrong:
        raise analysis_error(wrong.error_class, str(wrong).partition("] ")[2], e) from None
    return e.rebuilt(ResolvedCollation(name))
