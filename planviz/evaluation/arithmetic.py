"""Sums, products, remainders, bits: Java's bounded integers, decimals rounded half up, IEEE doubles."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, InvalidOperation

from planviz.errors import shown
from planviz.evaluation.core import WIDE, Row, deferred, evaluate, expression, function, single, strict
from planviz.evaluation.errors import FailsError, UnknownValueError
from planviz.expressions.arithmetic import (
    Abs,
    Add,
    BinaryArithmetic,
    BitwiseAnd,
    BitwiseNot,
    BitwiseOr,
    BitwiseXor,
    Divide,
    IntegralDivide,
    Multiply,
    Pmod,
    Remainder,
    Shift,
    Subtract,
    UnaryMinus,
    UnaryPositive,
)
from planviz.expressions.calls import IntervalScale
from planviz.expressions.core import Expression
from planviz.expressions.decimals import CheckOverflow, PromotePrecision
from planviz.expressions.internal import (
    KnownFloatingPointNormalized,
    MakeDecimal,
    NormalizeNaNAndZero,
    UnscaledValue,
)
from planviz.types import (
    BYTE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    YearMonthIntervalType,
    is_integral,
)
from planviz.types.values import Value

_BITS: dict[DataType, int] = {BYTE: 8, SHORT: 16, INT: 32, LONG: 64}


def bits_of(t: DataType) -> int:
    """The number of bits of an integral type, or of what counts months or microseconds."""
    return 32 if isinstance(t, YearMonthIntervalType) else _BITS.get(t, 64)


def bounded_integer(value: int, t: DataType, error_class: str = "") -> int:
    """The integer, when it fits its type. Raises FailsError, of this class where the operation has one of its own."""
    bits = bits_of(t)
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        interval = isinstance(t, YearMonthIntervalType | DayTimeIntervalType)
        usual = "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION" if interval else "ARITHMETIC_OVERFLOW"
        raise FailsError(f"{shown(value)} does not fit the type {t.simple_string}", error_class or usual)
    return value


def wrapped(value: int, bits: int) -> int:
    """The integer cut to its last bits, as Java's arithmetic does."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def to_decimal(value: Decimal, t: DataType) -> Decimal:
    """The value with the type's scale, rounded half up. Raises FailsError when it has too many digits."""
    if not isinstance(t, DecimalType):
        raise UnknownValueError(t.simple_string)
    result: Decimal | None
    try:
        result = value.quantize(Decimal(1).scaleb(-t.scale), context=WIDE)
    except InvalidOperation:
        result = None
    if result is None or (result and result.adjusted() >= t.precision - t.scale):
        raise FailsError(
            f"{shown(value)} does not fit the type {t.simple_string}", "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"
        )
    return result or abs(result)


def truncated(a: int, b: int) -> int:
    """The quotient without its fraction, as Java divides."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _integer_remainder(a: int, b: int) -> int:
    return a - truncated(a, b) * b


def _positive_remainder(a: object, b: object, remainder: Callable[[Value, Value], Value]) -> Value:
    r = remainder(a, b)
    return remainder(r + b, b) if r < 0 else r


def _double_divided(a: float, b: float) -> float:
    if b:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)


_INTEGERS: dict[type, Callable[[int, int], int]] = {
    Add: lambda a, b: a + b,
    Subtract: lambda a, b: a - b,
    Multiply: lambda a, b: a * b,
    IntegralDivide: truncated,
    Remainder: _integer_remainder,
    Pmod: lambda a, b: _positive_remainder(a, b, _integer_remainder),
}
_DOUBLES: dict[type, Callable[[float, float], float]] = {
    Add: lambda a, b: a + b,
    Subtract: lambda a, b: a - b,
    Multiply: lambda a, b: a * b,
    Divide: _double_divided,
    Remainder: math.fmod,
    Pmod: lambda a, b: _positive_remainder(a, b, math.fmod),
}
_DECIMALS: dict[type, Callable[[Decimal, Decimal], Decimal]] = {
    Add: WIDE.add,
    Subtract: WIDE.subtract,
    Multiply: WIDE.multiply,
    Divide: WIDE.divide,
    IntegralDivide: WIDE.divide_int,
    Remainder: WIDE.remainder,
    Pmod: lambda a, b: _positive_remainder(a, b, WIDE.remainder),
}
_DIVISIONS = (Divide, IntegralDivide, Remainder, Pmod)


@expression(Add, Subtract, Multiply, *_DIVISIONS)
def _arithmetic(e: BinaryArithmetic, row: Row) -> object:
    a, b = evaluate(e.left, row), evaluate(e.right, row)
    if a is None or b is None:
        return None
    try:
        return _computed(e, a, b)
    except FailsError:
        if e.mode == "TRY" or (e.mode == "LEGACY" and isinstance(e.left.data_type, DecimalType)):
            return None
        raise


def _computed(e: BinaryArithmetic, a: Value, b: Value) -> object:
    if isinstance(e, _DIVISIONS) and not b:
        if e.mode in ("TRY", "LEGACY"):
            return None
        raise FailsError(
            "a division by zero", "REMAINDER_BY_ZERO" if isinstance(e, Remainder | Pmod) else "DIVIDE_BY_ZERO"
        )
    t: DataType = e.data_type
    kind = e.left.data_type
    if isinstance(kind, DecimalType):
        exact = _DECIMALS[type(e)](a, b)
        return bounded_integer(int(exact), LONG) if t == LONG else to_decimal(exact, t)
    if t in (DOUBLE, FLOAT):
        result = _DOUBLES[type(e)](float(a), float(b))
        return single(result) if t == FLOAT else result
    if is_integral(t) or isinstance(kind, YearMonthIntervalType | DayTimeIntervalType):
        value = _INTEGERS[type(e)](a, b)
        if e.mode == "LEGACY" and is_integral(t):
            return wrapped(value, bits_of(t))
        return bounded_integer(value, t, _overflow(t))
    if isinstance(a, tuple) and type(e) in (Add, Subtract):
        return tuple(_INTEGERS[type(e)](x, y) for x, y in zip(a, b, strict=True))
    raise UnknownValueError(str(e))


def _overflow(t: DataType) -> str:
    """Spark's class for a sum, a difference or a product that its type cannot hold."""
    if t in (BYTE, SHORT):
        return "BINARY_ARITHMETIC_OVERFLOW"
    return "ARITHMETIC_OVERFLOW" if is_integral(t) else "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION"


#: A decimal's sign is changed with Scala's BigDecimal, which keeps 34 digits.
_SCALA = Context(prec=34, rounding=ROUND_HALF_EVEN)


@strict(UnaryMinus)
def _minus(e: UnaryMinus, value: int) -> int:
    if isinstance(value, Decimal):
        return to_decimal(_SCALA.minus(value), e.data_type)
    if isinstance(value, tuple):
        return tuple(-v for v in value)
    if not isinstance(value, int):
        return -value
    wraps = e.mode == "LEGACY" and is_integral(e.data_type)
    return wrapped(-value, bits_of(e.data_type)) if wraps else bounded_integer(-value, e.data_type)


@strict(Abs)
def _abs(e: Abs, value: Value) -> Value:
    if isinstance(value, Decimal):
        return to_decimal(_SCALA.minus(value), e.data_type) if value < 0 else value
    if not isinstance(value, int):
        return abs(value)
    wraps = e.mode == "LEGACY" and is_integral(e.data_type)
    return wrapped(abs(value), bits_of(e.data_type)) if wraps else bounded_integer(abs(value), e.data_type)


strict(UnaryPositive)(lambda e, v: v)
strict(BitwiseAnd)(lambda e, a, b: a & b)
strict(BitwiseOr)(lambda e, a, b: a | b)
strict(BitwiseXor)(lambda e, a, b: a ^ b)
strict(BitwiseNot)(lambda e, a: ~a)


@strict(Shift)
def _shift(e: Shift, a: int, n: int) -> int:
    bits = bits_of(e.data_type)
    n %= bits
    if e.name in ("<<", "shiftleft"):
        return wrapped(a << n, bits)
    if e.name in (">>>", "shiftrightunsigned"):
        return wrapped((a & (1 << bits) - 1) >> n, bits)
    return a >> n


@strict(UnscaledValue)
def _unscaled(e: UnscaledValue, value: Decimal) -> int:
    kind = e.child.data_type
    if not isinstance(kind, DecimalType):
        raise UnknownValueError(str(e))
    return int(value.scaleb(kind.scale))


@strict(MakeDecimal)
def _made(e: MakeDecimal, value: int) -> Decimal:
    return to_decimal(Decimal(value).scaleb(-e.scale), e.data_type)


@strict(NormalizeNaNAndZero, KnownFloatingPointNormalized)
def _normalized(e: Expression, value: object) -> object:
    """The same number, never a negative zero; values of other types as they are."""
    return value + 0.0 if isinstance(value, float) else value


@strict(IntervalScale)
def _scaled(e: IntervalScale, a: Value, n: Value) -> object:
    """An interval times or over a number, rounded half up to whole months or microseconds."""
    if isinstance(a, tuple):
        raise UnknownValueError(str(e))
    number = Decimal(repr(n)) if isinstance(n, float) else Decimal(n)
    if e.sign == "/" and not number:
        if e.mode == "TRY":
            return None
        raise FailsError("a division of an interval by zero", "INTERVAL_DIVIDED_BY_ZERO")
    if number.is_finite():
        value = WIDE.divide(Decimal(a), number) if e.sign == "/" else WIDE.multiply(Decimal(a), number)
        scaled = int(value.to_integral_value(ROUND_HALF_UP))
        if wrapped(scaled, bits_of(e.data_type)) == scaled:
            return scaled
    elif number.is_infinite() and e.sign == "/":
        return 0
    if e.mode == "TRY":
        return None
    whole_divisor = e.sign == "/" and is_integral(e.right.data_type)
    # Elsewhere Java's own arithmetic fails.
    overflow = "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION" if whole_divisor else "java.lang.ArithmeticException"
    raise FailsError(f"{shown(e.pretty)} does not fit the type {e.data_type.simple_string}", overflow)


@deferred("tryeval")
def _try_eval(arguments: tuple[Expression, ...], row: Row) -> Value:
    try:
        return evaluate(arguments[0], row)
    except FailsError:
        return None


@function("multiply_interval")
def _interval_times(a: tuple[int, int, int], n: float) -> tuple[int, int, int]:
    """Months without their fraction, days with theirs as microseconds."""
    return _interval_of(*(part * n for part in a))


@function("divide_interval")
def _interval_over(a: tuple[int, int, int], n: float) -> tuple[int, int, int]:
    if not n:
        raise FailsError("a division of an interval by zero", "INTERVAL_DIVIDED_BY_ZERO")
    return _interval_of(*(part / n for part in a))


def _interval_of(months: float, days: float, micros: float) -> tuple[int, int, int]:
    if not all(map(math.isfinite, (months, days, micros))):
        raise UnknownValueError("an interval that is not finite")
    rest = micros + (days - int(days)) * 86_400_000_000
    made = (int(months), int(days), math.floor(rest + 0.5))
    if any(wrapped(part, bits) != part for part, bits in zip(made, (32, 32, 64), strict=True)):
        raise FailsError("overflow", "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION")
    return made


def whole(value: Value) -> int:
    """A number without its fraction."""
    return int(value.to_integral_value(ROUND_DOWN)) if isinstance(value, Decimal) else int(value)


@expression(PromotePrecision)
def _promoted(e: PromotePrecision, row: Row) -> object:
    return evaluate(e.child, row)


@expression(CheckOverflow)
def _checked(e: CheckOverflow, row: Row) -> object:
    value = evaluate(e.child, row)
    try:
        return None if value is None else to_decimal(value, e.type)
    except FailsError:
        return None
