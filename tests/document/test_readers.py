"""The readers of pasted texts: each takes its own kind alone, and the first that takes a text opens it."""

from __future__ import annotations

import json

import pytest

from planviz.document.opening.readers import READERS, Pasted, capture, json_text, plan_text, program, sql

NOTEBOOK = json.dumps(
    {"cells": [{"cell_type": "code", "outputs": [], "source": ["spark.table('t').show()"]}], "nbformat": 4}
)
TEXTS = {
    "sql": "-- a comment\nSELECT 1",
    "program": "df = spark.table('t')\ndf.filter('a > 1').show()",
    "notebook": NOTEBOOK,
    "plan": "== Physical Plan ==\n*(1) Project [a#1]\n+- *(1) Scan ExistingRDD[a#1]",
    "json": '[{"class": "org.apache.spark.sql.execution.ProjectExec", "num-children": 0}]',
    "prose": "Why is my query slow?",
}
OPENS = {
    "sql": sql.read,
    "program": program.read,
    "notebook": program.read,
    "plan": plan_text.read,
    "json": json_text.read,
    "prose": None,
}


@pytest.mark.parametrize("kind", TEXTS)
def test_the_first_reader_that_takes_a_text_is_that_of_its_kind(kind):
    pasted = Pasted(TEXTS[kind])
    assert next((read for read in READERS if read(pasted) is not None), None) is OPENS[kind]


def test_the_most_certain_reader_is_asked_first():
    assert READERS[0] is capture.read
    assert READERS[-1] is plan_text.read
