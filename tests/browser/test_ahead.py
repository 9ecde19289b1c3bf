"""Pictures that are shown before Streamlit has run the page: the same as the page's own, and never of another text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.app import App

pytestmark = pytest.mark.browser

SQL = "SELECT c_name, count(*) FROM customer JOIN orders ON c_custkey = o_custkey GROUP BY c_name"
OTHER = "SELECT n_name, count(*) FROM nation JOIN region ON n_regionkey = r_regionkey GROUP BY n_name"

# What the browser tells Streamlit goes on its way so many ms later; what is shown ahead is noted, with its words.
_SLOW = """
window.__delay = 0;
window.__ahead = [];
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (data) { setTimeout(() => send.call(this, data), window.__delay); };
document.addEventListener("planviz:painted", () => {
  const host = document.querySelector("#planviz-ahead");
  if (host) window.__ahead.push(host.shadowRoot.querySelector(".pv").textContent);
});
"""


@pytest.fixture
def slow(server: str, tab: Callable[..., App]) -> App:
    app = tab()
    app.page.add_init_script(_SLOW)
    app.go(server)
    app.page.locator("#planviz-early").wait_for(state="detached")
    app.page.wait_for_timeout(500)
    return app


_CAMERA = "(({ x, y, boxes }) => [Math.round(x), Math.round(y), boxes])(window.__planviz.handle.camera())"


def ahead(app: App) -> Any:
    return app.page.locator("#planviz-ahead")


def open_sql(app: App, text: str) -> None:
    app.box.fill(text)
    app.box.press("Control+Enter")


def test_a_text_is_painted_before_its_page_has_run_and_stays_as_it_was_left(slow: App) -> None:
    slow.page.evaluate("window.__delay = 3000")
    open_sql(slow, SQL)
    tree = ahead(slow).get_by_role("treeitem", name=re.compile("Scan orders"))
    tree.click()
    assert slow.page.locator(".pv-head b").count() == 0
    before = slow.page.evaluate(_CAMERA)
    chosen = slow.selected()
    assert chosen > 0
    slow.page.evaluate("window.__delay = 0")
    slow.painted("customer, orders")
    assert ahead(slow).count() == 0
    assert slow.selected() == chosen
    assert slow.page.evaluate(_CAMERA) == before
    assert slow.complaints == []


def test_pages_and_stages_are_painted_ahead_and_then_are_themselves(slow: App) -> None:
    open_sql(slow, SQL)
    slow.painted()
    for title, shown in (("Rules", ".pv-player"), ("Joins", ".pv-joins"), ("Cardinality", ".pv-cardinality")):
        slow.page.wait_for_timeout(2_500)
        slow.page.evaluate("window.__delay = 1500")
        slow.page.get_by_role("link", name=title, exact=True).click()
        ahead(slow).locator(shown).wait_for(timeout=1_400)
        slow.page.evaluate("window.__delay = 0")
        ahead(slow).wait_for(state="detached")
        slow.page.locator(shown).wait_for()
    slow.page.get_by_role("link", name="Explore", exact=True).click()
    slow.settled()
    slow.page.wait_for_timeout(2_500)
    slow.page.evaluate("window.__delay = 1500")
    slow.page.get_by_text("Analyzed", exact=True).first.click()
    ahead(slow).locator(".pv-total").wait_for(timeout=1_400)
    slow.page.evaluate("window.__delay = 0")
    slow.wait_for_query("stage", "analyzed")
    slow.settled()
    assert slow.complaints == []


def test_nothing_of_the_text_before_is_shown_of_the_next_one(slow: App) -> None:
    open_sql(slow, SQL)
    slow.painted()
    slow.page.wait_for_timeout(3_000)  # its pages are fetched ahead
    slow.page.get_by_role("button", name="Open…").click()
    open_sql(slow, OTHER)
    slow.painted("nation, region")
    slow.page.evaluate("window.__ahead = []")
    for title in ("Joins", "Cardinality", "Rules", "Explore"):
        slow.page.get_by_role("link", name=title, exact=True).click()
        slow.page.wait_for_timeout(700)
        slow.settled()
    shown = slow.page.evaluate("window.__ahead")
    assert shown
    assert not [words for words in shown if "customer" in words or "c_custkey" in words]
    assert [words for words in shown if "nation" in words]


def test_a_text_with_a_fault_shows_its_fault_and_no_picture(slow: App) -> None:
    open_sql(slow, "SELEC a FROM t")
    slow.page.locator(".alert").first.wait_for()
    assert ahead(slow).count() == 0
    assert slow.box.input_value() == "SELEC a FROM t"


# Questions of the Joins page take half a second more; those that nobody waits for any more are noted.
_LATE = """
window.__givenUp = [];
const ask = window.fetch;
window.fetch = async (address, options) => {
  if (String(address).startsWith("/joins/")) {
    options?.signal?.addEventListener("abort", () => window.__givenUp.push(JSON.parse(options.body)));
    await new Promise(done => setTimeout(done, 500));
  }
  return ask(address, options);
};
"""


def test_an_older_question_of_a_slider_is_given_up(slow: App) -> None:
    slow.page.add_init_script(_LATE)
    slow.page.reload()
    slow.page.locator("#planviz-early").wait_for(state="detached")
    open_sql(slow, SQL)
    slow.painted()
    slow.page.get_by_role("link", name="Joins", exact=True).click()
    slider = slow.page.get_by_role("slider", name="threshold", exact=True)
    slider.wait_for()
    slow.settled()
    slow.page.wait_for_timeout(1_000)
    slow.page.evaluate("window.__givenUp = []")
    slider.press("ArrowRight")
    # The hand rests and all is planned; then it moves again.
    slow.page.wait_for_timeout(1_200)
    slider.press("ArrowRight")
    slow.page.wait_for_function("window.__givenUp.length > 0")
    slow.page.wait_for_function("window.__planviz.asked?.painted && window.__planviz.asked.whole")
    assert slow.complaints == []


def test_the_link_to_explore_leads_there_in_a_new_tab_too_and_its_page_is_shown_ahead(slow: App) -> None:
    open_sql(slow, SQL)
    slow.painted()
    slow.page.get_by_role("link", name="Joins", exact=True).click()
    slow.page.wait_for_url("**/joins*")
    slow.settled()
    link = slow.page.get_by_role("link", name="Explore", exact=True)
    link.hover()
    assert link.get_attribute("href") == "/"
    slow.page.wait_for_timeout(1500)  # the pages that may follow are fetched
    slow.page.evaluate("window.__delay = 3000")
    link.click()
    ahead(slow).get_by_role("treeitem", name=re.compile("Scan orders")).wait_for(timeout=2000)
    slow.page.evaluate("window.__delay = 0")
    slow.settled()
    assert slow.page.url.split("?")[0].endswith("/")
