"""Differences and intervals of dates, timestamps, texts and null, as Spark prints them."""

from __future__ import annotations

import pytest

from planviz.errors import AnalysisError
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


@pytest.mark.parametrize(
    ("expression", "printed"),
    [
        (
            "TIMESTAMP'2020-01-02 00:00:00' + null",
            "cast(2020-01-02 00:00:00 + cast(null as interval day to second) as ",
        ),
        ("null + DATE'2020-01-02'", "cast(2020-01-02 as timestamp) + cast(null as interval day to second)"),
        ("'2' * INTERVAL '3' SECOND", "(INTERVAL '03' SECOND * cast(2 as double))"),
        ("null - INTERVAL '3' DAY", "(cast(null as interval day) - INTERVAL '3' DAY)"),
        (
            "TIMESTAMP'2020-01-02 00:00:00' - TIMESTAMP_NTZ'2020-01-01 00:00:00'",
            "(cast(2020-01-02 00:00:00 as timestamp_ntz) - 2020-01-01 00:00:00)",
        ),
        (
            "2 * make_interval(1)",
            "multiply_interval(make_interval(1, 0, 0, 0, 0, 0, 0.000000, true), cast(2 as double), ",
        ),
    ],
)
def test_null_text_and_calendar_intervals_take_part(expression, printed):
    assert analyzed(expression).startswith(f"Project [{printed}")


@pytest.mark.parametrize(
    ("expression", "error_class"),
    [
        ("DATE'2020-01-02' + TIMESTAMP'2020-01-02 00:00:00'", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
        ("DATE'2020-01-02' + '1'", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
        ("1 - INTERVAL '2' SECOND", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
        ("INTERVAL '2' DAY / INTERVAL '1' DAY", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
        ("INTERVAL '2-2' YEAR TO MONTH + INTERVAL '3' DAY", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
        ("TIMESTAMP'2020-01-02 00:00:00' + '1'", "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE"),
        ("DATE'2020-01-02' * '1'", "DATATYPE_MISMATCH.BINARY_OP_WRONG_TYPE"),
        ("DATE'2020-01-02' * null", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"),
        ("'1' + INTERVAL '1-2' YEAR TO MONTH", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"),
        ("coalesce('1', INTERVAL '2' DAY)", "DATATYPE_MISMATCH.DATA_DIFF_TYPES"),
        ("null + make_interval(1)", "DATATYPE_MISMATCH.CAST_WITHOUT_SUGGESTION"),
        ("TIME'10:00' + INTERVAL '1' HOUR", "UNSUPPORTED_TIME_TYPE"),
        ("TIME'10:00' - TIME'09:00'", "UNSUPPORTED_TIME_TYPE"),
        ("TIME'10:00' + 1", "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"),
        ("CAST('10:00' AS TIME(3) WITHOUT TIME ZONE)", "UNSUPPORTED_TIME_TYPE"),
        ("'10:00' = TIME'10:00'", "UNSUPPORTED_TIME_TYPE"),
        ("extract(HOUR FROM TIME'10:00')", "UNSUPPORTED_TIME_TYPE"),
        ("extract(YEAR FROM TIME'10:00')", "INVALID_EXTRACT_FIELD"),
        ("unix_date('2020-01-02')", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
    ],
)
def test_is_refused_as_by_spark(expression, error_class):
    with pytest.raises(AnalysisError) as refused:
        analyzed(expression)

    assert refused.value.error_class == error_class


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("make_interval(1, 2) * 1.5", "1 years 9 months"),
        ("make_interval(1, 2) / 1.5", "9 months"),
        ("make_interval(0, 0, 0, 1) / 2", "12 hours"),
    ],
)
def test_a_calendar_interval_is_scaled_part_by_part(expression, value):
    plan = QueryExecution(f"SELECT {expression} AS x").text("optimized")

    assert plan.startswith(f"Project [{value} AS x#")


@pytest.mark.parametrize("text", ["1", "2020-13-01", "10:00", "soon", ""])
def test_a_text_that_is_no_date_fails(text):
    with pytest.raises(AnalysisError) as refused:
        QueryExecution(f"SELECT CAST('{text}' AS DATE) AS x").text("optimized")

    assert refused.value.error_class == "CAST_INVALID_INPUT"


@pytest.mark.parametrize(
    ("value", "origin", "kind"),
    [
        ("NULL", "TIMESTAMP_NTZ'2024-01-01 00:00:00'", "timestamp_ntz"),
        ("NULL", "TIMESTAMP'2024-01-01 00:00:00'", "timestamp"),
        ("TIMESTAMP_NTZ'2024-01-01 00:00:00'", "NULL", "timestamp_ntz"),
    ],
)
def test_the_kind_of_a_bucket_is_that_of_what_is_not_null(value, origin, kind):
    made = QueryExecution(f"SELECT typeof(time_bucket(INTERVAL '1' HOUR, {value}, {origin})) AS x").text("optimized")

    assert made.startswith(f"Project [{kind} AS x#")
