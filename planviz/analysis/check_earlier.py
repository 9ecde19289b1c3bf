"""What older versions of Spark refused to analyze and newer ones take."""

from __future__ import annotations

from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import Expression, occurs
from planviz.expressions.subqueries import Exists, ListQuery
from planviz.expressions.windows import WindowExpression, WindowSpec
from planviz.frontend.errors import analysis_error
from planviz.logical.combining import Join
from planviz.logical.operators import Aggregate, Filter
from planviz.logical.plan import LogicalPlan
from planviz.types import DATE, DayTimeIntervalType, has_map
from planviz.versions import Behaviour


def check_as_then(e: Expression, plan: LogicalPlan, known: Behaviour) -> None:
    """Raise AnalysisError for an expression of an operator that the version does not take there."""
    elsewhere = not known.predicates_stand_in_lists and not isinstance(plan, Filter | Join)
    if elsewhere and occurs(e, Exists.BIT | ListQuery.BIT):
        raise analysis_error(
            "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.UNSUPPORTED_IN_EXISTS_SUBQUERY",
            "IN and EXISTS with a subquery stand in WHERE, HAVING and ON only before Spark 3.4.",
            e,
        )
    if not known.maps_are_grouped and isinstance(plan, Aggregate) and e in plan.grouping and has_map(e.data_type):
        raise analysis_error(
            "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE",
            f'The expression "{e.pretty}" is a map or holds one; Spark 4.0 is the first to group by maps.',
            e,
        )
    if not known.windows_take_filters:
        for window in e.collect(WindowExpression):
            if isinstance(window.function, AggregateExpression) and window.function.where is not None:
                raise analysis_error(
                    "_LEGACY_ERROR_TEMP_1030",
                    "A window's aggregate function takes no FILTER before Spark 4.2.",
                    window,
                )
    if not known.dates_are_ranged_by_days and occurs(e, WindowSpec.BIT):
        for spec in e.collect(WindowSpec):
            _check_range(spec)


def _check_range(spec: WindowSpec) -> None:
    bounds = getattr(spec.frame, "bounds", ())
    if not bounds or len(spec.order) != 1 or spec.order[0].data_type != DATE:
        return
    if any(isinstance(b.data_type, DayTimeIntervalType) for b in bounds):
        raise analysis_error(
            "DATATYPE_MISMATCH.RANGE_FRAME_INVALID_TYPE",
            'The data type "DATE" used in the order specification does not support the data type '
            f'"{bounds[0].data_type.sql}" which is used in the range frame; Spark 4.0 is the first to take it.',
            spec,
        )
