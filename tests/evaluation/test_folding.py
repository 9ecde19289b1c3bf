"""Expressions of constants become what Spark makes of them, and stay where Spark leaves them to fail."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.evaluation import compare
from planviz.evaluation.core import single
from planviz.execution import QueryExecution
from planviz.expressions.core import Literal
from planviz.expressions.literals import java_float
from tests.evaluation.folded import FOLDED

_UPGRADED = "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"
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
    ("expression", "value"),
    [
        ("abs(-128Y)", "-128"),
        ("round(127Y, -1)", "-126"),
        ("bround(2147483647, -1)", "-2147483646"),
        ("make_timestamp(2021, 07, 11, 6, 30, 60.007)", "null"),
        ("conv('92233720368547758070', 10, 16)", "FFFFFFFFFFFFFFFF"),
        ("next_day('2015-07-23', 'xx')", "null"),
        ("make_date(2000, 13, 1)", "null"),
        ("unix_timestamp('Unparseable', 'yyyy-MM-dd')", "null"),
    ],
)
def test_without_ansi_what_does_not_fit_wraps_or_is_null(expression, value):
    config = OptimizerConfig.of(**{"spark.sql.session.timeZone": "UTC", "spark.sql.ansi.enabled": "false"})
    plan = QueryExecution(f"SELECT {expression} AS x", config=config).optimized
    assert str(plan.projects[0].child) == value


@pytest.mark.parametrize(
    "expression",
    [
        "arrays_zip(array(1), array(2))",
    ],
)
def test_leaves_what_fails_in_a_way_that_is_not_known(expression):
    assert not isinstance(folded(expression), Literal)


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ("1 / 0", "DIVIDE_BY_ZERO"),
        ("make_date(2021, 2, 29)", "DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION"),
        ("timestamp_millis(92233720368547758)", "DATETIME_OVERFLOW"),
        ("timestamp_seconds(1230219000123123)", "DATETIME_OVERFLOW"),
        ("timestamp_seconds(0.1234567)", "java.lang.ArithmeticException"),
        ("to_number('x', '999')", "INVALID_FORMAT.MISMATCH_INPUT"),
        ("format_string('%s %s', 'a')", "java.util.MissingFormatArgumentException"),
        ("format_string('%0$s', 'a')", "INVALID_PARAMETER_VALUE.ZERO_INDEX"),
        ("round(127Y, -1)", "ARITHMETIC_OVERFLOW"),
        ("to_timestamp('30-365', 'dd-DDD')", "CANNOT_PARSE_TIMESTAMP"),
        ("to_timestamp('1234567', 'yyyyyyy')", "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION"),
        (
            "to_timestamp('2020-02', 'YYYY-MM')",
            "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_PATTERN_RECOGNITION",
        ),
        ("date_format(now(), 'uuuu-QQQ')", "INCONSISTENT_BEHAVIOR_CROSS_VERSION.DATETIME_WEEK_BASED_PATTERN"),
        ("to_timestamp('2020-Q1', 'yyyy-QQQ')", "INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER"),
        ("try_to_timestamp('1', 'C')", "INVALID_DATETIME_PATTERN.WITH_SUGGESTION"),
        ("parse_json('{')", "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION"),
        ("to_timestamp('2020-02-20', 'YYYY-MM-dd')", _UPGRADED),
        ("try_to_timestamp('x', 'EEEEE yyyy')", _UPGRADED),
        ("to_unix_timestamp('x', 'MMMMM')", _UPGRADED),
        ("date_format(timestamp'2018-11-17 13:33:33', 'FF')", _UPGRADED),
        (
            "date_format(timestamp'2018-11-17 13:33:33', 'e')",
            _UPGRADED.replace("PATTERN_RECOGNITION", "WEEK_BASED_PATTERN"),
        ),
        ("date_format(timestamp'2018-11-17 13:33:33', 'A')", "INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER"),
        ("date_format(timestamp'2018-11-17 13:33:33', 'QQQQQ')", "INVALID_DATETIME_PATTERN.LENGTH"),
        ("date_format(timestamp'2018-11-17 13:33:33', 'VVVV')", "INVALID_DATETIME_PATTERN.WITH_SUGGESTION"),
        ("to_date('x', \"yyyy'\")", "INVALID_DATETIME_PATTERN.WITH_SUGGESTION"),
        ("to_timestamp('2020-10-350', 'yyyy-MM-DDD')", "CANNOT_PARSE_TIMESTAMP"),
        ("to_timestamp('12.1232019', 'ss.SSSSyyyy')", "CANNOT_PARSE_TIMESTAMP"),
        ("interval '2147483647' month * 2", "java.lang.ArithmeticException"),
        ("interval '2' day / double('nan')", "java.lang.ArithmeticException"),
        ("7 % 0", "REMAINDER_BY_ZERO"),
        ("interval '2' second / 0", "INTERVAL_DIVIDED_BY_ZERO"),
        ("interval '-178956970-8' year to month / -1", "INTERVAL_ARITHMETIC_OVERFLOW.WITH_SUGGESTION"),
        ("make_ym_interval(178956970, 8)", "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION"),
        ("2147483647 + 1", "ARITHMETIC_OVERFLOW"),
        ("127Y + 1Y", "BINARY_ARITHMETIC_OVERFLOW"),
        ("1e35BD / 0.1", "NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION"),
        ("CAST(200 AS TINYINT)", "CAST_OVERFLOW"),
        ("CAST('x' AS INT)", "CAST_INVALID_INPUT"),
        ("CAST('1.5' AS INT)", "CAST_INVALID_INPUT"),
        ("CAST('2020-13-01' AS DATE)", "CAST_INVALID_INPUT"),
        ("CAST(CAST('NaN' AS DOUBLE) AS INT)", "CAST_OVERFLOW"),
        ("array(1, 2)[2]", "INVALID_ARRAY_INDEX"),
        ("element_at(array(1), 0)", "INVALID_INDEX_OF_ZERO"),
        ("element_at(array(1), 2)", "INVALID_ARRAY_INDEX_IN_ELEMENT_AT"),
        ("map('a', 1, 'a', 2)", "DUPLICATED_MAP_KEY"),
        ("map(null, 2)", "NULL_MAP_KEY"),
        ("'a' LIKE 'a\\\\b'", "INVALID_FORMAT.ESC_IN_THE_MIDDLE"),
        ("regexp_extract('a', '(', 0)", "INVALID_PARAMETER_VALUE.PATTERN"),
        ("regexp_extract('1a', '(.)a', 2)", "INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX"),
        ("elt(1, 'a', 'b')", None),
        ("slice(array(1), 0, 1)", "INVALID_PARAMETER_VALUE.START"),
        ("to_timestamp('2020-02-30', 'yyyy-MM-dd')", "CANNOT_PARSE_TIMESTAMP"),
        ("next_day('2020-02-20', 'xx')", "ILLEGAL_DAY_OF_WEEK"),
        ("from_utc_timestamp('2020-01-01', 'XX')", "INVALID_TIMEZONE"),
        ("encode('a', 'latin-99')", "INVALID_PARAMETER_VALUE.CHARSET"),
        ("getbit(1, 64)", "INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE"),
        ("parse_url('no url', 'HOST')", "INVALID_URL"),
        # What need not be computed does not fail.
        ("if(rand(1) > 2, 1 / 0, 1)", None),
        ("coalesce(rand(1), 1 / 0)", None),
        ("nanvl(2.5D, 1 / 0)", None),
        ("trunc('no date', 'no unit')", None),
        ("try_divide(interval '2' second, 0)", None),
        ("try_multiply(interval '2147483647' month, 2)", None),
        ("try_make_interval(2147483647)", None),
        ("true OR 1 / 0 > 1", None),
    ],
)
@pytest.mark.parametrize("rows", ["", " FROM VALUES (1)"])
def test_a_constant_that_fails_fails_the_query(expression, error, rows):
    execution = QueryExecution(f"SELECT {expression} AS x{rows}")
    if error is None:
        assert execution.optimized is not None
        return
    with pytest.raises(AnalysisError) as raised:
        execution.optimized  # noqa: B018  # the property computes
    assert raised.value.error_class == error


def test_rows_of_values_that_fail_fail_the_query():
    with pytest.raises(AnalysisError, match=r"\[CAST_INVALID_INPUT\].*'x' cannot be cast to INT"):
        QueryExecution("SELECT CAST(a AS INT) FROM VALUES ('1'), ('x') AS t(a)").optimized  # noqa: B018


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


@pytest.mark.parametrize(
    ("expression", "error_class"),
    [
        ("cast('1-13' as interval year to month)", "INVALID_INTERVAL_FORMAT.INTERVAL_PARSING"),
        ("cast('3' as interval year to month)", "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING"),
        ("cast('x' as interval day)", "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE"),
        ("array_insert(array(1), 0, 1)", "INVALID_INDEX_OF_ZERO"),
        ("map_from_arrays(array('a'), array(1, 2))", "_LEGACY_ERROR_TEMP_2128"),
    ],
)
def test_what_fails_has_spark_s_class(expression, error_class):
    with pytest.raises(AnalysisError) as error:
        folded(expression)
    assert error.value.error_class == error_class
