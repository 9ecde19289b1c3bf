"""The value of an expression of constants.

`value_of` gives a Literal, or None where the value cannot be known here: the expression is then left as it is. Java's
arithmetic is followed: integers are bounded, decimals rounded half up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any

from planviz.expressions.arithmetic import (
    Abs,
    Add,
    BinaryArithmetic,
    BitwiseAnd,
    BitwiseOr,
    BitwiseXor,
    Divide,
    IntegralDivide,
    Multiply,
    Pmod,
    Remainder,
    Subtract,
    UnaryMinus,
    UnaryPositive,
)
from planviz.expressions.calls import Concat, DatetimeMinus, DatetimePlus, FunctionCall, StringForm
from planviz.expressions.complex import (
    CreateArray,
    CreateNamedStruct,
    GetArrayItem,
    GetArrayStructFields,
    GetMapValue,
    GetStructField,
)
from planviz.expressions.conditional import CaseWhen, Coalesce, If
from planviz.expressions.core import Alias, Cast, Literal
from planviz.expressions.literals import literal_text
from planviz.expressions.predicates import (
    And,
    BinaryComparison,
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InSet,
    IsNaN,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Like,
    Not,
    Or,
    StringPredicate,
)
from planviz.types import (
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    YearMonthIntervalType,
    is_integral,
)


class UnknownValueError(Exception):
    """The value cannot be computed here: a function that is not modelled."""


class FailsError(UnknownValueError):
    """The query itself would fail on this value: an overflow, a bad cast, a division by zero."""


_BITS: dict[DataType, int] = {BYTE: 8, SHORT: 16, INT: 32, LONG: 64}
_WIDE = Context(prec=80, rounding=ROUND_HALF_UP)


def value_of(e: Any) -> Literal | None:
    """The expression's value as a literal of its type, or None."""
    if isinstance(e, Literal):
        return e
    try:
        return Literal(_value(e, {}), e.data_type)
    except (UnknownValueError, ArithmeticError, ValueError, OverflowError, TypeError):
        return None


def fails(e: Any) -> bool:
    """Whether computing the expression of constants fails, as it would in the query."""
    try:
        _value(e, {})
    except FailsError:
        return True
    except UnknownValueError:
        return False
    except (ArithmeticError, ValueError, OverflowError, TypeError):
        return True
    return False


def row_value(e: Any, row: dict[int, Any]) -> Any:
    """The value for one row, given as values by attribute id. Raises UnknownValueError."""
    try:
        return _value(e, row)
    except (ArithmeticError, ValueError, OverflowError, TypeError) as error:
        raise UnknownValueError(str(error)) from None


def _value(e: Any, row: dict[int, Any]) -> Any:
    if isinstance(e, Literal):
        return e.value
    expr_id = getattr(e, "expr_id", None)
    if expr_id is not None and not isinstance(e, Alias):
        if expr_id in row:
            return row[expr_id]
        raise UnknownValueError(str(e))
    f = _BY_CLASS.get(type(e))
    if f is not None:
        return f(e, row)
    if isinstance(e, BinaryArithmetic):
        return _arithmetic(e, row)
    if isinstance(e, BinaryComparison):
        a, b = _value(e.left, row), _value(e.right, row)
        return None if a is None or b is None else _COMPARE[type(e)](a, b)
    if e.null_intolerant and any(_value(c, row) is None for c in e.children):
        return None
    raise UnknownValueError(str(e))


def _arithmetic(e: Any, row: dict[int, Any]) -> Any:
    a, b = _value(e.left, row), _value(e.right, row)
    if a is None or b is None:
        return None
    t: DataType = e.data_type
    if isinstance(e.left.data_type, DecimalType):
        return _decimal_arithmetic(e, a, b, t)
    if t in (DOUBLE, FLOAT):
        return _double(e, float(a), float(b))
    if is_integral(t) or isinstance(t, YearMonthIntervalType | DayTimeIntervalType):
        return _integral(e, a, b, t)
    raise UnknownValueError(str(e))


def _integral(e: Any, a: int, b: int, t: DataType) -> int:
    match e:
        case Add():
            result = a + b
        case Subtract():
            result = a - b
        case Multiply():
            result = a * b
        case IntegralDivide() if b:
            result = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        case Remainder() if b:
            result = int(math.fmod(a, b)) if abs(a) < 2**53 else abs(a) % abs(b) * (1 if a >= 0 else -1)
        case Pmod() if b:
            result = a % abs(b)
        case _:
            raise FailsError(str(e))
    return bounded_integer(result, t)


def bounded_integer(value: int, t: DataType) -> int:
    """The integer, when it fits its type. Raises UnknownValueError."""
    bits = _BITS.get(t, 64)
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise FailsError("overflow")
    return value


def _double(e: Any, a: float, b: float) -> float:
    match e:
        case Add():
            return a + b
        case Subtract():
            return a - b
        case Multiply():
            return a * b
        case Divide() if b:
            return a / b
        case Remainder() if b:
            return math.fmod(a, b)
    raise UnknownValueError(str(e))


def _decimal_arithmetic(e: Any, a: Decimal, b: Decimal, t: DataType) -> Any:
    match e:
        case Add():
            result = _WIDE.add(a, b)
        case Subtract():
            result = _WIDE.subtract(a, b)
        case Multiply():
            result = _WIDE.multiply(a, b)
        case Divide() if b:
            result = _WIDE.divide(a, b)
        case Remainder() if b:
            result = _WIDE.remainder(a, b)
        case IntegralDivide() if b:
            return int(_WIDE.divide_int(a, b))
        case _:
            raise UnknownValueError(str(e))
    return to_decimal(result, t)


def to_decimal(value: Decimal, t: DataType) -> Decimal:
    """The value with the type's scale, rounded half up. Raises UnknownValueError when it has too many digits."""
    assert isinstance(t, DecimalType)
    try:
        result = value.quantize(Decimal(1).scaleb(-t.scale), context=_WIDE)
    except InvalidOperation:
        raise FailsError("overflow") from None
    if len(result.as_tuple().digits) > max(t.precision, 1) and result.adjusted() >= t.precision - t.scale:
        raise FailsError("overflow")
    return result


# ---------------------------------------------------------------------------------------------------- casts


def _cast(e: Any, row: dict[int, Any]) -> Any:
    value = _value(e.child, row)
    if value is None:
        return None
    try:
        return convert(value, e.child.data_type, e.type)
    except (UnknownValueError, ValueError, ArithmeticError):
        if e.mode == "TRY":
            return None
        raise


def convert(value: Any, a: DataType, b: DataType) -> Any:
    """A value of type `a` as type `b`. Raises UnknownValueError where that is not modelled or fails."""
    if a == b:
        return value
    if b == STRING:
        return literal_text(value, a)
    if isinstance(value, str) and a == STRING:
        return _from_string(value.strip(), b)
    if is_integral(b):
        return bounded_integer(_whole(value, a), b)
    if b in (DOUBLE, FLOAT) and not isinstance(value, date | datetime):
        return float(value)
    if isinstance(b, DecimalType) and not isinstance(value, date | datetime):
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(int(value)) if a == BOOLEAN else value
        return to_decimal(Decimal(number), b)
    if b == BOOLEAN and isinstance(value, int | float | Decimal):
        return value != 0
    if a == DATE and b in (TIMESTAMP, TIMESTAMP_NTZ):
        return datetime(value.year, value.month, value.day)
    if b == DATE and isinstance(value, datetime):
        return value.date()
    if type(a) is type(b) and isinstance(a, DayTimeIntervalType | YearMonthIntervalType):
        return value
    if a in (TIMESTAMP, TIMESTAMP_NTZ) and b in (TIMESTAMP, TIMESTAMP_NTZ):
        return value
    raise UnknownValueError(f"{a} to {b}")


def _whole(value: Any, a: DataType) -> int:
    if isinstance(value, bool | int):
        return int(value)
    if isinstance(value, Decimal):
        return int(value.to_integral_value(ROUND_DOWN))
    if isinstance(value, float) and math.isfinite(value):
        return int(value)
    raise UnknownValueError(str(a))


def _from_string(text: str, t: DataType) -> Any:
    if is_integral(t):
        return bounded_integer(int(text), t)
    if t in (DOUBLE, FLOAT):
        return float(text)
    if isinstance(t, DecimalType):
        return to_decimal(Decimal(text), t)
    if t == DATE:
        return date_of(text)
    if t in (TIMESTAMP, TIMESTAMP_NTZ):
        return datetime.fromisoformat(text)
    if t == BOOLEAN:
        lowered = text.lower()
        if lowered in ("t", "true", "y", "yes", "1"):
            return True
        if lowered in ("f", "false", "n", "no", "0"):
            return False
    raise UnknownValueError(text)


def date_of(text: str) -> date:
    """A date as Spark reads it: year, month and day may lack leading zeros, a time may follow. Raises ValueError."""
    head = text.split("T")[0].split(" ")[0]
    parts = [int(p) for p in head.split("-")]
    year, month, day = [*parts, 1, 1][:3]
    if len(parts) > 3 or len(head.split("-")[0]) < 4:
        raise ValueError(text)
    return date(year, month, day)


# ---------------------------------------------------------------------------------------------------- the rest


def add_months(day: date, months: int) -> date:
    """The same day of another month, or that month's last."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    last = (date(year + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(days=1)).day
    return day.replace(year=year, month=month + 1, day=min(day.day, last))


def _datetime_plus(e: Any, row: dict[int, Any]) -> Any:
    a, b = _value(e.left, row), _value(e.right, row)
    if a is None or b is None:
        return None
    sign = -1 if e.sign == "-" else 1
    t = e.right.data_type
    if isinstance(t, YearMonthIntervalType):
        return add_months(a, sign * b)
    if isinstance(t, DayTimeIntervalType):
        if e.type == DATE:
            return a + timedelta(days=sign * b // 86_400_000_000)
        return a + timedelta(microseconds=sign * b)
    if isinstance(b, tuple):
        months, days, micros = b
        moved = add_months(a, sign * months) + timedelta(days=sign * days)
        return moved + timedelta(microseconds=sign * micros) if micros else moved
    if isinstance(b, int):
        return a + timedelta(days=sign * b)
    raise UnknownValueError(str(e))


def _datetime_minus(e: Any, row: dict[int, Any]) -> Any:
    a, b = _value(e.left, row), _value(e.right, row)
    if a is None or b is None:
        return None
    gap = a - b
    if e.type == INT:
        return gap.days
    return gap.days * 86_400_000_000 + gap.seconds * 1_000_000 + gap.microseconds


def _and(e: Any, row: dict[int, Any]) -> Any:
    a = _value(e.left, row)
    if a is False:
        return False
    b = _value(e.right, row)
    return False if b is False else None if a is None or b is None else True


def _or(e: Any, row: dict[int, Any]) -> Any:
    a = _value(e.left, row)
    if a is True:
        return True
    b = _value(e.right, row)
    return True if b is True else None if a is None or b is None else False


def _case(e: Any, row: dict[int, Any]) -> Any:
    for c, v in zip(e.conditions, e.values, strict=True):
        if _value(c, row) is True:
            return _value(v, row)
    return None if e.otherwise is None else _value(e.otherwise, row)


def _in(e: Any, row: dict[int, Any]) -> Any:
    value = _value(e.children[0], row)
    if value is None:
        return None
    items = [_value(i, row) for i in (e.items if isinstance(e, In) else e.values)]
    if value in [i for i in items if i is not None]:
        return True
    return None if None in items else False


def _coalesce(e: Any, row: dict[int, Any]) -> Any:
    for a in e.arguments:
        value = _value(a, row)
        if value is not None:
            return value
    return None


def _strict(f: Callable[..., Any]) -> Callable[[Any, dict[int, Any]], Any]:
    """A function of the children's values that is null when one of them is."""

    def compute(e: Any, row: dict[int, Any]) -> Any:
        values = [_value(c, row) for c in e.children]
        return None if any(v is None for v in values) else f(e, *values)

    return compute


def _not(_: Any, value: Any) -> Any:
    return not value


def _minus(e: Any, value: Any) -> Any:
    return bounded_integer(-value, e.data_type) if is_integral(e.data_type) else -value


def _string_predicate(e: Any, a: str, b: str) -> bool:
    return {"StartsWith": a.startswith(b), "EndsWith": a.endswith(b), "Contains": b in a}[e.kind]


def _like(e: Any, text: str, pattern: str) -> bool:
    import re

    out, i = "", 0
    while i < len(pattern):
        c = pattern[i]
        if c == e.escape and i + 1 < len(pattern):
            i += 1
            out += re.escape(pattern[i])
        else:
            out += {"%": ".*", "_": "."}.get(c, re.escape(c))
        i += 1
    return re.fullmatch(out, text, re.DOTALL) is not None


def substring(text: str, start: int, length: int = 1 << 30) -> str:
    """Spark's substring: positions from 1, negative ones from the end, 0 as 1."""
    begin = start - 1 if start > 0 else 0 if start == 0 else len(text) + start
    end = begin + length
    return text[max(begin, 0) : max(end, 0)]


def _string_form(e: Any, *values: Any) -> Any:
    text = values[0]
    if not isinstance(text, str):
        raise UnknownValueError(str(e))
    chars = values[1] if len(values) > 1 else " "
    match e.name:
        case "substring" | "substr":
            return substring(*values)
        case "trim":
            return text.strip(chars)
        case "ltrim":
            return text.lstrip(chars)
        case "rtrim":
            return text.rstrip(chars)
    raise UnknownValueError(str(e))


def _item(e: Any, array: Any, index: int) -> Any:
    if 0 <= index < len(array):
        return array[index]
    raise FailsError("beyond the end")


def _entry(e: Any, entries: Any, key: Any) -> Any:
    return next((v for k, v in entries if k == key), None)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "upper": lambda s: s.upper(),
    "ucase": lambda s: s.upper(),
    "lower": lambda s: s.lower(),
    "lcase": lambda s: s.lower(),
    "length": lambda s: len(s),
    "char_length": lambda s: len(s),
    "reverse": lambda s: s[::-1],
    "repeat": lambda s, n: s * max(n, 0),
    "year": lambda d: d.year,
    "month": lambda d: d.month,
    "day": lambda d: d.day,
    "dayofmonth": lambda d: d.day,
    "dayofyear": lambda d: d.timetuple().tm_yday,
    "quarter": lambda d: (d.month + 2) // 3,
    "dayofweek": lambda d: d.isoweekday() % 7 + 1,
    "weekday": lambda d: d.weekday(),
    "weekofyear": lambda d: d.isocalendar()[1],
    "hour": lambda d: d.hour,
    "minute": lambda d: d.minute,
    "second": lambda d: d.second,
    "date_add": lambda d, n: d + timedelta(days=n),
    "dateadd": lambda d, n: d + timedelta(days=n),
    "date_sub": lambda d, n: d - timedelta(days=n),
    "datediff": lambda a, b: (a - b).days,
    "date_diff": lambda a, b: (a - b).days,
    "add_months": add_months,
    "last_day": lambda d: add_months(d.replace(day=1), 1) - timedelta(days=1),
    "sqrt": lambda x: math.sqrt(x),
    "floor": lambda x: math.floor(x),
    "ceil": lambda x: math.ceil(x),
    "instr": lambda s, t: s.find(t) + 1,
    "startswith": lambda s, t: s.startswith(t),
    "endswith": lambda s, t: s.endswith(t),
    "contains": lambda s, t: t in s,
    "extractansiintervaldays": lambda micros: micros // 86_400_000_000,
    "concat_ws": lambda sep, *parts: sep.join(parts),
}


def _call(e: Any, row: dict[int, Any]) -> Any:
    values = [_value(a, row) for a in e.arguments]
    f = _FUNCTIONS.get(e.name)
    if any(v is None for v in values) and (f is not None or e.null_intolerant):
        return None
    if f is None:
        raise UnknownValueError(e.name)
    try:
        result = f(*values)
    except AttributeError:
        raise UnknownValueError(e.name) from None
    if isinstance(e.data_type, DecimalType):
        return to_decimal(Decimal(result), e.data_type)
    return result


_COMPARE: dict[type, Callable[[Any, Any], bool]] = {
    EqualTo: lambda a, b: a == b,
    LessThan: lambda a, b: a < b,
    LessThanOrEqual: lambda a, b: a <= b,
    GreaterThan: lambda a, b: a > b,
    GreaterThanOrEqual: lambda a, b: a >= b,
}


def _null_safe(e: Any, row: dict[int, Any]) -> Any:
    a, b = _value(e.left, row), _value(e.right, row)
    return (a is None) == (b is None) and a == b


_BY_CLASS: dict[type, Callable[[Any, dict[int, Any]], Any]] = {
    Alias: lambda e, row: _value(e.child, row),
    Cast: _cast,
    And: _and,
    Or: _or,
    Not: _strict(_not),
    EqualNullSafe: _null_safe,
    IsNull: lambda e, row: _value(e.child, row) is None,
    IsNotNull: lambda e, row: _value(e.child, row) is not None,
    IsNaN: lambda e, row: isinstance(v := _value(e.child, row), float) and math.isnan(v),
    If: lambda e, row: _value(e.then if _value(e.predicate, row) is True else e.otherwise, row),
    CaseWhen: _case,
    Coalesce: _coalesce,
    In: _in,
    InSet: _in,
    UnaryMinus: _strict(_minus),
    UnaryPositive: _strict(lambda e, v: v),
    Abs: _strict(lambda e, v: abs(v)),
    BitwiseAnd: _strict(lambda e, a, b: a & b),
    BitwiseOr: _strict(lambda e, a, b: a | b),
    BitwiseXor: _strict(lambda e, a, b: a ^ b),
    Like: _strict(_like),
    StringPredicate: _strict(_string_predicate),
    Concat: _strict(lambda e, *v: "".join(v) if e.data_type == STRING else sum(v, ())),
    StringForm: _strict(_string_form),
    DatetimePlus: _datetime_plus,
    DatetimeMinus: _datetime_minus,
    CreateArray: lambda e, row: tuple(_value(i, row) for i in e.items),
    CreateNamedStruct: lambda e, row: tuple(_value(v, row) for v in e.values),
    GetStructField: _strict(lambda e, v: v[e.ordinal]),
    GetArrayStructFields: _strict(lambda e, v: tuple(None if s is None else s[e.ordinal] for s in v)),
    GetArrayItem: _strict(_item),
    GetMapValue: _strict(_entry),
    FunctionCall: _call,
}
