"""The selected operator on another stage and another page."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from streamlit.testing.v1 import AppTest

from planviz.document.opening.replays import MOST, replayed
from planviz.replay.given import Given
from planviz.ui import cache, following, selections
from tests.ui.test_routes import Client

SQL = """SELECT c_name, count(*) FROM customer JOIN orders ON c_custkey = o_custkey
JOIN nation ON c_nationkey = n_nationkey
GROUP BY c_name"""
PAGES = Path(__file__).parents[2] / "pages"


def joins(opened: cache.Opened, plan: str) -> list[int]:
    return [node.id for node in opened.graph(plan) if node.kind == "join"]


def test_a_join_has_the_same_number_from_every_stage() -> None:
    opened = cache.open_document(SQL, "tpch")
    for stage in ("2", "3", "4"):
        numbers = [following.number_on(opened, stage, node, "joins") for node in joins(opened, stage)]
        assert sorted(number for number in numbers if number) == [1, 2]
        for node, number in zip(joins(opened, stage), numbers, strict=True):
            assert number is not None
            assert following.node_of(opened, "joins", number, stage) == node


def test_what_is_no_join_has_no_number() -> None:
    opened = cache.open_document(SQL, "tpch")
    scan = next(node.id for node in opened.graph("4") if node.kind == "scan")
    assert following.number_on(opened, "4", scan, "joins") is None
    assert following.number_on(opened, "4", scan, "compare") is None


def test_a_plan_of_another_query_is_not_followed() -> None:
    opened = cache.open_document(f"{SQL}; {SQL}", "tpch")
    assert following.follow(opened, "0", 0, "4") is not None
    assert following.follow(opened, "0", 0, "9") is None
    assert following.follow(opened, "0a", 0, "4") is None


def test_the_browser_tells_what_is_selected() -> None:
    def post(name: str, body: object) -> int:
        return Client().ask("POST", f"/selected/{name}", {}, json.dumps(body).encode()).status_code

    name = selections.new_visitor()
    assert post(name, {"view": "abc/4", "number": 7}) == 204
    assert selections.selected(name) == ("abc/4", 7)
    assert post(name, {"view": "abc/4", "number": None}) == 204
    assert selections.selected(name) == ("abc/4", None)
    for odd in ({"view": 3, "number": 7}, {"view": "abc/4", "number": "7"}, {"view": "x" * 1_000, "number": -1}):
        post(name, odd)
        assert selections.selected(name) == ("abc/4", None)
    assert post("nobody", {"view": "abc/4", "number": 7}) == 404
    assert post(name, [1]) == 400


def test_the_join_selected_on_explore_is_the_one_that_joins_shows() -> None:
    opened = cache.open_document(SQL, "tpch")
    chosen = joins(opened, "4")[1]
    app = AppTest.from_file(str(PAGES / "explore.py"), default_timeout=30)
    app.query_params["plan"] = opened.link() or ""
    app.query_params["catalog"] = "tpch"
    app.run()
    assert not app.exception
    visitor = app.session_state["planviz.visitor"]
    selections.select(visitor, f"{app.session_state['planviz.document']['key']}/4", chosen)
    other = AppTest.from_file(str(PAGES / "joins.py"), default_timeout=30)
    for key in ("planviz.document", "planviz.visitor", "planviz.page", "planviz.address-read"):
        other.session_state[key] = app.session_state[key]
    other.run()
    assert not other.exception
    shown = other.session_state["planviz.document"]
    assert shown["node"] == chosen
    assert shown["join"] == following.number_on(opened, "4", chosen, "joins")


def test_the_join_picked_on_joins_of_a_replayed_text_is_followed_back() -> None:
    """A pasted explain is replayed as a document of its own, whose key the browser tells."""
    text = cache.open_document(SQL, "tpch").document.statements[0].execution.explain_string("extended")
    app = AppTest.from_file(str(PAGES / "joins.py"), default_timeout=30)
    app.query_params["plan"] = cache.open_document(text).link() or ""
    app.run()
    assert not app.exception
    opened = cache.find(app.session_state["planviz.document"]["key"])
    assert opened is not None
    told = cache.derived(opened, "replayed ", partial(replayed, said=Given(), most=MOST))
    assert told is not None
    assert told.key != opened.key
    physical = str(len(opened.document.plans) - 1)
    app.session_state["planviz.document"]["plan"] = physical
    selections.select(app.session_state["planviz.visitor"], f"{told.key}/joins", 2)
    other = AppTest.from_file(str(PAGES / "explore.py"), default_timeout=30)
    for key in ("planviz.document", "planviz.visitor", "planviz.page", "planviz.address-read"):
        other.session_state[key] = app.session_state[key]
    other.run()
    assert not other.exception
    shown = other.session_state["planviz.document"]
    assert shown["node"] in joins(opened, physical)
    assert following.number_on(told, physical, shown["node"], "joins") == 2


def test_a_selection_in_another_text_selects_nothing() -> None:
    opened = cache.open_document(SQL, "tpch")
    elsewhere = cache.open_document(f"{SQL} ORDER BY 1", "tpch")
    app = AppTest.from_file(str(PAGES / "explore.py"), default_timeout=30)
    app.query_params["plan"] = opened.link() or ""
    app.query_params["catalog"] = "tpch"
    app.run()
    selections.select(app.session_state["planviz.visitor"], f"{elsewhere.key}/joins", 1)
    other = AppTest.from_file(str(PAGES / "rules.py"), default_timeout=30)
    for key in ("planviz.document", "planviz.visitor", "planviz.page", "planviz.address-read"):
        other.session_state[key] = app.session_state[key]
    other.run()
    assert other.session_state["planviz.document"]["node"] is None
