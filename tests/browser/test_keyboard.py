"""The whole task by keyboard alone: paste, find the costly place, see why, try the change, share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
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


#: What is reached, pressed and read on the way, in the app's words.
ENGLISH = {
    "finding": "A broadcast would spare the shuffles",
    "evidence": "customer is estimated",
    "decision": "^The whole decision",
    "flips": "Nearest flips",
    "flip": r"BROADCAST\(customer\)|threshold = ",
    "copy": "^Copy link",
    "copied": "Copied",
}


def decided_and_shared(page: Any, words: Mapping[str, str]) -> str:
    """From a finding on the open query to its join, a change tried, and the link that was copied: by keys alone."""
    reach(page, words["finding"])
    page.keyboard.press("Enter")
    page.wait_for_function("window.__planviz.handle.state().selected > 0")
    assert words["evidence"] in page.locator(".pv-panel").inner_text()

    reach(page, words["decision"])
    page.keyboard.press("Enter")
    page.wait_for_url("**/joins?**")
    page.get_by_text(words["flips"], exact=False).wait_for()

    reach(page, words["flip"])
    page.keyboard.press("Enter")
    page.wait_for_function("new URLSearchParams(location.search).get('what')")

    reach(page, words["copy"])
    page.keyboard.press("Enter")
    page.get_by_text(words["copied"]).wait_for()
    shared: str = page.evaluate("navigator.clipboard.readText()")
    assert "/joins?" in shared
    assert "what=" in shared
    return shared


def test_a_slow_query_without_a_mouse(tab: Callable[..., App], server: str) -> None:
    app = tab(1366, 768).go(server)
    page = app.page
    page.wait_for_function("document.activeElement?.tagName === 'TEXTAREA'")
    page.evaluate("text => navigator.clipboard.writeText(text)", step_at(tour_named("slow-query"), 1).sql)
    page.keyboard.press("Control+V")
    app.painted()

    shared = decided_and_shared(page, ENGLISH)
    assert "lang=" not in shared
    assert app.complaints == []
