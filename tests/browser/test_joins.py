"""The Joins page in a real browser: what-ifs while a slider is dragged, flips, keys, addresses, pasted plans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from planviz.ui import links
from tests.browser.app import App

pytestmark = pytest.mark.browser

TWELVE = """SELECT i_category, s_state, sum(ss_net_profit) AS profit
FROM store_sales JOIN item ON ss_item_sk = i_item_sk JOIN date_dim d1 ON ss_sold_date_sk = d1.d_date_sk
JOIN time_dim ON ss_sold_time_sk = t_time_sk JOIN store ON ss_store_sk = s_store_sk
JOIN customer ON ss_customer_sk = c_customer_sk JOIN customer_address ON c_current_addr_sk = ca_address_sk
JOIN customer_demographics cd1 ON ss_cdemo_sk = cd1.cd_demo_sk
JOIN household_demographics hd ON ss_hdemo_sk = hd.hd_demo_sk
JOIN income_band ON hd.hd_income_band_sk = ib_income_band_sk JOIN promotion ON ss_promo_sk = p_promo_sk
JOIN store_returns ON sr_item_sk = ss_item_sk AND sr_ticket_number = ss_ticket_number
LEFT JOIN customer_demographics cd2 ON c_current_cdemo_sk = cd2.cd_demo_sk
WHERE d1.d_year = 2001 AND ca_state = 'TX' AND cd1.cd_gender = 'F' GROUP BY i_category, s_state"""

HOSTILE = """CREATE TABLE `<img src=x onerror=alert(1)>` (k INT, v STRING);
CREATE TABLE plain (k INT, v STRING);
SELECT * FROM `<img src=x onerror=alert(1)>` a JOIN plain b ON a.k = b.k AND a.v = '</svg><script>alert(2)</script>'"""


def joins(app: App, server: str, **query: str) -> App:
    from urllib.parse import quote, urlencode

    app.go(f"{server}/joins?{urlencode(query, quote_via=quote)}")
    app.settled()
    app.page.get_by_role("button", name="Copy link").wait_for()
    return app


def sql(app: App, server: str, text: str, **query: str) -> App:
    return joins(app, server, plan=str(links.pack(text)), **query)


def state(app: App) -> dict[str, Any]:
    found: dict[str, Any] = app.page.evaluate("__planviz.handle.state()")
    return found


def settled(app: App) -> dict[str, Any]:
    """The state once the whole planning has been answered."""
    app.page.wait_for_function(
        "window.__planviz.asked && window.__planviz.asked.whole && !__planviz.handle.state().busy"
    )
    return state(app)


def drag(app: App, label: str, part: float) -> None:
    # Flips come one by one, and push down what stands below them.
    app.page.get_by_text("Planning what would change it").wait_for(state="hidden")
    slider = app.page.get_by_role("slider", name=label, exact=True)
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    app.page.evaluate("window.__planviz.asked = null")
    app.page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] / 2)
    app.page.mouse.down()
    app.page.mouse.move(box["x"] + box["width"] * part, box["y"] + box["height"] / 2)
    app.page.mouse.up()


def test_a_table_of_many_joins_says_that_there_are_more(server: str, tab: Callable[..., App]) -> None:
    app = sql(tab(), server, TWELVE, catalog="tpcds")
    rows = app.page.locator(".pv-join-rows")
    shown = rows.evaluate("node => [node.clientHeight, node.scrollHeight]")
    assert shown[0] < shown[1]
    more = app.page.get_by_role("button", name="Show all 12")
    assert more.get_attribute("aria-expanded") == "false"
    more.click()
    assert rows.evaluate("node => node.scrollHeight - node.clientHeight") <= 1
    app.page.get_by_role("button", name="Show fewer").click()
    assert rows.evaluate("node => [node.clientHeight, node.scrollHeight]") == shown


def test_a_slider_plans_twelve_joins_anew_while_it_is_dragged(server: str, tab: Callable[..., App]) -> None:
    app = sql(tab(), server, TWELVE, catalog="tpcds")
    app.page.wait_for_timeout(1500)  # the flips of the first join are being planned
    before = state(app)["ops"]
    assert len(before) == 12
    slider = app.page.get_by_role("slider", name="threshold", exact=True)
    box = slider.bounding_box()
    took: list[float] = []
    sent = len(app.requests)
    app.page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2)
    app.page.mouse.down()
    for part in range(10):
        app.page.evaluate("window.__planviz.asked = null")
        app.page.mouse.move(box["x"] + box["width"] * (0.35 + part * 0.06), box["y"] + box["height"] / 2)
        # On a busy machine the hand seems to rest, and the whole planning answers at once.
        app.page.wait_for_function("window.__planviz.asked")
        told = app.page.evaluate("window.__planviz.asked")
        took.append(told["painted"] - told["made"])
    app.page.mouse.up()
    print(f"slider to paint, 12 joins: median {sorted(took)[5]:.0f} ms, at most {max(took):.0f} ms")
    after = settled(app)
    assert after["ops"] != before
    assert after["changed"]
    # No rerun of the page.
    assert app.asked_beside(sent, "/joins/", "/selected/")
    assert "what" in app.query()
    assert app.page.locator("tr.pv-was").count() == after["changed"]
    app.page.get_by_role("button", name="Reset").click()
    app.page.wait_for_function("!__planviz.handle.state().what")
    assert state(app)["ops"] == before
    assert "what" not in app.query()
    assert not app.complaints


def test_the_whole_tree_is_in_view_beside_the_table(server: str, tab: Callable[..., App]) -> None:
    app = tab()
    app.page.set_viewport_size({"width": 1366, "height": 768})
    sql(app, server, TWELVE, catalog="tpcds")
    tree = app.page.locator(".pv-join-stage .pv-drawn svg").bounding_box()
    stage = app.page.locator(".pv-join-stage").bounding_box()
    assert tree["y"] + tree["height"] <= stage["y"] + stage["height"] + 1
    smallest = app.page.evaluate("""() => Math.min(...[...document.querySelectorAll('.pv-drawn text')].map(
        (text) => parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.clientWidth
            / text.ownerSVGElement.viewBox.baseVal.width))""")
    assert smallest >= 10


def test_a_flip_changes_the_join_and_shows_what_became_of_the_plan(server: str, tab: Callable[..., App]) -> None:
    app = sql(tab(), server, TWELVE, catalog="tpcds", join="6")
    flip = app.page.locator(".pv-flip", has_text="→ Broadcast Hash").first
    flip.wait_for()
    assert state(app)["ops"][5] == "SortMergeJoin"
    flip.click()
    assert settled(app)["ops"][5] == "BroadcastHashJoin"
    changes = app.page.locator(".pv-diff-section")
    changes.wait_for()
    assert "SortMergeJoin → BroadcastHashJoin" in changes.inner_text()
    changes.locator("summary").click()
    changes.locator("svg").wait_for()


def test_an_address_comes_back_to_its_join_and_its_what_ifs(server: str, tab: Callable[..., App]) -> None:
    what = "join.preferSortMergeJoin=false;hint.1=,merge"
    app = sql(tab(), server, TWELVE, catalog="tpcds", join="2", what=what)
    found = state(app)
    assert (found["n"], found["what"]) == (1, what)
    assert "ShuffledHashJoin" in found["ops"]
    app.page.keyboard.press("j")
    app.page.wait_for_function("__planviz.handle.state().n === 2")
    assert app.query()["join"] == "3"
    assert app.query()["what"] == what
    app.page.get_by_role("link", name="Explore").click()
    app.page.get_by_role("tree").first.wait_for()
    app.settled()
    app.page.get_by_role("link", name="Joins").click()
    app.page.locator(".pv-joins").first.wait_for()
    app.settled()
    app.page.wait_for_function("__planviz.handle.state().n === 2 && !__planviz.handle.state().busy")
    assert state(app)["what"] == what  # what was asked stays while the document is open


def test_the_path_is_a_list_and_keys_go_along_it(server: str, tab: Callable[..., App]) -> None:
    app = sql(tab(1200), server, TWELVE, catalog="tpcds", join="6")
    path = app.page.get_by_role("list", name="The path through the decision tree")
    tests = path.get_by_role("button")
    assert tests.count() == 5
    assert tests.first.inner_text().startswith("yes")
    app.page.keyboard.press("ArrowDown")
    app.page.keyboard.press("ArrowDown")
    assert tests.nth(1).get_attribute("aria-current") == "true"
    assert app.page.locator(".pv-ring").is_visible()
    app.page.keyboard.press("Escape")
    assert not app.page.locator(".pv-ring").is_visible()
    assert app.page.get_by_role("img", name="Decision tree of Sort Merge Join, Inner").count() == 1
    # Legible: no text of the tree is smaller than 10 px where the page is 1,200 px wide.
    least = app.page.locator(".pv-drawn svg").first.evaluate(
        "svg => Math.min(...[...svg.querySelectorAll('text')].map((t) => Number(t.getAttribute('font-size'))))"
        " * svg.clientWidth / svg.viewBox.baseVal.width"
    )
    assert least >= 10


def test_a_pasted_plan_is_asked_like_a_query(server: str, tab: Callable[..., App]) -> None:
    app = joins(tab(), server, sample="adaptive-skew-join", join="2")
    assert app.page.get_by_role("slider", name="threshold", exact=True).count() == 1
    assert not app.complaints


def test_a_pasted_plan_that_nobody_plans_so_has_no_sliders_and_says_why(server: str, tab: Callable[..., App]) -> None:
    app = sql(
        tab(),
        server,
        "== Physical Plan ==\nBroadcastHashJoin [a#1L], [b#2L], FullOuter, BuildRight\n:- Foo [a#1L]\n+- Bar [b#2L]\n",
    )
    assert app.page.get_by_role("slider").count() == 0
    assert "Paste df.explain(True) whole" in app.page.locator(".pv-panel").inner_text()
    assert "?" in app.page.get_by_role("list", name="The path through the decision tree").inner_text()
    assert not app.complaints


def test_hostile_names_stay_text(server: str, tab: Callable[..., App]) -> None:
    app = sql(tab(), server, HOSTILE)
    assert "<img src=x onerror=alert(1)>" in app.page.locator(".pv-panel").inner_text()
    assert app.page.locator(".pv-joins img, .pv-joins script").count() == 0
    assert not app.complaints


def test_a_refusal_is_a_sentence_and_the_picture_stays(server: str, tab: Callable[..., App]) -> None:
    app = sql(tab(), server, TWELVE, catalog="tpcds")
    app.page.route("**/joins/*", lambda route: route.abort())
    drag(app, "threshold", 0.9)
    app.page.get_by_role("status").get_by_text("The server does not answer").wait_for()
    assert len(state(app)["ops"]) == 12
