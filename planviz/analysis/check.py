"""What is still wrong with a plan after analysis, as one clear error (Spark: CheckAnalysis)."""

from __future__ import annotations

from collections.abc import Set

from planviz.analysis.check_calls import check_call, function_of
from planviz.analysis.check_earlier import check_as_then
from planviz.analysis.check_operators import check_operator
from planviz.analysis.check_subqueries import check_subquery
from planviz.analysis.context import AnalysisContext, sql_text
from planviz.analysis.names import unresolved_column
from planviz.analysis.relations import table_not_found
from planviz.errors import AnalysisError
from planviz.evaluation import DEFAULT_EVALUATOR
from planviz.expressions.aggregates import (
    AggregateExpression,
    Grouping,
    GroupingID,
)
from planviz.expressions.casts import Cast
from planviz.expressions.core import AttributeReference, Expression, Literal
from planviz.expressions.subqueries import InSubquery, ListQuery, SubqueryExpression
from planviz.expressions.unresolved import (
    MultiAlias,
    NamedParameter,
    OuterReference,
    PositionalParameter,
    UnresolvedAttribute,
    UnresolvedFunction,
    UnresolvedOrdinal,
    UnresolvedStar,
)
from planviz.expressions.windows import (
    UnresolvedWindowExpression,
    WindowExpression,
)
from planviz.frontend.errors import analysis_error
from planviz.frontend.literals import timestamp_literal
from planviz.functions.registry import nearest
from planviz.logical.combining import Except, Intersect, Join, SetOperation, Union
from planviz.logical.operators import Aggregate, Filter, GlobalLimit, LocalLimit, Offset, Project
from planviz.logical.plan import ANALYZED, LogicalPlan
from planviz.logical.unresolved import RelationTimeTravel, UnresolvedRelation
from planviz.types import (
    BOOLEAN,
    CALENDAR_INTERVAL,
    INT,
    NULL,
    UNKNOWN,
    ArrayType,
    DataType,
    MapType,
    StructType,
    equal_structurally,
    has_time,
    is_orderable,
)


def check_analysis(plan: LogicalPlan, context: AnalysisContext) -> None:
    """Raise AnalysisError for the first thing that is wrong, children before parents.

    What was checked stays so: a DataFrame's plan is not looked at again in those that are derived from it.
    """
    nodes = _bottom_up(plan)
    for node in nodes:
        _check_operator(node, context)
    if not plan.resolved:
        raise analysis_error("UNSUPPORTED_FEATURE", "Something in this query is not supported by planviz.", plan)
    for node in nodes:
        ANALYZED.set(node, True)


def _bottom_up(plan: LogicalPlan) -> list[LogicalPlan]:
    out = []
    stack = [plan]
    while stack:
        top = stack.pop()
        if top in ANALYZED:
            continue
        out.append(top)
        stack.extend(top.children)
    return out[::-1]


def _check_operator(plan: LogicalPlan, context: AnalysisContext) -> None:
    if isinstance(plan, UnresolvedRelation):
        raise table_not_found(plan, context.catalog.names())
    if isinstance(plan, RelationTimeTravel):
        raise _time_travel(plan, context)
    known = context.config.behaviour
    older = not (known.dates_are_ranged_by_days and known.predicates_stand_in_lists and known.windows_take_filters)
    # GROUP BY 1 stays open where what it stands for does, and that is what is wrong.
    for e in sorted(plan.expressions, key=lambda e: bool(e.bits & UnresolvedOrdinal.BIT)):
        _check_expression(e, plan, context)
        if older:
            check_as_then(e, plan, known)
    if isinstance(plan, Filter):
        _check_filter(plan)
    elif isinstance(plan, Join) and plan.condition is not None and plan.condition.resolved:
        if plan.condition.data_type not in (BOOLEAN, UNKNOWN):
            raise analysis_error(
                "JOIN_CONDITION_IS_NOT_BOOLEAN_TYPE",
                f'The join condition "{plan.condition.pretty}" has the invalid type '
                f'"{plan.condition.data_type.sql}", '
                f'expected "BOOLEAN".',
                plan,
            )
    elif isinstance(plan, Aggregate) and plan.children_resolved:
        _check_aggregate(plan)
    elif isinstance(plan, GlobalLimit | LocalLimit | Offset):
        _check_limit(plan)
    elif isinstance(plan, Union | SetOperation):
        _check_set_operation(plan)
    elif isinstance(plan, Project):
        for e in plan.projects:
            if e.bits & (Grouping.BIT | GroupingID.BIT):
                raise analysis_error(
                    "UNSUPPORTED_GROUPING_EXPRESSION",
                    "grouping()/grouping_id() can only be used with GroupingSets/Cube/Rollup.",
                    e,
                )
    if (
        not plan.resolved
        and plan.children_resolved
        and all(e.resolved for e in plan.expressions)
        and not isinstance(plan, SetOperation | Union)
    ):
        raise analysis_error("UNSUPPORTED_OPERATOR", f"{plan.node_name} could not be resolved here.", plan)
    if plan.resolved:
        check_operator(plan)


def _time_travel(plan: RelationTimeTravel, context: AnalysisContext) -> Exception:
    """What is wrong with reading an earlier state of a table: none of the catalogue's tables keeps any."""
    moment, catalog = plan.timestamp, context.catalog
    if moment is not None and not moment.deterministic:
        return analysis_error(
            "INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.NON_DETERMINISTIC",
            f"The time {moment.sql} varies.",
            plan,
        )
    text = moment.value if isinstance(moment, Literal) else None
    if isinstance(text, str) and timestamp_literal(text) is None:
        return analysis_error("INVALID_TIME_TRAVEL_TIMESTAMP_EXPR.INPUT", f"{text!r} is no timestamp.", plan)
    if catalog.table(plan.parts) is None and catalog.view(plan.parts) is None:
        return table_not_found(plan.rebuilt(UnresolvedRelation(plan.parts)), catalog.names())
    return analysis_error(
        "UNSUPPORTED_FEATURE.TIME_TRAVEL", f"The table {sql_text(plan.parts)} keeps no earlier states.", plan
    )


def _check_expression(e: Expression, plan: LogicalPlan, context: AnalysisContext) -> None:
    if type(e) is AttributeReference:
        return  # most of what a wide list holds
    windowed = [function_of(w) for w in e.collect(WindowExpression)]
    windowed += [w.function for w in e.collect(UnresolvedWindowExpression)]
    for x in _expressions_up(e):
        check_call(x, windowed, plan)
        if isinstance(x, SubqueryExpression):
            check_analysis(x.plan, context)
            check_subquery(x, plan, context.config.behaviour)
        if isinstance(x, Cast) and x.child.resolved and has_time(x.type):
            raise analysis_error("UNSUPPORTED_TIME_TYPE", "The data type TIME is not supported.", x)
        if x.resolved:
            continue
        if isinstance(x, UnresolvedAttribute):
            raise unresolved_column(x, [a for c in plan.children for a in c.output] or _all_outer(context))
        if isinstance(x, NamedParameter | PositionalParameter):
            raise _unbound(x)
        if isinstance(x, UnresolvedFunction) and all(c.resolved for c in x.children):
            raise analysis_error(
                "UNRESOLVED_ROUTINE", f"Cannot resolve routine `{'.'.join(x.parts)}`.{nearest(x.parts[-1])}", x
            )
        if isinstance(x, UnresolvedStar):
            raise analysis_error("INVALID_USAGE_OF_STAR_OR_REGEX", f"Invalid usage of '*' in {plan.node_name}.", x)
        if x.children_resolved:
            mismatch = x.check_input_types()
            if mismatch is not None:
                raise analysis_error(
                    f"DATATYPE_MISMATCH.{mismatch.subclass}",
                    f'Cannot resolve "{x.pretty}" due to data type mismatch: {mismatch.message}.',
                    x,
                )
            if isinstance(x, InSubquery):
                raise _in_mismatch(x)
            if isinstance(x, UnresolvedWindowExpression):
                raise analysis_error(
                    "MISSING_WINDOW_SPECIFICATION",
                    f"Window specification is not defined in the WINDOW clause for `{x.name}`; define it there: "
                    f"WINDOW {x.name} AS (PARTITION BY ... ORDER BY ...).",
                    x,
                )
            if isinstance(x, MultiAlias):
                names = ", ".join(x.names)
                told = f"Several names ({names}) are given to {x.child.sql}, which is no generator."
                raise analysis_error("MULTI_ALIAS_WITHOUT_GENERATOR", told, x)
            if x.UNRESOLVED:
                raise analysis_error("UNSUPPORTED_EXPRESSION", f"{x.sql} has no meaning here.", x)


def _expressions_up(e: Expression) -> list[Expression]:
    out = []
    stack = [e]
    while stack:
        top = stack.pop()
        out.append(top)
        stack.extend(top.children)
    return out[::-1]


def _all_outer(context: AnalysisContext) -> list[AttributeReference]:
    return [a for p in context.outer for c in p.children for a in c.output]


def _in_mismatch(e: InSubquery) -> Exception:
    query = e.query
    out = query.child_outputs if isinstance(query, ListQuery) else ()
    if len(out) != len(e.values):
        left, right = ", ".join(f'"{v.pretty}"' for v in e.values), ", ".join(f'"{a.name}"' for a in out)
        return analysis_error(
            "DATATYPE_MISMATCH.IN_SUBQUERY_LENGTH_MISMATCH",
            f'Cannot resolve "{e.pretty}" due to data type mismatch: The number of columns in the left hand side of '
            f"an IN "
            f"subquery does not match the number of columns in the output of subquery. Left hand side "
            f"columns(length: "
            f"{len(e.values)}): [{left}], right hand side columns(length: {len(out)}): [{right}].",
            e,
        )
    return analysis_error(
        "DATATYPE_MISMATCH.IN_SUBQUERY_DATA_TYPE_MISMATCH",
        f'Cannot resolve "{e.pretty}" due to data type mismatch: The data type of one or more elements in the left '
        f"hand "
        "side of an IN subquery is not compatible with the data type of the output of the subquery.",
        e,
    )


def _check_filter(plan: Filter) -> None:
    condition = plan.condition
    if condition.resolved and condition.data_type not in (BOOLEAN, UNKNOWN):
        raise analysis_error(
            "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN",
            f'Cannot resolve "{condition.pretty}" due to data type mismatch: Filter expression "{condition.pretty}" '
            f"of type "
            f'"{condition.data_type.sql}" is not a boolean.',
            plan,
        )


def _groupable(t: DataType) -> bool:
    """Whether rows can be grouped by values of a type: maps can, what cannot be put in an order otherwise cannot."""
    if isinstance(t, MapType):
        return _groupable(t.key) and _groupable(t.value)
    if isinstance(t, ArrayType):
        return _groupable(t.element)
    if isinstance(t, StructType):
        return all(_groupable(f.data_type) for f in t.fields)
    return is_orderable(t) or t == CALENDAR_INTERVAL


def _check_aggregate(plan: Aggregate) -> None:
    for g in plan.grouping:
        if g.resolved and not _groupable(g.data_type):
            raise analysis_error(
                "GROUP_EXPRESSION_TYPE_IS_NOT_ORDERABLE",
                f'The expression "{g.pretty}" cannot be used as a grouping expression because its data type '
                f'"{g.data_type.sql}" is not an orderable data type.',
                g,
            )
        for x in _expressions_up(g):
            if isinstance(x, AggregateExpression):
                raise analysis_error(
                    "GROUP_BY_AGGREGATE", f"Aggregate functions are not allowed in GROUP BY, but found {x.sql}.", x
                )
    # What `semantic_equals` compares, at hand for any number of keys.
    keys = {g.canonicalized for g in plan.grouping if g.deterministic}
    for e in plan.aggregates:
        if e.bits & (Grouping.BIT | GroupingID.BIT):
            raise analysis_error(
                "UNSUPPORTED_GROUPING_EXPRESSION",
                "grouping()/grouping_id() can only be used with GroupingSets/Cube/Rollup.",
                e,
            )
        _check_grouped(e, plan, keys)
    for e in plan.aggregates:
        for x in _expressions_up(e):
            if isinstance(x, AggregateExpression):
                nested = [y for c in x.children for y in c.collect(AggregateExpression)]
                if nested:
                    raise analysis_error(
                        "NESTED_AGGREGATE_FUNCTION",
                        "It is not allowed to use an aggregate function in the argument of another aggregate "
                        "function. Please use the inner aggregate function in a sub-query.",
                        nested[0],
                    )
                varying = next((c for c in x.function.children if not c.deterministic), None)
                if varying is not None:
                    raise analysis_error(
                        "AGGREGATE_FUNCTION_WITH_NONDETERMINISTIC_EXPRESSION",
                        f'Non-deterministic expression "{x.sql}" should not appear in the arguments of an aggregate '
                        "function.",
                        varying,
                    )


def _check_grouped(e: Expression, plan: Aggregate, keys: Set[Expression]) -> None:
    """Raise AnalysisError where an item reads what is none of the grouping `keys` (canonicalized)."""
    if isinstance(e, AggregateExpression | OuterReference) or e.foldable:
        return
    if e.deterministic and e.canonicalized in keys:
        return
    if isinstance(e, AttributeReference):
        if not plan.grouping:
            raise analysis_error(
                "MISSING_GROUP_BY",
                "The query does not include a GROUP BY clause. Add GROUP BY or turn it into the window functions "
                "using OVER clauses.",
                plan,
            )
        raise analysis_error(
            "MISSING_AGGREGATION",
            f'The non-aggregating expression "{e.pretty}" is based on columns which are not participating in the '
            f"GROUP BY clause.\n"
            f"Add the columns or the expression to the GROUP BY, aggregate the expression, or use "
            f'"any_value({e.pretty})" if you do not '
            "care which of the values within a group is returned.",
            e if e.origin is not None else plan,
        )
    for c in e.children:
        _check_grouped(c, plan, keys)


def _check_limit(plan: GlobalLimit | LocalLimit | Offset) -> None:
    e = plan.offset if isinstance(plan, Offset) else plan.limit
    kind = "offset" if isinstance(plan, Offset) else "limit"
    if not e.resolved:
        return
    prefix = f'The {kind} like expression "{e.pretty}" is invalid.'
    if not e.foldable:
        raise analysis_error(
            "INVALID_LIMIT_LIKE_EXPRESSION.IS_UNFOLDABLE",
            f"{prefix} The {kind} expression must evaluate to a constant value.",
            e,
        )
    if e.data_type not in (INT, NULL, UNKNOWN):
        raise analysis_error(
            "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE",
            f'{prefix} The {kind} expression must be integer type, but got "{e.data_type.sql}".',
            e,
        )
    number = DEFAULT_EVALUATOR.value_of(e)
    if number is not None and (number.value is None or (isinstance(number.value, int) and number.value < 0)):
        subclass = "IS_NULL" if number.value is None else "IS_NEGATIVE"
        raise analysis_error(
            f"INVALID_LIMIT_LIKE_EXPRESSION.{subclass}",
            f"{prefix} The {kind} expression must be equal to or greater than 0, but got {e}.",
            e,
        )


def _check_set_operation(plan: LogicalPlan) -> None:
    if not plan.children_resolved or plan.resolved:
        return
    name = {Union: "UNION", Intersect: "INTERSECT", Except: "EXCEPT"}.get(type(plan), "UNION")
    first = plan.children[0].output
    for i, c in enumerate(plan.children[1:], 2):
        if len(c.output) != len(first):
            raise analysis_error(
                "NUM_COLUMNS_MISMATCH",
                f"{name} can only be performed on inputs with the same number of columns, but the first input has "
                f"{len(first)} columns and "
                f"the {_ordinal(i)} input has {len(c.output)} columns.",
                plan,
            )
        for k, (a, b) in enumerate(zip(first, c.output, strict=True), 1):
            # Rows that are compared have fields of the same names, too.
            named_alike = isinstance(plan, Union) or a.type.simple_string == b.type.simple_string
            if not (named_alike and equal_structurally(a.type, b.type)):
                raise analysis_error(
                    "INCOMPATIBLE_COLUMN_TYPE",
                    f"{name} can only be performed on tables with compatible column types. The {_ordinal(k)} column "
                    f"of the {_ordinal(i)} table is "
                    f'"{b.type.sql}" type which is not compatible with "{a.type.sql}" at the same column of the '
                    f"first "
                    f"table.",
                    plan,
                )


def _ordinal(n: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(n, f"{n}th")


def _unbound(x: NamedParameter | PositionalParameter) -> AnalysisError:
    name, value = (x.name, f"{x.name}=VALUE") if isinstance(x, NamedParameter) else (f"_{x.position}", "VALUE")
    return analysis_error(
        "UNBOUND_SQL_PARAMETER",
        f"Found the unbound parameter: {name}. Give it a value: --param {value}, or the argument params.",
        x,
    )
