"""The type that two types convert to by themselves, by the ANSI rules of Spark 4 (`AnsiTypeCoercion`)."""

from __future__ import annotations

from collections.abc import Callable

from planviz.types.data import (
    DOUBLE,
    FRACTIONAL,
    INTEGRAL,
    LONG,
    NULL,
    NUMERIC,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    GeospatialType,
    MapType,
    StructField,
    StructType,
    YearMonthIntervalType,
    geospatial,
    is_atomic,
    is_datetime,
    is_interval,
    is_numeric,
    is_string,
)
from planviz.types.decimals import FOR_TYPE, wider_decimal


def tightest_common_type(a: DataType, b: DataType) -> DataType | None:
    """The narrowest type both convert to without loss, ANSI rules; None when there is none.

    Spark: `AnsiTypeCoercion.findTightestCommonType`. Strings take no part here.
    """
    if a == b:
        return a
    if a == NULL:
        return b
    if b == NULL:
        return a
    if a in INTEGRAL and b in INTEGRAL:
        return INTEGRAL[max(INTEGRAL.index(a), INTEGRAL.index(b))]
    if a in NUMERIC and b in NUMERIC:
        # An integral beside a float goes to double: a float cannot hold it.
        return DOUBLE
    if isinstance(a, DecimalType) and b in NUMERIC:
        return _decimal_with(a, b)
    if isinstance(b, DecimalType) and a in NUMERIC:
        return _decimal_with(b, a)
    if isinstance(a, DayTimeIntervalType) and isinstance(b, DayTimeIntervalType):
        return DayTimeIntervalType(min(a.start, b.start), max(a.end, b.end))
    if isinstance(a, YearMonthIntervalType) and isinstance(b, YearMonthIntervalType):
        return YearMonthIntervalType(min(a.start, b.start), max(a.end, b.end))
    if isinstance(a, GeospatialType) and isinstance(b, GeospatialType):
        return geospatial(a.kind) if a.kind == b.kind else None
    if is_datetime(a) and is_datetime(b):
        return TIMESTAMP if TIMESTAMP in (a, b) else TIMESTAMP_NTZ
    return _common_complex(a, b, _tightest_part)


def _tightest_part(a: DataType, b: DataType) -> DataType | None:
    """The narrowest type of two elements or fields: none where a decimal meets a float."""
    kinds = {isinstance(t, DecimalType) for t in (a, b)}
    return None if len(kinds) == 2 and (a in FRACTIONAL or b in FRACTIONAL) else tightest_common_type(a, b)


def _decimal_with(d: DecimalType, t: DataType) -> DataType | None:
    if t in FRACTIONAL:
        return DOUBLE
    i = FOR_TYPE[t]
    if d.precision - d.scale >= i.precision - i.scale:
        return d
    return None


def _common_complex(
    a: DataType, b: DataType, common: Callable[[DataType, DataType], DataType | None]
) -> DataType | None:
    """The common type of two arrays, maps or structs, whose parts have one by `common` (Spark: findTypeForComplex)."""
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        element = common(a.element, b.element)
        return ArrayType(element, a.contains_null or b.contains_null) if element else None
    if isinstance(a, MapType) and isinstance(b, MapType):
        k, v = common(a.key, b.key), common(a.value, b.value)
        if k is not None and is_string(a.key) != is_string(b.key) and not is_string(k):
            # A text may be no number, and a key must not be null.
            return None
        return MapType(k, v, a.value_contains_null or b.value_contains_null) if k and v else None
    if isinstance(a, StructType) and isinstance(b, StructType) and len(a.fields) == len(b.fields):
        fields = []
        for x, y in zip(a.fields, b.fields, strict=True):
            t = common(x.data_type, y.data_type)
            if t is None or x.name.lower() != y.name.lower():
                return None
            fields.append(StructField(x.name, t, x.nullable or y.nullable))
        return StructType(tuple(fields))
    return None


def promote_string(t: DataType) -> DataType | None:
    """What a string is cast to beside a value of type `t` (ANSI): bigint for integrals, double for other numbers."""
    if t in INTEGRAL:
        return LONG
    if is_numeric(t):
        return DOUBLE
    if is_interval(t) or isinstance(t, ArrayType | MapType | StructType):
        return None
    return t


def wider_type(a: DataType, b: DataType) -> DataType | None:
    """The type both are cast to where they must agree: set operations, CASE branches, comparisons (ANSI).

    Spark: `AnsiTypeCoercion.findWiderTypeForTwo` with decimals widened and strings promoted.
    """
    common = tightest_common_type(a, b)
    if common is not None:
        return common
    da = a if isinstance(a, DecimalType) else FOR_TYPE.get(a)
    db = b if isinstance(b, DecimalType) else FOR_TYPE.get(b)
    if da is not None and db is not None:
        return wider_decimal(da, db)
    if is_string(a) and is_string(b):
        return None
    if is_string(a) and is_atomic(b):
        return promote_string(b)
    if is_string(b) and is_atomic(a):
        return promote_string(a)
    return _common_complex(a, b, wider_type)


def wider_common(types: list[DataType]) -> DataType | None:
    """The wider type of several, from left to right (`AnsiTypeCoercion.findWiderCommonType`)."""
    common: DataType | None = NULL
    for t in types:
        common = wider_type(common, t) if common is not None else None
    return common
