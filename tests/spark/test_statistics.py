"""Statistics of real tables: the numbers of Spark's own ANALYZE, and a catalogue that planviz plans with."""

from __future__ import annotations

import json

import pytest

from planviz.catalog.files import read_catalog, write_catalog
from planviz.config import OptimizerConfig
from planviz.errors import InputError
from planviz.estimation import Estimator
from planviz.execution import explain
from planviz.spark.capturing import active_session
from planviz.spark.jvm import estimate as spark_estimate
from planviz.spark.sampling import duj1, fraction_of
from planviz.spark.statistics import Way, analyze_table, table_names
from tests.acceptance.engines import real_spark, skip_without_java

COLUMNS = """cast(id AS int) AS i, cast(id AS tinyint) AS tiny, cast(id % 100 AS decimal(9,2)) AS dec, id / 7 AS d,
    cast(id / 3 AS float) AS f, id % 2 = 0 AS flag, date_add(DATE'2024-01-01', cast(id % 400 AS int)) AS day,
    timestamp_seconds(id * 3600 + 0.25) AS at, cast(timestamp_seconds(id) AS timestamp_ntz) AS local,
    if(id % 10 = 0, null, concat('name', id % 37)) AS text, binary(concat('x', id)) AS bytes,
    cast(null AS int) AS nothing, cast(null AS string) AS `no.text`, least(id, 20) AS `q``uoted`, array(id) AS list"""
SETTINGS = {"spark.sql.statistics.histogram.numBins": "8", "spark.sql.session.timeZone": "UTC"}


@pytest.fixture(scope="module")
def spark():
    skip_without_java()
    session = real_spark().spark.newSession()
    for key, value in SETTINGS.items():
        session.conf.set(key, value)
    session.sql("CREATE DATABASE IF NOT EXISTS counted")
    session.sql(f"CREATE OR REPLACE TEMPORARY VIEW made AS SELECT {COLUMNS} FROM range(100)")
    session.sql("CREATE TABLE counted.t USING parquet AS SELECT * FROM made")
    session.sql("CREATE TABLE counted.empty (a INT, s STRING) USING parquet")
    many = ", ".join(f"id + {n} AS c{n}" for n in range(300))
    session.sql(f"CREATE TABLE counted.wide USING parquet AS SELECT {many} FROM range(5)")
    session.sql("CREATE TABLE counted.parts USING parquet PARTITIONED BY (p) AS SELECT id, id % 3 AS p FROM range(9)")
    with active_session(session):
        yield session
    for name in ("t", "empty", "wide", "parts"):
        session.sql(f"DROP TABLE counted.{name}")


def without_moment(entry):
    """An entry without when it was counted."""
    return entry | {"stats": {k: v for k, v in entry["stats"].items() if k != "analyzedAt"}}


@pytest.mark.spark
@pytest.mark.parametrize("table", ["t", "empty", "parts"])
@pytest.mark.parametrize("histograms", [False, True])
def test_the_aggregate_finds_what_analyze_finds(spark, table, histograms):
    ours = analyze_table(spark, f"counted.{table}", Way(histograms=histograms))
    theirs = analyze_table(spark, f"counted.{table}", Way(exact=True, histograms=histograms))
    assert without_moment(ours) == without_moment(theirs)
    columns = ours["stats"]["columns"]
    assert "list" not in columns
    if table == "t":
        assert ours["stats"]["rowCount"] == 100
        assert ours["stats"]["sizeInBytes"] > 5_000
        assert (columns["no.text"]["avgLen"], columns["no.text"]["nullCount"]) == (20, 100)
        assert ("min" in columns["text"], columns["dec"]["max"], columns["flag"]["min"]) == (False, "99.00", "false")
        having = {n for n, c in columns.items() if "histogram" in c}
        assert having == ({"i", "tiny", "dec", "d", "f", "day", "at", "local", "q`uoted"} if histograms else set())
    assert (ours["partition_columns"] == ["p"]) == (table == "parts")


@pytest.mark.spark
@pytest.mark.parametrize("condition", [
    "i < 30", "`q``uoted` = 20", "day BETWEEN '2024-01-20' AND '2024-02-15'", "at > '1970-01-03'",
    "dec > 75 AND d < 12.5", "text = 'name3' OR f > 30", "i IN (1, 5, 99) AND flag",
])  # fmt: skip
def test_planviz_estimates_with_the_catalogue_what_spark_does_after_its_own_analyze(spark, condition):
    analyze_table(spark, "counted.t", Way(exact=True, histograms=True))
    entry = analyze_table(spark, "counted.t", Way(histograms=True))
    document = {"format": "planviz-catalog/1", "name": "x", "tables": {"counted.t": entry}}
    catalog = read_catalog(write_catalog(read_catalog(json.dumps(document))))
    spark.conf.set("spark.sql.cbo.enabled", "true")
    sql = f"SELECT i FROM counted.t WHERE {condition}"
    plan = spark.sql(sql)._jdf.queryExecution().optimizedPlan()
    config = OptimizerConfig().with_settings({"spark.sql.cbo.enabled": "true", **SETTINGS})
    ours = explain(sql, catalog, config).optimized
    found = Estimator(config).estimate(ours)
    assert [found.rows, found.size] == spark_estimate(plan)
    assert found.rows < 100


@pytest.mark.spark
def test_a_view_is_counted_and_analyze_says_why_it_cannot(spark):
    view, table = analyze_table(spark, "made"), analyze_table(spark, "counted.t")
    assert view["stats"]["columns"] == table["stats"]["columns"]
    with pytest.raises(InputError, match="ANALYZE takes tables alone"):
        analyze_table(spark, "made", Way(exact=True))


@pytest.mark.spark
def test_a_wide_table_takes_several_passes(spark):
    told = []
    columns = analyze_table(spark, "counted.wide", progress=told.append)["stats"]["columns"]
    assert len(columns) == 300
    assert columns["c299"] == {"distinctCount": 5, "nullCount": 0, "min": "299", "max": "303", "avgLen": 8, "maxLen": 8}
    assert told[0] == "counting counted.wide"


@pytest.mark.spark
def test_a_sample_is_scaled_and_says_so(spark):
    spark.range(20_000).selectExpr(
        "id", "id % 5 AS few", "if(id % 4 = 0, null, id % 1000) AS some"
    ).createOrReplaceTempView("many")
    entry = analyze_table(spark, "many", Way(sample="0.1"))
    stats = entry["stats"]
    assert stats["rowCount"] == 20_000
    assert 1_700 < stats["sampledRows"] < 2_300
    key, few, some = (stats["columns"][n] for n in ("id", "few", "some"))
    assert key["distinctCount"] == 20_000
    assert (few["distinctCount"], few["distinctRange"]) == (5, [5, 5])
    assert 4_300 < some["nullCount"] < 5_700
    assert some["distinctRange"][0] <= 750 <= some["distinctRange"][1]
    assert 600 < some["distinctCount"] < 900
    text = json.dumps({"format": "planviz-catalog/1", "name": "x", "tables": {"many": entry}})
    read = read_catalog(write_catalog(read_catalog(text))).table(("many",))
    assert read.sampled_rows == stats["sampledRows"]
    assert read.statistics_of("few").distinct_range == (5, 5)
    assert analyze_table(spark, "many", Way(sample="500"))["stats"]["sampledRows"] < 700
    with pytest.raises(InputError, match="either --exact or --sample"):
        analyze_table(spark, "counted.t", Way(exact=True, sample="0.5"))


def test_distinct_values_are_estimated_right_for_keys_and_for_few_values():
    assert duj1(1_000_000, 10_000, 10_000, 10_000) == 1_000_000
    assert duj1(1_000_000, 10_000, 7, 0) == 7
    assert duj1(1_000, 0, 0, 0) == 0


@pytest.mark.parametrize(("asked", "share"), [("0.01", 0.01), ("1%", 0.01), ("100", 0.1), ("5000", 1.0), ("100%", 1.0)])
def test_a_sample_is_a_share_or_a_number_of_rows(asked, share):
    assert fraction_of(asked, 1_000) == pytest.approx(share)


@pytest.mark.parametrize("asked", ["0", "-1", "many", "nan", "inf"])
def test_a_sample_of_nothing_is_refused(asked):
    with pytest.raises(InputError, match="--sample takes a share"):
        fraction_of(asked, 1_000)


@pytest.mark.spark
def test_tables_are_named_by_patterns(spark):
    assert table_names(spark, ["counted.t*"]) == ["counted.t"]
    assert table_names(spark, ["MADE", "counted.T"]) == ["made", "counted.t"]
    with pytest.raises(InputError, match=r"No table is called counted\.nothing_like"):
        table_names(spark, ["counted.nothing_like_*"])
