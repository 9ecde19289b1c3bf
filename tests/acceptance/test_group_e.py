"""Acceptance of the estimates, item by item, in planviz and on a real Spark (see estimates.py and group_e.txt)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planviz.catalogs import read
from planviz.config import OptimizerConfig
from planviz.document.alternatives.what_if import joins_of, resized_table
from planviz.document.cardinality.crossovers import crossovers
from planviz.document.cardinality.slides import slide_examples, slide_facts
from planviz.estimation import explain_estimates
from planviz.estimation.cost import Cost
from planviz.execution import explain
from tests.acceptance.engines import real_spark, skip_without_java
from tests.acceptance.estimates import BASE, CountedSpark, check, counted_catalog, ours
from tests.acceptance.table import cases

CASES = cases("group_e.txt")
IDS = [f"{c.item}-{i}" for i, c in enumerate(CASES)]


@pytest.fixture(scope="module")
def catalog():
    return counted_catalog()


@pytest.fixture(scope="module")
def spark(catalog):
    skip_without_java()
    return CountedSpark(real_spark().spark, catalog)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_planviz(case, catalog):
    check(case, ours(case, catalog))


@pytest.mark.spark
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_spark(case, spark):
    check(case, spark.estimated(case))


JOINED = "SELECT * FROM ja JOIN jb ON ja.k1 = jb.k1"


@pytest.mark.spark
@pytest.mark.parametrize("cbo", [False, True], ids=["size", "rows"])
@pytest.mark.parametrize("table", ["ja", "jb"])
def test_e_072_spark_changes_the_join_at_the_same_byte(table, cbo, catalog, spark):
    settings = {"spark.sql.cbo.enabled": cbo, "spark.sql.adaptive.enabled": False}
    found = crossovers(explain(JOINED, catalog, OptimizerConfig().with_settings(settings)), table)

    assert found.crossovers
    for crossing in found.crossovers:
        for size, joins in ((crossing.at, crossing.changes[0].before), (crossing.at + 1, crossing.changes[0].after)):
            grown = resized_table(catalog.table((table,)), size)
            assert spark.joins(JOINED, settings, grown) == joins.split(", ")
    spark.tell(catalog.table((table,)))


# --------------------------------------------------------------------------------------------- statistics

ANALYZED = "CREATE TABLE IF NOT EXISTS est_types USING parquet AS SELECT * FROM VALUES "
ROWS = (
    "(1, 'a', DATE '2020-01-01', TIMESTAMP '2020-01-01 00:00:00', 1.50, true, array(1)), "
    "(2, 'bcd', DATE '2020-12-31', TIMESTAMP '2020-12-31 00:00:00', 7.25, false, array(2)), "
    "(2, NULL, DATE '2020-06-01', TIMESTAMP '2020-06-01 00:00:00', 7.25, true, NULL) "
    "AS v(i, s, d, t, m, b, xs)"
)
#: What Spark counts of them: distinct values, least, greatest, nulls, mean and greatest length.
COUNTED = {
    "i": (2, "1", "2", 0, 4, 4), "s": (2, None, None, 1, 2, 3), "d": (3, "2020-01-01", "2020-12-31", 0, 4, 4),
    "m": (2, "1.50", "7.25", 0, 8, 8), "b": (2, "false", "true", 0, 1, 1),
}  # fmt: skip


@pytest.fixture(scope="module")
def analyzed():
    skip_without_java()
    session = real_spark().spark
    session.sql(ANALYZED + ROWS)
    session.sql("ANALYZE TABLE est_types COMPUTE STATISTICS FOR COLUMNS i, s, d, t, m, b")
    return session


@pytest.mark.spark
def test_e_002_e_003_e_004_e_005_what_spark_counted_is_read_from_what_it_prints(analyzed):
    def shown(sql):
        return f"{sql};\n" + analyzed.sql(sql)._jdf.showString(100, 0, False)

    text = "\n".join(
        [shown("DESCRIBE EXTENDED est_types"), *(shown(f"DESCRIBE EXTENDED est_types {c}") for c in COUNTED)]
    )
    table = read(text).table(("est_types",))

    assert table.row_count == 3
    assert table.size_in_bytes > 0
    for name, (distinct, low, high, nulls, mean, most) in COUNTED.items():
        s = table.statistics_of(name)
        assert (s.distinct_count, s.null_count, s.avg_len, s.max_len) == (distinct, nulls, mean, most), name
        assert (s.min, s.max) == (low, high), name


@pytest.mark.spark
def test_e_006_spark_counts_no_arrays(analyzed):
    with pytest.raises(Exception, match="ANALYZE_UNSUPPORTED_COLUMN_TYPE"):
        analyzed.sql("ANALYZE TABLE est_types COMPUTE STATISTICS FOR COLUMNS xs")


def test_e_002_the_row_statistics_of_describe_is_read():
    text = "DESCRIBE EXTENDED t;\na\tint\tNULL\n\n# Detailed Table Information\t\t\nStatistics\t1784 bytes, 1 rows\t\n"
    table = read(text).table(("t",))

    assert (table.size_in_bytes, table.row_count) == (1784, 1)


# --------------------------------------------------------------------------------------------- the order of joins

THREE = "SELECT x, y, z FROM ja JOIN jb ON ja.k1 = jb.k1 JOIN (SELECT * FROM jc WHERE z = 5) s ON ja.x = s.k1"
REORDER = {"spark.sql.cbo.enabled": True, "spark.sql.cbo.joinReorder.enabled": True}


def reordered(catalog, sql=THREE, profile="spark-4.3", **settings):
    """The query, optimized, with its searches."""
    config = OptimizerConfig.of(profile).with_settings({**REORDER, **settings})
    query = explain(sql, catalog, config)
    query.reorderings = []
    _ = query.optimized
    return query


def fires(query):
    return "CostBasedJoinReorder" in {a.rule.rsplit(".", 1)[-1] for a in query.trace}


def test_e_001_e_060_rows_are_estimated_and_joins_ordered_only_when_asked(catalog):
    defaults = OptimizerConfig()
    assert not defaults.get("spark.sql.cbo.enabled")
    assert not defaults.get("spark.sql.cbo.joinReorder.enabled")
    fired = {
        (cbo, order): fires(
            reordered(catalog, **{"spark.sql.cbo.enabled": cbo, "spark.sql.cbo.joinReorder.enabled": order})
        )
        for cbo in (False, True)
        for order in (False, True)
    }
    assert fired == {(False, False): False, (False, True): False, (True, False): False, (True, True): True}


def test_e_061_e_062_the_cheapest_plan_of_every_set_is_kept_level_by_level(catalog):
    (search,) = reordered(catalog).reorderings

    assert len(search.relations) == 3
    assert [sorted(search.winners(level)) for level in range(len(search.levels))] == [[0b011, 0b101], [0b111]]
    last = [(c.left, c.right, c.kept) for c in search.levels[-1]]
    assert {frozenset((a, b)) for a, b, _ in last} == {frozenset((0b100, 0b011)), frozenset((0b010, 0b101))}
    assert [kept for _, _, kept in last].count(True) == 1


def test_e_063_what_is_reordered(catalog):
    assert not fires(reordered(catalog, **{"spark.sql.cbo.joinReorder.dp.threshold": 2}))
    assert fires(reordered(catalog, **{"spark.sql.cbo.joinReorder.dp.threshold": 3}))
    assert not fires(reordered(catalog, THREE.replace("SELECT x", "SELECT /*+ MERGE(jb) */ x")))
    assert not fires(reordered(catalog, "SELECT * FROM ja JOIN jb ON ja.k1 = jb.k1"))
    unknown = catalog.with_statistics("jb", row_count=None)
    assert not fires(reordered(unknown))


def test_e_063_the_output_stays_and_the_larger_set_is_on_the_left(catalog):
    query = reordered(catalog)
    (search,) = query.reorderings

    assert [a.name for a in query.optimized.output] == ["x", "y", "z"]
    assert all(c.left.bit_count() >= c.right.bit_count() for level in search.levels for c in level)


@pytest.mark.spark
def test_e_063_spark_has_the_same_order(catalog, spark):
    with spark._set({**BASE, "spark.sql.cbo.joinReorder.enabled": "true"}):
        theirs = spark.spark.sql(THREE)._jdf.queryExecution().optimizedPlan().toString()
    tables = re.findall(r"Relation \S*?(j[abc])\[", theirs)

    assert tables == re.findall(r"Relation \S*?(j[abc])\[", reordered(catalog).text("optimized"))


def test_e_064_only_results_in_between_cost(catalog):
    (search,) = reordered(catalog).reorderings
    first, last = search.levels

    assert {c.cost for c in first} == {Cost()}
    assert all(c.cost.rows > 0 for c in last)


def test_e_065_e_066_three_ways_to_compare_costs():
    one, other, weight = Cost(100, 1000), Cost(80, 1600), 0.7

    assert (round(one.weighted(weight)), round(other.weighted(weight))) == (370, 536)
    assert one.less_than(other, weight, "absolute")
    assert not one.less_than(other, weight, "sum")
    assert not one.less_than(other, weight)
    assert OptimizerConfig().get("spark.sql.cbo.joinReorder.card.weight") == weight


def test_e_066_spark_3_0_compares_as_it_did(catalog):
    assert fires(reordered(catalog, profile="spark-3.0"))


def test_e_067_e_098_defaults():
    defaults = {
        "spark.sql.cbo.enabled": False, "spark.sql.cbo.planStats.enabled": False,
        "spark.sql.cbo.joinReorder.enabled": False, "spark.sql.cbo.joinReorder.dp.threshold": 12,
        "spark.sql.cbo.joinReorder.card.weight": 0.7, "spark.sql.cbo.joinReorder.dp.star.filter": False,
        "spark.sql.cbo.starSchemaDetection": False, "spark.sql.cbo.starJoinFTRatio": 0.9,
        "spark.sql.statistics.ndv.maxError": 0.05,
    }  # fmt: skip
    assert {key: OptimizerConfig().get(key) for key in defaults} == defaults


def test_e_073_a_join_is_chosen_by_the_estimates_of_its_sides(catalog):
    sql = "SELECT * FROM ja JOIN (SELECT k1, count(*) AS n FROM jb WHERE k2 = 1 GROUP BY k1) g ON ja.k1 = g.k1"
    query = reordered(catalog, sql)
    (join,) = joins_of(query)
    sizes = {id(r.node): r.size for r in explain_estimates(query.optimized, query.config)}

    assert join.value("sizes") == tuple(sizes[id(side)] for side in join.subject.children)
    assert join.value("sizes")[1] < 2000


# --------------------------------------------------------------------------------------------- every item

RANGES = [(1, 7), (10, 34), (40, 50), (55, 59), (60, 68), (70, 73), (80, 98)]
ITEMS = {f"E-{n:03}" for first, last in RANGES for n in range(first, last + 1)}
TESTS = Path(__file__).resolve().parent.parent
#: Tests whose names say which items they accept.
NAMING = [Path(__file__), TESTS / "document/test_slides.py", TESTS / "catalog/test_edit.py"]
#: Items that whole files accept: histograms, the price of the search, `catalog edit`.
WHOLE = {
    "E-033": "estimation/test_histograms.py",
    "E-007": "catalog/test_edit.py",
    "E-068": "document/test_slides.py",
}


def test_every_item_is_accepted():
    named = {
        f"E-{number}"
        for path in NAMING
        for name in re.findall(r"def test_((?:e_\d{3}_)+)", path.read_text(encoding="utf-8"))
        for number in re.findall(r"\d{3}", name)
    }
    slides = {item for e in slide_examples() for item in e.items} | {f.item for f in slide_facts()}
    assert all((TESTS / path).is_file() for path in WHOLE.values())

    assert {c.item for c in CASES} | named | slides | set(WHOLE) >= ITEMS
