"""Nulls that functions of the JVM cannot take (Spark: HandleNullInputsForUDF)."""

from __future__ import annotations

from functools import reduce

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule
from planviz.expressions.conditional import If
from planviz.expressions.core import Expression, Literal
from planviz.expressions.objects import KnownNotNull, ScalaUDF
from planviz.expressions.predicates import IsNull, Or
from planviz.logical.plan import LogicalPlan


class HandleNullInputsForUDF(AnalyzerRule):
    """Ask first whether a number is null where a function takes one that cannot be.

    UDF(a)  =>  if (isnull(a)) null else UDF(knownnotnull(a)), a being a nullable bigint
    """

    matches = (ScalaUDF,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(
            lambda p: p.map_expressions(lambda e: e.transform_up(_checked, ScalaUDF.BIT)), ScalaUDF.BIT
        )


def _checked(e: Expression) -> Expression:
    if not isinstance(e, ScalaUDF) or len(e.primitive) != len(e.arguments):
        return e
    open_to_null = [p and a.nullable for p, a in zip(e.primitive, e.arguments, strict=True)]
    tests: list[Expression] = [IsNull(a) for a, o in zip(e.arguments, open_to_null, strict=True) if o]
    if not tests:
        return e
    known = tuple(KnownNotNull(a) if o else a for a, o in zip(e.arguments, open_to_null, strict=True))
    return If(reduce(Or, tests), Literal(None, e.type), e.replace(arguments=known))
