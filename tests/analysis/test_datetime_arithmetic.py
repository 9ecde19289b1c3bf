"""Differences and intervals of dates, timestamps, texts and null, as Spark prints them."""

from __future__ import annotations

import pytest

from planviz.execution import QueryExecution


def analyzed(expression):
    return QueryExecution(f"SELECT {expression} AS x").text("analyzed").split("\n")[0]


@pytest.mark.parametrize(
    ("expression", "printed"),
    [
        # What an interval is taken from prints as it was given, what one is added to as the timestamp made of it.
        ("DATE'2020-01-02' - INTERVAL '3 04' DAY TO HOUR", "2020-01-02 - INTERVAL '3 04' DAY TO HOUR"),
        (
            "DATE'2020-01-02' + INTERVAL '3 04' DAY TO HOUR",
            "cast(2020-01-02 as timestamp) + INTERVAL '3 04' DAY TO HOUR",
        ),
        ("'2020-01-02' - INTERVAL '3' DAY", "cast(2020-01-02 - INTERVAL '3' DAY as string)"),
        ("TIMESTAMP'2020-01-02 00:00:00' - null", "(2020-01-02 00:00:00 - cast(null as timestamp))"),
        ("TIMESTAMP'2020-01-02 00:00:00' - '2020'", "(2020-01-02 00:00:00 - cast(2020 as timestamp))"),
        ("null - DATE'2020-01-02'", "(cast(null as date) - 2020-01-02)"),
        ("DATE'2020-01-02' - null", "(2020-01-02 - cast(null as date))"),
        ("INTERVAL '3' SECOND / null", "(INTERVAL '03' SECOND / cast(null as double))"),
        ("null * INTERVAL '3' SECOND", "(INTERVAL '03' SECOND * cast(null as double))"),
    ],
)
def test_prints_as_spark_does(expression, printed):
    assert analyzed(expression).startswith(f"Project [{printed} AS x#")


def test_what_it_prints_without_it_is_computed_with_the_cast():
    plan = QueryExecution("SELECT DATE'2020-01-02' - INTERVAL '1 02' DAY TO HOUR AS x").text("optimized")

    assert plan.startswith("Project [2019-12-31 22:00:00 AS x#")
