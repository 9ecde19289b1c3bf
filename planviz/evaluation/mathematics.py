"""Numeric functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from planviz.evaluation.arithmetic import bits_of, bounded_integer, to_decimal, truncated, wrapped
from planviz.evaluation.core import WIDE, function, type_of
from planviz.evaluation.errors import FailsError
from planviz.expressions.calls import FunctionCall
from planviz.expressions.core import Expression
from planviz.types import LONG, DecimalType, is_integral
from planviz.types.values import Value

_NAN = math.nan


def _real(*names: str) -> Callable[[Callable[..., float]], None]:
    """Register a function of doubles: NaN outside of its domain, infinity beyond its range, as in Java."""

    def register(f: Callable[..., float]) -> None:
        def compute(*values: Value) -> float:
            try:
                return f(*map(float, values))
            except OverflowError:
                return math.inf
            except ValueError:
                return _NAN

        function(*names)(compute)

    return register


_real("sqrt")(math.sqrt)
_real("cbrt")(lambda x: math.copysign(round(abs(x) ** (1 / 3), 15), x) if abs(x) < 1e15 else math.cbrt(x))
_real("exp")(math.exp)
_real("expm1")(math.expm1)
_real("sin")(math.sin)
_real("cos")(math.cos)
_real("tan")(math.tan)
_real("cot")(lambda x: 1 / math.tan(x) if x else math.copysign(math.inf, x))
_real("sec")(lambda x: 1 / math.cos(x))
_real("csc")(lambda x: 1 / math.sin(x) if x else math.copysign(math.inf, x))
_real("asin")(math.asin)
_real("acos")(math.acos)
_real("atan")(math.atan)
_real("sinh")(math.sinh)
_real("cosh")(math.cosh)
_real("tanh")(math.tanh)
_real("asinh")(math.asinh)
_real("acosh")(math.acosh)
_real("atanh")(lambda x: math.copysign(math.inf, x) if abs(x) == 1 else math.atanh(x))
_real("atan2")(lambda y, x: math.atan2(y + 0.0, x + 0.0))
_real("degrees")(math.degrees)
_real("radians")(math.radians)
_real("hypot")(math.hypot)


def _power(a: float, b: float) -> float:
    if a == 0 and b < 0:
        # The JVM divides by zero.
        return math.copysign(math.inf, a) if b % 2 == 1 else math.inf
    return math.pow(a, b)


_real("pow", "power")(lambda a, b: _power(a, b))
_real("rint")(lambda x: float(round(x)))
_real("signum", "sign")(lambda x: x if math.isnan(x) or not x else math.copysign(1.0, x))
function("e")(lambda: math.e)
function("pi")(lambda: math.pi)


def _logarithm(log: Callable[[float], float], least: float = 0.0) -> Callable[[Value], float | None]:
    return lambda x: log(float(x)) if float(x) > least else None


function("ln")(_logarithm(math.log))
function("log2")(_logarithm(math.log2))
function("log10")(_logarithm(math.log10))
function("log1p")(_logarithm(math.log1p, -1.0))


@function("log")
def _log(base: float, x: float) -> float | None:
    if base <= 0 or x <= 0:
        return None
    return math.log10(x) / math.log10(base) if base == 10 else math.log(x) / math.log(base)


@function("factorial")
def _factorial(n: int) -> int | None:
    return math.factorial(n) if 0 <= n <= 20 else None


def _rounded(rounding: str) -> Callable[..., object]:
    def compute(e: FunctionCall, value: Value, scale: int = 0) -> object:
        t = type_of(e, 0)
        if isinstance(value, float):
            if not math.isfinite(value):
                return value
            return float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-scale), rounding=rounding, context=WIDE))
        exact = Decimal(value).quantize(Decimal(1).scaleb(-scale), rounding=rounding, context=WIDE)
        if is_integral(t):
            if scale >= 0:
                return value
            wraps = isinstance(e, FunctionCall) and e.spec.overflow == "wraps"
            return wrapped(int(exact), bits_of(t)) if wraps else bounded_integer(int(exact), t)
        return to_decimal(exact, e.data_type)

    return compute


function("round", typed=True)(_rounded(ROUND_HALF_UP))
function("bround", typed=True)(_rounded(ROUND_HALF_EVEN))


def _toward(rounding: str) -> Callable[..., object]:
    def compute(e: Expression, value: Value, scale: int = 0) -> Value:
        t = e.data_type
        if isinstance(value, float):
            exact = Decimal(repr(value)).to_integral_value(rounding)
            return max(min(int(exact), (1 << 63) - 1), -(1 << 63))
        exact = Decimal(value).quantize(Decimal(1).scaleb(-scale), rounding=rounding, context=WIDE)
        return to_decimal(exact, t) if isinstance(t, DecimalType) else bounded_integer(int(exact), LONG)

    return compute


function("floor", typed=True)(_toward(ROUND_FLOOR))
function("ceil", "ceiling", typed=True)(_toward(ROUND_CEILING))


@function("bin")
def _bin(n: int) -> str:
    return format(n & (1 << 64) - 1, "b")


@function("bit_count", typed=True)
def _bit_count(e: Expression, n: Value) -> int:
    return int(n).bit_count() if n >= 0 else (int(n) & (1 << 64) - 1).bit_count()


function("bitmap_bit_position")(lambda n: (n - 1) % 32768 if n > 0 else -n % 32768)
function("bitmap_bucket_number")(lambda n: 1 + (n - 1) // 32768 if n > 0 else truncated(n, 32768))
function("bitmap_count")(lambda bits: sum(b.bit_count() for b in bits))


@function("bit_get", "getbit", typed=True)
def _bit_get(e: FunctionCall, n: int, position: int) -> int:
    if not 0 <= position < bits_of(type_of(e, 0)):
        raise FailsError(f"there is no bit {position}", "INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE")
    return n >> position & 1


_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@function("conv", typed=True)
def _conv(e: Expression, text: str, source: int, target: int) -> str | None:
    """Digits of one base in another; a negative target base gives a signed number, reading stops at a foreign digit.

    More than 64 bits fail, or without ANSI are 64 ones.
    """
    if not 2 <= source <= 36 or not 2 <= abs(target) <= 36 or not text.strip():
        return None
    text = text.strip()
    negative = text.startswith("-")
    value = 0
    for c in text[1:].upper() if negative else text.upper():
        digit = _DIGITS.find(c)
        if digit < 0 or digit >= source:
            break
        value = value * source + digit
    if value >= 1 << 64:
        if not isinstance(e, FunctionCall) or "false" not in e.tail:
            raise FailsError(f"{text} has more than 64 bits", "ARITHMETIC_OVERFLOW")
        value, negative = (1 << 64) - 1, False
    value = -value if negative else value
    if target > 0:
        value &= (1 << 64) - 1
    else:
        value = wrapped(value, 64)
    sign, value, out = "-" if value < 0 else "", abs(value), ""
    while value:
        value, digit = divmod(value, abs(target))
        out = _DIGITS[digit] + out
    return sign + (out or "0")


@function("width_bucket", typed=True)
def _width_bucket(e: Expression, value: Value, low: Value, high: Value, buckets: int) -> int | None:
    value, low, high = float(value), float(low), float(high)
    if buckets <= 0 or low == high or not all(map(math.isfinite, (low, high))) or math.isnan(value):
        return None
    below, above = (value < low, value >= high) if low < high else (value > low, value <= high)
    if below or above:
        return 0 if below else buckets + 1
    return int(buckets * (value - low) / (high - low)) + 1


def _vectors(f: Callable[..., float | None]) -> Callable[..., float | None]:
    return lambda *arrays: None if any(x is None for a in arrays if isinstance(a, tuple) for x in a) else f(*arrays)


def _pairs(f: Callable[..., float | None]) -> Callable[..., float | None]:
    """A function of two vectors, which must have as many numbers as each other."""

    def checked(a: tuple[float, ...], b: tuple[float, ...]) -> float | None:
        if len(a) != len(b):
            raise FailsError(f"vectors of {len(a)} and {len(b)} numbers", "VECTOR_DIMENSION_MISMATCH")
        return f(a, b)

    return _vectors(checked)


def _norm(a: tuple[float, ...], degree: float = 2.0) -> float:
    if degree not in (1.0, 2.0, math.inf):
        raise FailsError(f"a degree of {degree}, which is not 1, 2 or infinity", "INVALID_VECTOR_NORM_DEGREE")
    if math.isinf(degree):
        return max(map(abs, a), default=0.0)
    return float(sum(abs(x) ** degree for x in a) ** (1 / degree))


function("vector_inner_product")(_pairs(lambda a, b: float(sum(x * y for x, y in zip(a, b, strict=True)))))
function("vector_l2_distance")(_pairs(lambda a, b: math.dist(a, b)))
function("vector_norm")(_vectors(_norm))
function("vector_cosine_similarity")(
    _pairs(lambda a, b: sum(x * y for x, y in zip(a, b, strict=True)) / (_norm(a) * _norm(b)))
)
