"""Unions, intersections, differences."""

from __future__ import annotations

from typing_extensions import override

from planviz.decisions.branches import logic
from planviz.expressions.aggregates import AggregateExpression, Count, FirstLast, Sum
from planviz.expressions.conditional import Coalesce, If
from planviz.expressions.core import AttributeReference, Expression, Literal, alias, id_of
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

        def step(p: LogicalPlan) -> LogicalPlan:
            if mapping:
                p = p.map_expressions(lambda e: substitute(e, mapping))
            return self._aggregate(p, mapping) if isinstance(p, Deduplicate) else p

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
        "    q = the Filter on the right, over a table",
        "    if the left reads another table, or other columns of it: nothing",
        "    if q has a subquery or is not deterministic: nothing",
        "    if q reads a column that the left has not got: nothing",
        ("selection", "    Distinct of the left, where NOT coalesce(q, false)"),
    )
    settings = ("spark.sql.optimizer.replaceExceptWithFilter",)
    excludable = False

    @override
    def rewrite(self, node: Except) -> LogicalPlan:
        if node.is_all or not self.context.on("spark.sql.optimizer.replaceExceptWithFilter"):
            return node
        found = _selection(node.right)
        base = _selection(node.left)
        if found is None:
            return node
        condition, source = found[0], _source(found[1])
        left_source = _source(base[1] if base else node.left)
        if not _same_source(left_source, source):
            return node
        if condition.bits & SubqueryExpression.BIT or not condition.deterministic:
            return node
        mapping = {b.expr_id: a for a, b in zip(left_source.output, source.output, strict=True)}
        compared = zip(node.left.output, node.right.output, strict=True)
        if any(mapping[b.expr_id].expr_id != a.expr_id for a, b in compared):
            return node
        moved = substitute(condition, mapping)
        if not moved.references <= node.left.output_set:
            return node
        reason = "Both sides read the same table: a row is on the right exactly if q is true for it, not if q is null."
        self.take(node, "selection", reason, [(source.simple_string, "is read by both sides"), (moved, "is q")])
        test = Not(Coalesce((moved, Literal(False, BOOLEAN))))
        return Distinct(Filter(test, node.left))


def _selection(plan: LogicalPlan) -> tuple[Expression, LogicalPlan] | None:
    match plan:
        case Filter(condition, child):
            return condition, child
        case Project(items, Filter(condition, child)) if all(isinstance(i, AttributeReference) for i in items):
            return condition, child
    return None


def _source(plan: LogicalPlan) -> LogicalPlan:
    while isinstance(plan, Project) and all(isinstance(i, AttributeReference) for i in plan.projects):
        plan = plan.child
    return plan


def _same_source(a: LogicalPlan, b: LogicalPlan) -> bool:
    """Whether two plans read the same table the same way, whatever their ids."""
    if type(a) is not type(b) or len(a.output) != len(b.output):
        return False
    name = getattr(a, "name", None)
    return name is not None and name == getattr(b, "name", None) and not a.children


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
        union = Union((left, right))
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
        union = Union((left, right))
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
    from planviz.expressions.core import Alias

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
