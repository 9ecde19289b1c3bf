"""Arithmetic on dates, timestamps and intervals (Spark: BinaryArithmeticWithDatetimeResolver)."""

from __future__ import annotations

from typing_extensions import override

from planviz.analysis.coercion.lattice import cast_to
from planviz.analysis.context import AnalyzerRule
from planviz.expressions.arithmetic import Add, BinaryArithmetic, Divide, Multiply, Subtract, UnaryMinus
from planviz.expressions.calls import DatetimeMinus, DatetimePlus, FunctionCall, IntervalScale
from planviz.expressions.casts import Cast
from planviz.expressions.core import Expression
from planviz.expressions.specs import Accepts, AnsiFlag, FunctionSpec
from planviz.frontend.errors import analysis_error
from planviz.functions.builders.base import signed, spec_of
from planviz.functions.signatures import accepts
from planviz.logical.plan import LogicalPlan
from planviz.types import (
    CALENDAR_INTERVAL,
    DATE,
    INT,
    NULL,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    UNKNOWN,
    DataType,
    DayTimeIntervalType,
    YearMonthIntervalType,
    is_ansi_interval,
    is_interval,
    is_string,
)
from planviz.versions import Behaviour

_STAMPS = (TIMESTAMP, TIMESTAMP_NTZ)
_MULTIPLIED, _DIVIDED = (spec_of(f"{name}_interval", "V D", CALENDAR_INTERVAL) for name in ("multiply", "divide"))


#: One for all calls: two calls are the same only where their signatures are.
_DAYS = FunctionSpec("extractansiintervaldays", (), lambda _: INT)


def _days(e: Expression) -> Expression:
    return FunctionCall("extractansiintervaldays", (e,), _DAYS)


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
        if not (_temporal(a) or _temporal(b)) or UNKNOWN in (a, b):
            return e
        if isinstance(e, Add):
            return _plus(e, a, b)
        if isinstance(e, Subtract):
            return _as_then(_minus(e, a, b), self.context.config.behaviour)
        if is_interval(a):
            return _scaled(e, e.left, e.right, "*" if isinstance(e, Multiply) else "/")
        return _scaled(e, e.right, e.left, "*") if isinstance(e, Multiply) and is_interval(b) else e


def _as_then(made: Expression, known: Behaviour) -> Expression:
    """A difference as older versions had it: of one type of interval, or a sum with what is taken away negated."""
    if isinstance(made, DatetimeMinus) and not known.intervals_are_typed:
        return DatetimeMinus(made.left, made.right, CALENDAR_INTERVAL)
    if isinstance(made, Cast) and isinstance(made.child, DatetimePlus):
        return Cast(_as_then(made.child, known), made.type, made.mode)
    if known.intervals_are_subtracted or not isinstance(made, DatetimePlus) or made.sign != "-":
        return made
    if made.left.data_type == DATE:
        return DatetimePlus(made.left, UnaryMinus(made.right), "+", made.type)
    return made


def _temporal(t: DataType) -> bool:
    return t in (DATE, TIME, *_STAMPS) or is_interval(t)


def _scaled(e: BinaryArithmetic, interval: Expression, number: Expression, op: str) -> Expression:
    """Spark: MultiplyInterval, DivideInterval and their like for intervals of the standard."""
    t = interval.data_type
    if t == CALENDAR_INTERVAL:
        spec = _MULTIPLIED if op == "*" else _DIVIDED
        fails = "false" if e.mode == "TRY" else AnsiFlag("true")
        return FunctionCall(spec.name, (interval, number), spec, (fails,))
    year_month = isinstance(t, YearMonthIntervalType)
    whole = YearMonthIntervalType() if year_month else DayTimeIntervalType()
    return IntervalScale(interval, number, op, whole, e.mode, _takes("YM" if year_month else "DT", "N"))


def _takes(*codes: str) -> tuple[Accepts, ...]:
    return tuple(accepts(c) for c in codes)


def _shifted(start: Expression, interval: Expression, sign: str) -> DatetimePlus:
    """A date or a time and an interval (Spark: DateAddInterval, DateAddYMInterval, TimestampAddYMInterval,
    TimestampAddInterval, below DatetimeSub with the sign -)."""
    t, months = start.data_type, isinstance(interval.data_type, YearMonthIntervalType)
    if t == DATE and (months or interval.data_type == CALENDAR_INTERVAL):
        return DatetimePlus(start, interval, sign, DATE, _takes("A", "YM" if months else "V"))
    inputs = _takes("TT", "YM" if months else "V|DT")
    if sign == "-":
        # What stands here is not cast: the sum that replaces it casts it.
        like = inputs[0].alike(lambda x: x in (DATE, NULL) or is_string(x))
        inputs = (like, inputs[1])
    return DatetimePlus(start, interval, sign, t if t in _STAMPS else TIMESTAMP, inputs)


def _plus(e: Add, a: DataType, b: DataType) -> Expression:
    left, right = e.left, e.right
    if b in (DATE, TIME, *_STAMPS) and (is_interval(a) or a == NULL):
        left, right, a, b = right, left, b, a
    if b == NULL and a in (DATE, TIME, *_STAMPS):
        right, b = Cast(right, DayTimeIntervalType()), DayTimeIntervalType()
    if a == TIME and isinstance(b, DayTimeIntervalType):
        raise _time_is_off(e)
    if a == DATE and isinstance(b, DayTimeIntervalType):
        return signed("date_add", (left, _days(right))) if b.end == 0 else _shifted(Cast(left, TIMESTAMP), right, "+")
    if isinstance(b, YearMonthIntervalType) and (a == DATE or a in _STAMPS):
        return _shifted(left, right, "+")
    if a == b == CALENDAR_INTERVAL or (isinstance(a, DayTimeIntervalType) and isinstance(b, DayTimeIntervalType)):
        return e
    if NULL in (a, b) and (is_ansi_interval(a) or is_ansi_interval(b)):
        return _with_null(e, a, b)
    if a == DATE and b == CALENDAR_INTERVAL:
        return _shifted(left, right, "+")
    if b == CALENDAR_INTERVAL or isinstance(b, DayTimeIntervalType):
        return Cast(_shifted(left, right, "+"), a)
    if a == CALENDAR_INTERVAL or isinstance(a, DayTimeIntervalType):
        return Cast(_shifted(right, left, "+"), b)
    if a == DATE and not is_string(b):
        return signed("date_add", (left, right))
    return signed("date_add", (right, left)) if b == DATE and not is_string(a) else e


def _with_null(e: Add | Subtract, a: DataType, b: DataType) -> Expression:
    """NULL as an interval of the other side's kind."""
    return e.replace(left=Cast(e.left, b)) if a == NULL else e.replace(right=Cast(e.right, a))


def _minus(e: Subtract, a: DataType, b: DataType) -> Expression:
    left, right = e.left, e.right
    if TIME in (a, b):
        return _minus_time(e, a, b)
    if a == DATE and isinstance(b, DayTimeIntervalType):
        if b.end == 0:
            return signed("date_add", (left, UnaryMinus(_days(right))))
        return _shifted(left, right, "-")
    if isinstance(b, YearMonthIntervalType) and (a == DATE or a in _STAMPS):
        return _shifted(left, right, "-")
    if a == b == CALENDAR_INTERVAL or (isinstance(a, DayTimeIntervalType) and isinstance(b, DayTimeIntervalType)):
        return e
    if NULL in (a, b) and (is_ansi_interval(a) or is_ansi_interval(b)):
        return _with_null(e, a, b)
    if a == DATE and b == CALENDAR_INTERVAL:
        return _shifted(left, right, "-")
    if b == CALENDAR_INTERVAL or isinstance(b, DayTimeIntervalType):
        return Cast(_shifted(left, right, "-"), a)
    if a in _STAMPS or b in _STAMPS:
        return e if is_string(a) or is_string(b) else _gap(left, right, a, b)
    if b == DATE or (a == DATE and b == NULL):
        if is_string(a) or a == NULL or b == NULL:
            left, right = cast_to(left, DATE), cast_to(right, DATE)
        return DatetimeMinus(left, right, DayTimeIntervalType(0, 0), _takes("A", "A"))
    return signed("date_sub", (left, right)) if a == DATE and not is_string(b) else e


def _minus_time(e: Subtract, a: DataType, b: DataType) -> Expression:
    if a == DATE:
        return signed("date_sub", (e.left, e.right))
    if b == DATE:
        return DatetimeMinus(cast_to(e.left, DATE), e.right, DayTimeIntervalType(0, 0), _takes("A", "A"))
    if b in _STAMPS or a in _STAMPS:
        return DatetimeMinus(e.left, e.right, DayTimeIntervalType(), _takes("TT", "TT"))
    if a == b or NULL in (a, b) or isinstance(b, DayTimeIntervalType):
        raise _time_is_off(e)
    return e


def _time_is_off(e: Expression) -> Exception:
    return analysis_error("UNSUPPORTED_TIME_TYPE", "The data type TIME is not supported.", e)


def _gap(left: Expression, right: Expression, a: DataType, b: DataType) -> Expression:
    """The time between two timestamps: without a zone where one has none, a date or NULL as the other side."""
    kind = TIMESTAMP_NTZ if TIMESTAMP_NTZ in (a, b) else TIMESTAMP
    made = [cast_to(x, kind) if x.data_type in (DATE, NULL, *_STAMPS) else x for x in (left, right)]
    return DatetimeMinus(made[0], made[1], DayTimeIntervalType(), _takes("TT", "TT"))
