"""Aggregates without GROUP BY, HAVING and ORDER BY over aggregates, ROLLUP and its kin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from typing_extensions import override

from planviz.analysis.cleanup import trim
from planviz.analysis.context import AnalyzerRule
from planviz.analysis.earlier import order_computed_below
from planviz.analysis.hidden import coming, giving
from planviz.analysis.missing import add_missing
from planviz.analysis.names import Scope
from planviz.config import OptimizerConfig
from planviz.expressions.aggregates import AggregateExpression, Grouping, GroupingID
from planviz.expressions.arithmetic import BitwiseAnd, Shift
from planviz.expressions.casts import Cast
from planviz.expressions.core import (
    Alias,
    AttributeReference,
    Expression,
    Literal,
    NamedExpression,
    SortOrder,
    alias,
    occurs,
)
from planviz.expressions.grouping import count_sets, refuse_many, selected_sets
from planviz.expressions.ids import next_id
from planviz.expressions.unresolved import GroupingSets, TempResolvedColumn, UnresolvedAttribute
from planviz.expressions.windows import WindowExpression
from planviz.frontend.errors import analysis_error
from planviz.logical.combining import Union
from planviz.logical.operators import Aggregate, Expand, Filter, Project, Sort
from planviz.logical.plan import LogicalPlan, UnaryNode
from planviz.logical.unresolved import UnresolvedHaving
from planviz.trees.depth import deep
from planviz.types import BYTE, INT, LONG, DataType
from planviz.versions import Behaviour

GROUPING_ID = "spark_grouping_id"


def contains_aggregates(expressions: tuple[Expression, ...]) -> bool:
    """Whether an aggregate function stands outside of windows."""

    def plain(e: Expression) -> bool:
        if not occurs(e, AggregateExpression.BIT):
            return False
        if isinstance(e, AggregateExpression):
            return True
        if isinstance(e, WindowExpression):
            inner = e.function.children if isinstance(e.function, AggregateExpression) else (e.function,)
            inner = tuple(
                g for f in inner for g in (f.children if isinstance(e.function, AggregateExpression) else (f,))
            )
            return any(plain(c) for c in (*inner, e.spec))
        return any(plain(c) for c in e.children)

    return any(plain(e) for e in expressions)


class GlobalAggregates(AnalyzerRule):
    """A select list with aggregate functions and no GROUP BY is one group.

    Project [sum(a)]  =>  Aggregate [], [sum(a)]
    """

    matches = (Project,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self.rewrite_one, AggregateExpression.BIT)

    @staticmethod
    def rewrite_one(plan: LogicalPlan) -> LogicalPlan:
        """One operator."""
        if isinstance(plan, Project) and contains_aggregates(plan.projects):
            return Aggregate((), plan.projects, plan.child)
        return plan


class ResolveAggregateFunctions(AnalyzerRule):
    """HAVING and ORDER BY over an Aggregate: compute what they need in it.

    UnresolvedHaving(sum(b) > 1, Aggregate)  =>  Filter(sum(b)#2 > 1, Aggregate with sum(b)#2)
    """

    matches = (UnresolvedHaving, Sort, Filter)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._operator, Aggregate.BIT)

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, UnresolvedHaving | Filter) and isinstance(plan.child, Aggregate):
            return self._filter(plan, plan.child)
        if isinstance(plan, Filter) and plan.condition.resolved and plan.child.resolved and _reads_grouping_id(plan):
            # What grouping() stands for is known after names were bound: the Aggregate may lie further below.
            (condition,), child = add_missing([plan.condition], plan.child)
            return plan if child is plan.child else Project(plan.child.output, Filter(condition, child))
        if isinstance(plan, Sort) and not self.context.config.behaviour.order_reads_results_first:
            computed = order_computed_below(plan, self.context)
            if computed is not None:
                return computed
        if isinstance(plan, Sort) and all(o.resolved for o in plan.order):
            named = self.context.config.behaviour.order_reads_blanked_keys and _names_grouped(plan)
            ready = named or not any(occurs(o, functions_mask()) for o in plan.order)
            return self._sort(plan) if ready else plan
        return plan

    def _filter(self, plan: Filter | UnresolvedHaving, agg: Aggregate) -> LogicalPlan:
        condition = plan.condition
        if not agg.resolved or not condition.resolved or occurs(condition, functions_mask()):
            return plan
        marks = AggregateExpression.BIT | TempResolvedColumn.BIT
        if isinstance(plan, Filter) and not occurs(condition, marks):
            if not _reads_grouping_id(plan):
                return plan
            if not self.context.config.behaviour.having_finds_grouping_values:
                (condition,), child = add_missing([condition], agg)
                return plan if child is agg else Project(agg.output, Filter(condition, child))
        return with_aggregates(
            [condition],
            agg,
            lambda new, child: Filter(new[0], child) if new[0].resolved else UnresolvedHaving(new[0], child),
            self.context.config.behaviour,
            self.context.config.behaviour.having_reuses_results,
            finds_grouping=self.context.config.behaviour.having_finds_grouping_values,
        )

    @property
    def _pretty(self) -> bool:
        return self.context.config.behaviour.added_aggregates_are_named_by_sql

    def _sort(self, plan: Sort) -> LogicalPlan:
        made = self._sort_by_results(plan)
        marked = any(occurs(o, AggregateExpression.BIT | TempResolvedColumn.BIT) for o in plan.order)
        if made is not plan or marked or not plan.child.resolved or not plan.missing_input:
            return made
        # What grouping() stands for is known after names were bound, and HAVING may have hidden it above the Aggregate.
        _, child = add_missing(list(plan.order), plan.child, self.context.config.behaviour)
        return plan if child is plan.child else Project(plan.child.output, plan.replace(child=child))

    def _sort_by_results(self, plan: Sort) -> LogicalPlan:
        below: LogicalPlan = plan.child
        if isinstance(below, Aggregate) and below.resolved:
            return self._sort_over(plan, below, lambda child: child)
        looks = self.context.config.behaviour.order_looks_below_having
        if looks == "no" or (looks == "filter" and isinstance(below, Project)):
            return plan
        if isinstance(below, Filter) and isinstance(below.child, Aggregate) and below.resolved:
            return self._sort_over(plan, below.child, lambda child: below.replace(child=child))
        project = below
        if (
            isinstance(project, Project)
            and isinstance(project.child, Filter)
            and isinstance(project.child.child, Aggregate)
        ):
            inner = project.child
            if (
                any(occurs(o, AggregateExpression.BIT | TempResolvedColumn.BIT) for o in plan.order)
                and project.resolved
            ):
                return self._sort_through(plan, project, inner)
        return plan

    def _sort_over(self, plan: Sort, agg: Aggregate, over: Callable[[LogicalPlan], LogicalPlan]) -> LogicalPlan:
        bits = AggregateExpression.BIT | TempResolvedColumn.BIT
        if not any(occurs(o, bits) for o in plan.order) and not plan.missing_input:
            keys = [o.child for o in plan.order if isinstance(o, SortOrder)]
            if all(isinstance(k, AttributeReference) for k in keys) or not agg.grouping:
                return plan
            if not any(_is_result(k, agg) for k in keys):
                return plan
        keys = [o.child for o in plan.order if isinstance(o, SortOrder)]

        def operator(new: list[Expression], child: LogicalPlan) -> Sort:
            order = tuple(
                o.rebuilt(SortOrder(k, o.direction, o.null_order)) if k is not o.child else o
                for o, k in zip(plan.order, new, strict=True)
                if isinstance(o, SortOrder)
            )
            return plan.replace(order=order, child=over(child))

        return with_aggregates(keys, agg, operator, self.context.config.behaviour, by_name=False)

    def _sort_through(self, plan: Sort, project: Project, inner: Filter) -> LogicalPlan:
        agg = inner.child
        assert isinstance(agg, Aggregate)
        keys = [o.child for o in plan.order if isinstance(o, SortOrder)]
        extra: dict[Expression, Expression] = {}
        new = [_replaced(k, agg, extra, self._pretty) for k in keys]
        order = tuple(
            SortOrder(k, o.direction, o.null_order)
            for o, k in zip(plan.order, new, strict=True)
            if isinstance(o, SortOrder)
        )
        wider = agg.replace(aggregates=(*agg.aggregates, *extra.values()))
        needed = frozenset[int]().union(*[k.references for k in new]) - project.output_set
        columns = [a for a in wider.output if a.expr_id in needed]
        below = Project((*project.projects, *columns), inner.replace(child=wider))
        return Project(project.output, Sort(order, plan.whole, below))


def _is_result(e: Expression, agg: Aggregate) -> bool:
    return any((a.child if isinstance(a, Alias) else a).semantic_equals(e) for a in agg.aggregates)


def with_aggregates(
    expressions: list[Expression],
    agg: Aggregate,
    operator: Callable[[list[Expression], LogicalPlan], LogicalPlan],
    behaviour: Behaviour,
    reuses: bool = True,
    by_name: bool = True,
    finds_grouping: bool = True,
) -> LogicalPlan:
    """An operator over `agg` whose expressions read its results; what is missing is added and projected away again.

    An added result is named as its SQL; before Spark 4.1, as plans show it, ids and all. `reuses`: a function that the
    select list or the condition itself has is not computed again, as it was for HAVING before 3.2. `by_name`: what is
    no key may name a result; ORDER BY has looked through these before. `finds_grouping`: what reads the id of a
    grouping set may be a result, too; else the id is left to be added.
    """
    extra: dict[Expression, Expression] = {}
    pretty = behaviour.added_aggregates_are_named_by_sql
    blanked = isinstance(agg.child, Expand) and not by_name and behaviour.order_reads_blanked_keys
    keys = _expand_keys(agg) if blanked else None
    if keys is not None:
        expressions = [_over_keys(e, keys[1], keys[0]) for e in expressions]
    new = [_replaced(e, agg, extra, pretty, reuses, by_name, finds_grouping) for e in expressions]
    if not extra:
        return operator(new, agg)
    wider = agg.replace(aggregates=(*agg.aggregates, *extra.values()))
    if wider.missing_input:
        # A column that a USING or NATURAL join hides, or a table of files.
        come = (coming(behaviour), behaviour.file_metadata)
        wider = wider.replace(child=giving(wider.child, set(wider.missing_input), *come))
    return Project(agg.output, operator(new, wider))


@deep
def _replaced(
    e: Expression,
    agg: Aggregate,
    extra: dict[Expression, Expression],
    pretty: bool,
    reuses: bool = True,
    by_name: bool = False,
    finds_grouping: bool = True,
) -> Expression:
    if not finds_grouping and e.references and all(a.name == GROUPING_ID for a in e.attributes):
        return e
    cleaned = _without_temp(e)
    known = agg.aggregates if reuses or not occurs(e, AggregateExpression.BIT) else ()
    same = [a for a in known if trim(a).semantic_equals(cleaned)]
    if same:
        return next((a for a in same if not isinstance(a, Alias)), same[0]).to_attribute()
    if isinstance(e, AggregateExpression):
        # Where nothing is reused, what occurs twice in the condition is computed twice, too.
        key = cleaned.canonicalized if reuses else alias(cleaned, "")
        if key not in extra:
            extra[key] = alias(cleaned, cleaned.pretty if pretty else str(cleaned))
        return extra[key].to_attribute()
    for g in agg.grouping:
        if g.semantic_equals(cleaned):
            if isinstance(cleaned, NamedExpression):
                extra.setdefault(cleaned.canonicalized, cleaned)
                return cleaned.to_attribute()
            if cleaned.foldable:
                break
            if cleaned.canonicalized not in extra:
                extra[cleaned.canonicalized] = alias(cleaned, cleaned.pretty if pretty else str(cleaned))
            return extra[cleaned.canonicalized].to_attribute()
    if isinstance(e, TempResolvedColumn):
        # A field of a key, or of a result.
        inner = e.child.map_children(lambda c: _replaced(c, agg, extra, pretty, reuses, by_name, finds_grouping))
        given = {a.expr_id for a in (*agg.aggregates, *extra.values()) if isinstance(a, NamedExpression)}
        if e.child.children and inner.references <= given:
            return inner
        found = Scope(agg.output).resolve(e.parts) if by_name else None
        if found is None:
            return e.rebuilt(TempResolvedColumn(e.child, e.parts, True))
        return found.child if isinstance(found, Alias) else found
    return e.map_children(lambda c: _replaced(c, agg, extra, pretty, reuses, by_name, finds_grouping))


def _over_keys(e: Expression, originals: list[Expression], keys: list[Expression]) -> Expression:
    """ORDER BY names of a column that the grouping sets blank out the blanked one, within aggregate functions, too."""
    if not e.bits & TempResolvedColumn.BIT:
        return e
    if isinstance(e, TempResolvedColumn):
        key = next((k for o, k in zip(originals, keys, strict=True) if o.semantic_equals(e.child)), None)
        return e if key is None else e.replace(child=key)
    return e.map_children(lambda c: _over_keys(c, originals, keys))


def _without_temp(e: Expression) -> Expression:
    if not occurs(e, TempResolvedColumn.BIT):
        return e
    return e.transform_up(lambda x: x.child if isinstance(x, TempResolvedColumn) else x, TempResolvedColumn.BIT)


class RemoveTempResolvedColumn(AnalyzerRule):
    """A column that no aggregate function took is a name again, to be reported."""

    matches = (TempResolvedColumn,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:

        def step(e: Expression) -> Expression:
            return e.rebuilt(UnresolvedAttribute(e.parts)) if isinstance(e, TempResolvedColumn) else e

        return plan.resolve_expressions(step, TempResolvedColumn.BIT)


class ResolveUnresolvedHaving(AnalyzerRule[UnresolvedHaving]):
    """HAVING over anything else is a filter.

    UnresolvedHaving(condition, child)  =>  Filter(condition, child)
    """

    matches = (UnresolvedHaving,)
    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def rewrite(self, node: UnresolvedHaving) -> LogicalPlan:
        return Filter(node.condition, node.child)


# ---------------------------------------------------------------------------------------------------- ROLLUP ...


class ResolveGroupingAnalytics(AnalyzerRule):
    """Compute ROLLUP, CUBE and GROUPING SETS by copying every row once per grouping set.

    Aggregate [rollup(a, b)]  =>  Aggregate [a, b, spark_grouping_id] over Expand over Project [*, a, b]
    """

    matches = (GroupingSets, Grouping, GroupingID)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._operator, self.mask)

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Aggregate) and any(isinstance(g, GroupingSets) for g in plan.grouping):
            ready = plan.children_resolved and all(g.resolved or _bound_sets(g) for g in plan.grouping)
            settled = all(e.resolved for e in plan.aggregates)
            return expanded(plan, self.context.config) if ready and settled else plan
        functions = Grouping.BIT | GroupingID.BIT
        if isinstance(plan, Filter | Sort | UnresolvedHaving) and any(e.bits & functions for e in plan.expressions):
            waits = isinstance(plan, Sort) and _names_grouped(plan)
            return plan if waits else self._over_aggregate(plan)
        return plan

    @staticmethod
    def _over_aggregate(plan: UnaryNode) -> LogicalPlan:
        keys = _expand_keys(plan.child)
        if keys is None or not all(e.resolved for e in plan.expressions):
            return plan
        columns, originals, gid = keys

        def value(x: Expression) -> Expression:
            return grouping_value(x, originals, columns, gid)

        return plan.map_expressions(lambda e: e.transform_up(value, functions_mask()))


def _reads_grouping_id(plan: Filter) -> bool:
    """Whether a filter reads the grouping id of an Aggregate below, which does not hand it on."""
    return bool(plan.missing_input) and any(
        a.name == GROUPING_ID and a.expr_id not in plan.child.output_set for a in plan.condition.attributes
    )


def _names_grouped(plan: Sort) -> bool:
    """Whether grouping() in ORDER BY names what the select list does not have: the Aggregate hands that on first."""
    found = (g for o in plan.order for g in o.collect(Grouping))
    below = plan.child.child if isinstance(plan.child, Filter) else plan.child
    return isinstance(below, Aggregate) and any(g.bits & TempResolvedColumn.BIT for g in found)


def _bound_sets(g: Expression) -> bool:
    return isinstance(g, GroupingSets) and g.children_resolved


def functions_mask() -> int:
    """Bits of grouping() and grouping_id()."""
    return Grouping.BIT | GroupingID.BIT


def _expand_keys(plan: LogicalPlan) -> tuple[list[Expression], list[Expression], AttributeReference] | None:
    for agg in plan.collect(Aggregate):
        last = agg.grouping[-1] if agg.grouping else None
        if isinstance(last, AttributeReference) and last.name == GROUPING_ID and isinstance(agg.child, Expand):
            keys = list(agg.grouping[:-1])
            project = agg.child.child
            assert isinstance(project, Project)
            originals = [p.child for p in project.projects[-len(keys) :] if isinstance(p, Alias)]
            return keys, originals, last
    return None


def grouping_value(
    e: Expression, originals: list[Expression], columns: Sequence[Expression], gid: Expression
) -> Expression:
    """grouping(c) and grouping_id() as arithmetic on the grouping id."""
    if isinstance(e, Grouping):
        for i, (o, c) in enumerate(zip(originals, columns, strict=True)):
            if o.semantic_equals(e.child) or c.semantic_equals(e.child):
                shifted = Shift(gid, Literal(len(columns) - 1 - i, INT), "shiftright")
                bit = Cast(BitwiseAnd(shifted, Literal(1, gid.data_type)), BYTE, time_zone="session")
                return alias(bit, e.pretty)
        raise analysis_error(
            "GROUPING_COLUMN_MISMATCH",
            f"Column of grouping ({e.child.pretty}) can't be found in grouping columns "
            f"{', '.join(o.pretty for o in originals)}.",
            e,
        )
    if isinstance(e, GroupingID):
        pairs = zip(e.columns, originals, columns, strict=False)
        same = len(e.columns) == len(originals) and all(
            a.semantic_equals(b) or a.semantic_equals(c) for a, b, c in pairs
        )
        if e.columns and not same:
            raise analysis_error(
                "GROUPING_ID_COLUMN_MISMATCH",
                f"Columns of grouping_id ({', '.join(c.pretty for c in e.columns)}) does not match grouping columns "
                f"({', '.join(o.pretty for o in originals)}).",
                e,
            )
        return alias(gid, e.pretty)
    return e


def _sets(grouping: tuple[Expression, ...]) -> list[list[Expression]]:
    """The grouping sets of a GROUP BY list: the product of its parts. Raises PlanTooLarge for too many."""
    grouped = [g for g in grouping if isinstance(g, GroupingSets)]
    refuse_many(prod(map(count_sets, grouped)), len({c for g in grouped for c in g.columns}))
    result: list[list[Expression]] = [[]]
    for g in grouping:
        parts = selected_sets(g) if isinstance(g, GroupingSets) else [[g]]
        result = [r + p for r in result for p in parts]
    return result


def expanded(plan: Aggregate, config: OptimizerConfig) -> LogicalPlan:
    """The Aggregate over its Expand, as the configured version names and numbers its columns."""
    plan = plan.replace(grouping=tuple(_without_names(g) for g in plan.grouping))
    known = config.behaviour
    long = known.grouping_id_is_long and not config.get("spark.sql.legacy.integerGroupingId")
    numbered: DataType = LONG if long else INT
    keys: list[Expression] = []
    for g in plan.grouping:
        for e in (*g.user, *g.columns) if isinstance(g, GroupingSets) else (g,):
            if not any(k.semantic_equals(e) for k in keys):
                keys.append(e)
    sets = _sets(plan.grouping)
    if sets == [[]] and not any(e.bits & functions_mask() for e in plan.aggregates):
        return plan.replace(grouping=())
    aliases = [_key_alias(k, known.grouping_columns_are_named_by_sql) for k in keys]
    attributes = [a.to_attribute().with_nullability(True).new_instance() for a in aliases]
    gid = AttributeReference(GROUPING_ID, numbered, False, next_id())
    child_output = plan.child.output
    seen: list[tuple[bool, ...]] = [tuple(any(e.semantic_equals(k) for e in s) for k in keys) for s in sets]
    positions = len(set(seen)) < len(seen)
    projections = []
    for i, present in enumerate(seen):
        values = [a.to_attribute() if p else Literal(None, a.data_type) for a, p in zip(aliases, present, strict=True)]
        number = int("0" + "".join("0" if p else "1" for p in present), 2)
        extra = [Literal(i, INT)] if positions else []
        projections.append((*child_output, *values, Literal(number, numbered), *extra))
    position = [AttributeReference("_gen_grouping_pos", INT, False, next_id())] if positions else []
    columns = (*child_output, *attributes, gid, *position)
    below = Expand(tuple(projections), columns, Project((*child_output, *aliases), plan.child))
    below = below.in_lists(_scala_list(plan.child)) if known.lists_are_named else below
    results = tuple(_over_expand(e, keys, attributes, gid) for e in plan.aggregates)
    return Aggregate((*attributes, gid, *position), results, below)


def _scala_list(plan: LogicalPlan) -> str:
    """Scala's class of the list of a plan's columns: a table's is another than that of a select list.

    What stands between hands its class on, a join that of its left side.
    """
    while plan.children and not isinstance(plan, Project | Aggregate | Union):
        plan = plan.children[0]
    return "ArrayBuffer" if isinstance(plan, Project | Aggregate) else "List"


def _without_names(g: Expression) -> Expression:
    """The grouping sets over what their keys are; a key's name is the one of its column in the result."""
    if not isinstance(g, GroupingSets):
        return g
    return g.map_children(lambda e: e.child if isinstance(e, Alias) else e)


def _key_alias(k: Expression, by_sql: bool) -> Alias:
    if isinstance(k, NamedExpression):
        return Alias(k, k.name, next_id(), getattr(k, "qualifier", ()))
    return alias(k, k.pretty if by_sql else str(k))


def _over_expand(e: Expression, keys: list[Expression], columns: Sequence[Expression], gid: Expression) -> Expression:
    e = (
        e.transform_up(lambda x: grouping_value(x, keys, columns, gid), functions_mask())
        if e.bits & functions_mask()
        else e
    )

    def replace(x: Expression) -> Expression:
        if isinstance(x, AggregateExpression):
            return x
        for k, c in zip(keys, columns, strict=True):
            if k.semantic_equals(x):
                return c
        return x.map_children(replace)

    return replace(e)
