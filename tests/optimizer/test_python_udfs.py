"""Python functions in the optimizer, where a golden case cannot say it: errors, the profile of 3.0, settings."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.execution import QueryExecution, Session
from tests.plans import small_catalog


def execution(sql: str, config: OptimizerConfig | None = None) -> QueryExecution:
    session = Session(small_catalog(), config)
    session.register_python_function("f", "int")
    session.register_python_function("m", "double", "SQL_GROUPED_AGG_PANDAS_UDF")
    (outcome,) = session.run(sql)
    assert outcome.error is None, outcome.error
    assert outcome.execution is not None
    return outcome.execution


def effective(made: QueryExecution) -> set[str]:
    return {a.rule.rpartition(".")[2] for a in made.trace}


def test_before_3_3_a_function_that_is_a_key_is_computed_by_a_rule_of_its_own():
    sql = "SELECT f(a), f(a) + 1, count(*) FROM t1 GROUP BY f(a)"
    made = execution(sql, OptimizerConfig.of("spark-3.0"))

    assert "groupingPythonUDF" in made.text("optimized")
    assert "ExtractGroupingPythonUDFFromAggregate" in effective(made)
    made = execution(sql)
    assert "_groupingexpression" in made.text("optimized")
    assert "ExtractGroupingPythonUDFFromAggregate" not in effective(made)


@pytest.mark.parametrize("kind", ["LEFT", "RIGHT", "FULL", "LEFT SEMI", "LEFT ANTI"])
def test_a_function_of_both_sides_is_refused_in_other_joins_than_inner_ones(kind):
    made = execution(f"SELECT 1 FROM t1 {kind} JOIN t2 ON t1.a = t2.a AND f(t1.b + t2.c) > 1")

    with pytest.raises(AnalysisError) as raised:
        _ = made.optimized
    assert raised.value.error_class == "UNSUPPORTED_FEATURE.PYTHON_UDF_IN_ON_CLAUSE"
    assert "OUTER" in str(raised.value) or "SEMI" in str(raised.value) or "ANTI" in str(raised.value)


def test_a_condition_of_python_alone_leaves_a_product_and_a_warning():
    made = execution("SELECT * FROM t1 JOIN t2 ON f(t1.a + t2.a) = 1")

    assert "Join Inner\n" in made.text("optimized")
    assert any("product" in w for w in made.warnings)


def test_a_product_that_python_leaves_is_refused_where_products_are():
    made = execution(
        "SELECT * FROM t1 JOIN t2 ON f(t1.a + t2.a) = 1", OptimizerConfig.of(**{"spark.sql.crossJoin.enabled": False})
    )

    with pytest.raises(Exception, match="cartesian product"):
        _ = made.optimized


def test_the_rules_cannot_be_excluded():
    name = "org.apache.spark.sql.execution.python.ExtractPythonUDFs"
    made = execution("SELECT f(a) FROM t1", OptimizerConfig.of(**{"spark.sql.optimizer.excludedRules": name}))

    assert "ArrowEvalPython" in made.text("optimized")
    assert any("was not excluded" in w for w in made.warnings)


def test_a_subquery_that_reads_the_query_around_goes_to_python_once_it_is_a_join():
    made = execution("SELECT * FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a AND f(t2.b) > 1)")

    assert made.text("optimized").count("ArrowEvalPython") == 1
    assert "LeftSemi" in made.text("optimized")


def test_two_subqueries_of_python_aggregates_fail_as_they_do_in_spark():
    made = execution("SELECT (SELECT m(a) FROM t1), (SELECT m(b) FROM t1)")

    with pytest.raises(AnalysisError, match="MergeSubplans") as raised:
        _ = made.optimized
    assert raised.value.error_class == "INTERNAL_ERROR"
    name = "org.apache.spark.sql.execution.planmerging.MergeSubplans"
    again = execution(made.sql, OptimizerConfig.of(**{"spark.sql.optimizer.excludedRules": name}))
    assert again.text("physical").count("ArrowAggregatePython") == 2


def test_what_udf_makes_depends_on_the_setting():
    off = OptimizerConfig.of(**{"spark.sql.execution.pythonUDF.arrow.enabled": False})

    assert "BatchEvalPython [f(" in execution("SELECT f(a) FROM t1", off).text("optimized")
    assert ", 101\n" in execution("SELECT f(a) FROM t1").text("optimized")
    assert "BatchEvalPython" in execution("SELECT f(a) FROM t1", OptimizerConfig.of("spark-3.0")).text("optimized")
