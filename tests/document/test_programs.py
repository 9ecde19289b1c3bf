"""Programs opened as documents."""

from __future__ import annotations

import json

import pytest

from planviz.catalogs import find
from planviz.document import open_text
from planviz.document.opening.programs import NoActions
from planviz.errors import AnalysisError
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
