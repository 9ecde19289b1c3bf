"""Filters that follow from others, and filters that say nothing."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.core import AttributeReference, Expression, Literal, lit
from planviz.expressions.generators import Explode
from planviz.expressions.predicates import And, GreaterThan, IsNotNull, conjunction
from planviz.expressions.predicates import split_conjunction as split
from planviz.expressions.specs import SignatureCall
from planviz.logical.combining import Join
from planviz.logical.operators import Filter, Generate
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation
from planviz.optimizer.attributes import function
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.expression_set import ExpressionSet
from planviz.optimizer.rules.boolean import is_false, is_null, is_true


class InferFiltersFromConstraints(OptimizerRule):
    """Write down what a filter or a join condition implies.

    Join(l, r, l.a = r.a)  =>  Join(Filter(isnotnull(a), l), Filter(isnotnull(a), r), a = a)

    Pays because the sides shrink before the join. Of an outer join only the side that is looked up may be filtered:
    `l LEFT JOIN r ON l.a = r.a` keeps rows of l without a.
    """

    matches = (Filter, Join)
    settings = ("spark.sql.constraintPropagation.enabled",)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        key = "spark.sql.constraintPropagation.enabled"
        if not self.context.on(key):
            return self.refuse(plan, "the setting is off", False, setting=key)
        return plan.transform_down(self._step, self.mask, self.settled)

    def _step(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Filter):
            constraints = self.context.constraints
            new = constraints.of(plan).minus(constraints.of(plan.child).union(split(plan.condition)))
            if not len(new):
                return self.refuse(plan, "all that the condition implies is known already", plan.condition)
            return Filter(And(conjunction(list(new)), plan.condition), plan.child)
        if isinstance(plan, Join):
            return self._join(plan)
        return plan

    def _join(self, plan: Join) -> Join:
        kind = plan.kind
        left = kind in ("Inner", "Cross", "LeftSemi", "RightOuter")
        right = kind in ("Inner", "Cross", "LeftSemi", "LeftOuter", "LeftAnti")
        if not left or not right:
            self.refuse(plan, "the side whose rows the join keeps may not be filtered", kind)
        if not left and not right:
            return plan
        condition = split(plan.condition) if plan.condition is not None else []
        constraints = self.context.constraints
        own = constraints.as_set(ExpressionSet(condition))
        known = constraints.of(plan.left).union(constraints.of(plan.right), own)
        known = known.union(constraints.inferred(known))
        return plan.replace(
            left=self._filtered(plan.left, known) if left else plan.left,
            right=self._filtered(plan.right, known) if right else plan.right,
        )

    def _filtered(self, side: LogicalPlan, known: ExpressionSet) -> LogicalPlan:
        constraints = self.context.constraints
        own = side.output_set
        new = known.union(constraints.not_null(known, side.output)).where(
            lambda c: c.references and c.references <= own and c.deterministic
        )
        new = constraints.as_set(new).minus(constraints.of(side))
        return Filter(conjunction(list(new)), side) if len(new) else side


class InferFiltersFromGenerate(OptimizerRule[Generate]):
    """An explode gives no row for null and empty input, so a filter below may say so.

    Generate(explode(xs), t)  =>  Generate(explode(xs), Filter(size(xs) > 0 AND isnotnull(xs), t))

    Pays because rows that give nothing go early. An outer generator gives a row for them: `LATERAL VIEW OUTER` stays.
    """

    matches = (Generate,)
    settings = ("spark.sql.ansi.enabled", "spark.sql.legacy.sizeOfNull")

    @override
    def rewrite(self, node: Generate) -> LogicalPlan:
        g = node.generator
        # Another input than a column could be costly to compute twice, or fail for rows filtered before.
        if node.outer or not isinstance(g, Explode) or g.outer or not isinstance(g.child, AttributeReference):
            return node
        child = g.child
        size = function("size", child)
        assert isinstance(size, SignatureCall)
        config = self.context.config
        if config.get("spark.sql.legacy.sizeOfNull") and not config.get("spark.sql.ansi.enabled"):
            size = size.without_failures()
        wanted = [_greater_zero(size), IsNotNull(child)]
        known = self.context.constraints.of(node.child)
        new = [c for c in wanted if c not in known]
        return node.replace(child=Filter(conjunction(new), node.child)) if new else node


def _greater_zero(e: Expression) -> Expression:
    return GreaterThan(e, lit(0))


class PruneFilters(OptimizerRule[Filter]):
    """Remove filters that are always true, empty the plan under one that never is, drop what the child guarantees.

    Filter(true, t)  =>  t        Filter(false, t)  =>  LocalRelation <empty>

    Pays because nothing has to be tested, or read. A null condition empties as false does; in a select list the two
    differ, and `SELECT null AND true` must stay null.
    """

    matches = (Filter,)

    @override
    def rewrite(self, node: Filter) -> LogicalPlan:
        match node:
            case Filter(condition, child) if is_true(condition):
                return child
            case Filter(Literal() as condition, child) if is_null(condition) or is_false(condition):
                return LocalRelation(child.output)
            case Filter(condition, child):
                known = self.context.constraints.of(child)
                parts = split(condition)
                rest = [p for p in parts if not (p.deterministic and p in known)]
                if len(rest) == len(parts):
                    return node
                return Filter(conjunction(rest), child) if rest else child
        return node
