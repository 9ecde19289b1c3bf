"""The order of joins by estimated cost."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import override

from planviz.decisions.branches import logic
from planviz.estimation.cost import GivenOrder, JoinPlan, JoinReorderDP
from planviz.estimation.star_schema import find_star_join
from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.predicates import conjunction
from planviz.expressions.predicates import split_conjunction as split
from planviz.logical.combining import Join
from planviz.logical.operators import Project
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.attributes import same_output
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.rules.pushdown import INNER

_CBO = "spark.sql.cbo.enabled"
_REORDER = "spark.sql.cbo.joinReorder.enabled"
_THRESHOLD = "spark.sql.cbo.joinReorder.dp.threshold"
_STAR = "spark.sql.cbo.joinReorder.dp.star.filter"


class CostBasedJoinReorder(OptimizerRule):
    """Join first what leaves the fewest rows and bytes.

    Join(Join(customer, sales), dates, d = s)  =>  Join(Join(sales, dates), customer)     when few dates are left

    Pays because every join above works on what the ones below give. Wrong where the estimates are: in
    `WHERE city = 'Paris' AND country = 'France'` the conditions are taken to be independent, so that far too few rows
    are expected. Needs the rows of every relation; a hint says that the user knows the order.
    """

    matches = (Join,)
    settings = (_CBO, _REORDER, _THRESHOLD, "spark.sql.cbo.joinReorder.card.weight", _STAR)

    logic = logic(
        "relations and conditions = those of inner joins without hints",
        "if fewer than three relations, more than the threshold, or one of unknown rows: nothing",
        "best = every relation alone, at no cost",
        "for n = 2 .. number of relations:",
        "    for every two of best without a common relation that have n together and a condition:",
        "        cost = rows and bytes of the results that they make in between",
        "        keep the pair if it is the first of its relations, or cheaper than the one that is kept",
        ("cheapest", "the plan = best of all relations"),
    )

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        for key in (_CBO, _REORDER):
            if not self.context.on(key):
                return self.refuse(plan, "joins are not ordered by cost", False, setting=key)
        return self._visit(plan)

    def _visit(self, plan: LogicalPlan) -> LogicalPlan:
        """The plan with every group of inner joins ordered, from the top down."""
        if not plan.bits & Join.BIT:
            return plan
        if _joins(plan):
            plan = self._reordered(plan)
            return self._below(plan)
        return plan.map_children(self._visit)

    def _below(self, plan: LogicalPlan) -> LogicalPlan:
        """What stands under a group of joins that has its order."""
        if _ordered(plan) or (isinstance(plan, Project) and _ordered(plan.child)):
            return plan.map_children(self._below)
        return self._visit(plan)

    def _reordered(self, plan: LogicalPlan) -> LogicalPlan:
        relations, conditions = inner_joins(plan)
        conditions = _without_repeats(conditions)
        if self.context.join_order is not None:
            return self._given(plan, relations, conditions)
        most = self.context.config.number(_THRESHOLD)
        if len(relations) <= 2:
            return self.refuse(plan, "there is nothing to choose between two relations")
        if len(relations) > most:
            return self.refuse(plan, "too many relations to try their orders", len(relations), setting=_THRESHOLD)
        unknown = next((r for r in relations if self.context.estimator.estimate(r).rows is None), None)
        if unknown is not None:
            return self.refuse(plan, "the rows of a relation are unknown", unknown.node_name)
        noted = self.context.reorderings
        star = self._star(relations, conditions)
        estimator = self.context.estimator
        search = JoinReorderDP(relations, conditions, plan.output_set, estimator, star, noted is not None).run()
        if noted is not None:
            noted.append(search)
        if search.chosen is None:
            return self.refuse(plan, "no order joins all relations without a product")
        new = _with_output(search.chosen.plan, plan.output)
        if self.branches is not None and new != plan:
            self._took(plan, search.chosen)
        return new

    def _given(self, plan: LogicalPlan, relations: list[LogicalPlan], conditions: list[Expression]) -> LogicalPlan:
        """The joins in the order that somebody gave; the plan itself where none was given for these relations."""
        assert self.context.join_order is not None
        pairs = self.context.join_order(relations) if len(relations) > 2 else None
        if pairs is None:
            return plan
        chosen = GivenOrder(relations, conditions, plan.output_set, self.context.estimator, pairs).plan()
        return plan if chosen is None else _with_output(chosen.plan, plan.output)

    def _took(self, plan: LogicalPlan, chosen: JoinPlan) -> None:
        """Note the joins of the cheapest order, the first one first, with what each is thought to give."""
        cost = chosen.cost
        reason = f"In between it makes {cost.rows:,} rows and {cost.size:,} bytes, less than the other orders tried."
        estimate = self.context.estimator.estimate
        joins = [(conjunction(list(j.conditions)), estimate(j.plan).rows or 0) for j in chosen.joins()]
        self.take(plan, "cheapest", reason, [(condition, f"gives {rows:,} rows") for condition, rows in joins])

    def _star(self, relations: Sequence[LogicalPlan], conditions: Sequence[Expression]) -> int:
        """The relations of a star as bits, when orders are to respect it; 0 where all or none belong to it."""
        if not self.context.on(_STAR):
            return 0
        star = find_star_join(relations, conditions, self.context.estimator)
        inside = [any(r is s for s in star) for r in relations]
        return 0 if all(inside) else sum(1 << i for i, within in enumerate(inside) if within)


def _with_output(plan: LogicalPlan, output: tuple[Expression, ...]) -> LogicalPlan:
    """The plan giving these columns in this order."""
    if isinstance(plan, Project) and isinstance(plan.child, Join):
        return plan if plan.projects == output else plan.replace(projects=output)
    return plan if same_output(plan.output, output) else Project(output, plan)


def _ordered(plan: LogicalPlan) -> bool:
    """Whether it is an inner join with a condition that no hint fixes."""
    return (
        isinstance(plan, Join)
        and plan.kind in INNER
        and plan.condition is not None
        and not plan.left_hint
        and not plan.right_hint
    )


def _joins(plan: LogicalPlan) -> bool:
    """Whether a group of joins begins here, at most under a projection that only picks columns."""
    if isinstance(plan, Project):
        return _ordered(plan.child) and all(isinstance(e, AttributeReference) for e in plan.projects)
    return _ordered(plan)


def inner_joins(plan: LogicalPlan) -> tuple[list[LogicalPlan], list[Expression]]:
    """The relations of a group of inner joins from left to right, and their conditions."""
    join = plan.child if isinstance(plan, Project) else plan
    if not _joins(plan) or not isinstance(join, Join) or join.condition is None:
        return [plan], []
    left, left_on = inner_joins(join.left)
    right, right_on = inner_joins(join.right)
    return left + right, left_on + right_on + split(join.condition)


def _without_repeats(conditions: list[Expression]) -> list[Expression]:
    found: dict[Expression | int, Expression] = {}
    for c in conditions:
        found.setdefault(c.canonicalized if c.deterministic else id(c), c)
    return list(found.values())
