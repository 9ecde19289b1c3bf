"""Which functions may stand where: in windows, outside of them, in lambdas."""

from __future__ import annotations

from collections.abc import Sequence

from planviz.expressions.aggregates import AggregateCall, AggregateExpression, AggregateFunction
from planviz.expressions.core import Expression
from planviz.expressions.lambdas import LambdaFunction
from planviz.expressions.python import PythonUDF
from planviz.expressions.windows import (
    WHOLE_PARTITION,
    SpecifiedWindowFrame,
    WindowExpression,
    WindowFunction,
    WindowSpec,
)
from planviz.frontend.errors import analysis_error
from planviz.functions.builders.aggregates import WHOLE_PARTITIONS
from planviz.logical.plan import LogicalPlan
from planviz.types import UNKNOWN, is_orderable


def check_call(x: Expression, windowed: Sequence[Expression], plan: LogicalPlan) -> None:
    """Raise AnalysisError for a function that `plan` cannot compute where it stands; `windowed` have OVER."""
    if isinstance(x, WindowExpression):
        _check_window(x)
    if isinstance(x, WindowFunction) and x not in windowed:
        raise analysis_error(
            "WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE", f'Window function "{x.sql}" requires an OVER clause.', plan
        )
    if isinstance(x, LambdaFunction) and x.bits & PythonUDF.BIT:
        call = next(iter(x.collect(PythonUDF)))
        raise analysis_error(
            "UNSUPPORTED_FEATURE.LAMBDA_FUNCTION_WITH_PYTHON_UDF",
            f'The feature is not supported: Lambda function with Python UDF "{call.sql}" in a higher order function.',
            call,
        )


def _check_window(e: WindowExpression) -> None:
    """Over windows are computed aggregates (some for whole partitions alone) and window functions."""
    if isinstance(e.function, AggregateExpression) and e.function.distinct:
        raise analysis_error(
            "DISTINCT_WINDOW_FUNCTION_UNSUPPORTED", f"Distinct window functions are not supported: {e.sql}.", e
        )
    inner = function_of(e)
    if not e.function.resolved or not isinstance(e.spec, WindowSpec):
        return
    if not isinstance(inner, AggregateFunction | WindowFunction) and inner.data_type != UNKNOWN:
        raise analysis_error(
            "UNSUPPORTED_EXPR_FOR_WINDOW", f'Expression "{inner.pretty}" not supported within a window function.', e
        )
    wrong = next((p for p in e.spec.partition if p.resolved and not is_orderable(p.data_type)), None)
    if wrong is not None:
        raise analysis_error(
            "EXPRESSION_TYPE_IS_NOT_ORDERABLE",
            f'Rows cannot be partitioned by "{wrong.pretty}": values of type "{wrong.data_type.sql}" are in no order.',
            wrong,
        )
    # What has an order of its own takes none of the window's.
    ordered = isinstance(inner, AggregateCall) and bool(inner.sql_tail)
    whole = ordered or (isinstance(inner, AggregateCall) and inner.name in WHOLE_PARTITIONS)
    frame = e.spec.frame
    if whole and (e.spec.order or (isinstance(frame, SpecifiedWindowFrame) and frame != WHOLE_PARTITION)):
        raise analysis_error(
            "INVALID_WINDOW_SPEC_FOR_AGGREGATION_FUNC",
            f'Cannot specify ORDER BY or a window frame for "{inner.pretty}".',
            e,
        )


def function_of(e: WindowExpression) -> Expression:
    """The function of a window expression, out of the aggregate expression around it."""
    return e.function.function if isinstance(e.function, AggregateExpression) else e.function
