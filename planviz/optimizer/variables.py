"""DECLARE, SET VAR and DROP TEMPORARY VARIABLE: what they make of a session's variables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from planviz.catalog.tables import Catalog, Variable
from planviz.errors import AnalysisError
from planviz.evaluation import DEFAULT_EVALUATOR
from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, Expression, Literal, lit, occurs
from planviz.expressions.subqueries import SubqueryExpression
from planviz.expressions.unresolved import UnresolvedAlias, UnresolvedAttribute
from planviz.frontend import Statement
from planviz.logical.operators import Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation
from planviz.types import NULL, DataType, is_numeric, is_string

#: The optimized plan of a statement's query.
Plan = Callable[[Statement], LogicalPlan]


def changed_variables(catalog: Catalog, s: Statement, plan: Plan) -> Catalog:
    """The catalogue with the variables that the statement leaves.

    A value that cannot be computed here is null. Raises AnalysisError with Spark's class for a name that is taken or
    not there, for a value that does not fit and for values of another number.
    """
    if s.words == "FOR":
        return _with_row(catalog, s, plan)
    if s.kind == "declare":
        return _declared(catalog, s, plan)
    for name in s.name if s.kind == "set_variable" else s.name[-1:]:
        if catalog.variable((name,)) is None and s.words != "IF EXISTS":
            error = "UNRESOLVED_VARIABLE" if s.kind == "set_variable" else "VARIABLE_NOT_FOUND"
            raise AnalysisError(error, f"There is no variable `{name}`; DECLARE it first.")
    if s.kind == "drop_variable":
        return catalog.without_variable(s.name[-1])
    twice = next((n for i, n in enumerate(s.name) if n.lower() in [m.lower() for m in s.name[:i]]), None)
    if twice is not None:
        raise AnalysisError("DUPLICATE_ASSIGNMENTS", f"The variable `{twice}` is assigned twice; name it once.")
    found = [catalog.variables[n.lower()] for n in s.name]
    s = replace(s, plan=_with_defaults(s.plan, found))
    for variable, value in zip(found, _values(s, [v.value.type for v in found], plan), strict=True):
        catalog = catalog.with_variable(replace(variable, value=value))
    return catalog


def _declared(catalog: Catalog, s: Statement, plan: Plan) -> Catalog:
    lowered = [n.lower() for n in s.name]
    if len(set(lowered)) < len(lowered):
        raise AnalysisError("DUPLICATE_VARIABLE_NAME_INSIDE_DECLARE", "A variable is declared twice; name it once.")
    for name in s.name:
        if catalog.variable((name,)) is not None and s.words != "REPLACE":
            message = f"There is a variable `{name}` already; DECLARE OR REPLACE changes it."
            raise AnalysisError("VARIABLE_ALREADY_EXISTS", message)
    if s.plan is not None and any(occurs(e, SubqueryExpression.BIT) for e in s.plan.expressions):
        raise AnalysisError(
            "INVALID_DEFAULT_VALUE.SUBQUERY_EXPRESSION",
            f"The variable `{s.name[0]}` is declared with a query; declare it, then SET VAR {s.name[0]} = (query).",
        )
    wanted = s.columns[0].data_type if s.columns else None
    value = _values(s, [wanted], plan)[0] if s.plan is not None else Literal(None, wanted or NULL)
    for name in s.name:
        catalog = catalog.with_variable(Variable(name, value, value))
    return catalog


def _with_row(catalog: Catalog, s: Statement, plan: Plan) -> Catalog:
    """The variables of a FOR: its query's columns, also under the row's name, with values that only a run tells."""
    for a in plan(s).output:
        value = _as(lit(1), a.data_type) if is_numeric(a.data_type) else Literal(None, a.data_type)
        if is_string(a.data_type):
            value = Literal(a.name, a.data_type)
        for name in (a.name, *(f"{row}.{a.name}" for row in s.name)):
            catalog = catalog.with_variable(Variable(name, value, value))
    return catalog


def _with_defaults(plan: LogicalPlan | None, variables: list[Variable]) -> LogicalPlan | None:
    """The values with DEFAULT, where it stands alone, as what the variable was declared with."""
    if not isinstance(plan, Project) or len(plan.projects) != len(variables):
        return plan
    items = []
    for item, variable in zip(plan.projects, variables, strict=True):
        plain = item.child if isinstance(item, UnresolvedAlias) else item
        default = isinstance(plain, UnresolvedAttribute) and plain.name.lower() == "default"
        items.append(UnresolvedAlias(variable.default) if default else item)
    return plan.replace(projects=tuple(items))


def _values(s: Statement, wanted: list[DataType | None], plan: Plan) -> list[Literal]:
    """The values of the first row of the statement's query, as these types; null where they are not known."""
    optimized = plan(s)
    output = optimized.output
    if len(output) != len(wanted):
        raise AnalysisError(
            "ASSIGNMENT_ARITY_MISMATCH",
            f"There are {len(wanted)} variables and {len(output)} values; give one for each.",
        )
    row = _first_row(optimized) or [Literal(None, a.data_type) for a in output]
    return [_as(v, t or a.data_type) for v, t, a in zip(row, wanted, output, strict=True)]


def _first_row(plan: LogicalPlan) -> list[Expression] | None:
    if isinstance(plan, LocalRelation) and plan.rows:
        cells = zip(plan.rows[0], plan.output, strict=True)
        return [v if isinstance(v, Literal) else Literal(v, a.type) for v, a in cells]
    if isinstance(plan, Project):
        return [e.child if isinstance(e, Alias) else e for e in plan.projects]
    return None


def _as(value: Expression, t: DataType) -> Literal:
    if not value.foldable:
        return Literal(None, t)
    cast = Cast(value, t)
    if DEFAULT_EVALUATOR.failure(cast) is not None:
        raise AnalysisError("CAST_INVALID_INPUT", f"The value {value.sql} cannot be cast to {t.sql}.")
    return DEFAULT_EVALUATOR.value_of(cast) or Literal(None, t)
