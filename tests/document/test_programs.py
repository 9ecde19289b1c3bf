"""Programs opened as documents."""

from __future__ import annotations

import json

import pytest

from planviz.catalogs import find
from planviz.document import open_text
from planviz.document.opening.programs import NoActions
from planviz.errors import AnalysisError, NotAPlan
from planviz.ui.cache import AUTO, open_document

WRONG = 'from pyspark.sql import functions as F\ndf = spark.table("orders")\ndf.select("o_custky").show()\n'


def test_a_program_that_ends_before_its_first_action_says_why_and_where() -> None:
    with pytest.raises(AnalysisError, match=r"o_custky.*Did you mean") as raised:
        open_text(WRONG, catalog=find("tpch"))
    assert (raised.value.line, raised.value.column) == (3, 4)


def test_without_a_catalogue_its_tables_are_guessed() -> None:
    opened = open_document(WRONG, AUTO)
    assert opened.document.recognised == "PySpark program"
    assert opened.document.error is None


def test_every_stage_of_an_action_is_opened():
    document = open_text("df = spark.table('orders').where('amount > 20')\ndf.groupBy('status').count().show()\n")
    stages = [plan.stage for plan in document.plans]
    assert stages == ["parsed", "analyzed", "optimized", "sparkPlan", "physical"]


def test_an_action_whose_plan_cannot_be_printed_takes_no_other_with_it(monkeypatch):
    from planviz.document.opening import plans

    printed = plans.rule_trace
    calls = iter([True, False])

    def broken_once(*args):
        if next(calls):
            raise AttributeError("'str' object has no attribute 'hex'")
        return printed(*args)

    monkeypatch.setattr(plans, "rule_trace", broken_once)
    first, second = open_text("spark.table('a').show()\nspark.table('b').show()\n").statements
    assert "This is a defect of planviz" in str(first.error)
    assert second.error is None
    assert second.plans


SESSION = "from pyspark.sql import SparkSession\nspark = SparkSession.builder.getOrCreate()\n"


def test_a_program_that_makes_no_dataframe_is_no_wrong_sql() -> None:
    with pytest.raises(NoActions, match="nothing in it makes a DataFrame whose plan could be shown"):
        open_text(SESSION + "x = 1\n")


def test_a_program_that_is_not_read_to_its_end_says_what_stopped_it() -> None:
    with pytest.raises(NoActions, match="a value grows too large"):
        open_text(SESSION + "query = 'a' * 10**9\nspark.sql(query).show()\n")


def test_a_notebook_without_actions_still_has_the_plans_of_its_outputs() -> None:
    plan = "== Physical Plan ==\nProject [a#1]\n+- Scan ExistingRDD[a#1]\n"
    output = {"output_type": "stream", "name": "stdout", "text": plan}
    cell = {"cell_type": "code", "source": SESSION + "x = 1\n", "outputs": [output], "metadata": {}}
    (shown,) = open_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})).plans
    assert [node.op for node in shown] == ["Project", "Scan"]


ZEPPELIN = {
    "paragraphs": [
        {"text": "%md\n# Orders"},
        {"text": "%LANGUAGE\nCODE"},
        {"text": "%sql\nSELECT count(*) FROM users"},
        {"title": "empty"},
    ],
    "name": "A note",
}
ORDERS = {"pyspark": "o = spark.table('orders')\no.count()", "spark": 'val o = spark.table("orders")\no.count()'}


@pytest.mark.parametrize("language", ["pyspark", "spark"])
def test_a_note_of_zeppelin_is_its_paragraphs_of_one_language(language):
    text = json.dumps(ZEPPELIN).replace("LANGUAGE", language).replace('"CODE"', "CODE")
    document = open_text(text.replace("CODE", json.dumps(ORDERS[language])[1:-1]))
    assert document.error is None
    plans = [s.execution.text("optimized") for s in document.statements]
    assert len(plans) == 2
    assert "users" in plans[1]


def test_a_model_of_dbt_in_python_reads_tables():
    text = (
        "import pyspark.sql.functions as F\ndef model(dbt, session):\n    dbt.config(materialized='table')\n"
        "    orders, users = dbt.ref('orders'), dbt.source('crm', 'users')\n"
        "    return orders.join(users, 'user_id').groupBy('country').agg(F.sum('amount'))\n"
    )
    (statement,) = open_text(text).statements
    assert "Relation spark_catalog.crm.users" in statement.execution.text("optimized")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("# job\nlibrary(SparkR)\ndf <- read.parquet('x')\nexplain(df)\n", "R"),
        ("using Microsoft.Spark.Sql;\nvar spark = SparkSession.Builder().GetOrCreate();\n", "C#"),
        ("import org.jetbrains.kotlinx.spark.api.*\nfun main() = withSpark { spark.range(3).show() }\n", "Kotlin"),
    ],
)
def test_a_language_that_is_not_read_is_named(text, language):
    with pytest.raises(NotAPlan) as caught:
        open_text(text)
    assert f"This is a program in {language}; planviz reads programs in Python, Scala and Java." in str(caught.value)
    assert caught.value.line == (2 if language == "R" else 1)


def test_a_pattern_of_like_is_no_pipe_of_r():
    document = open_text("SELECT a FROM spark.t WHERE a LIKE '%>%' OR a LIKE 'b%>%c'")
    assert document.recognised.startswith("SQL")
    assert document.error is None
