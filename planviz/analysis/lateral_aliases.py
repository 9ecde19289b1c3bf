"""Aliases that the same select list uses (lateral column aliases)."""

from __future__ import annotations

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule, folded
from planviz.analysis.names import extract_value
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import Alias, AttributeReference, Expression, alias, lit, occurs
from planviz.expressions.ids import next_id
from planviz.expressions.unresolved import LateralColumnAliasReference, TempResolvedColumn, UnresolvedAttribute
from planviz.expressions.windows import WindowExpression
from planviz.frontend.errors import analysis_error
from planviz.logical.operators import Aggregate, Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import UnresolvedHaving


def with_lateral_aliases(items: list[Expression]) -> list[Expression]:
    """Names that mean an alias to the left in the same list."""
    if not any(e.bits & UnresolvedAttribute.BIT for e in items):
        return items
    known: dict[str, list[Alias]] = {}
    out: list[Expression] = []
    for e in items:
        new = e
        if e.bits & UnresolvedAttribute.BIT and known:
            new = e.transform_up(lambda x: _lateral_one(x, known), UnresolvedAttribute.BIT)
        if isinstance(new, LateralColumnAliasReference) and len(new.parts) > 1:
            new = e.rebuilt(Alias(new, new.parts[-1], next_id()))
        out.append(new)
        if isinstance(new, Alias):
            known.setdefault(folded(new.name), []).append(new)
    return out


def _lateral_one(x: Expression, known: dict[str, list[Alias]]) -> Expression:
    if not isinstance(x, UnresolvedAttribute):
        return x
    found = known.get(folded(x.parts[0]))
    if not found:
        return x
    if len(found) > 1:
        raise analysis_error(
            "AMBIGUOUS_LATERAL_COLUMN_ALIAS",
            f"Lateral column alias {x.name} is ambiguous and has {len(found)} matches.",
            x,
        )
    target = found[0]
    if not target.resolved:
        return x
    value: Expression = target.to_attribute()
    for f in x.parts[1:]:
        value = extract_value(value, lit(f))
    return LateralColumnAliasReference(value, x.parts, target.to_attribute())


class ResolveLateralColumnAliasReference(AnalyzerRule):
    """Compute aliases that the same select list uses in a projection beneath.

    Project [a + 1 AS x, x * 2 AS y]  =>  Project [x, x * 2 AS y] over Project [*, a + 1 AS x]
    """

    matches = (LateralColumnAliasReference,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if plan.bits & (TempResolvedColumn.BIT | UnresolvedHaving.BIT):
            # HAVING and ORDER BY look for the Aggregate right beneath them, which a projection would hide.
            return plan
        return plan.resolve_operators_up(self._operator, LateralColumnAliasReference.BIT)

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        bit = LateralColumnAliasReference.BIT
        if isinstance(plan, Project) and any(e.bits & bit for e in plan.projects):
            return _push_aliases(plan) if all(e.resolved for e in plan.projects) else plan
        if isinstance(plan, Aggregate) and any(e.bits & bit for e in plan.aggregates):
            wrong = next((g for g in plan.grouping if occurs(g, bit)), None)
            if wrong is not None:
                raise analysis_error(
                    "UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_GROUP_BY",
                    "Referencing a lateral column alias via GROUP BY alias/ALL is not supported yet.",
                    wrong,
                )
            ready = all(e.resolved for e in plan.aggregates) and all(g.resolved for g in plan.grouping)
            # What is neither grouped nor aggregated stays, to be reported.
            return _split_aggregate(plan) if ready and all(_grouped(e, plan) for e in plan.aggregates) else plan
        return plan


def _grouped(e: Expression, plan: Aggregate) -> bool:
    """Whether an item is made of aggregate functions, grouping expressions and constants."""
    if isinstance(e, WindowExpression) and e.bits & LateralColumnAliasReference.BIT:
        raise analysis_error(
            "UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_WINDOW",
            "The feature is not supported: Referencing a lateral column alias "
            f'`{e.collect(LateralColumnAliasReference)[0].name}` in window expression "{e.sql}".',
            e,
        )
    if isinstance(e, AggregateExpression):
        if e.bits & LateralColumnAliasReference.BIT:
            name = e.collect(LateralColumnAliasReference)[0].name
            raise analysis_error(
                "UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_AGGREGATE_FUNC",
                "The feature is not supported: Referencing a lateral column alias "
                f'`{name}` in the aggregate function "{e.sql}".',
                e,
            )
        return True
    if any(g.semantic_equals(e) for g in plan.grouping):
        return True
    return not isinstance(e, AttributeReference) and all(_grouped(c, plan) for c in e.children)


def _push_aliases(plan: Project) -> LogicalPlan:
    bit = LateralColumnAliasReference.BIT
    used = {r.attribute.expr_id for e in plan.projects if e.bits & bit for r in e.collect(LateralColumnAliasReference)}
    for e in plan.projects:
        for w in e.collect(WindowExpression) if occurs(e, WindowExpression.BIT) else ():
            if w.bits & bit:
                name = w.collect(LateralColumnAliasReference)[0].name
                raise analysis_error(
                    "UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_WINDOW",
                    "The feature is not supported: Referencing a lateral column alias "
                    f'`{name}` in window expression "{w.sql}".',
                    w,
                )
    inner = [e for e in plan.projects if isinstance(e, Alias) and e.expr_id in used and not e.bits & bit]
    inner_ids = {e.expr_id for e in inner}

    def unwrap(x: Expression) -> Expression:
        if isinstance(x, LateralColumnAliasReference) and x.attribute.expr_id in inner_ids:
            return x.target
        return x

    outer: list[Expression] = []
    for e in plan.projects:
        if isinstance(e, Alias) and e.expr_id in inner_ids:
            outer.append(e.to_attribute())
        else:
            outer.append(e.transform_up(unwrap, bit) if e.bits & bit else e)
    return Project(tuple(outer), Project((*plan.child.output, *inner), plan.child))


def _split_aggregate(plan: Aggregate) -> LogicalPlan:
    pieces: dict[Expression, Expression] = {}

    def pull(x: Expression) -> Expression:
        if isinstance(x, AggregateExpression) or any(g.semantic_equals(x) for g in plan.grouping):
            key = x.canonicalized
            if key not in pieces:
                pieces[key] = x if isinstance(x, AttributeReference) else alias(x, x.pretty)
            return pieces[key].to_attribute()
        return x.map_children(pull)

    projects = tuple(pull(e) for e in plan.aggregates)
    return Project(projects, Aggregate(plan.grouping, tuple(pieces.values()), plan.child))
