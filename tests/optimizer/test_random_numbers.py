"""Functions of random numbers, as Spark 4.0 to 4.3 show them."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import explain
from tests.plans import small_catalog


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("uniform(1, 5, 3)", "cast((1.0 + (4.0 * rand(3))) as int)"),
        ("uniform(1Y, 5S, 3)", "cast((1.0 + (4.0 * rand(3))) as smallint)"),
        ("uniform(1, 2.50, 3)", "cast((1.0 + (1.5 * rand(3))) as decimal(3,2))"),
        ("uniform(1F, 3, 7)", "cast((1.0 + (2.0 * rand(7))) as float)"),
        ("uniform(1D, 5L, 3)", "(1.0 + (4.0 * rand(3)))"),
    ],
)
def test_a_number_between_two_is_computed_as_double(call, expected):
    told = explain(f"SELECT {call} FROM range(3)", small_catalog()).text("optimized")
    assert told.startswith(f"Project [{expected} AS ")


@pytest.mark.parametrize(("profile", "tail"), [("spark-4.1", "false"), ("spark-4.3", "false, Some(UTC)")])
def test_the_time_zone_is_shown_since_4_2(profile, tail):
    config = OptimizerConfig.of(profile).with_settings({"spark.sql.session.timeZone": "UTC"})
    told = explain("SELECT uniform(1, 5, 3) FROM range(3)", small_catalog(), config).text("analyzed")
    assert f"uniform(1, 5, 3, {tail})" in told


def test_the_seed_of_a_shuffle_is_shown_as_one_that_was_drawn():
    told = explain("SELECT shuffle(array(id, 2), 3) FROM range(3)", small_catalog()).text("analyzed")
    assert "Some(3)) AS shuffle(array(id, 2))" in told
