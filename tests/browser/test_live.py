"""The Live page in a real browser, with a stand-in for Spark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest

from tests.browser.app import App, serving

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def live() -> Iterator[str]:
    with serving("tests.browser.live_server") as address:
        yield f"{address}/live"


def ask(app: App, sql: str) -> None:
    box = app.page.get_by_role("textbox", name="SQL of one query")
    box.fill(sql)
    app.page.get_by_role("button", name="Capture the plan").click()


def test_a_query_is_captured_watched_and_stopped(live: str, tab: Callable[..., App]) -> None:
    app = tab().go(live)
    state = app.page.get_by_role("status").filter(has=app.page.locator(".pv-chip"))
    # A second attempt finds the Spark that the first one started.
    state.get_by_text(re.compile("not started|ready|at work")).wait_for()
    ask(app, "SELECT 1 AS one")
    app.page.locator(".pv-figures", has_text="to plan").wait_for()
    app.settled()
    state.get_by_text("ready").wait_for()
    ask(app, "SELECT work")
    state.get_by_text("at work").wait_for()
    state.get_by_text("running, 1 s").wait_for()  # without a click: the page looks for itself
    app.page.get_by_role("button", name="Stop", exact=True).click()
    app.page.get_by_role("alert").filter(has_text="Stopped. Spark has cancelled its jobs.").wait_for()
    assert app.page.get_by_role("textbox", name="SQL of one query").input_value() == "SELECT work"
    app.page.get_by_role("link", name="Explore").first.click()
    app.page.locator(".pv-head b", has_text="SELECT 1 AS one").wait_for()
    app.page.get_by_role("link", name="Live Spark").first.click()
    app.page.get_by_role("textbox", name="SQL of one query").wait_for()
    assert app.page.get_by_role("textbox", name="SQL of one query").input_value() == "SELECT work"
    app.page.locator(".pv-figures", has_text="to plan").wait_for()
    assert app.complaints == []


def test_a_lost_spark_is_told_and_replaced(live: str, tab: Callable[..., App]) -> None:
    app = tab().go(live)
    ask(app, "SELECT die")
    app.page.get_by_role("alert").filter(has_text="its JVM was ended by signal 9").wait_for()
    app.page.locator(".pv-live-lost").wait_for()
    ask(app, "SELECT 1 AS one")
    app.page.locator(".pv-live-ready").wait_for()
    app.page.locator(".pv-figures").wait_for()


@pytest.mark.parametrize(
    "path",
    [
        "?sample=broadcast-and-merge-join",
        "joins?sample=broadcast-and-merge-join",
        "rules?sample=rule-log",
        "live?sample=rule-log",
    ],
)
def test_the_top_bar_keeps_its_buttons_in_one_line_on_a_narrow_page(
    live: str, path: str, tab: Callable[..., App]
) -> None:
    app = tab(700).go(live.removesuffix("live") + path)
    bar = app.page.locator(".st-key-planviz-bar")
    app.page.get_by_role("button", name="Open…").wait_for()
    tops = {round(button.bounding_box()["y"]) for button in bar.get_by_role("button").all()}
    assert max(tops) - min(tops) < 8
    assert bar.bounding_box()["height"] < 100
    right = max(b["x"] + b["width"] for b in (button.bounding_box() for button in bar.get_by_role("button").all()))
    assert right <= 700
