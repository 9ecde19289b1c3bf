"""Aggregate functions by name: fewest arguments, most arguments (-1: any), builder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planviz.expressions.aggregates import AggregateCall, Average, Count, Max, Min, Sum
from planviz.expressions.core import Expression, Literal, lit
from planviz.types import BOOLEAN, DOUBLE, LONG, NULL, STRING, UNKNOWN, ArrayType, DataType

Args = tuple[Expression, ...]
Builder = Callable[[Args], Expression]


def _aggregate(
    name: str, result: Callable[[Args], DataType], tail: tuple[str, ...] = (), *, nullable: bool = True, **more: Any
) -> Builder:
    return lambda a: AggregateCall(name, a, result(a), nullable, tail, **more)


def _of_first(a: Args) -> DataType:
    return a[0].data_type if a else UNKNOWN


def _fixed(t: DataType) -> Callable[[Args], DataType]:
    return lambda _: t


AGGREGATES: dict[str, tuple[int, int, Builder]] = {
    "count": (0, -1, Count),
    "sum": (1, 1, lambda a: Sum(a[0])),
    "try_sum": (1, 1, lambda a: Sum(a[0], "try_sum")),
    "avg": (1, 1, lambda a: Average(a[0])),
    "mean": (1, 1, lambda a: Average(a[0], "mean")),
    "try_avg": (1, 1, lambda a: Average(a[0], "try_avg")),
    "min": (1, 1, lambda a: Min(a[0])),
    "max": (1, 1, lambda a: Max(a[0])),
    "max_by": (2, 2, _aggregate("max_by", _of_first)),
    "min_by": (2, 2, _aggregate("min_by", _of_first)),
    "count_if": (1, 1, _aggregate("count_if", _fixed(LONG), nullable=False)),
    "approx_count_distinct": (
        1,
        2,
        _aggregate("approx_count_distinct", _fixed(LONG), ("0.05", "0", "0"), nullable=False),
    ),
    "collect_list": (
        1,
        1,
        _aggregate(
            "collect_list",
            lambda a: ArrayType(a[0].data_type, False),
            ("0", "0", "true"),
            nullable=False,
            is_deterministic=False,
        ),
    ),
    "array_agg": (
        1,
        1,
        _aggregate(
            "collect_list",
            lambda a: ArrayType(a[0].data_type, False),
            ("0", "0", "true"),
            nullable=False,
            is_deterministic=False,
        ),
    ),
    "collect_set": (
        1,
        1,
        _aggregate(
            "collect_set",
            lambda a: ArrayType(a[0].data_type, False),
            ("0", "0", "true"),
            nullable=False,
            is_deterministic=False,
        ),
    ),
    "median": (1, 1, _aggregate("median", _fixed(DOUBLE), doubles=True)),
    "mode": (0, 2, _aggregate("mode", _of_first, ("0", "0", "None"))),
    "percentile": (
        2,
        3,
        lambda a: AggregateCall("percentile", (*a, lit(1)) if len(a) == 2 else a, DOUBLE, True, ("0", "0", "false")),
    ),
    "percentile_approx": (
        2,
        3,
        lambda a: AggregateCall(
            "percentile_approx", (*a, lit(10000)) if len(a) == 2 else a, a[0].data_type, True, ("0", "0")
        ),
    ),
    "approx_percentile": (
        2,
        3,
        lambda a: AggregateCall(
            "approx_percentile", (*a, lit(10000)) if len(a) == 2 else a, a[0].data_type, True, ("0", "0")
        ),
    ),
    "listagg": (
        1,
        2,
        lambda a: AggregateCall("listagg", a if len(a) > 1 else (*a, Literal(None, NULL)), STRING, True, ("0", "0")),
    ),
    "string_agg": (
        1,
        2,
        lambda a: AggregateCall("string_agg", a if len(a) > 1 else (*a, Literal(None, NULL)), STRING, True, ("0", "0")),
    ),
    "percentile_cont": (1, 1, _aggregate("percentile_cont", _fixed(DOUBLE), ("false",))),
    "percentile_disc": (1, 1, _aggregate("percentile_disc", _fixed(DOUBLE), ("false",))),
}
for _name in ["stddev", "stddev_samp", "stddev_pop", "std", "variance", "var_samp", "var_pop", "skewness", "kurtosis"]:
    AGGREGATES[_name] = (1, 1, _aggregate(_name, _fixed(DOUBLE), doubles=True))
_PAIRS = "corr covar_pop covar_samp regr_slope regr_intercept regr_r2 regr_avgx regr_avgy regr_sxx regr_syy regr_sxy"
for _name in _PAIRS.split(" "):
    AGGREGATES[_name] = (2, 2, _aggregate(_name, _fixed(DOUBLE), doubles=True))
AGGREGATES["histogram_numeric"] = (2, 2, _aggregate("histogram_numeric", _fixed(UNKNOWN), ("0", "0")))
AGGREGATES["regr_count"] = (2, 2, _aggregate("regr_count", _fixed(LONG), nullable=False))
for _name in ["bool_and", "bool_or", "every", "some", "any"]:
    AGGREGATES[_name] = (1, 1, _aggregate(_name, _fixed(BOOLEAN)))
for _name in ["bit_and", "bit_or", "bit_xor"]:
    AGGREGATES[_name] = (1, 1, _aggregate(_name, _of_first))
