"""Casts: removed, merged, and taken off what is compared with a constant."""

from __future__ import annotations

import math

from typing_extensions import override

from planviz.evaluation import DEFAULT_EVALUATOR, compare
from planviz.expressions.casts import Cast, declared_text
from planviz.expressions.core import AttributeReference, Expression, Literal, lit
from planviz.expressions.predicates import (
    MIRRORS,
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
)
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.attributes import function
from planviz.optimizer.context import OptimizerRule
from planviz.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGRAL,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    is_numeric,
)
from planviz.types.values import Value


class SimplifyCasts(OptimizerRule):
    """Remove casts to the type that is there, the inner one of two widening casts, and widening casts tested for null.

    cast(cast(a AS bigint) AS decimal(20,0))  =>  cast(a AS decimal(20,0)), a being an int

    Pays because nothing is converted twice. A narrowing inner cast stays: `cast(cast(a AS tinyint) AS int)` may fail.
    Spark 3.0 only removes casts to the type that is there.
    """

    matches = (Cast,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        known = self.context.config.behaviour
        step = self._one if known.null_tests_look_through_casts else _without_null_tests
        step = step if known.casts_are_merged else _without_same_type
        if not known.casts_of_declared_texts_stay:
            return self.on_expressions(plan, step, "down")
        return self.on_expressions(plan, lambda e: e if _reads_declared(e) else step(e), "down")

    @staticmethod
    def _one(e: Expression) -> Expression:
        match e:
            case Cast(child, t) if child.data_type == t:
                return child
            case Cast(Cast(child, inner), t) if _up(child.data_type, inner) and _up(inner, t):
                return Cast(child, t, e.mode, e.user_specified, e.time_zone)
            case IsNotNull(Cast(child, t)) if _up(child.data_type, t):
                return type(e)(child)
        return e


def _reads_declared(e: Expression) -> bool:
    """Whether it casts a column that is declared as char(n) or varchar(n), which Spark lets be from 4.1 on."""
    column = e.child if isinstance(e, Cast) else None
    return isinstance(column, AttributeReference) and declared_text(column.metadata) is not None


def _without_null_tests(e: Expression) -> Expression:
    return e if isinstance(e, IsNotNull) else SimplifyCasts._one(e)


def _without_same_type(e: Expression) -> Expression:
    return e.child if isinstance(e, Cast) and e.child.data_type == e.data_type else e


def _up(a: DataType, b: DataType) -> bool:
    """Whether Spark takes a cast between numbers for one that loses nothing: those of bigint to float are."""
    return wider(a, b) or (a in INTEGRAL and b in (FLOAT, DOUBLE))


def wider(a: DataType, b: DataType) -> bool:
    """Whether every value of numeric type `a` is one of `b`, and nothing else than widening is needed."""
    if a in INTEGRAL and b in INTEGRAL:
        return INTEGRAL.index(a) <= INTEGRAL.index(b)
    if a == FLOAT and b == DOUBLE:
        return True
    if a in INTEGRAL and isinstance(b, DecimalType):
        digits = {0: 3, 1: 5, 2: 10, 3: 20}[INTEGRAL.index(a)]
        return b.precision - b.scale >= digits
    if isinstance(a, DecimalType) and isinstance(b, DecimalType):
        return b.scale >= a.scale and b.precision - b.scale >= a.precision - a.scale
    return False


class UnwrapCastInBinaryComparison(OptimizerRule):
    """Compare the column itself instead of its cast with a constant.

    cast(a AS bigint) > 5L  =>  a > 5        cast(t AS date) = d  =>  t >= d 00:00 AND t < d + 1 day 00:00

    Pays because the filter can be pushed into the scan. Beyond the column's range the answer is known; null stays
    null: `SELECT cast(a AS bigint) > 3000000000` gives null for a null a.
    """

    matches = (Cast,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return self.on_expressions(plan, self._one)

    def _one(self, e: Expression) -> Expression:
        known = self.context.config.behaviour
        days = known.days_are_ranges_of_moments
        if not known.dates_are_unwrapped and any(isinstance(c, Cast) and c.child.data_type == DATE for c in e.children):
            return e
        match e:
            case BinaryComparison(left=Literal() as v, right=Cast() as c):
                flipped = MIRRORS[type(e)](c, v)
                new = _compared(flipped, c, v, days)
                return e if new is flipped else _mirrored(new)
            case BinaryComparison(left=Cast() as c, right=Literal() as v):
                return _compared(e, c, v, days)
            case In() | InSet() if not known.lists_are_unwrapped:
                return e
            case In(Cast(child, t), items) if items and all(isinstance(i, Literal) for i in items):
                return _in(e, child, t, items) if _can_unwrap(child, t, items[0].data_type) else e
            case InSet(Cast(child, t), items) if items and _can_unwrap(child, t, items[0].data_type):
                return _in(e, child, t, items)
        return e


def _mirrored(e: Expression) -> Expression:
    return MIRRORS[type(e)](e.right, e.left) if isinstance(e, BinaryComparison) else e


def _compared(e: BinaryComparison, cast: Cast, v: Literal, days: bool) -> Expression:
    child = cast.child
    if v.value is None:
        return e
    if child.data_type in (TIMESTAMP, TIMESTAMP_NTZ) and cast.type == DATE == v.data_type:
        return _day(e, cast, v) if days else e
    return _simplified(e, child, cast.type, v) if _can_unwrap(child, cast.type, v.data_type) else e


def _can_unwrap(child: Expression, to: DataType, literal: DataType) -> bool:
    """Whether the cast loses nothing, so that the constant can be cast instead (Spark: canImplicitlyCast)."""
    a = child.data_type
    if to != literal or child.foldable or a == to:
        return False
    if a == BOOLEAN:
        return is_numeric(to)
    if a == DATE:
        return to in (TIMESTAMP, TIMESTAMP_NTZ)
    if a == TIMESTAMP_NTZ:
        return to == TIMESTAMP
    if not is_numeric(a) or not is_numeric(to):
        return False
    if to in (DOUBLE, FLOAT) and a in INTEGRAL:
        return INTEGRAL.index(a) < (3 if to == DOUBLE else 2)
    return (a == FLOAT and to == DOUBLE) or wider(a, to)


def _null_unless(child: Expression, truth: bool) -> Expression:
    """The truth, or null where the child is null."""
    null = Literal(None, BOOLEAN)
    return Or(IsNotNull(child), null) if truth else And(IsNull(child), null)


def _range(t: DataType) -> tuple[object, object] | None:
    """The least and the greatest value of a type; NaN is the greatest floating number."""
    if t in INTEGRAL:
        bits = (8, 16, 32, 64)[INTEGRAL.index(t)]
        return -(1 << bits - 1), (1 << bits - 1) - 1
    if t in (FLOAT, DOUBLE):
        return -math.inf, math.nan
    return (False, True) if t == BOOLEAN else None


def _simplified(e: BinaryComparison, child: Expression, to: DataType, v: Literal) -> Expression:
    t, value = child.data_type, v.value
    limits = _range(t)
    if limits is not None:
        low, high = (DEFAULT_EVALUATOR.converted(x, t, to) for x in limits)
        if compare(value, high) > 0:
            return _beyond(e, child, LessThan, LessThanOrEqual)
        if compare(value, high) == 0:
            return _at_end(e, child, Literal(limits[1], t), LessThan, GreaterThan)
        if compare(value, low) < 0:
            return _beyond(e, child, GreaterThan, GreaterThanOrEqual)
        if compare(value, low) == 0:
            return _at_end(e, child, Literal(limits[0], t), GreaterThan, LessThan)
    narrow = DEFAULT_EVALUATOR.converted(value, to, t)
    back = None if narrow is None else DEFAULT_EVALUATOR.converted(narrow, t, to)
    if back is None:
        return e
    literal = Literal(narrow, t)
    order = compare(value, back)
    if order == 0:
        return e.replace(left=child, right=literal)
    if isinstance(e, EqualTo):
        return _null_unless(child, False)
    if isinstance(e, EqualNullSafe):
        return Literal(False, BOOLEAN) if child.deterministic else e
    if isinstance(e, GreaterThan | GreaterThanOrEqual):
        return (GreaterThanOrEqual if order < 0 else GreaterThan)(child, literal)
    return (LessThan if order < 0 else LessThanOrEqual)(child, literal)


def _beyond(e: Expression, child: Expression, *true: type) -> Expression:
    """A comparison with a constant outside of the child's range; `true` are the comparisons that hold."""
    if isinstance(e, EqualNullSafe):
        return Literal(False, BOOLEAN) if e.deterministic else e
    return _null_unless(child, isinstance(e, true))


def _at_end(e: Expression, child: Expression, end: Value, inward: type, outward: type) -> Expression:
    """A comparison with the last value of the range: `inward` holds for all others, `outward` for none."""
    if type(e) is outward:
        return _null_unless(child, False)
    if type(e) is inward:
        return Not(EqualTo(child, end))
    if isinstance(e, EqualNullSafe):
        return EqualNullSafe(child, end)
    reaching_in = LessThanOrEqual if inward is LessThan else GreaterThanOrEqual
    return _null_unless(child, True) if type(e) is reaching_in else EqualTo(child, end)


def _day(e: Expression, cast: Cast, day: Literal) -> Expression:
    """A timestamp's day compared with a day: the timestamp is compared with that day's beginning and end."""
    child = cast.child
    begin = Cast(day, child.data_type, cast.mode, False, cast.time_zone)
    end = Cast(function("date_add", day, lit(1)), child.data_type, cast.mode, False, cast.time_zone)
    within = And(GreaterThanOrEqual(child, begin), LessThan(child, end))
    match e:
        case GreaterThan():
            return GreaterThanOrEqual(child, end)
        case GreaterThanOrEqual():
            return GreaterThanOrEqual(child, begin)
        case LessThan():
            return LessThan(child, begin)
        case LessThanOrEqual():
            return LessThan(child, end)
        case EqualTo():
            return within
    return e


def _in(e: In | InSet, child: Expression, to: DataType, items: tuple[Expression, ...]) -> Expression:
    t = child.data_type
    values = [i for i in items if isinstance(i, Literal)]
    nulls = [Literal(None, t) for i in values if i.value is None]
    kept = []
    for i in values:
        narrow = None if i.value is None else DEFAULT_EVALUATOR.converted(i.value, to, t)
        back = None if narrow is None else DEFAULT_EVALUATOR.converted(narrow, t, to)
        if back is not None and compare(i.value, back) == 0:
            kept.append(Literal(narrow, t))
    if not nulls and not kept:
        return _null_unless(child, False) if child.nullable else Literal(False, BOOLEAN)
    return type(e)(child, (*nulls, *kept))
