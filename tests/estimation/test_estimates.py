"""Numbers that Spark 4.3 gave for tables with these statistics."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planviz.catalog import Catalog, read_bundled
from planviz.catalog.ddl import table_of
from planviz.catalog.statistics import ColumnStatistics, Histogram
from planviz.config import OptimizerConfig
from planviz.estimation import Estimator
from planviz.estimation.cost import Cost
from planviz.execution import QueryExecution, Session, explain
from planviz.logical.combining import Join
from planviz.logical.operators import Filter, Sort
from planviz.types import parse_fields

TABLES = {
    "wide": (10_000, "a int, b int, c int, n int, s string, d date", {
        "a": (1000, 1, 1001, 0), "b": (500, 501, 1501, 0), "c": (100, 2000, 3000, 0), "n": (10, 1, 10, 2000),
        "s": (20, None, None, 0), "d": (366, "2020-01-01", "2020-12-31", 0)}),
    "l": (1000, "k int, m int, x int", {"k": (100, 1, 100, 0), "m": (10, 1, 10, 0), "x": (1000, 1, 1000, 0)}),
    "r": (500, "rk int, rm int, y int", {"rk": (50, 1, 50, 0), "rm": (5, 1, 5, 0), "y": (500, 1, 500, 0)}),
    "far": (200, "fk int, z int", {"fk": (20, 1000, 2000, 0), "z": (200, 1, 200, 0)}),
}  # fmt: skip


def small_tables() -> Catalog:
    catalog = Catalog()
    for name, (rows, columns, stats) in TABLES.items():
        known = tuple(
            (c, ColumnStatistics(n, low, high, nulls, 10 if c == "s" else 4))
            for c, (n, low, high, nulls) in stats.items()
        )
        table = table_of((name,), parse_fields(columns))
        catalog = catalog.with_table(replace(table, row_count=rows, size_in_bytes=rows * 20, column_stats=known))
    return catalog


def _estimate(sql, cbo=True, catalog=None):
    config = OptimizerConfig().with_settings({"spark.sql.cbo.enabled": cbo})
    plan = QueryExecution(sql, catalog or small_tables(), config).optimized
    return Estimator(config).estimate(plan)


@pytest.mark.parametrize(
    ("condition", "rows"),
    [
        ("a = 10", 10), ("a = 5000", 0), ("10 = a", 10), ("a < 1", 0), ("a < 501", 5000), ("a < 1001", 9990),
        ("a < 1002", 10000), ("a <= 1", 10), ("a > 1", 9990), ("a > 1001", 0), ("a >= 1001", 10), ("501 > a", 5000),
        ("a != 10", 9990), ("a BETWEEN 101 AND 201", 1000), ("a = 10 AND b = 600", 1), ("a = 10 OR b = 600", 30),
        ("NOT (a = 10 OR b = 600)", 9971), ("NOT (a = 10 AND b = 600)", 10000), ("a IN (1, 2, 9999)", 20),
        ("a IN (7000, 8000)", 0), ("a NOT IN (1, 2)", 9980), ("s = 'x'", 500), ("s IN ('x', 'y')", 1000),
        ("s LIKE 'x%'", 10000), ("s < 'm'", 10000), ("n IS NULL", 2000), ("n IS NOT NULL", 8000), ("n = 5", 801),
        ("n < 5", 3556), ("n IN (1, 2)", 2000), ("d = '2020-06-01'", 28), ("d < '2020-07-01'", 4987),
        ("a < b", 3334), ("a = b", 3334), ("a < c", 10000), ("a > c", 0), ("c < a", 0), ("a + 1 = 10", 10000),
    ],
)  # fmt: skip
def test_a_condition_keeps_these_rows(condition, rows):
    assert _estimate(f"SELECT * FROM wide WHERE {condition}").rows == rows


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("l JOIN r ON k = rk", 5000), ("l JOIN far ON k = fk", 0), ("l LEFT JOIN r ON k = rk", 5000),
        ("l LEFT JOIN far ON k = fk", 1000), ("l RIGHT JOIN far ON k = fk", 200), ("l FULL JOIN far ON k = fk", 1200),
        ("l LEFT SEMI JOIN r ON k = rk", 1000), ("l LEFT ANTI JOIN far ON k = fk", 1000), ("l CROSS JOIN r", 500_000),
        ("l JOIN r ON k = rk AND m = rm", 5000), ("l JOIN r ON k < rk", 500_000), ("l JOIN r ON k + 1 = rk", 500_000),
    ],
)  # fmt: skip
def test_a_join_gives_these_rows(sql, rows):
    assert _estimate(f"SELECT * FROM {sql}").rows == rows


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT k, count(*) FROM l GROUP BY k", 100), ("SELECT k, m, x FROM l GROUP BY k, m, x", 1000),
        ("SELECT n, count(*) FROM wide GROUP BY n", 11), ("SELECT count(*) FROM l", 1),
        ("SELECT k + 1, count(*) FROM l GROUP BY k + 1", None), ("SELECT * FROM l LIMIT 10", 10),
        ("SELECT * FROM l LIMIT 5000", 1000), ("SELECT * FROM l UNION ALL SELECT * FROM r", 1500),
        ("SELECT *, row_number() OVER (PARTITION BY k ORDER BY x) FROM l", None),
    ],
)  # fmt: skip
def test_other_operators_give_these_rows(sql, rows):
    assert _estimate(sql).rows == rows


def test_without_the_cost_based_optimizer_only_bytes_are_known():
    found = _estimate("SELECT * FROM l JOIN r ON k = rk", cbo=False)

    assert (found.size, found.rows) == (200_000_000, None)
    assert found.text == "Statistics(sizeInBytes=190.7 MiB)"


def test_a_join_s_row_is_8_bytes_and_its_columns():
    found = _estimate("SELECT * FROM l JOIN r ON k = rk")

    assert found.size == 160_000
    assert found.text == "Statistics(sizeInBytes=156.3 KiB, rowCount=5.00E+3)"


def test_a_histogram_knows_frequent_values():
    bins = (*[(1.0, 1.0, 1)] * 9, (1.0, 1001.0, 100))
    catalog = small_tables()
    table = catalog.tables["default.wide"]
    known = tuple((n, replace(s, histogram=Histogram(1000, bins)) if n == "a" else s) for n, s in table.column_stats)

    found = _estimate("SELECT * FROM wide WHERE a = 1", catalog=catalog.with_table(replace(table, column_stats=known)))

    assert found.rows == 9010


def test_costs_are_compared_as_shares():
    assert not Cost(100, 1000).less_than(Cost(80, 1600), 0.7)
    assert Cost(80, 1600).less_than(Cost(100, 1000), 0.7)
    assert not Cost(1, 1).less_than(Cost(0, 0), 0.7)


def test_the_search_for_an_order_is_recorded():
    config = OptimizerConfig().with_settings({"spark.sql.cbo.enabled": True, "spark.sql.cbo.joinReorder.enabled": True})
    sql = "SELECT x, y, z FROM l JOIN r ON k = rk JOIN (SELECT * FROM far WHERE z = 5) f ON x = fk"
    query = QueryExecution(sql, small_tables(), config, reorderings=[])

    _ = query.optimized

    assert query.reorderings is not None
    search = query.reorderings[0]
    assert [set(search.winners(i)) for i in range(len(search.levels))] == [{0b011, 0b101}, {0b111}]
    assert search.chosen is not None
    assert search.chosen.left is not None
    assert search.chosen.left.items == 0b101


@pytest.mark.parametrize(("profile", "rows"), [("spark-3.1", None), ("spark-3.2", 10)])
def test_a_sort_lost_the_number_of_rows_before_3_2(profile, rows):
    """So that a limit above one counts on its own number (as Spark 3.1.3 printed it)."""
    config = OptimizerConfig.of(profile, **{"spark.sql.cbo.enabled": True})
    limited = QueryExecution("SELECT m FROM l GROUP BY m ORDER BY m LIMIT 100", small_tables(), config).optimized
    sort = next(node for node in limited.walk() if isinstance(node, Sort))
    assert Estimator(config).estimate(sort).rows == rows
    assert Estimator(config).estimate(limited).rows == (rows or 100)


@pytest.mark.parametrize("profile", ["spark-3.1", "spark-3.2"])
def test_explain_cost_showed_what_the_root_was_computed_from_before_3_2(profile):
    config = OptimizerConfig.of(profile)
    text = QueryExecution("SELECT max(x) FROM l JOIN r ON k = rk", small_tables(), config).cost_text
    lines = text.splitlines()
    shown = sum("Statistics(" in line for line in lines)
    assert shown == (1 if profile == "spark-3.1" else len(lines))
    assert lines[0].endswith("rowCount=1)")


@pytest.mark.parametrize("cbo", [False, True])
def test_of_a_struct_only_the_fields_that_are_read_have_bytes(cbo):
    rows = "id bigint, name string, st struct<a: string, b: int, c: string>"
    table = replace(table_of(("g",), parse_fields(rows)), row_count=100, size_in_bytes=7200)
    sizes = [
        _estimate(f"SELECT {taken} FROM g WHERE st.b > 3", cbo, Catalog().with_table(table)).size
        for taken in ("st.a, id", "st, id")
    ]
    # A projection of 36 bytes over rows of 8 + 8 + 20 and a struct of 24 bytes, and of 60 over the whole struct of 44.
    assert sizes == ([3600, 6000] if cbo else [7200 * 36 // 60, 7200 * 60 // 80])


@pytest.mark.parametrize(("profile", "size"), [("spark-4.3", 3500), ("spark-4.1", 4800)])
def test_a_filter_has_no_more_bytes_than_its_input_since_4_2(profile, size):
    known = (("s", ColumnStatistics(100, None, None, 0, 15, 15)),)
    table = replace(table_of(("g",), parse_fields("s string")), row_count=100, size_in_bytes=100, column_stats=known)
    config = OptimizerConfig.of(profile, **{"spark.sql.cbo.enabled": True})
    sql = "SELECT a, b FROM g LATERAL VIEW json_tuple(s, 'a', 'b') j AS a, b WHERE b = 'x'"
    plan = QueryExecution(sql, Catalog().with_table(table), config).optimized
    assert (type(plan).__name__, Estimator(config).size_in_bytes(plan)) == ("Filter", size)


def test_a_join_that_tests_for_single_rows_has_no_estimate_of_rows():
    config = OptimizerConfig.of("spark-4.3", **{"spark.sql.cbo.enabled": True})
    sql = "SELECT c_custkey, (SELECT n_name FROM nation WHERE n_nationkey = c_nationkey) FROM customer"
    made = explain(sql, read_bundled("tpch"), config)
    (join,) = (p for p in made.optimized.walk() if isinstance(p, Join))

    assert join.kind == "LeftSingle"
    assert Estimator(config).estimate(join).rows is None


@pytest.mark.parametrize(("version", "rows"), [("3.5", 10), ("4.0", 1)])
def test_what_is_known_of_a_caches_columns_counts_since_4_0(version, rows):
    config = OptimizerConfig.of(f"spark-{version}", **{"spark.sql.cbo.enabled": True})
    sql = "CACHE LAZY TABLE c AS SELECT id AS k FROM range(10); SELECT x.k FROM c x JOIN c y ON x.k = y.k WHERE y.k = 3"
    *_, outcome = Session(config=config).run(sql, "physical")
    assert outcome.execution is not None
    filters = [p for p in outcome.execution.optimized.walk() if isinstance(p, Filter)]

    assert max(Estimator(config).estimate(f).rows or 0 for f in filters) == rows
