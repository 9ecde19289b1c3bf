"""Positions and the word ALL in GROUP BY and ORDER BY."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule
from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import Alias, AttributeReference, Expression, SortOrder, occurs
from planviz.expressions.pipes import UnresolvedPipeAggregateOrdinal
from planviz.expressions.unresolved import UnresolvedAttribute, UnresolvedOrdinal
from planviz.frontend.errors import analysis_error
from planviz.logical.operators import Aggregate, Sort
from planviz.logical.plan import LogicalPlan
from planviz.trees.depth import deep


class ResolveOrdinalInOrderByAndGroupBy(AnalyzerRule):
    """Positions in GROUP BY and ORDER BY.

    ORDER BY 2  =>  the second column          GROUP BY 1  =>  the first item of the select list
    """

    matches = (UnresolvedOrdinal, UnresolvedPipeAggregateOrdinal)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        plan = plan.resolve_operators_up(self._piped, UnresolvedPipeAggregateOrdinal.BIT)
        return plan.resolve_operators_up(self._operator, UnresolvedOrdinal.BIT)

    def _piped(self, plan: LogicalPlan) -> LogicalPlan:
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

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Sort) and plan.child.resolved:
            return plan.replace(order=tuple(self._pick(o, plan.child.output, "ORDER_BY") for o in plan.order))
        if isinstance(plan, Aggregate) and all(e.resolved for e in plan.aggregates):
            return plan.replace(grouping=tuple(self._pick(g, plan.aggregates, "GROUP_BY") for g in plan.grouping))
        return plan

    def _pick(self, e: Expression, items: tuple[Expression, ...], clause: str) -> Expression:
        def step(x: Expression) -> Expression:
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


def groups_by_all(plan: Aggregate) -> bool:
    """Whether the clause is GROUP BY ALL."""
    return (
        len(plan.grouping) == 1
        and isinstance(plan.grouping[0], UnresolvedAttribute)
        and [p.lower() for p in plan.grouping[0].parts] == ["all"]
    )


def with_group_by_all(plan: Aggregate) -> Aggregate:
    """GROUP BY ALL: every item of the select list without an aggregate function."""
    if not all(e.resolved for e in plan.aggregates):
        return plan
    keys: list[Expression] = []
    for e in plan.aggregates:
        if occurs(e, AggregateExpression.BIT):
            continue
        keys.append(e.child if isinstance(e, Alias) else e)
    if not keys and any(map(_reads_outside, plan.aggregates)):
        raise analysis_error(
            "UNRESOLVED_ALL_IN_GROUP_BY",
            "Cannot infer grouping columns for GROUP BY ALL based on the select clause. Please explicitly specify the "
            "grouping columns.",
            plan.grouping[0],
        )
    return plan.replace(grouping=tuple(keys))


@deep
def _reads_outside(e: Expression) -> bool:
    """Whether an expression reads a column outside of its aggregate functions."""
    if isinstance(e, AggregateExpression):
        return False
    return isinstance(e, AttributeReference) or any(map(_reads_outside, e.children))


def orders_by_all(order: Sequence[Expression]) -> bool:
    """Whether the clause is ORDER BY ALL."""
    only = order[0].child if len(order) == 1 and isinstance(order[0], SortOrder) else None
    return isinstance(only, UnresolvedAttribute) and [p.lower() for p in only.parts] == ["all"]


def with_order_by_all(order: list[Expression], child: LogicalPlan) -> list[Expression]:
    """The order with every column of the child in place of ALL."""
    only = order[0] if order else None
    if not orders_by_all(order) or not isinstance(only, SortOrder) or not child.resolved:
        return order
    return [SortOrder(a, only.direction, only.null_order) for a in child.output]
