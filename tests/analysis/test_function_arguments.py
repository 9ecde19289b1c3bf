"""Arguments that must be constants of a kind, parameters by name, and settings that say what a call means."""

from __future__ import annotations

import re

import pytest

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError, ParseError
from planviz.execution import QueryExecution, Session
from planviz.types import DATE
from tests.plans import plan_text


@pytest.mark.parametrize(
    ("expression", "error_class"),
    [
        ("kll_sketch_agg_bigint(1L, 7)", "DATATYPE_MISMATCH.TYPE_CHECK_FAILURE_WITH_HINT"),
        ("kll_sketch_agg_bigint(1L, CAST(NULL AS INT))", "DATATYPE_MISMATCH.UNEXPECTED_NULL"),
        ("tuple_sketch_agg_double(1, 1D, 40)", "DATATYPE_MISMATCH.TYPE_CHECK_FAILURE_WITH_HINT"),
        ("tuple_sketch_agg_double(1, 1D, 12, 'mean')", "DATATYPE_MISMATCH.TYPE_CHECK_FAILURE_WITH_HINT"),
        ("tuple_sketch_agg_double(key => 1)", "REQUIRED_PARAMETER_NOT_FOUND"),
        ("tuple_union_double(X'00')", "REQUIRED_PARAMETER_NOT_FOUND"),
        ("max_by(1, 2, 0)", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"),
        ("mask('abc', 'AB')", "DATATYPE_MISMATCH.INPUT_SIZE_NOT_ONE"),
        ("time_bucket(INTERVAL '5' MINUTE - INTERVAL '9' MINUTE, now())", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"),
        ("time_bucket(INTERVAL '5' MINUTE, DATE'2020-01-01')", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
        ("histogram_numeric(1, 1)", "DATATYPE_MISMATCH.VALUE_OUT_OF_RANGE"),
        ("stack(2, 'a', 1, 'b', 2.5D)", "DATATYPE_MISMATCH.STACK_COLUMN_DIFF_TYPES"),
        ("stack(2, NULL, 1, 'b', 'c')", "DATATYPE_MISMATCH.STACK_COLUMN_DIFF_TYPES"),
        ("sequence(NULL, NULL)", "DATATYPE_MISMATCH.SEQUENCE_WRONG_INPUT_TYPES"),
        ("schema_of_csv(42)", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE"),
        ("schema_of_json(CAST(NULL AS STRING))", "DATATYPE_MISMATCH.UNEXPECTED_NULL"),
        ("timestampadd('MONTH', 1, DATE'2020-01-01')", "INVALID_PARAMETER_VALUE.DATETIME_UNIT"),
        ("date_add('DAY', 1, DATE'2020-01-01')", "INVALID_PARAMETER_VALUE.DATETIME_UNIT"),
        ("date_part(a, DATE'2020-01-01') FROM VALUES ('DAY') t(a)", "NON_FOLDABLE_ARGUMENT"),
        ("extract(DAY FROM INTERVAL '2-1' YEAR TO MONTH)", "INVALID_EXTRACT_FIELD"),
        ("make_dt_interval(2147483647)", "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION"),
        ("INTERVAL 2147483647 DAY", "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION"),
    ],
)
def test_is_refused_as_by_spark(expression, error_class):
    with pytest.raises((AnalysisError, ParseError)) as refused:
        QueryExecution(f"SELECT {expression}").text("optimized")

    assert refused.value.error_class == error_class


@pytest.mark.parametrize(
    ("expression", "printed"),
    [
        ("div(7, 2)", "3"),
        ("date_format('2020-03-01', 'MM')", "03"),
        ("date_part(NULL, DATE'2020-01-01')", "null"),
        ("make_timestamp(DATE'2020-01-02')", "2020-01-02 00:00:00"),
        ("INTERVAL -'-1' YEAR", "INTERVAL '1' YEAR"),
        ("timediff(DAY, DATE'2020-01-01', DATE'2020-01-03')", "2"),
    ],
)
def test_is_computed(expression, printed):
    assert QueryExecution(f"SELECT {expression} AS x").text("optimized").startswith(f"Project [{printed} AS x#")


@pytest.mark.parametrize(
    ("cast", "nullable"),
    [
        ("CAST('1' AS INT)", True),
        ("CAST(1.5D AS INT)", True),
        ("CAST(1L AS TINYINT)", False),
        ("CAST(1 AS STRING)", False),
    ],
)
def test_a_cast_that_may_not_convert_counts_as_nullable_with_ansi_too(cast, nullable):
    (column,) = QueryExecution(f"SELECT {cast} AS x").analyzed.output

    assert column.nullable is nullable


def test_a_timestamp_without_zone_changes_what_functions_make():
    config = OptimizerConfig.of(**{"spark.sql.timestampType": "TIMESTAMP_NTZ"})
    plan = QueryExecution("SELECT to_timestamp('2020-01-01') AS x", config=config).text("analyzed")

    assert "TimestampNTZType" in plan.split("\n")[0]


@pytest.mark.parametrize(
    ("zone", "shown"),
    [("'Europe/Paris'", "Europe/Paris"), ("INTERVAL -8 HOURS", "-08:00"), ("INTERVAL '5:30' HOUR TO MINUTE", "+05:30")],
)
def test_set_time_zone_counts_for_what_follows(zone, shown):
    *_, last = Session().run(f"SET TIME ZONE {zone}; SELECT hour(TIMESTAMP'2020-01-01 00:00:00') AS x")

    assert last.execution is not None
    assert f"Some({shown})" in last.execution.text("analyzed")


def test_a_time_zone_further_away_than_any_is_refused():
    with pytest.raises(ParseError) as refused:
        list(Session().run("SET TIME ZONE INTERVAL 24 HOURS"))

    assert refused.value.error_class == "INVALID_INTERVAL_FORMAT.TIMEZONE_INTERVAL_OUT_OF_RANGE"


def test_identifier_puts_texts_together_in_commands_too():
    script = "CREATE TABLE IDENTIFIER('ta' || 'b') (day DATE) USING csv; SELECT * FROM IDENTIFIER('default.' 'tab')"
    *_, last = Session().run(script)

    assert last.error is None
    assert last.execution is not None
    assert [a.data_type for a in last.execution.analyzed.output] == [DATE]


def test_a_column_of_stack_has_the_type_of_its_first_value_that_is_not_null():
    output = QueryExecution("SELECT stack(2, NULL, 1, 'b', 2)").analyzed.output
    assert [a.data_type.simple_string for a in output] == ["string", "int"]


def test_median_is_computed_once_beside_the_percentile_that_it_is():
    query = "SELECT percentile(x, 0.5), median(x) FROM VALUES (1.5), (2.5) AS t(x)"
    plan = QueryExecution(query).text("physical")
    assert re.search(r"functions=\[percentile\(x#\d+, 0.5, 1, 0, 0, false\)\]", plan)


def test_maps_that_are_put_together_take_the_types_of_both():
    plan = QueryExecution("SELECT map_concat(map('a', 1L), map('b', 2), map('c', CAST(NULL AS BIGINT))) AS x")

    assert "map_concat(map(a, 1), cast(map(b, 2) as map<string,bigint>), map(c, cast(null as bigint)))" in plan.text(
        "analyzed"
    )


def test_two_calls_of_a_function_that_nobody_knows_are_the_same():
    assert plan_text("select my_udf(a), count(*) from t1 group by my_udf(a)").startswith("Aggregate [my_udf(a#")
