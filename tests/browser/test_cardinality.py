"""The Cardinality page in a real browser: a number is changed and the plans follow, without the page's script."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from planviz.ui import links
from planviz.ui.examples import ESTIMATED
from tests.browser.app import App

pytestmark = pytest.mark.browser

#: The goal is 150 ms; other tests may take the machine's time.
PLANNED_MS, GOAL_MS = 150, 1_000


def cardinality(app: App, server: str, **query: str) -> App:
    app.go(f"{server}/cardinality?{urlencode(query, quote_via=quote)}")
    app.settled()
    app.page.get_by_role("button", name="Copy link").wait_for()
    return app


def sales(app: App, server: str, **query: str) -> App:
    return cardinality(app, server, plan=str(links.pack(ESTIMATED[0].sql)), catalog="tpcds", **query)


def state(app: App) -> Any:
    return app.page.evaluate("__planviz.handle.state()")


def edit(app: App, label: str, value: str) -> dict[str, float]:
    """Put a value into a field; gives when the change was asked for, answered and painted, in ms."""
    app.page.evaluate("__planviz.planned = null")
    app.page.get_by_label(label, exact=True).fill(value)
    app.page.keyboard.press("Enter")
    app.page.wait_for_function("__planviz.planned")
    found: dict[str, float] = app.page.evaluate("__planviz.planned")
    return found


def test_a_number_is_changed_and_the_plans_follow(server: str, tab: Callable[..., App]) -> None:
    app = sales(tab(), server)
    app.page.get_by_role("button", name="Statistics").click()
    sent: list[str] = []
    session = app.page.context.new_cdp_session(app.page)
    session.send("Network.enable")
    session.on("Network.webSocketFrameSent", lambda frame: sent.append(str(frame)))
    before = state(app)["rows"]
    edit(app, "rowCount of store_sales", "2.88k")
    after = state(app)
    assert after["edits"] == {"store_sales": {"rowCount": 2880}}
    assert after["rows"] != before
    assert 2880 in after["rows"][1]
    assert sent == []  # no run of the page's script
    app.page.keyboard.press("Escape")
    app.page.get_by_role("button", name="Undo").click()
    app.page.wait_for_function("Object.keys(__planviz.handle.state().edits).length === 0")
    app.page.wait_for_function("rows => JSON.stringify(__planviz.handle.state().rows) === rows", arg=_json(before))
    app.page.get_by_role("button", name="Redo").click()
    app.page.wait_for_function(
        "rows => JSON.stringify(__planviz.handle.state().rows) === rows", arg=_json(after["rows"])
    )
    assert not app.complaints


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def test_an_edit_is_planned_and_painted_soon(server: str, tab: Callable[..., App]) -> None:
    app = sales(tab(), server)
    app.page.get_by_role("button", name="Statistics").click()
    times = []
    for rows in range(1_000, 1_009):
        told = edit(app, "rowCount of store_sales", str(rows))
        times.append(told["painted"] - told["asked"])
    print(f"edit to paint: median {statistics.median(times):.0f} ms, goal {PLANNED_MS} ms")
    assert min(times) < GOAL_MS


def test_the_address_keeps_the_edit(server: str, tab: Callable[..., App]) -> None:
    app = sales(tab(), server)
    app.page.get_by_role("button", name="Statistics").click()
    edit(app, "rowCount of store_sales", "77")
    app.page.wait_for_function("location.search.includes('numbers=')")
    again = tab()
    again.go(app.page.url)
    again.settled()
    assert state(again)["edits"] == {"store_sales": {"rowCount": 77}}
    assert 77 in state(again)["rows"][1]


def test_a_number_opens_its_card_and_keys_walk(server: str, tab: Callable[..., App]) -> None:
    app = sales(tab(), server)
    titles = state(app)["titles"][1]
    join = titles.index("Inner Join")
    app.page.evaluate("i => __planviz.handle.select(1, i)", join)
    place = app.page.evaluate("i => __planviz.handle.place(1, i)", join)
    app.page.keyboard.press("Escape")
    # The number stands above the card, right of the edge.
    app.page.mouse.click(place["x"] + place["width"] / 2 + 28, place["y"] - 9)
    app.page.get_by_role("heading", name="How many rows").wait_for()
    assert state(app)["selected"] == [1, join]
    app.page.keyboard.press("ArrowDown")
    assert state(app)["selected"][1] != join


def test_a_wrong_edit_is_told_and_nothing_is_lost(server: str, tab: Callable[..., App]) -> None:
    app = sales(tab(), server)
    app.page.get_by_role("button", name="Statistics").click()
    field = app.page.get_by_label("rowCount of store_sales", exact=True)
    field.fill("many")
    app.page.keyboard.press("Enter")
    app.page.locator("input.pv-wrong").wait_for()
    assert state(app)["edits"] == {}
    assert "1.2M" in field.evaluate("box => box.validationMessage")


def test_a_size_is_written_as_on_the_command_line(server: str, tab: Callable[..., App]) -> None:
    app = sales(tab(), server)
    app.page.get_by_role("button", name="Statistics").click()
    for written, size in (("200 kB", 200 << 10), ("40GB", 40 << 30), ("200G", 200 << 30), ("1,048,576", 1 << 20)):
        edit(app, "sizeInBytes of store_sales", written)
        assert state(app)["edits"] == {"store_sales": {"sizeInBytes": size}}
    field = app.page.get_by_label("sizeInBytes of store_sales", exact=True)
    field.fill("40 GHz")
    app.page.keyboard.press("Enter")
    app.page.locator("input.pv-wrong").wait_for()
    assert "200 kB" in field.evaluate("box => box.validationMessage")
    assert state(app)["edits"] == {"store_sales": {"sizeInBytes": 1 << 20}}


def test_measured_rows_stand_beside_the_expected_ones(server: str, tab: Callable[..., App]) -> None:
    from planviz.samples import load

    app = tab()
    text = (
        "SELECT u.country FROM orders o JOIN users u ON o.user_id = u.user_id "
        "JOIN stores s ON o.store_id = s.store_id WHERE s.country = 'FR'"
    )
    cardinality(app, server, plan=str(links.pack(text)), catalog="shop")
    app.page.get_by_label("A run's event log or REST answer").fill(load("rest-execution"))
    app.page.get_by_role("button", name="Take them away").wait_for()
    assert state(app)["asked"]["measured"]
    app.page.get_by_text("First divergence").wait_for()


def test_names_of_a_query_are_text(server: str, tab: Callable[..., App]) -> None:
    name = "`<img src=x onerror=alert(1)>`"
    hostile = f"CREATE TABLE {name} (`<b>a` INT);\nSELECT * FROM {name} WHERE `<b>a` > 1"
    app = cardinality(tab(), server, plan=str(links.pack(hostile)))
    app.page.get_by_role("button", name="Statistics").click()
    assert app.page.locator("aside img, aside td b").count() == 0
    assert app.page.get_by_text("<img src=x onerror=alert(1)>").count() > 0
    assert not app.complaints


def test_every_view_shows_what_it_promises(server: str, tab: Callable[..., App]) -> None:
    app = sales(tab(), server)
    app.page.get_by_role("button", name="Join order").click()
    app.page.get_by_role("heading", name="3 relations").wait_for()
    app.page.get_by_text("1 dropped").first.click()
    assert app.page.locator("tr.pv-dropped-plan:visible").count() == 1
    app.page.get_by_role("button", name="Sizes").click()
    app.page.get_by_label("The table that grows").select_option("date_dim")
    app.page.locator("svg.pv-crossover").wait_for()
    assert app.page.locator(".pv-change-box").count() >= 1
    app.page.get_by_role("button", name="Slides").click()
    app.page.get_by_role("link", name="Which side of a hash join is built").click()
    app.page.wait_for_function(
        "window.__planviz && window.__planviz.painted && location.search.includes('catalog=slides')"
    )
    app.page.get_by_role("button", name="Slides").click()
    app.page.get_by_text("ShuffledHashJoin, BuildLeft").first.wait_for()
    assert not app.complaints


def test_tables_without_statistics_are_asked_for_them(server: str, tab: Callable[..., App]) -> None:
    sql = "SELECT count(*) FROM a JOIN b ON a.k = b.k UNION ALL SELECT count(DISTINCT v) FROM a"
    app = cardinality(tab(), server, plan=str(links.pack(sql)))
    panel = app.page.locator(".pv-panel").first
    assert "Change a number and the plans follow" in panel.inner_text()  # where they are given stands in front
    app.page.get_by_role("button", name="Estimate", exact=True).click()
    panel = panel.inner_text()

    assert "Aggregate" in panel  # whose one row is known
    assert "Put numbers into Statistics" in panel


def test_edits_outlive_another_page(server: str, tab: Callable[..., App]) -> None:
    app = sales(tab(), server)
    app.page.get_by_role("button", name="Statistics").click()
    edit(app, "rowCount of store_sales", "55")
    app.page.get_by_role("link", name="Rules").click()
    app.page.locator(".pv-player").first.wait_for()
    app.page.get_by_role("link", name="Cardinality").click()
    app.page.locator(".pv-cardinality").first.wait_for()  # shown ahead, too, for a moment
    app.page.wait_for_function("__planviz.handle.state().edits?.store_sales?.rowCount === 55")
    app.page.wait_for_function("__planviz.handle.state().rows?.[1].includes(55)")
