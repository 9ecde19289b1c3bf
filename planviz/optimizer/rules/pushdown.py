"""Predicates move towards the tables."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import override

from planviz.decisions.branches import logic
from planviz.expressions.aggregates import is_aggregate
from planviz.expressions.core import Alias, AttributeReference, Expression, id_of
from planviz.expressions.objects import ScalaUDF
from planviz.expressions.patterns import Like, RLike
from planviz.expressions.predicates import And, Or, conjunction
from planviz.expressions.predicates import split_conjunction as split
from planviz.expressions.subqueries import Exists, ListQuery, SubqueryExpression
from planviz.logical.combining import Join, Union
from planviz.logical.objects import AppendColumns
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    GlobalLimit,
    LocalLimit,
    Project,
    RebalancePartitions,
    Repartition,
    RepartitionByExpression,
    Sort,
    Window,
)
from planviz.logical.plan import LeafNode, LogicalPlan
from planviz.logical.python import BaseEvalPython
from planviz.logical.streams import EventTimeWatermark
from planviz.optimizer.attributes import alias_map, inlined, substitute
from planviz.optimizer.context import OptimizerContext, OptimizerRule
from planviz.optimizer.expression_set import ExpressionSet

#: Joins of which a condition is a filter over the pairs.
INNER = ("Inner", "Cross")
_NOT_TWICE = "spark.sql.optimizer.avoidDoubleFilterEval"
_RANDOM = "the predicate is not deterministic, it must see every row"

#: What Spark takes to cost much (Expression.expensive): the matching of a pattern, a function of the program.
_COSTLY = Like.BIT | RLike.BIT | ScalaUDF.BIT

#: Operators that may compute what varies from row to row: then every row must reach them.
_DRAWING = Generate | Expand | BaseEvalPython

#: Takes what a guard says (`Rule.refuse`).
Refuse = Callable[..., object]


def can_evaluate_within_join(e: Expression) -> bool:
    """Whether a predicate may become a join condition: IN, EXISTS and correlated subqueries must be rewritten first."""
    if not e.deterministic:
        return False
    if not e.bits & SubqueryExpression.BIT:
        return True
    return not any(isinstance(s, ListQuery | Exists) or s.outer for s in e.collect(SubqueryExpression))


class CombineFilters(OptimizerRule[Filter]):
    """Merge two adjacent filters into one.

    Filter(outer, Filter(inner, child))  =>  Filter(inner AND outer, child)

    Pays because one pass tests both. The inner condition stays first, so a guard such as `b <> 0` still precedes
    `a / b > 1`; `SELECT * FROM (SELECT * FROM t WHERE rand() > 0.5) WHERE a > 1` draws for all rows and stays.
    """

    matches = (Filter,)

    @override
    def rewrite(self, node: Filter) -> LogicalPlan:
        match node:
            case Filter(outer, Filter(inner, child)) if inner.deterministic:
                parts = split(outer)
                free = [p for p in parts if p.deterministic]
                stuck = [p for p in parts if not p.deterministic]
                known = ExpressionSet(split(inner))
                new = [p for p in ExpressionSet(free) if p not in known]
                combined = And(inner, conjunction(new)) if new else inner
                below = Filter(combined, child)
                return Filter(conjunction(stuck), below) if stuck else below
            case Filter(_, Filter(inner)):
                return self.refuse(node, "the filter below is not deterministic, rows must reach it untested", inner)
        return self.refuse(node, "there is no filter directly below", node.child.node_name)


class PushPredicateThroughNonJoin(OptimizerRule[Filter]):
    """Move a filter below the operator under it.

    Filter(x > 5, Project [a + 1 AS x] over t)  =>  Project [a + 1 AS x] over Filter(a + 1 > 5, t)

    Pays because fewer rows reach the operator. Below an aggregate only predicates on keys go: in
    `SELECT * FROM (SELECT count(*) c FROM t) WHERE c > 1` the filter counts rows that are not there yet below.
    A predicate on a column for which the projection matches a pattern stays, for it would be matched twice (4.2 on).
    """

    matches = (Filter,)
    settings = (_NOT_TWICE,)

    @override
    def rewrite(self, node: Filter) -> LogicalPlan:
        condition, child = node.condition, node.child
        match child:
            case Project(items, grandchild) if all([i.deterministic for i in items]):
                return self._project(node, items, grandchild)
            case Aggregate(grouping, items, grandchild) if grouping and all(i.deterministic for i in items):
                return self._aggregate(node, items, grandchild)
            case Window(_, partition, _, grandchild) if all(isinstance(p, AttributeReference) for p in partition):
                keys = frozenset(id_of(p) for p in partition)
                return self._partly(node, lambda p: p.references <= keys, grandchild, "the keys of its partitions")
            case Union(inputs):
                return self._union(condition, child, inputs)
            case Distinct(grandchild):
                return self._partly(node, lambda p: True, grandchild, "")
            case EventTimeWatermark(_, column):
                moment = column.references
                return self._partly(node, lambda p: p.references.isdisjoint(moment), child.child, "other columns")
            case (
                Sort()
                | Repartition()
                | RepartitionByExpression()
                | RebalancePartitions()
                | Generate()
                | Expand()
                | AppendColumns()
                | BaseEvalPython()
            ) if self._takes_filters(child):
                own = child.child.output_set
                return self._partly(node, lambda p: p.references <= own, child.child, "the columns of its input")
        return self._refused(node, child)

    def _takes_filters(self, plan: LogicalPlan) -> bool:
        if isinstance(plan, Expand) and not self.context.config.behaviour.filters_go_below_expands:
            return False
        return not isinstance(plan, _DRAWING) or all(e.deterministic for e in plan.expressions)

    def _refused(self, node: Filter, child: LogicalPlan) -> LogicalPlan:
        match child:
            case Project(items) | Aggregate(_, items) if not all(i.deterministic for i in items):
                drawn = tuple(i for i in items if not i.deterministic)
                return self.refuse(node, f"the {child.node_name} below is not deterministic", drawn)
            case Aggregate():
                return self.refuse(node, "the Aggregate below has no keys and gives a row also for no input")
            case Window():
                return self.refuse(node, "the window below has expressions as partition keys", child.partition)
            case LocalLimit() | GlobalLimit():
                return self.refuse(node, "the limit below keeps certain rows; tested before, others would pass")
            case Join():
                return self.refuse(node, "below stands a join, which PushPredicateThroughJoin takes", child.kind)
            case LeafNode():
                return self.refuse(node, "it stands directly over the table", child.node_name)
        return self.refuse(node, "nothing is pushed below such an operator", child.node_name)

    def _partly(
        self, node: Filter, test: Callable[[Expression], bool], grandchild: LogicalPlan, allowed: str
    ) -> LogicalPlan:
        """The conjuncts for which `test` holds below the child, the rest above."""
        child = node.child
        free, stuck = _until_random(split(node.condition))
        down = [p for p in free if test(p)]
        other = [p for p in free if not test(p)]
        for p in stuck:
            self.refuse(node, _RANDOM, p)
        for p in other:
            self.refuse(node, f"the predicate reads more than {allowed} ({child.node_name} below)", p)
        if not down:
            return node
        below = child.replace(child=Filter(conjunction(down), grandchild))
        rest = other + stuck
        return Filter(conjunction(rest), below) if rest else below

    def _project(self, node: Filter, items: tuple[Expression, ...], grandchild: LogicalPlan) -> LogicalPlan:
        if _shares_columns(node.condition, grandchild):
            return self.refuse(node, "a subquery in it gives columns that the input has, too; below, they would clash")
        aliases = alias_map(items)
        if not self.context.on(_NOT_TWICE):
            # Before Spark 4.2 the condition was not taken apart: its tree stays.
            return Project(items, Filter(inlined(node.condition, aliases), grandchild))
        costly = {i for i, e in aliases.items() if e.bits & _COSTLY}
        parts = split(node.condition)
        above = [p for p in parts if p.references & costly]
        for p in above:
            self.refuse(node, "the projection below computes a pattern or a function for it, which would run twice", p)
        down = [p for p in parts if not p.references & costly]
        if not down:
            return node
        below = Project(items, Filter(inlined(conjunction(down), aliases), grandchild))
        return Filter(conjunction(above), below) if above else below

    def _aggregate(self, node: Filter, items: tuple[Expression, ...], grandchild: LogicalPlan) -> LogicalPlan:
        child = node.child
        aliases = {i.expr_id: i.child for i in items if isinstance(i, Alias) and not is_aggregate(i.child)}
        free, stuck = _until_random(split(node.condition))
        own = grandchild.output_set
        down: list[Expression] = []
        rest: list[Expression] = []
        for p in free:
            replaced = inlined(p, aliases)
            (down if p.references and replaced.references <= own and _subset(replaced, own) else rest).append(p)
        for p in stuck:
            self.refuse(node, _RANDOM, p)
        for p in rest:
            self.refuse(node, "the predicate reads what the aggregate computes", p)
        if not down:
            return node
        below = child.replace(child=Filter(conjunction([inlined(p, aliases) for p in down]), grandchild))
        above = rest + stuck
        return Filter(conjunction(above), below) if above else below

    @staticmethod
    def _union(condition: Expression, child: Union, inputs: tuple[LogicalPlan, ...]) -> LogicalPlan:
        parts = split(condition)
        down = [p for p in parts if p.deterministic]
        rest = [p for p in parts if not p.deterministic]
        if not down:
            return Filter(condition, child)
        together = conjunction(down)
        output = child.output
        new = tuple(
            Filter(substitute(together, {a.expr_id: b for a, b in zip(output, i.output, strict=True)}), i)
            for i in inputs
        )
        below = child.replace(inputs=new)
        return Filter(conjunction(rest), below) if rest else below


def _shares_columns(condition: Expression, plan: LogicalPlan) -> bool:
    """Whether a subquery of the condition has output with ids of the plan's: a join of both would need new ones."""
    if not condition.bits & SubqueryExpression.BIT:
        return False
    own = plan.output_set
    return any(not own.isdisjoint(s.plan.output_set) for s in condition.collect(SubqueryExpression))


def _subset(e: Expression, own: frozenset[int]) -> bool:
    return bool(e.references <= own)


def _until_random(parts: list[Expression]) -> tuple[list[Expression], list[Expression]]:
    """Deterministic conjuncts and the others."""
    return [p for p in parts if p.deterministic], [p for p in parts if not p.deterministic]


def split_sides(
    parts: list[Expression], left: LogicalPlan, right: LogicalPlan
) -> tuple[list[Expression], list[Expression], list[Expression]]:
    """Predicates that only the left side is needed for, only the right side, and the rest (random ones too)."""
    a, b, common = [], [], []
    stuck = []
    for p in parts:
        if not p.deterministic:
            stuck.append(p)
        elif p.references <= left.output_set:
            a.append(p)
        elif p.references <= right.output_set:
            b.append(p)
        else:
            common.append(p)
    return a, b, common + stuck


class PushPredicateThroughJoin(OptimizerRule[Join]):
    """Move predicates over a join, or in its condition, to the side that they read.

    Filter(l.x > 1 AND r.y > 2 AND l.a = r.a, Join(l, r))  =>  Join(Filter(x > 1, l), Filter(y > 2, r), a = a)

    Pays because fewer rows are joined. Past an outer join only the side whose rows are kept may be filtered: moving
    `r.y > 2` of `l LEFT JOIN r ON ... WHERE r.y > 2` down would let unmatched rows through with nulls.
    """

    matches = (Join,)
    logic = logic(
        "sort the conjuncts: L reads the left side alone, R the right alone, B anything else",
        "for a Filter above a Join:",
        ("Filter over Inner", "    Inner, Cross: L to the left, R to the right, B into the condition"),
        ("Filter over LeftOuter", "    LeftOuter: L to the left; R and B stay"),
        ("Filter over RightOuter", "    RightOuter: R to the right; L and B stay"),
        ("Filter over LeftSemi", "    LeftSemi, LeftAnti, ExistenceJoin: L to the left; B stays"),
        "    FullOuter: all stay",
        "for the condition of a Join:",
        ("condition of Inner", "    Inner, Cross, LeftSemi: L to the left, R to the right; B stays"),
        ("condition of RightOuter", "    RightOuter: L to the left; R and B stay"),
        ("condition of LeftOuter", "    LeftOuter, LeftAnti, ExistenceJoin: R to the right; L and B stay"),
        "    FullOuter: all stay",
    )

    @override
    def rewrite(self, node: Join) -> LogicalPlan:
        if node.kind not in (*INNER, "LeftOuter", "RightOuter", "LeftSemi", "LeftAnti", "ExistenceJoin"):
            return node
        return self.noted(node, push_join_condition(node, self.teller))

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._step, Join.BIT, self.settled)

    def _step(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Filter) and isinstance(plan.child, Join):
            return self.noted(plan, push_filter_into_join(plan, plan.child, self.teller))
        if isinstance(plan, Join):
            return self.rewrite(plan)
        return plan

    def noted(self, plan: Filter | Join, new: LogicalPlan) -> LogicalPlan:
        """The new plan; which branch it came by, and the side of every conjunct, go to those who want to know."""
        if self.branches is None or new == plan:
            return new
        join = plan.child if isinstance(plan, Filter) else plan
        condition = plan.condition
        if not isinstance(join, Join) or condition is None:
            return new
        rows = (_WITHIN if join is plan else _ABOVE).get(join.kind)
        a, b, common = split_sides(split(condition), join.left, join.right)
        if rows is not None:
            branch, reason = rows
            sides = [(p, "reads the left side alone") for p in a] + [(p, "reads the right side alone") for p in b]
            self.take(plan, branch, reason, [*sides, *((p, "reads both sides, or may not move") for p in common)])
        return new


#: Of which kinds of join the parts of a filter above move where (the branch of `logic`), and why.
_KEPT = "Rows of the {} side that match nothing stay in the result, so only that side may be filtered before."
_ABOVE = {
    **dict.fromkeys(INNER, ("Filter over Inner", "A row is in the result only if all conjuncts hold, wherever asked.")),
    **dict.fromkeys(("LeftOuter", "LeftSingle"), ("Filter over LeftOuter", _KEPT.format("left"))),
    "RightOuter": ("Filter over RightOuter", _KEPT.format("right")),
    **dict.fromkeys(
        ("LeftSemi", "LeftAnti", "ExistenceJoin"),
        ("Filter over LeftSemi", "Every row of the result is one of the left side, as it was."),
    ),
}
#: The same for the parts of a join's condition.
_TESTED = "Rows of the {} side stay whatever the condition says, so only rows of the other side may be filtered."
_WITHIN = {
    **dict.fromkeys((*INNER, "LeftSemi"), ("condition of Inner", "Rows for which the condition is not true are lost.")),
    "RightOuter": ("condition of RightOuter", _TESTED.format("right")),
    **dict.fromkeys(("LeftOuter", "LeftAnti", "ExistenceJoin"), ("condition of LeftOuter", _TESTED.format("left"))),
}


def _filtered(parts: list[Expression], plan: LogicalPlan) -> LogicalPlan:
    return Filter(conjunction(parts), plan) if parts else plan


def push_filter_into_join(plan: Filter, join: Join, refuse: Refuse | None = None) -> LogicalPlan:
    """Filter over Join, pushed as far as its kind allows; the conjuncts that stay are put in one order."""
    left, right, kind = join.left, join.right, join.kind
    a, b, common = split_sides(split(plan.condition), left, right)
    if refuse is not None:
        _tell_filter(plan, join, refuse)
    if kind in INNER:
        into = [c for c in common if can_evaluate_within_join(c)]
        stay = [c for c in common if not can_evaluate_within_join(c)]
        parts = into + ([join.condition] if join.condition is not None else [])
        # The join is a new one: what was noted about the old one's condition is forgotten.
        new = join.replace(left=_filtered(a, left), right=_filtered(b, right), condition=_all(parts), done=None)
        return _filtered(stay, new)
    if kind == "RightOuter":
        return _filtered(a + common, join.replace(right=_filtered(b, right), done=None))
    if kind in ("LeftOuter", "LeftSingle", "LeftSemi", "LeftAnti", "ExistenceJoin"):
        return _filtered(b + common, join.replace(left=_filtered(a, left), done=None))
    return plan


def _tell_filter(plan: Filter, join: Join, refuse: Refuse) -> None:
    """Which conjuncts of a filter over a join stay, and why."""
    kind = join.kind
    lost = {"LeftOuter": join.right, "RightOuter": join.left}.get(kind)
    for p in split(plan.condition):
        if not p.deterministic:
            refuse(plan, _RANDOM, p)
        elif kind == "FullOuter":
            refuse(plan, "a FullOuter join keeps the rows of both sides, nothing may be tested below it", p)
        elif lost is not None and p.references <= lost.output_set:
            refuse(plan, f"the predicate reads the side that a {kind} join fills with nulls", p)
        elif kind in INNER and not can_evaluate_within_join(p):
            refuse(plan, "a predicate with such a subquery is no join condition yet", p)
        elif kind not in INNER and not any(p.references <= side.output_set for side in join.children):
            refuse(plan, f"the predicate reads both sides of a {kind} join", p)


def _tell_condition(join: Join, refuse: Refuse) -> None:
    """Which one-sided conjuncts of a join's condition stay, and why."""
    kept = {"LeftOuter": join.left, "LeftAnti": join.left, "RightOuter": join.right, "ExistenceJoin": join.left}
    for p in split(join.condition) if join.condition is not None else ():
        if not p.deterministic:
            refuse(join, _RANDOM, p)
        elif join.kind == "FullOuter":
            refuse(join, "a FullOuter join keeps the rows of both sides, nothing may be tested below it", p)
        elif join.kind in kept and p.references <= kept[join.kind].output_set:
            refuse(join, f"the condition reads the side whose rows a {join.kind} join keeps", p)


def push_join_condition(join: Join, refuse: Refuse | None = None) -> LogicalPlan:
    """A join whose condition's one-sided parts moved into the sides as far as its kind allows."""
    if join.condition is None:
        return join
    if refuse is not None:
        _tell_condition(join, refuse)
    left, right, kind = join.left, join.right, join.kind
    a, b, common = split_sides(split(join.condition), left, right)
    if kind in (*INNER, "LeftSemi"):
        new = join.replace(left=_filtered(a, left), right=_filtered(b, right), condition=_all(common))
    elif kind == "RightOuter":
        new = join.replace(left=_filtered(a, left), condition=_all(b + common))
    elif kind in ("LeftOuter", "LeftAnti", "ExistenceJoin"):
        new = join.replace(right=_filtered(b, right), condition=_all(a + common))
    else:
        return join
    return join if new == join else new


def _all(parts: list[Expression]) -> Expression | None:
    return conjunction(parts) if parts else None


class PushDownPredicates(OptimizerRule):
    """Push filters as far as they go in one walk, merging them and passing joins.

    Filter over anything  =>  the filter as near to the tables as it may be

    Pays because a filter falls through several operators in one pass: CombineFilters, PushPredicateThroughNonJoin and
    PushPredicateThroughJoin work in it together. Each says when it would be wrong: a filter on `count(*)` stays above
    its aggregate, as in `SELECT a FROM t GROUP BY a HAVING count(*) > 1`.
    """

    matches = (Filter, Join)

    def __init__(self, context: OptimizerContext) -> None:
        super().__init__(context)
        self.combine = CombineFilters(context)
        self.non_join = PushPredicateThroughNonJoin(context)
        self.join = PushPredicateThroughJoin(context)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._step, self.mask, self.settled)

    def _step(self, plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Filter):
            match plan.child:
                case Filter():
                    return self.combine.effect(plan, self.combine.rewrite(plan))
                case Join() as join:
                    new = push_filter_into_join(plan, join, self.join.teller)
                    return plan if new == plan else self.join.effect(plan, self.join.noted(plan, new))
            new = self.non_join.rewrite(plan)
            return plan if new == plan else self.non_join.effect(plan, new)
        if isinstance(plan, Join):
            new = push_join_condition(plan, self.join.teller)
            return self.join.effect(plan, self.join.noted(plan, new))
        return plan


class PushExtraPredicateThroughJoin(OptimizerRule[Join]):
    """Push what an OR over both sides implies for each side.

    Join(l, r, (l.a = 1 AND r.b = 2) OR (l.a = 3 AND r.b = 4))  =>  Join(Filter(a = 1 OR a = 3, l), r)

    Pays because the sides shrink. The condition itself stays: rows with a = 1 and b = 4 pass both filters.
    """

    matches = (Join,)

    @override
    def rewrite(self, node: Join) -> LogicalPlan:
        condition, kind = node.condition, node.kind
        if condition is None or kind == "FullOuter" or node.done == condition:
            return node
        left, right = node.left, node.right
        both = [
            p
            for p in split(condition)
            if p.deterministic
            and p.references
            and not p.references <= left.output_set
            and not p.references <= right.output_set
        ]
        a = [e for p in both if (e := within(p, left.output_set)) is not None]
        b = [e for p in both if (e := within(p, right.output_set)) is not None]
        if not a and not b:
            return node
        node = node.replace(done=condition)
        if kind in (*INNER, "LeftSemi"):
            return node.replace(left=_filtered(a, left), right=_filtered(b, right))
        if kind == "RightOuter":
            return node.replace(left=_filtered(a, left))
        return node.replace(right=_filtered(b, right))


def within(e: Expression, own: frozenset[int]) -> Expression | None:
    """What a condition implies about these columns alone, or None (Spark: extractPredicatesWithinOutputSet)."""
    match e:
        case And(a, b):
            x, y = within(a, own), within(b, own)
            return And(x, y) if x is not None and y is not None else x if x is not None else y
        case Or(a, b):
            x, y = within(a, own), within(b, own)
            return Or(x, y) if x is not None and y is not None else None
    return e if e.references <= own else None
