"""Functions written in SQL that give tables: calls, and the queries that take their place."""

from __future__ import annotations

from planviz.analysis.context import AnalysisContext
from planviz.analysis.relations import with_fresh_ids
from planviz.analysis.routines import given_arguments
from planviz.catalog.tables import Parameter, SqlFunction
from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, Expression
from planviz.expressions.ids import next_id
from planviz.expressions.subqueries import LateralSubquery
from planviz.expressions.unresolved import OuterReference
from planviz.frontend.errors import analysis_error
from planviz.logical.combining import LateralJoin
from planviz.logical.operators import Aggregate, Project, SQLFunctionNode, SubqueryAlias
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation, OneRowRelation
from planviz.logical.unresolved import UnresolvedTableValuedFunction


def sql_table_function(
    function: SqlFunction, node: UnresolvedTableValuedFunction, context: AnalysisContext
) -> LogicalPlan:
    """The query of a table function with what the call gives to its parameters.

    f(1)  =>  SQLFunctionNode f over SubqueryAlias f over Project [cast(x as int) AS a] over the query

    Raises AnalysisError where the arguments do not fit.
    """
    if function.columns is None:
        raise analysis_error("NOT_A_TABLE_FUNCTION", f"{function.shown_name} gives no table.", node)
    given = given_arguments(function, node.args, node)
    qualifier = (function.name.lower(),)
    inputs = [Alias(_value(given.get(p.name.lower()), p), p.name, next_id(), qualifier) for p in function.parameters]
    outputs = [next_id() for _ in function.columns]
    plan = _without_join(_analyzed(inputs, function, node, context))
    made = plan.output[len(inputs) if isinstance(plan, LateralJoin) else 0 :]
    triples = zip(made, function.columns, outputs, strict=True)
    items = tuple(Alias(Cast(a, f.data_type), f.name, i) for a, f, i in triples)
    return SQLFunctionNode(function.shown_name, SubqueryAlias(qualifier, Project(items, plan)))


def _value(value: Expression | None, parameter: Parameter) -> Expression:
    given = parameter.default if value is None else value
    assert given is not None
    return Cast(given, parameter.type)


def _analyzed(
    inputs: list[Alias], function: SqlFunction, node: UnresolvedTableValuedFunction, context: AnalysisContext
) -> LogicalPlan:
    """The query, which reads its parameters as a lateral subquery does, over a row with what they are given."""
    assert isinstance(function.body, LogicalPlan)
    query = with_fresh_ids(function.body)
    if inputs:
        row = LocalRelation(tuple([e.to_attribute() for e in inputs]), ())
        query = LateralJoin(row, LateralSubquery(query, (), next_id()), "Inner")
    assert context.analyze is not None
    plan = context.analyze(query, context)
    if not plan.resolved:
        raise analysis_error("UNRESOLVED_ROUTINE", f"The query of {function.name} has lost what it reads.", node)
    return plan.replace(child=Project(tuple(inputs), OneRowRelation())) if inputs else plan


def _without_join(plan: LogicalPlan) -> LogicalPlan:
    """The query with the arguments themselves where it read them.

    A value that varies is computed once, and an aggregate cannot read what a query around gives: these keep the join.
    """
    if not isinstance(plan, LateralJoin):
        return plan
    query, row = plan.right, plan.child
    assert isinstance(row, Project)
    inputs = {e.expr_id: e.child for e in row.projects if isinstance(e, Alias)}
    outer = any(e.bits & OuterReference.BIT for e in inputs.values())
    if not all(e.deterministic for e in inputs.values()) or (outer and query.plan.bits & Aggregate.BIT):
        return plan

    def value(e: Expression) -> Expression:
        return inputs.get(e.expr_id, e) if isinstance(e, OuterReference) else e

    def named(p: LogicalPlan) -> LogicalPlan:
        # An argument that the query gives as it is stands there without a name of its own before Spark 4.3.
        if not isinstance(p, Project):
            return p
        bare = (Alias(e, e.name, e.expr_id) if isinstance(e, OuterReference) else e for e in p.projects)
        return p.replace(projects=tuple(bare))

    asked: LogicalPlan = query.plan
    return asked.transform_up(named, OuterReference.BIT).transform_all_expressions(value, OuterReference.BIT)
