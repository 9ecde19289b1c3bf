"""Words in the place of days and instants, and times of the day with AM and PM."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError, ParseError
from planviz.execution import QueryExecution
from planviz.frontend.literals import date_literal, timestamp_literal
from tests.plans import small_catalog

#: 22 November, half past one in the morning in London, and still the 21st in Los Angeles.
NOW = {"planviz.now": "2026-11-22T01:30:00Z", "spark.sql.session.timeZone": "America/Los_Angeles"}


def shown(literal: str) -> str:
    made = QueryExecution(f"SELECT {literal} AS x", small_catalog(), OptimizerConfig.of(**NOW)).text("analyzed")
    return made.removeprefix("Project [").partition(" AS x#")[0]


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("DATE 'today'", "2026-11-21"),
        ("DATE ' Tomorrow '", "2026-11-22"),
        ("DATE 'yesterday UTC'", "2026-11-21"),
        ("DATE 'epoch'", "1970-01-01"),
        ("TIMESTAMP 'now'", "2026-11-21 17:30:00"),
        ("TIMESTAMP 'today'", "2026-11-21 00:00:00"),
        ("TIMESTAMP 'today UTC'", "2026-11-21 16:00:00"),
        ("TIMESTAMP 'epoch'", "1969-12-31 16:00:00"),
        ("TIMESTAMP_NTZ 'epoch'", "1970-01-01 00:00:00"),
        ("TIMESTAMP_NTZ 'tomorrow'", "2026-11-22 00:00:00"),
        ("TIMESTAMP '10:20'", "2026-11-21 10:20:00"),
        ("TIMESTAMP 'T10:20:30.5+00:00'", "2026-11-22 02:20:30.5"),
        ("TIMESTAMP '2020-01-01 10'", "2020-01-01 10:00:00"),
        ("TIMESTAMP '2020-01-01T1:2'", "2020-01-01 01:02:00"),
        ("TIMESTAMP ' 2020-01-01 10:00:00. '", "2020-01-01 10:00:00"),
        ("TIMESTAMP '2020-01-01 10:00:00.1234567 UTC'", "2020-01-01 02:00:00.123456"),
        ("TIMESTAMP_NTZ '2020-01-01 10:00:00 CET'", "2020-01-01 10:00:00"),
        ("DATE '2020-1-2 and more'", "2020-01-02"),
        ("TIME '01:02:03 PM'", "13:02:03"),
        ("TIME '12:00:00 am'", "00:00:00"),
        ("TIME '12:30 pM'", "12:30:00"),
    ],
)
def test_a_word_is_a_value(literal, value):
    assert shown(literal) == value


@pytest.mark.parametrize(
    "text", ["2020-01-01Z", "2020-01-01 UTC", "2020-01-01 10:00Z", "2020-01 10:00", "2020-01-01T", "2020-01-01 10:"]
)
def test_a_zone_stands_behind_seconds_only_and_a_time_behind_a_day(text):
    assert timestamp_literal(text) is None
    with pytest.raises(AnalysisError) as error:
        QueryExecution(f"SELECT CAST('{text}' AS TIMESTAMP)", small_catalog()).text("optimized")
    assert error.value.error_class == "CAST_INVALID_INPUT"


@pytest.mark.parametrize(
    "literal",
    [
        "TIMESTAMP_NTZ '10:20'",
        "DATE '2020 x'",
        "TIMESTAMP 'now UTC'",
        "DATE 'today Nowhere'",
        "TIMESTAMP 'someday'",
        "TIME '13:00:00 AM'",
        "TIME '00:00:00 PM'",
    ],
)
def test_a_word_is_none(literal):
    with pytest.raises(ParseError) as error:
        shown(literal)
    assert error.value.error_class == "INVALID_TYPED_LITERAL"


def test_a_decimal_has_no_negative_zero():
    assert shown("-0.0") == "0.0"
    assert shown("-0.0D") == "-0.0"


def test_a_word_for_a_day_is_read_in_steps_of_its_length():
    # By a pattern that may divide the blanks in three ways these would take hours.
    for text in ("today" + " " * 100_000 + "\nx", "now" + "\t" * 100_000 + "\n!", " " * 100_000 + "tomorrow x"):
        assert date_literal(text) is None
        assert timestamp_literal(text) is None
