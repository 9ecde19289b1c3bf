"""Binding names to columns."""

from __future__ import annotations

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule, same_name
from planviz.analysis.deduplication import repeats_ids
from planviz.analysis.hidden import coming, unhidden
from planviz.analysis.lateral_aliases import with_lateral_aliases
from planviz.analysis.missing import add_missing, with_aggregate
from planviz.analysis.names import UNBOUND, Scope, bind, bind_if_possible, extract_value
from planviz.analysis.ordinals import groups_by_all, with_group_by_all, with_order_by_all
from planviz.analysis.stars import STARS, expanded, outer_column, star_arguments
from planviz.expressions.aggregates import GroupingID
from planviz.expressions.calls import FunctionCall
from planviz.expressions.core import Alias, Expression, NamedExpression, lit
from planviz.expressions.ids import next_id
from planviz.expressions.pipes import UnresolvedStarExceptOrReplace
from planviz.expressions.unresolved import (
    UnresolvedAttribute,
    UnresolvedExtractValue,
    UnresolvedOrdinal,
    UnresolvedStar,
    UnresolvedStarWithColumns,
    UnresolvedStarWithColumnsRenames,
)
from planviz.expressions.variables import VariableReference
from planviz.functions.registry import build
from planviz.logical.combining import Join, LateralJoin
from planviz.logical.operators import (
    Aggregate,
    CollectMetrics,
    Filter,
    Generate,
    Project,
    RepartitionByExpression,
    Sort,
)
from planviz.logical.plan import LogicalPlan, UnaryNode
from planviz.logical.unresolved import Unpivot, UnresolvedHaving, UnresolvedQualify
from planviz.versions import PROFILES
from planviz.versions.functions import functions_after

#: Names that mean a function when no column has them.
LITERAL_FUNCTIONS = frozenset(
    [
        "current_date",
        "current_timestamp",
        "current_time",
        "localtime",
        "current_user",
        "user",
        "session_user",
        "grouping__id",
    ]
)


#: Whether a select list may read its own aliases.
_LATERAL = "spark.sql.lateralColumnAlias.enableImplicitResolution"


class ResolveReferences(AnalyzerRule):
    """Bind column names to the output of the children.

    'a  =>  a#1           *  =>  a#1, b#2           'outer_column inside a subquery  =>  outer(a#1)

    Works on an operator only once its children are resolved. A name not found below is looked for, in this order, among
    the aliases to its left in the same select list (lateral column alias) and in the query around a subquery.
    """

    matches = (
        UnresolvedAttribute,
        UnresolvedStar,
        UnresolvedStarWithColumns,
        UnresolvedStarWithColumnsRenames,
        UnresolvedStarExceptOrReplace,
        UnresolvedExtractValue,
    )

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._operator, self.mask)

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        if not plan.children_resolved or not any(e.bits & self.mask for e in plan.expressions):
            return plan
        if isinstance(plan, Join) and not plan.duplicate_resolved:
            # A name would be bound to the column of another side; DeduplicateRelations comes first.
            return plan
        if self.context.config.behaviour.relations_are_deduplicated and any(map(repeats_ids, plan.children)):
            return plan
        known = self.context.config.behaviour
        if isinstance(plan, Project) and any(e.bits & STARS for e in plan.projects):
            items = expanded(plan.projects, plan, self.context.outer[:1], known.file_metadata)
            plan = plan.replace(projects=tuple(items))
        plan, shown = unhidden(plan, coming(known), known.file_metadata)
        bound = self._bound(plan)
        return bound if shown is None else Project(shown, bound)

    def _bound(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Project):
            return self._project(plan)
        if isinstance(plan, Aggregate):
            return self._aggregate(plan)
        if isinstance(plan, Sort):
            return self._sort(plan)
        if isinstance(plan, UnresolvedHaving) and isinstance(plan.child, Project):
            # HAVING read as WHERE: where nothing makes a group of the rows, it is one.
            return self._with_missing(plan.rebuilt(Filter(plan.condition, plan.child))) if plan.child.resolved else plan
        if isinstance(plan, UnresolvedHaving):
            return plan.replace(condition=self._having(plan))
        if isinstance(plan, CollectMetrics):
            plan = plan.map_expressions(lambda e: e.transform_up(lambda x: star_arguments(x, plan), UnresolvedStar.BIT))
        if isinstance(plan, Filter | RepartitionByExpression | UnresolvedQualify):
            return self._with_missing(plan)
        if isinstance(plan, Generate):
            return plan.replace(generator=self._last_resort(self._by_children(plan.generator, plan)))
        if isinstance(plan, Join) and plan.condition is not None:
            return plan.replace(condition=self._last_resort(self._by_children(plan.condition, plan)))
        if isinstance(plan, LateralJoin):
            condition = plan.condition
            if condition is None or not plan.right.resolved:
                return plan
            return plan.replace(condition=bind(condition, Scope(plan.output)))
        if isinstance(plan, Unpivot):
            columns = Scope(a for c in plan.children for a in c.output)
            return plan.map_expressions(lambda e: bind(e, columns))
        scope = Scope(a for c in plan.children for a in c.output)
        return plan.map_expressions(lambda e: self._last_resort(bind(e, scope)))

    def _by_children(self, e: Expression, plan: LogicalPlan) -> Expression:
        return bind(e, Scope(a for c in plan.children for a in c.output))

    def _last_resort(self, e: Expression) -> Expression:
        """Names that nothing below has: a function, a column of the surrounding query, then a session variable."""
        if not e.bits & UNBOUND:
            return e
        # Spark resolves a name one query further out, not two.
        outer = self.context.outer[:1]
        variables = bool(self.context.catalog.variables)

        def step(x: Expression) -> Expression:
            if not isinstance(x, UnresolvedAttribute):
                return x
            function = _function_by_name(x, self.context.config.profile)
            if function is not None:
                return function
            for plan in outer:
                scope = Scope(a for c in _outer_children(plan) for a in c.output)
                found = scope.resolve(x.parts, x)
                if found is not None:
                    return outer_column(found)
            return self._variable(x) if variables else x

        found: Expression = e.transform_up(step, UnresolvedAttribute.BIT)
        return found

    def _variable(self, x: UnresolvedAttribute) -> Expression:
        """The session variable that a name means, or a field of one; else the name."""
        for end in range(len(x.parts), 0, -1):
            found = self.context.catalog.variable(x.parts[:end])
            if found is not None:
                value: Expression = VariableReference(found.name, found.value.value, found.value.type)
                for part in x.parts[end:]:
                    value = extract_value(value, lit(part), x)
                return x.rebuilt(value)
        return x

    def _item(self, e: Expression) -> Expression:
        """An item of a select list whose names neither the children nor aliases have."""
        new = self._last_resort(e)
        if isinstance(e, UnresolvedAttribute) and not isinstance(new, NamedExpression):
            name = new.pretty if isinstance(new, FunctionCall) else e.parts[-1]
            return e.rebuilt(Alias(new, name, next_id()))
        return new

    def _project(self, plan: Project) -> Project:
        scope = Scope(plan.child.output)
        items = expanded(plan.projects, plan, self.context.outer[:1])
        bound = [bind(e, scope, True) for e in items]
        bound = self._with_lateral_aliases(bound)
        bound = [self._item(e) for e in bound]
        return plan.replace(projects=_kept(plan.projects, bound))

    def _aggregate(self, plan: Aggregate) -> Aggregate:
        scope = Scope(plan.child.output)
        items = expanded(plan.aggregates, plan, self.context.outer[:1])
        grouping = [bind(e, scope) for e in plan.grouping]
        bound = [bind(e, scope, True) for e in items]
        bound = self._with_lateral_aliases(bound)
        bound = [self._item(e) for e in bound]
        named = self.context.config.flag("spark.sql.groupByAliases")
        if named and all(e.resolved for e in bound) and not all(e.resolved for e in grouping):
            grouping = self._group_aliases(grouping, bound)
        grouping = [self._last_resort(e) if not self._groups_by_all(plan) else e for e in grouping]
        new = plan.replace(grouping=_kept(plan.grouping, grouping), aggregates=_kept(plan.aggregates, bound))
        return with_group_by_all(new) if self._groups_by_all(new) else new

    def _with_lateral_aliases(self, items: list[Expression]) -> list[Expression]:
        config = self.context.config
        reads = config.behaviour.lists_name_themselves and config.get(_LATERAL)
        return with_lateral_aliases(items) if reads else items

    def _groups_by_all(self, plan: Aggregate) -> bool:
        return self.context.config.behaviour.lists_name_themselves and groups_by_all(plan)

    def _group_aliases(self, grouping: list[Expression], items: list[Expression]) -> list[Expression]:
        """GROUP BY names that are aliases of the select list."""

        def step(x: Expression) -> Expression:
            if isinstance(x, UnresolvedAttribute):
                for e in items:
                    if isinstance(e, NamedExpression) and len(x.parts) == 1 and same_name(e.name, x.parts[0]):
                        return e.child if isinstance(e, Alias) else e
            return x

        return [e.transform_up(step, UnresolvedAttribute.BIT) for e in grouping]

    def _sort(self, plan: Sort) -> LogicalPlan:
        first = self.context.config.flag("spark.sql.prioritizeOrdinalResolutionInSort.enabled")
        if first and any(o.bits & UnresolvedOrdinal.BIT for o in plan.order):
            return plan
        scope = Scope(plan.child.output)
        order = [bind_if_possible(o, scope) for o in plan.order]
        order = [with_aggregate(o, plan.child, self.context.config.behaviour.file_metadata) for o in order]
        resolved, child = add_missing(order, plan.child, self.context.config.behaviour)
        if plan.whole and self.context.config.behaviour.lists_name_themselves:
            resolved = with_order_by_all(resolved, plan.child)
        resolved = [self._last_resort(o) for o in resolved]
        if child is plan.child:
            return plan.replace(order=_kept(plan.order, resolved))
        return Project(plan.child.output, plan.replace(order=tuple(resolved), child=child))

    def _having(self, plan: UnresolvedHaving) -> Expression:
        e = with_aggregate(plan.condition, plan.child, self.context.config.behaviour.file_metadata)
        e = bind(e, Scope(plan.child.output))
        return self._last_resort(e)

    def _with_missing(self, plan: UnaryNode) -> LogicalPlan:
        scope = Scope(plan.child.output)
        if any(e.bits & UnresolvedStar.BIT for e in plan.expressions):
            plan = plan.map_expressions(lambda e: e.transform_up(lambda x: star_arguments(x, plan), UnresolvedStar.BIT))
        bound = plan.map_expressions(lambda e: bind(e, scope))
        lacks = any(e.bits & UnresolvedAttribute.BIT for e in bound.expressions)
        known = self.context.config.behaviour
        stays = isinstance(plan, RepartitionByExpression) and not known.hints_find_missing_columns
        if lacks and not stays and not isinstance(plan.child, Aggregate):
            resolved, child = add_missing(list(bound.expressions), plan.child, known)
            if child is not plan.child:
                it = iter(resolved)
                return Project(plan.child.output, bound.map_expressions(lambda _: next(it)).replace(child=child))
        return bound.map_expressions(self._last_resort)


def _function_by_name(x: UnresolvedAttribute, profile: str) -> Expression | None:
    """The function that a name without parentheses means (Spark: LiteralFunctionResolution); None for another name."""
    name = x.parts[-1].lower()
    if len(x.parts) > 1 or name not in LITERAL_FUNCTIONS or name in functions_after(profile, tuple(PROFILES)):
        return None
    meant = "current_user" if name in ("user", "session_user") else name
    return x.rebuilt(GroupingID(())) if name == "grouping__id" else build((meant,), (), x)


def _outer_children(plan: LogicalPlan) -> tuple[LogicalPlan, ...]:
    """The relations that a subquery of `plan` may read: below HAVING also what the Aggregate reads."""
    if isinstance(plan, UnresolvedHaving | Filter) and isinstance(plan.child, Aggregate):
        return (plan.child, plan.child.child)
    found: tuple[LogicalPlan, ...] = plan.children
    return found


def _kept(old: tuple[Expression, ...], new: list[Expression]) -> tuple[Expression, ...]:
    if len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True)):
        return old
    return tuple(new)
