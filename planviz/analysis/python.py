"""Calls of functions written in Python."""

from __future__ import annotations

from collections.abc import Sequence

from planviz.analysis.context import AnalysisContext
from planviz.catalog.tables import PythonFunction
from planviz.config import OptimizerConfig
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import Alias, Expression
from planviz.expressions.ids import next_id
from planviz.expressions.python import NamedArgumentExpression, PythonEvalType, PythonUDAF, PythonUDF, PythonUDTF
from planviz.expressions.unresolved import UnresolvedFunction
from planviz.frontend.errors import analysis_error
from planviz.logical.operators import Generate
from planviz.logical.relations import OneRowRelation

ARROW = "spark.sql.execution.pythonUDF.arrow.enabled"
ARROW_TABLES = "spark.sql.execution.pythonUDTF.arrow.enabled"


def named_python_call(function: PythonFunction, e: UnresolvedFunction, context: AnalysisContext) -> Expression:
    """The call that SQL says. Raises AnalysisError for DISTINCT and FILTER, which Python functions do not know."""
    made = python_call(function, e.arguments, context)
    if e.distinct or e.where is not None:
        kind = type(made.function if isinstance(made, AggregateExpression) else made).__name__.lower()
        what = "DISTINCT" if e.distinct else "FILTER CLAUSE"
        raise analysis_error(
            "INVALID_SQL_SYNTAX.FUNCTION_WITH_UNSUPPORTED_SYNTAX",
            f"Invalid SQL syntax: The function `{kind}` does not support {what}.",
            e,
        )
    return made


def python_call(
    function: PythonFunction, arguments: Sequence[Expression], context: AnalysisContext, result_id: int = 0
) -> Expression:
    """The call; how many arguments there are, and of which types, is the function's own affair.

    `result_id` is the id of its result, 0 for a fresh one.
    """
    kind = function.eval_type or _as_udf_makes_it(context)
    given = tuple([NamedArgumentExpression(a.name, a.child) if isinstance(a, Alias) else a for a in arguments])
    cls = PythonUDAF if kind.aggregates else PythonUDF
    made = cls(function.name, given, function.returns, kind, function.deterministic, result_id or next_id())
    if isinstance(made, PythonUDAF):
        return AggregateExpression(made, "Complete", False, None, next_id())
    return made


def python_table(function: PythonFunction, arguments: Sequence[Expression], config: OptimizerConfig) -> Generate:
    """The rows of a class written in Python, as it is called in FROM."""
    by_arrow = PythonEvalType.SQL_ARROW_TABLE_UDF if config.flag(ARROW_TABLES) else PythonEvalType.SQL_TABLE_UDF
    given = tuple([NamedArgumentExpression(a.name, a.child) if isinstance(a, Alias) else a for a in arguments])
    call = PythonUDTF(function.name, given, function.columns or (), function.eval_type or by_arrow, next_id())
    return Generate(call, (), False, None, (), OneRowRelation())


def _as_udf_makes_it(context: AnalysisContext) -> PythonEvalType:
    arrow = context.config.flag(ARROW)
    return PythonEvalType.SQL_ARROW_BATCHED_UDF if arrow else PythonEvalType.SQL_BATCHED_UDF
