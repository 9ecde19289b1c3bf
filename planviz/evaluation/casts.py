"""Conversions between types, as `Cast` does them in ANSI mode."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time
from decimal import Decimal

from planviz.errors import shown
from planviz.evaluation.arithmetic import bits_of, bounded_integer, to_decimal, whole, wrapped
from planviz.evaluation.core import Row, evaluate, expression, single
from planviz.evaluation.errors import FailsError, UnknownValueError
from planviz.evaluation.instants import date_of, from_micros, micros_of, timestamp_of
from planviz.evaluation.variants import as_type, read
from planviz.expressions.casts import Cast
from planviz.expressions.literals import literal_text, nanos_of
from planviz.types import (
    BINARY,
    BOOLEAN,
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    FLOAT,
    LONG,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    ArrayType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    MapType,
    StructType,
    YearMonthIntervalType,
    is_integral,
    is_interval,
    is_numeric,
    is_string,
)
from planviz.types.values import Value

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_SPACE = "".join(map(chr, range(33))) + "\x7f"
_UNITS = (86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000)


@expression(Cast)
def _cast(e: Cast, row: Row) -> object:
    value = evaluate(e.child, row)
    if value is None:
        return None
    try:
        if e.mode == "LEGACY":
            return _leniently(value, e.child.data_type, e.type)
        return convert(value, e.child.data_type, e.type)
    except FailsError:
        # An interval that does not fit fails without ANSI, too.
        if e.mode == "TRY" or (e.mode == "LEGACY" and not is_interval(e.child.data_type)):
            return None
        raise


def _leniently(value: Value, a: DataType, b: DataType) -> Value:
    """With ANSI off a text may have a fraction that is cut off, and whole numbers that overflow wrap around."""
    if not is_integral(b) or not (is_string(a) or is_numeric(a)):
        return convert(value, a, b)
    if is_string(a):
        text = value.strip(_SPACE)
        return convert(text.partition(".")[0] if re.fullmatch(r"[+-]?\d+\.\d*", text) else text, a, b)
    if isinstance(value, float):
        # The JVM goes by way of int to the narrow types, and stops at the bounds.
        bits = max(bits_of(b), 32)
        bound = 1 << bits - 1
        value = 0 if math.isnan(value) else int(max(min(value, bound - 1), -bound))
    return convert(value, a, b) if isinstance(a, DecimalType) else wrapped(int(value), bits_of(b))


def convert(value: Value, a: DataType, b: DataType) -> Value:
    """A value of type `a` as type `b`. Raises FailsError as the query does, UnknownValueError."""
    if value is None:
        return None
    if a == b:
        return value
    if a == VARIANT:
        return as_type(read(value), b)
    if is_string(b):
        return text_of(value, a)
    if is_string(a):
        return _from_text(value, b)
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        return tuple(convert(v, a.element, b.element) for v in value)
    if isinstance(a, MapType) and isinstance(b, MapType):
        return tuple((convert(k, a.key, b.key), convert(v, a.value, b.value)) for k, v in value)
    if isinstance(a, StructType) and isinstance(b, StructType):
        pairs = zip(value, a.fields, b.fields, strict=True)
        return tuple(convert(v, x.data_type, y.data_type) for v, x, y in pairs)
    if a == TIMESTAMP and (is_numeric(b) or b == BOOLEAN):
        return _to_number(Decimal(micros_of(value)).scaleb(-6), DecimalType(20, 6), b)
    if isinstance(value, datetime | date):
        return _instant(value, b)
    if isinstance(value, time):
        return _from_time(value, a, b)
    if isinstance(a, YearMonthIntervalType | DayTimeIntervalType):
        return _from_interval(value, a, b)
    if b == TIMESTAMP:
        if a == BOOLEAN:
            # True is one microsecond, not one second as the number 1 is.
            return from_micros(int(value))
        seconds = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
        return from_micros(math.floor(seconds.scaleb(6)))
    if isinstance(b, YearMonthIntervalType | DayTimeIntervalType):
        return _to_interval(value, b)
    if b == BINARY and is_integral(a):
        return int(value).to_bytes({"tinyint": 1, "smallint": 2, "int": 4}.get(a.simple_string, 8), "big", signed=True)
    return _to_number(value, a, b)


def text_of(value: Value, t: DataType) -> str:
    """A value as text: what CAST(... AS STRING) gives."""
    if value is None:
        return "null"
    if isinstance(t, DecimalType):
        return f"{value:f}"
    if t == BINARY:
        return bytes(value).decode("utf-8", "replace")
    if isinstance(t, ArrayType):
        return "[" + ", ".join(text_of(v, t.element) for v in value) + "]"
    if isinstance(t, MapType):
        return "{" + ", ".join(f"{text_of(k, t.key)} -> {text_of(v, t.value)}" for k, v in value) + "}"
    if isinstance(t, StructType):
        pairs = zip(value, t.fields, strict=True)
        return "{" + ", ".join(text_of(v, f.data_type) for v, f in pairs) + "}"
    return literal_text(value, t)


def _to_number(value: Value, a: DataType, b: DataType) -> object:
    if b == BOOLEAN:
        return value != 0
    if is_integral(b):
        if isinstance(value, float) and not math.isfinite(value):
            raise FailsError(f"{value} is no whole number", "CAST_OVERFLOW")
        if isinstance(value, float) and value == 2.0**63 and b == LONG:
            # The greatest BIGINT as a DOUBLE is one more; the JVM stops at the bound.
            return 2**63 - 1
        return bounded_integer(whole(value), b, "CAST_OVERFLOW")
    if b == DOUBLE:
        return float(value)
    if b == FLOAT:
        return single(float(value))
    if isinstance(b, DecimalType):
        if isinstance(value, float):
            if not math.isfinite(value):
                raise FailsError("no decimal")
            value = Decimal(repr(value))
        return to_decimal(Decimal(int(value) if isinstance(value, bool) else value), b)
    raise UnknownValueError(f"{a} to {b}")


def _instant(value: Value, b: DataType) -> Value:
    if b == DATE:
        return value.date() if isinstance(value, datetime) else value
    if b in (TIMESTAMP, TIMESTAMP_NTZ):
        return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    if not isinstance(value, datetime) and (is_numeric(b) or b == BOOLEAN):
        # A day is no number: without ANSI mode the cast is null.
        return None
    raise UnknownValueError(str(b))


def _from_interval(value: int, a: DataType, b: DataType) -> object:
    if isinstance(b, YearMonthIntervalType):
        return _cut(value, 12) if b.end == 0 else value
    if isinstance(b, DayTimeIntervalType):
        return _cut(value, _UNITS[b.end]) if b.end < 3 else value
    unit = (12 if a.end == 0 else 1) if isinstance(a, YearMonthIntervalType) else _UNITS[getattr(a, "end", 3)]
    return _to_number(Decimal(value) / unit, DecimalType(38, 6), b)


def _from_time(value: time, a: DataType, b: DataType) -> object:
    """The seconds since midnight; what day it is for a TIMESTAMP nobody knows here."""
    if is_integral(b) or isinstance(b, DecimalType):
        seconds = Decimal(nanos_of(value)).scaleb(-9)
        return _to_number(seconds, a, b)
    raise UnknownValueError(f"{a} to {b}")


def _cut(value: int, unit: int) -> int:
    return int(Decimal(value) / unit) * unit


def _to_interval(value: Value, b: Value) -> int:
    unit = (12 if b.end == 0 else 1) if isinstance(b, YearMonthIntervalType) else _UNITS[b.end]
    return bounded_integer(int(Decimal(value) * unit), b, "CAST_OVERFLOW")


def _from_text(raw: str, t: DataType) -> object:
    text = raw.strip(_SPACE)
    if t == BINARY:
        return raw.encode("utf-8")
    if is_integral(t):
        if not re.fullmatch(r"[+-]?\d+", text):
            raise _no_value(raw, t)
        digits = text.lstrip("+-").lstrip("0") or "0"
        if len(digits) > 40:
            raise _no_value(raw, t)
        return bounded_integer(int(text[0] + digits if text[0] in "+-" else digits), t, "CAST_INVALID_INPUT")
    if t in (DOUBLE, FLOAT):
        return _floating(text, t)
    if isinstance(t, DecimalType):
        if not _NUMBER.fullmatch(text):
            raise _no_value(raw, t)
        return to_decimal(Decimal(text), t)
    if t == BOOLEAN:
        return _truth(text.lower())
    if t in (DATE, TIMESTAMP, TIMESTAMP_NTZ):
        return _instant_of(text, t)
    if isinstance(t, YearMonthIntervalType | DayTimeIntervalType):
        return _interval(text, t)
    if t == CALENDAR_INTERVAL:
        return _calendar_interval(text.lower())
    raise UnknownValueError(raw)


#: Months, days and microseconds of an interval's units.
_SPANS = {"year": (12, 0, 0), "month": (1, 0, 0), "week": (0, 7, 0), "day": (0, 1, 0), "hour": (0, 0, 3_600_000_000),
          "minute": (0, 0, 60_000_000), "second": (0, 0, 1_000_000), "millisecond": (0, 0, 1_000),
          "microsecond": (0, 0, 1)}  # fmt: skip
_SPAN = re.compile(r"(?:([+-])\s*+)?(\d{1,18})\s++([a-z]+?)s?(?:\s+|$)")


def _calendar_interval(text: str) -> tuple[int, int, int] | None:
    """Months, days and microseconds of a text that names its units, or null; fractions are not modelled."""
    body = text.removeprefix("interval").strip()
    if not re.search(r"\d", body):
        return None
    if _SPAN.sub("", body):
        raise UnknownValueError(text)
    total = [0, 0, 0]
    for sign, number, unit in _SPAN.findall(body):
        if unit not in _SPANS:
            raise UnknownValueError(text)
        total = [a + int(sign + number) * b for a, b in zip(total, _SPANS[unit], strict=True)]
    return (total[0], total[1], total[2])


def _no_value(text: str, t: DataType) -> FailsError:
    return FailsError(f"the value '{shown(text)}' cannot be cast to {t.simple_string.upper()}", "CAST_INVALID_INPUT")


_NAMED_TIME = re.compile(r"(epoch|now|today|tomorrow|yesterday)\b", re.IGNORECASE)


def _instant_of(text: str, t: DataType) -> object:
    """A date or timestamp; a word such as today is read by a rule of its own (SpecialDatetimeValues)."""
    try:
        return date_of(text) if t == DATE else timestamp_of(text, t == TIMESTAMP)
    except FailsError:
        if _NAMED_TIME.match(text):
            raise UnknownValueError(text) from None
        raise _no_value(text, t) from None


def _floating(text: str, t: DataType) -> float:
    named = {"inf": math.inf, "infinity": math.inf, "nan": math.nan}
    bare = text.lower().lstrip("+-") if text[:1] in "+-" else text.lower()
    if bare in named:
        return -named[bare] if text.startswith("-") else named[bare]
    number = text[:-1] if text[-1:] in "dDfF" else text
    if not _NUMBER.fullmatch(number):
        raise _no_value(text, t)
    return single(float(number)) if t == FLOAT else float(number)


def _truth(text: str) -> bool:
    if text in ("t", "true", "y", "yes", "1"):
        return True
    if text in ("f", "false", "n", "no", "0"):
        return False
    raise _no_value(text, BOOLEAN)


#: The fields of intervals, with the most that one of them may be behind a longer one, and their microseconds.
_MONTHS_OF = (None, 11)
_TIMES_OF = (None, 23, 59, 59)
_SIGNED = re.compile(r"(?:interval\s+)?([+-]?)\s*(?:'([+-]?)(.*)'\s+([a-z]+(?:\s+to\s+[a-z]+)?)|(.*))", re.DOTALL)


def _interval(text: str, t: YearMonthIntervalType | DayTimeIntervalType) -> int:
    """An interval of a type's own fields, bare or as SQL writes it. Raises FailsError for another form."""
    months = isinstance(t, YearMonthIntervalType)
    found = _SIGNED.fullmatch(text.lower())
    outer, inner, quoted, unit, bare = found.groups() if found else ("", "", None, None, "")
    fields = " to ".join(dict.fromkeys((t.names[t.start], t.names[t.end])))
    if found is None or (unit is not None and " ".join(unit.split()) != fields):
        raise _unmatched(text, months)
    body = (bare if unit is None else quoted) or ""
    numbers = _fields_of(body, t.start, t.end, months)
    if numbers is None:
        raise _unmatched(text, months)
    most = (_MONTHS_OF if months else _TIMES_OF)[t.start : t.end + 1]
    wrong = next((n for n, m in list(zip(numbers, most, strict=True))[1:] if m is not None and n > m), None)
    if wrong is not None:
        known = "INVALID_INTERVAL_FORMAT.INTERVAL_PARSING" if months else "java.lang.IllegalArgumentException"
        raise FailsError(f"{wrong} is out of range in the interval '{shown(text)}'", known)
    negative = (outer == "-") != (inner == "-")
    units = [12, 1][t.start : t.end + 1] if months else _UNITS[t.start : t.end + 1]
    total = sum(int(n * u) for n, u in zip(numbers, units, strict=True))
    return bounded_integer(-total if negative else total, t, "CAST_OVERFLOW")


def _fields_of(body: str, start: int, end: int, months: bool) -> list[Decimal] | None:
    """The numbers of an interval's fields; None where they are not all there, or others."""
    if months:
        found = re.fullmatch(r"(\d{1,9})" + r"-(\d{1,2})" * (end - start), body)
    else:
        joints = ("", " ", ":", ":")
        parts = [
            joints[i] * (i > start) + (r"(\d{1,10})" if i == start else r"(\d{1,2})") for i in range(start, end + 1)
        ]
        found = re.fullmatch("".join(parts) + (r"(\.\d{1,9})?" if end == 3 else ""), body)
    if found is None:
        return None
    *numbers, fraction = (*found.groups(), None) if months or end < 3 else found.groups()
    read = [Decimal(n or 0) for n in numbers]
    if fraction is not None:
        read[-1] += Decimal(fraction)
    return read


def _unmatched(text: str, months: bool) -> FailsError:
    noticed = "" if months else "_WITH_NOTICE"
    told = f"the text '{shown(text)}' is no interval of that kind"
    return FailsError(told, f"INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING{noticed}")
