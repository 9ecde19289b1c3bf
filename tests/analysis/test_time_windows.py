"""window() and session_window(), as Spark 4.3 analyzes them."""

from __future__ import annotations

import pytest

from planviz.errors import PlanTooLarge
from planviz.execution import Session

SETUP = "create temp view e as select * from values (timestamp'2026-01-01 10:07:00', 1) e(t, n); "


def last(sql: str, stage: str = "analyzed"):
    *_, outcome = Session().run(SETUP + sql, stage)
    return outcome


def test_a_tumbling_window_is_computed_beneath():
    text = last("select window.start, count(*) from e group by window(t, '1 hour')").execution.text("analyzed")

    lines = text.splitlines()
    assert lines[0].startswith("Aggregate [window#")
    assert lines[1].startswith("+- Project [named_struct(start, knownnullable(precisetimestampconversion(((")
    assert "% 3600000000)" in lines[1]
    assert lines[2].startswith("   +- Filter isnotnull(t#")


def test_sliding_windows_repeat_every_row():
    text = last("select window, sum(n) from e group by window(t, '10 minutes', '4 minutes')").execution.text("analyzed")

    assert text.count("CASE WHEN") == 6, "three windows may hold a row, each told by its start and its end"
    assert "+- Filter ((t#" in text


def test_a_window_of_constant_rows_is_computed_while_planning():
    execution = last("select w.start from (select window(t, '5 minutes') as w from e)", "optimized").execution

    (row,) = execution.optimized.rows
    assert str(getattr(row[0], "value", row[0])) == "2026-01-01 10:05:00"


def test_a_session_ends_after_the_gap():
    text = last("select session_window, count(*) from e group by session_window(t, '5 minutes')").execution.text(
        "analyzed"
    )

    assert "+ cast(5 minutes as interval)" in text
    assert "AS session_window#" in text


@pytest.mark.parametrize(
    ("call", "error_class"),
    [
        ("window(n, '5 minutes')", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
        ("window(t, '5 minutes', '6 minutes')", "DATATYPE_MISMATCH.PARAMETER_CONSTRAINT_VIOLATION"),
        ("window(t, '5 apples')", "CANNOT_PARSE_INTERVAL"),
        ("window(t, '1 minute'), window(t, '2 minutes')", "_LEGACY_ERROR_TEMP_1039"),
        ("session_window(t, interval 5 minutes)", "_LEGACY_ERROR_TEMP_1040"),
    ],
)
def test_what_is_wrong_with_a_window(call, error_class):
    assert last(f"select {call} from e").error.error_class == error_class


def test_the_time_of_a_window_is_computed_below_the_operator_that_asks_for_it():
    inner = "select window(t, '5 minutes') w from values (timestamp'2020-01-01 00:00:00') v(t) group by 1"
    *_, outcome = Session().run(f"select window_time(w) from ({inner})")

    first, second, *_ = outcome.execution.text("analyzed").splitlines()
    assert first.startswith("Project [window_time(w)#")
    assert "[precisetimestampconversion((precisetimestampconversion(w#" in second
    assert ".end, TimestampType, LongType) - 1), LongType, TimestampType) AS window_time(w)#" in second


def test_the_time_of_a_window_that_is_grouped_by_is_no_key():
    *_, outcome = Session().run(
        "select window_time(window) from values (timestamp'2020-01-01 00:00:00') v(t) group by window(t, '5 minutes')"
    )

    assert outcome.error.error_class == "MISSING_AGGREGATION"


def test_windows_that_slide_too_little_are_refused():
    with pytest.raises(PlanTooLarge, match=r"belongs to 86,400,000 windows .* Let the windows slide by more"):
        _ = last("select count(*) from e group by window(t, '1 day', '1 millisecond')").execution.analyzed
