"""Names in ORDER BY and HAVING that the select list does not have, and what is below it does."""

from __future__ import annotations

from planviz.analysis.hidden import hidden_output
from planviz.analysis.names import UNBOUND, Scope, bind_if_possible
from planviz.errors import AnalysisError
from planviz.expressions.core import Alias, AttributeReference, Expression
from planviz.expressions.hash_sets import expressions_in_hash_set
from planviz.expressions.unresolved import TempResolvedColumn, UnresolvedAttribute
from planviz.logical.file_metadata import names_metadata
from planviz.logical.operators import Aggregate, Distinct, Expand, Filter, Project, SubqueryAlias
from planviz.logical.plan import LogicalPlan, UnaryNode
from planviz.logical.unresolved import PipeOperator, UnresolvedHaving
from planviz.versions import Behaviour


def with_aggregate(e: Expression, child: LogicalPlan, files: str = "none") -> Expression:
    """Names that the Aggregate below can see, marked so that only aggregate functions and keys may use them.

    `files` says which `_metadata` tables of files have.
    """
    below = child
    while isinstance(below, Filter):
        below = below.child
    if isinstance(below, UnresolvedHaving):
        below = below.child
    if not isinstance(below, Aggregate) or not e.bits & UNBOUND:
        return e
    source = below.child
    if isinstance(source, Expand):
        # The columns as they are before the grouping sets blank them out.
        source = source.child.children[0]
    if not any(names_metadata(n.parts) for n in e.collect(UnresolvedAttribute)):
        files = "none"
    scope, more = Scope(source.output), Scope(hidden_output(source, files))

    def step(x: Expression) -> Expression:
        if not isinstance(x, UnresolvedAttribute):
            return x
        try:
            found = scope.resolve(x.parts, x) or more.resolve(x.parts, x)
        except AnalysisError:
            return x
        if found is None:
            return x
        value = found.child if isinstance(found, Alias) else found
        return TempResolvedColumn(value, x.parts) if value.references else value

    made: Expression = e.transform_up(step, UnresolvedAttribute.BIT)
    return made


#: As the newest version does it.
LATEST = Behaviour()


def add_missing(
    expressions: list[Expression], plan: LogicalPlan, known: Behaviour = LATEST
) -> tuple[list[Expression], LogicalPlan]:
    """Bind names in what lies below `plan` and let the projections between pass those columns on.

    `known` says in which order these stand. Returns the expressions and the plan, the same ones where nothing was
    found.
    """
    wanted = frozenset[int]().union(*[e.references for e in expressions]) - plan.output_set
    if not wanted and all(e.resolved for e in expressions):
        return expressions, plan
    if not isinstance(plan, UnaryNode) or isinstance(plan, Distinct | SubqueryAlias | PipeOperator):
        return [bind_if_possible(e, Scope(plan.output)) for e in expressions], plan
    if isinstance(plan, Aggregate) and any(e.bits & TempResolvedColumn.BIT for e in expressions):
        # ORDER BY right above the Aggregate: ResolveAggregateFunctions finds what these mean among its results.
        return expressions, plan
    here = [bind_if_possible(e, Scope(plan.output)) for e in expressions]
    bound, child = add_missing(here, plan.child, known)
    missing = _missing(bound, plan, child, known.added_columns_follow_the_input)
    if isinstance(plan, Project):
        if not missing and child is plan.child:
            return bound, plan
        added = expressions_in_hash_set(missing) if known.added_columns_are_hashed else missing
        return bound, Project((*plan.projects, *added), child)
    if isinstance(plan, Aggregate):
        if child is not plan.child or not all(any(g.semantic_equals(a) for g in plan.grouping) for a in missing):
            return expressions, plan
        return bound, plan.replace(aggregates=(*plan.aggregates, *missing)) if missing else plan
    return bound, plan if child is plan.child else plan.replace(child=child)


def _missing(
    expressions: list[Expression], plan: LogicalPlan, child: LogicalPlan, as_given: bool
) -> list[AttributeReference]:
    """What the expressions read of the child and the plan does not pass on: of a Project in the child's order, where
    `as_given`, else as the expressions name it."""
    read = {a.expr_id: None for e in expressions for a in e.attributes if a.expr_id not in plan.output_set}
    if isinstance(plan, Project) and as_given:
        return [a for a in {a.expr_id: a for a in child.output}.values() if a.expr_id in read]
    available = {a.expr_id: a for a in child.output}
    return [available[i] for i in read if i in available]
