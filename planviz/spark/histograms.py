"""Equi-height histograms of columns, as Spark's ANALYZE makes them: ends of the bins first, then values in each.

The ends are percentiles, the values between them are counted by ApproxCountDistinctForIntervals. That function has no
name in SQL, so it is made in the JVM; over Spark Connect there is no way to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from planviz.spark.columns import Column
from planviz.spark.jvm import jvm_of

if TYPE_CHECKING:
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame, SparkSession

#: How a value becomes the number that a histogram shows; others show themselves.
_NUMBERS = {"date": "unix_date(x)", "timestamp": "unix_micros(x)", "timestamp_ntz": "unix_micros(cast(x AS timestamp))"}


@dataclass(frozen=True)
class Ends:
    """Where a column's bins begin and end: as texts of its type, and as numbers."""

    texts: tuple[str, ...]
    numbers: tuple[float, ...]


def ends_of(session: SparkSession, frame: DataFrame, columns: list[Column]) -> dict[str, Ends]:
    """The ends of the bins by column; none of those that have no histogram in Spark, or no values."""
    bins = int(str(session.conf.get("spark.sql.statistics.histogram.numBins")))
    accuracy = session.conf.get("spark.sql.statistics.percentile.accuracy")
    shares = ", ".join(f"{at / bins!r}D" for at in range(bins + 1))
    having = [c for c in columns if c.ordered and c.kind != "boolean"]
    if not having:
        return {}
    asked = []
    for c in having:
        percentiles = f"percentile_approx({c.quoted}, array({shares}), {accuracy})"
        shown = f"transform({percentiles}, x -> {_NUMBERS[c.kind]})" if c.kind in _NUMBERS else percentiles
        asked += [f"cast({percentiles} AS array<string>)", f"cast({shown} AS array<string>)"]
    row = iter(frame.selectExpr(*(f"{a} AS c{at}" for at, a in enumerate(asked))).collect()[0])
    found = {}
    for c in having:
        texts, numbers = next(row), next(row)
        # Spark keeps a bin of NaN, which no number can be compared with.
        if texts and all(isfinite(float(n)) for n in numbers):
            found[c.name] = Ends(tuple(texts), tuple(map(float, numbers)))
    return found


def selected(
    frame: DataFrame, asked: list[str], columns: list[Column], ends: dict[str, Ends], error: float
) -> DataFrame:
    """One row with these aggregates and, for each column with ends, in their order, distinct values in each bin."""
    if not ends:
        return frame.selectExpr(*asked)
    from pyspark.sql.functions import expr

    counts = [_counts(frame, c, ends[c.name], error) for c in columns if c.name in ends]
    return frame.select(*[expr(text) for text in asked], *counts)


def _counts(frame: DataFrame, column: Column, ends: Ends, error: float) -> SparkColumn:
    from pyspark.sql.classic.column import Column as JavaColumn
    from pyspark.sql.functions import expr

    jvm = jvm_of(frame.sparkSession)
    expressions = getattr(getattr(jvm.org.apache.spark.sql.classic, "ExpressionUtils$"), "MODULE$")
    listed = ", ".join(f"'{text}'" for text in ends.texts)
    values = expr(f"cast(array({listed}) AS array<{column.type}>)")
    made = jvm.org.apache.spark.sql.catalyst.expressions.aggregate.ApproxCountDistinctForIntervals(
        expressions.expression(expr(column.quoted)._jc), expressions.expression(values._jc), error, 0, 0
    )
    return JavaColumn(expressions.column(made.toAggregateExpression()))


def histogram_of(ends: Ends, distinct: list[int], rows: int) -> dict[str, object]:
    """A histogram as a catalogue writes it, of `rows` rows that are not null."""
    numbers = ends.numbers
    bins = [
        {"lo": low, "hi": high, "ndv": count} for low, high, count in zip(numbers, numbers[1:], distinct, strict=False)
    ]
    return {"height": rows / len(bins), "bins": bins}
