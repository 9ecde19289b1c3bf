"""To which scale numbers are rounded up and down."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.execution import QueryExecution


@pytest.mark.parametrize("scale", ["null", "'a'", "1.5", "a", "2L"])
@pytest.mark.parametrize("function", ["ceil", "floor", "ceiling"])
def test_a_scale_that_is_no_constant_int_is_refused(function, scale):
    with pytest.raises(AnalysisError, match="NON_FOLDABLE_ARGUMENT"):
        QueryExecution(f"SELECT {function}(2.5, {scale}) FROM VALUES (1) AS t(a)").analyzed  # noqa: B018


def test_a_constant_int_is_a_scale():
    plan = QueryExecution("SELECT ceil(2.55, 1) AS x").text("optimized")

    assert plan.startswith("Project [2.6 AS x#")


def test_a_lambda_over_null_is_left_to_the_query():
    plan = QueryExecution("SELECT transform(CAST(null AS array<int>), e -> e + 1) AS x").text("optimized")

    assert plan.startswith("Project [transform(null, lambdafunction((lambda e#")


@pytest.mark.parametrize("function", ["round", "bround", "round_to_tens"])
def test_a_group_may_be_by_a_rounded_value_without_ansi_mode(function):
    call = "round(a, -1)" if function == "round_to_tens" else f"{function}(a)"
    config = OptimizerConfig().with_settings({"spark.sql.ansi.enabled": False})
    plan = QueryExecution(f"SELECT {call} AS x FROM VALUES (1.5D) AS t(a) GROUP BY {call}", config=config)

    assert plan.text("analyzed").startswith("Aggregate [")
