"""Values in a written format: date patterns, printf, number formats."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any

from planviz.expressions.literals import java_double
from planviz.optimizer.evaluation.arithmetic import WIDE, to_decimal
from planviz.optimizer.evaluation.core import FailsError, UnknownValueError, function, type_of

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']")


def _tokens(pattern: str) -> list[tuple[str, int, str]]:
    """A pattern's letters with their counts, and literal text (letter '')."""
    out = []
    for m in _TOKEN.finditer(pattern):
        text = m.group()
        out.append(
            (m[2], len(text), "") if m[2] else ("", 0, (m[1].replace("''", "'") or "'") if m[1] is not None else text)
        )
    return out


def formatted(t: datetime, pattern: str) -> str:
    """A timestamp in a date pattern. Raises UnknownValueError for letters that are not modelled."""
    return "".join(text or _field(t, letter, n) for letter, n, text in _tokens(pattern))


def _field(t: datetime, letter: str, n: int) -> str:
    numbers = {"M": t.month, "L": t.month, "d": t.day, "D": t.timetuple().tm_yday, "H": t.hour, "h": t.hour % 12 or 12,
               "m": t.minute, "s": t.second, "k": t.hour or 24, "K": t.hour % 12}  # fmt: skip
    if letter in ("y", "u"):
        return f"{t.year % 100:02d}" if n == 2 else str(t.year).rjust(n, "0")
    if letter in ("M", "L") and n >= 3:
        return _MONTHS[t.month - 1][: 3 if n == 3 else None]
    if letter in numbers and n <= 3:
        return str(numbers[letter]).rjust(n, "0")
    if letter == "E" and n <= 4:
        return _DAYS[t.weekday()][: 3 if n < 4 else None]
    if letter == "a" and n == 1:
        return "AM" if t.hour < 12 else "PM"
    if letter == "S" and n <= 9:
        return f"{t.microsecond:06d}000"[:n]
    if letter in ("q", "Q") and n <= 2:
        return str((t.month + 2) // 3).rjust(n, "0")
    raise UnknownValueError(letter)


_WIDTHS = {"M": "month", "d": "day", "H": "hour", "h": "hour12", "m": "minute", "s": "second", "D": "dayofyear"}


def parsed(text: str, pattern: str) -> datetime:
    """A text read by a date pattern. Raises FailsError, and UnknownValueError for letters that are not modelled."""
    expression, groups = "", []
    for letter, n, literal in _tokens(pattern):
        if literal:
            expression += re.escape(literal)
            continue
        if letter in ("y", "u"):
            groups.append("year2" if n == 2 else "year")
            expression += r"(\d{2})" if n == 2 else rf"(\d{{{n},}})"
        elif letter in ("M", "L") and n == 3:
            groups.append("name")
            expression += r"([A-Za-z]{3})"
        elif letter == "S":
            groups.append("fraction")
            expression += rf"(\d{{{n}}})"
        elif letter == "a":
            groups.append("half")
            expression += r"([AaPp][Mm])"
        elif letter in _WIDTHS and n <= 2:
            groups.append(_WIDTHS[letter])
            expression += r"(\d{2})" if n == 2 else r"(\d{1,2})"
        else:
            raise UnknownValueError(letter)
    found = re.fullmatch(expression, text)
    if found is None:
        raise FailsError(text)
    return _assembled(dict(zip(groups, found.groups(), strict=True)))


def _assembled(parts: dict[str, str]) -> datetime:
    year = int(parts["year"]) if "year" in parts else 2000 + int(parts["year2"]) if "year2" in parts else 1970
    names = [m[:3].lower() for m in _MONTHS]
    month = names.index(parts["name"].lower()) + 1 if "name" in parts else int(parts.get("month", 1))
    hour = int(parts.get("hour", parts.get("hour12", 0)))
    if "half" in parts:
        hour = hour % 12 + (12 if parts["half"].lower() == "pm" else 0)
    if "dayofyear" in parts:
        raise UnknownValueError("D")
    try:
        return datetime(year, month, int(parts.get("day", 1)), hour, int(parts.get("minute", 0)),
                        int(parts.get("second", 0)), int(parts.get("fraction", "0").ljust(6, "0")[:6]))  # fmt: skip
    except ValueError:
        raise FailsError(str(parts)) from None


function("date_format")(lambda t, pattern: formatted(t, pattern))


@function("format_number", typed=True)
def _format_number(e: Any, value: Any, digits: Any) -> str | None:
    if isinstance(digits, str):
        return _by_pattern(value, digits)
    if digits < 0:
        return None
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN, WIDE):,f}"


def _by_pattern(value: Any, pattern: str) -> str:
    found = re.fullmatch(r"([#,0]*)(?:\.([#0]*))?", pattern)
    if found is None:
        raise UnknownValueError(pattern)
    whole, fraction = found[1], found[2] or ""
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    text = f"{exact.quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_EVEN, WIDE):{',' if ',' in whole else ''}f}"
    head, _, tail = text.partition(".")
    least = fraction.count("0")
    while len(tail) > least and tail.endswith("0"):
        tail = tail[:-1]
    return head + ("." + tail if tail else "")


@function("format_string", "printf", typed=True, nulls=True)
def _format_string(e: Any, form: str | None, *values: Any) -> str | None:
    """Java's Formatter for %s, %d, %x and %f; other conversions are not modelled."""
    if form is None:
        return None
    rest = iter(values)

    def one(m: re.Match[str]) -> str:
        flags, width, precision, kind = m.groups()
        if kind == "%":
            return "%"
        value = next(rest)
        if value is None:
            return "null".rjust(int(width or 0))
        if kind == "s":
            text = value if isinstance(value, str) else java_double(value) if isinstance(value, float) else None
            text = str(value) if isinstance(value, int) and not isinstance(value, bool) else text
            if text is None:
                raise UnknownValueError(form)
            return text.ljust(int(width or 0)) if "-" in flags else text.rjust(int(width or 0))
        if kind == "f":
            exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
            value = exact.quantize(Decimal(1).scaleb(-int(precision or 6)), ROUND_HALF_UP, WIDE)
            return f"{value:{flags.replace('-', '<')}{width or ''}f}"
        return f"{value:{flags.replace('-', '<')}{width or ''}{kind}}"

    if re.search(r"%(?![-,+0]*\d*(?:\.\d+)?[sdxXf%])", form):
        raise UnknownValueError(form)
    return re.sub(r"%([-,+0]*)(\d*)(?:\.(\d+))?([sdxXf%])", one, form)


_NUMBER_FORMAT = re.compile(r"(S|MI)?(\$)?([09G,]+)(?:[D.]([09]+))?(S|MI|PR)?")


def _number_of(e: Any, text: str, form: str) -> Decimal:
    shape = _NUMBER_FORMAT.fullmatch(form.upper())
    if shape is None:
        raise UnknownValueError(form)
    body, sign = text.strip(), 1
    if "S" in (shape[1], shape[5]) or "MI" in (shape[1], shape[5]):
        end = body[:1] if shape[1] else body[-1:]
        if end in ("+", "-"):
            sign, body = (-1 if end == "-" else 1), (body[1:] if shape[1] else body[:-1])
    if shape[5] == "PR" and body.startswith("<") and body.endswith(">"):
        sign, body = -1, body[1:-1]
    if shape[2]:
        if not body.startswith("$"):
            raise FailsError(text)
        body = body[1:]
    whole, _, fraction = body.partition(".")
    groups = re.split("[G,]", shape[3])
    given = whole.split(",")
    if len(given) > len(groups) or any(
        len(g) > len(f) for g, f in zip(reversed(given), reversed(groups), strict=False)
    ):
        raise FailsError(text)
    if not re.fullmatch(r"\d*", "".join(given) + fraction) or len(fraction) > len(shape[4] or "") or not body:
        raise FailsError(text)
    return to_decimal(sign * Decimal(("".join(given) or "0") + ("." + fraction if fraction else "")), e.data_type)


function("to_number", typed=True)(_number_of)


@function("try_to_number", typed=True)
def _try_number_of(e: Any, text: str, form: str) -> Decimal | None:
    try:
        return _number_of(e, text, form)
    except FailsError:
        return None


@function("to_char", "to_varchar", typed=True)
def _to_char(e: Any, value: Any, form: str) -> str:
    if isinstance(value, datetime):
        return formatted(value, form)
    if isinstance(value, bytes):
        return value.decode(form)
    shape = _NUMBER_FORMAT.fullmatch(form.upper())
    if shape is None or ("0" not in form and "9" not in form) or type_of(e, 0) is None:
        raise UnknownValueError(form)
    digits = len(shape[4] or "")
    exact = abs(Decimal(value)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP, WIDE)
    head, _, tail = f"{exact:f}".partition(".")
    places = sum(c in "09" for c in shape[3])
    if len(head) > places:
        return "#" * len(form)
    out, rest, zero = "", list(head.rjust(places)), False
    for c in shape[3]:
        if c in "G,":
            out += "," if out.strip() else " "
            continue
        d = rest.pop(0)
        zero = zero or c == "0"
        out += "0" if d == " " and zero else d
    text = out + ("." + tail if shape[4] else "")
    text = "$" + text.lstrip() if shape[2] else text
    sign = "-" if value < 0 else "+"
    if shape[5] in ("S", "MI"):
        return text + (sign if shape[5] == "S" or value < 0 else " ")
    if shape[1] in ("S", "MI"):
        return (sign if shape[1] == "S" or value < 0 else " ") + text
    return text if value >= 0 else "-" + text
