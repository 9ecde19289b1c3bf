"""Timestamps written and read by a pattern of letters, as Java's DateTimeFormatter and Spark's use of it do.

Letters that Spark refuses (week years, narrow texts), and those it cannot read back, raise InvalidPatternError, others
that are not modelled UnknownValueError.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from planviz.evaluation.core import function, zone
from planviz.evaluation.errors import FailsError, InvalidPatternError, UnknownValueError
from planviz.evaluation.instants import moved, zone_of
from planviz.types.values import Value

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip
_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']")


@dataclass(frozen=True)
class Token:
    """A letter of a pattern and how often it stands there, or literal text (letter '')."""

    letter: str
    count: int
    text: str = ""


def tokens(pattern: str) -> list[Token]:
    """A pattern in parts; the brackets of optional sections are text that is not quoted: letter [ or ]."""
    out = []
    for m in _TOKEN.finditer(pattern):
        if m[2]:
            out.append(Token(m[2], len(m.group())))
        elif m.group() in ("[", "]"):
            out.append(Token(m.group(), 1))
        else:
            out.append(Token("", 0, m.group() if m[1] is None else m[1].replace("''", "'") or "'"))
    return out


#: Letters of weeks and of their years, which mean other days than most people think.
_WEEKS = frozenset("YWwuec")
#: Letters that Spark takes neither way, and those that it does not read.
_NEVER, _NOT_READ = frozenset("ABnNp"), frozenset("EFqQ")
#: The most times that a letter may stand in a row (Spark: DateTimeFormatterHelper; Java's own bounds).
_MOST = dict.fromkeys("GMLEQqzXxZ", 4) | dict.fromkeys("dhHkKms", 2) | {"X": 5, "x": 5, "Z": 5, "y": 10, "D": 3, "a": 1}
#: What Java's older formatter knows, by which Spark tells patterns that it once took.
_OLDER = frozenset("GyMLdDFEuaHkKhmsSzZXYwW")


#: What Java's newer formatter knows.
_KNOWN = frozenset("GuyDMLdQqYwWEecFaBhKkHmsSAnNVvzOXxZp[]")


def checked(pattern: str, reading: bool, zoned: bool = True) -> list[Token]:
    """A pattern in parts. Raises InvalidPatternError for one that Spark refuses whatever the value is."""
    found = tokens(pattern)
    refused = next(filter(None, [_refusal(token, reading) for token in found]), "")
    if refused:
        older = zoned and all(not token.letter or token.letter in _OLDER for token in found)
        known = "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"
        raise InvalidPatternError(f"{pattern!r} is no pattern of dates", known if older else refused)
    return found


def _refusal(token: Token, reading: bool) -> str:
    """Spark's name for what is wrong with a letter, where its older formatter cannot help; empty for nothing."""
    letter, n = token.letter, token.count
    if not letter:
        return ""
    if letter in _WEEKS:
        return "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN"
    if letter in _NEVER or (reading and letter in _NOT_READ):
        return "INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER"
    most = 6 if letter == "y" and reading else _MOST.get(letter, 9)
    return "INVALID_DATETIME_PATTERN.WITH_SUGGESTION" if n > most or letter not in _KNOWN else ""


# ------------------------------------------------------------------------------------------------------- writing


def formatted(t: datetime, pattern: str) -> str:
    """A wall clock of the session's zone in a pattern. Raises UnknownValueError for letters that are not modelled."""
    return "".join(token.text or _written(t, token.letter, token.count) for token in checked(pattern, False))


_NUMBERS: dict[str, Callable[[datetime], int]] = {
    "M": lambda t: t.month,
    "L": lambda t: t.month,
    "d": lambda t: t.day,
    "D": lambda t: t.timetuple().tm_yday,
    "H": lambda t: t.hour,
    "h": lambda t: t.hour % 12 or 12,
    "m": lambda t: t.minute,
    "s": lambda t: t.second,
    "k": lambda t: t.hour or 24,
    "K": lambda t: t.hour % 12,
    "F": lambda t: (t.day - 1) % 7 + 1,
    "Q": lambda t: (t.month + 2) // 3,
    "q": lambda t: (t.month + 2) // 3,
}


def _written(t: datetime, letter: str, n: int) -> str:
    if letter in "[]":
        return ""
    if letter in "yu":
        return f"{t.year % 100:02d}" if n == 2 else str(t.year).rjust(n, "0")
    if letter in "ML" and n in (3, 4):
        return MONTHS[t.month - 1][: 3 if n == 3 else None]
    if letter in "Qq" and n in (3, 4):
        quarter = (t.month + 2) // 3
        return f"Q{quarter}" if n == 3 else ("1st", "2nd", "3rd", "4th")[quarter - 1] + " quarter"
    if letter in _NUMBERS and n <= (1 if letter == "F" else 3 if letter == "D" else 2):
        return str(_NUMBERS[letter](t)).rjust(n, "0")
    if letter == "E" and n <= 4:
        return DAYS[t.weekday()][: 3 if n < 4 else None]
    if letter == "a" and n == 1:
        return "AM" if t.hour < 12 else "PM"
    if letter == "S" and n <= 9:
        return f"{t.microsecond:06d}000"[:n]
    if letter == "G" and n <= 4:
        return "AD" if n < 4 else "Anno Domini"
    return _zone_written(t, letter, n)


def _zone_written(t: datetime, letter: str, n: int) -> str:
    where = t.replace(tzinfo=zone_of(zone()))
    offset = where.utcoffset() or timedelta()
    seconds = int(offset.total_seconds())
    if letter == "V" and n == 2:
        return zone()
    if letter == "z" and n <= 3 and re.fullmatch("[A-Z]+", where.tzname() or ""):
        return where.tzname() or ""
    if letter == "O" and n in (1, 4):
        if not seconds:
            return "GMT"
        text = _offset(seconds, ":", n == 4 or bool(seconds % 3600))
        return "GMT" + (text if n == 4 else text[0] + text[1:].removeprefix("0"))
    if letter == "Z" and n <= 5:
        if n == 4:
            return "GMT" + (_offset(seconds, ":", True) if seconds else "")
        return "Z" if n == 5 and not seconds else _offset(seconds, ":" if n == 5 else "", True)
    if letter in "Xx" and n <= 5:
        if letter == "X" and not seconds:
            return "Z"
        return _offset(seconds, ":" if n in (3, 5) else "", n > 1 or bool(seconds % 3600))
    raise UnknownValueError(letter)


def _offset(seconds: int, colon: str, minutes: bool) -> str:
    whole = abs(seconds) // 60
    return ("-" if seconds < 0 else "+") + f"{whole // 60:02d}" + (f"{colon}{whole % 60:02d}" if minutes else "")


# ------------------------------------------------------------------------------------------------------- reading

#: What a letter reads: the field's name and its least and greatest value.
_FIELDS = {"M": ("month", 1, 12), "L": ("month", 1, 12), "d": ("day", 1, 31), "D": ("dayofyear", 1, 366),
           "H": ("hour", 0, 23), "k": ("clock", 1, 24), "h": ("half hour", 1, 12), "K": ("half hour", 0, 11),
           "m": ("minute", 0, 59), "s": ("second", 0, 59)}  # fmt: skip
_OFFSETS = {"X": r"[+-]\d{2}(?:\d{2})?", "XX": r"[+-]\d{4}", "XXX": r"[+-]\d{2}:\d{2}", "XXXX": r"[+-]\d{4}(?:\d{2})?",
            "XXXXX": r"[+-]\d{2}:\d{2}(?::\d{2})?"}  # fmt: skip
_OFFSETS |= {"Z": _OFFSETS["XX"], "ZZ": _OFFSETS["XX"], "ZZZ": _OFFSETS["XX"], "ZZZZZ": _OFFSETS["XXXXX"]}


def _reading(letter: str, n: int) -> tuple[str, str]:
    """The field that a letter reads, and the regular expression of what it accepts."""
    if letter in "yu" and n <= 6:
        if n == 2:
            return "year of 2000", r"\d{2}"
        return ("year", rf"\+\d{{{n + 1},}}|-\d{{{n},}}|\d{{{n}}}") if n > 3 else ("year", rf"-?\d{{{n},}}")
    if letter in "ML" and n in (3, 4):
        names = [m[: 3 if n == 3 else None] for m in MONTHS]
        return "month name", "|".join(names)
    if letter == "D" and n == 3:
        return "dayofyear", r"\d{3}"
    if letter in _FIELDS and n <= 2:
        return _FIELDS[letter][0], (r"\d{2,3}" if letter == "D" else r"\d{2}") if n == 2 else r"\d+"
    if letter == "S" and n <= 9:
        return "fraction", rf"\d{{1,{n}}}"
    if letter == "a" and n == 1:
        return "half", "am|pm"
    if letter == "G" and n <= 4:
        return "era", "AD" if n < 4 else "Anno Domini"
    if letter in "XxZ" and n <= 5 and letter.upper() * n in _OFFSETS:
        zero = "|Z" if letter == "X" or letter * n == "ZZZZZ" else ""
        return "zone", _OFFSETS[letter.upper() * n] + zero
    if (letter == "O" and n in (1, 4)) or letter * n == "ZZZZ":
        return "zone", r"GMT(?:[+-]\d{1,2}(?::\d{2}(?::\d{2})?)?)?"
    if (letter == "V" and n == 2) or (letter == "z" and n <= 4):
        return "zone", r"[A-Za-z][A-Za-z0-9_/+:-]*|[+-]\d{2}:\d{2}"
    raise UnknownValueError(letter)


def parsed(text: str, pattern: str, zoned: bool = True) -> datetime:
    """A text read by a pattern, as a wall clock of the session's zone (with `zoned` off: of the text's).

    Raises FailsError, and UnknownValueError for letters that are not modelled.
    """
    expression, fields = "", []
    for token in checked(pattern, True, zoned):
        if token.letter in ("[", "]"):
            expression += "(?:" if token.letter == "[" else ")?"
        elif not token.letter:
            expression += re.escape(token.text)
        else:
            field, accepted = _reading(token.letter, token.count)
            fields.append((field, token.letter))
            expression += f"({accepted})"
    try:
        found = re.fullmatch(expression, text, re.IGNORECASE | re.ASCII)
    except re.error:
        raise UnknownValueError(pattern) from None
    if found is None:
        raise _unread(text)
    read = {f: v for (f, letter), v in zip(fields, found.groups(), strict=True) if v is not None}
    for (_, letter), v in zip(fields, found.groups(), strict=True):
        _, least, most = _FIELDS.get(letter, ("", 0, 0))
        if v is not None and v.isdigit() and letter in _FIELDS and not least <= int(v) <= most:
            raise _unread(text)
    value = _assembled(read)
    if not zoned or "zone" not in read:
        return value
    try:
        return moved(value, read["zone"], zone())
    except FailsError:
        raise UnknownValueError(f"the zone {read['zone']}") from None


def _assembled(parts: dict[str, str]) -> datetime:
    year = 2000 + int(parts["year of 2000"]) if "year of 2000" in parts else int(parts.get("year", 1970))
    if not 1 <= year <= 9999:
        raise UnknownValueError("a year that Python has not")
    try:
        if "dayofyear" in parts:
            day = date(year, 1, 1) + timedelta(days=int(parts["dayofyear"]) - 1)
            month = _month(parts) if {"month", "month name"} & parts.keys() else day.month
            if (day.year, day.month, day.day) != (year, month, int(parts.get("day", day.day))):
                raise _unread(parts["dayofyear"])
        else:
            day = date(year, _month(parts), int(parts.get("day", 1)))
        fraction = int(parts.get("fraction", "0").ljust(6, "0")[:6])
        return datetime(day.year, day.month, day.day, _hour(parts), int(parts.get("minute", 0)),
                        int(parts.get("second", 0)), fraction)  # fmt: skip
    except ValueError:
        raise _unread(" ".join(parts.values())) from None


def _unread(text: str) -> FailsError:
    return FailsError(f"'{text}' does not follow the pattern", "CANNOT_PARSE_TIMESTAMP")


def _month(parts: dict[str, str]) -> int:
    if "month name" in parts:
        return [m[:3].lower() for m in MONTHS].index(parts["month name"][:3].lower()) + 1
    return int(parts.get("month", 1))


def _hour(parts: dict[str, str]) -> int:
    if "hour" in parts or "clock" in parts:
        return int(parts.get("hour") or parts["clock"]) % 24
    return int(parts.get("half hour", 0)) % 12 + (12 if parts.get("half", "").lower() == "pm" else 0)


@function("gettimestamp", typed=True)
def _get_timestamp(e: Any, value: Value, pattern: str) -> datetime | None:
    """Spark: GetTimestamp; the last of its tail tells whether what cannot be read fails."""
    if not isinstance(value, str):
        return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    try:
        return parsed(value, pattern, e.tail[0] == "TimestampType")
    except FailsError:
        if e.tail[-1] == "true":
            raise
        return None


function("date_format")(lambda t, pattern: formatted(t, pattern))
