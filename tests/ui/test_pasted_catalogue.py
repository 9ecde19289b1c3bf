"""A catalogue in the box: SQL that is pasted next is planned with it."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from planviz.document.decisions.aggregates import aggregates
from planviz.document.rows import stage_cards
from planviz.ui import cache

MEAN = {"returns": "double", "evalType": "SQL_GROUPED_AGG_PANDAS_UDF"}
CATALOGUE = {"format": "planviz-catalog/1", "name": "mine", "functions": {"py_mean": MEAN}}
SQL = "SELECT b, py_mean(c) FROM t WHERE c > 1 GROUP BY b"


def pasting(texts: list[str]) -> None:
    import streamlit as st

    from planviz.ui import state

    for text in texts:
        st.session_state["box"] = {"opened": {"text": text}}
        state.open_pasted("box")


def paste(*texts: str) -> AppTest:
    return AppTest.from_function(pasting, args=(list(texts),)).run()


def test_sql_after_a_catalogue_is_planned_with_it() -> None:
    app = paste(json.dumps(CATALOGUE), SQL)

    assert not app.exception
    assert [t.value for t in app.toast] == ["SQL that is pasted next is planned with the catalogue “mine”."]
    shown = app.session_state["planviz.document"]
    document = cache.open_document(shown["text"], shown["catalog"]).document
    (report,) = aggregates(document)
    assert report.stages[-1].text.operator == "ArrowAggregatePython"
    last = {part.title: part for part in stage_cards.flow(report, None, None).cards[-1].parts}
    asked = last["Operator"].questions[0]
    assert (asked.text, asked.answer) == ("A function written in Python?", "yes")
    assert asked.seen.startswith("py_mean")
    assert last["Buffers"].quiet == "none: Python gets all rows of a group"
    assert "Objects: not asked" not in [question.text for question in last["Operator"].questions]


def test_a_catalogue_with_a_mistake_says_which() -> None:
    app = paste(json.dumps({**CATALOGUE, "functions": {"f": {"returns": "nonsense"}}}))

    assert not app.exception
    assert "functions.f.returns" in app.session_state["planviz.error"]["message"]
    assert "planviz.document" not in app.session_state
