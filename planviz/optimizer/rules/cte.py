"""Common table expressions."""

from __future__ import annotations

from collections import Counter

from typing_extensions import override

from planviz.estimation import Estimate
from planviz.expressions.core import Alias
from planviz.expressions.subqueries import SubqueryExpression
from planviz.expressions.unresolved import OuterReference
from planviz.logical.combining import CTERelationDef, WithCTE
from planviz.logical.operators import Project, Repartition, RepartitionByExpression, Subquery
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import CTERelationRef
from planviz.optimizer.attributes import renewed
from planviz.optimizer.context import OptimizerContext, OptimizerRule
from planviz.trees.depth import refuse_heavy


class InlineCTE(OptimizerRule):
    """Write a common table expression out where it is used.

    WithCTE(def x, ... ref x ... ref x ...)  =>  ... x ... x ...

    Pays because every use is then optimized on its own. Kept when it is used twice and not deterministic:
    `WITH r AS (SELECT rand() x) SELECT * FROM r a JOIN r b ON a.x = b.x` must find the same numbers.
    """

    matches = (WithCTE,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        definitions: dict[int, CTERelationDef] = {}
        uses: Counter[int] = Counter()
        self._count(plan, definitions, uses)
        fixed: dict[int, bool] = {}
        inlined = {i for i, d in definitions.items() if self._should_inline(d, uses, definitions, fixed)}
        kept = [i for i in definitions if i not in inlined and uses[i]]
        refuse_heavy(_weight(plan, {i: definitions[i] for i in inlined}, {}), f"The rule {self.name}")
        done: dict[int, LogicalPlan] = {}
        body: LogicalPlan = self._inline(plan, definitions, inlined, done)
        if kept:
            defs = tuple(
                definitions[i].replace(child=self._inline(definitions[i].child, definitions, inlined, done))
                for i in kept
            )
            return WithCTE(defs, body)
        return body

    def _should_inline(
        self, d: CTERelationDef, uses: Counter[int], known: dict[int, CTERelationDef], fixed: dict[int, bool]
    ) -> bool:
        if uses[d.id] <= 1 or d.recursive or d.bits & OuterReference.BIT:
            return True
        return self._deterministic(d, uses, known, fixed)

    def _deterministic(
        self, d: CTERelationDef, uses: Counter[int], known: dict[int, CTERelationDef], fixed: dict[int, bool]
    ) -> bool:
        """Whether a definition always gives the same rows, with those written out that it names; `fixed` remembers."""
        if d.id not in fixed:
            fixed[d.id] = True
            named: Counter[int] = Counter()
            self._count(d.child, {}, named)
            inner = [known[i] for i in named if i in known]
            written_out = [x for x in inner if self._should_inline(x, uses, known, fixed)]
            fixed[d.id] = d.deterministic and all(self._deterministic(x, uses, known, fixed) for x in written_out)
        return fixed[d.id]

    def _count(self, plan: LogicalPlan, definitions: dict[int, CTERelationDef], uses: Counter[int]) -> None:
        if not plan.bits & (WithCTE.BIT | CTERelationRef.BIT | CTERelationDef.BIT):
            return
        if isinstance(plan, CTERelationDef):
            definitions[plan.id] = plan
        if isinstance(plan, CTERelationRef):
            uses[plan.id] += 1
        for c in plan.children:
            self._count(c, definitions, uses)
        for s in plan.subqueries:
            self._count(s.plan, definitions, uses)

    def _inline(
        self, plan: LogicalPlan, definitions: dict[int, CTERelationDef], inlined: set[int], done: dict[int, LogicalPlan]
    ) -> LogicalPlan:
        if not plan.bits & (WithCTE.BIT | CTERelationRef.BIT):
            return plan

        def again(p: LogicalPlan) -> LogicalPlan:
            return self._inline(p, definitions, inlined, done)

        if isinstance(plan, WithCTE):
            return again(plan.plan)
        if isinstance(plan, CTERelationRef):
            if plan.id not in inlined:
                return plan
            if plan.id not in done:
                done[plan.id] = again(definitions[plan.id].child)
            return _instance(plan, done[plan.id], self.context)
        below = plan.map_children(again)
        if any(e.bits & (WithCTE.BIT | CTERelationRef.BIT) for e in below.expressions):
            below = below.transform_expressions_up(
                lambda e: e.with_plan(again(e.plan)) if isinstance(e, SubqueryExpression) else e, SubqueryExpression.BIT
            )
        return below


def _weight(plan: LogicalPlan, definitions: dict[int, CTERelationDef], known: dict[int, int]) -> int:
    """How many operators the plan has once these definitions are written out."""
    total = 0
    stack = [plan]
    while stack:
        p = stack.pop()
        total += 1
        if isinstance(p, CTERelationRef) and p.id in definitions:
            if p.id not in known:
                known[p.id] = _weight(definitions[p.id].child, definitions, known)
            total += known[p.id]
        stack.extend([p.plan] if isinstance(p, WithCTE) else p.children)
        stack.extend(s.plan for s in p.subqueries)
    return total


def _instance(ref: LogicalPlan, definition: LogicalPlan, context: OptimizerContext) -> LogicalPlan:
    """The definition's plan with the reference's ids; under fresh ids below when they differ."""
    if ref.output_set == definition.output_set:
        return definition
    known = context.config.behaviour
    fresh = renewed(definition, known if known.relations_are_deduplicated else None)
    pairs = zip(ref.output, fresh.output, strict=True)
    items = tuple(a if a.expr_id == t.expr_id else Alias(a, t.name, t.expr_id) for t, a in pairs)
    return Project(items, fresh)


class UpdateCTERelationStats(OptimizerRule):
    """Tell every use of a common table expression how large the definition is.

    CTERelationRef(x)  =>  CTERelationRef(x, size of x)

    Pays because a small one can be broadcast; a use alone knows only an id. Wrong before the definition has settled:
    in `WITH x AS (SELECT *, rand() AS r FROM t) ...` the columns that no use reads still count.
    """

    matches = (WithCTE,)
    package = "org.apache.spark.sql.catalyst.optimizer.Optimizer$"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan if isinstance(plan, Subquery) else self._told(plan, {})

    def _told(self, plan: LogicalPlan, known: dict[int, Estimate]) -> LogicalPlan:
        if not plan.bits & (WithCTE.BIT | CTERelationRef.BIT):
            return plan
        if isinstance(plan, WithCTE):
            definitions = []
            for d in plan.definitions:
                new = d.replace(child=self._told(d.child, known))
                known[d.id] = self.context.estimator.estimate(new)
                definitions.append(new)
            return plan.with_new_children((*definitions, self._told(plan.plan, known)))
        if isinstance(plan, CTERelationRef):
            return plan.replace(statistics=known.get(plan.id, plan.statistics))
        below = plan.map_children(lambda c: self._told(c, known))
        return below.transform_expressions_up(
            lambda e: e.with_plan(self._told(e.plan, known)) if isinstance(e, SubqueryExpression) else e,
            SubqueryExpression.BIT,
        )


class ReplaceCTERefWithRepartition(OptimizerRule):
    """A common table expression that was kept is computed once and shuffled, so that its uses can share the result.

    CTERelationRef(x)  =>  Repartition(plan of x)

    Pays because equal exchanges are reused. What scalar subqueries share needs no shuffle: equal subqueries run once.
    Without the shuffle the uses of `WITH r AS (SELECT rand() x)` would each draw their own numbers.
    """

    matches = (WithCTE,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        replaced: LogicalPlan = self._replace(plan, {})
        return replaced

    def _replace(self, plan: LogicalPlan, known: dict[int, LogicalPlan]) -> LogicalPlan:
        if not plan.bits & (WithCTE.BIT | CTERelationRef.BIT):
            return plan
        if isinstance(plan, WithCTE):
            for d in plan.definitions:
                child = self._replace(d.children[0], known)
                shared = getattr(d, "under_subquery") or (isinstance(child, Repartition) and child.shuffle)  # noqa: B009
                known[getattr(d, "id")] = child if shared else self._repartitioned(child)  # noqa: B009
            return self._replace(plan.plan, known)
        if isinstance(plan, CTERelationRef) and plan.id in known:
            return _instance(plan, known[plan.id], self.context)
        below = plan.map_children(lambda c: self._replace(c, known))
        if any(e.bits & CTERelationRef.BIT for e in below.expressions):
            below = below.transform_expressions_up(
                lambda e: e.with_plan(self._replace(e.plan, known)) if isinstance(e, SubqueryExpression) else e,
                SubqueryExpression.BIT,
            )
        return below

    def _repartitioned(self, plan: LogicalPlan) -> LogicalPlan:
        config = self.context.config
        if config.behaviour.shared_ctes_leave_their_number_open:
            return RepartitionByExpression((), plan)
        return Repartition(config.shuffle_partitions, True, plan)
