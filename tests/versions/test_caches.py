"""Caches as older versions read, show and number them; the texts are those of real Sparks of these versions."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import QueryExecution, Session

_SETUP = (
    "CREATE TABLE t (id BIGINT, k INT, v DOUBLE) USING parquet; CREATE TABLE d (k INT, name STRING) USING parquet;"
    "CACHE LAZY TABLE d; CACHE LAZY TABLE sums AS SELECT k, avg(v) AS a FROM t GROUP BY k;"
)
_VERSIONS = ["3.0", "3.1", "3.2", "3.3", "3.4", "3.5", "4.0", "4.3"]


def planned(version: str, sql: str, **settings: object) -> QueryExecution:
    """The query behind the caches, as a version plans it."""
    *_, outcome = Session(config=OptimizerConfig.of(f"spark-{version}", **settings)).run(f"{_SETUP} {sql}", "physical")
    assert outcome.execution is not None, outcome.error
    return outcome.execution


@pytest.mark.parametrize("version", _VERSIONS)
def test_what_fills_a_cache_is_adaptive_since_3_5(version):
    shown = planned(version, "SELECT * FROM sums", **{"spark.sql.adaptive.enabled": True}).text("optimized")

    assert ("AdaptiveSparkPlan" in shown) == (version >= "3.5")


@pytest.mark.parametrize(("version", "adaptive"), [("3.4", (False, True)), ("4.3", (True, True))])
def test_a_setting_has_what_fills_a_cache_planned_anew_before_3_5(version, adaptive):
    setting = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"
    on = {"spark.sql.adaptive.enabled": True}
    shown = [planned(version, "SELECT * FROM sums", **on, **{setting: s}).text("optimized") for s in (False, True)]

    assert tuple("AdaptiveSparkPlan" in s for s in shown) == adaptive


@pytest.mark.parametrize("version", _VERSIONS)
def test_3_0_quotes_the_whole_name_of_a_cached_table(version):
    shown = planned(version, "SELECT d.name FROM d JOIN sums ON d.k = sums.k").text("physical")

    names = ("`default`.`d`", "`sums`") if version == "3.0" else ("d", "sums")
    assert all(f"Scan In-memory table {name} [" in shown for name in names)


@pytest.mark.parametrize("version", ["3.0", "3.1", "4.3"])
def test_before_3_2_what_fills_a_cache_takes_no_numbers(version):
    settings = {"spark.sql.adaptive.enabled": False}
    shown = planned(version, "SELECT name FROM d WHERE k > 5", **settings).explain_string("formatted")

    numbers = [line.rsplit("(", 1)[1] for line in shown.split("\n\n")[0].splitlines()[1:]]
    own = ["6)", "5)"] if version == "4.3" else ["3)", "2)"]
    assert numbers == [*own, "1)", "2)", "4)", "3)"]


@pytest.mark.parametrize("version", ["3.2", "4.3"])
def test_numbers_are_turned_into_rows_above_a_cache_where_it_gives_none(version):
    settings = {"spark.sql.adaptive.enabled": False}
    shown = planned(version, "SELECT * FROM sums WHERE a > 1", **settings).text("physical")

    above = shown.split("Scan In-memory")[0].splitlines()[-2]
    assert ("ColumnarToRow" in above) == (version == "3.2")


@pytest.mark.parametrize("version", ["3.5", "4.0", "4.3"])
def test_the_formatted_mode_says_that_a_cache_gives_batches_since_4_0(version):
    tree = planned(version, "SELECT * FROM sums, d").explain_string("formatted").split("\n\n")[0]

    told = [line for line in tree.splitlines() if line.endswith("(columnarIn=false, columnarOut=true)")]
    assert len(told) == (version >= "4.0")
    assert all("table sums" in line for line in told)


def test_no_column_of_the_formatted_mode_has_the_id_of_one_in_a_cache():
    shown = planned("4.3", "SELECT * FROM sums").explain_string("formatted")

    (buffers,) = (line for line in shown.splitlines() if line.startswith("Aggregate Attributes [2]: [sum#"))
    number = buffers.split("#")[1].split(",")[0]
    assert f"v#{number}" not in shown


@pytest.mark.parametrize("version", _VERSIONS)
def test_a_query_that_reads_a_cache_is_adaptive_in_3_5_alone(version):
    shown = planned(version, "SELECT * FROM d", **{"spark.sql.adaptive.enabled": True}).text("physical")

    assert shown.startswith("AdaptiveSparkPlan") == (version == "3.5")
