"""IDENTIFIER with expressions and in longer names, functions by qualified names, schemas that name no rows."""

from __future__ import annotations

import pytest

from planviz.catalog import Catalog
from planviz.config import OptimizerConfig
from planviz.errors import PlanvizError
from planviz.execution import Session, explain

STRICT = OptimizerConfig.of(**{"planviz.unknownFunctions": "refuse"})


def ran(*statements: str) -> str:
    session = Session(Catalog(), STRICT)
    for s in statements:
        for done in session.run(s):
            if done.error is not None:
                raise done.error
            execution = done.execution
    assert execution is not None
    return execution.text("analyzed")


TABLE = "CREATE TABLE ff (k INT) USING parquet"


@pytest.mark.parametrize(
    ("sql", "shown"),
    [
        ("SELECT IDENTIFIER(lower('K')) FROM ff", "Project [k#"),
        ("SELECT IDENTIFIER('k' || trim(' ')) FROM ff", "Project [k#"),
        ("SELECT IDENTIFIER(concat('a', 'bs'))(k) FROM ff", "abs(k#"),
        ("SELECT IDENTIFIER(upper('sum'))(k) FROM ff", "Aggregate [sum(k#"),
        ("SELECT * FROM IDENTIFIER(lower('FF'))", "SubqueryAlias spark_catalog.default.ff"),
        ("SELECT * FROM IDENTIFIER('default').ff", "SubqueryAlias spark_catalog.default.ff"),
        ("SELECT * FROM IDENTIFIER('spark_catalog').default.IDENTIFIER('ff') z", "SubqueryAlias z"),
        ("SELECT system.builtin.abs(k), builtin.abs(k) FROM ff", "abs(k#"),
        ("SELECT from_csv('1', 'a INTERVAL')", "CalendarIntervalType"),
    ],
)
def test_a_name_is_computed(sql, shown):
    assert shown in ran(TABLE, sql)


def test_a_variable_names_a_function():
    assert "abs(k#" in ran(TABLE, "DECLARE VARIABLE f = 'abs'", "SELECT IDENTIFIER(f)(k) FROM ff")


@pytest.mark.parametrize(
    ("sql", "error"),
    [
        ("SELECT IDENTIFIER(1)()", "NOT_A_CONSTANT_STRING.WRONG_TYPE"),
        ("SELECT * FROM IDENTIFIER(lower(NULL))", "NOT_A_CONSTANT_STRING.NULL"),
        ("SELECT IDENTIFIER(k) FROM ff", "NOT_A_CONSTANT_STRING.NOT_CONSTANT"),
        ("SELECT session.upper('a')", "UNRESOLVED_ROUTINE"),
        ("SELECT from_avro(k, '{}') FROM ff", "AVRO_NOT_LOADED_SQL_FUNCTIONS_UNUSABLE"),
        ("SELECT from_avro(k, 1) FROM ff", "DATATYPE_MISMATCH.TYPE_CHECK_FAILURE_WITH_HINT"),
        ("SELECT from_avro(k) FROM ff", "WRONG_NUM_ARGS.WITHOUT_SUGGESTION"),
        ("SELECT from_csv('1', 'INT')", "INVALID_SCHEMA.NON_STRUCT_TYPE"),
        ("SELECT from_csv('1', 'a ARRAY<INT>')", "UNSUPPORTED_DATATYPE"),
        ("SELECT from_json('1', 'STRING')", "DATATYPE_MISMATCH.INVALID_JSON_SCHEMA"),
        ("SELECT from_json('1', 'MAP<INT, INT>')", "DATATYPE_MISMATCH.INVALID_JSON_MAP_KEY_TYPE"),
        ("SELECT from_json('1', 'nope')", "UNSUPPORTED_DATATYPE"),
        ("SELECT * FROM ff LIMIT 1L", "INVALID_LIMIT_LIKE_EXPRESSION.DATA_TYPE"),
        ("SELECT * FROM ff UNPIVOT ((a, b) FOR c IN (k, k))", "PARSE_SYNTAX_ERROR"),
        ("SELECT * FROM ff UNPIVOT (a FOR c IN ((k)))", "PARSE_SYNTAX_ERROR"),
        ("SELECT CAST(1 AS DECIMAL(-1))", "PARSE_SYNTAX_ERROR"),
        ("SELECT CAST(1 AS ARRAY<>)", "PARSE_SYNTAX_ERROR"),
        ("SELECT INTERVAL '- 2-2' YEAR TO MONTH", "INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING"),
        ("SELECT array(k) AS z, explode(z) FROM ff", "INTERNAL_ERROR"),
    ],
)
def test_what_spark_refuses_is_refused(sql, error):
    with pytest.raises(PlanvizError, match=error):
        ran(TABLE, sql)


def test_values_of_variants_are_written_out():
    text = explain("SELECT to_json(struct(parse_json('[1]') AS v)), CAST(parse_json('\"x\"') AS STRING)").text(
        "optimized"
    )
    assert 'Project [{"v":[1]} AS' in text
    assert ", x AS CAST(" in text


def test_without_ansi_a_text_of_days_and_a_position_of_zero_still_fail():
    off = OptimizerConfig.of(**{"spark.sql.ansi.enabled": False})
    for sql, error in (
        ("SELECT date_add('2024-01-01', '1.2')", "SECOND_FUNCTION_ARGUMENT_NOT_INTEGER"),
        ("SELECT element_at(array(1), 0)", "INVALID_INDEX_OF_ZERO"),
    ):
        with pytest.raises(PlanvizError, match=error):
            explain(sql, config=off).text("optimized")
