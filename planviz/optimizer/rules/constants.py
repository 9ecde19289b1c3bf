"""What can be computed while planning."""

from __future__ import annotations

from collections.abc import Callable

from typing_extensions import override

from planviz.analysis.cleanup import CleanupAliases
from planviz.evaluation import place_of
from planviz.expressions.aggregates import AggregateExpression, Count
from planviz.expressions.arithmetic import Add, Multiply, operands
from planviz.expressions.calls import Concat, FunctionCall
from planviz.expressions.casts import Cast
from planviz.expressions.complex import CreateArray, CreateMap, CreateNamedStruct
from planviz.expressions.conditional import CaseWhen, Coalesce, If
from planviz.expressions.core import BEYOND_LEAVES, Alias, AttributeReference, Expression, Literal, lit
from planviz.expressions.earlier import HashedInSet, stored
from planviz.expressions.hash_sets import in_hash_set
from planviz.expressions.objects import AssertNotNull
from planviz.expressions.predicates import (
    And,
    BinaryComparison,
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InSet,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    Or,
    conjunction,
    disjunction,
)
from planviz.expressions.subqueries import InSubquery, ScalarSubquery
from planviz.expressions.windows import WindowExpression
from planviz.frontend.errors import analysis_error
from planviz.logical.combining import Join
from planviz.logical.objects import AppendColumns, TypedFilter
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    Generate,
    GlobalLimit,
    LocalLimit,
    Project,
    Repartition,
    RepartitionByExpression,
    Sample,
    Sort,
    Window,
)
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.attributes import substitute
from planviz.optimizer.context import OptimizerRule
from planviz.optimizer.expression_set import ExpressionSet
from planviz.optimizer.rules.boolean import FALSE, TRUE, is_null
from planviz.trees.depth import deep
from planviz.types import BOOLEAN, is_integral


class NullPropagation(OptimizerRule):
    """Say what null makes of an expression.

    a + null  =>  null        isnull(a)  =>  false, where a is never null        count(never null)  =>  count(1)

    Pays because what is null or constant needs no column. DISTINCT counts values, not rows: count(DISTINCT a) stays.
    """

    matches = (Literal, AggregateExpression, IsNull, IsNotNull, EqualNullSafe, Coalesce, AssertNotNull)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return self.on_expressions(plan, self._one)

    @staticmethod
    def _one(e: Expression) -> Expression:
        match e:
            case AggregateExpression(Count(arguments), _, distinct):
                if all(is_null(a) for a in arguments):
                    return Cast(Literal(0, e.data_type), e.data_type)
                if not distinct and not any(a.nullable for a in arguments) and arguments != (lit(1),):
                    return e.replace(function=Count((lit(1),)))
                return e
            case WindowExpression(function=Cast(child=Literal(value=0))):
                return e.function
            case IsNull(c) if not c.nullable:
                return FALSE
            case IsNotNull(c) if not c.nullable:
                return TRUE
            case EqualNullSafe(a, b) if is_null(a) or is_null(b):
                return IsNull(b if is_null(a) else a)
            case Coalesce(arguments):
                return _coalesced(e, arguments)
            case AssertNotNull(c) if not c.nullable:
                return c
            case In(value, items) if items and is_null(value):
                return Literal(None, BOOLEAN)
            case InSubquery((value,), _) if is_null(value):
                return Literal(None, BOOLEAN)
        if e.children and e.null_intolerant and any(is_null(c) for c in e.children):
            return Literal(None, e.data_type)
        return e


def _coalesced(e: Expression, arguments: tuple[Expression, ...]) -> Expression:
    rest = tuple(a for a in arguments if not is_null(a))
    if not rest:
        return Literal(None, e.data_type)
    if len(rest) == 1:
        return rest[0]
    end = next((i for i, a in enumerate(rest) if not a.nullable), None)
    kept = rest if end is None else rest[: end + 1]
    return e if len(kept) == len(arguments) else Coalesce(kept)


class NullDownPropagation(OptimizerRule):
    """Ask of the operand what is asked of an expression that is null just when the operand is.

    isnull(a > b)  =>  isnull(a) OR isnull(b)

    Pays because filters on columns can be pushed into scans. Wrong for expressions that fail or give null on their
    own: `try_divide(a, b)` is null for b = 0. Spark does it for NOT and the four order comparisons only.
    """

    matches = (IsNull, IsNotNull)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return self.on_expressions(plan, self._one, "down")

    @staticmethod
    def _one(e: Expression) -> Expression:
        match e:
            case IsNull(Not() | LessThan() | LessThanOrEqual() | GreaterThan() | GreaterThanOrEqual() as c):
                return disjunction([IsNull(x) for x in c.children])
            case IsNotNull(Not() | LessThan() | LessThanOrEqual() | GreaterThan() | GreaterThanOrEqual() as c):
                return conjunction([IsNotNull(x) for x in c.children])
        return e


class ConstantFolding(OptimizerRule):
    """Compute expressions of constants.

    a > 1 + 2 * 3  =>  a > 7

    Pays because it is computed once. What fails, fails the query here, without a row: `SELECT 1 / 0 FROM t`. Only a
    branch that need not be taken is left as it is: `if(a > 0, a, 1 / 0)`.
    """

    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        """The plan with constants computed. Raises AnalysisError with Spark's class for a failure that is known."""
        return plan.transform_down(lambda p: p.map_expressions(self._fold, BEYOND_LEAVES), settled=self.settled)

    def _fold(self, e: Expression) -> Expression:
        return self._folded(e, False)

    def _fold_branch(self, e: Expression) -> Expression:
        return self._folded(e, True)

    @deep
    def _folded(self, e: Expression, optional: bool) -> Expression:
        """The expression with constants computed; `optional` where it is a branch that need not be taken."""
        if id(e) in self.settled:
            return e
        if e.foldable:
            value = self.context.evaluator.value_of(e)
            if value is not None:
                as_stored = self.context.config.behaviour.values_are_shown_as_stored
                return stored(value, self.context.evaluator.zone) if as_stored else value
            failed = self.context.evaluator.failure(e)
            if failed is not None and failed.error_class and not optional:
                raise analysis_error(failed.error_class, f'"{e.pretty}" fails: {failed}.', place_of(e, failed))
            if failed is not None:
                return e
        if isinstance(e, FunctionCall) and e.name in ("size", "cardinality") and _harmless(e.arguments[0]):
            made = e.arguments[0]
            return Literal(len(made.children) // (2 if isinstance(made, CreateMap) else 1), e.data_type)
        if isinstance(e, FunctionCall) and e.name == "typeof":
            return Literal(e.arguments[0].data_type.simple_string, e.data_type)
        if isinstance(e, ScalarSubquery) and not e.zero_rows and getattr(e.plan, "max_rows", None) == 0:
            return Literal(None, e.data_type)
        new = e.map_children(self._fold_branch if optional or _conditional(e) else self._fold, BEYOND_LEAVES)
        if new is e:
            self.settled[id(e)] = e
        return new


def _conditional(e: Expression) -> bool:
    """Whether it need not compute all of its children (Spark: ConditionalExpression)."""
    return isinstance(e, If | CaseWhen | Coalesce) or (isinstance(e, FunctionCall) and e.name == "nanvl")


def _harmless(e: Expression) -> bool:
    """Whether it is an array or map put together from what cannot fail: its size is known without it."""
    plain = all(isinstance(c, AttributeReference | Literal) for c in e.children)
    return plain and isinstance(e, CreateArray | CreateMap)


class FoldablePropagation(OptimizerRule):
    """Put a constant in the place of the attribute that names it.

    Sort [x, a] over Project [1 AS x, a]  =>  Sort [1, a] over Project [1 AS x, a]

    Pays because what reads it folds. Past an outer join the column may be null: x of `t LEFT JOIN (SELECT 1 x) ON ...`
    must not become 1.
    """

    matches = (Alias,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        new, _ = self._go(plan)
        cleaned: LogicalPlan = CleanupAliases(None).apply(new)  # type: ignore[arg-type]  # the rule reads no context
        return cleaned

    @deep
    def _go(self, plan: LogicalPlan) -> tuple[LogicalPlan, dict[int, Expression]]:
        if not plan.bits & Alias.BIT or not plan.children:
            return plan, {}
        if isinstance(plan, Project | Aggregate):
            below, known = self._go(plan.child)
            new = self._replaced(plan.with_new_children((below,)), known)
            if isinstance(plan, Aggregate) and not self.context.config.behaviour.aggregates_pass_constants_on:
                return new, {}
            items = new.projects if isinstance(new, Project) else new.aggregates if isinstance(new, Aggregate) else ()
            return new, {i.expr_id: i for i in items if isinstance(i, Alias) and i.child.foldable}
        if isinstance(plan, Expand):
            below, known = self._go(plan.child)
            rows = tuple(tuple(substitute(e, known) for e in p) for p in plan.projections)
            new = plan.replace(projections=rows if rows != plan.projections else plan.projections, child=below)
            # A column that keeps its id is the child's own; the others differ by row.
            return new, {a.expr_id: known[a.expr_id] for a in plan.columns if a.expr_id in known}
        if isinstance(plan, _PASSING):
            below, known = self._go(plan.child)
            return self._replaced(plan.with_new_children((below,)), known), known
        if isinstance(plan, Join):
            return self._join(plan)
        return plan.map_children(lambda c: self._go(c)[0]), {}

    @staticmethod
    def _replaced(plan: LogicalPlan, known: dict[int, Expression]) -> LogicalPlan:
        if not known or not plan.references & known.keys():
            return plan
        return plan.map_expressions(lambda e: substitute(e, known))

    def _join(self, plan: Join) -> tuple[LogicalPlan, dict[int, Expression]]:
        left, a = self._go(plan.left)
        right, b = self._go(plan.right)
        new = self._replaced(plan.replace(left=left, right=right), {**a, **b})
        kind = plan.kind
        if kind in ("RightOuter", "FullOuter"):
            a = {}
        if kind in ("LeftOuter", "FullOuter"):
            b = {}
        return new, {**a, **b}


_PASSING = (
    Filter, Window, Sample, GlobalLimit, LocalLimit, Generate, Distinct, RepartitionByExpression, Repartition, Sort,
    TypedFilter, AppendColumns,
)  # fmt: skip


class ConstantPropagation(OptimizerRule):
    """Use what an equality with a constant says in the rest of a conjunction.

    a = 11 AND b = 100 + a  =>  a = 11 AND b = 100 + 11

    Pays because it folds. Below OR each side has its own: in `a = 1 OR b = a + 1` nothing is known of a on the right.
    """

    matches = (EqualTo, EqualNullSafe)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._step, Filter.BIT, self.settled)

    def _step(self, plan: LogicalPlan) -> LogicalPlan:
        if not isinstance(plan, Filter):
            return plan
        new, _ = self._traverse(plan.condition, True)
        return plan if new is None or new == plan.condition else Filter(new, plan.child)

    def _traverse(self, e: Expression, null_is_false: bool) -> tuple[Expression | None, _Known]:
        """The new condition (None: unchanged) and the equalities that hold: literal and predicate by attribute."""
        if not isinstance(e, And):
            return self._conjunct(e, null_is_false)
        x, p = self._conjunct(e.left, null_is_false)
        y, q = self._conjunct(e.right, null_is_false)
        known = self._both(p, q)
        kinds: tuple[type, ...] = (BinaryComparison,)
        if not self.context.config.behaviour.comparisons_take_constants:
            kinds = (EqualTo, EqualNullSafe)
        return And(_with(x or e.left, known, kinds), _with(y or e.right, known, kinds)), known

    def _both(self, p: _Known, q: _Known) -> _Known:
        """What two sides say; of two constants for one attribute the last counts, of which the first may be a part."""
        if self.context.config.behaviour.equalities_contradict:
            return {**p, **q}
        return {i: ((q.get(i) or p[i])[0], p.get(i, _NOTHING)[1] + q.get(i, _NOTHING)[1]) for i in {**p, **q}}

    @deep
    def _conjunct(self, e: Expression, null_is_false: bool) -> tuple[Expression | None, _Known]:
        match e:
            case EqualTo(AttributeReference() as a, Literal() as v) | EqualTo(
                Literal() as v, AttributeReference() as a
            ):
                return None, {a.expr_id: (v, (e,))} if not a.nullable or null_is_false else {}
            case EqualNullSafe(AttributeReference() as a, Literal() as v) | EqualNullSafe(
                Literal() as v, AttributeReference() as a
            ):
                return None, {a.expr_id: (v, (e,))}
            case And(left, right):
                x, p = self._conjunct(left, null_is_false)
                y, q = self._conjunct(right, null_is_false)
                return (And(x or left, y or right) if x or y else None), self._both(p, q)
            case Or(left, right):
                x, _ = self._traverse(left, null_is_false)
                y, _ = self._traverse(right, null_is_false)
                return (Or(x or left, y or right) if x or y else None), {}
            case Not(child):
                x, _ = self._traverse(child, False)
                return (Not(x) if x else None), {}
        return None, {}


#: By attribute its constant, and the predicates that say so.
_Known = dict[int, tuple[Expression, tuple[Expression, ...]]]
_NOTHING: tuple[None, tuple[Expression, ...]] = (None, ())


def _with(e: Expression, known: _Known, kinds: tuple[type, ...]) -> Expression:
    """The comparisons of these kinds in a condition, the constants put in, but for those that say so themselves."""
    if not known:
        return e
    values = {i: v for i, (v, _) in known.items()}
    sources = [predicate for _, predicates in known.values() for predicate in predicates]

    def step(x: Expression) -> Expression:
        return substitute(x, values) if isinstance(x, kinds) and x not in sources else x

    return e.transform_down(step)


class OptimizeIn(OptimizerRule):
    """Repeated values of a list go; a single one is an equality; a long list of constants is a set.

    a IN (1, 2, 2, 1)  =>  a IN (1, 2)    a IN (1)  =>  a = 1    more than 10  =>  a INSET ...    none  =>  false

    Pays because a set is looked up, not searched. Only constants: `a IN (b, c)` differs by row.
    """

    matches = (In,)
    settings = ("spark.sql.optimizer.inSetConversionThreshold", "spark.sql.ansi.enabled")

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        # spark.sql.legacy.nullInEmptyListBehavior is what ansi.enabled is not, unless it is set.
        strict = self.context.config.get("spark.sql.ansi.enabled")
        most = self.context.config.number("spark.sql.optimizer.inSetConversionThreshold")

        def step(e: Expression) -> Expression:
            if not isinstance(e, In):
                return e
            if not e.items:
                null = Literal(None, BOOLEAN)
                return FALSE if strict or not e.value.nullable else If(IsNotNull(e.value), FALSE, null)
            others = tuple([i for i in e.items if not isinstance(i, Literal)])
            if others:
                return self.refuse(e, "the list holds more than constants", others)
            items = tuple([i for i in ExpressionSet(e.items) if isinstance(i, Literal)])
            if len(items) == 1 and not isinstance(e.value, CreateNamedStruct):
                return EqualTo(e.value, items[0])
            if len(items) > most:
                shown = self.context.config.behaviour.values_are_shown_as_stored
                return HashedInSet(e.value, in_hash_set(items)) if shown else InSet(e.value, items)
            if len(items) == len(e.items):
                return self.refuse(
                    e,
                    f"the values differ and are no more than {most}, above which they become a set",
                    f"{len(items)} values",
                    setting="spark.sql.optimizer.inSetConversionThreshold",
                )
            return In(e.value, items)

        return self.on_expressions(plan, step, "down")


class OptimizeRand(OptimizerRule):
    """Compare rand() with a constant outside of its range at once.

    rand() < 2  =>  true

    Pays because the filter folds. Within the range it stays: `rand() < 0.5` draws.
    """

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:

        def step(e: Expression) -> Expression:
            match e:
                case LessThan(r, Literal() as v) | LessThanOrEqual(r, Literal() as v) if (
                    _rand(r) and v.value is not None
                ):
                    return TRUE if v.value >= 1 else FALSE if v.value < 0 else e
                case GreaterThan(r, Literal() as v) | GreaterThanOrEqual(r, Literal() as v) if (
                    _rand(r) and v.value is not None
                ):
                    return FALSE if v.value >= 1 else TRUE if v.value < 0 else e
            return e

        return plan.transform_all_expressions(step, BinaryComparison.BIT, self.settled)


def _rand(e: Expression) -> bool:
    return getattr(e, "name", "") in ("rand", "random") and not isinstance(e, AttributeReference | Alias)


class ReorderAssociativeOperator(OptimizerRule):
    """Gather the constants of a sum or product of integers.

    a + 1 + b + 2  =>  (a + b) + (1 + 2)        a * 1  =>  a

    Pays because constants fold. Not for floating numbers, whose sums depend on the order, nor where the constants
    alone overflow: 2147483647 + a + 1. Keys of an aggregate stay as written.
    """

    matches = (Add, Multiply)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._operator, self.mask, self.settled)

    def _operator(self, plan: LogicalPlan) -> LogicalPlan:
        keys = ExpressionSet(plan.grouping) if isinstance(plan, Aggregate) else ExpressionSet()
        least = 1 if self.context.config.behaviour.single_constants_move else 2
        return plan.transform_expressions_down(lambda e: self._one(e, keys, least), self.mask)

    def _one(self, e: Expression, keys: ExpressionSet, least: int) -> Expression:
        if not isinstance(e, Add | Multiply) or not e.deterministic or not is_integral(e.data_type):
            return e
        if keys and e in keys:
            return e
        cls = type(e)
        parts = operands(e, cls)
        fixed = [p for p in parts if p.foldable]
        rest = [p for p in parts if not p.foldable]
        if len(fixed) < least:
            return e
        constant = _chain(fixed, cls, e.mode)
        value = self.context.evaluator.value_of(constant)
        if value is None:
            return e
        if not rest:
            # ConstantFolding does that; Spark leaves (1 + 2) + 3 to it.
            return e
        neutral = 0 if cls is Add else 1
        others = _chain(rest, cls, e.mode)
        return others if value.value == neutral else cls(others, constant, e.mode)


def _chain(parts: list[Expression], cls: Callable[[Expression, Expression, str], Expression], mode: str) -> Expression:
    result = parts[0]
    for p in parts[1:]:
        result = cls(result, p, mode)
    return result


class CombineConcats(OptimizerRule):
    """Flatten concat in concat.

    concat(a, concat(b, c))  =>  concat(a, b, c)

    Pays because no text is built in between. Arrays of other types are left alone.
    """

    matches = (Concat,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:

        def step(e: Expression) -> Expression:
            if not isinstance(e, Concat) or not any(isinstance(i, Concat) for i in e.items):
                return e
            return Concat(tuple(_flat(e)))

        return self.on_expressions(plan, step, "down")


def _flat(e: Expression) -> list[Expression]:
    flat: list[Expression] = []
    left = [e]
    while left:
        item = left.pop()
        if isinstance(item, Concat):
            left.extend(reversed(item.items))
        else:
            flat.append(item)
    return flat
