"""What a sample tells of a whole table.

Rows are drawn one by one, each with the same chance, so every row is read, but fewer are counted. The number of rows
is counted, nulls are scaled up. Distinct values are estimated by Duj1 (Haas and Stokes 1998; PostgreSQL's, too):

    n d / (n - f1 + f1 n / N)      n of N rows were drawn, with d distinct values, f1 of which were seen once

It is right for keys and for few frequent values. No estimator from samples can be right for all data: `distinctRange`
says between which numbers the truth lies, d as the least and d - f1 + f1 N / n as the largest (Charikar et al. 2000).
The smallest and the largest value are those of the sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planviz.errors import InputError
from planviz.jsontypes import JsonObject

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Sample:
    """A sample of a table with so many rows, and the share of them that is drawn."""

    rows: int
    fraction: float

    def scaled(self, entry: JsonObject, drawn: int, distinct: tuple[int, int]) -> dict[str, object]:
        """A column's entry for the whole table from that of `drawn` rows; `distinct` are values and those seen once."""
        factor = self.rows / drawn if drawn else 0.0
        nulls = round(entry["nullCount"] * factor)
        there, seen = self.rows - nulls, drawn - entry["nullCount"]
        values, once = distinct
        least, most = values, min(round(values - once + once * factor), max(there, values))
        estimated = duj1(there, seen, values, once)
        found = entry | {"nullCount": nulls, "distinctCount": min(max(estimated, least), most)}
        if "histogram" in found:
            bins = found["histogram"]["bins"]
            found["histogram"] = {"height": there / len(bins), "bins": bins}
        return found | {"distinctRange": [least, most]}


def duj1(rows: int, drawn: int, values: int, once: int) -> int:
    """Distinct values among `rows` rows when `drawn` of them have so many, `once` of them seen once."""
    if not drawn:
        return 0
    return round(drawn * values / (drawn - once + once * drawn / rows)) if rows else values


def fraction_of(asked: str, rows: int) -> float:
    """The share of rows that `--sample` asks for: below 1 a share, from 1 on a number of rows. Raises InputError."""
    try:
        number = float(asked.removesuffix("%")) / (100 if asked.endswith("%") else 1)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise InputError(f"--sample takes a share such as 0.01 or 1%, or a number of rows, not {asked}.")
    return min(number if number < 1 or asked.endswith("%") else number / max(rows, 1), 1.0)


def distinct_in_sample(frame: DataFrame, columns: list[str]) -> list[tuple[int, int]]:
    """Of each quoted column the distinct values and those that are there once, in one job, by their hashes."""
    if not columns:
        return []
    hashes = ", ".join(f"if({c} IS NULL, null, xxhash64({c}))" for c in columns)
    found = (
        frame.selectExpr(f"posexplode(array({hashes})) AS (place, value)")
        .where("value IS NOT NULL")
        .groupBy("place", "value")
        .count()
        .selectExpr("place", "if(count = 1, 1, 0) AS once")
        .groupBy("place")
        .agg({"place": "count", "once": "sum"})
    )
    by_column = {row[0]: (row["count(place)"], row["sum(once)"]) for row in found.collect()}
    return [by_column.get(at, (0, 0)) for at in range(len(columns))]
