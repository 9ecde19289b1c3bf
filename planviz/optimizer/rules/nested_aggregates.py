"""Aggregates over aggregates: of two groupings one is often enough."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.aggregates import AggregateExpression, Count, Max, Min, Sum, is_aggregate
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, id_of
from planviz.logical.join_keys import distinct_keys
from planviz.logical.operators import Aggregate, Expand, Project
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.rules.joins import duplicate_agnostic
from planviz.types import LONG


class RemoveRedundantAggregates(OptimizerRule[Aggregate]):
    """A grouping of what is grouped already, and one of which only the groups count.

    Aggregate [a], [a] over Aggregate [a, b], [a, b]  =>  Aggregate [a], [a] over Project [a]

    Pays because rows are shuffled once. With count(*) above it matters how often a occurs below, and an aggregate
    without keys below gives a row even where there are none.
    """

    matches = (Aggregate,)
    order = "up"

    @override
    def rewrite(self, node: Aggregate) -> LogicalPlan:
        match node:
            case Aggregate(_, _, Aggregate() as lower) if self._redundant(node, lower):
                return node.replace(child=_read_of(node, lower))
            case Aggregate(_, items, child) if node.group_only and self._unique(node, child):
                return Project(items, child)
        return node

    @staticmethod
    def _redundant(upper: Aggregate, lower: Aggregate) -> bool:
        return bool(lower.grouping) and duplicate_agnostic(upper) and _reads_plain(upper, lower)

    def _unique(self, node: Aggregate, child: LogicalPlan) -> bool:
        if not self.context.config.behaviour.unique_rows_are_not_grouped:
            return False
        given = frozenset(g.expr_id for g in node.grouping if isinstance(g, AttributeReference))
        return any(k <= given for k in distinct_keys(child))


def _aggregates(items: tuple[Expression, ...]) -> bool:
    return any(is_aggregate(i) for i in items)


def _reads_plain(upper: LogicalPlan, lower: Aggregate) -> bool:
    """Whether the upper aggregate reads only columns that the lower one gives without aggregating."""
    plain = frozenset(id_of(i) for i in lower.aggregates if i.deterministic and not is_aggregate(i))
    return bool(upper.references <= plain)


def _read_of(upper: LogicalPlan, lower: Aggregate) -> Project:
    """In place of the lower aggregate: what the upper one reads of it."""
    return Project(tuple(i for i in lower.aggregates if id_of(i) in upper.references), lower.child)


class CollapseGroupedSumOfCount(OptimizerRule[Aggregate]):
    """Counts of finer groups that are only added up again.

    Aggregate [a], [a, sum(n)] over Aggregate [a, b], [a, count(*) AS n]
        =>  Aggregate [a], [a, sum(1)] over Project [a]

    Pays because nothing is grouped by b. `sum` stays: it gives null for no rows where a count gives 0, and overflows
    with an error. Not for try_sum, which gives null in its place, and not without keys below: one row for no rows.
    """

    matches = (Aggregate,)
    order = "up"

    @override
    def rewrite(self, node: Aggregate) -> LogicalPlan:
        lower = node.child
        if not isinstance(lower, Aggregate) or not lower.grouping or not all(g.deterministic for g in lower.grouping):
            return node
        counts = frozenset(id_of(i) for i in lower.aggregates if isinstance(i, Alias) and _is_count_of_rows(i.child))
        calls = [a for i in node.aggregates for a in i.collect(AggregateExpression)]
        if not any(_adds_up(a, counts) for a in calls) or not all(_adds_up(a, counts) or _is_extreme(a) for a in calls):
            return node

        def step(e: Expression) -> Expression:
            if isinstance(e, AggregateExpression) and _adds_up(e, counts):
                return e.replace(function=e.function.replace(child=Literal(1, LONG)))
            return e

        items = tuple(i.transform_up(step, AggregateExpression.BIT) for i in node.aggregates)
        rewritten = node.replace(aggregates=items)
        dropped = frozenset[int]().union(*[g.references for g in lower.grouping]) - rewritten.references
        if not _reads_plain(rewritten, lower) or _drawn(lower.child, dropped):
            return node
        return rewritten.replace(child=_read_of(rewritten, lower))


def _is_extreme(e: Expression) -> bool:
    match e:
        case AggregateExpression(Min() | Max(), _, False, None):
            return True
    return False


def _is_count_of_rows(e: Expression) -> bool:
    match e:
        case AggregateExpression(Count((Literal(value),)), _, False, None):
            return value is not None
    return False


def _adds_up(e: Expression, counts: frozenset[int]) -> bool:
    match e:
        case AggregateExpression(Sum(AttributeReference() as a, "sum"), _, False, None):
            return a.expr_id in counts
    return False


def _drawn(plan: LogicalPlan, ids: frozenset[int]) -> bool:
    """Whether columns come from projections that draw random numbers."""
    if not isinstance(plan, Project):
        return False
    made = [p for p in plan.projects if id_of(p) in ids]
    below = frozenset[int]().union(*[p.references for p in made])
    return not all(p.deterministic for p in made) or _drawn(plan.child, below)


class OptimizeExpand(OptimizerRule):
    """Repeated rows go before every row is written out once per DISTINCT.

    Aggregate over Aggregate over Expand(t)  =>  Aggregate over Aggregate over Expand(Aggregate [keys, a, b] of t)

    Pays when many rows are equal in the columns that are read: `spark.sql.optimizer.optimizeExpandRatio` says from how
    many DISTINCT sets on, by default never. Not beside `sum(c)`, which adds up repeated rows, nor for
    `count(DISTINCT a + b)`, of which the pairs of a and b are more than their sums.
    """

    matches = (Expand,)
    settings = ("spark.sql.optimizer.optimizeExpandRatio",)
    order = "up"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        least = self.context.config.number("spark.sql.optimizer.optimizeExpandRatio")
        if least == -1:
            return plan

        def step(p: LogicalPlan) -> LogicalPlan:
            match p:
                case Aggregate(_, _, Aggregate(keys, _, Expand(projections, _, child) as expand) as inner) if len(
                    projections
                ) >= least and not isinstance(child, Aggregate):
                    read = _distinct_columns(keys, expand)
                    once = Aggregate(read, read, child)
                    return p.replace(child=inner.replace(child=expand.replace(child=once))) if read else p
            return p

        return plan.transform_up(step, Expand.BIT)


def _distinct_columns(keys: tuple[Expression, ...], expand: Expand) -> tuple[Expression, ...]:
    """The columns of which only the different values count; none where repeated rows matter."""
    by_keys = frozenset[int]().union(*[k.references for k in keys])
    of_sets = any(isinstance(k, AttributeReference) and k.name == "gid" and k.expr_id in expand.produced for k in keys)
    read = tuple(a for a in expand.child.output if a.expr_id in expand.references)
    return read if of_sets and expand.produced <= by_keys and len(read) < len(keys) else ()
