"""Estimates with equi-height histograms, against what Spark 4.3 estimated.

The tables were made by arithmetic on row numbers and counted by Spark (ANALYZE TABLE ... FOR ALL COLUMNS with
spark.sql.statistics.histogram.enabled, 5 bins); statistics, rows and columns below are what it said. In `hs` 900 of
1,000 rows have v = 1.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from planviz.catalog import Catalog
from planviz.catalog.ddl import table_of
from planviz.catalog.statistics import ColumnStatistics, Histogram
from planviz.config import OptimizerConfig
from planviz.estimation import Estimator
from planviz.estimation.intervals import overlaps
from planviz.execution import explain
from planviz.types import parse_fields

SECOND = 1_000_000
#: Table: rows, columns; and per column distinct values, least, greatest, nulls, bytes and the bins.
TABLES = {
    "hs": (1000, "v int, q double, m decimal(7,2), d date, ts timestamp, n int", {
        "v": (100, 1, 101, 0, 4, [(1, 1, 1)] * 4 + [(1, 101, 99)]),
        "d": (32, "2020-01-01", "2020-02-01", 0, 4, [
            (18262, 18276, 15), (18276, 18281, 5), (18281, 18286, 5), (18286, 18290, 4), (18290, 18293, 3)]),
        "n": (45, 1, 49, 100, 4, [(1, 9, 9), (9, 19, 9), (19, 29, 9), (29, 39, 9), (39, 49, 9)]),
        "m": (101, Decimal("0.00"), Decimal("100.00"), 0, 8, [
            (0, 15, 16), (15, 38, 22), (38, 58, 20), (58, 78, 20), (78, 100, 22)]),
        "ts": (1000, "2020-01-01 00:00:00", "2020-01-12 13:13:21", 0, 8, [
            (1577836800 * SECOND, 1577876401 * SECOND, 204), (1577876401 * SECOND, 1577996001 * SECOND, 204),
            (1577996001 * SECOND, 1578195601 * SECOND, 202), (1578195601 * SECOND, 1578475201 * SECOND, 198),
            (1578475201 * SECOND, 1578834801 * SECOND, 211)]),
        "q": (990, 0.0, 9980.01, 0, 8, [
            (0, 396.01, 198), (396.01, 1592.01, 190), (1592.01, 3588.01, 192), (3588.01, 6384.01, 210),
            (6384.01, 9980.01, 207)]),
    }),
    "ht": (300, "w int, p double, z int, u bigint", {
        "w": (41, 20, 59, 0, 4, [(20, 27, 8), (27, 34, 7), (34, 42, 8), (42, 51, 9), (51, 59, 8)]),
        "p": (300, 0.0, 897.0, 0, 8, [(0, 177, 57), (177, 357, 60), (357, 537, 59), (537, 717, 63), (717, 897, 59)]),
        "z": (222, 0, 298, 0, 4, [(0, 11, 12), (11, 47, 36), (47, 106, 58), (106, 190, 60), (190, 298, 60)]),
        "u": (296, 0, 299, 0, 8, [(0, 59, 63), (59, 119, 60), (119, 179, 60), (179, 239, 58), (239, 299, 59)]),
    }),
    "hu": (60, "w7 int, c5 int", {
        "w7": (6, 0, 600, 0, 4, [(0, 100, 2), (100, 200, 1), (200, 300, 1), (300, 500, 2), (500, 600, 1)]),
        "c5": (1, 5, 5, 0, 4, [(5, 5, 1)] * 5),
    }),
}  # fmt: skip
CONFIG = OptimizerConfig().with_settings({"spark.sql.cbo.enabled": True, "spark.sql.session.timeZone": "UTC"})


def _catalog() -> Catalog:
    catalog = Catalog()
    for name, (rows, columns, stats) in TABLES.items():
        known = []
        for column, (distinct, low, high, nulls, length, bins) in stats.items():
            histogram = Histogram((rows - nulls) / len(bins), tuple((float(a), float(b), n) for a, b, n in bins))
            known.append((column, ColumnStatistics(distinct, low, high, nulls, length, length, histogram)))
        table = table_of((name,), parse_fields(columns))
        catalog = catalog.with_table(replace(table, row_count=rows, size_in_bytes=rows * 44, column_stats=tuple(known)))
    return catalog


def _estimate(sql):
    plan = explain(sql, _catalog(), CONFIG).optimized
    found = Estimator(CONFIG).estimate(plan)
    columns = {
        a.name: (s.distinct_count, s.min, s.max, s.null_count)
        for a in plan.output
        if (s := found.columns.get(a.expr_id)) is not None
    }
    return found.rows, columns


@pytest.mark.parametrize(
    ("condition", "rows", "column"),
    [
        ("v = 1", 803, ("v", 1, 1, 1, 0)), ("v = 2", 3, ("v", 1, 2, 2, 0)), ("v = 50", 3, ("v", 1, 50, 50, 0)),
        ("v < 50", 898, ("v", 90, 1, 50, 0)),
        ("v <= 1", 803, ("v", 81, 1, 1, 0)), ("v > 50", 103, ("v", 11, 50, 101, 0)),
        ("v >= 102", 0, None), ("v <> 1", 198, ("v", 20, 1, 101, 0)), ("v > 1000", 0, None), ("v < 1", 0, None),
        ("v BETWEEN 10 AND 60", 100, ("v", 10, 10, 60, 0)), ("v > 1 AND v < 90", 196, ("v", 20, 1, 90, 0)),
        ("v IN (1, 2)", 20, ("v", 2, 1, 2, 0)), ("q < 1000.5", 302, ("q", 299, 0.0, 1000.5, 0)),
        ("q >= 5000", 299, ("q", 297, 5000.0, 9980.01, 0)),
        ("q BETWEEN 100.25 AND 120.5", 11, ("q", 11, 100.25, 120.5, 0)),
        ("m = 13", 13, ("m", 1, 13, 13, 0)), ("m < 13.5", 180, ("m", 19, 0, Decimal("13.5"), 0)),
        ("m > 80.25", 180, ("m", 19, Decimal("80.25"), 100, 0)),
        ("d < DATE '2020-01-11'", 143, ("d", 5, 18262, 18272, 0)),
        ("d = DATE '2020-01-31'", 67, ("d", 1, 18292, 18292, 0)),
        ("d >= DATE '2020-01-20' AND d < DATE '2020-01-25'", 241, ("d", 8, 18281, 18286, 0)),
        ("ts < TIMESTAMP '2020-01-03 00:00:00'", 414, ("ts", 414, 1577836800 * SECOND, 1578009600 * SECOND, 0)),
        ("n < 10", 199, ("n", 9, 1, 10, 0)), ("n = 10", 20, ("n", 1, 10, 10, 0)),
        ("n IS NULL", 100, ("n", 0, None, None, 10)),
        ("n > 40 OR v = 1", 838, ("n", 38, 1, 49, 84)), ("v < n", 300, ("v", 30, 1, 49, 0)),
        ("v = 1 AND q > 100", 762, ("v", 1, 1, 1, 0)),
    ],
)  # fmt: skip
def test_a_condition(condition, rows, column):
    found, columns = _estimate(f"SELECT * FROM hs WHERE {condition}")

    assert found == rows
    assert columns == {} if column is None else columns[column[0]] == column[1:]


@pytest.mark.parametrize(
    ("joined", "rows", "columns"),
    [
        ("hs JOIN ht ON v = w", 585, {"v": (39, 20, 59, 0), "w": (39, 20, 59, 0), "z": (222, 0, 298, 0)}),
        ("hs JOIN ht ON v = z", 4296, {"v": (100, 1, 101, 0), "w": (41, 20, 59, 0), "z": (100, 1, 101, 0)}),
        ("hs JOIN ht ON q = p", 300_000, {"v": (100, 1, 101, 0), "z": (222, 0, 298, 0)}),
        ("hs JOIN hu ON v = w7", 4777, {"v": (4, 1, 101, 0)}), ("hs JOIN hu ON v = c5", 122, {"v": (1, 5, 5, 0)}),
        ("hs LEFT JOIN ht ON v = w", 1000, {"v": (100, 1, 101, 0), "w": (39, 20, 59, 0)}),
        ("hs FULL JOIN ht ON v = w", 1000, {"v": (100, 1, 101, 0), "w": (41, 20, 59, 0)}),
        ("hs JOIN ht ON v = w AND n = z", 585, {"v": (39, 20, 59, 0), "z": (45, 1, 49, 0)}),
        ("(SELECT * FROM hs WHERE v > 1) a JOIN ht ON v = w", 585, {"w": (39, 20, 59, 0)}),
        ("(SELECT * FROM hs WHERE v < 30) a JOIN (SELECT * FROM ht WHERE w > 25) b ON v = w", 75, {
            "v": (5, 25, 30, 0), "w": (5, 25, 30, 0), "z": (32, 0, 298, 0)}),
        ("hs JOIN (SELECT w, count(*) AS c FROM ht GROUP BY w) g ON v = w", 585, {"v": (39, 20, 59, 0)}),
    ],
)  # fmt: skip
def test_a_join(joined, rows, columns):
    found, known = _estimate(f"SELECT * FROM {joined}")

    assert found == rows
    assert {name: known[name] for name in columns} == columns


def test_a_bin_of_one_value_in_the_midst_of_another_bin_joins_nothing():
    # The bins of a fact table's 4,000 days and of a calendar of 60 days; Spark 4.3 estimated 5,625 rows.
    facts = [(0, 0), (0, 0), (0, 1), (1, 1), (1, 1), (1, 2), (2, 2), (2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (4, 4)]
    left = Histogram(250.0, tuple((float(a), float(b), 1) for a, b in [*facts, (4, 5), (5, 5), (5, 5)]))
    right = Histogram(3.75, ((-3.0, 1.0, 4), (1.0, 4.0, 3), (4.0, 8.0, 4)))

    rows = [x.left_rows * x.right_rows / max(x.left_distinct, x.right_distinct) for x in overlaps(left, right, 0, 5)]
    assert sum(rows) == 5625
    assert rows == [x for x in rows if x in (0, 234.375, 312.5)]
    assert rows.count(0) == 3
