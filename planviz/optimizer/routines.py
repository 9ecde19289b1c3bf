"""CREATE FUNCTION: a function written in SQL, checked as it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from planviz.catalog.tables import Catalog, Parameter, SqlFunction
from planviz.errors import AnalysisError
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, Literal, occurs
from planviz.expressions.ids import next_id
from planviz.expressions.unresolved import UnresolvedAlias
from planviz.expressions.windows import WindowExpression
from planviz.frontend import Statement
from planviz.logical.operators import Project, SubqueryAlias
from planviz.logical.relations import OneRowRelation
from planviz.types import NULL, UNKNOWN

#: The analyzed plan of a statement's query.
Plan = Callable[[Statement], Any]


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
    query: Any = s.plan
    body, *defaults = query.projects
    given = {n.lower() for n, _ in s.options}
    parameters = tuple(
        Parameter(c.name, c.data_type, d if c.name.lower() in given else None)
        for c, d in zip(columns, defaults, strict=True)
    )
    nulls = tuple(Alias(Cast(Literal(None, NULL), p.type), p.name, next_id()) for p in parameters)
    source = Project(nulls, OneRowRelation()) if nulls else OneRowRelation()
    check = Project((UnresolvedAlias(body.child),), SubqueryAlias((s.name[-1],), source))
    analyzed = plan(replace(s, plan=check))
    if any(occurs(e, AggregateExpression.BIT | WindowExpression.BIT) for p in analyzed.walk() for e in p.expressions):
        raise AnalysisError(
            "USER_DEFINED_FUNCTIONS.CANNOT_CONTAIN_COMPLEX_FUNCTIONS",
            f"The body of {s.name[-1]} may hold no aggregate, window or generator function.",
        )
    returns = analyzed.output[0].data_type if result.data_type == UNKNOWN else result.data_type
    temporary = "TEMPORARY" in s.words
    return catalog.with_function(SqlFunction(s.name[-1], parameters, returns, body.child, temporary))
