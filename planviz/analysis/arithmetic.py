"""Arithmetic on dates, timestamps and intervals (Spark: BinaryArithmeticWithDatetimeResolver)."""

from __future__ import annotations

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule
from planviz.expressions.arithmetic import Add, BinaryArithmetic, Divide, Multiply, Subtract, UnaryMinus
from planviz.expressions.calls import DatetimeMinus, DatetimePlus, FunctionCall, IntervalScale
from planviz.expressions.casts import Cast
from planviz.expressions.core import Expression
from planviz.expressions.specs import FunctionSpec
from planviz.functions.builders.base import signed
from planviz.logical.plan import LogicalPlan
from planviz.types import (
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DayTimeIntervalType,
    YearMonthIntervalType,
    is_ansi_interval,
    is_interval,
    is_numeric,
    is_string,
)
from planviz.versions import Behaviour

_STAMPS = (TIMESTAMP, TIMESTAMP_NTZ)
#: What the other side of a difference of timestamps is cast from.
_LIKE_STAMPS = (DATE, STRING, NULL)


def _days(e: Expression) -> Expression:
    spec = FunctionSpec("extractansiintervaldays", (), lambda _: INT)
    return FunctionCall("extractansiintervaldays", (e,), spec)


class ResolveBinaryArithmetic(AnalyzerRule):
    """Give + and - on dates, timestamps and intervals their own expressions.

    date + INTERVAL '1' DAY  =>  date_add(date, extractansiintervaldays(INTERVAL '1' DAY))
    """

    matches = (Add, Subtract, Multiply, Divide)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:

        def operator(p: LogicalPlan) -> LogicalPlan:
            return p.transform_expressions_up(self._one, self.mask)

        return plan.resolve_operators_up(operator, self.mask)

    def _one(self, e: Expression) -> Expression:
        if not isinstance(e, Add | Subtract | Multiply | Divide) or not e.children_resolved:
            return e
        a, b = e.left.data_type, e.right.data_type
        if not (_temporal(a) or _temporal(b)):
            return e
        if isinstance(e, Add):
            return _plus(e, a, b)
        if isinstance(e, Subtract):
            return _as_then(_minus(e, a, b), self.context.config.behaviour)
        if is_ansi_interval(a) and (is_numeric(b) or is_string(b) or b == NULL):
            return _scaled(e, "*" if isinstance(e, Multiply) else "/")
        if isinstance(e, Multiply) and is_ansi_interval(b) and (is_numeric(a) or a == NULL):
            return _scaled(Multiply(e.right, e.left, e.mode), "*")
        return e


def _as_then(made: Expression, known: Behaviour) -> Expression:
    """A difference as older versions had it: of one type of interval, or a sum with what is taken away negated."""
    if isinstance(made, DatetimeMinus) and not known.intervals_are_typed:
        return DatetimeMinus(made.left, made.right, CALENDAR_INTERVAL)
    if isinstance(made, Cast) and isinstance(made.child, DatetimePlus):
        return Cast(_as_then(made.child, known), made.type, made.mode)
    if not known.intervals_are_subtracted and isinstance(made, DatetimePlus) and made.sign == "-":
        return DatetimePlus(made.left, UnaryMinus(made.right), "+", made.type)
    return made


def _temporal(t: DataType) -> bool:
    return t == DATE or t in _STAMPS or is_interval(t)


def _scaled(e: BinaryArithmetic, op: str) -> Expression:
    t = e.left.data_type
    whole = YearMonthIntervalType() if isinstance(t, YearMonthIntervalType) else DayTimeIntervalType()
    number = Cast(e.right, DOUBLE) if e.right.data_type == NULL else e.right
    return IntervalScale(e.left, number, op, whole, e.mode)


def _plus(e: Add, a: DataType, b: DataType) -> Expression:
    left, right = e.left, e.right
    if is_interval(a) and (b == DATE or b in _STAMPS):
        left, right, a, b = right, left, b, a
    if a == DATE and isinstance(b, DayTimeIntervalType):
        if b.end == 0:
            return signed("date_add", (left, _days(right)))
        stamp = Cast(left, TIMESTAMP)
        return DatetimePlus(stamp, right, "+", TIMESTAMP)
    if a == DATE and isinstance(b, YearMonthIntervalType):
        return DatetimePlus(left, right, "+", DATE)
    if a in _STAMPS and isinstance(b, YearMonthIntervalType):
        return DatetimePlus(left, right, "+", a)
    if a in _STAMPS and is_ansi_interval(b):
        return Cast(DatetimePlus(left, right, "+", a), a)
    if a == DATE and b == CALENDAR_INTERVAL:
        return DatetimePlus(left, right, "+", DATE)
    if a in _STAMPS and b == CALENDAR_INTERVAL:
        return Cast(DatetimePlus(left, right, "+", a), a)
    if a == DATE and not is_interval(b) and b != DATE and b not in _STAMPS:
        return signed("date_add", (left, right))
    if b == DATE and not is_interval(a) and a != DATE and a not in _STAMPS:
        return signed("date_add", (right, left))
    if is_string(a) and is_interval(b):
        return _of_text(left, right, "+")
    return e


def _of_text(text: Expression, interval: Expression, op: str) -> Expression:
    start = Cast(text, TIMESTAMP) if op == "+" else text
    return Cast(DatetimePlus(start, interval, op, TIMESTAMP), STRING)


def _minus(e: Subtract, a: DataType, b: DataType) -> Expression:
    left, right = e.left, e.right
    if a == DATE and isinstance(b, DayTimeIntervalType):
        if b.end == 0:
            return signed("date_add", (left, UnaryMinus(_days(right))))
        return DatetimePlus(left, right, "-", TIMESTAMP)
    if a == DATE and isinstance(b, YearMonthIntervalType):
        return DatetimePlus(left, right, "-", DATE)
    if a in _STAMPS and isinstance(b, YearMonthIntervalType):
        return DatetimePlus(left, right, "-", a)
    if a in _STAMPS and (is_ansi_interval(b) or b == CALENDAR_INTERVAL):
        return Cast(DatetimePlus(left, right, "-", a), a)
    if a == DATE and b == CALENDAR_INTERVAL:
        return DatetimePlus(left, right, "-", DATE)
    if a == DATE and b == DATE:
        return DatetimeMinus(left, right, DayTimeIntervalType(0, 0))
    if (a in _STAMPS and (b in _STAMPS or b in _LIKE_STAMPS)) or (a in _LIKE_STAMPS and b in _STAMPS):
        return DatetimeMinus(_stamp(left), _stamp(right), DayTimeIntervalType())
    if (a, b) in ((NULL, DATE), (DATE, NULL)):
        dates = [Cast(x, DATE) if x.data_type == NULL else x for x in (left, right)]
        return DatetimeMinus(dates[0], dates[1], DayTimeIntervalType(0, 0))
    if a == DATE and not is_interval(b) and not is_string(b):
        return signed("date_sub", (left, right))
    if a == DATE and is_string(b):
        return DatetimeMinus(left, Cast(right, DATE), DayTimeIntervalType(0, 0))
    if is_string(a) and b == DATE:
        return DatetimeMinus(Cast(left, DATE), right, DayTimeIntervalType(0, 0))
    return _of_text(left, right, "-") if is_string(a) and is_interval(b) else e


def _stamp(e: Expression) -> Expression:
    return Cast(e, TIMESTAMP) if e.data_type in _LIKE_STAMPS else e
