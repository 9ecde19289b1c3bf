"""The Rules page in a real browser: stepping, both views, links, hostile names."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planviz.document import open_text
from planviz.render.html import steps_page
from planviz.render.steps import trace_data
from planviz.samples import load
from planviz.ui import links
from tests.browser.app import App
from tests.graph.test_union import long_trace

pytestmark = pytest.mark.browser

OUTER = """SELECT o.order_id, u.name
FROM orders o FULL OUTER JOIN users u ON o.user_id = u.user_id
WHERE o.amount > 20 AND u.tier = 'gold'"""

ROWS = """CREATE TEMPORARY VIEW l AS SELECT * FROM VALUES (1, 'a'), (2, 'b') AS v(k, x);
CREATE TEMPORARY VIEW r AS SELECT * FROM VALUES (1, 'p'), (3, 'q') AS v(k, y);
SELECT * FROM l FULL OUTER JOIN r ON l.k = r.k WHERE x >= 'a' AND y >= 'a'"""

# What stands where: slots of the step's picture with their places on the screen, by pane.
PLACES = """() => {
  const { handle } = __planviz, found = {};
  for (let slot = 0; slot < 400; slot++) {
    const place = handle.place(slot, 0);
    if (place) found[slot] = [place.x, place.y, place.width, place.height, place.mark];
  }
  return found;
}"""


def rules(app: App, server: str, **query: str) -> App:
    from urllib.parse import quote, urlencode

    app.go(f"{server}/rules?{urlencode(query, quote_via=quote)}")
    app.settled()
    return app


def step(app: App) -> int:
    return int(app.page.evaluate("__planviz.handle.state().k")) + 1


def test_keys_step_without_a_rerun_and_the_address_follows(server: str, tab: Callable[..., App]) -> None:
    app = rules(tab(), server, sample="rule-log")
    app.page.get_by_role("button", name="Copy link").wait_for()
    app.page.wait_for_timeout(300)
    asked = len(app.requests)
    sent: list[str] = []
    session = app.page.context.new_cdp_session(app.page)
    session.send("Network.enable")
    session.on("Network.webSocketFrameSent", lambda frame: sent.append(str(frame)))
    for _ in range(4):
        app.page.keyboard.press("ArrowRight")
    app.wait_for_query("step", "5")
    assert step(app) == 5
    app.page.keyboard.press("End")
    app.wait_for_query("step", "22")
    app.page.keyboard.press("ArrowUp")
    app.page.keyboard.press("Home")
    app.wait_for_query("step", "1")
    # What is looked at is told beside the page's reruns, so that another page begins there.
    assert app.asked_beside(asked, "/selected/")
    assert sent == []
    assert not app.complaints


def test_an_address_comes_back_to_its_step(server: str, tab: Callable[..., App]) -> None:
    app = rules(tab(), server, sample="rule-log", step="15")
    assert step(app) == 15
    assert app.page.locator(".pv-step-title").text_content() == "15 / 22ColumnPruning"
    app.page.get_by_role("link", name="Explore").click()
    app.page.get_by_role("tree").wait_for()
    app.page.get_by_role("link", name="Rules").click()
    app.page.locator(".pv-step-title").wait_for()
    assert step(app) == 15  # the document is open on every page, where it was left


@pytest.mark.parametrize("view", ["split", "merged"])
def test_kept_nodes_do_not_move_by_a_pixel(workbench: Any, browser: Any, tmp_path: Path, view: str) -> None:
    page = player(browser, tmp_path, open_text(load("rule-log")).trace, height=1500)
    page.evaluate("view => __planviz.handle.view(view)", view)
    page.keyboard.press("f")
    page.wait_for_timeout(300)
    seen: dict[str, list[Any]] = {}
    compared = 0
    for k in range(22):
        page.evaluate("k => __planviz.handle.go(k)", k)
        page.wait_for_timeout(30)
        for slot, place in page.evaluate(PLACES).items():
            if slot in seen:
                assert place[:4] == seen[slot][:4], f"step {k + 1}: slot {slot} moved"
                compared += 1
            seen[slot] = place
    assert compared > 150


TPCH_5 = Path("sample_queries/tpch/q05.sql").read_text(encoding="utf-8")
# The cards of both panes, [slot, left, top, right, bottom, mark], and the panes' sizes.
CARDS = """() => {
  const inside = (root) => [...root.querySelectorAll('.pv-canvas')];
  const shadows = [...document.querySelectorAll('*')].filter((each) => each.shadowRoot);
  const canvases = [document, ...shadows.map((each) => each.shadowRoot)].flatMap(inside);
  return canvases.map((canvas) => canvas.getBoundingClientRect()).map(({ x, y, width, height }, at) => {
    const cards = [];
    for (let slot = 0; slot < 400; slot++) {
      const it = __planviz.handle.place(slot, at);
      if (it) cards.push([slot, it.x - x, it.y - y, it.x - x + it.width, it.y - y + it.height, it.mark]);
    }
    return { width, height, cards };
  });
}"""


def test_a_large_plan_opens_where_the_optimizer_begins_with_all_in_view(server: str, tab: Callable[..., App]) -> None:
    app = rules(tab(width=1440, height=900), server, plan=links.pack(TPCH_5) or "")
    title = app.page.locator(".pv-step-title")
    title.filter(has_text="ReorderJoin").wait_for()
    for k in range(step(app) - 1, int(app.page.evaluate("__planviz.handle.state().count"))):
        app.page.evaluate("k => __planviz.handle.go(k)", k)
        panes = app.page.evaluate(CARDS)
        places = [{card[0]: card[1:5] for card in pane["cards"]} for pane in panes]
        for pane in panes:
            assert pane["cards"]
            for _, left, top, right, bottom, _ in pane["cards"]:
                assert -1 <= left < right <= pane["width"] + 1
                assert -1 <= top < bottom <= pane["height"] + 1
            apart(pane["cards"])
        kept = set(places[0]) & set(places[1])
        if any(mark == "moved" for pane in panes for *_, mark in pane["cards"]):
            kept = {min(kept)}  # operators move: each side has a layout of its own, with the roots at one place
        for slot in kept:
            assert places[0][slot] == pytest.approx(places[1][slot]), f"step {k + 1}: slot {slot} moved"


def apart(cards: list[list[Any]]) -> None:
    for at, (_, left, top, right, bottom, _) in enumerate(cards):
        for _, x0, y0, x1, y1, _ in cards[:at]:
            assert left >= x1 or right <= x0 or top >= y1 or bottom <= y0


def test_it_opens_at_the_first_step_that_changes_the_shape_of_the_plan(server: str, tab: Callable[..., App]) -> None:
    """A rule that only rewrites a condition comes before it, and so does one that writes a WITH out."""
    text = (
        "WITH big AS (SELECT user_id, amount FROM orders WHERE amount BETWEEN 1 + 1 AND 30) "
        "SELECT u.name FROM users u JOIN big b ON u.user_id = b.user_id WHERE u.tier = 'gold' AND b.amount > 20"
    )
    app = rules(tab(), server, plan=str(links.pack(text)), catalog="shop")
    app.page.get_by_role("heading", name="PushDownPredicates", exact=True).wait_for()


def test_both_panes_show_one_view(browser: Any, tmp_path: Path) -> None:
    page = player(browser, tmp_path, open_text(load("rule-log")).trace)
    page.evaluate("__planviz.handle.go(14)")
    stage = page.locator(".pv-steps-stage .pv-stage").first.bounding_box()
    page.mouse.move(stage["x"] + 100, stage["y"] + stage["height"] - 40)
    page.mouse.down()
    page.mouse.move(stage["x"] + 180, stage["y"] + stage["height"] - 90, steps=4)
    page.mouse.up()
    pair = page.evaluate("[0, 1].map((pane) => __planviz.handle.place(0, pane))")
    assert pair[1]["x"] - pair[0]["x"] == pytest.approx(stage["width"], abs=2)
    assert pair[1]["y"] == pair[0]["y"]


def test_the_slider_acts_while_it_is_dragged(browser: Any, tmp_path: Path) -> None:
    page = player(browser, tmp_path, open_text(load("rule-log")).trace)
    box = page.locator(".pv-slider").bounding_box()
    page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2)
    page.mouse.down()
    seen = set()
    for part in (0.3, 0.5, 0.7, 0.9):
        page.mouse.move(box["x"] + box["width"] * part, box["y"] + box["height"] / 2)
        seen.add(page.evaluate("__planviz.handle.state().k"))
    page.mouse.up()
    assert len(seen) == 4


def test_space_plays_and_stops(browser: Any, tmp_path: Path) -> None:
    page = player(browser, tmp_path, open_text(load("rule-log")).trace)
    page.keyboard.press(" ")
    page.wait_for_timeout(2500)
    playing = page.evaluate("__planviz.handle.state()")
    page.keyboard.press(" ")
    assert playing["playing"]
    assert playing["k"] >= 1
    assert not page.evaluate("__planviz.handle.state().playing")


def test_the_timeline_is_a_list_that_can_be_clicked(browser: Any, tmp_path: Path) -> None:
    page = player(browser, tmp_path, open_text(load("rule-log")).trace, width=1200)
    bars = page.locator(".pv-step-bar")
    assert bars.count() == 22
    assert page.get_by_role("list", name="Batches and their effective rules").count() == 1
    bars.nth(17).click()
    assert page.evaluate("__planviz.handle.state().k") == 17
    assert (
        page.locator("[aria-current=step]").get_attribute("aria-label") == "18 InferFiltersFromConstraints, 4 changed"
    )
    folded = page.locator(".pv-silent").count()
    page.keyboard.press("s")
    assert page.locator(".pv-silent").count() == 59 > folded


def test_the_batches_can_be_read_at_1200_px(browser: Any, tmp_path: Path) -> None:
    page = player(browser, tmp_path, open_text(load("rule-log")).trace, width=1200)
    for k in range(22):
        page.evaluate("k => __planviz.handle.go(k)", k)
        name = page.locator(".pv-current .pv-batch-name")
        cut = name.evaluate("e => e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1")
        box = name.bounding_box()
        assert not cut, name.text_content()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 1200


def test_merged_and_log(browser: Any, tmp_path: Path) -> None:
    page = player(browser, tmp_path, open_text(load("rule-log")).trace)
    page.evaluate("__planviz.handle.go(14)")
    page.keyboard.press("v")
    marks = [place[4] for place in page.evaluate(PLACES).values()]
    assert sorted(mark for mark in marks if mark) == ["changed", "inserted", "inserted", "inserted"]
    page.keyboard.press("v")
    shown = page.locator(".pv-log-text").text_content().splitlines()
    block = load("rule-log").split("=== Applying Rule org.apache.spark.sql.catalyst.optimizer.ColumnPruning ===\n")[1]
    expected = block.split("\n\n")[0].splitlines()
    assert shown[0] == "=== Applying Rule org.apache.spark.sql.catalyst.optimizer.ColumnPruning ==="
    assert [line.rstrip() for line in shown[1 : 1 + len(expected)]] == [line.rstrip() for line in expected]


def test_own_sql_shows_the_rules_card_and_the_plan_without_it(server: str, tab: Callable[..., App]) -> None:
    app = rules(tab(), server, plan=str(links.pack(OUTER)), catalog="shop")
    app.page.get_by_role("button", name="EliminateOuterJoin, 1 changed").click()
    card = app.page.get_by_role("complementary", name="The rule")
    assert "Filter(r.x > 1, Join(l, r, LeftOuter)) ⇒ Filter(r.x > 1, Join(l, r, Inner))" in " ".join(
        card.locator(".pv-algebra").text_content().split()
    )
    assert card.locator(".pv-change").text_content() == "~Inner Join: join type FullOuter → Inner"
    assert card.locator(".pv-gone").all_text_contents()[0].startswith("- ")
    card.get_by_role("button", name="Switch it off and compare").click()
    app.page.locator(".pv-pane-label", has_text="without the rule").wait_for()
    assert "Final plan without" in app.page.locator(".pv-step-title").text_content()
    said = card.locator(".pv-changes").text_content()
    assert "join type FullOuter → Inner" in said
    app.page.get_by_role("button", name="Back to the steps").click()
    assert app.page.locator(".pv-step-title").text_content().endswith("EliminateOuterJoin")
    assert not app.complaints


def test_the_card_shows_why_the_branch_taken_and_the_rows(server: str, tab: Callable[..., App]) -> None:
    app = rules(tab(), server, plan=str(links.pack(ROWS)), catalog="none")
    app.page.get_by_role("button", name="EliminateOuterJoin, 1 changed").click()
    why = app.page.get_by_role("complementary", name="The rule").locator(".pv-why").first
    assert why.locator(".pv-taken").all_text_contents() == ["taken: if FullOuter and L and R: Inner"]
    assert why.get_by_role("table", name="3 rows, the filter keeps 1").count() == 1
    assert why.locator(".pv-dropped .pv-verdict").all_text_contents() == ["drops", "drops"]
    struck = "e => getComputedStyle(e).textDecorationLine"
    assert why.locator(".pv-dropped td").first.evaluate(struck) == "line-through"
    assert why.locator(".pv-kept td").first.evaluate(struck) == "none"
    assert not app.complaints


def test_a_rule_tells_why_it_did_not_fire(server: str, tab: Callable[..., App]) -> None:
    app = rules(tab(), server, plan=str(links.pack(OUTER)), catalog="shop", step="9")
    app.page.get_by_label("A rule that changed nothing").select_option("CollapseWindow")
    app.page.get_by_text("there was no Window in the plan").wait_for()
    assert step(app) == 9
    assert not app.complaints


def test_a_step_is_exported_as_it_is_seen(server: str, tab: Callable[..., App]) -> None:
    app = rules(tab(), server, plan=str(links.pack(OUTER)), catalog="shop", step="5")
    for name, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with app.page.expect_download() as waiting:
            app.page.get_by_role("link", name=name, exact=True).click()
        assert Path(waiting.value.path()).read_bytes().startswith(start)
        assert waiting.value.suggested_filename == f"step-5.{name.lower()}"


def test_sql_typed_on_the_page_opens_with_the_tables_found(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(f"{server}/rules")
    app.paste(OUTER)
    app.settled()
    combo = app.page.get_by_role("combobox").first
    combo.wait_for()
    assert "found by name: shop" in (combo.get_attribute("aria-label") or "") + combo.input_value()
    app.wait_for_query("plan", str(links.pack(OUTER)))


def test_wrong_sql_keeps_its_text_and_says_where(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(f"{server}/rules")
    text = "SELECT a,\n  b +\nFROM t WHERE"
    app.paste(text)
    alert = app.page.get_by_role("alert").filter(has_text="Syntax error")
    alert.wait_for()
    assert "line" in alert.text_content()
    assert app.box.input_value() == text


HOSTILE = "<img src=x onerror=\"document.title='owned'\">"


def test_hostile_names_stay_words(browser: Any, tmp_path: Path, server: str, tab: Callable[..., App]) -> None:
    sql = f"SELECT `{HOSTILE}` FROM (SELECT o.amount AS `{HOSTILE}` FROM orders o) t WHERE `{HOSTILE}` > 1 + 1"
    app = rules(tab(), server, plan=str(links.pack(sql)), catalog="shop", name=f"</title>{HOSTILE}")
    for _ in range(12):
        app.page.keyboard.press("ArrowRight")
        app.page.wait_for_timeout(30)
    app.page.keyboard.press("v")
    app.page.keyboard.press("v")
    app.page.wait_for_timeout(300)
    assert "owned" not in app.page.title() or "onerror" in app.page.title()
    assert app.page.locator("img[src=x]").count() == 0
    assert not app.complaints
    trace = open_text(load("rule-log").replace("country", HOSTILE.replace(" ", ""))).trace
    page = player(browser, tmp_path, trace)
    for k in range(22):
        page.evaluate("k => __planviz.handle.go(k)", k)
    assert page.locator("img").count() == 0
    assert page.title() == "The trace"


def test_a_long_trace_steps_within_some_frames(browser: Any, tmp_path: Path) -> None:
    trace = long_trace(steps=300, nodes=200)
    data = trace_data(trace)
    packed = gzip.compress(json.dumps(data, separators=(",", ":")).encode(), 6)
    assert len(packed) < 120_000
    page = player(browser, tmp_path, trace)
    page.evaluate("__planviz.handle.go(150)")
    page.wait_for_timeout(300)
    drawn, painted = [], []
    for _ in range(15):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(120)
        told = page.evaluate("__planviz.stepped")
        drawn.append(told["drawn"] - told["asked"])
        painted.append(told["painted"] - told["asked"])
    # A frame is 16.7 ms; the machine may be busy with other things.
    assert sorted(drawn)[7] < 17
    assert sorted(painted)[7] < 120


def test_the_file_plays_without_requests(browser: Any, tmp_path: Path) -> None:
    page = player(browser, tmp_path, open_text(load("rule-log")).trace)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("__planviz.handle.state().k") == 2
    assert asked == []


def player(browser: Any, tmp_path: Path, trace: Any, *, width: int = 1440, height: int = 900) -> Any:
    """The one-file page of a trace, painted, in a context that ends with the browser."""
    path = tmp_path / f"{time.monotonic_ns()}.html"
    path.write_text(steps_page(trace_data(trace), title="The trace"), encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce", bypass_csp=True)
    page = context.new_page()
    page.goto(path.as_uri())
    end = time.monotonic() + 20
    while not page.evaluate("Boolean(window.__planviz && window.__planviz.painted)"):
        assert time.monotonic() < end
        time.sleep(0.02)
    return page
