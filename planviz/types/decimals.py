"""Precision and scale of decimals: of results, and of what holds two (`DecimalType`, `DecimalPrecision`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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


def bounded(precision: int, scale: int) -> DecimalType:
    """decimal(precision, scale) with both cut to 38 (Spark: `DecimalType.bounded`)."""
    return DecimalType(min(precision, 38), min(scale, 38))


def adjusted(precision: int, scale: int) -> DecimalType:
    """decimal(precision, scale) cut to 38 digits, giving up at most the scale beyond 6 (`adjustPrecisionScale`)."""
    if precision <= 38:
        return DecimalType(precision, scale)
    if _keeps_precision.get():
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
    if op == "/" and _keeps_precision.get():
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


_keeps_precision: ContextVar[bool] = ContextVar("keeps_precision", default=False)
_least_precision: ContextVar[bool] = ContextVar("least_precision", default=True)


@contextmanager
def decimal_arithmetic(allows_precision_loss: bool, least_precision: bool = True) -> Iterator[None]:
    """Within the block results of arithmetic give up digits behind the point for whole ones, or keep them all.

    `least_precision` says that a whole number beside a decimal has as many digits as it is written with
    (spark.sql.decimalOperations.allowPrecisionLoss, spark.sql.legacy.literal.pickMinimumPrecision).
    """
    tokens = _keeps_precision.set(not allows_precision_loss), _least_precision.set(least_precision)
    try:
        yield
    finally:
        _keeps_precision.reset(tokens[0])
        _least_precision.reset(tokens[1])


def least_precision() -> bool:
    """Whether a whole number beside a decimal has as many digits as it is written with, not those of its type."""
    return _least_precision.get()


#: Whether a decimal that needs more than 38 digits keeps its whole ones (since Spark 4.0) or those behind the point.
_keeps_whole_digits: ContextVar[bool] = ContextVar("keeps_whole_digits", default=True)


@contextmanager
def keeping_whole_digits(whole: bool) -> Iterator[None]:
    """Within the block decimals are widened so."""
    token = _keeps_whole_digits.set(whole)
    try:
        yield
    finally:
        _keeps_whole_digits.reset(token)


def wider_decimal(a: DecimalType, b: DecimalType) -> DecimalType:
    """The decimal that holds the values of both, cut to 38 digits as `keeping_whole_digits` says."""
    scale = max(a.scale, b.scale)
    digits = max(a.precision - a.scale, b.precision - b.scale)
    if digits + scale <= 38:
        return DecimalType(digits + scale, scale)
    if not _keeps_whole_digits.get():
        return DecimalType(38, min(38, scale))
    return DecimalType(38, max(0, 38 - digits))
