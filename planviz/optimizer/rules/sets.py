"""Unions, intersections, differences."""

from __future__ import annotations

from typing_extensions import override

from planviz.decisions.branches import logic
from planviz.expressions.aggregates import AggregateExpression, Count, FirstLast, Sum
from planviz.expressions.conditional import Coalesce, If
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, alias, id_of
from planviz.expressions.generators import GeneratorCall
from planviz.expressions.ids import next_id
from planviz.expressions.predicates import (
    And,
    EqualNullSafe,
    GreaterThan,
    GreaterThanOrEqual,
    Not,
    conjunction,
)
from planviz.expressions.subqueries import SubqueryExpression
from planviz.logical.combining import Except, Intersect, Join, SetOperation, Union
from planviz.logical.operators import Aggregate, Deduplicate, Distinct, Filter, Generate, Project
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.attributes import correlated, merged_projects, same_output, substitute
from planviz.optimizer.canonical import canonical, without_renaming
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.rules.projections import can_collapse
from planviz.types import BOOLEAN, LONG, StructField


class ReplaceDeduplicateWithAggregate(OptimizerRule):
    """dropDuplicates(keys) keeps the first row of each key.

    Deduplicate [a] over t[a, b]  =>  Aggregate [a], [a, first(b) AS b]

    Pays because aggregates can be planned. Without keys a literal is the key: an empty input must give no row.
    """

    matches = (Deduplicate,)
    excludable = False

    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        """The plan with groupings; what reads the columns reads the new ones."""
        mapping: dict[int, AttributeReference] = {}

        def renamed(e: Expression) -> Expression:
            # What reads a column knows whether it may be null; of what first() gives nobody does.
            if isinstance(e, AttributeReference) and e.expr_id in mapping:
                return mapping[e.expr_id].with_nullability(e.is_nullable)
            return e

        def step(p: LogicalPlan) -> LogicalPlan:
            if mapping:
                p = p.map_expressions(lambda e: e.transform_up(renamed, AttributeReference.BIT))
            # Over a stream the keys that were seen have to be kept.
            return self._aggregate(p, mapping) if isinstance(p, Deduplicate) and not p.is_streaming else p

        return plan.transform_up(step)

    @staticmethod
    def _aggregate(node: Deduplicate, mapping: dict[int, AttributeReference]) -> LogicalPlan:
        keys = {id_of(k) for k in node.keys}
        items: list[Expression] = []
        for a in node.child.output:
            if a.expr_id in keys:
                items.append(a)
                continue
            items.append(alias(AggregateExpression(FirstLast(a), "Complete", False, None, next_id()), a.name))
            mapping[a.expr_id] = items[-1].to_attribute()
        return Aggregate(node.keys or (Literal(1, LONG),), tuple(items), node.child)


def _pairs(plan: SetOperation) -> Expression | None:
    pairs: list[Expression] = [EqualNullSafe(a, b) for a, b in zip(plan.left.output, plan.right.output, strict=True)]
    # Tables of which nothing is known have no columns to compare.
    return conjunction(pairs) if pairs else None


class ReplaceIntersectWithSemiJoin(OptimizerRule[Intersect]):
    """INTERSECT is a distinct semi join over all columns.

    Intersect(l, r)  =>  Distinct(Join(l, r, LeftSemi, a <=> a AND b <=> b))

    Pays because joins can be planned. Null-safe: with `=`, rows with nulls that both sides have would be lost.
    """

    matches = (Intersect,)
    excludable = False

    @override
    def rewrite(self, node: Intersect) -> LogicalPlan:
        return node if node.is_all else Distinct(Join(node.left, node.right, "LeftSemi", _pairs(node)))


class ReplaceExceptWithAntiJoin(OptimizerRule[Except]):
    """EXCEPT is a distinct anti join over all columns.

    Except(l, r)  =>  Distinct(Join(l, r, LeftAnti, a <=> a AND b <=> b))

    Pays because joins can be planned. Null-safe: with `=`, a row (null) of both sides would stay.
    """

    matches = (Except,)
    excludable = False

    @override
    def rewrite(self, node: Except) -> LogicalPlan:
        return node if node.is_all else Distinct(Join(node.left, node.right, "LeftAnti", _pairs(node)))


class ReplaceExceptWithFilter(OptimizerRule[Except]):
    """EXCEPT of two selections of the same rows is one selection.

    Except(Filter(p, t), Filter(q, t))  =>  Distinct(Filter(p AND NOT coalesce(q, false), t))

    Pays because the table is read once. coalesce: rows for which q is null are not on the right, and must stay.
    """

    matches = (Except,)
    logic = logic(
        "for EXCEPT DISTINCT, when the setting is on:",
        "    q = the Filters on the right, perhaps beneath a projection",
        "    if the sides without their Filters are not the same plan: nothing",
        "    if a side has a subquery, or the left two columns of one name: nothing",
        "    if q is not deterministic, or reads a name that the left has not got: nothing",
        ("selection", "    Distinct of the left, where NOT coalesce(q, false)"),
    )
    settings = ("spark.sql.optimizer.replaceExceptWithFilter",)
    excludable = False

    @override
    def rewrite(self, node: Except) -> LogicalPlan:
        if node.is_all or not self.context.on("spark.sql.optimizer.replaceExceptWithFilter"):
            return node
        condition = _selected(node.right)
        if condition is None or _subqueries(node.left) or _subqueries(node.right):
            return node
        named = {a.name: a for a in node.left.output}
        if len(named) < len(node.left.output):
            return node
        source = _unfiltered(node.right)
        if _unfiltered(node.left).canonicalized != source.canonicalized or not condition.deterministic:
            return node
        read = condition.collect(AttributeReference)
        if any(a.name not in named for a in read):
            return node
        # By name, as Spark does: a column that the left computes anew under an old name is taken for the old one.
        moved = substitute(condition, {a.expr_id: named[a.name] for a in read})
        reason = "Both sides read the same rows: a row is on the right exactly if q is true for it, not if q is null."
        self.take(node, "selection", reason, [(source.simple_string, "is read by both sides"), (moved, "is q")])
        test = Not(Coalesce((moved, Literal(False, BOOLEAN))))
        return Distinct(Filter(test, node.left))


def _selected(plan: LogicalPlan) -> Expression | None:
    """The condition of the filters of a plan, perhaps beneath a projection; None where there is none."""
    plan = plan.child if isinstance(plan, Project) else plan
    conditions: list[Expression] = []
    while isinstance(plan, Filter):
        conditions.insert(0, plan.condition)
        plan = plan.child
    return conjunction(conditions) if conditions else None


def _unfiltered(plan: LogicalPlan) -> LogicalPlan:
    """The columns of a plan over what its filters, perhaps beneath its projection, select from."""
    columns, plan = (plan.projects, plan.child) if isinstance(plan, Project) else (plan.output, plan)
    while isinstance(plan, Filter):
        plan = plan.child
    return Project(columns, plan)


def _subqueries(plan: LogicalPlan) -> bool:
    return any(e.bits & SubqueryExpression.BIT for p in plan.walk() for e in p.expressions)


class RewriteExceptAll(OptimizerRule[Except]):
    """EXCEPT ALL by counting: 1 for rows of the left, -1 for rows of the right.

    Except All(l, r)  =>  replicate rows over Filter(sum > 0, Aggregate(sum(vcol), Union(l + 1, r + -1)))

    Pays because aggregates can be planned. A join would not count how often a row occurs.
    """

    matches = (Except,)
    excludable = False

    @override
    def rewrite(self, node: Except) -> LogicalPlan:
        if not node.is_all:
            return node
        left = Project((alias(Literal(1, LONG), "vcol"), *node.left.output), node.left)
        right = Project((alias(Literal(-1, LONG), "vcol"), *node.right.output), node.right)
        union = Union((left, right), shows_flags=self.context.config.behaviour.unions_show_flags)
        total = alias(AggregateExpression(Sum(union.output[0]), "Complete", False, None, next_id()), "sum")
        columns = node.left.output
        grouped = Aggregate(columns, (*columns, total), union)
        kept = Filter(GreaterThan(total.to_attribute(), Literal(0, LONG)), grouped)
        return Project(columns, _replicated(total.to_attribute(), columns, kept))


class RewriteIntersectAll(OptimizerRule[Intersect]):
    """INTERSECT ALL by counting on both sides and taking the lesser count.

    Intersect All(l, r)  =>  replicate rows over Filter(both counts >= 1, Aggregate(count left, count right, Union))

    Pays because aggregates can be planned. A semi join would keep every row of the left that the right has once.
    """

    matches = (Intersect,)
    excludable = False

    @override
    def rewrite(self, node: Intersect) -> LogicalPlan:
        if not node.is_all:
            return node
        true, null = Literal(True, BOOLEAN), Literal(None, BOOLEAN)
        left = Project((alias(true, "vcol1"), alias(null, "vcol2"), *node.left.output), node.left)
        right = Project((alias(null, "vcol1"), alias(true, "vcol2"), *node.right.output), node.right)
        union = Union((left, right), shows_flags=self.context.config.behaviour.unions_show_flags)
        columns = union.output[2:]
        counts = [
            alias(
                AggregateExpression(Count((union.output[i],)), "Complete", False, None, next_id()), f"vcol{i + 1}_count"
            )
            for i in (0, 1)
        ]
        grouped = Aggregate(columns, (*counts, *columns), union)
        one, two = counts[0].to_attribute(), counts[1].to_attribute()
        both = And(GreaterThanOrEqual(one, Literal(1, LONG)), GreaterThanOrEqual(two, Literal(1, LONG)))
        least = alias(If(GreaterThan(one, two), two, one), "min_count")
        counted = Project((*columns, least), Filter(both, grouped))
        return Project(columns, _replicated(least.to_attribute(), columns, counted))


def _replicated(count: Expression, columns: tuple[Expression, ...], child: LogicalPlan) -> LogicalPlan:
    """Every row as often as its count says."""
    schema = tuple(StructField(f"col{i}", a.data_type, a.nullable) for i, a in enumerate(columns))
    return Generate(GeneratorCall("replicaterows", (count, *columns), schema), (), False, None, columns, child)


class CombineUnions(OptimizerRule):
    """A union of unions is one union.

    Union(a, Union(b, c))  =>  Union(a, b, c)

    Pays because rows pass one operator less and rules see all inputs. A distinct union takes in distinct unions only
    where it is distinct itself: `(a UNION b) UNION ALL c` keeps its inner deduplication.
    """

    matches = (Union,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._step, Union.BIT, self.settled)

    def _step(self, plan: LogicalPlan) -> LogicalPlan:
        through = self.context.config.behaviour.unions_combine_through_projections
        match plan:
            case Union():
                return _flat(plan, False, through)
            case Distinct(Union() as union):
                new = _flat(union, True, through)
                return plan if new is union else Distinct(new)
            case Aggregate(keys, items, Union() as union) if through and _is_distinct(plan) and keys and items:
                new = _flat(union, True, through)
                return plan if new is union else plan.replace(child=new)
        return plan


def _is_distinct(plan: Aggregate) -> bool:
    return same_output(plan.aggregates, plan.child.output) and same_output(plan.grouping, plan.aggregates)


def _flat(union: Union, distinct: bool, through: bool) -> LogicalPlan:
    """The union with unions among its inputs taken apart; `through`: those beneath projections, too."""
    out: list[LogicalPlan] = []
    stack = list(reversed(union.inputs))
    while stack:
        top = stack.pop()
        match top:
            case Distinct(Union(inputs)) if distinct:
                stack.extend(reversed(inputs))
            case Project(items, Distinct(Union(inputs) as inner)) if through and distinct and _movable(items):
                stack.extend(reversed([_over(items, inner, c) for c in inputs]))
            case Project(upper, Project(lower, child)) if (
                through and can_collapse(upper, lower) and not any(correlated(i) for i in (*upper, *lower))
            ):
                stack.append(Project(merged_projects(upper, lower), child))
            case Union(inputs):
                stack.extend(reversed(inputs))
            case Project(items, Union(inputs) as inner) if through and _movable(items):
                stack.extend(reversed([_over(items, inner, c) for c in inputs]))
            case _:
                out.append(top)
    if len(out) == len(union.inputs) and all(a is b for a, b in zip(out, union.inputs, strict=True)):
        return union
    return union.replace(inputs=tuple(out))


def _movable(items: tuple[Expression, ...]) -> bool:
    return all(i.deterministic and not i.bits & SubqueryExpression.BIT for i in items)


def _over(items: tuple[Expression, ...], union: Union, child: LogicalPlan) -> LogicalPlan:
    """A projection of a union put over one of its inputs."""
    first = union.inputs[0]
    if child is first:
        return Project(items, child)
    mapping = {a.expr_id: b for a, b in zip(first.output, child.output, strict=True)}
    moved = (substitute(i, mapping) for i in items)
    return Project(tuple(Alias(i.child, i.name, next_id()) if isinstance(i, Alias) else i for i in moved), child)


class RemoveNoopUnion(OptimizerRule):
    """A distinct union of equal inputs is a distinct of one.

    Distinct(Union(t, t))  =>  Distinct(t)        Deduplicate(keys, Union(t, t))  =>  Deduplicate(keys, t)

    Pays because the table is read once. UNION ALL counts its rows and stays.
    """

    matches = (Union,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._step, Union.BIT, self.settled)

    @staticmethod
    def _step(plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, Distinct | Deduplicate) or not isinstance(plan.child, Union):
            return plan
        union = plan.child
        first: dict[LogicalPlan, LogicalPlan] = {}
        for i in union.inputs:
            first.setdefault(canonical(without_renaming(i)), i)
        kept = tuple(first.values())
        if len(kept) == len(union.inputs):
            return plan
        one: LogicalPlan = union.replace(inputs=kept) if len(kept) > 1 else kept[0]
        if isinstance(plan, Distinct):
            return Distinct(one)
        own = {a.expr_id: b for a, b in zip(union.output, one.output, strict=True)}
        return Deduplicate(tuple(own[k.expr_id] if isinstance(k, AttributeReference) else k for k in plan.keys), one)
