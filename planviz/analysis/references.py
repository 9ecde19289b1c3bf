"""Binding names to columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planviz.analysis.context import AnalyzerRule, analysis_error, same_name
from planviz.analysis.frames import columns_renamed, columns_replaced, columns_with
from planviz.analysis.names import Scope, extract_value, unresolved_column
from planviz.errors import AnalysisError
from planviz.expressions.aggregates import AggregateExpression, GroupingID
from planviz.expressions.calls import FunctionCall
from planviz.expressions.complex import CreateNamedStruct, struct_of
from planviz.expressions.core import (
    Alias,
    AttributeReference,
    Expression,
    Literal,
    NamedExpression,
    SortOrder,
    lit,
    next_id,
    occurs,
)
from planviz.expressions.pipes import UnresolvedPipeAggregateOrdinal, UnresolvedStarExceptOrReplace
from planviz.expressions.predicates import In
from planviz.expressions.subqueries import SubqueryExpression
from planviz.expressions.unresolved import (
    LateralColumnAliasReference,
    OuterReference,
    TempResolvedColumn,
    UnresolvedAlias,
    UnresolvedAttribute,
    UnresolvedExtractValue,
    UnresolvedFunction,
    UnresolvedOrdinal,
    UnresolvedStar,
    UnresolvedStarWithColumns,
    UnresolvedStarWithColumnsRenames,
)
from planviz.expressions.variables import VariableReference
from planviz.expressions.windows import WindowExpression
from planviz.logical.combining import Join, LateralJoin
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    HiddenColumns,
    Project,
    RepartitionByExpression,
    Sort,
    SubqueryAlias,
)
from planviz.logical.plan import LogicalPlan, UnaryNode
from planviz.logical.unresolved import PipeOperator, Unpivot, UnresolvedHaving, UnresolvedQualify
from planviz.trees.depth import deep
from planviz.types import INT, StructType

_NAMES = UnresolvedAttribute.BIT | UnresolvedExtractValue.BIT
_STARS = (
    UnresolvedStar.BIT
    | UnresolvedStarWithColumns.BIT
    | UnresolvedStarWithColumnsRenames.BIT
    | UnresolvedStarExceptOrReplace.BIT
)
#: Names that mean a function when no column has them.
LITERAL_FUNCTIONS = frozenset(
    ["current_date", "current_timestamp", "current_time", "current_user", "user", "session_user", "localtimestamp"]
)


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

    def apply(self, plan: Any) -> Any:
        """See the class."""
        return plan.transform_up(self._operator, self.mask)

    def _operator(self, plan: Any) -> Any:
        if not plan.children_resolved or not any(e.bits & self.mask for e in plan.expressions):
            return plan
        plan = _unhide(plan, self)
        if isinstance(plan, Project):
            return self._project(plan)
        if isinstance(plan, Aggregate):
            return self._aggregate(plan)
        if isinstance(plan, Sort):
            return self._sort(plan)
        if isinstance(plan, UnresolvedHaving):
            return plan.replace(condition=self._having(plan))
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
            return plan.map_expressions(lambda e: self._by_children(e, plan))
        scope = Scope(a for c in plan.children for a in c.output)
        return plan.map_expressions(lambda e: self._last_resort(bind(e, scope)))

    # -------------------------------------------------------------------------------------------- pieces

    def _by_children(self, e: Expression, plan: LogicalPlan, top: bool = False) -> Expression:
        return bind(e, Scope(a for c in plan.children for a in c.output), top, plan)

    def _last_resort(self, e: Expression) -> Expression:
        """Names that nothing else has: literal functions, then the surrounding query."""
        if not e.bits & _NAMES:
            return e
        # Spark resolves a name one query further out, not two.
        outer = self.context.outer[:1]
        variables = bool(self.context.catalog.variables)

        def step(x: Any) -> Any:
            if not isinstance(x, UnresolvedAttribute):
                return x
            for plan in outer:
                scope = Scope(a for c in outer_children(plan) for a in c.output)
                found = scope.resolve(x.parts, x)
                if found is not None:
                    return _outer(found)
            return self._variable(x) if variables else x

        return e.transform_up(step, UnresolvedAttribute.BIT) if outer or variables else e

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
        new = self._named_function(self._last_resort(e))
        if isinstance(e, UnresolvedAttribute) and not isinstance(new, NamedExpression):
            return e.rebuilt(Alias(new, e.parts[-1], next_id()))
        return new

    def _functions_by_name(self, e: Expression) -> Expression:
        def step(x: Any) -> Any:
            if isinstance(x, UnresolvedAttribute) and len(x.parts) == 1:
                name = x.parts[0].lower()
                if name in LITERAL_FUNCTIONS:
                    return UnresolvedFunction((name,), ())
                if name == "grouping__id":
                    return x.rebuilt(GroupingID(()))
            return x

        return e.transform_up(step, UnresolvedAttribute.BIT) if e.bits & UnresolvedAttribute.BIT else e

    def _named_function(self, e: Expression) -> Expression:
        """A function by its bare name in a select list still needs a column name."""
        new = self._functions_by_name(e)
        if isinstance(new, GroupingID) and isinstance(e, UnresolvedAttribute):
            return e.rebuilt(Alias(new, e.parts[-1], next_id()))
        return UnresolvedAlias(new) if new is not e and isinstance(e, UnresolvedAttribute) else new

    # -------------------------------------------------------------------------------------------- select lists

    def _project(self, plan: Project) -> Any:
        scope = Scope(plan.child.output)
        items = self._expand(plan.projects, plan)
        bound = [bind(e, scope, True, plan) for e in items]
        bound = self._lateral(bound)
        bound = [self._item(e) for e in bound]
        return plan.replace(projects=_kept(plan.projects, bound))

    def _expand(self, items: tuple[Expression, ...], plan: Any) -> list[Expression]:
        if not any(e.bits & _STARS for e in items):
            return list(items)
        out: list[Expression] = []
        for e in items:
            if isinstance(e, UnresolvedStar):
                out += expand_star(e, plan)
            elif isinstance(e, UnresolvedStarWithColumns):
                out += columns_with(e, plan.child.output)
            elif isinstance(e, UnresolvedStarExceptOrReplace):
                out += columns_replaced(e, plan.child.output)
            elif isinstance(e, UnresolvedStarWithColumnsRenames):
                out += columns_renamed(e, plan.child.output)
            elif e.bits & UnresolvedStar.BIT:
                out.append(e.transform_up(lambda x: _star_arguments(x, plan), UnresolvedStar.BIT))
            else:
                out.append(e)
        return out

    def _lateral(self, items: list[Expression]) -> list[Expression]:
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
                known.setdefault(new.name.lower(), []).append(new)
        return out

    # -------------------------------------------------------------------------------------------- aggregates

    def _aggregate(self, plan: Aggregate) -> Any:
        scope = Scope(plan.child.output)
        items = self._expand(plan.aggregates, plan)
        grouping = [bind(e, scope, False, plan) for e in plan.grouping]
        bound = [bind(e, scope, True, plan) for e in items]
        bound = self._lateral(bound)
        bound = [self._item(e) for e in bound]
        if all(e.resolved for e in bound) and not all(e.resolved for e in grouping):
            grouping = self._group_aliases(grouping, bound)
        grouping = [self._last_resort(e) if not _group_all(plan) else e for e in grouping]
        new = plan.replace(grouping=_kept(plan.grouping, grouping), aggregates=_kept(plan.aggregates, bound))
        return _group_by_all(new) if _group_all(new) else new

    def _group_aliases(self, grouping: list[Expression], items: list[Expression]) -> list[Expression]:
        """GROUP BY names that are aliases of the select list."""

        def step(x: Any) -> Any:
            if isinstance(x, UnresolvedAttribute):
                for e in items:
                    if isinstance(e, NamedExpression) and len(x.parts) == 1 and same_name(e.name, x.parts[0]):
                        return e.child if isinstance(e, Alias) else e
            return x

        return [e.transform_up(step, UnresolvedAttribute.BIT) for e in grouping]

    # -------------------------------------------------------------------------------------------- sort, having

    def _sort(self, plan: Sort) -> Any:
        if any(o.bits & UnresolvedOrdinal.BIT for o in plan.order):
            return plan
        scope = Scope(plan.child.output)
        order = [self._quiet(o, scope) for o in plan.order]
        order = [with_aggregate(o, plan.child) for o in order]
        resolved, child = add_missing(order, plan.child, self)
        resolved = _order_by_all(resolved, plan.child)
        resolved = [self._functions_by_name(self._last_resort(o)) for o in resolved]
        if child is plan.child:
            return plan.replace(order=_kept(plan.order, resolved))
        return Project(plan.child.output, plan.replace(order=tuple(resolved), child=child))

    def _quiet(self, e: Expression, scope: Scope) -> Expression:
        return bind(e, scope)

    def _having(self, plan: UnresolvedHaving) -> Expression:
        e = with_aggregate(plan.condition, plan.child)
        e = bind(e, Scope(plan.child.output))
        return self._functions_by_name(self._last_resort(e))

    def _with_missing(self, plan: Any) -> Any:
        scope = Scope(plan.child.output)
        if any(e.bits & UnresolvedStar.BIT for e in plan.expressions):
            plan = plan.map_expressions(
                lambda e: e.transform_up(lambda x: _star_arguments(x, plan), UnresolvedStar.BIT)
            )
        bound = plan.map_expressions(lambda e: bind(e, scope))
        if any(e.bits & UnresolvedAttribute.BIT for e in bound.expressions) and not isinstance(plan.child, Aggregate):
            resolved, child = add_missing(list(bound.expressions), plan.child, self)
            if child is not plan.child:
                it = iter(resolved)
                return Project(plan.child.output, bound.map_expressions(lambda _: next(it)).replace(child=child))
        return bound.map_expressions(lambda e: self._functions_by_name(self._last_resort(e)))


def _unhide(plan: Any, rule: ResolveReferences) -> Any:
    """The operator over a child that gives the columns of a USING join that `*` leaves out, where they are named."""
    child: Any = plan.children[0] if plan.children else plan
    hidden = HiddenColumns.of(child) if len(plan.children) == 1 else ()
    if not hidden:
        return plan
    visible, more = Scope(child.output), Scope(hidden)
    if isinstance(plan, Project):
        plan = plan.replace(projects=tuple(rule._expand(plan.projects, plan)))
    named = [n for e in plan.expressions for n in e.collect(UnresolvedAttribute)]
    if not any(visible.resolve(n.parts, n) is None and more.resolve(n.parts, n) is not None for n in named):
        return plan
    bound = plan.map_expressions(lambda e: bind(bind(e, visible, True), more, True))
    used = {a.expr_id for e in bound.expressions for a in e.collect(AttributeReference)}
    needed = [column for column in hidden if column.expr_id in used]
    return bound.replace(child=Project((*child.projects, *needed), child.child))


def outer_children(plan: LogicalPlan) -> tuple[LogicalPlan, ...]:
    """The relations that a subquery of `plan` may read: below HAVING also what the Aggregate reads."""
    if isinstance(plan, UnresolvedHaving | Filter) and isinstance(plan.child, Aggregate):
        return (plan.child, plan.child.child)
    found: tuple[LogicalPlan, ...] = plan.children
    return found


def _outer(found: Expression) -> Expression:
    def wrap(x: Any) -> Any:
        return OuterReference(x) if isinstance(x, AttributeReference) else x

    made: Expression = (found.child if isinstance(found, Alias) else found).transform_up(wrap, AttributeReference.BIT)
    return made


def _kept(old: tuple[Any, ...], new: list[Any]) -> tuple[Any, ...]:
    if len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True)):
        return old
    return tuple(new)


@deep
def bind(e: Expression, scope: Scope, top: bool = False, plan: LogicalPlan | None = None) -> Expression:
    """The expression with its names bound in `scope`; `top` keeps the alias of a field that stands alone."""
    if not e.bits & _NAMES:
        return e
    if isinstance(e, UnresolvedAttribute):
        found = scope.resolve(e.parts, e)
        if found is None:
            return e
        return found if top or not isinstance(found, Alias) else found.child
    new = e.map_children(lambda c: bind(c, scope))
    if isinstance(new, UnresolvedExtractValue) and new.child.resolved and new.extraction.resolved:
        return extract_value(new.child, new.extraction, new)
    return new


def expand_star(star: UnresolvedStar, plan: Any) -> list[Expression]:
    """The columns that `*`, `t.*` or `struct.*` means, without those in EXCEPT."""
    columns: list[Any] = [a for c in plan.children for a in c.output]
    if star.target:
        wanted = tuple(p.lower() for p in star.target)
        named = [a for a in columns if tuple(q.lower() for q in a.qualifier[-len(wanted) :]) == wanted]
        columns = named or _struct_star(star, columns)
    for name in star.excepted:
        kept = [c for c in columns if not _named(c, name)]
        if len(kept) == len(columns):
            raise unresolved_column(star.rebuilt(UnresolvedAttribute(name)), columns)
        columns = kept
    return columns


def _named(c: Any, name: tuple[str, ...]) -> bool:
    qualifier = c.qualifier if isinstance(c, AttributeReference) else ()
    full = tuple(p.lower() for p in (*qualifier, c.name))
    return full[-len(name) :] == tuple(p.lower() for p in name)


def _struct_star(star: UnresolvedStar, columns: list[Any]) -> list[Any]:
    from planviz.expressions.complex import GetStructField
    from planviz.expressions.core import alias

    found = Scope(columns).resolve(star.target, star)
    value = found.child if isinstance(found, Alias) else found
    if value is None or not isinstance(value.data_type, StructType):
        qualifiers = sorted({".".join(a.qualifier) for a in columns if a.qualifier})
        raise analysis_error(
            "CANNOT_RESOLVE_STAR_EXPAND",
            f"Cannot resolve {'.'.join(star.target)}.* given input columns from {', '.join(qualifiers) or 'nothing'}.",
            star,
        )
    return [alias(GetStructField(value, i), f.name) for i, f in enumerate(value.data_type.fields)]


def _star_arguments(x: Any, plan: Any) -> Any:
    """A star among the arguments of a function means all columns; count(*) counts rows."""
    if isinstance(x, In) and any(isinstance(v, UnresolvedStar) for v in x.items):
        items = [c for v in x.items for c in (expand_star(v, plan) if isinstance(v, UnresolvedStar) else (v,))]
        return x.replace(items=tuple(items))
    if isinstance(x, CreateNamedStruct) and x.shown == "struct" and x.bits & UnresolvedStar.BIT:
        items = [c for v in x.values for c in (expand_star(v, plan) if isinstance(v, UnresolvedStar) else (v,))]
        return x.rebuilt(struct_of(items, "struct"))
    if not isinstance(x, UnresolvedFunction) or not any(isinstance(a, UnresolvedStar) for a in x.arguments):
        return x
    if x.parts[-1].lower() == "count" and x.arguments == (UnresolvedStar(),) and not x.distinct:
        return x.replace(arguments=(Literal(1, INT),))
    out: list[Expression] = []
    for a in x.arguments:
        if isinstance(a, UnresolvedStar):
            if x.parts[-1].lower() == "count" and a.target:
                raise analysis_error(
                    "INVALID_USAGE_OF_STAR_WITH_TABLE_IDENTIFIER_IN_COUNT",
                    f"count({'.'.join(f'`{p}`' for p in a.target)}.*) is not allowed. "
                    "Use count(*) or expand the columns manually, e.g. count(col1, col2).",
                    x,
                )
            out += expand_star(a, plan)
        else:
            out.append(a)
    return x.replace(arguments=tuple(out))


def _lateral_one(x: Any, known: dict[str, list[Alias]]) -> Any:
    if not isinstance(x, UnresolvedAttribute):
        return x
    found = known.get(x.parts[0].lower())
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
        value = extract_value(value, Literal(f, _string()))
    return LateralColumnAliasReference(value, x.parts, target.to_attribute())


def _string() -> Any:
    from planviz.types import STRING

    return STRING


def with_aggregate(e: Expression, child: LogicalPlan) -> Expression:
    """Names that the Aggregate below can see, marked so that only aggregate functions and keys may use them."""
    below = child
    while isinstance(below, Filter | SubqueryAlias) and not isinstance(below, SubqueryAlias):
        below = below.child
    if isinstance(below, UnresolvedHaving):
        below = below.child
    if not isinstance(below, Aggregate) or not e.bits & _NAMES:
        return e
    source: Any = below.child
    if isinstance(source, Expand):
        # The columns as they are before the grouping sets blank them out.
        source = source.child.children[0]
    scope = Scope(source.output)

    def step(x: Any) -> Any:
        if not isinstance(x, UnresolvedAttribute):
            return x
        try:
            found = scope.resolve(x.parts, x)
        except AnalysisError:
            return x
        if found is None:
            return x
        return TempResolvedColumn(found.child if isinstance(found, Alias) else found, x.parts)

    made: Expression = e.transform_up(step, UnresolvedAttribute.BIT)
    return made


def add_missing(
    expressions: list[Expression], plan: Any, rule: ResolveReferences
) -> tuple[list[Expression], LogicalPlan]:
    """Bind names in what lies below `plan` and let the projections between pass those columns on.

    Returns the expressions and the plan, the same ones where nothing was found.
    """
    wanted = frozenset[int]().union(*[e.references for e in expressions]) - plan.output_set
    if not wanted and all(e.resolved for e in expressions):
        return expressions, plan
    if not isinstance(plan, UnaryNode) or isinstance(plan, Distinct | SubqueryAlias | PipeOperator):
        return [bind(e, Scope(plan.output)) for e in expressions], plan
    if isinstance(plan, Aggregate) and any(e.bits & TempResolvedColumn.BIT for e in expressions):
        # ORDER BY right above the Aggregate: ResolveAggregateFunctions finds what these mean among its results.
        return expressions, plan
    here = [bind(e, Scope(plan.output)) for e in expressions]
    bound, child = add_missing(here, plan.child, rule)
    missing = _missing(bound, plan, child)
    if isinstance(plan, Project):
        if not missing and child is plan.child:
            return bound, plan
        return bound, Project((*plan.projects, *missing), child)
    if isinstance(plan, Aggregate):
        if child is not plan.child or not all(any(g.semantic_equals(a) for g in plan.grouping) for a in missing):
            return expressions, plan
        return bound, plan.replace(aggregates=(*plan.aggregates, *missing)) if missing else plan
    return bound, plan if child is plan.child else plan.replace(child=child)


def _missing(expressions: list[Expression], plan: Any, child: Any) -> list[AttributeReference]:
    """What the expressions read of the child and the plan does not pass on."""
    available = {a.expr_id: a for a in child.output}
    found: dict[int, AttributeReference] = {}
    for e in expressions:
        for a in e.attributes:
            if a.expr_id not in plan.output_set and a.expr_id in available:
                found.setdefault(a.expr_id, available[a.expr_id])
    return list(found.values())


# ---------------------------------------------------------------------------------------------------- GROUP BY ALL


def _group_all(plan: Aggregate) -> bool:
    return (
        len(plan.grouping) == 1
        and isinstance(plan.grouping[0], UnresolvedAttribute)
        and [p.lower() for p in plan.grouping[0].parts] == ["all"]
    )


def _group_by_all(plan: Aggregate) -> Any:
    """GROUP BY ALL: every item of the select list without an aggregate function."""
    if not all(e.resolved for e in plan.aggregates):
        return plan
    keys: list[Expression] = []
    for e in plan.aggregates:
        if occurs(e, AggregateExpression.BIT):
            continue
        keys.append(e.child if isinstance(e, Alias) else e)
    return plan.replace(grouping=tuple(keys))


def _order_by_all(order: list[Expression], child: LogicalPlan) -> list[Expression]:
    if len(order) != 1 or not isinstance(order[0], SortOrder) or not child.resolved:
        return order
    only = order[0]
    if not isinstance(only.child, UnresolvedAttribute) or [p.lower() for p in only.child.parts] != ["all"]:
        return order
    return [SortOrder(a, only.direction, only.null_order) for a in child.output]


# ---------------------------------------------------------------------------------------------------- ordinals


class ResolveOrdinalInOrderByAndGroupBy(AnalyzerRule):
    """Positions in GROUP BY and ORDER BY.

    ORDER BY 2  =>  the second column          GROUP BY 1  =>  the first item of the select list
    """

    matches = (UnresolvedOrdinal, UnresolvedPipeAggregateOrdinal)

    def apply(self, plan: Any) -> Any:
        """See the class."""
        plan = plan.transform_up(self._piped, UnresolvedPipeAggregateOrdinal.BIT)
        return plan.transform_up(self._operator, UnresolvedOrdinal.BIT)

    def _piped(self, plan: Any) -> Any:
        """Positions of |> AGGREGATE, in both lists: columns of the input."""
        if not isinstance(plan, Aggregate) or not plan.child.resolved:
            return plan
        if not any(isinstance(e, UnresolvedPipeAggregateOrdinal) for e in plan.aggregates):
            return plan
        columns = plan.child.output
        items = tuple(
            self._pick(e.rebuilt(UnresolvedOrdinal(e.ordinal)), columns, "GROUP_BY")
            if isinstance(e, UnresolvedPipeAggregateOrdinal)
            else e
            for e in plan.aggregates
        )
        keys = tuple(self._pick(g, columns, "GROUP_BY") for g in plan.grouping)
        return plan.replace(grouping=keys, aggregates=items)

    def _operator(self, plan: Any) -> Any:
        if isinstance(plan, Sort) and plan.child.resolved:
            return plan.replace(order=tuple(self._pick(o, plan.child.output, "ORDER_BY") for o in plan.order))
        if isinstance(plan, Aggregate) and all(_settled(e) for e in plan.aggregates):
            return plan.replace(grouping=tuple(self._pick(g, plan.aggregates, "GROUP_BY") for g in plan.grouping))
        return plan

    def _pick(self, e: Expression, items: tuple[Expression, ...], clause: str) -> Expression:
        def step(x: Any) -> Any:
            if not isinstance(x, UnresolvedOrdinal):
                return x
            if not 1 <= x.ordinal <= len(items):
                raise analysis_error(
                    f"{clause}_POS_OUT_OF_RANGE",
                    f"{clause.replace('_', ' ')} position {x.ordinal} is not in select list (valid range is "
                    f"[1, {len(items)}]).",
                    x,
                )
            item = items[x.ordinal - 1]
            if clause == "GROUP_BY" and occurs(item, AggregateExpression.BIT):
                raise analysis_error(
                    "GROUP_BY_POS_AGGREGATE",
                    f"GROUP BY {x.ordinal} refers to an expression {item.sql} that contains an aggregate function.",
                    x,
                )
            return item.child if isinstance(item, Alias) else item

        return e.transform_up(step, UnresolvedOrdinal.BIT) if e.bits & UnresolvedOrdinal.BIT else e


def _settled(e: Expression) -> bool:
    return bool(e.resolved)


# ---------------------------------------------------------------------------------------------------- lateral aliases


class ResolveLateralColumnAliasReference(AnalyzerRule):
    """Compute aliases that the same select list uses in a projection beneath.

    Project [a + 1 AS x, x * 2 AS y]  =>  Project [x, x * 2 AS y] over Project [*, a + 1 AS x]
    """

    matches = (LateralColumnAliasReference,)
    package = "org.apache.spark.sql.catalyst.analysis"

    def apply(self, plan: Any) -> Any:
        """See the class."""
        return plan.transform_up(self._operator, LateralColumnAliasReference.BIT)

    def _operator(self, plan: Any) -> Any:
        bit = LateralColumnAliasReference.BIT
        if isinstance(plan, Project) and any(e.bits & bit for e in plan.projects):
            if all(e.resolved for e in plan.projects) and not any(
                occurs(e, WindowExpression.BIT) for e in plan.projects
            ):
                return _push_aliases(plan)
            if all(e.resolved for e in plan.projects):
                return _push_aliases(plan)
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


def _push_aliases(plan: Project) -> Any:
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

    def unwrap(x: Any) -> Any:
        if isinstance(x, LateralColumnAliasReference) and x.attribute.expr_id in inner_ids:
            return x.target
        return x

    outer: list[Any] = []
    for e in plan.projects:
        if isinstance(e, Alias) and e.expr_id in inner_ids:
            outer.append(e.to_attribute())
        else:
            outer.append(e.transform_up(unwrap, bit) if e.bits & bit else e)
    return Project(tuple(outer), Project((*plan.child.output, *inner), plan.child))


def _split_aggregate(plan: Aggregate) -> Any:
    from planviz.expressions.core import alias

    pieces: dict[Expression, Any] = {}

    def pull(x: Any) -> Any:
        if isinstance(x, AggregateExpression) or any(g.semantic_equals(x) for g in plan.grouping):
            key = x.canonicalized
            if key not in pieces:
                pieces[key] = x if isinstance(x, AttributeReference) else alias(x, x.pretty)
            return pieces[key].to_attribute()
        return x.map_children(pull)

    projects = tuple(pull(e) for e in plan.aggregates)
    return Project(projects, Aggregate(plan.grouping, tuple(pieces.values()), plan.child))


Binder = Callable[[Expression], Expression]
__all__ = ["Binder", "FunctionCall", "SubqueryExpression"]
