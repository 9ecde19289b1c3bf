"""What aggregate functions keep while they run: their buffers' columns (Spark: aggBufferAttributes)."""

from __future__ import annotations

from typing import Any

from planviz.expressions.aggregates import AggregateCall, Average, Count, FirstLast, MinMax, Sum
from planviz.expressions.core import AttributeReference, next_id
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
    **dict.fromkeys(("stddev", "std", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop"), 3),
    "skewness": 4,
    "kurtosis": 5,
}
_COVARIANCE = ("n", "xAvg", "yAvg", "ck")
_PAIRS = {"covar_pop": _COVARIANCE, "covar_samp": _COVARIANCE, "corr": (*_COVARIANCE, "xMk", "yMk")}
_BITS = {"bit_and": "bit_and", "bit_or": "bit_or", "bit_xor": "bit_xor"}
_SKETCH_WORDS = 52


def is_mutable(t: DataType) -> bool:
    """Whether a buffer of this type can be updated in place, as HashAggregate needs it."""
    return t in MUTABLE or isinstance(t, DecimalType) or is_ansi_interval(t) or t.simple_string.startswith("time(")


def is_imperative(function: Any) -> bool:
    """Whether the function keeps an object of its own (Spark: TypedImperativeAggregate)."""
    return [c for c, _ in columns_of(function)] == ["buf"]


def columns_of(f: Any) -> list[tuple[str, DataType]]:
    """Name and type of every column of a function's buffer."""
    match f:
        case Sum():
            tracked = isinstance(f.data_type, DecimalType) or (f.name == "try_sum" and is_integral(f.data_type))
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
    if name in _PAIRS:
        return [(c, DOUBLE) for c in _PAIRS[name]]
    if name in _BITS:
        return [(name, f.data_type)]
    if name in ("max_by", "min_by"):
        return [("valueWithExtremumOrdering", f.data_type), ("extremumOrdering", f.arguments[1].data_type)]
    if name == "approx_count_distinct":
        return [(f"MS[{i}]", LONG) for i in range(_SKETCH_WORDS)]
    return [("buf", BINARY)]


def buffer_of(function: Any) -> tuple[AttributeReference, ...]:
    """Fresh attributes for a function's buffer."""
    return tuple(AttributeReference(name, t, True, next_id()) for name, t in columns_of(function))
