"""Values in a written format: printf, number formats."""

from __future__ import annotations

import itertools
import re
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from planviz.evaluation.arithmetic import to_decimal
from planviz.evaluation.core import WIDE, bounded, function
from planviz.evaluation.errors import FailsError, UnknownValueError
from planviz.expressions.core import Expression
from planviz.expressions.literals import java_double
from planviz.types.values import Value


@function("format_number", typed=True)
def _format_number(e: Expression, value: Value, digits: Value) -> str | None:
    if isinstance(digits, str):
        return _by_pattern(value, digits)
    if digits < 0:
        return None
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN, WIDE):,f}"


def _by_pattern(value: Value, pattern: str) -> str:
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
def _format_string(e: Expression, form: str | None, *values: Value) -> str | None:
    """Java's Formatter for %s, %d, %x and %f; other conversions are not modelled."""
    if form is None:
        return None
    if re.search(r"%0+\$", form):
        raise FailsError(f"{form!r} counts its values from 0", "INVALID_PARAMETER_VALUE.ZERO_INDEX")
    rest = itertools.count()

    def one(m: re.Match[str]) -> str:
        place, flags, width, precision, kind = m.groups()
        if kind == "%":
            return "%"
        at = int(place or 0) - 1 if place else next(rest)
        if at >= len(values):
            raise FailsError(
                f"{form!r} asks for more values than there are", "java.util.MissingFormatArgumentException"
            )
        value = values[at]
        bounded(int(width or 0) + int(precision or 0))
        if value is None:
            return "null".ljust(int(width or 0)) if "-" in flags else "null".rjust(int(width or 0))
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

    if re.search(r"%(?!(?:\d+\$)?[-,+0]*\d*(?:\.\d+)?[sdxXf%])", form.replace("%%", "")):
        raise UnknownValueError(form)
    return re.sub(r"%(?:(\d+)\$)?([-,+0]*)(\d*)(?:\.(\d+))?([sdxXf%])", one, form)


_NUMBER_FORMAT = re.compile(r"(S|MI)?(\$)?([09G,]+)(?:[D.]([09]+))?(S|MI|PR)?")


def _mismatch(text: str, form: str) -> FailsError:
    return FailsError(f"{text!r} does not match the format {form!r}", "INVALID_FORMAT.MISMATCH_INPUT")


def _number_of(e: Expression, text: str, form: str) -> Decimal:
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
            raise _mismatch(text, form)
        body = body[1:]
    whole, _, fraction = body.partition(".")
    groups = re.split("[G,]", shape[3])
    given = whole.split(",")
    if len(given) > len(groups) or any(
        len(g) > len(f) for g, f in zip(reversed(given), reversed(groups), strict=False)
    ):
        raise _mismatch(text, form)
    if not re.fullmatch(r"\d*", "".join(given) + fraction) or len(fraction) > len(shape[4] or "") or not body:
        raise _mismatch(text, form)
    return to_decimal(sign * Decimal(("".join(given) or "0") + ("." + fraction if fraction else "")), e.data_type)


function("to_number", typed=True)(_number_of)


@function("try_to_number", typed=True)
def _try_number_of(e: Expression, text: str, form: str) -> Decimal | None:
    try:
        return _number_of(e, text, form)
    except FailsError:
        return None


_WRITTEN_FORMAT = re.compile(r"(S|MI)?(\$)?([09G,]*)([D.]([09]*))?(\$)?(S|MI|PR)?(S|MI|PR)?")


@function("to_char")
def _to_char(value: Decimal, form: str) -> str:
    """A number in Spark's number format (Spark: ToCharacter); one with too many digits becomes number signs."""
    shape = _WRITTEN_FORMAT.fullmatch(form.upper())
    if shape is None or not (shape[3] or shape[5]):
        raise UnknownValueError(form)
    whole, _, fraction = f"{value.copy_abs():f}".partition(".")
    whole, fraction = whole.lstrip("0"), fraction.rstrip("0")
    signs = [s for s in (shape[7], shape[8]) if s]
    places = sum(c in "09" for c in shape[3])
    if len(whole) > places or len(fraction) > len(shape[5] or ""):
        if shape[1] or shape[2] or shape[6] or signs:
            raise UnknownValueError(form)
        return re.sub("[09]", "#", form.upper()).replace("D", ".").replace(",", " ").replace("G", " ")
    bracketed = "PR" in signs
    out = _signed("", "<" if value < 0 else " ") if bracketed and value < 0 else ""
    out = _signed(out, _sign(shape[1], value)) if shape[1] else out
    out += "$" if shape[2] else ""
    out = _integer_part(out, shape[3], whole.rjust(places))
    if shape[4]:
        out = out[:-1] + "0" if out.endswith(" ") else out
        out += "." + fraction.ljust(len(shape[5]), "0")
    out += "$" if shape[6] else ""
    for s in signs:
        out = _signed(out, (">" if value < 0 else "  ") if s == "PR" else _sign(s, value))
    return out[:-1] + " " if out.endswith(".") else out


def _sign(kind: str, value: Decimal) -> str:
    return "-" if value < 0 else "+" if kind == "S" else " "


def _signed(out: str, sign: str) -> str:
    """A sign stands before the blanks, and a point without digits is one."""
    out = out[:-1] + " " if out.endswith(".") else out
    bare = out.rstrip(" ")
    return bare + sign + out[len(bare) :]


def _integer_part(out: str, form: str, digits: str) -> str:
    """The digits in their places; blanks before them, zeros where a run of places starts with 0."""
    rest = iter(digits)
    for run in re.findall("[09]+|[G,]", form):
        if run in "G,":
            out += "," if out[-1:].isdigit() else " "
            continue
        for _ in run:
            d = next(rest)
            if d == " " and run[0] == "0":
                out += "0"
            elif d == " " and out.rstrip(" ")[-1:] in ("+", "-", "<") and out.rstrip(" "):
                kept = out.rstrip(" $")
                out = kept[:-1] + " " + out[len(kept) - 1 :]
            else:
                out += d
    return out
