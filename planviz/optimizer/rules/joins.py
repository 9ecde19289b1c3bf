"""Joins: their order, their kinds, their conditions."""

from __future__ import annotations

from typing_extensions import override

from planviz.decisions.branches import logic
from planviz.errors import PlanvizError
from planviz.estimation.star_schema import reordered_star
from planviz.evaluation import Evaluator, UnknownValueError
from planviz.expressions.aggregates import AggregateCall, AggregateExpression, FirstLast, Max, Min, is_aggregate
from planviz.expressions.core import AttributeReference, Expression, Literal
from planviz.expressions.predicates import And, EqualNullSafe, EqualTo, IsNull, Or, conjunction
from planviz.expressions.predicates import split_conjunction as split
from planviz.logical.combining import Join, Union
from planviz.logical.join_keys import join_keys, unique_keys
from planviz.logical.operators import Aggregate, Filter, Project
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.attributes import correlated, renewed, same_output, substitute
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.rules.pushdown import INNER, can_evaluate_within_join
from planviz.trees.memo import Memo

Input = tuple[LogicalPlan, str]


def flatten_joins(plan: LogicalPlan, kind: str = "Inner") -> tuple[list[Input], list[Expression]]:
    """The relations of a left-deep tree of inner joins and filters, with the kind of their join, and all conditions."""
    match plan:
        case Join(left, right, own, condition) if own in INNER and not plan.left_hint and not plan.right_hint:
            inputs, conditions = flatten_joins(left, own)
            return [*inputs, (right, own)], conditions + (split(condition) if condition is not None else [])
        case Filter(condition, Join(_, _, own) as join) if own in INNER and not join.left_hint and not join.right_hint:
            inputs, conditions = flatten_joins(join)
            return inputs, conditions + split(condition)
    return [(plan, kind)], []


class ReorderJoin(OptimizerRule):
    """Put inner joins in an order in which each has a condition.

    Join(Join(item, customer), orders), i = o AND c = o  =>  Join(Join(item, orders, i = o), customer, c = o)

    Pays because a join without condition is a product. Hinted joins stay: the user said what to build. With two
    relations there is nothing to choose.
    """

    matches = (Join,)
    settings = ("spark.sql.cbo.starSchemaDetection", "spark.sql.cbo.enabled")
    logic = logic(
        "relations and conditions = those of inner joins and filters without hints",
        "if fewer than three relations, or no condition: nothing",
        "joined = the first relation",
        "while relations are left:",
        ("connected", "    next = the first with a condition that reads it and joined"),
        ("product", "    if there is none: the first that is left, without condition"),
        "    joined = joined JOIN next ON the conditions that read only these",
    )

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._step, Join.BIT, self.settled)

    def _step(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, Filter | Join):
            return plan
        inputs, conditions = flatten_joins(plan)
        if len(inputs) <= 2 or not conditions:
            return self._refused(plan, inputs)
        starred = self._stars()
        if not starred and plan in _ORDERED:
            return self._stays(plan)
        new = ordered(self._star_first(inputs, conditions) if starred else inputs, conditions)
        new = new if same_output(plan.output, new.output) else Project(plan.output, new)
        if new == plan:
            if not starred:
                _note_ordered(plan)
            return self._stays(plan)
        self._took(plan, inputs, new)
        return new

    def _stays(self, plan: LogicalPlan) -> LogicalPlan:
        return self.refuse(plan, "every join can have a condition in the order that is there")

    def _stars(self) -> bool:
        """Whether the settings ask for a star's tables first."""
        return self.context.on("spark.sql.cbo.starSchemaDetection") and not self.context.on("spark.sql.cbo.enabled")

    def _took(self, plan: LogicalPlan, inputs: list[Input], new: LogicalPlan) -> None:
        """Note the joins of the new order, each with its condition."""
        if self.branches is None:
            return
        joins = []
        while isinstance(new, Project | Filter | Join) and not any(new is i for i, _ in inputs):
            if isinstance(new, Join):
                joins.append(new)
            new = new.children[0]
        products = [j for j in joins if j.condition is None]
        seen = [(j.right.simple_string, "joined without condition") for j in products]
        seen += [(j.right.simple_string, f"joined on {j.condition}") for j in joins if j.condition is not None]
        reason = f"Of {len(joins)} joins {len(joins) - len(products)} now have a condition."
        self.take(plan, "product" if products else "connected", reason, seen[::-1])

    def _star_first(self, inputs: list[Input], conditions: list[Expression]) -> list[Input]:
        """The inputs with a star's tables before the others."""
        inner = [r for r, kind in inputs if kind == "Inner"]
        star = reordered_star(inner, conditions, self.context.estimator)
        return [(r, "Inner") for r in star] + [i for i in inputs if not any(i[0] is r for r in star)]

    def _refused(self, plan: Filter | Join, inputs: list[Input]) -> LogicalPlan:
        join = plan.child if isinstance(plan, Filter) else plan
        if not isinstance(join, Join):
            return plan
        if join.kind not in INNER:
            return self.refuse(plan, "only inner joins are reordered", join.kind)
        if join.left_hint or join.right_hint:
            return self.refuse(plan, "a hint fixes the join", join.left_hint or join.right_hint)
        if len(inputs) <= 2:
            return self.refuse(plan, "there is nothing to choose between two relations")
        return self.refuse(plan, "no join has a condition, so no order is better")


#: Marks a join that stands in its order already (a star's tables not asked for).
_ORDERED: Memo[bool] = Memo("ordered_joins")


def _note_ordered(plan: LogicalPlan) -> None:
    """Mark joins that stay in their order, and those beneath on the left.

    Each of those is a beginning of the same order over the same conditions, since a condition stands at the first join
    that can have it; to order it anew would find the same.
    """
    while isinstance(plan, Join) and plan.kind in INNER and not plan.left_hint and not plan.right_hint:
        _ORDERED.set(plan, True)
        plan = plan.left


def ordered(inputs: list[Input], conditions: list[Expression]) -> LogicalPlan:
    """A left-deep join of the inputs; each step takes the first that has a condition with what is joined already."""
    (left, kind), rest = inputs[0], inputs[1:]
    while len(rest) > 1:
        found = next((i for i in rest if _connected(left, i[0], conditions)), rest[0])
        right, own = found
        refs = left.output_set | right.output_set
        on = [c for c in conditions if c.references <= refs and can_evaluate_within_join(c)]
        conditions = [c for c in conditions if not (c.references <= refs and can_evaluate_within_join(c))]
        left, kind = Join(left, right, own, conjunction(on) if on else None), "Inner"
        rest = [i for i in rest if i is not found]
    right, own = rest[0]
    on = [c for c in conditions if can_evaluate_within_join(c)]
    others = [c for c in conditions if not can_evaluate_within_join(c)]
    both = "Inner" if kind == own == "Inner" else "Cross"
    join = Join(left, right, both, conjunction(on) if on else None)
    return Filter(conjunction(others), join) if others else join


def _connected(left: LogicalPlan, right: LogicalPlan, conditions: list[Expression]) -> bool:
    refs = left.output_set | right.output_set
    return any(
        c.references <= refs
        and not (c.references and c.references <= left.output_set)
        and not (c.references and c.references <= right.output_set)
        for c in conditions
    )


class EliminateOuterJoin(OptimizerRule):
    """An outer join whose null rows a filter removes anyway is a smaller kind of join.

    Filter(r.x > 1, Join(l, r, LeftOuter))  =>  Filter(r.x > 1, Join(l, r, Inner))

    Pays because inner joins can be reordered and built on either side. `WHERE coalesce(r.a, 0) > -1` is true for the
    null row, so that join must stay.
    """

    matches = (Join,)
    logic = logic(
        "for a Filter right above an outer Join:",
        "    L = a conjunct reads only the left side and is null or false on a row of nulls",
        "    R = the same for the right side",
        ("LeftOuter to Inner", "    if LeftOuter and R: Inner"),
        ("RightOuter to Inner", "    if RightOuter and L: Inner"),
        ("FullOuter to Inner", "    if FullOuter and L and R: Inner"),
        ("FullOuter to LeftOuter", "    if FullOuter and only L: LeftOuter"),
        ("FullOuter to RightOuter", "    if FullOuter and only R: RightOuter"),
        "    otherwise the join stays",
        "for columns of the outer side alone:",
        ("repeats", "    if the Aggregate above ignores repeats: no join"),
        ("unique", "    if the other side's keys are unique: no join"),
    )

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._step, Join.BIT, self.settled)

    def _step(self, plan: LogicalPlan) -> LogicalPlan:
        match plan:
            case Filter(condition, Join(_, _, kind) as join) if kind in ("LeftOuter", "RightOuter", "FullOuter"):
                new = self._kind(plan, join)
                if new == kind:
                    return self._refused(plan, join)
                self._took(plan, join, new)
                return Filter(condition, join.replace(kind=new))
            case Aggregate(_, _, Join(_, _, kind) as join) if self._ignores_repeats(plan):
                kept = _kept_side(join, kind)
                if kept is None or not plan.references <= kept.output_set:
                    return plan
                self.take(plan, "repeats", _REPEATS, [(kind, "keeps every row of the side that is read")])
                return plan.replace(child=kept)
            case Aggregate(_, _, Project(items, Join(_, _, kind) as join) as project) if self._ignores_repeats(plan):
                kept = _kept_side(join, kind)
                if kept is None or not all(i.deterministic for i in items) or not project.references <= kept.output_set:
                    return plan
                self.take(plan, "repeats", _REPEATS, [(kind, "keeps every row of the side that is read")])
                return plan.replace(child=project.replace(child=kept))
            case Project(_, Join(left, right, kind, condition) as join) if "uniqueness" in self._dropped:
                kept = _kept_side(join, kind)
                if kept is None or not plan.references <= kept.output_set:
                    return plan
                other = right if kept is left else left
                keys = equi_keys(condition, other)
                if not keys or not unique_keys(other, keys):
                    return plan
                self.take(plan, "unique", _UNIQUE, [(key, "occurs once on the side that is not read") for key in keys])
                return plan.replace(child=kept)
        return plan

    @property
    def _dropped(self) -> frozenset[str]:
        """For what a join is dropped; see Behaviour."""
        return self.context.config.behaviour.outer_joins_are_dropped_for

    def _ignores_repeats(self, plan: Aggregate) -> bool:
        """Whether the join beneath an aggregate may be dropped, as far as the aggregate goes."""
        dropped = self._dropped
        if isinstance(plan.child, Project) and "projections" not in dropped:
            only_columns = all(isinstance(i, AttributeReference) for i in plan.child.projects)
            if not only_columns or "columns" not in dropped:
                return False
        functions = [a for i in plan.aggregates for a in i.collect(AggregateExpression)]
        if not functions:
            return (bool(plan.grouping) and "groups" in dropped) or "extremes" in dropped
        if any(a.distinct and not ignores_repeats(a.function) for a in functions) and "DISTINCT" not in dropped:
            return False
        return "extremes" in dropped and duplicate_agnostic(plan)

    def _refused(self, plan: Filter, join: Join) -> Filter:
        if self.refusals is None:
            return plan
        lost = {"LeftOuter": [join.right], "RightOuter": [join.left]}.get(join.kind, [join.left, join.right])
        read = [c for c in split(plan.condition) if any(c.references & side.output_set for side in lost)]
        for c in read:
            self.refuse(plan, f"the condition may be true for the nulls of a {join.kind} join", c)
        return plan if read else self.refuse(plan, f"the filter does not read the side that a {join.kind} join fills")

    def _took(self, plan: Filter, join: Join, kind: str) -> None:
        """Note which conjuncts drop the rows that the join fills with nulls on a side."""
        if self.branches is None:
            return
        evaluator = self.context.evaluator
        sides = {"left": join.left.output_set, "right": join.right.output_set}
        own = split(plan.condition)
        seen = [
            (c, next((side for side, columns in sides.items() if c.references <= columns), None))
            for c in [*own, *(c for c in self.context.constraints.of(plan) if c not in own)]
        ]
        told, deciding = [], []
        filled = {"LeftOuter": ("right",), "RightOuter": ("left",)}.get(join.kind, ("left", "right"))
        for side in filled:
            drops = next((c for c, read in seen if read == side and filters_nulls(c, evaluator)), None)
            deciding.append(drops)
            other = "right" if side == "left" else "left"
            if drops is not None:
                told.append(
                    f"A row of the {other} side without a match has nulls on the {side}: "
                    f"{drops} {null_verdict(drops, evaluator)} there, so the filter drops it."
                )
            else:
                told.append(f"A row of the {other} side without a match may pass, so it must stay.")
        shown = [
            (
                c,
                f"reads the {side} side; on a row of nulls it {null_verdict(c, evaluator)}"
                if side
                else "reads both sides",
            )
            for c, side in seen
            if c in own or c in deciding
        ]
        self.take(plan, f"{join.kind} to {kind}", " ".join(told), shown)

    def _kind(self, plan: Filter, join: Join) -> str:
        evaluator = self.context.evaluator
        conditions = [*split(plan.condition), *self.context.constraints.of(plan)]
        left = any(c.references <= join.left.output_set and filters_nulls(c, evaluator) for c in conditions)
        right = any(c.references <= join.right.output_set and filters_nulls(c, evaluator) for c in conditions)
        kind: str = join.kind
        if kind == "RightOuter":
            return "Inner" if left else kind
        if kind == "LeftOuter":
            return "Inner" if right else kind
        if left and right:
            return "Inner"
        return "LeftOuter" if left else "RightOuter" if right else kind


def filters_nulls(e: Expression, evaluator: Evaluator) -> bool:
    """Whether a condition over a row of nulls is null or false; unknown counts as no."""
    if not e.deterministic or correlated(e):
        return False
    try:
        value = evaluator.row_value(e, dict.fromkeys(e.references))
    except UnknownValueError:
        return False
    return value is None or value is False


def null_verdict(e: Expression, evaluator: Evaluator) -> str:
    """What a condition gives on a row of nulls, as a clause: "is null", "is false", "is true", "is not known"."""
    try:
        value = (
            evaluator.row_value(e, dict.fromkeys(e.references))
            if e.deterministic and not correlated(e)
            else "not known"
        )
    except UnknownValueError:
        value = "not known"
    return f"is {'null' if value is None else str(value).lower()}"


#: Why an outer join may go altogether.
_REPEATS = "Every row of the side that is read comes out at least once, and how often it does is not asked."
_UNIQUE = "Every row of the side that is read comes out exactly once: its keys match one row or none."


def _kept_side(join: Join, kind: str) -> LogicalPlan | None:
    return {"LeftOuter": join.left, "RightOuter": join.right}.get(kind)


def duplicate_agnostic(plan: Aggregate) -> bool:
    """Whether an aggregate gives the same when rows occur more often."""
    if not plan.bits & AggregateExpression.BIT:
        return True
    return all(
        a.distinct or ignores_repeats(a.function)
        for i in plan.aggregates
        if is_aggregate(i)
        for a in i.collect(AggregateExpression)
    )


def ignores_repeats(f: Expression) -> bool:
    """Whether an aggregate function gives the same when values occur more often (Spark: isDuplicateAgnostic)."""
    if isinstance(f, Max | Min | FirstLast):
        return True
    return isinstance(f, AggregateCall) and f.name in ("bit_and", "bit_or", "collect_set", "bool_and", "bool_or")


def equi_keys(condition: Expression | None, side: LogicalPlan, null_safe: bool = False) -> list[Expression]:
    """The expressions over one side that a condition compares with the other side for equality, or null-safely too."""
    if condition is None:
        return []
    own = side.output_set
    keys = []
    for c in split(condition):
        if isinstance(c, EqualTo) or (null_safe and isinstance(c, EqualNullSafe)):
            a, b = c.left, c.right
            if a.references and b.references and a.references <= own and not b.references & own:
                keys.append(a)
            elif a.references and b.references and b.references <= own and not a.references & own:
                keys.append(b)
    return keys


class OptimizeJoinCondition(OptimizerRule[Join]):
    """Write a null-safe comparison as one.

    a = b OR (a IS NULL AND b IS NULL)  =>  a <=> b

    Pays because `<=>` can be a join key. Wrong where null and false differ: in `SELECT (a = b OR ...)` the first gives
    null for one null, the second false.
    """

    matches = (Join,)

    @override
    def rewrite(self, node: Join) -> LogicalPlan:
        if node.condition is None or not node.condition.bits & Or.BIT:
            return node

        def step(e: Expression) -> Expression:
            match e:
                case Or(EqualTo(a, b), And(IsNull(c), IsNull(d))) | Or(And(IsNull(c), IsNull(d)), EqualTo(a, b)) if (
                    a.semantic_equals(c) and b.semantic_equals(d)
                ) or (a.semantic_equals(d) and b.semantic_equals(c)):
                    return EqualNullSafe(a, b)
            return e

        return node.replace(condition=node.condition.transform_down(step, Or.BIT))


class CheckCartesianProducts(OptimizerRule):
    """Refuse a product that nobody asked for, when products are switched off.

    Join(l, r, Inner, no condition over both)  =>  an error

    Pays because a forgotten condition is found. `CROSS JOIN` says that it is meant. Runs after conditions were pushed:
    `FROM a, b WHERE a.x = b.x` is no product.
    """

    matches = (Join,)
    settings = ("spark.sql.crossJoin.enabled",)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if not self.context.on("spark.sql.crossJoin.enabled"):
            for join in plan.collect(Join):
                self._check(join)
        return plan

    @staticmethod
    def _check(join: Join) -> None:
        kinds = {"Inner": "INNER", "LeftOuter": "LEFT OUTER", "RightOuter": "RIGHT OUTER", "FullOuter": "FULL OUTER"}
        if join.kind not in kinds:
            return
        parts = split(join.condition) if join.condition is not None else []
        both = any(p.references & join.left.output_set and p.references & join.right.output_set for p in parts)
        empty = any(isinstance(p, Literal) and p.value is not True for p in parts)
        if not both and not empty:
            raise PlanvizError(
                f"Detected implicit cartesian product for {kinds[join.kind]} join between logical plans; "
                "add a join condition, write CROSS JOIN, or set spark.sql.crossJoin.enabled=true."
            )


class PushDownJoinThroughUnion(OptimizerRule):
    """Join the inputs of a union one by one.

    Join(Union(a, b), r)  =>  Union(Join(a, r), Join(b, r))

    Pays when r is broadcast: the union need not be gathered before. Off by default
    (`spark.sql.optimizer.pushDownJoinThroughUnion.enabled`). With `FULL JOIN` unmatched rows of r would come out twice.
    """

    matches = (Union,)
    settings = ("spark.sql.optimizer.pushDownJoinThroughUnion.enabled",)
    order = "up"

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        if not self.context.on("spark.sql.optimizer.pushDownJoinThroughUnion.enabled"):
            return plan
        return plan.transform_up(lambda p: self._join(p) if isinstance(p, Join) else p, Union.BIT)

    def _join(self, join: Join) -> LogicalPlan:
        union, right = join.left, join.right
        deterministic = join.condition is None or join.condition.deterministic
        if not isinstance(union, Union) or join.kind not in ("Inner", "LeftOuter") or not deterministic:
            return join
        if not self._broadcast(join) or any(p.subqueries for p in right.walk()):
            return join
        return union.replace(inputs=tuple(self._one(join, c, i) for i, c in enumerate(union.inputs)))

    @staticmethod
    def _one(join: Join, child: LogicalPlan, place: int) -> Join:
        union = join.left
        assert isinstance(union, Union)
        right = renewed(join.right) if place else join.right
        pairs = [*zip(union.inputs[0].output, child.output, strict=True)]
        pairs += zip(join.right.output, right.output, strict=True)
        condition = None if join.condition is None else substitute(join.condition, {a.expr_id: b for a, b in pairs})
        return join.replace(left=child, right=right, condition=condition)

    def _broadcast(self, join: Join) -> bool:
        sides = [(join.right, join.right_hint)]
        if join.kind == "Inner":
            sides.append((join.left, join.left_hint))
        small = any(h == "broadcast" or self.context.estimator.can_broadcast(side) for side, h in sides)
        return bool(join_keys(join)) and small
