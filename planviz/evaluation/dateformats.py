"""Timestamps written and read by a pattern of letters, as Java's DateTimeFormatter and Spark's use of it do.

What Spark refuses in a pattern (week years, narrow texts) raises WrongPatternError, letters that are not modelled
UnknownValueError.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from planviz.evaluation.core import function, has_legacy_patterns, zone
from planviz.evaluation.errors import FailsError, UnknownValueError, WrongPatternError
from planviz.evaluation.instants import moved, zone_of
from planviz.expressions.calls import FunctionCall
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


#: How often a letter may stand in a row; letters without an entry are none of a pattern (Java: DateTimeFormatterBuilder
#: with Spark's limits below).
_MOST_LETTERS = {"G": 4, "y": 6, "M": 4, "L": 4, "Q": 4, "q": 4, "D": 3, "E": 4, "F": 1, "a": 1, "S": 9, "z": 4, "Z": 5,
                 "X": 5, "x": 5, "O": 4, "V": 2} | dict.fromkeys("dHhKkms", 2)  # fmt: skip
#: Letters that may be written by, and not read by.
_WRITTEN_ONLY = "EFQq"
#: Letters of SimpleDateFormat, whose patterns Spark 2 read.
_SIMPLE_DATE_FORMAT = frozenset("GyYMLwWDdFEuaHkKhmsSzZX")
#: The letters that mean the same to it and to Java's DateTimeFormatter.
_ALIKE = frozenset("yMdHhkKmsaE")


def check_pattern(pattern: str, reads: bool, upgraded: bool = True) -> None:
    """Raises WrongPatternError where Spark refuses the pattern, before it reads or writes anything by it.

    Its class says whether Spark 2 took the pattern; `upgraded`: whether Spark asks that (not for TIMESTAMP_NTZ).
    """
    found, open_quote = [t for t in tokens(pattern) if t.letter.isalpha()], pattern.count("'") % 2 == 1
    if has_legacy_patterns():
        if any(t.letter not in _ALIKE or t.count > 4 for t in found):
            raise UnknownValueError("patterns of SimpleDateFormat")
        return
    if not open_quote and not any(_refused(t, reads) for t in found):
        return
    error = _pattern_error(found, reads) if upgraded and not open_quote else "INVALID_DATETIME_PATTERN.WITH_SUGGESTION"
    raise WrongPatternError(f"'{pattern}' is no pattern of dates and times", error)


def _pattern_error(found: list[Token], reads: bool) -> str:
    """Spark's class for a pattern of these letters, what it looks at first in front."""
    letters = {t.letter for t in found}
    if letters <= _SIMPLE_DATE_FORMAT and not any(t.letter == "X" and t.count > 3 for t in found):
        return "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"
    if letters & set("YWwuec"):
        return "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN"
    if letters & set("ABnNp" + (_WRITTEN_ONLY if reads else "")):
        return "INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER"
    long = any(t.count >= 5 if t.letter in "GMLEQq" else t.letter == "y" and t.count >= 7 for t in found)
    return f"INVALID_DATETIME_PATTERN.{'LENGTH' if long else 'WITH_SUGGESTION'}"


def _refused(token: Token, reads: bool) -> bool:
    if token.letter == "V" or token.letter == "O":
        return token.count != 2 if token.letter == "V" else token.count not in (1, 4)
    return token.count > _MOST_LETTERS.get(token.letter, 0) or (reads and token.letter in _WRITTEN_ONLY)


# ------------------------------------------------------------------------------------------------------- writing


def formatted(t: datetime, pattern: str) -> str:
    """A wall clock of the session's zone in a pattern.

    Raises WrongPatternError, and UnknownValueError for letters that are not modelled.
    """
    check_pattern(pattern, False)
    return "".join(token.text or _written(t, token.letter, token.count) for token in tokens(pattern))


def formatted_timestamp(t: datetime, zoned: bool, options: Mapping[str, str]) -> str:
    """A timestamp as CSV and JSON are written: in the pattern of the option timestampFormat, else in that of ISO.

    Raises what `formatted` raises. Spark: CSVOptions, JSONOptions.
    """
    default = "yyyy-MM-dd'T'HH:mm:ss[.SSS]" + ("XXX" if zoned else "")
    return formatted(t, options.get("timestampformat", default))


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
        # As many digits as there are, whatever follows.
        return "fraction", rf"(?>\d{{1,{n}}})"
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
    check_pattern(pattern, True, zoned)
    expression, fields = "", []
    for token in tokens(pattern):
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
            if day.year != year:
                raise _unread(parts["dayofyear"])
            if day.month != _month(parts, day.month) or day.day != int(parts.get("day", day.day)):
                raise _unread(" ".join(parts.values()))
        else:
            day = date(year, _month(parts), int(parts.get("day", 1)))
        fraction = int(parts.get("fraction", "0").ljust(6, "0")[:6])
        return datetime(day.year, day.month, day.day, _hour(parts), int(parts.get("minute", 0)),
                        int(parts.get("second", 0)), fraction)  # fmt: skip
    except ValueError:
        raise _unread(" ".join(parts.values())) from None


def _unread(text: str) -> UnknownValueError:
    if has_legacy_patterns():
        return UnknownValueError("SimpleDateFormat may read it")
    return FailsError(f"'{text}' does not follow the pattern", "CANNOT_PARSE_TIMESTAMP")


def _month(parts: dict[str, str], otherwise: int = 1) -> int:
    if "month name" in parts:
        return [m[:3].lower() for m in MONTHS].index(parts["month name"][:3].lower()) + 1
    return int(parts.get("month", otherwise))


def _hour(parts: dict[str, str]) -> int:
    if "hour" in parts or "clock" in parts:
        return int(parts.get("hour") or parts["clock"]) % 24
    return int(parts.get("half hour", 0)) % 12 + (12 if parts.get("half", "").lower() == "pm" else 0)


@function("gettimestamp", typed=True)
def _get_timestamp(e: FunctionCall, value: Value, pattern: str) -> datetime | None:
    """Spark: GetTimestamp; the last of its tail tells whether what cannot be read fails."""
    if not isinstance(value, str):
        return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    try:
        return parsed(value, pattern, e.tail[0] == "TimestampType")
    except WrongPatternError:
        raise
    except FailsError:
        if e.tail[-1] == "true":
            raise
        return None


function("date_format")(lambda t, pattern: formatted(t, pattern))
