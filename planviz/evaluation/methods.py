"""Methods of Java that stand for functions, and those that measure texts of char(n) and varchar(n)."""

from __future__ import annotations

from planviz.evaluation.core import Row, bounded, evaluate, expression
from planviz.evaluation.errors import FailsError, UnknownValueError
from planviz.evaluation.variants import read, written
from planviz.expressions.core import Literal
from planviz.expressions.objects import StaticInvoke
from planviz.types import BOOLEAN
from planviz.types.values import Value


@expression(StaticInvoke)
def _static(e: StaticInvoke, row: Row) -> Value:
    """What a method of Java computes; most are not looked at."""
    if e.method == "parseJson" and len(e.arguments) == 4:
        return _parsed(e, row)
    if e.owner.endswith("CharVarcharCodegenUtils"):
        text, length = (evaluate(a, row) for a in e.arguments)
        return None if text is None else _measured(e.method, text, length)
    if e.method in ("lpad", "rpad"):
        data, length, pad = (evaluate(a, row) for a in e.arguments)
        return None if None in (data, length, pad) else _filled(e.method, data, length, pad)
    raise UnknownValueError(str(e))


def _filled(method: str, data: bytes, length: int, pad: bytes) -> bytes:
    bounded(length)
    missing = max(length - len(data), 0)
    fill = (pad * (missing // len(pad) + 1))[:missing] if pad else b""
    return fill + data[: max(length, 0)] if method == "lpad" else data[: max(length, 0)] + fill


def _parsed(e: StaticInvoke, row: Row) -> Value:
    text = evaluate(e.arguments[0], row)
    if text is None:
        return None
    try:
        return written(read(text))
    except FailsError:
        if e.arguments[2] == Literal(False, BOOLEAN):
            return None
        raise


def _measured(method: str, text: str, length: int) -> str:
    """Blanks beyond the length are cut off, others are too many."""
    if len(text) > length and method != "readSidePadding":
        if len(text.rstrip(" ")) > length:
            raise FailsError(f"a text of {len(text)} characters where {length} fit", "EXCEED_LIMIT_LENGTH")
        return text[:length]
    return text if method == "varcharTypeWriteSideCheck" else text.ljust(length)
