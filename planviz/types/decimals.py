"""Precision and scale of decimals: of results, and of what holds two (`DecimalType`, `DecimalPrecision`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace

from planviz.types.data import BYTE, DOUBLE, FLOAT, INT, LONG, SHORT, DataType, DecimalType

#: The decimal that holds every value of an integral type.
FOR_TYPE: dict[DataType, DecimalType] = {
    BYTE: DecimalType(3, 0),
    SHORT: DecimalType(5, 0),
    INT: DecimalType(10, 0),
    LONG: DecimalType(20, 0),
    FLOAT: DecimalType(14, 7),
    DOUBLE: DecimalType(30, 15),
}


@dataclass(frozen=True)
class DecimalRules:
    """How decimals are typed: what a type asks for in the middle of an expression, where Spark asks `SQLConf.get`."""

    #: Arithmetic gives up digits behind the point for whole ones (spark.sql.decimalOperations.allowPrecisionLoss).
    allows_precision_loss: bool = True
    #: A whole number beside a decimal has as many digits as it is written with, not those of its type
    #: (spark.sql.legacy.literal.pickMinimumPrecision).
    least_precision: bool = True
    #: A decimal that needs more than 38 digits keeps its whole ones (since Spark 4.0), not those behind the point.
    keeps_whole_digits: bool = True


_DEFAULTS = DecimalRules()
_current: ContextVar[DecimalRules] = ContextVar("decimal_rules", default=_DEFAULTS)


def decimal_rules() -> DecimalRules:
    """The rules that hold here."""
    return _current.get()


@contextmanager
def typing_decimals(**changes: bool) -> Iterator[None]:
    """Within the block decimals are typed by the rules that hold here with these changes, fields of `DecimalRules`."""
    token = _current.set(replace(_current.get(), **changes))
    try:
        yield
    finally:
        _current.reset(token)


def bounded(precision: int, scale: int) -> DecimalType:
    """decimal(precision, scale) with both cut to 38 (Spark: `DecimalType.bounded`)."""
    return DecimalType(min(precision, 38), min(scale, 38))


def adjusted(precision: int, scale: int) -> DecimalType:
    """decimal(precision, scale) cut to 38 digits, giving up at most the scale beyond 6 (`adjustPrecisionScale`)."""
    if precision <= 38:
        return DecimalType(precision, scale)
    if not decimal_rules().allows_precision_loss:
        return bounded(precision, scale)
    digits = precision - scale
    min_scale = min(scale, 6)
    return DecimalType(38, max(38 - digits, min_scale))


def decimal_result(op: str, a: DecimalType, b: DecimalType) -> DecimalType:
    """The type of `a op b`, op one of + - * / % div pmod (Spark: BinaryArithmetic.resultDecimalType)."""
    p1, s1, p2, s2 = a.precision, a.scale, b.precision, b.scale
    if op in ("+", "-"):
        scale = max(s1, s2)
        return adjusted(max(p1 - s1, p2 - s2) + scale + 1, scale)
    if op == "*":
        return adjusted(p1 + p2 + 1, s1 + s2)
    if op == "/" and not decimal_rules().allows_precision_loss:
        digits, behind = min(38, p1 - s1 + s2), min(38, max(6, s1 + p2 + 1))
        beyond = digits + behind - 38
        if beyond > 0:
            behind -= beyond // 2 + 1
            digits = 38 - behind
        return bounded(digits + behind, behind)
    if op == "/":
        scale = max(6, s1 + p2 + 1)
        return adjusted(p1 - s1 + s2 + scale, scale)
    if op in ("%", "pmod"):
        scale = max(s1, s2)
        return adjusted(min(p1 - s1, p2 - s2) + scale, scale)
    digits = p1 - s1 + s2
    return bounded(digits if digits else 1, 0)


def wider_decimal(a: DecimalType, b: DecimalType) -> DecimalType:
    """The decimal that holds the values of both, cut to 38 digits as the rules say."""
    scale = max(a.scale, b.scale)
    digits = max(a.precision - a.scale, b.precision - b.scale)
    if digits + scale <= 38:
        return DecimalType(digits + scale, scale)
    if not decimal_rules().keeps_whole_digits:
        return DecimalType(38, min(38, scale))
    return DecimalType(38, max(0, 38 - digits))
