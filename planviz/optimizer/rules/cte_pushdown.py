"""What all uses of a common table expression have in common is done in its definition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce

from typing_extensions import override

from planviz.expressions.core import AttributeReference, Expression, id_of
from planviz.expressions.predicates import Or, conjunction
from planviz.expressions.subqueries import SubqueryExpression
from planviz.logical.combining import CTERelationDef, WithCTE
from planviz.logical.operators import Filter, Project, Subquery
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import CTERelationRef
from planviz.optimizer.attributes import name_of, substitute
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.lineage import operation


@dataclass
class _Uses:
    """How a definition is used: what each use keeps (None once one keeps everything), and the columns that they read.

    `order` is its place among the definitions: it may only refer to those before it.
    """

    definition: CTERelationDef
    order: int
    predicates: list[Expression] | None = field(default_factory=list)
    columns: dict[int, AttributeReference] = field(default_factory=dict)

    def read(self) -> tuple[AttributeReference, ...]:
        """The columns that are read, in the order of their names."""
        return tuple(sorted(self.columns.values(), key=lambda a: (name_of(a), id_of(a))))

    def prunes(self, plan: LogicalPlan) -> bool:
        """Whether the plan gives more columns than are read."""
        return len(self.columns) < len(plan.output_set) and plan.output_set >= self.columns.keys()


class PushdownPredicatesAndPruneColumnsForCTEDef(OptimizerRule):
    """Compute of a shared common table expression only the rows and columns that its uses read.

    WithCTE(def x, ... Filter(p, ref x) ... Filter(q, ref x) ...)
        =>  WithCTE(def Filter(p OR q, Project(read by a use, x)), ...)

    Pays because the definition is computed once for all uses. One use without a filter needs every row: with
    `WITH x AS (SELECT a, rand() AS r FROM t) SELECT * FROM x JOIN (SELECT * FROM x WHERE a > 1)` nothing is pushed.
    """

    matches = (WithCTE,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Subquery):
            return plan
        uses: dict[int, _Uses] = {}
        _gather(plan, uses)
        return _down_with_subqueries(plan, lambda p: _pushed(p, uses))


def _gather(plan: LogicalPlan, uses: dict[int, _Uses]) -> None:
    if not plan.bits & (WithCTE.BIT | CTERelationRef.BIT):
        return
    if isinstance(plan, WithCTE):
        for order, d in enumerate(plan.definitions):
            _gather(d.children[0], uses)
            uses[getattr(d, "id")] = _Uses(d, order)  # noqa: B009 (typed as a plan)
        _gather(plan.plan, uses)
        return
    items, conditions, below = operation(plan)
    if isinstance(below, CTERelationRef):
        if below.id in uses:
            _note(uses[below.id], items, conditions, below, uses)
        inner = [q for p in plan.walk() for q in p.subquery_plans]
    else:
        inner = list(plan.subquery_plans)
        for c in plan.children:
            _gather(c, uses)
    for q in inner:
        _gather(q, uses)


def _note(
    use: _Uses, items: tuple[Expression, ...], conditions: list[Expression], ref: CTERelationRef, uses: dict[int, _Uses]
) -> None:
    own = {a.expr_id: d for a, d in zip(ref.output, use.definition.output, strict=True)}
    if use.predicates is not None:
        kept = [substitute(c, own) for c in conditions if not _refers_ahead(c, use.order, uses)]
        kept = [c for c in kept if c.references <= use.definition.output_set]
        use.predicates = [*use.predicates, conjunction(kept)] if kept else None
    for e in (*items, *conditions):
        for a in e.attributes:
            if a.expr_id in own:
                use.columns[own[a.expr_id].expr_id] = own[a.expr_id]


def _refers_ahead(condition: Expression, order: int, uses: dict[int, _Uses]) -> bool:
    """Whether a subquery in the condition reads a definition that comes later, or this one."""
    refs = [r for s in condition.collect(SubqueryExpression) for r in s.plan.collect(CTERelationRef)]
    return any(r.id not in uses or uses[r.id].order >= order for r in refs)


def _pushed(plan: LogicalPlan, uses: dict[int, _Uses]) -> LogicalPlan:
    if isinstance(plan, CTERelationDef):
        return _narrowed(plan, uses[plan.id])
    if isinstance(plan, CTERelationRef) and plan.id in uses and uses[plan.id].prunes(uses[plan.id].definition.child):
        use = uses[plan.id]
        at = {a.expr_id: i for i, a in enumerate(use.definition.output)}
        return plan.replace(attributes=tuple(plan.output[at[id_of(a)]] for a in use.read()))
    return plan


def _narrowed(definition: CTERelationDef, use: _Uses) -> CTERelationDef:
    before: tuple[Expression, ...] = ()
    whole, pushed = definition.original or (definition.child, before)
    new = use.predicates or []
    if any(not any(p.semantic_equals(known) for known in pushed) for p in new):
        columns = Project(use.read(), whole) if use.prunes(whole) else whole
        return definition.replace(child=Filter(reduce(Or, new), columns), original=(whole, tuple(new)))
    if use.prunes(definition.child):
        return definition.replace(child=Project(use.read(), definition.child), original=(whole, pushed))
    return definition


def _down_with_subqueries(plan: LogicalPlan, f: Callable[[LogicalPlan], LogicalPlan]) -> LogicalPlan:
    """The tree with `f` applied to every operator, those in subqueries too, parents first."""

    def inner(e: Expression) -> Expression:
        return e.with_plan(_down_with_subqueries(e.plan, f)) if isinstance(e, SubqueryExpression) else e

    def step(p: LogicalPlan) -> LogicalPlan:
        return f(p).transform_expressions_up(inner, SubqueryExpression.BIT)

    down: LogicalPlan = plan.transform_down(step, CTERelationDef.BIT | CTERelationRef.BIT)
    return down


class CleanUpTempCTEInfo(OptimizerRule[CTERelationDef]):
    """Forget what was noted about common table expressions while predicates were pushed into them.

    CTERelationDef(plan, notes)  =>  CTERelationDef(plan)

    Pays because the plan without predicates need not be kept. Wrong before the last push: a later predicate is pushed
    into the plan as it was, and `WITH x AS (...)` used twice would lose what one use keeps.
    """

    matches = (CTERelationDef,)

    @override
    def rewrite(self, node: CTERelationDef) -> LogicalPlan:
        return node.replace(original=None)
