"""What aggregate functions keep while they run: their buffers' columns (Spark: aggBufferAttributes)."""

from __future__ import annotations

import math

from planviz.expressions.aggregates import AggregateCall, Average, Count, FirstLast, MinMax, Sum
from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.ids import next_id
from planviz.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    NULL,
    SHORT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    UNKNOWN,
    ArrayType,
    DataType,
    DecimalType,
    bounded,
    is_ansi_interval,
    is_integral,
)

#: Types whose values can be changed in place in an UnsafeRow (Spark: UnsafeRow.isMutable), beside decimals and
#: intervals.
MUTABLE = (NULL, BOOLEAN, BYTE, SHORT, INT, LONG, FLOAT, DOUBLE, DATE, TIMESTAMP, TIMESTAMP_NTZ, CALENDAR_INTERVAL)
_MOMENTS = ("n", "avg", "m2", "m3", "m4")
_CENTRAL = {
    **dict.fromkeys(
        ("stddev", "std", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop", "regrreplacement"), 3
    ),
    "skewness": 4,
    "kurtosis": 5,
}
_COVARIANCE = ("n", "xAvg", "yAvg", "ck")
_CORRELATION = (*_COVARIANCE, "xMk", "yMk")
_SLOPE = (*_COVARIANCE, *_MOMENTS[:3])
_PAIRS = {
    "covar_pop": _COVARIANCE,
    "covar_samp": _COVARIANCE,
    "regr_sxy": _COVARIANCE,
    "corr": _CORRELATION,
    "regr_r2": _CORRELATION,
    "regr_slope": _SLOPE,
    "regr_intercept": _SLOPE,
}
_BITS = {"bit_and": "bit_and", "bit_or": "bit_or", "bit_xor": "bit_xor"}
_BITMAPS = ("bitmap_construct_agg", "bitmap_or_agg", "bitmap_and_agg")
_IMPERATIVE = ("approx_count_distinct", "pivotfirst", "vector_avg", "vector_sum", *_BITMAPS)
#: Registers of 6 bits in a word of 64.
_REGISTERS_PER_WORD = 10


def is_mutable(t: DataType) -> bool:
    """Whether a buffer of this type can be updated in place, as HashAggregate needs it; an unknown type counts as a
    number's."""
    return (
        t in MUTABLE
        or t == UNKNOWN
        or isinstance(t, DecimalType)
        or is_ansi_interval(t)
        or t.simple_string.startswith("time(")
    )


def keeps_objects(function: Expression) -> bool:
    """Whether the function keeps an object of its own (Spark: TypedImperativeAggregate)."""
    return [c for c, _ in columns_of(function)] == ["buf"]


def is_imperative(function: Expression) -> bool:
    """Whether the function changes its buffer by code of its own, which no stage generates (ImperativeAggregate)."""
    return getattr(function, "name", "").lower() in _IMPERATIVE or keeps_objects(function)


def columns_of(f: Expression) -> list[tuple[str, DataType]]:
    """Name and type of every column of a function's buffer."""
    match f:
        case Sum():
            exact = is_integral(f.data_type) or is_ansi_interval(f.data_type)
            tracked = isinstance(f.data_type, DecimalType) or ((f.tries or f.name == "try_sum") and exact)
            return [("sum", f.data_type), *([("isEmpty", BOOLEAN)] if tracked else [])]
        case Average():
            return [("sum", _sum_of_average(f.child.data_type)), ("count", LONG)]
        case Count():
            return [("count", LONG)]
        case MinMax():
            return [(f.pretty_name, f.data_type)]
        case FirstLast():
            name = "last" if f.name in ("last", "last_value") else "first"
            return [(name, f.data_type), ("valueSet", BOOLEAN)]
        case AggregateCall():
            return _call_columns(f)
    return [("buf", BINARY)]


def _sum_of_average(t: DataType) -> DataType:
    if isinstance(t, DecimalType):
        return bounded(t.precision + 10, t.scale)
    return t if is_ansi_interval(t) else DOUBLE


def _call_columns(f: AggregateCall) -> list[tuple[str, DataType]]:
    name = f.name.lower()
    if name in _CENTRAL:
        return [(c, DOUBLE) for c in _MOMENTS[: _CENTRAL[name]]]
    if name == "product":
        return [(name, DOUBLE)]
    if name in _PAIRS:
        return [(c, DOUBLE) for c in _PAIRS[name]]
    if name in ("vector_avg", "vector_sum"):
        return [("acc", BINARY), ("count", LONG)]
    if name in _BITS:
        return [(name, f.data_type)]
    if name in ("max_by", "min_by") and len(f.arguments) > 2:
        return [(part, ArrayType(BINARY, True)) for part in ("values", "orderings", "heapIndices")]
    if name in ("max_by", "min_by"):
        return [("valueWithExtremumOrdering", f.data_type), ("extremumOrdering", f.arguments[1].data_type)]
    if name == "approx_count_distinct":
        return [(f"MS[{i}]", LONG) for i in range(_sketch_words(f))]
    if name == "pivotfirst":
        return [(text, f.arguments[1].data_type) for text in f.tail[:-2]]
    if name in _BITMAPS:
        return [("bitmap", BINARY)]
    return [("buf", BINARY)]


def _sketch_words(f: AggregateCall) -> int:
    """How many words a HyperLogLog sketch of the wanted precision has."""
    deviation = float(f.tail[0]) if f.tail else 0.05
    registers = 1 << math.ceil(2 * math.log2(1.106 / deviation))
    return registers // _REGISTERS_PER_WORD + 1


def buffer_of(function: Expression, earlier: bool = False) -> tuple[AttributeReference, ...]:
    """Fresh attributes for a function's buffer; `earlier`: Spark 3.0 does not note whether a sum saw a row."""
    columns = columns_of(function)
    kept = [c for c in columns if not (earlier and isinstance(function, Sum) and c[0] == "isEmpty")]
    return tuple([AttributeReference(name, t, True, next_id()) for name, t in kept])
