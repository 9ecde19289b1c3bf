"""CREATE FUNCTION: a function written in SQL, checked as it is made."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from planviz.analysis.definitions import leaves_names_open
from planviz.catalog.tables import Catalog, OwnFunction, Parameter, SqlFunction
from planviz.errors import AnalysisError
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.casts import Cast
from planviz.expressions.core import (
    Alias,
    Expression,
    Literal,
    NamedExpression,
    UnaryExpression,
    occurs,
)
from planviz.expressions.ids import next_id
from planviz.expressions.subqueries import LateralSubquery, ScalarSubquery, SubqueryExpression
from planviz.expressions.unresolved import UnresolvedAlias, UnresolvedFunction
from planviz.expressions.windows import WindowExpression
from planviz.frontend import Statement
from planviz.logical.combining import LateralJoin
from planviz.logical.operators import Project, SubqueryAlias
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import OneRowRelation
from planviz.logical.unresolved import UnresolvedRelation, UnresolvedTableValuedFunction
from planviz.types import NULL, UNKNOWN, DataType, StructField, StructType

#: The analyzed plan of a statement's query.
Plan = Callable[[Statement], LogicalPlan]


def with_function(catalog: Catalog, s: Statement, plan: Plan) -> Catalog:
    """The catalogue with the function that a statement makes.

    Raises AnalysisError with Spark's class for a name that is taken, parameters of one name and a body that is wrong.
    """
    result, *columns = s.columns
    names = [c.name.lower() for c in columns]
    if len(set(names)) < len(names):
        raise AnalysisError("DUPLICATE_ROUTINE_PARAMETER_NAMES", f"Two parameters of {s.name[-1]} have one name.")
    if catalog.function(s.name) is not None and "REPLACE" not in s.words:
        if "IF NOT EXISTS" in s.words:
            return catalog
        raise AnalysisError("ROUTINE_ALREADY_EXISTS", f"There is a function {s.name[-1]} already.")
    assert isinstance(s.plan, Project)
    body, *defaults = s.plan.projects
    assert isinstance(body, UnaryExpression)
    given = {n.lower() for n, _ in s.options}
    parameters = tuple(
        Parameter(c.name, c.data_type, d if c.name.lower() in given else None)
        for c, d in zip(columns, defaults, strict=True)
    )
    _check_defaults(s, parameters, plan)
    nulls = tuple(Alias(Cast(Literal(None, NULL), p.type), p.name, next_id()) for p in parameters)
    source = Project(nulls, OneRowRelation()) if nulls else OneRowRelation()
    check: object
    table = body.child.plan if isinstance(body.child, ScalarSubquery) and "TABLE" in s.words.split() else None
    if table is not None:
        query = LateralSubquery(table, (), next_id())
        check = LateralJoin(SubqueryAlias((s.name[-1],), source), query, "Inner")
    else:
        # What is returned is cast to the declared type, where the body's type allows it.
        given_back = body.child if result.data_type == UNKNOWN else Cast(body.child, result.data_type)
        check = Project((UnresolvedAlias(given_back),), SubqueryAlias((s.name[-1],), source))
    try:
        analyzed = plan(replace(s, plan=check))
    except AnalysisError as error:
        if error.error_class != "UNRESOLVED_ROUTINE":
            raise
        raise AnalysisError("ROUTINE_NOT_FOUND", f"The body of {s.name[-1]}: {error}") from error
    if any(occurs(e, AggregateExpression.BIT | WindowExpression.BIT) for p in analyzed.walk() for e in p.expressions):
        raise AnalysisError(
            "USER_DEFINED_FUNCTIONS.CANNOT_CONTAIN_COMPLEX_FUNCTIONS",
            f"The body of {s.name[-1]} may hold no aggregate, window or generator function.",
        )
    if "CONTAINS SQL" in s.words and _reads_tables(body.child, catalog):
        raise AnalysisError(
            "INVALID_SQL_FUNCTION_DATA_ACCESS",
            f"{s.name[-1]} reads tables, so it cannot be CONTAINS SQL: READS SQL DATA says that it does.",
        )
    temporary = "TEMPORARY" in s.words
    if table is not None:
        if not isinstance(result.data_type, StructType) and leaves_names_open(table):
            raise AnalysisError(
                "USER_DEFINED_FUNCTIONS.SQL_TABLE_UDF_MISSING_COLUMN_NAMES",
                f"The query of {s.name[-1]} names not all of its columns; RETURNS TABLE says no names either.",
            )
        fields = _columns(s.name[-1], result.data_type, analyzed.output[len(parameters) :])
        return catalog.with_function(SqlFunction(s.name[-1], parameters, UNKNOWN, table, temporary, fields))
    returns = analyzed.output[0].data_type if result.data_type == UNKNOWN else result.data_type
    return catalog.with_function(SqlFunction(s.name[-1], parameters, returns, body.child, temporary))


def _reads_tables(body: Expression, catalog: Catalog) -> bool:
    """Whether the body of a function, or of one that it calls, reads a table."""
    for e in body.walk():
        if isinstance(e, SubqueryExpression):
            plans = [p for p in e.plan.walk() if isinstance(p, UnresolvedRelation | UnresolvedTableValuedFunction)]
            calls = [catalog.function(p.parts) for p in plans if isinstance(p, UnresolvedTableValuedFunction)]
            if len(calls) < len(plans) or any(_body_reads(f, catalog) for f in calls):
                return True
            if any(_reads_tables(x, catalog) for p in e.plan.walk() for x in p.expressions):
                return True
        if isinstance(e, UnresolvedFunction) and _body_reads(catalog.function(e.parts), catalog):
            return True
    return False


def _body_reads(function: OwnFunction | None, catalog: Catalog) -> bool:
    if not isinstance(function, SqlFunction):
        return False
    body = function.body
    if isinstance(body, Expression):
        return _reads_tables(body, catalog)
    return isinstance(body, LogicalPlan) and _reads_tables(ScalarSubquery(body, (), 0), catalog)


def _check_defaults(s: Statement, parameters: Sequence[Parameter], plan: Plan) -> None:
    """Raise AnalysisError for a parameter's DEFAULT that is no value of its type, or without one behind it."""
    optional = [p for p in parameters if p.default is not None]
    if optional and any(p.default is None for p in parameters[parameters.index(optional[0]) :]):
        raise AnalysisError(
            "USER_DEFINED_FUNCTIONS.NOT_A_VALID_DEFAULT_PARAMETER_POSITION",
            f"The parameter {optional[0].name} of {s.name[-1]} has a DEFAULT, so all behind it need one.",
        )
    for p in optional:
        assert p.default is not None
        if occurs(p.default, SubqueryExpression.BIT | AggregateExpression.BIT | WindowExpression.BIT):
            raise AnalysisError(
                "USER_DEFINED_FUNCTIONS.NOT_A_VALID_DEFAULT_EXPRESSION",
                f"The DEFAULT of the parameter {p.name} may hold no query, aggregate or window function.",
            )
        plan(replace(s, plan=Project((Alias(Cast(p.default, p.type), p.name, next_id()),), OneRowRelation())))


def _columns(name: str, declared: DataType, made: Sequence[NamedExpression]) -> tuple[StructField, ...]:
    """The columns of a function that gives a table: as they are declared, else as its query gives them."""
    if not isinstance(declared, StructType):
        return tuple(StructField(a.name, a.data_type) for a in made)
    names = [f.name.lower() for f in declared.fields]
    if len(set(names)) < len(names):
        raise AnalysisError("DUPLICATE_ROUTINE_RETURNS_COLUMNS", f"Two columns that {name} returns have one name.")
    if len(declared.fields) != len(made):
        raise AnalysisError(
            "USER_DEFINED_FUNCTIONS.RETURN_COLUMN_COUNT_MISMATCH",
            f"{name} returns {len(declared.fields)} columns, but its query has {len(made)}.",
        )
    return declared.fields
