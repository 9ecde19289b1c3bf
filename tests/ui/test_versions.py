"""The version switch: on every page, kept by the address, followed by traces, cards and the Planner page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from planviz.ui import links, versions
from planviz.ui.cache import open_document
from tests.ui.pages import components
from tests.ui.test_app import words

PAGES = Path(__file__).parents[2] / "pages"
SQL = "create table t (a int, b int); select a, sum(b) from t where a between 1 and 3 group by a"
JOIN = "create table t (a int); create table u (a int); select t.a, count(*) from t join u on t.a = u.a group by t.a"
PLAN = (
    "== Analyzed Logical Plan ==\na: int\nProject [a#1]\n+- Relation default.t[a#1] parquet\n\n"
    "== Optimized Logical Plan ==\nRelation default.t[a#1] parquet\n\n== Physical Plan ==\n"
    "FileScan parquet default.t[a#1] Batched: true\n"
)
ALL = ("explore", "rules", "planner", "joins", "aggregations", "cardinality", "compare")


def page(name: str, text: str = JOIN, **query: str) -> AppTest:
    app = AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=60)
    for key, value in {"plan": str(links.pack(text)), **query}.items():
        app.query_params[key] = value
    return app.run()


def address(app: AppTest) -> str:
    (found,) = [e.proto for e in app.get("bidi_component") if e.proto.component_name == "planviz_address"]
    return str(json.loads(found.json)["query"])


def picker(app: AppTest) -> Any:
    (found,) = [box for box in app.selectbox if box.label in ("Planned as", "Read and plan again as")]
    return found


@pytest.mark.parametrize("name", ALL)
def test_every_page_has_the_switch_and_its_address_keeps_the_choice(name: str) -> None:
    app = page(name)
    assert not app.exception
    assert picker(app).value == ""
    picker(app).set_value("spark-3.5").run()
    assert not app.exception
    assert app.session_state["planviz.document"]["profile"] == "spark-3.5"
    assert "profile=spark-3.5" in address(app)
    again = page(name, profile="spark-3.5")
    assert picker(again).value == "spark-3.5"


def test_the_plan_and_its_trace_follow_the_version() -> None:
    new, old = open_document(SQL), open_document(SQL, profile="spark-3.5")
    assert new.key != old.key
    analyzed = next(plan for plan in old.document.plans if plan.stage == "analyzed")
    assert any("(a#" in node.text and ">= 1" in node.text for node in analyzed)
    fired = {step.short_rule for step in new.document.trace.steps}
    assert "RewriteWithExpression" in fired
    assert "RewriteWithExpression" not in {step.short_rule for step in old.document.trace.steps}


def test_the_stage_that_is_shown_stays_when_the_version_turns() -> None:
    app = page("explore", SQL, stage="optimized")
    picker(app).set_value("spark-3.4").run()
    assert components(app)["planviz_workbench"]["scene"]["stage"] == "optimized"


def test_a_runtime_says_what_is_not_imitated() -> None:
    app = page("explore", SQL, profile="databricks-15.4")
    assert picker(app).value == "databricks-15.4"
    assert "is planned as Spark 3.5" in "\n".join(text.value for text in app.text)


def test_an_unknown_version_in_an_address_is_a_sentence() -> None:
    app = page("explore", SQL, profile="spark-9.9")
    assert not app.exception
    assert "There is no profile" in components(app)["planviz_box"]["error"]["message"]


def test_the_planner_page_follows_the_version() -> None:
    assert "What Spark 3.4 does not do yet" not in words(page("planner"))
    told = words(page("planner", profile="spark-3.4"))
    assert "What Spark 3.4 does not do yet" in told
    assert '<th scope="col">Spark 3.4</th>' in told


def test_a_pasted_text_shows_its_version_with_the_evidence_and_another_can_be_chosen() -> None:
    app = page("explore", PLAN)
    told = words(app)
    assert "Spark 3.2 to 3.3. Confidence: high" in told
    assert "relations without a catalogue" in told
    assert picker(app).options[0] == "As found: Spark 3.2 to 3.3"
    picker(app).set_value("spark-3.2").run()
    assert not app.exception
    assert app.session_state["planviz.document"]["profile"] == "spark-3.2"


def test_the_next_query_stays_with_the_version_and_a_pasted_plan_is_found_anew() -> None:
    def script(text: str) -> None:
        from planviz.ui import state

        state.open_text(text)

    for text, profile in ((JOIN, "spark-3.5"), (PLAN, "")):
        app = AppTest.from_function(script, kwargs={"text": text}, default_timeout=60)
        app.session_state["planviz.document"] = {"profile": "spark-3.5"}
        app.run()
        assert not app.exception
        assert app.session_state["planviz.document"]["profile"] == profile


def test_the_default_of_the_server_is_what_sql_is_planned_as(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANVIZ_PROFILE", "spark-3.3")
    opened = open_document(SQL + " -- as the server says")
    assert opened.config.profile == "spark-3.3"
    offered = versions.choices(opened)
    assert offered[""] == "Spark 3.3"
    assert "spark-3.3" not in offered
    assert offered["emr-7.1.0"] == "Amazon EMR 7.1.0 (Spark 3.5)"
