"""What `describe` and `summary` compute of a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.expressions.casts import Cast
from planviz.expressions.core import AttributeReference, Expression, Literal
from planviz.expressions.unresolved import UnresolvedFunction
from planviz.types import (
    DOUBLE,
    INT,
    STRING,
    ArrayType,
    is_numeric,
)

if TYPE_CHECKING:
    pass


#: What `summary` knows beside shares of the rows.
STATISTICS = ("count", "count_distinct", "approx_count_distinct", "mean", "stddev", "min", "max")


def statistics_of(a: AttributeReference, names: list[str]) -> Expression:
    """map(name, value, ...) of a column's statistics as texts (Spark: StatFunctions.summary)."""
    number = a if is_numeric(a.type) else Cast(a, DOUBLE, "TRY", True)
    parts: list[Expression] = []
    shares = tuple(float(n[:-1]) / 100 for n in names if n.endswith("%"))
    quantiles = UnresolvedFunction(
        ("percentile_approx",), (number, Literal(shares, ArrayType(DOUBLE, False)), Literal(10000, INT))
    )
    place = 0
    for n in names:
        function = {"mean": "avg", "count_distinct": "count"}.get(n, n)
        of = number if n in ("mean", "stddev") else a
        value: Expression = UnresolvedFunction((function,), (of,), n == "count_distinct")
        if n.endswith("%"):
            value = UnresolvedFunction(("get",), (quantiles, Literal(place, INT)))
            place += 1
        parts += [Cast(Literal(n, STRING), STRING), Cast(value, STRING)]
    return UnresolvedFunction(("map",), tuple(parts))
