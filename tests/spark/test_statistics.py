"""Statistics of real tables: the numbers of Spark's own ANALYZE, and a catalogue that planviz plans with."""

from __future__ import annotations

import json

import pytest

from planviz.catalog.files import read_catalog
from planviz.errors import InputError
from planviz.execution import explain
from planviz.spark.jvm import entries, optional
from planviz.spark.statistics import analyze_table, table_names
from tests.acceptance.engines import real_spark, skip_without_java

pytestmark = pytest.mark.spark
COLUMNS = """cast(id AS int) AS i, id * 1000000007 AS b, cast(id % 100 AS decimal(9,2)) AS dec, id / 7 AS d,
    id % 2 = 0 AS flag, date_add(DATE'2024-01-01', cast(id % 400 AS int)) AS day,
    timestamp_seconds(id * 3600 + 0.25) AS at, if(id % 10 = 0, null, concat('name', id % 37)) AS text,
    cast(null AS int) AS nothing, array(id) AS list"""


@pytest.fixture(scope="module")
def spark():
    skip_without_java()
    session = real_spark().spark
    session.sql("CREATE DATABASE IF NOT EXISTS counted")
    session.sql(f"CREATE OR REPLACE TEMPORARY VIEW made AS SELECT {COLUMNS} FROM range(3000)")
    session.sql("CREATE TABLE IF NOT EXISTS counted.t USING parquet AS SELECT * FROM made")
    yield session
    session.sql("DROP TABLE counted.t")
    session.sql("DROP VIEW made")


def analyzed(spark):
    """What ANALYZE found, in the words of a catalogue."""
    columns = [c for c in spark.table("counted.t").columns if c != "list"]
    spark.sql(f"ANALYZE TABLE counted.t COMPUTE STATISTICS FOR COLUMNS {', '.join(columns)}")
    state = spark._jsparkSession.sessionState()
    table = state.catalog().getTableMetadata(state.sqlParser().parseTableIdentifier("counted.t"))
    stats = table.stats().get()
    found = {}
    for name, column in entries(spark._jvm, stats.colStats()):
        read = {"distinctCount": column.distinctCount(), "nullCount": column.nullCount(), "min": column.min(),
                "max": column.max(), "avgLen": column.avgLen(), "maxLen": column.maxLen()}  # fmt: skip
        found[name] = {key: str(optional(value)) for key, value in read.items() if value.isDefined()}
    return int(str(stats.rowCount().get())), found


def test_the_numbers_are_those_of_analyze(spark):
    stats = analyze_table(spark, "counted.t")["stats"]
    rows, columns = analyzed(spark)
    assert stats["rowCount"] == rows == 3000
    for column in columns.values():
        # Spark stores six digits behind a second; a catalogue has those that count.
        for end in ("min", "max"):
            if end in column and ":" in column[end]:
                column[end] = column[end].rstrip("0")
    assert {n: {k: str(v) for k, v in c.items()} for n, c in stats["columns"].items()} == columns


def test_a_table_is_described_as_planviz_needs_it(spark):
    entry = analyze_table(spark, "counted.t")
    assert entry["provider"] == "parquet"
    assert entry["stats"]["sizeInBytes"] > 10_000
    catalog = read_catalog(json.dumps({"format": "planviz-catalog/1", "name": "x", "tables": {"counted.t": entry}}))
    plan = explain("SELECT i FROM counted.t WHERE text = 'name3' AND list[0] > 5", catalog).optimized
    assert "Relation spark_catalog.counted.t" in plan.tree_string
    view = analyze_table(spark, "made")
    assert view["stats"]["columns"] == entry["stats"]["columns"]


def test_tables_are_named_by_patterns(spark):
    assert table_names(spark, ["counted.*"]) == ["counted.t"]
    assert table_names(spark, ["MADE", "counted.T"]) == ["made", "counted.t"]
    with pytest.raises(InputError, match=r"No table is called counted\.nothing_like"):
        table_names(spark, ["counted.nothing_like_*"])
