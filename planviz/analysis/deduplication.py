"""Fresh ids for relations and columns that stand in a plan twice."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule
from planviz.expressions.core import Alias, AttributeReference, Expression, NamedExpression, alias
from planviz.expressions.ids import next_id
from planviz.expressions.objects import StaticInvoke
from planviz.expressions.subqueries import SubqueryExpression
from planviz.expressions.unresolved import OuterReference
from planviz.logical.cached import InMemoryRelation
from planviz.logical.combining import Except, Intersect, Join, LateralJoin, NearestByJoin, Union
from planviz.logical.commands import CommandResult
from planviz.logical.objects import SerializeFromObject
from planviz.logical.operators import Aggregate, Distinct, Expand, Generate, Project, SubqueryAlias, Window
from planviz.logical.plan import ANALYZED, LogicalPlan, StreamingSource
from planviz.logical.relations import CTERelationRef, LocalRelation, LogicalRDD, LogicalRelation, Range, UnionLoopRef
from planviz.logical.scripts import ScriptTransformation
from planviz.trees.depth import deep
from planviz.trees.memo import Memo
from planviz.versions import Behaviour

INSTANCES = (
    *(LogicalRelation, InMemoryRelation, LocalRelation, LogicalRDD, Range, CTERelationRef, UnionLoopRef),
    *(StreamingSource, CommandResult),
)


class DeduplicateRelations(AnalyzerRule):
    """Give a relation that occurs a second time ids of its own, and rewrite what reads it.

    Join(t[a#1], t[a#1])  =>  Join(t[a#1], t[a#9])

    Works from left to right: the first occurrence keeps its ids. Spark 3.0 only tells the sides of one operator apart:
    a subquery may read a table under the same ids as the query around it.
    """

    package = "org.apache.spark.sql.catalyst.analysis"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return deduplicated(plan, self.context.config.behaviour)


def deduplicated(plan: LogicalPlan, behaviour: Behaviour | None = None) -> LogicalPlan:
    """The plan with no column twice, as a version of Spark does it; None: as 4.3."""
    if behaviour is not None and not behaviour.relations_are_deduplicated:
        mask = Join.BIT | LateralJoin.BIT | NearestByJoin.BIT | Intersect.BIT | Except.BIT | Union.BIT
        return plan.transform_up(_conflicts_alike, mask) if plan.bits & mask else plan
    if _over_analyzed(plan):
        return plan
    relations_only = behaviour is not None and not behaviour.aliases_are_renewed
    renew = _renew_relations if relations_only else _renew
    if behaviour is not None and relations_only and not behaviour.cte_references_are_renewed:
        renew = _renew_tables
    new, _ = renew(plan, set())
    mask = Join.BIT | LateralJoin.BIT | NearestByJoin.BIT | Intersect.BIT | Except.BIT | Union.BIT
    step = _conflicts_at_the_top if relations_only else _conflicts
    return new.resolve_operators_up(step, mask) if new.bits & mask else new


def repeats_ids(plan: LogicalPlan) -> bool:
    """Whether this is a union, named or without its duplicates, whose inputs wait for columns of their own ids."""
    while isinstance(plan, SubqueryAlias | Distinct):
        plan = plan.child
    return isinstance(plan, Union) and not plan.by_name and plan.resolved and plan.repeats_ids


def _over_analyzed(plan: LogicalPlan) -> bool:
    """Whether new operators stand one above the other over a plan that was analyzed: nothing can occur twice."""
    while plan not in ANALYZED:
        if len(plan.children) != 1 or plan.own_bits & SubqueryExpression.BIT:
            return False
        plan = plan.children[0]
    return True


#: An operator's class and the ids that it brings into being.
Key = tuple[type, tuple[int, ...]]


Seen = set[Key]
#: Up to which weight it is remembered of every operator what is in its tree.
_LIGHT = 200
_RELATIONS: Memo[frozenset[Key] | None] = Memo("relations")


def _relations(plan: LogicalPlan) -> frozenset[Key] | None:
    """What tells the resolved operators of the tree apart that bring ids into being; None where two are the same."""
    if plan not in _RELATIONS:
        found: set[Key] = set()
        count, stack = 0, [plan]
        while stack:
            node = stack.pop()
            if node in _RELATIONS:
                inner = _RELATIONS.get(node)
                if inner is None:
                    return _RELATIONS.set(plan, None)
                found |= inner
                count += len(inner)
                continue
            ids = _own_ids(node)
            if ids and node.resolved:
                found.add((type(node), ids))
                count += 1
            stack += node.children
            if node.own_bits & SubqueryExpression.BIT:
                stack += node.subquery_plans
        _RELATIONS.set(plan, frozenset(found) if count == len(found) else None)
    return _RELATIONS.get(plan)


def _stays(plan: LogicalPlan, seen: Seen) -> bool:
    """Whether nothing in the tree was seen before, nor stands in it twice; all of it counts as seen then."""
    # References to a CTE are told apart by single columns.
    if plan.bits & CTERelationRef.BIT:
        return False
    keys = _relations(plan)
    if keys is None or not seen.isdisjoint(keys):
        return False
    seen |= keys
    return True


@deep
def _renew(plan: LogicalPlan, seen: Seen) -> tuple[LogicalPlan, bool]:
    if plan.is_streaming:
        # Spark renews no stream here, only where the sides of an operator clash.
        return plan, False
    # A set for every operator of a large tree would cost more than it saves.
    if plan.weight <= _LIGHT and _stays(plan, seen):
        return plan, False
    new, changed = _renew_children(plan, seen)
    ids = _own_ids(new)
    if not ids or not new.resolved:
        return new, changed
    key = (type(new), ids)
    if isinstance(new, CTERelationRef):
        # A definition that passes columns of another one on shares its ids with that one's references.
        if not any((CTERelationRef, (i,)) in seen for i in ids):
            seen.update((CTERelationRef, (i,)) for i in ids)
            return new, changed
    elif key not in seen:
        seen.add(key)
        return new, changed
    again: LogicalPlan
    if isinstance(plan, Expand) and isinstance(new, Expand):
        again = _new_expand(plan, new)
    else:
        again = _new_instance(new)
    if new in ANALYZED:
        ANALYZED.set(again, True)
    return again, True


def _new_expand(before: Expand, now: Expand) -> Expand:
    """An Expand over renewed input: what that gives under a new id is not passed on, but brought into being anew."""
    own = now.produced
    pairs = zip(before.columns, now.columns, strict=True)
    columns = tuple(b.new_instance() if b.expr_id in own or b.expr_id != a.expr_id else b for a, b in pairs)
    made: Expand = now.replace(columns=columns)
    return made


@deep
def _renew_relations(plan: LogicalPlan, seen: Seen) -> tuple[LogicalPlan, bool]:
    """As `_renew`, of relations alone."""
    if plan.is_streaming:
        return plan, False
    if not isinstance(plan, INSTANCES):
        return _renew_children(plan, seen, _renew_relations)
    ids = _own_ids(plan)
    key = (type(plan), ids)
    if ids and plan.resolved and key in seen:
        return _new_instance(plan), True
    seen.add(key)
    return plan, False


def _is_padded_relation(plan: LogicalPlan) -> bool:
    """Whether this pads a table's char columns: only a subquery has such a Project while the rest is analyzed."""
    return (
        isinstance(plan, Project) and bool(plan.own_bits & StaticInvoke.BIT) and isinstance(plan.child, LogicalRelation)
    )


@deep
def _renew_tables(plan: LogicalPlan, seen: Seen) -> tuple[LogicalPlan, bool]:
    """As `_renew_relations`, of no reference to a definition, nor of a relation that padding made another object."""
    if isinstance(plan, CTERelationRef) or _is_padded_relation(plan):
        return plan, False
    if isinstance(plan, INSTANCES):
        return _renew_relations(plan, seen)
    return _renew_children(plan, seen, _renew_tables)


def _renew_children(
    plan: LogicalPlan, seen: Seen, renew: Callable[..., tuple[LogicalPlan, bool]] = _renew
) -> tuple[LogicalPlan, bool]:
    children = plan.children
    if not children:
        return plan, False
    changed = False
    renewed = []
    for c in children:
        # A DataFrame's plan that grew with every step is told by the sets of those that it was made of.
        if renew is _renew and c.weight > _LIGHT and c in ANALYZED and plan not in ANALYZED and _stays(c, seen):
            renewed.append(c)
            continue
        n, child_changed = renew(c, seen)
        renewed.append(n)
        changed = changed or child_changed
    below = plan

    def inner(e: Expression) -> Expression:
        nonlocal changed
        if isinstance(e, SubqueryExpression):
            n, sub_changed = renew(e.plan, seen)
            changed = changed or sub_changed
            return e.with_plan(n)
        return e

    if plan.own_bits & SubqueryExpression.BIT:
        below = plan.transform_expressions_up(inner, SubqueryExpression.BIT)
    if not changed:
        return plan, False
    new = below.with_new_children(tuple(renewed))
    if all(c.resolved for c in children):
        mapping = {}
        for old, now in zip(children, renewed, strict=True):
            if old is not now:
                for a, b in zip(old.output, now.output, strict=True):
                    if a.expr_id != b.expr_id:
                        mapping[a.expr_id] = b
        if mapping:
            new = rewrite_attributes(new, mapping)
    if plan in ANALYZED:
        # Under other ids it is as analyzed as it was.
        ANALYZED.set(new, True)
    return new, True


def rewrite_attributes(plan: LogicalPlan, mapping: dict[int, AttributeReference]) -> LogicalPlan:
    """One operator reading other attributes; outer references inside its subqueries too."""

    def step(e: Expression) -> Expression:
        if isinstance(e, AttributeReference):
            new = mapping.get(e.expr_id)
            return e if new is None else _renumbered(e, new)
        return e.with_plan(_rewrite_outer(e.plan, mapping)) if isinstance(e, SubqueryExpression) else e

    mask = AttributeReference.BIT | SubqueryExpression.BIT
    return plan.transform_expressions_up(step, mask)


def _renumbered(e: NamedExpression, new: AttributeReference) -> AttributeReference:
    """The new column as the query spells its name (Spark: dedupAttr)."""
    return AttributeReference(e.name, new.type, new.is_nullable, new.expr_id, e.qualifier, new.metadata)


def _rewrite_outer(plan: LogicalPlan, mapping: dict[int, AttributeReference]) -> LogicalPlan:
    def step(e: Expression) -> Expression:
        if isinstance(e, OuterReference) and e.expr_id in mapping:
            return OuterReference(_renumbered(e.attribute, mapping[e.expr_id]))
        return e

    return plan.transform_all_expressions(step, OuterReference.BIT)


def _aliases(expressions: tuple[Expression, ...]) -> tuple[int, ...]:
    return tuple([e.expr_id for e in expressions if isinstance(e, Alias)])


def _own_ids(plan: LogicalPlan) -> tuple[int, ...]:
    """The ids that an operator brings into being."""
    if isinstance(plan, INSTANCES):
        return tuple([a.expr_id for a in plan.output])
    if isinstance(plan, Project):
        return _aliases(plan.projects)
    if isinstance(plan, Aggregate):
        return _aliases(plan.aggregates)
    if isinstance(plan, Window):
        return _aliases(plan.functions)
    if isinstance(plan, SerializeFromObject):
        return _aliases(plan.serializer)
    if isinstance(plan, Generate):
        return tuple([a.expr_id for a in plan.generator_output])
    if isinstance(plan, Expand | ScriptTransformation):
        return tuple(sorted(plan.produced))
    return ()


def _renamed(expressions: tuple[Expression, ...]) -> tuple[Expression, ...]:
    return tuple(Alias(e.child, e.name, next_id(), e.qualifier) if isinstance(e, Alias) else e for e in expressions)


def _new_instance(plan: LogicalPlan) -> LogicalPlan:
    if isinstance(plan, INSTANCES):
        return plan.new_instance()
    if isinstance(plan, Project):
        return plan.replace(projects=_renamed(plan.projects))
    if isinstance(plan, Aggregate):
        return plan.replace(aggregates=_renamed(plan.aggregates))
    if isinstance(plan, Window):
        return plan.replace(functions=_renamed(plan.functions))
    if isinstance(plan, SerializeFromObject):
        return plan.replace(serializer=_renamed(plan.serializer))
    if isinstance(plan, Generate):
        columns = tuple(c.new_instance() if isinstance(c, AttributeReference) else c for c in plan.columns)
        return plan.replace(columns=columns)
    assert isinstance(plan, Expand | ScriptTransformation)
    produced = plan.produced
    columns = tuple(a.new_instance() if a.expr_id in produced else a for a in plan.columns)
    return plan.replace(columns=columns)


def _conflicts_at_the_top(plan: LogicalPlan) -> LogicalPlan:
    """As `_conflicts`, before Spark 4.0: beneath an operator that renews some ids the others stay."""
    return _conflicts(plan, _dedup_uppermost)


def _conflicts_alike(plan: LogicalPlan) -> LogicalPlan:
    """As `_conflicts_at_the_top`, before Spark 3.2: operators that were equal stay so, under the same fresh ids."""
    renewed: dict[LogicalPlan, LogicalPlan] = {}

    def once(p: LogicalPlan) -> LogicalPlan:
        if p not in renewed:
            renewed[p] = _new_instance(p)
        return renewed[p]

    return _conflicts(plan, lambda left, right: _dedup_uppermost(left, right, once))


def _conflicts(
    plan: LogicalPlan, dedup: Callable[[LogicalPlan, LogicalPlan], LogicalPlan] | None = None
) -> LogicalPlan:
    """Sides of one operator that still share ids get a projection or new ids."""
    dedup = dedup or _dedup_right
    if not plan.children_resolved:
        return plan
    if isinstance(plan, Join | NearestByJoin | Intersect | Except):
        if plan.left.output_set & plan.right.output_set:
            return plan.replace(right=dedup(plan.left, plan.right))
        return plan
    if isinstance(plan, LateralJoin):
        right = plan.right
        if right.resolved and plan.child.output_set & right.plan.output_set:
            return plan.replace(right=right.with_plan(dedup(plan.child, right.plan)))
        return plan
    if isinstance(plan, Union) and not plan.by_name:
        return _dedup_union(plan)
    return plan


def _dedup_uppermost(
    left: LogicalPlan, right: LogicalPlan, renew: Callable[[LogicalPlan], LogicalPlan] | None = None
) -> LogicalPlan:
    """The right side with fresh ids where the uppermost operators make columns that the left side has too."""
    shared = left.output_set & right.output_set

    def go(p: LogicalPlan) -> LogicalPlan:
        if set(_own_ids(p)) & shared:
            return (renew or _new_instance)(p)
        renewed = tuple(go(c) for c in p.children)
        pairs = [
            (a, b)
            for old, now in zip(p.children, renewed, strict=True)
            if old is not now
            for a, b in zip(old.output, now.output, strict=True)
        ]
        mapping = {a.expr_id: b for a, b in pairs if a.expr_id != b.expr_id}
        return rewrite_attributes(p.with_new_children(renewed), mapping) if mapping else p

    return go(right)


def _dedup_right(left: LogicalPlan, right: LogicalPlan) -> LogicalPlan:
    """The right side with fresh ids for the columns that the left side has too."""
    shared = left.output_set & right.output_set
    seen: Seen = set()

    def go(p: LogicalPlan) -> LogicalPlan:
        if not p.output_set & shared and not isinstance(p, Project | Aggregate):
            return p
        children = p.children
        renewed = tuple(go(c) for c in children)
        new = p
        if any(a is not b for a, b in zip(children, renewed, strict=True)):
            new = p.with_new_children(renewed)
            pairs = zip(children, renewed, strict=True)
            mapping = {
                a.expr_id: b
                for old, now in pairs
                for a, b in zip(old.output, now.output, strict=True)
                if a.expr_id != b.expr_id
            }
            if mapping:
                new = rewrite_attributes(new, mapping)
        own = _own_ids(new)
        return _new_instance(new) if set(own) & shared else new

    del seen
    new = go(right)
    if left.output_set & new.output_set:
        return Project(tuple(alias(a, a.name) for a in right.output), right)
    made: LogicalPlan = new
    return made


#: What is remarked about the second of two columns of one id.
DUPLICATE = "__is_duplicate"


def _dedup_union(plan: Union) -> LogicalPlan:
    inputs = [_without_repeated_ids(one) for one in plan.inputs]
    changed = any(a is not b for a, b in zip(inputs, plan.inputs, strict=True))
    columns = [one.output_set for one in inputs]
    if len(frozenset().union(*columns)) == sum(map(len, columns)):
        # No two inputs have to be compared: a union that grows by one input after the other would cost their cube.
        return plan.replace(inputs=tuple(inputs)) if changed else plan
    for i, head in enumerate(inputs):
        for j in range(i + 1, len(inputs)):
            child = inputs[j]
            if head.output_set & child.output_set:
                inputs[j] = Project(tuple(alias(a, a.name) for a in child.output), child)
                changed = True
    return plan.replace(inputs=tuple(inputs)) if changed else plan


def _without_repeated_ids(plan: LogicalPlan) -> LogicalPlan:
    """An input of a union whose columns have ids of their own: `SELECT a, a` gives one id twice."""
    if len(plan.output_set) == len(plan.output):
        return plan
    seen: set[int] = set()
    items = []
    for column in plan.output:
        # The remark keeps RemoveRedundantAliases from putting the same id there once more.
        items.append(alias(column, column.name).remarked(DUPLICATE) if column.expr_id in seen else column)
        seen.add(column.expr_id)
    return Project(tuple(items), plan)
