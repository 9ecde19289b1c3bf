"""What is told of a page ahead is what the page then shows."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from planviz.ui import ahead, cache, selections, state
from planviz.ui.links import pack
from tests.ui.test_routes import Client

SQL = """SELECT c_name, count(*) FROM customer JOIN orders ON c_custkey = o_custkey
JOIN nation ON c_nationkey = n_nationkey
GROUP BY c_name"""
PAGES = Path(__file__).parents[2] / "pages"
ELEMENTS = {
    "rules": "rules",
    "joins": "joins",
    "aggregations": "aggregations",
    "cardinality": "cardinality",
    "explore": "workbench",
}


def run(page: str, session: dict[str, Any]) -> AppTest:
    app = AppTest.from_file(str(PAGES / f"{page}.py"), default_timeout=60)
    app.query_params["plan"], app.query_params["catalog"] = str(pack(SQL)), "tpch"
    for name, value in session.items():
        app.session_state[name] = value
    return app.run()


def sent(app: AppTest, element: str) -> bytes:
    found = next(e.proto for e in app.get("bidi_component") if e.proto.component_name == f"planviz_{element}")
    return bytes(found.bytes)


def timeless(data: bytes) -> Any:
    """The data without how long planning took: the page of a test plans anew."""

    def told(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: told(one) for name, one in value.items() if name not in ("milliseconds", "ms")}
        return [told(one) for one in value] if isinstance(value, list) else value

    return told(json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data))


@pytest.mark.parametrize("page", ELEMENTS)
def test_a_page_shows_what_was_told_ahead(page: str) -> None:
    before = run("rules" if page == "explore" else "explore", {})
    visitor = before.session_state[state.VISITOR]
    cache.open_document(SQL, "tpch")
    told = ahead.page_data(visitor, page)
    assert told is not None
    name, data = told
    kept = {key: before.session_state[key] for key in (state.DOCUMENT, state.READ, state.VISITOR, state.PAGE)}
    assert timeless(data) == timeless(sent(run(page, kept), ELEMENTS[page]))
    answer = Client().get(f"/ahead/{visitor}/{page}")
    assert (answer.status_code, answer.headers["x-planviz-element"]) == (200, name)
    assert answer.content == data
    assert answer.headers.get("content-encoding") == ("gzip" if page != "explore" else None)
    assert answer.headers["cache-control"] == "no-store"


def test_what_was_selected_is_followed_ahead_as_on_the_page() -> None:
    app = run("explore", {})
    visitor, shown = app.session_state[state.VISITOR], app.session_state[state.DOCUMENT]
    opened = cache.open_document(SQL, "tpch")
    assert opened.key == shown["key"]
    joins = [node.id for node in opened.graph(shown["plan"]) if node.kind == "join"]
    numbers = []
    for join in joins:
        selections.select(visitor, f"{opened.key}/{shown['plan']}", join)
        told = ahead.page_data(visitor, "joins")
        assert told is not None
        numbers.append(json.loads(gzip.decompress(told[1]))["told"]["join"]["n"])
    assert sorted(numbers) == [0, 1]
    # Another stage, with the same operator there.
    told = ahead.page_data(visitor, "explore", "2")
    assert told is not None
    scene = json.loads(told[1])
    assert scene["scene"]["stage"] == "optimized"
    assert scene["scene"]["nodes"]["title"][scene["selected"]].endswith("Join")
    assert app.session_state[state.DOCUMENT]["node"] is None


@pytest.mark.parametrize(
    "path", ["nobody/rules", "{}/planner", "{}/nowhere", "{}/explore?plan=99", "{}/explore?plan=-1"]
)
def test_nothing_is_told_of_what_is_not_there(path: str) -> None:
    cache.open_document(SQL, "tpch")
    visitor = run("explore", {}).session_state[state.VISITOR]
    answer = Client().get(f"/ahead/{path.format(visitor)}")
    assert (answer.status_code, answer.content) == (204, b"")


def test_a_text_is_answered_with_its_picture_as_it_will_be_planned() -> None:
    answer = Client().ask("POST", "/plan?catalog=tpch&profile=spark-3.5", body=SQL.encode())
    told = json.loads(answer.content)
    opened = cache.open_document(SQL, "tpch", "spark-3.5")
    assert told["key"] == opened.key
    assert told["data"]["key"] == f"{opened.key}/4"
    plain = json.loads(Client().ask("POST", "/plan", body=SQL.encode()).content)
    assert plain["key"] == cache.open_document(SQL).key != opened.key
    # The version of a pasted plan is found anew, as its page does.
    pasted = "== Physical Plan ==\n*(1) Range (0, 10, step=1, splits=2)\n"
    told = json.loads(Client().ask("POST", "/plan?profile=spark-3.5", body=pasted.encode()).content)
    assert told["key"] == cache.open_document(pasted).key
