"""Constants: numbers, strings, dates, timestamps, intervals."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal, InvalidOperation
from typing import NamedTuple

from planviz.errors import shown
from planviz.evaluation.instants import now_at
from planviz.expressions.core import Literal
from planviz.types import (
    BINARY,
    BYTE,
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    YearMonthIntervalType,
)
from planviz.types.instants import written_day, written_instant, written_time
from planviz.types.zones import existing, zone_of

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|.)", re.S)
_SIMPLE = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def unquote(text: str, doubled_quotes_are_one: bool = True) -> str:
    """The value of a quoted string token: escapes resolved, doubled quotes halved (Spark: unescapeSQLString).

    Before Spark 4.1 doubled quotes end one text and begin the next, and are none (`doubled_quotes_are_one`).
    """
    if text[0] in "rR":
        return text[2:-1]
    quote, body = text[0], text[1:-1]
    if quote in body:
        one = quote if doubled_quotes_are_one else ""
        body = body.replace(quote * 2, one) if "\\" not in body else re.sub(f"(\\\\.)|{quote}{quote}", _pair(one), body)
    return _ESCAPE.sub(_unescape, body) if "\\" in body else body


def _pair(quote: str) -> Callable[[re.Match[str]], str]:
    return lambda m: m.group(1) or quote


def _unescape(m: re.Match[str]) -> str:
    code = m.group(1)
    if len(code) > 1 and code[0] in "uU":
        point = int(code[1:], 16)
        return chr(point) if point <= sys.maxunicode else "\ufffd"
    if len(code) == 3:
        return chr(int(code, 8))
    return _SIMPLE.get(code, code)


def number(text: str, exponents_are_decimals: bool = False) -> Literal | str:
    """The literal of a number token, or what is wrong with it; 1e3 is a DOUBLE unless `exponents_are_decimals`."""
    upper = text.upper()
    if upper.endswith("BD"):
        return _decimal(text[:-2])
    suffix = upper[-1]
    if suffix in "LSY" and not upper.startswith("0X"):
        return _integral(text[:-1], {"L": LONG, "S": SHORT, "Y": BYTE}[suffix])
    if suffix in "DF":
        return _floating(text[:-1], DOUBLE if suffix == "D" else FLOAT)
    if "E" in upper and not exponents_are_decimals:
        return _floating(text, DOUBLE)
    if "." in text or "E" in upper:
        return _decimal(text)
    if len(text) > 60:
        return _decimal(text)
    value = int(text)
    if -(2**31) <= value < 2**31:
        return Literal(value, INT)
    return Literal(value, LONG) if -(2**63) <= value < 2**63 else _decimal(text)


#: The largest number of a type.
_LARGEST: dict[DataType, float] = {DOUBLE: 1.7976931348623157e308, FLOAT: 3.4028234663852886e38}


def _floating(text: str, t: DataType) -> Literal | str:
    try:
        large = abs(Decimal(text)) > Decimal(_LARGEST[t])
    except InvalidOperation:  # an exponent of more digits than decimals have
        large = "-" not in text.lstrip("-")
    if large:
        return f"Numeric literal {shown(text)} does not fit the type {t.sql}."
    return Literal(float(text), t)


def _integral(text: str, t: DataType) -> Literal | str:
    widths: dict[DataType, int] = {LONG: 63, SHORT: 15, BYTE: 7}
    bits = widths[t]
    value = int(text) if len(text) < 60 and text.lstrip("-").isdigit() else None
    if value is None or not -(2**bits) <= value < 2**bits:
        return f"Numeric literal {shown(text)} does not fit the type {t.sql}."
    return Literal(value, t)


def _decimal(text: str) -> Literal | str:
    try:
        value = Decimal(text)
    except InvalidOperation:  # an exponent of more digits than decimals have
        return f"The number {shown(text)} has more than 38 digits; write it as a string and cast it to double."
    if not value:
        # Spark's decimals have no negative zero.
        value = abs(value)
    _, digits, exponent = value.as_tuple()
    exp = int(exponent)
    scale = max(0, -exp)
    precision = max(len(digits) + max(exp, 0), scale)
    if precision > 38:
        return f"The number {shown(text)} has more than 38 digits; write it as a string and cast it to double."
    if exp > 0:
        value = Decimal(f"{value:f}")
    if text.endswith("."):
        value, scale = Decimal(int(value)), 0
    return Literal(value, DecimalType(max(precision, 1), scale))


def binary(text: str) -> Literal | None:
    """X'1F' from its digits, or None when they are none."""
    try:
        return Literal(bytes.fromhex(text if len(text) % 2 == 0 else "0" + text), BINARY)
    except ValueError:
        return None


_SPECIAL = re.compile(r"epoch|now|today|tomorrow|yesterday", re.I)
_DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}


def special_instant(text: str, now: str, where: str, ntz: bool = False) -> datetime | None:
    """The wall clock of the session's zone `where` that a word means: epoch, now, today, tomorrow, yesterday.

    `now` is the instant that the session calls now. A zone may follow all but now: the day begins there. None for
    another text.
    """
    text = text.strip()
    m = _SPECIAL.match(text)
    if not m:
        return None
    word, zone = m[0].lower(), text[m.end() :].lstrip(" \t")
    if zone and (word == "now" or zone_of(zone) is None):
        return None
    here = zone_of(where) or UTC
    if word == "epoch":
        began = datetime(1970, 1, 1, tzinfo=UTC)
        return began.replace(tzinfo=None) if ntz else began.astimezone(here).replace(tzinfo=None)
    if word == "now":
        return now_at(now, where)
    there = zone or where
    day = now_at(now, there).replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=_DAYS[word])
    if ntz or not zone:
        return day
    return day.replace(tzinfo=zone_of(there)).astimezone(here).replace(tzinfo=None)


def date_literal(text: str, now: str = "", session_zone: str = "UTC") -> Literal | None:
    """DATE 'text', or None when it is no date."""
    special = special_instant(text, now, session_zone, True)
    if special is not None:
        return Literal(special.date(), DATE)
    day = written_day(text)
    try:
        return None if day is None else Literal(date(*day), DATE)
    except ValueError:
        return None


def time_literal(text: str) -> Literal | None:
    """TIME 'text', or None when it is no time of the day."""
    value = written_time(text)
    return None if value is None else Literal(value, TIME)


def has_zone(text: str) -> bool:
    """Whether a timestamp's text names a time zone."""
    written = written_instant(text)
    return written is not None and bool(written.zone)


def timestamp_literal(text: str, ntz: bool = False, session_zone: str = "UTC", now: str = "") -> Literal | None:
    """TIMESTAMP 'text' as the wall clock of the session's zone, or None when it is no timestamp."""
    special = special_instant(text, now, session_zone, ntz)
    if special is not None:
        return Literal(special, TIMESTAMP_NTZ if ntz else TIMESTAMP)
    written = written_instant(text)
    # A time alone is of today, and today is a day of a zone.
    if written is None or (written.day is None and ntz):
        return None
    zone = zone_of(written.zone) if written.zone else None
    if written.zone and zone is None:
        return None
    today = now_at(now, written.zone or session_zone)
    try:
        day = written.day or (today.year, today.month, today.day)
        value = datetime(*day, written.hour, written.minute, written.second, written.microsecond)
    except ValueError:
        return None
    if not ntz:
        try:
            if zone is None:
                value = existing(value, session_zone)
            else:
                value = value.replace(tzinfo=zone).astimezone(zone_of(session_zone) or UTC).replace(tzinfo=None)
        except OverflowError:  # the first or the last hours that Python can count
            return None
    return Literal(value, TIMESTAMP_NTZ if ntz else TIMESTAMP)


# ---------------------------------------------------------------------------------------------------- intervals

_YEAR_MONTH = {"year": 12, "month": 1}
_DAY_TIME = {
    "week": 604_800_000_000, "day": 86_400_000_000, "hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000,
    "millisecond": 1_000, "microsecond": 1, "nanosecond": 0,
}  # fmt: skip
_FIELD = {"week": 0, "day": 0, "hour": 1, "minute": 2, "second": 3, "millisecond": 3, "microsecond": 3, "nanosecond": 3}


def unit_name(word: str) -> str | None:
    """The unit that a word names (days -> day), or None."""
    unit = word.lower().removesuffix("s")
    return unit if unit in _YEAR_MONTH or unit in _DAY_TIME else None


#: How wide a number of an interval may be; what is wider overflows every interval.
_LIMITED = Context(prec=100, Emax=100, Emin=-100)


class Refused(NamedTuple):
    """Why a text is no literal: Spark's error class and a sentence."""

    error_class: str
    message: str


_FORMAT = "INVALID_INTERVAL_FORMAT"
#: A sign and the space that may stand before the number.
_SIGNS = re.compile(r"^([+-])\s+")
#: The most that a field behind the first one may be.
_MOST = {"month": 11, "hour": 23, "minute": 59, "second": 59}


def interval_of_units(parts: list[tuple[str, str]], calendar: bool = False) -> Literal | Refused:
    """INTERVAL with (number, unit) parts, or what is wrong with it; `calendar`: of the type that has all units."""
    months, micros, days = 0, 0, 0
    units = [u for _, u in parts]
    if "nanosecond" in units:
        return Refused(f"{_FORMAT}.INVALID_UNIT", "An interval has no nanoseconds; the least unit is MICROSECOND.")
    try:
        for text, unit in parts:
            # A sign in front of the quotes and one within them take each other away.
            value = _LIMITED.create_decimal(_SIGNS.sub(r"\1", text.strip().removeprefix("--")))
            if unit in _YEAR_MONTH:
                if value != int(value):
                    raise ValueError
                months += int(value) * _YEAR_MONTH[unit]
            elif unit in ("week", "day"):
                days += int(value) * (7 if unit == "week" else 1)
            else:
                micros += int(value * _DAY_TIME[unit])
    except (ArithmeticError, ValueError):
        written = " ".join(f"{t} {u}" for t, u in parts)
        return Refused("_LEGACY_ERROR_TEMP_0026", f"Cannot parse the INTERVAL value: {shown(written)}.")
    if calendar:
        return Literal((months, days, micros), CALENDAR_INTERVAL)
    if all(u in _YEAR_MONTH for u in units):
        fields = [list(_YEAR_MONTH).index(u) for u in units]
        return Literal(months, YearMonthIntervalType(min(fields), max(fields)))
    if any(u in _YEAR_MONTH for u in units):
        return Refused("_LEGACY_ERROR_TEMP_0029", "Cannot mix year-month and day-time fields in one interval literal.")
    fields = [_FIELD[u] for u in units]
    total = days * _DAY_TIME["day"] + micros
    if not -(2**63) <= total < 2**63:
        written = " ".join(f"{t} {u}" for t, u in parts)
        return Refused("INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION", f"{shown(written)} is too long an interval.")
    return Literal(total, DayTimeIntervalType(min(fields), max(fields)))


_UNIT_TO_UNIT = {
    ("year", "month"): r"(?P<year>\d+)-(?P<month>\d+)",
    ("day", "hour"): r"(?P<day>\d+)\s+(?P<hour>\d+)",
    ("day", "minute"): r"(?P<day>\d+)\s+(?P<hour>\d+):(?P<minute>\d+)",
    ("day", "second"): r"(?P<day>\d+)\s+(?P<hour>\d+):(?P<minute>\d+):(?P<second>\d+(?:\.\d+)?)",
    ("hour", "minute"): r"(?P<hour>\d+):(?P<minute>\d+)",
    ("hour", "second"): r"(?P<hour>\d+):(?P<minute>\d+):(?P<second>\d+(?:\.\d+)?)",
    ("minute", "second"): r"(?P<minute>\d+):(?P<second>\d+(?:\.\d+)?)",
}


def interval_from_to(
    text: str, start: str, end: str, calendar: bool = False, negated: bool = False
) -> Literal | Refused:
    """INTERVAL 'text' start TO end, `negated` by a sign before the text, or what is wrong with it."""
    pattern = _UNIT_TO_UNIT.get((start, end))
    if pattern is None:
        return Refused(f"{_FORMAT}.UNSUPPORTED_FROM_TO_EXPRESSION", f"Intervals from {start} to {end} are unsupported.")
    # No interval needs so many characters; its numbers then are none that Decimal refuses.
    m = re.match(r"\s*(?P<sign>[+-]?)" + pattern + r"\s*\Z", text) if len(text) <= 80 else None
    if not m:
        message = f"Interval string does not match {start}-{end} format: {shown(text)}."
        notice = "" if start == "year" else "_WITH_NOTICE"
        return Refused(f"{_FORMAT}.UNMATCHED_FORMAT_STRING{notice}", message)
    sign = -1 if (m["sign"] == "-") != negated else 1
    parts = {k: _LIMITED.create_decimal(v) for k, v in m.groupdict().items() if k != "sign"}
    for unit, value in parts.items():
        if unit != start and int(value) > _MOST[unit]:
            error = f"{_FORMAT}.INTERVAL_PARSING" if unit == "month" else "_LEGACY_ERROR_TEMP_0063"
            return Refused(error, f"{unit} {value} is outside the range [0, {_MOST[unit]}].")
    if calendar:
        months = sum(int(v * _YEAR_MONTH[k]) for k, v in parts.items() if k in _YEAR_MONTH)
        micros = sum(int(v * _DAY_TIME[k]) for k, v in parts.items() if k in ("hour", "minute", "second"))
        return Literal((sign * months, sign * int(parts.get("day", 0)), sign * micros), CALENDAR_INTERVAL)
    if start == "year":
        months = sign * int(parts["year"] * 12 + parts["month"])
        if not -(2**31) <= months < 2**31:
            return Refused(f"{_FORMAT}.INTERVAL_PARSING", f"{shown(text)} is too long an interval.")
        return Literal(months, YearMonthIntervalType(0, 1))
    micros = sum(int(v * _DAY_TIME[k]) for k, v in parts.items())
    if not -(2**63) <= sign * micros < 2**63:
        return Refused("_LEGACY_ERROR_TEMP_0063", f"{shown(text)} is too long an interval.")
    return Literal(sign * micros, DayTimeIntervalType(_FIELD[start], _FIELD[end]))


_PAIR = re.compile(r"(?<![\d.])((?:[+-]\s*+)?(?:\d++(?:\.\d++)?|\.\d++))\s*+([a-z]++)\s*+")


def interval_text(text: str, calendar: bool = False) -> Literal | Refused:
    """INTERVAL 'text' where the text names the units, or what is wrong with it."""
    body = text.strip().lower().removeprefix("interval").strip()
    # No interval needs so many characters, and looking for pairs takes longer than the text is long.
    pairs = _PAIR.findall(body) if len(body) <= 1_000 else []
    if not pairs or _PAIR.sub("", body).strip():
        return Refused("INVALID_TYPED_LITERAL", f"Cannot parse the INTERVAL value: {shown(text)}.")
    parts = []
    for value, word in pairs:
        unit = unit_name(word)
        if unit is None:
            return Refused("INVALID_TYPED_LITERAL", f"Cannot parse the INTERVAL value: {shown(text)}.")
        parts.append((value.replace(" ", ""), unit))
    return interval_of_units(parts, calendar)
