"""Precision and scale of decimals: of results, and of what holds two (`DecimalType`, `DecimalPrecision`)."""

from __future__ import annotations

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
    if op == "/":
        scale = max(6, s1 + p2 + 1)
        return adjusted(p1 - s1 + s2 + scale, scale)
    if op in ("%", "pmod"):
        scale = max(s1, s2)
        return adjusted(min(p1 - s1, p2 - s2) + scale, scale)
    digits = p1 - s1 + s2
    return bounded(digits if digits else 1, 0)


def wider_decimal(a: DecimalType, b: DecimalType) -> DecimalType:
    """The decimal that holds the values of both, cut to 38 digits keeping the integral part."""
    scale = max(a.scale, b.scale)
    digits = max(a.precision - a.scale, b.precision - b.scale)
    if digits + scale <= 38:
        return DecimalType(digits + scale, scale)
    return DecimalType(38, max(0, 38 - digits))
