"""SQL in notebooks' cells, programs and dbt models: found, at its own line and column."""

from __future__ import annotations

import pytest

from planviz.document import open_text
from planviz.document.opening import embedded_sql as embedding
from planviz.document.opening.embedded_sql import embedded_sql
from planviz.errors import ParseError
from planviz.frontend import statement

CELL = "%sql\n-- the day's sales\nSELECT id FROM sales"
MAGIC = "# MAGIC %sql\n# MAGIC SELECT id\n# MAGIC FROM sales"
PYTHON = '''df = spark.sql(f"""
  SELECT id FROM sales WHERE day = '{day}'
""").join(spark.sql("select k from other"), "k")'''
SCALA = '''val df = runner.sql(
  s"""SELECT id
     |FROM sales
  """.stripMargin)'''
AIRFLOW = '''from airflow.providers.apache.spark.operators.spark_sql import SparkSqlOperator
load = SparkSqlOperator(task_id="load", sql="""
  SELECT id FROM sales WHERE day = 3
""")'''
DBT = (
    "{{ config(materialized='view') }}\nselect id from {{ source('raw', 'sales') }} s join {{ ref('days') }} using (id)"
)


PASTED = {"cell": CELL, "magic": MAGIC, "python": PYTHON, "scala": SCALA, "airflow": AIRFLOW, "dbt": DBT}


@pytest.mark.parametrize("text", PASTED.values(), ids=PASTED.keys())
def test_it_is_planned_and_told(text):
    found = open_text(text)

    assert found.recognised.startswith("SQL")
    assert found.error is None
    assert found.text == text
    assert found.notes[-1].startswith("Taken off before reading: ")
    assert embedded_sql(text)[0].count("\n") == text.count("\n")
    assert len(embedded_sql(text)[0]) == len(text)


def test_scala_with_a_session_is_a_program():
    found = open_text(SCALA.replace("runner", "spark"))
    assert found.recognised == "Scala program"
    assert [s.kind for s in found.statements] == ["query"]


def test_every_string_of_a_program_is_a_statement():
    assert [s.kind for s in open_text(PYTHON).statements] == ["query", "query"]
    assert [s.line for s in open_text(PYTHON).statements] == [2, 3]


def test_names_of_dbt_are_tables():
    sql, _ = embedded_sql(DBT)
    assert sql.split() == ["select", "id", "from", "raw.sales", "s", "join", "days", "using", "(id)"]


def test_an_error_has_the_place_in_the_text_that_was_pasted():
    assert open_text(PYTHON.replace("WHERE", "WHERE (")).error.line == 3
    with pytest.raises(ParseError) as caught:
        open_text(SCALA.replace("FROM", "FROM FROM FROM"))
    assert caught.value.line == 3


@pytest.mark.parametrize("text", ["SELECT '{{ x }}' AS a", "SELECT 1", "SELECT '%sql', \".sql('SELECT 1')\""])
def test_plain_sql_is_left_alone(text):
    assert embedded_sql(text) == (text, ())


def test_what_is_longer_than_sql_may_be_is_not_looked_through():
    assert embedding.MAX_LENGTH == statement.MAX_LENGTH
    text = "select " + "{{ a }}, " * 250_000
    assert embedded_sql(text) == (text, ())
