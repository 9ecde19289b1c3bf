"""Values inside variants: `v:a.b`."""

from __future__ import annotations

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule
from planviz.expressions.core import Expression, lit
from planviz.expressions.unresolved import SemiStructuredExtract
from planviz.frontend.errors import analysis_error
from planviz.functions.registry import build
from planviz.logical.plan import LogicalPlan
from planviz.types import UNKNOWN, VARIANT


class ExtractSemiStructuredFields(AnalyzerRule):
    """Take a path out of a variant.

    semistructuredextract(v, $.a)  =>  variant_get(v, $.a)
    """

    matches = (SemiStructuredExtract,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:

        def one(e: Expression) -> Expression:
            if not isinstance(e, SemiStructuredExtract) or not e.child.resolved:
                return e
            if e.child.data_type not in (VARIANT, UNKNOWN):
                raise analysis_error(
                    "COLUMN_IS_NOT_VARIANT_TYPE",
                    "The operator `:` can only be applied to a column of the VARIANT type.",
                    e,
                )
            made = build(("variant_get",), (e.child, lit(e.path)), e)
            assert made is not None
            return e.rebuilt(made)

        return plan.resolve_expressions(one, self.mask)
