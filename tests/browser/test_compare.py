"""The Compare page in a browser: what it shows, how it is used, what it asks for."""

from __future__ import annotations

import time
from typing import Any
from urllib.parse import quote

import pytest

from planviz.samples import load
from planviz.ui import compare, links
from tests.browser.app import App
from tests.graph.test_effects import HASHED, SORTED

pytestmark = pytest.mark.browser

TITLE, SQL, CATALOG, OTHER = compare.examples()[0]


def until(page: Any, condition: str) -> None:
    """Playwright's own way of waiting needs eval, which the page's policy forbids."""
    end = time.monotonic() + 60
    while not page.evaluate(condition):
        assert time.monotonic() < end, f"never became true: {condition}"
        time.sleep(0.05)


def opened(page: Any, address: str) -> App:
    app = App(page).go(address)
    until(page, "Boolean(window.__planviz && window.__planviz.painted)")
    return app


def state(page: Any) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate("__planviz.handle.state()")
    return found


def test_a_plan_that_ran_opens_beside_what_was_planned(browser: Any, server: str) -> None:
    """What stands beside it is chosen where the document is: in a worker."""
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    opened(page, f"{server}/compare?plan={links.pack(load('adaptive-skew-join'))}")
    assert page.locator(".pv-panes, .pv-compare").first.is_visible()
    assert "AQE Shuffle Read" in page.get_by_role("list").first.inner_text()


def test_a_query_with_and_without_cbo(browser: Any, server: str) -> None:
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    address = f"{server}/compare?plan={links.pack(SQL)}&catalog={CATALOG}&settings={quote(OTHER.settings)}"
    app = opened(page, address)
    first = page.get_by_role("button", name="Join order:")
    first.wait_for()
    link, share = (page.get_by_role("button", name=name, exact=True).bounding_box() for name in ("Copy link", "Share"))
    assert link["x"] < share["x"], "in the order of the other pages"
    assert state(page)["view"] == "split"
    # What it costs stands above what differs, the numbers that are better or worse first.
    assert "shuffles 9 → 6" in page.locator(".pv-verdict-line .pv-better").first.inner_text()
    first.click()
    assert state(page)["chosen"] == 0
    assert page.get_by_role("region", name="Selected operator").is_visible()
    page.keyboard.press("n")
    assert state(page)["chosen"] == 1
    whole = state(page)["operators"]
    page.keyboard.press("c")
    assert state(page)["few"] is True
    assert state(page)["operators"] < whole
    page.keyboard.press("c")
    page.keyboard.press("v")
    assert state(page)["view"] == "merged"
    page.keyboard.press("v")
    assert "BroadcastHashJoin" in page.get_by_label("Both plans as text").text_content()
    assert app.complaints == []
    page.close()


def test_two_pasted_plans_from_the_empty_page(browser: Any, server: str) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    app = App(page).go(f"{server}/compare")
    page.get_by_label("Before: SQL or plan text").fill(SORTED)
    page.get_by_label("After: SQL or plan text").fill(HASHED)
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("button", name="SortMergeJoin → BroadcastHashJoin").wait_for()
    until(page, "location.search.includes('&b=')")
    again = opened(browser.new_page(), page.url)
    again.page.get_by_role("button", name="SortMergeJoin → BroadcastHashJoin").wait_for()
    assert app.complaints == []
    again.page.close()
    page.close()


def test_what_is_no_plan_gets_a_sentence_and_keeps_the_text(browser: Any, server: str) -> None:
    page = browser.new_page()
    App(page).go(f"{server}/compare")
    page.get_by_label("Before: SQL or plan text").fill(SORTED)
    page.get_by_label("After: SQL or plan text").fill("nothing of the kind")
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("alert").first.wait_for()
    page.close()


def test_hostile_text_runs_nothing(browser: Any, server: str) -> None:
    page = browser.new_page()
    evil = HASHED.replace("db.t", "db.`<img src=x onerror=alert(1)>`")
    app = opened(
        page,
        f"{server}/compare?plan={links.pack(SORTED)}&b={links.pack(evil)}&name=%3Cimg%20src=x%20onerror=alert(2)%3E",
    )
    page.keyboard.press("n")
    assert app.complaints == []
    assert page.locator("img[src=x]").count() == 0
    page.close()


def test_a_third_plan_makes_a_chain_that_its_link_opens(browser: Any, server: str) -> None:
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    app = opened(page, f"{server}/compare?plan={links.pack(SORTED)}&b={links.pack(HASHED)}&name_b=hashed")
    page.get_by_role("button", name="hashed").click()
    page.get_by_label("SQL, plan text, event log or JSON").fill(SORTED)
    page.get_by_role("button", name="Add it as the next plan").click()
    steps = page.get_by_role("group", name="Plans of the chain")
    steps.get_by_role("button", name="B → C").wait_for()
    page.keyboard.press("Escape")
    assert state(page)["at"] == 2
    page.get_by_role("heading", name="No difference").wait_for()
    assert page.get_by_role("row", name="shuffles 2 0 2").count() == 1
    steps.get_by_role("button", name="A → B").click()
    page.get_by_role("button", name="SortMergeJoin → BroadcastHashJoin").wait_for()
    steps.get_by_role("button", name="B → C").click()
    page.get_by_role("button", name="BroadcastHashJoin → SortMergeJoin").wait_for()
    assert state(page)["at"] == 1
    until(page, "location.search.includes('&more=')")
    again = opened(browser.new_page(), page.url)
    again.page.get_by_role("group", name="Plans of the chain").get_by_role("button", name="A → C").wait_for()
    assert app.complaints == []
    again.page.close()
    page.close()
