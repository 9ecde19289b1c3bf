"""The pages by Streamlit's own test driver: no browser, every run of the script."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from planviz.samples import load, samples
from planviz.ui import links
from tests.ui.pages import components, page

ROOT = Path(__file__).parents[2]


def explore(**query: str) -> AppTest:
    return page("explore", **query)


def words(app: AppTest) -> str:
    return "\n".join(str(element.proto.body) for element in app.get("html"))


def test_it_opens_empty_with_the_box_the_command_and_the_samples() -> None:
    app = explore()
    assert not app.exception
    assert components(app)["planviz_box"]["look"] == "box"
    assert components(app)["planviz_box"]["error"] is None
    assert "df.explain(&quot;formatted&quot;)" in words(app)
    assert "maxToStringFields" in words(app)
    assert "maxMetadataStringLength" in words(app)
    assert not app.code  # its highlighter is larger than all else on the page
    assert [button.label for button in app.button] == [sample.title for sample in samples()]


@pytest.mark.parametrize("name", [sample.name for sample in samples()])
def test_every_sample_opens(name: str) -> None:
    app = explore()
    app.button(key=f"planviz.sample.{name}").click().run()
    assert not app.exception
    told = components(app)
    # A large plan's text comes after its first paint, with its details.
    assert told["planviz_workbench"]["text"] or name == "two-years-of-reports"
    assert told["planviz_workbench"]["scene"]["nodes"]["id"]
    assert told["planviz_address"]["query"].startswith(f"sample={name}")


def test_the_heading_says_what_was_recognised_and_why() -> None:
    app = explore(sample="broadcast-and-merge-join")
    assert "explain extended" in words(app)
    assert "Recognised by: logical and physical plans under their headings" in words(app)
    assert "not final" in words(app)


def test_an_address_brings_back_plan_stage_and_node() -> None:
    packed = links.pack(load("broadcast-and-merge-join"))
    assert packed is not None
    app = explore(plan=packed, stage="optimized", node="4", name="Nightly")
    told = components(app)
    assert told["planviz_workbench"]["scene"]["stage"] == "optimized"
    assert told["planviz_workbench"]["selected"] == 4
    assert told["planviz_address"].pop("visitor")
    assert told["planviz_address"].pop("stages") == {"Parsed": "0", "Analyzed": "1", "Optimized": "2", "Physical": "3"}
    assert told["planviz_address"] == {
        "query": f"plan={packed}&name=Nightly&stage=optimized",
        "view": told["planviz_workbench"]["key"],
        "node": 4,
        "button": True,
        "part": "node",
    }
    assert "Nightly" in words(app)


def test_a_rerun_sends_the_same_bytes() -> None:
    app = explore(sample="broadcast-and-merge-join")
    first = [element.proto.SerializeToString() for element in app.get("bidi_component")]
    app.run()
    assert [element.proto.SerializeToString() for element in app.get("bidi_component")] == first


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("hello\nthere", 1, "No Spark plan was found"),
        ("SELECT (1", 1, "[PARSE_SYNTAX_ERROR] Syntax error at or near end of input"),
        ("   ", None, "There is no text yet"),
    ],
)
def test_a_bad_text_shows_the_sentence_and_stays(text: str, line: int | None, sentence: str) -> None:
    app = explore(plan=str(links.pack(text)))
    assert not app.exception
    told = components(app)["planviz_box"]
    assert told["error"]["message"].startswith(sentence)
    assert told["error"]["line"] == line
    assert told["text"] == text
    assert "Traceback" not in words(app)


def test_sql_is_planned_and_shown() -> None:
    app = explore(plan=str(links.pack("create table t (a int);\nselect a from t where a > 1 + 1")))
    assert not app.exception
    assert "SQL script" in words(app)


def test_what_spark_wrote_in_place_of_a_plan_is_shown_with_a_word_on_it() -> None:
    text = "Error occurred during query planning: \nTable or view not found: x; line 1 pos 14\n"
    app = explore(plan=str(links.pack(text)))
    assert not app.exception
    assert "Spark could not plan the query" in words(app)
    assert text.strip() in [code.value.strip() for code in app.code]
    assert "planviz_workbench" not in components(app)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"plan": "1.x"}, "This link is damaged"),
        ({"plan": "9.x"}, "This link was not made by planviz"),
        ({"sample": "nothing"}, "There is no sample called"),
        ({"doc": "0" * 64}, "This address names a plan too large for a link"),
    ],
)
def test_a_bad_address_shows_the_sentence(query: dict[str, str], sentence: str) -> None:
    app = explore(**query)
    assert not app.exception
    assert components(app)["planviz_box"]["error"]["message"].startswith(sentence)


@pytest.mark.parametrize("node", ["-1", "x", "99999", "1e3", "²"])
def test_a_node_that_is_not_there_is_no_node(node: str) -> None:
    app = explore(sample="window-top-n", node=node)
    assert not app.exception
    assert components(app)["planviz_workbench"]["selected"] is None


def test_markup_in_a_name_is_text() -> None:
    app = explore(plan=str(links.pack(load("window-top-n"))), name="<img src=x onerror=alert(1)>")
    assert "<img" not in words(app)
    assert "&lt;img src=x" in words(app)


def test_the_rule_log_turns_from_step_to_step() -> None:
    app = explore(sample="rule-log", step="3", stage="before")
    assert components(app)["planviz_address"]["query"] == "sample=rule-log&step=3&stage=before"
    table = app.dataframe[0].value
    assert list(table.columns) == ["#", "Rule", "Batch"]
    assert len(table) == 22
    app.button_group(key="planviz.tab").set_value("2a").run()
    assert not app.exception
    assert components(app)["planviz_address"]["query"] == "sample=rule-log&step=3&stage=after"


def test_an_error_of_ours_never_shows_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    from planviz.ui import views

    def broken(*_: object) -> bytes:
        raise RuntimeError("secret of the plan")

    monkeypatch.setattr(views, "workbench", broken)
    app = explore(sample="window-top-n")
    assert not app.exception
    assert app.error[0].value.startswith("Something went wrong while drawing this page")
    assert "secret" not in app.error[0].value


def test_the_router_names_the_pages_that_are_there() -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).run()
    assert not app.exception
    assert components(app)["planviz_box"]["look"] == "box"


@pytest.mark.parametrize("page", ["rules", "joins", "aggregations", "cardinality", "compare"])
def test_a_page_with_nothing_to_show_still_says_what_is_open(page: str) -> None:
    text = "== Physical Plan ==\n*(1) Project [a#1]\n+- *(1) LocalTableScan [a#1, b#2]\n"
    app = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=60)
    app.query_params["plan"] = str(links.pack(text))
    app.run()
    assert not app.exception
    assert '<span class="pv-chip pv-recognised"' in "".join(str(element.proto.body) for element in app.get("html"))
