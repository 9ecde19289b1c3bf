"""The Planner page: stages of the open document, classes, tables."""

from __future__ import annotations

import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

from planviz.document import open_sql, open_text
from planviz.samples import load
from planviz.ui import planner

PAGE = Path(__file__).parents[2] / "pages" / "planner.py"


def test_it_marks_the_stages_that_the_document_has() -> None:
    assert planner.reached(open_sql("SELECT 1")) == {"parsed", "analyzed", "optimized", "sparkPlan", "executedPlan"}
    html = planner.overview(open_sql("SELECT 1"))
    assert re.findall(r'<li class="pv-there"><b>(\w+)</b>', html) == [
        "parsed",
        "analyzed",
        "optimized",
        "sparkPlan",
        "executedPlan",
    ]
    assert "not in this document" not in html


def test_without_a_document_no_stage_is_marked() -> None:
    html = planner.overview(None)
    assert "document</em>" not in html
    assert "pv-there" not in html


def test_a_pasted_physical_plan_is_the_executed_one() -> None:
    assert "executedPlan" in planner.reached(open_text(load("two-years-of-reports")))


def test_the_page_runs() -> None:
    app = AppTest.from_file(str(PAGE), default_timeout=60).run()
    assert not app.exception
    assert any("JoinSelection" in element.proto.body for element in app.get("html"))
