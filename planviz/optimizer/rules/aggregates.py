"""Aggregates: keys, distinct, decimals."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import override

from planviz.analysis.aggregates import GROUPING_ID
from planviz.errors import PlanTooLarge
from planviz.expressions.aggregates import (
    AggregateExpression,
    Average,
    FirstLast,
    Max,
    Sum,
)
from planviz.expressions.arithmetic import Divide
from planviz.expressions.casts import Cast
from planviz.expressions.conditional import Coalesce, If
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, NamedExpression, alias, lit
from planviz.expressions.earlier import quoted_sql
from planviz.expressions.ids import next_id
from planviz.expressions.internal import MakeDecimal, UnscaledValue
from planviz.expressions.predicates import And, EqualTo
from planviz.expressions.windows import WindowExpression
from planviz.logical.join_keys import distinct_keys
from planviz.logical.operators import Aggregate, Distinct, Expand
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.decorrelation import default_result
from planviz.optimizer.expression_set import ExpressionSet
from planviz.optimizer.rules.joins import ignores_repeats
from planviz.types import DOUBLE, INT, DecimalType
from planviz.versions import Behaviour


class EliminateDistinct(OptimizerRule):
    """DISTINCT in an aggregate that repeats do not change.

    max(DISTINCT a)  =>  max(a)

    Pays because nothing has to be deduplicated. sum and count need it, unless the child's rows are distinct already.
    """

    matches = (AggregateExpression,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._operator, self.mask, self.settled)

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        keys = distinct_keys(plan.child) if isinstance(plan, Aggregate) else []

        def step(e: Expression) -> Expression:
            if not isinstance(e, AggregateExpression) or not e.distinct:
                return e
            ids = frozenset(c.expr_id for c in e.function.children if isinstance(c, AttributeReference))
            useless = ignores_repeats(e.function) or any(k <= ids and k for k in keys)
            return e.replace(distinct=False) if useless else e

        return plan.transform_expressions_down(step, AggregateExpression.BIT)


class EliminateAggregateFilter(OptimizerRule):
    """A FILTER that is always true goes; one that never is leaves what no rows give.

    count(a) FILTER (WHERE true)  =>  count(a)        count(a) FILTER (WHERE false)  =>  0

    Pays because nothing has to be tested. Aggregates without a known value for no rows stay.
    """

    matches = (AggregateExpression,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:

        def step(e: Expression) -> Expression:
            if isinstance(e, AggregateExpression) and isinstance(e.where, Literal):
                if e.where.value is True:
                    return e.replace(where=None)
                if e.function.nullable:
                    return Literal(None, e.data_type)
                return default_result(e.function) or e
            return e

        return plan.transform_all_expressions(step, self.mask, self.settled)


class RemoveLiteralFromGroupExpressions(OptimizerRule[Aggregate]):
    """Keys that are the same for every row go.

    GROUP BY a, 'x'  =>  GROUP BY a        GROUP BY 'x'  =>  GROUP BY 0

    Pays because shorter keys are hashed. The last key stays as 0: without keys an empty table would give one row.
    """

    matches = (Aggregate,)

    @override
    def rewrite(self, node: Aggregate) -> LogicalPlan:
        rest = tuple(g for g in node.grouping if not g.foldable)
        if len(rest) == len(node.grouping):
            return node
        if rest:
            return node.replace(grouping=rest)
        zero = (Literal(0, INT),)
        return node if node.grouping == zero else node.replace(grouping=zero)


class RemoveRepetitionFromGroupExpressions(OptimizerRule[Aggregate]):
    """A key that is there already goes.

    GROUP BY a, b, a  =>  GROUP BY a, b

    Pays because shorter keys are hashed. Random keys are no repetitions: GROUP BY rand(), rand().
    """

    matches = (Aggregate,)

    @override
    def rewrite(self, node: Aggregate) -> LogicalPlan:
        rest = tuple(ExpressionSet(node.grouping))
        return node if len(rest) == len(node.grouping) else node.replace(grouping=rest)


class ReplaceDistinctWithAggregate(OptimizerRule[Distinct]):
    """DISTINCT is a grouping by all columns.

    Distinct(t[a, b])  =>  Aggregate [a, b], [a, b]

    Pays because aggregates can be planned. Always right.
    """

    matches = (Distinct,)
    excludable = False

    @override
    def rewrite(self, node: Distinct) -> LogicalPlan:
        return Aggregate(node.child.output, node.child.output, node.child)


class DecimalAggregates(OptimizerRule):
    """Sum and average of short decimals on their digits as integers.

    sum(d decimal(7,2))  =>  MakeDecimal(sum(UnscaledValue(d)), 17, 2)

    Pays because integers are added many times faster. Only while the result has at most 18 digits (15 for averages,
    which go through doubles): the sum of decimal(9,2) would overflow.
    """

    matches = (Sum, Average)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return self.on_expressions(plan, self._one, "down")

    def _one(self, e: Expression) -> Expression:
        tries = self.context.config.behaviour.sums_that_try_are_unscaled
        match e:
            case WindowExpression(AggregateExpression() as a, spec):
                new = _unscaled(a, lambda x: WindowExpression(x, spec), tries)
                return e if new is None else new
            case AggregateExpression():
                new = _unscaled(e, lambda x: x, tries)
                return e if new is None else new
        return e


#: How many literals and columns the rows of an Expand for several distinct sets may have: a thousand sets take seconds.
MOST_CELLS = 1_200_000
#: Expressions by their canonical form, each with the column of the expand that holds it.
Columns = dict[Expression, tuple[Expression, AttributeReference]]


def _unscaled(a: AggregateExpression, wrap: Callable[[Expression], Expression], tries: bool) -> Expression | None:
    f = a.function
    t = f.children[0].data_type if f.children else None
    if not isinstance(f, Sum | Average) or not isinstance(t, DecimalType):
        return None
    if f.name.startswith("try_"):
        if not tries:
            return None
        # The name is lost on the way, the trying is not.
        f = Sum(f.child, tries=True) if isinstance(f, Sum) else Average(f.child)
    value = UnscaledValue(f.child)
    if isinstance(f, Sum):
        if t.precision + 10 > 18:
            return None
        return MakeDecimal(wrap(a.replace(function=f.replace(child=value))), t.precision + 10, t.scale)
    if t.precision + 4 > 15:
        return None
    ratio = Divide(wrap(a.replace(function=f.replace(child=value))), Literal(10.0**t.scale, DOUBLE))
    return Cast(ratio, DecimalType(t.precision + 4, t.scale + 4))


class RewriteDistinctAggregates(OptimizerRule):
    """Several DISTINCT column sets: every row once per set, then two plain aggregates.

    count(DISTINCT a), count(DISTINCT b), sum(c)  =>  Aggregate over Aggregate over Expand

    Pays because one shuffle serves all. One set without FILTER is planned directly and left alone, unless it holds
    constants alone and nothing is grouped: count(DISTINCT 1) of an empty table would be 1.
    """

    matches = (Aggregate,)
    excludable = False

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_up(lambda p: self._one(p) if isinstance(p, Aggregate) else p, Aggregate.BIT)

    def _one(self, plan: Aggregate) -> LogicalPlan:
        calls = [a for i in plan.aggregates for a in i.collect(AggregateExpression)]
        distinct = [a for a in calls if a.distinct]
        groups: dict[frozenset[Expression], list[AggregateExpression]] = {}
        for a in distinct:
            groups.setdefault(frozenset(c.canonicalized for c in _distinct_columns(a)), []).append(a)
        alone = not plan.grouping and any(all(c.foldable for c in a.function.children) for a in distinct)
        if len(groups) <= 1 and not alone and not any(a.where is not None for a in distinct):
            return plan
        known = self.context.config.behaviour
        return _Expansion(plan, groups, [a for a in calls if not a.distinct], known).result()


class _Expansion:
    """The three operators that stand for an aggregate with several distinct sets."""

    def __init__(
        self,
        plan: Aggregate,
        groups: dict[frozenset[Expression], list[AggregateExpression]],
        regular: list[AggregateExpression],
        known: Behaviour,
    ) -> None:
        self.in_lists = known.lists_are_named
        self.filters = known.distincts_are_filtered
        self.plan = plan
        self.groups = list(groups.values())
        self.regular = regular
        self.gid = AttributeReference("gid", INT, False, next_id())

    def result(self) -> LogicalPlan:
        """Aggregate over Aggregate over Expand."""
        plan = self.plan
        keys = [
            g
            if isinstance(g, AttributeReference)
            else AttributeReference(self._sql(g), g.data_type, g.nullable, next_id())
            for g in plan.grouping
        ]
        children: Columns = {}
        for group in self.groups:
            for a in group:
                for c in _distinct_columns(a):
                    if c.canonicalized not in children:
                        children[c.canonicalized] = (c, self._fresh(c))
        own: Columns = {}
        read = [c for a in self.regular for c in a.function.children if not c.foldable]
        # A regular function's FILTER is computed above the expand, so what it reads has to come through.
        read += [c for a in self.regular if a.where is not None for c in a.where.collect(AttributeReference)]
        for c in read:
            if c.canonicalized not in own:
                own[c.canonicalized] = (c, self._fresh(c))
        wheres: Columns = {}
        for group in self.groups:
            for a in group:
                if a.where is not None and a.where.canonicalized not in wheres:
                    wheres[a.where.canonicalized] = (a.where, self._fresh(a.where))
        expand = self._expand(keys, children, own, wheres)
        return self._aggregates(keys, children, own, wheres, expand)

    def _expand(self, keys: list[AttributeReference], children: Columns, own: Columns, wheres: Columns) -> Expand:
        width, height = len(keys) + len(children) + len(own) + len(wheres) + 1, len(self.groups) + bool(self.regular)
        if width * height > MOST_CELLS:
            raise PlanTooLarge(
                f"{len(self.groups):,} sets of columns are counted DISTINCT, and the plan writes a row of {width:,} "
                "columns for each of them. Count fewer in one query, or use approx_count_distinct."
            )
        rows = []
        if self.regular:
            nulls: list[Expression] = [Literal(None, c.data_type) for c, _ in children.values()]
            tests: list[Expression] = [Literal(None, c.data_type) for c, _ in wheres.values()]
            rows.append((*self.plan.grouping, *nulls, Literal(0, INT), *tests, *[c for c, _ in own.values()]))
        for n, group in enumerate(self.groups, 1):
            mine = {c.canonicalized for a in group for c in _distinct_columns(a)}
            conditions = {a.where.canonicalized for a in group if a.where is not None}
            values = [c if form in mine else Literal(None, c.data_type) for form, (c, _) in children.items()]
            tests = [c if form in conditions else Literal(None, c.data_type) for form, (c, _) in wheres.items()]
            nulls = [Literal(None, c.data_type) for c, _ in own.values()]
            rows.append((*self.plan.grouping, *values, Literal(n, INT), *tests, *nulls))
        columns = (
            *keys,
            *[a for _, a in children.values()],
            self.gid,
            *[a for _, a in wheres.values()],
            *[a for _, a in own.values()],
        )
        made = Expand(tuple(rows), columns, self.plan.child)
        # Scala's class is that of GROUP BY's own list.
        if not self.in_lists:
            return made
        # The keys of grouping sets are a list of another class of Scala's than those of GROUP BY.
        written = self.plan.grouping and not any(_is_grouping_id(g) for g in self.plan.grouping)
        return made.in_lists("ArrayBuffer" if written else "List")

    def _fresh(self, e: Expression) -> AttributeReference:
        return AttributeReference(self._sql(e), e.data_type, True, next_id())

    def _sql(self, e: Expression) -> str:
        return e.sql if self.filters else quoted_sql(e)

    def _reading(self, columns: dict[Expression, Expression], test: Expression) -> Callable[[Expression], Expression]:
        """A function's arguments as the columns that the expand gives; without FILTER, tested each."""

        def one(c: Expression) -> Expression:
            if c.foldable or c.canonicalized not in columns:
                return c
            column = columns[c.canonicalized]
            return column if self.filters else _where(test, column)

        return one

    def _aggregates(
        self, keys: list[AttributeReference], children: Columns, own: Columns, wheres: Columns, expand: LogicalPlan
    ) -> LogicalPlan:
        results: dict[int, Expression] = {}
        below: list[NamedExpression] = []

        def through(e: Expression) -> Expression:
            return own[e.canonicalized][1] if e.canonicalized in own else e

        for a in self.regular:
            f, where = a.function.map_children(through), a.where and a.where.transform_down(through)
            partial = alias(a.replace(function=f, where=where, result_id=next_id()), self._sql(a))
            below.append(partial)
            is_gid = EqualTo(self.gid, lit(0))
            given: Expression = partial.to_attribute()
            first = FirstLast(given if self.filters else _where(is_gid, given), "first", True)
            outer: Expression = AggregateExpression(
                first, "Complete", False, is_gid if self.filters else None, next_id()
            )
            if (default := default_result(a.function)) is not None:
                outer = Coalesce((outer, default))
            results[a.result_id] = outer
        flags: list[tuple[Expression, Alias]] = []
        for form, (_, column) in wheres.items():
            made = alias(AggregateExpression(Max(column), "Complete", False, None, next_id()), column.name)
            flags.append((form, made))
        for n, group in enumerate(self.groups, 1):
            for a in group:
                test: Expression = EqualTo(self.gid, lit(n))
                if a.where is not None:
                    flag = next(m for form, m in flags if form == a.where.canonicalized)
                    test = And(test, flag.to_attribute())
                f = a.function.map_children(self._reading({k: v for k, (_, v) in children.items()}, test))
                where = test if self.filters else None
                results[a.result_id] = AggregateExpression(f, a.mode, False, where, a.result_id)
        inner_keys = (*keys, *[a for _, a in children.values()], self.gid)
        inner = Aggregate(inner_keys, (*inner_keys, *[m for _, m in flags], *below), expand)
        named = {g.canonicalized: k for g, k in zip(self.plan.grouping, keys, strict=True)}

        def outer_value(e: Expression) -> Expression:
            if isinstance(e, AggregateExpression):
                return results[e.result_id]
            if e.canonicalized in named:
                return named[e.canonicalized]
            return e.map_children(outer_value)

        items = tuple(
            i if isinstance(i, AttributeReference) else i.map_children(outer_value) for i in self.plan.aggregates
        )
        return Aggregate(tuple(keys), items, inner)


def _where(test: Expression, value: Expression) -> If:
    return If(test, value, Literal(None, value.data_type))


def _distinct_columns(a: AggregateExpression) -> list[Expression]:
    """What rows of a DISTINCT function differ in: its arguments but for constants, or else its first one."""
    return [c for c in a.function.children if not c.foldable] or list(a.function.children[:1])


def _is_grouping_id(key: Expression) -> bool:
    return isinstance(key, AttributeReference) and key.name == GROUPING_ID
