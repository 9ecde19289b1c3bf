"""Expressions of constants become what Spark makes of them, and stay where Spark leaves them to fail."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import QueryExecution
from planviz.expressions.core import Literal
from planviz.expressions.literals import java_float
from planviz.optimizer.evaluation import compare
from planviz.optimizer.evaluation.core import single
from tests.optimizer.evaluation.folded import FOLDED

CASES = [(text, value) for family in FOLDED.values() for text, value in family]


def folded(expression, zone="UTC"):
    config = OptimizerConfig.of(**{"spark.sql.session.timeZone": zone})
    plan = QueryExecution(f"SELECT {expression} AS x", config=config).optimized
    return plan.projects[0].child


@pytest.mark.parametrize(("expression", "value"), CASES, ids=[c[0][:40] for c in CASES])
def test_folds(expression, value):
    found = folded(expression)

    assert isinstance(found, Literal)
    assert str(found) == value


@pytest.mark.parametrize(
    "expression",
    [
        "1 / 0",
        "7 % 0",
        "2147483647 + 1",
        "CAST(200 AS TINYINT)",
        "CAST('x' AS INT)",
        "CAST('1.5' AS INT)",
        "CAST('2020-13-01' AS DATE)",
        "CAST(CAST('NaN' AS DOUBLE) AS INT)",
        "array(1, 2)[2]",
        "element_at(array(1), 0)",
        "map('a', 1, 'a', 2)",
        "make_date(2021, 2, 29)",
        "'a' LIKE 'a\\\\b'",
        "regexp_extract('a', '(', 0)",
        "elt(1, 'a', 'b')",
        "arrays_zip(array(1), array(2))",
        "to_timestamp('2020-02-30', 'yyyy-MM-dd')",
        "to_timestamp('2020-02-20', 'YYYY-MM-dd')",
    ],
)
def test_leaves_what_fails(expression):
    assert not isinstance(folded(expression), Literal)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("CAST(0 AS TIMESTAMP)", "1970-01-01 09:00:00"),
        ("unix_seconds(TIMESTAMP'2020-01-01 00:00:00')", "1577804400"),
        ("CAST('2020-01-01 00:00:00Z' AS TIMESTAMP)", "2020-01-01 09:00:00"),
        ("CAST('2020-01-01 00:00:00Z' AS TIMESTAMP_NTZ)", "2020-01-01 00:00:00"),
    ],
)
def test_instants_are_told_by_the_clock_of_the_session(expression, value):
    assert str(folded(expression, "Asia/Seoul")) == value


def test_nulls_are_least_and_nan_is_greatest():
    nan = float("nan")

    assert compare(None, -1) < 0 < compare(nan, float("inf"))
    assert compare(nan, nan) == compare(0.0, -0.0) == 0
    assert compare((1, 2), (1, 2, None)) < 0


def test_a_float_prints_the_fewest_digits_that_mean_it():
    assert java_float(single(1 / 3)) == "0.33333334"
    assert java_float(single(16777216.0)) == "1.6777216E7"
