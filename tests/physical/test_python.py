"""Functions written in Python, as real Spark 4.3 planned them: golden/python.txt.

A statement stands behind `-- ` (`[adaptive]` where adaptive execution is on); below it the optimized and the physical
plan, or the class of the error that came instead. Ids are numbered by first appearance, places of files left out.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.execution import QueryExecution, Session
from planviz.physical.python import ArrowAggregatePythonExec
from tests.acceptance.engines import real_spark, skip_without_java
from tests.physical.python_functions import register, register_in_spark
from tests.physical.test_golden_plans import DDL, GOLDEN, canonical

ADAPTIVE = "[adaptive] "


def golden() -> list[tuple[str, dict[str, str]]]:
    """Every statement with its texts by stage, and its error."""
    found = []
    for block in (GOLDEN / "python.txt").read_text(encoding="utf-8").strip().split("\n\n"):
        statement, _, rest = block.partition("\n")
        rest, _, error = rest.partition("ERROR ")
        parts = dict(p.split("\n", 1) for p in re.split(r"^== ", rest.strip(), flags=re.MULTILINE)[1:])
        parts = {stage: text.strip() for stage, text in parts.items()}
        found.append((statement.removeprefix("-- "), {**parts, **({"error": error.strip()} if error else {})}))
    return found


@pytest.fixture(scope="module")
def empty_tables() -> Catalog:
    session = Session(Catalog())
    assert all(outcome.error is None for outcome in session.run(DDL))
    return Catalog("empty", {k: replace(t, size_in_bytes=0) for k, t in session.catalog.tables.items()})


def execution(sql: str, catalog: Catalog, **settings: object) -> QueryExecution:
    adaptive = sql.startswith(ADAPTIVE)
    base = {"spark.sql.adaptive.enabled": adaptive, "spark.sql.shuffle.partitions": 4}
    config = OptimizerConfig().with_settings({**base, "spark.sql.session.timeZone": "UTC", **settings})
    session = Session(catalog, config)
    register(session)
    (outcome,) = session.run(sql.removeprefix(ADAPTIVE), "parsed")
    assert outcome.execution is not None
    return outcome.execution


@pytest.mark.parametrize(("sql", "expected"), golden())
def test_the_plans_are_spark_s(sql, expected, empty_tables):
    made = execution(sql, empty_tables)

    for stage in ("optimized", "physical"):
        if stage in expected:
            assert canonical(made.text(stage)) == expected[stage]
    if "error" in expected:
        with pytest.raises(AnalysisError) as raised:
            _ = made.physical
        assert raised.value.error_class == expected["error"]


@pytest.fixture(scope="module")
def spark():
    skip_without_java()
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    session = real_spark().spark.newSession()
    session.sql("CREATE DATABASE python_functions")
    session.sql("USE python_functions")
    session.conf.set("spark.sql.shuffle.partitions", "4")
    session.conf.set("spark.sql.session.timeZone", "UTC")
    for text in DDL.split(";"):
        if text.strip():
            session.sql(text)
    register_in_spark(session)
    yield session
    session.sql("DROP DATABASE python_functions CASCADE")


@pytest.mark.spark
@pytest.mark.parametrize(("sql", "expected"), golden()[::2])
def test_spark_still_plans_so(sql, expected, spark):
    spark.conf.set("spark.sql.adaptive.enabled", str(sql.startswith(ADAPTIVE)).lower())
    found: dict[str, str] = {}
    try:
        query = spark.sql(sql.removeprefix(ADAPTIVE))._jdf.queryExecution()
        found["optimized"] = canonical(_named(query.optimizedPlan().toString()))
        found["physical"] = canonical(_named(query.executedPlan().toString()))
    except Exception as error:
        found["error"] = re.search(r"\[([A-Z_.]+)\]", str(error))[1]
    assert found == expected


def _named(text: str) -> str:
    return text.replace("python_functions.", "default.")


# ------------------------------------------------------------------------------------- what the plans are made of


def test_the_aggregate_needs_its_rows_together_and_in_order(empty_tables):
    plan = execution("select b, py_mean(c) from t group by b", empty_tables).physical
    (node,) = plan.collect(ArrowAggregatePythonExec)

    assert [str(k) for d in node.required_distribution for k in d.keys] == [str(k) for k in node.keys]
    assert [str(o) for o in node.required_ordering[0]] == [f"{k} ASC NULLS FIRST" for k in node.keys]
    assert node.output_ordering == ()
    assert node.output_partitioning == node.child.output_partitioning


def test_equal_plans_over_python_share_an_exchange(empty_tables):
    one = "(select py_plus(a) x from t)"
    text = execution(f"select /*+ merge(q) */ * from {one} p join {one} q on p.x = q.x", empty_tables).text("physical")

    assert text.count("ReusedExchange") == 1
    assert text.count("+- Exchange") == 1


def test_kinds_that_one_operator_cannot_compute_together_are_refused(empty_tables):
    with pytest.raises(AnalysisError, match="`py_mean`, `arrow_mean` are of several kinds") as raised:
        _ = execution("select py_mean(c), arrow_mean(c) from t", empty_tables).physical
    assert raised.value.error_class == "INTERNAL_ERROR"


def test_mixed_aggregates_are_refused_by_name(empty_tables):
    with pytest.raises(AnalysisError, match="`py_mean`, `py_count`") as raised:
        _ = execution("select py_mean(c), py_count(c), sum(a) from t", empty_tables).physical
    assert raised.value.error_class == "INVALID_PANDAS_UDF_PLACEMENT"


def test_formatted_explain_gives_the_arguments(empty_tables):
    text = execution("select b, py_mean(c) from t group by b", empty_tables).explain_string("formatted")

    assert "Arguments: [b#" in text.partition(") ArrowAggregatePython\n")[2]
    assert "!" not in text


def test_spark_3_0_has_the_first_names(empty_tables):
    session = Session(empty_tables, OptimizerConfig.of("spark-3.0"))
    register(session)
    queries = ["select b, py_mean(c) from t group by b", "select py_mean(c) over (partition by b) from t"]
    texts = [next(session.run(q, "physical")).execution.text("physical") for q in queries]

    assert "!AggregateInPandas [b#" in texts[0]
    assert "WindowInPandas [py_mean(" in texts[1]
    assert ", 202" not in texts[0]
