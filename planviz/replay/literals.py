"""Constants: Spark prints them without quotes and types, so both are told from the text and from what stands beside."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation

from planviz.expressions.core import Literal
from planviz.expressions.earlier import StoredLiteral
from planviz.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    NULL,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    UNKNOWN,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    YearMonthIntervalType,
    is_integral,
    is_string,
)

_WHOLE = re.compile(r"-?\d+")
_DECIMAL = re.compile(r"-?\d+\.\d+|-?\d(?:\.\d+)?E[-+]\d+")
_DOUBLE = re.compile(r"-?\d+\.\d+(?:E-?\d+)?|NaN|-?Infinity")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIMESTAMP = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d{1,6})?")
_HEX = re.compile(r"0x((?:[0-9A-F]{2})*)")
_INTERVAL = re.compile(r"INTERVAL '(-?)([^']*)' (YEAR|MONTH|DAY|HOUR|MINUTE|SECOND)(?: TO (MONTH|HOUR|MINUTE|SECOND))?")
_CALENDAR = re.compile(r"((?:-|(?<![\d.-]))[\d.]+) (years|months|days|hours|minutes|seconds)(?= |$)")
_UNITS = {
    "years": (12, 0, 0), "months": (1, 0, 0), "days": (0, 1, 0), "hours": (0, 0, 3_600_000_000),
    "minutes": (0, 0, 60_000_000), "seconds": (0, 0, 1_000_000),
}  # fmt: skip
_EPOCH = datetime(1970, 1, 1)
_YEARS = ("YEAR", "MONTH")
_DAYS = ("DAY", "HOUR", "MINUTE", "SECOND")
_LIMITS: dict[DataType, int] = {BYTE: 1 << 7, SHORT: 1 << 15, INT: 1 << 31, LONG: 1 << 63}


def constant(text: str, wanted: DataType | None = None) -> Literal:
    """The constant that Spark prints as `text`, of type `wanted` where it can be one; its text is `text` again."""
    if wanted is not None and wanted != UNKNOWN:
        made = _of_type(text, wanted)
        if made is not None and made.text == text:
            return made
        if text == "null":
            return Literal(None, wanted)
    made = _guessed(text)
    return made if made.text == text else Literal(text, STRING)


def whole(text: str) -> Literal | None:
    """A constant that is no text for certain, or None."""
    made = _guessed(text)
    return made if made.text == text and not is_string(made.type) else None


def _guessed(text: str) -> Literal:
    if text == "null":
        return Literal(None, NULL)
    if text in ("true", "false"):
        return Literal(text == "true", BOOLEAN)
    kinds: list[DataType] = []
    if _WHOLE.fullmatch(text):
        value = int(text)
        fitting = (t for t in (INT, LONG) if -_LIMITS[t] <= value < _LIMITS[t])
        kinds = [next(fitting, None) or _fitting(text)]
    elif _DECIMAL.fullmatch(text):
        kinds = [DOUBLE] if re.search(r"E-?\d", text) else [_fitting(text)]
    elif _DATE.fullmatch(text):
        kinds = [DATE]
    elif _TIMESTAMP.fullmatch(text):
        kinds = [TIMESTAMP]
    elif (m := _INTERVAL.fullmatch(text)) is not None:
        first, last = m.group(3), m.group(4) or m.group(3)
        if last in _YEARS:
            kinds = [YearMonthIntervalType(_YEARS.index(first), _YEARS.index(last))]
        else:
            kinds = [DayTimeIntervalType(_DAYS.index(first), _DAYS.index(last))]
    elif text.startswith("0x"):
        kinds = [BINARY]
    for kind in kinds:
        made = _of_type(text, kind)
        if made is not None:
            return made
    return Literal(text, STRING)


def _fitting(text: str) -> DataType:
    try:
        _, digits, exponent = Decimal(text).as_tuple()
    except InvalidOperation:
        return STRING
    scale = max(-int(exponent), 0)
    precision = max(len(digits) + max(int(exponent), 0), scale)
    return DecimalType(precision, scale) if precision <= 38 else STRING


def own_decimal(text: str) -> Literal | None:
    """A number as the decimal of just its digits; None for another text."""
    if not (_WHOLE.fullmatch(text) or _DECIMAL.fullmatch(text)):
        return None
    kind = _fitting(text)
    return _of_type(text, kind) if isinstance(kind, DecimalType) else None


def _of_type(text: str, t: DataType) -> Literal | None:
    if is_string(t):
        return Literal(text, t)
    if text == "null":
        return Literal(None, t)
    if t == BOOLEAN:
        return Literal(text == "true", t) if text in ("true", "false") else None
    if is_integral(t):
        limit = _LIMITS[t]
        return Literal(int(text), t) if _WHOLE.fullmatch(text) and -limit <= int(text) < limit else None
    if t in (DOUBLE, FLOAT):
        return Literal(float(text.replace("Infinity", "inf")), t) if _DOUBLE.fullmatch(text) else None
    if isinstance(t, DecimalType):
        return Literal(Decimal(text), t) if _WHOLE.fullmatch(text) or _DECIMAL.fullmatch(text) else None
    if t == CALENDAR_INTERVAL:
        return calendar_interval(text)
    if t in (DATE, TIMESTAMP) and _WHOLE.fullmatch(text):
        return _stored(int(text), t)
    if t == DATE:
        return _dated(text, t)
    if t in (TIMESTAMP, TIMESTAMP_NTZ):
        m = _TIMESTAMP.fullmatch(text)
        try:
            return (
                None if m is None else Literal(datetime.fromisoformat(f"{m[1]} {m[2]}{(m[3] or '.').ljust(7, '0')}"), t)
            )
        except ValueError:
            return None
    if t == BINARY:
        hexes = _HEX.fullmatch(text)
        return None if hexes is None else Literal(bytes.fromhex(hexes.group(1)), t)
    if isinstance(t, YearMonthIntervalType | DayTimeIntervalType):
        return _interval(text, t)
    return None


def calendar_interval(text: str) -> Literal | None:
    """`1 months 2 days`, as intervals are shown before Spark 3.2; None for another text."""
    months, days, micros = 0, 0, Decimal(0)
    try:
        for number, unit in _CALENDAR.findall(text):
            a, b, c = _UNITS[unit]
            months, days, micros = months + a * int(number), days + b * int(number), micros + c * Decimal(number)
    except (ValueError, InvalidOperation):
        return None
    made = Literal((months, days, int(micros)), CALENDAR_INTERVAL)
    return made if made.text == text else None


def _stored(number: int, t: DataType) -> Literal | None:
    """A date or a moment shown as days or microseconds, as before Spark 3.2."""
    try:
        if t == DATE:
            return StoredLiteral((_EPOCH + timedelta(days=number)).date(), t)
        return StoredLiteral(_EPOCH + timedelta(microseconds=number), t)
    except OverflowError:
        return None


def _dated(text: str, t: DataType) -> Literal | None:
    try:
        return Literal(date.fromisoformat(text), t) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def _interval(text: str, t: YearMonthIntervalType | DayTimeIntervalType) -> Literal | None:
    m = _INTERVAL.fullmatch(text)
    if m is None:
        return None
    sign = -1 if m.group(1) else 1
    try:
        numbers = [Decimal(n) for n in re.split(r"[- :]", m.group(2))]
    except InvalidOperation:
        return None
    units = _YEARS if isinstance(t, YearMonthIntervalType) else _DAYS
    if m.group(3) not in units:
        return None
    first = units.index(m.group(3))
    weights = (
        (12, 1) if isinstance(t, YearMonthIntervalType) else (86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000)
    )
    if first + len(numbers) > len(weights):
        return None
    total = sum(n * w for n, w in zip(numbers, weights[first:], strict=False))
    made = Literal(sign * int(total), t)
    return made if made.text == text else None
