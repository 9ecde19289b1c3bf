"""Semi and anti joins move towards the tables, as the filters they are."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.aggregates import is_aggregate
from planviz.expressions.core import Alias, AttributeReference, Expression, id_of
from planviz.expressions.predicates import conjunction
from planviz.expressions.predicates import split_conjunction as split
from planviz.logical.combining import Join, Union
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    Project,
    Repartition,
    RepartitionByExpression,
    Sort,
    Window,
)
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.attributes import alias_map, correlated, inlined, substitute
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.rules.joins import equi_keys

SEMI = ("LeftSemi", "LeftAnti")


class PushDownLeftSemiAntiJoin(OptimizerRule):
    """Move a semi or anti join below the operator on its left.

    Join(Aggregate [a], r, LeftSemi, a = b)  =>  Aggregate [a] over Join(t, r, LeftSemi, a = b)

    Pays because fewer rows reach the operator. Below an aggregate only conditions on keys can go: `count(*) IN (...)`
    is known above it alone.
    """

    matches = (Join,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(lambda p: self._step(p) if isinstance(p, Join) and p.kind in SEMI else p, Join.BIT)

    def _step(self, plan: Join) -> LogicalPlan:
        condition, left, right = plan.condition, plan.left, plan.right
        match left:
            case Project(items, grandchild) if (
                all(i.deterministic for i in items)
                and not any(correlated(i) for i in items)
                and not grandchild.output_set & right.output_set
            ):
                if condition is None:
                    return Project(items, plan.replace(left=grandchild))
                aliases = alias_map(items)
                # A computed column would be computed once more in the condition.
                computed = any(e.children for e in aliases.values())
                if computed and not self.context.config.behaviour.semi_joins_compute_columns_again:
                    return plan
                moved = inlined(condition, aliases)
                return Project(items, plan.replace(left=grandchild, condition=moved))
            case Aggregate(keys, items, grandchild) if (
                keys
                and all(i.deterministic for i in items)
                and not any(correlated(i) for i in items)
                and self._pays(plan)
                and not grandchild.output_set & right.output_set
            ):
                aliases = {i.expr_id: i.child for i in items if isinstance(i, Alias) and not is_aggregate(i)}
                if condition is None:
                    return left.replace(child=plan.replace(left=grandchild))
                return self._partly(plan, condition, left, grandchild, grandchild.output_set, aliases)
            case Window(_, partition, _, grandchild) if all(isinstance(p, AttributeReference) for p in partition):
                if condition is None:
                    return plan
                return self._partly(plan, condition, left, grandchild, frozenset(id_of(p) for p in partition), {})
            case Union(inputs):
                return self._union(plan, left, inputs)
            case Distinct() | Sort() | Repartition() | RepartitionByExpression() | Generate() | Expand() if all(
                e.deterministic for e in left.expressions
            ):
                if condition is None:
                    return left.with_new_children((plan.replace(left=left.child),))
                return self._partly(plan, condition, left, left.child, left.child.output_set, {})
        return plan

    def _pays(self, plan: Join) -> bool:
        """Whether the join may come before an aggregate: by keys, and with a broadcast."""
        known = self.context.config.behaviour
        if not known.semi_joins_need_a_broadcast:
            return True
        if known.semi_joins_need_keys and not equi_keys(plan.condition, plan.right, null_safe=True):
            return False
        return plan.right_hint == "broadcast" or self.context.estimator.can_broadcast(plan.right)

    @staticmethod
    def _partly(
        plan: Join,
        condition: Expression,
        left: LogicalPlan,
        grandchild: LogicalPlan,
        own: frozenset[int],
        aliases: dict[int, Expression],
    ) -> LogicalPlan:
        parts = split(condition)
        visible = own | plan.right.output_set
        down: list[Expression] = []
        stay: list[Expression] = []
        for p in parts:
            reads = inlined(p, aliases).references
            (down if p.references and p.deterministic and reads <= visible else stay).append(p)
        if not down or (stay and plan.kind == "LeftAnti"):
            return plan
        if stay and any(p.references & plan.right.output_set for p in stay):
            return plan
        moved = inlined(conjunction(down), aliases)
        below = left.with_new_children((plan.replace(left=grandchild, condition=moved),))
        return Filter(conjunction(stay), below) if stay else below

    @staticmethod
    def _union(plan: Join, left: LogicalPlan, inputs: tuple[LogicalPlan, ...]) -> LogicalPlan:
        if left.output_set & plan.right.output_set:
            return plan
        new = []
        for i in inputs:
            mapping = {a.expr_id: b for a, b in zip(left.output, i.output, strict=True)}
            condition = None if plan.condition is None else substitute(plan.condition, mapping)
            new.append(plan.replace(left=i, condition=condition))
        return left.replace(inputs=tuple(new))


class PushLeftSemiLeftAntiThroughJoin(OptimizerRule[Join]):
    """Move a semi or anti join below the join on its left, to the side that it reads.

    Join(Join(a, b), r, LeftSemi, a.k = r.k)  =>  Join(Join(a, r, LeftSemi, a.k = r.k), b)

    Pays because fewer rows are joined. Past an outer join only to the side whose rows are kept.
    """

    matches = (Join,)

    @override
    def rewrite(self, node: Join) -> LogicalPlan:
        inner = node.left
        if node.kind not in SEMI or not isinstance(inner, Join):
            return node
        side = self._side(node, inner)
        if side == "left" and inner.kind in ("Inner", "Cross", "LeftOuter"):
            return inner.replace(left=node.replace(left=inner.left))
        if side == "right" and inner.kind in ("Inner", "Cross", "RightOuter"):
            return inner.replace(right=node.replace(left=inner.right))
        return node

    @staticmethod
    def _side(node: Join, inner: Join) -> str | None:
        if node.condition is None:
            return "left"
        own = node.condition.references - node.right.output_set
        if own and own <= inner.left.output_set:
            return "left"
        if own and own <= inner.right.output_set:
            return "right"
        return None
