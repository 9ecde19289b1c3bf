"""The whole task by keyboard alone: paste, find the costly place, see why, try the change, share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from planviz.samples.tours import step_at, tour_named
from tests.browser.app import App

pytestmark = pytest.mark.browser
FOCUSED = """() => { let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return (at?.getAttribute?.("aria-label") || at?.innerText || "").trim(); }"""


def reach(page: Any, words: str) -> None:
    """Press Tab until what has the focus says so."""
    seen = []
    for _ in range(150):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUSED))
        if re.search(words, seen[-1]):
            return
    raise AssertionError(f"{words!r} is not reached by Tab: {list(dict.fromkeys(seen))}")


def test_a_slow_query_without_a_mouse(tab: Callable[..., App], server: str) -> None:
    app = tab(1366, 768).go(server)
    page = app.page
    page.wait_for_function("document.activeElement?.tagName === 'TEXTAREA'")
    page.evaluate("text => navigator.clipboard.writeText(text)", step_at(tour_named("slow-query"), 1).sql)
    page.keyboard.press("Control+V")
    app.painted()

    reach(page, "A broadcast would spare the shuffles")
    page.keyboard.press("Enter")
    page.wait_for_function("window.__planviz.handle.state().selected > 0")
    assert "customer is estimated" in page.locator(".pv-panel").inner_text()

    reach(page, "^The whole decision")
    page.keyboard.press("Enter")
    page.wait_for_url("**/joins?**")
    page.get_by_text("Nearest flips", exact=False).wait_for()

    reach(page, r"BROADCAST\(customer\)|threshold = ")
    page.keyboard.press("Enter")
    page.wait_for_function("new URLSearchParams(location.search).get('what')")

    reach(page, "^Copy link")
    page.keyboard.press("Enter")
    page.get_by_text("Copied").wait_for()
    shared = page.evaluate("navigator.clipboard.readText()")
    assert "/joins?" in shared
    assert "what=" in shared
    assert app.complaints == []
