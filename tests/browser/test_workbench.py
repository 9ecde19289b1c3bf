"""The workbench in a real browser, on the standalone page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from planviz.graph import PlanGraph, PlanNode
from planviz.render.html import html_page, scene_page
from planviz.render.scene import build_scene, scene_details
from planviz.render.theme import tokens
from planviz.ui.cache import AUTO, open_document
from tests.browser.opened import Opened
from tests.browser.synthetic import plan, text_of

pytestmark = pytest.mark.browser


def test_paints_without_requests_or_complaints(workbench: Any) -> None:
    opened = workbench(plan(30))
    assert [url for url in opened.requests if not url.startswith(("file:", "data:"))] == []
    assert opened.complaints == []
    assert opened.state()["boxes"] == 30
    assert opened.page.locator(".pv-total").text_content() == "30 nodes · 5 exchanges · depth 16"
    colours = opened.page.evaluate(
        """() => { const canvas = document.querySelector(".pv-canvas"), seen = new Set();
        const image = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        for (const pixel of new Uint32Array(image.data.buffer)) seen.add(pixel);
        return seen.size; }"""
    )
    assert colours > 50


def test_click_selects_shows_details_and_tells(workbench: Any) -> None:
    graph = plan(30)
    opened = workbench(graph)
    place = opened.place(4)
    opened.page.mouse.click(place["x"] + 20, place["y"] + 10)
    assert opened.state()["selected"] == 4
    assert opened.heading() == "Sort Merge Inner Join"
    facts = opened.page.locator(".pv-panel dl").inner_text()
    assert "ss_item_sk#4" in facts
    assert "≈100K of 1M + 100K · estimated" in facts
    assert opened.page.locator('[role=treeitem][aria-selected="true"]').text_content() == "▾Sort Merge Inner Join"
    before = opened.camera()
    opened.page.mouse.click(place["x"] - 60, place["y"] + 10)
    assert opened.state()["selected"] == -1
    assert (before["x"], before["y"], before["k"]) == tuple(opened.camera()[name] for name in "xyk")
    assert opened.heading() == "Physical plan of 30"


def test_arrows_walk_the_tree(workbench: Any) -> None:
    opened = workbench(plan(30))
    walked = []
    for key in ["ArrowDown"] * 6 + ["ArrowUp", "ArrowRight", "ArrowLeft", "ArrowUp"]:
        opened.page.keyboard.press(key)
        walked.append(opened.state()["selected"])
    assert walked == [0, 1, 2, 3, 4, 5, 4, 4, 4, 3]
    right = build_scene(plan(30)).nodes["parent"].index(4, 6)
    opened.page.evaluate("__planviz.handle.select(5)")
    opened.page.keyboard.press("ArrowRight")
    assert opened.state()["selected"] == right


def test_a_node_is_brought_into_view_only_when_it_is_outside(workbench: Any) -> None:
    opened = workbench(plan(150))
    scene = build_scene(plan(150))
    opened.page.evaluate("__planviz.handle.camera({x: 0, y: 0, k: 0.8})")
    far = max(range(150), key=lambda i: scene.nodes["x"][i])
    opened.page.evaluate("i => __planviz.handle.select(i)", far)
    place, view = opened.place(far), opened.page.locator(".pv-canvas").bounding_box()
    assert view["x"] <= place["x"]
    assert place["x"] + place["width"] <= view["x"] + view["width"]
    held = opened.camera()
    opened.page.evaluate("i => __planviz.handle.select(i)", scene.nodes["parent"][far])
    assert opened.camera() == held


def test_the_rail_is_an_aria_tree(workbench: Any) -> None:
    opened = workbench(plan(30))
    tree = opened.page.get_by_role("tree")
    tree.focus()
    assert opened.state()["selected"] == 0
    for key, selected in [
        ("ArrowDown", 1),
        ("End", 29),
        ("Home", 0),
        ("ArrowRight", 1),
        ("ArrowLeft", 1),
        ("ArrowLeft", 0),
    ]:
        opened.page.keyboard.press(key)
        assert opened.state()["selected"] == selected, key
    rows = tree.get_by_role("treeitem")
    assert rows.count() == 2  # the second node was collapsed on the way
    row = rows.nth(1)
    assert row.get_attribute("aria-expanded") == "false"
    assert row.get_attribute("aria-level") == "2"
    assert row.get_attribute("aria-setsize") == "1"
    assert re.search(r"estimated rows 100$", row.get_attribute("aria-label"))
    assert tree.get_attribute("aria-activedescendant") == rows.first.get_attribute("id")


def test_twenty_thousand_nodes_need_few_elements(workbench: Any) -> None:
    opened = workbench(plan(20_000))
    tree = opened.page.get_by_role("tree")
    assert tree.get_by_role("treeitem").count() < 80
    opened.page.evaluate("__planviz.handle.select(19_999)")
    row = tree.locator('[aria-selected="true"]')
    assert row.count() == 1
    assert row.text_content() == "Scan table_19999"
    assert opened.camera()["boxes"] < 100


def test_search_counts_steps_and_clears(workbench: Any) -> None:
    graph = plan(30)
    scans = [node.id for node in graph if node.kind == "scan"]
    opened = workbench(graph)
    opened.page.keyboard.press("/")
    opened.page.keyboard.type("TABLE_")
    assert opened.page.locator(".pv-hits").text_content() == f"1 of {len(scans)}"
    assert opened.state()["selected"] == scans[0]
    opened.page.keyboard.press("Enter")
    opened.page.locator(".pv-stage").focus()
    opened.page.keyboard.press("n")
    assert opened.state()["selected"] == scans[2]
    opened.page.keyboard.press("N")
    assert opened.state()["selected"] == scans[1]
    assert opened.page.locator(".pv-row.pv-found").count() == len(scans)
    opened.page.keyboard.press("Escape")
    assert opened.page.locator(".pv-row.pv-found").count() == 0
    assert opened.page.locator(".pv-search").input_value() == ""


def test_search_looks_into_details_and_says_none(workbench: Any) -> None:
    opened = workbench(plan(30))
    opened.page.keyboard.press("/")
    opened.page.keyboard.type("c15_7#7")
    assert opened.state()["selected"] == 15
    opened.page.locator(".pv-search").fill("no such thing")
    assert opened.page.locator(".pv-hits").text_content() == "none"


def test_collapse_keeps_the_node_at_rest_and_search_opens_it(workbench: Any) -> None:
    opened = workbench(plan(30))
    opened.page.evaluate("__planviz.handle.select(5)")
    before = opened.place(5)
    opened.page.keyboard.press("c")
    below = build_scene(plan(30)).nodes["parent"].index(4, 6) - 6
    assert opened.state()["boxes"] == 30 - below
    assert opened.place(5) == pytest.approx(before)
    opened.page.keyboard.press("/")
    opened.page.keyboard.type("table_15")
    assert opened.state()["boxes"] == 30
    assert opened.state()["selected"] == 15


def test_double_click_collapses(workbench: Any) -> None:
    opened = workbench(plan(30))
    place = opened.place(4)
    opened.page.mouse.dblclick(place["x"] + 20, place["y"] + 10)
    assert opened.state()["boxes"] == 5


def test_folding_and_unfolding_ends_where_python_put_everything(workbench: Any) -> None:
    graph = plan(150, badges=True)
    opened = workbench(graph)
    if opened.state()["compact"]:
        opened.page.keyboard.press("v")
    spots = """ids => { const h = __planviz.handle; h.camera({x: 0, y: 0, k: 1}); const from = h.place(0);
        return ids.flatMap((i) => [h.place(i).x - from.x, h.place(i).y - from.y]); }"""
    nodes = build_scene(graph).nodes
    expected = [nodes[axis][i] - nodes[axis][0] for i in range(150) for axis in "xy"]
    assert opened.page.evaluate(spots, list(range(150))) == pytest.approx(expected)
    opened.page.keyboard.press("X")
    assert opened.state()["folded"]
    assert opened.page.evaluate(spots, list(range(150))) != pytest.approx(expected)
    opened.page.keyboard.press("X")
    assert opened.page.evaluate(spots, list(range(150))) == pytest.approx(expected)


GAPS = {"gap_x": 28, "gap_y": 26, "fork_gap": 18}


def test_the_scripts_layout_is_pythons(workbench: Any, tmp_path: Path) -> None:
    """The same boxes go to the same places in both, on trees that share slack between siblings too."""
    from random import Random

    from planviz.layout import tidy
    from planviz.layout.spine import spine
    from planviz.render.web import script

    random = Random(7)
    cases = []
    for size in (1, 2, 12, 200):
        parent = [-1, *(random.randrange(max(0, i - 9), i) for i in range(1, size))]
        if size == 12:
            parent[5] = -1
        width, height = [random.randrange(40, 260) for _ in parent], [random.randrange(30, 110) for _ in parent]
        aside = [random.random() < 0.1 for _ in parent]
        straight, lying = (
            spine(parent, width, height, gap_x=28, gap_y=26, aside=aside, lying=on) for on in (False, True)
        )
        cases.append([parent, width, height, aside, tidy(parent, width, height, **GAPS), straight, lying])
    opened = workbench(plan(3))
    layouts = [
        re.search(rf"const \${name} = \(\(\) => \{{.*?\n\}}\)\(\);", script(), re.DOTALL) for name in ("tidy", "spine")
    ]
    source = "".join(found[0] for found in layouts if found)
    opened.page.set_content("")  # without the page's policy
    other = opened.page.context.new_page()
    answers = other.evaluate(
        f"cases => {{ {source} return cases.map(([parent, width, height, aside]) => "
        "[$tidy.tidy(parent, width, height, 28, 26, 18), $spine.spine(parent, width, height, 28, 26, aside), "
        "$spine.spine(parent, width, height, 28, 26, aside, true)]"
        ".map((places) => places.map((some) => [...some]))); }",
        cases,
    )
    for (*_, ours, straight, lying), theirs in zip(cases, answers, strict=True):
        for expected, found in zip((*ours, *straight, *lying), (*theirs[0], *theirs[1], *theirs[2]), strict=True):
            assert found == pytest.approx(expected)


def test_folding_one_chain_and_all(workbench: Any) -> None:
    opened = workbench(plan(30))
    opened.page.evaluate("__planviz.handle.select(1)")
    opened.page.keyboard.press("x")
    assert opened.state()["boxes"] == 27
    assert opened.heading() == "Sort"  # what is selected stays so inside the box
    opened.page.keyboard.press("ArrowDown")
    assert opened.state()["selected"] == 4
    opened.page.keyboard.press("ArrowUp")
    opened.page.keyboard.press("x")
    assert opened.state()["boxes"] == 30
    opened.page.keyboard.press("X")
    assert opened.state()["boxes"] < 20


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (1440, 900)])
def test_a_plan_of_a_real_query_opens_whole_with_names_that_can_be_read(
    workbench: Any, width: int, height: int
) -> None:
    opened = workbench(_of_sample("tpch/q05"), width=width, height=height)
    camera, view = opened.camera(), opened.page.locator(".pv-canvas").bounding_box()
    assert camera["boxes"] == opened.state()["boxes"] == 52
    assert camera["k"] * 13 >= 9  # px of a title
    for node in range(52):
        place = opened.place(node)
        assert view["x"] <= place["x"] <= place["x"] + place["width"] <= view["x"] + view["width"]
        assert view["y"] <= place["y"] <= place["y"] + place["height"] <= view["y"] + view["height"]
    opened.page.keyboard.press("0")
    opened.page.keyboard.press("f")
    assert opened.camera()["k"] == pytest.approx(camera["k"])


def test_details_and_whole_cards_are_a_key_away(workbench: Any) -> None:
    opened = workbench(_of_sample("tpch/q05"))
    assert opened.state()["compact"]
    for key, compact in (("v", False), ("v", True), ("d", False)):
        opened.page.keyboard.press(key)
        assert opened.state()["compact"] is compact


def _of_sample(name: str) -> PlanGraph:
    opened = open_document((Path("sample_queries") / f"{name}.sql").read_text(encoding="utf-8"), AUTO)
    return opened.document.plans[-1]


def test_large_plans_open_at_the_root_with_most_rows_a_key_away(workbench: Any) -> None:
    opened = workbench(plan(2_000))
    assert opened.state()["folded"]
    assert opened.camera()["k"] >= 0.7
    view = opened.page.locator(".pv-canvas").bounding_box()

    def seen(node: int) -> bool:
        place = opened.place(node)
        beside = view["x"] <= place["x"] <= view["x"] + view["width"]
        return beside and view["y"] <= place["y"] <= view["y"] + view["height"]

    assert seen(0)
    scene = build_scene(plan(2_000), full=True).nodes
    hottest = max(range(2_000), key=lambda i: (scene["rows"][i], scene["depth"][i], -i))
    opened.page.keyboard.press("h")
    assert opened.state()["selected"] == hottest
    assert seen(hottest)
    assert opened.page.locator(".pv-map:not(.pv-faded)").count() == 1


def test_where_nobody_knows_a_row_of_a_table_no_limit_has_the_most(workbench: Any) -> None:
    opened = workbench(open_document("SELECT a.k FROM a JOIN b ON a.k = b.k ORDER BY a.k LIMIT 500").document.plans[-1])
    assert "≈500" in opened.page.locator(".pv-rail").inner_text() + opened.page.locator(".pv-panel").inner_text()
    opened.page.keyboard.press("h")
    assert opened.state()["selected"] == -1
    assert opened.page.locator(".pv-footer").get_by_text("most rows").count() == 0


def test_a_plan_that_is_wider_than_the_view_fills_it_from_the_root_on(workbench: Any) -> None:
    """TPC-DS q64 as a tidy tree has its root over two halves that both lie outside the view."""
    opened = workbench(_of_sample("documents/tpcds-q64"), width=1366, height=768)
    view = opened.page.locator(".pv-canvas").bounding_box()
    places = [opened.place(node) for node in range(opened.state()["boxes"])]
    seen = [
        place
        for place in places
        if view["x"] <= place["x"] <= place["x"] + place["width"] <= view["x"] + view["width"]
        and view["y"] <= place["y"] <= place["y"] + place["height"] <= view["y"] + view["height"]
    ]
    assert places[0] in seen
    assert len(seen) >= 25
    for part in range(4):  # no quarter of its height without a card
        top, height = view["y"] + part * view["height"] / 4, view["height"] / 4
        assert any(top <= place["y"] <= top + height for place in seen)


def test_a_folded_chain_of_one_line_says_what_it_begins_with(workbench: Any) -> None:
    opened = workbench(_of_sample("documents/tpcds-q64"))
    opened.page.keyboard.press("X")
    assert opened.state()["first"] == "Adaptive Spark Plan +3"
    opened.page.evaluate("__planviz.handle.select(2)")
    assert opened.state()["first"] == "Exchange range +3"


def test_cards_of_one_line_say_beside_them_what_they_are_about(workbench: Any) -> None:
    """Where there is room: no words begin on another card."""
    opened = workbench(_of_sample("tpch/q05"))
    written = opened.page.evaluate(
        """() => new Promise((done) => {
          const { fillText } = CanvasRenderingContext2D.prototype, found = [];
          CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
            const { a, e, f } = this.getTransform(), px = (at) => at / devicePixelRatio;
            found.push([text, px(x * a + e), px(y * a + f), px(this.measureText(text).width * a)]);
            return fillText.apply(this, arguments);
          };
          window.__planviz.handle.select(-1);
          requestAnimationFrame(() => requestAnimationFrame(() => {
            CanvasRenderingContext2D.prototype.fillText = fillText;
            done(found);
          }));
        })"""
    )
    beside = [word for word in written if word[0].startswith(("on ", "by ", "where "))]
    assert len(beside) > 5
    stage = opened.page.locator(".pv-canvas").bounding_box()
    for text, x, y, width in beside:
        for node in range(52):
            place = opened.place(node)
            left, top = place["x"] - stage["x"], place["y"] - stage["y"]
            over = x < left + place["width"] and x + width > left and top < y < top + place["height"]
            assert not over, (text, node)


def test_neither_minimap_nor_words_lie_on_a_card(workbench: Any) -> None:
    opened = workbench(plan(600))
    opened.wait("document.querySelector('.pv-map').dataset.corner || document.querySelector('.pv-map.pv-away')")
    shown = opened.page.locator(".pv-map:not(.pv-faded):not(.pv-away)")
    if shown.count():
        box = shown.bounding_box()
        for node in range(600):
            place = opened.place(node)
            apart = place["x"] > box["x"] + box["width"] or place["x"] + place["width"] < box["x"]
            assert apart or place["y"] > box["y"] + box["height"] or place["y"] + place["height"] < box["y"]
    opened.wait("document.querySelector('.pv-footer .pv-said').innerText.includes('most rows')")


def test_a_very_deep_chain_and_a_very_wide_union(workbench: Any) -> None:
    deep = [PlanNode(i, "Filter", "filter", "Filter", depth=i, parent=i - 1 if i else None) for i in range(20_000)]
    opened = workbench(PlanGraph.from_nodes("physical", "deep", deep))
    assert opened.state()["boxes"] == 2  # the chain and its end
    opened.page.keyboard.press("X")
    assert opened.state()["boxes"] == 20_000
    wide = [PlanNode(i, "Union", "set", "Union", depth=min(i, 1), parent=0 if i else None) for i in range(5_000)]
    opened = workbench(PlanGraph.from_nodes("physical", "wide", wide))
    opened.page.keyboard.press("f")
    opened.wait("__planviz.handle.camera().boxes === 5000")
    assert opened.complaints == []


def test_raw_text_marks_the_node_and_picks_it(workbench: Any) -> None:
    graph = plan(30)
    opened = workbench(graph, text=text_of(graph))
    opened.page.evaluate("__planviz.handle.select(8)")
    opened.page.get_by_role("button", name="Show in the raw text").click()
    marked = opened.page.locator(".pv-text-line.pv-marked")
    assert marked.all_inner_texts() == ["  " * graph[8].depth + graph[8].text]
    opened.page.locator(".pv-text-line").nth(14).click()
    assert opened.state()["selected"] == 14
    assert marked.get_attribute("data-line") == "15"
    opened.page.keyboard.press("Escape")
    assert opened.page.locator(".pv-stage").is_visible()


def test_a_million_lines_of_text(workbench: Any) -> None:
    graph = plan(30)
    opened = workbench(graph, text="\n".join(f"line {i}" for i in range(1, 1_000_001)))
    opened.page.keyboard.press("t")
    lines = opened.page.locator(".pv-text-line")
    assert lines.first.inner_text() == "line 1"
    opened.page.get_by_role("region", name="Raw text of the plan").evaluate("e => { e.scrollTop = e.scrollHeight; }")
    opened.wait("[...document.querySelectorAll('.pv-text-line')].at(-1).dataset.line === '1000000'")
    assert lines.count() < 5_000
    box, pane = lines.last.bounding_box(), opened.page.get_by_role("region", name="Raw text of the plan").bounding_box()
    assert box["y"] + box["height"] <= pane["y"] + pane["height"] + 1


def test_text_in_the_page_can_be_selected(workbench: Any) -> None:
    graph = plan(30)
    opened = workbench(graph, text=text_of(graph))
    opened.page.keyboard.press("t")
    opened.page.locator(".pv-text-words").nth(3).dblclick(position={"x": 60, "y": 8})
    assert opened.page.evaluate("String(getSelection()).trim()") != ""


def test_wheel_scrolls_the_page_and_zooms_with_control(workbench: Any) -> None:
    opened = workbench(plan(30))
    before = opened.camera()
    opened.page.mouse.move(700, 400)
    opened.page.evaluate(
        "document.addEventListener('wheel', (event) => { window.kept = event.defaultPrevented; }, { passive: true })"
    )
    opened.page.mouse.wheel(0, 100)
    opened.wait("window.kept === false")
    assert opened.camera() == before
    opened.page.keyboard.down("Control")
    opened.page.mouse.wheel(0, -100)
    opened.page.keyboard.up("Control")
    opened.wait("window.kept === true")
    assert opened.camera()["k"] > before["k"]


def test_drag_pans_without_selecting(workbench: Any) -> None:
    opened = workbench(plan(30))
    before, place = opened.camera(), opened.place(2)
    opened.page.mouse.move(place["x"] + 20, place["y"] + 10)
    opened.page.mouse.down()
    opened.page.mouse.move(place["x"] + 90, place["y"] + 40, steps=4)
    opened.page.mouse.up()
    assert opened.state()["selected"] == -1
    assert opened.camera()["x"] == pytest.approx(before["x"] - 70 / before["k"])
    assert opened.place(2)["y"] == pytest.approx(place["y"] + 30)


def test_dark_follows_the_system_and_may_change(workbench: Any) -> None:
    opened = workbench(plan(30), dark=True)
    assert opened.state()["mode"] == "dark"
    pixel = "() => [...document.querySelector('.pv-canvas').getContext('2d').getImageData(2, 2, 1, 1).data.slice(0, 3)]"
    surface = tokens()["dark"]["surface"]
    assert opened.page.evaluate(pixel) == [int(surface[k : k + 2], 16) for k in (1, 3, 5)]
    opened.page.emulate_media(color_scheme="light")
    opened.wait("__planviz.handle.state().mode === 'light'")


@pytest.mark.parametrize("width", [360, 700, 960, 1200])
def test_nothing_overlaps_or_sticks_out(workbench: Any, width: int) -> None:
    graph = plan(30, badges=True)
    opened = workbench(graph, text=text_of(graph), width=width, height=800)
    overlaps = """() => {
        const shown = [...document.querySelectorAll(".pv-toolbar > *, .pv-footer > *, .pv-stage, .pv-rail, .pv-panel")]
          .filter((e) => e.checkVisibility({ visibilityProperty: true }) && e.getBoundingClientRect().width > 0);
        const bad = [];
        for (const a of shown) {
          const r = a.getBoundingClientRect();
          if (r.right > innerWidth + 0.5 || r.left < -0.5) bad.push(a.className + " sticks out");
          for (const b of shown) {
            if (a === b || a.contains(b) || b.contains(a)) continue;
            const s = b.getBoundingClientRect();
            if (r.left < s.right - 0.5 && s.left < r.right - 0.5 && r.top < s.bottom - 0.5 && s.top < r.bottom - 0.5)
              bad.push(a.className + " over " + b.className);
          }
        }
        return bad; }"""
    assert opened.page.evaluate(overlaps) == []
    opened.page.keyboard.press("/")
    opened.page.keyboard.type("scan")
    assert opened.page.evaluate(overlaps) == []
    opened.page.keyboard.press("Escape")
    if width > 800:
        assert opened.page.get_by_role("tree").is_visible()
        return
    assert not opened.page.get_by_role("tree").is_visible()
    opened.page.get_by_role("button", name="Show the tree").click()
    assert opened.page.get_by_role("tree").is_visible()
    opened.page.keyboard.press("Escape")
    opened.page.keyboard.press("Enter")
    assert opened.page.locator(".pv-panel").is_visible()
    assert opened.page.evaluate(overlaps) == []


def test_panel_keys_and_help(workbench: Any) -> None:
    opened = workbench(plan(30))
    page = opened.page
    page.keyboard.press("Enter")
    assert not page.locator(".pv-panel").is_visible()
    page.keyboard.press("Enter")
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    assert dialog.is_visible()
    assert dialog.get_by_text("fit: show everything").is_visible()
    page.keyboard.press("Escape")
    assert not dialog.is_visible()


def test_cards_show_details_on_demand_with_the_node_at_rest(workbench: Any) -> None:
    opened = workbench(plan(30))
    opened.page.evaluate("__planviz.handle.select(4)")
    if opened.state()["compact"]:
        opened.page.keyboard.press("v")
    before = opened.place(4)
    opened.page.keyboard.press("d")
    after = opened.place(4)
    assert after["height"] > before["height"]
    assert (after["x"], after["y"]) == pytest.approx((before["x"], before["y"]))


def test_sharp_on_dense_screens(workbench: Any) -> None:
    opened = workbench(plan(30), ratio=2)
    size = opened.page.evaluate(
        "(({ width, clientWidth }) => [width, clientWidth])(document.querySelector('.pv-canvas'))"
    )
    assert size[0] == 2 * size[1]


def test_several_plans_are_tabs_that_remember(workbench: Any) -> None:
    opened = workbench([plan(30), plan(40), plan(50)])
    tabs = opened.page.get_by_role("tab")
    assert tabs.all_inner_texts() == ["Physical plan of 30", "Physical plan of 40", "Physical plan of 50"]
    opened.page.evaluate("__planviz.handle.select(5)")
    opened.page.keyboard.press("c")
    left = opened.state()
    tabs.nth(1).click()
    assert opened.page.locator(".pv-total").inner_text().startswith("40 nodes")
    assert opened.state()["selected"] == -1
    opened.page.keyboard.press("ArrowRight")
    assert opened.page.locator(".pv-total").inner_text().startswith("50 nodes")
    tabs.nth(0).click()
    assert opened.state() == left


HOSTILE = (
    "<img src=x onerror=window.ran=1>",
    "</script><script>window.ran=2</script>",
    "<!--<script>",
    "]]>\u2028\u2029\x00\x1b[31m\u202e",
    "${window.ran=3}`'\"",
    "javascript:window.ran=4",
    "{{constructor.constructor('window.ran=5')()}}",
    "\ud800 lone",
)


def test_hostile_words_stay_words(workbench: Any) -> None:
    nodes = [
        PlanNode(i, words, "other", words, depth=i, parent=i - 1 if i else None, source=(i + 1, i + 1), badges=(words,))
        for i, words in enumerate(HOSTILE)
    ]
    for node in nodes:
        node._arguments = {words: words for words in HOSTILE}
    graph = PlanGraph.from_nodes("physical", HOSTILE[1] + HOSTILE[0], nodes, notes=HOSTILE)
    opened = workbench([graph, graph], text="\n".join(HOSTILE), title=HOSTILE[1])
    page = opened.page
    for i in range(len(HOSTILE)):
        page.evaluate("i => __planviz.handle.select(i)", i)
    page.keyboard.press("t")
    page.keyboard.press("/")
    page.keyboard.type("<img src=x onerror=window.ran=1>")
    page.mouse.move(700, 300)
    page.wait_for_timeout(450)
    assert page.evaluate("window.ran") is None
    assert page.locator("img, iframe, object, embed").count() == 0
    assert page.locator("script").count() == 2
    assert page.locator(".pv-text-line").first.inner_text() == HOSTILE[0]
    assert page.title().startswith("</script>")
    assert [url for url in opened.requests if not url.startswith(("file:", "data:"))] == []
    assert opened.complaints == []


def test_the_policy_stops_what_is_not_the_pages_own(browser: Any, tmp_path: Path) -> None:
    page_text = html_page([plan(5)]).replace(
        '<main id="planviz"></main>',
        '<main id="planviz"></main><script>window.ran=1</script><img src="https://example.invalid/x.png">',
    )
    path = tmp_path / "spoiled.html"
    path.write_text(page_text, encoding="utf-8")
    page = browser.new_page()
    opened = Opened(page)
    opened.load(path)
    assert page.evaluate("window.ran") is None
    assert len([words for words in opened.complaints if "Content Security Policy" in words]) >= 2
    page.close()


# What Streamlit's components v2 do, without Streamlit: the script as a module, a shadow root, calls and cleanups.
_HOST = """async ({ code, sheet, data }) => {
  const { default: main, mount } = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  const host = document.body.appendChild(document.createElement("div"));
  host.style.height = "700px";
  const parentElement = host.attachShadow({ mode: "open" });
  const style = parentElement.appendChild(document.createElement("style"));
  style.textContent = sheet;
  window.told = [];
  window.call = (told) => main({
    data: new TextEncoder().encode(JSON.stringify(told)), parentElement, key: "k", name: "n",
    setStateValue() {}, setTriggerValue: (...words) => window.told.push(words),
  });
  window.data = data;
  window.root = parentElement;
  window.cleanup = window.call(data);
}"""


@pytest.fixture
def component(browser: Any) -> Any:
    """`component(data, details)` runs the script as Streamlit would; `details` answer /details.json."""
    from planviz.render.web import script, style

    pages = []

    def run(data: dict[str, Any], details: dict[str, Any] | None = None) -> Any:
        page = browser.new_page(viewport={"width": 1300, "height": 800})
        pages.append(page)
        page.route("http://bench.test/", lambda route: route.fulfill(body="<!doctype html>", content_type="text/html"))
        page.route("**/details.json", lambda route: route.fulfill(json=details))
        page.goto("http://bench.test/")
        page.evaluate(_HOST, {"code": script(), "sheet": style(), "data": data})
        page.wait_for_function("window.__planviz.painted")
        return page

    yield run
    for page in pages:
        page.close()


def _data(graph: PlanGraph, **more: Any) -> dict[str, Any]:
    return {
        "key": "one",
        "scene": build_scene(graph).to_json(),
        "text": None,
        "theme": tokens(),
        "dark": False,
        "findings": [],
        "selected": None,
        "details_url": None,
        **more,
    }


def test_component_keeps_its_state_over_calls_and_late_cleanups(component: Any) -> None:
    page = component(_data(plan(30), report_selection=True))
    page.evaluate("__planviz.handle.select(5); window.was = __planviz.handle")
    page.keyboard.press("c")
    page.evaluate("const first = window.cleanup; window.cleanup = window.call(window.data); first()")
    page.wait_for_timeout(350)
    assert page.evaluate("was === __planviz.handle && root.querySelectorAll('.pv').length") == 1
    assert page.evaluate("__planviz.handle.state().selected") == 5
    assert page.evaluate("told") == [["select", 5]]
    page.evaluate("window.call({ ...data, dark: true })")
    assert page.evaluate("__planviz.handle.state()")["mode"] == "dark"
    assert page.evaluate("__planviz.handle.state()")["selected"] == 5
    page.evaluate("window.cleanup = window.call({ ...data, key: 'two' })")
    assert page.evaluate("__planviz.handle.state()")["selected"] == -1
    page.evaluate("window.cleanup()")
    page.wait_for_timeout(50)
    assert page.evaluate("root.querySelectorAll('.pv').length") == 0


def test_component_lists_findings_and_opens_at_a_node(component: Any) -> None:
    findings = [
        {
            "severity": "problem",
            "title": "Sort-merge join on 288 M rows",
            "evidence": "item is <b>12.1 MB</b>",
            "node": 4,
        },
        {"severity": "warning", "title": "No statistics", "evidence": "filter keeps a third", "node": None},
    ]
    page = component(_data(plan(30), findings=findings, selected=7))
    assert page.evaluate("__planviz.handle.state().selected") == 7
    first = page.locator(".pv-finding").first
    assert first.inner_text().splitlines() == ["!", "Sort-merge join on 288 M rows", "item is <b>12.1 MB</b>"]
    first.click()
    assert page.evaluate("__planviz.handle.state().selected") == 4
    assert page.locator(".pv-finding").nth(1).is_disabled()


def test_details_come_after_the_first_paint(component: Any) -> None:
    graph = plan(2_100)
    data = _data(graph, details_url="/details.json", selected=4)
    assert data["scene"]["details"] is None
    details = json.loads(json.dumps(scene_details(graph)))
    page = component(data, details)
    page.wait_for_function("root.querySelector('.pv-panel').textContent.includes('ss_item_sk#4')")
    assert page.locator('.pv-row:has-text("Scan table_")').count() == 0
    page.evaluate("__planviz.handle.select(2_099)")
    assert page.locator(".pv-panel h3").inner_text() == "Scan table_2099"
    assert page.locator('.pv-row[aria-selected="true"]').inner_text().endswith("Scan table_2099")


def test_details_that_cannot_be_loaded_are_said(component: Any) -> None:
    page = component(_data(plan(2_100), details_url="/nowhere.json", selected=4))
    page.wait_for_function("root.querySelector('.pv-live').textContent === 'The details could not be loaded.'")


def test_frames_are_quick_on_a_dense_view(workbench: Any) -> None:
    """Drawing itself must leave room in a frame of 16 ms even on a busy machine."""
    opened = workbench(plan(10_000))
    opened.page.keyboard.press("X")
    opened.page.keyboard.press("f")
    opened.page.wait_for_timeout(100)
    times = opened.page.evaluate(
        """async () => { const h = __planviz.handle; __planviz.frames.length = 0; const { x, y, k } = h.camera();
        for (let i = 0; i < 30; i++) {
          h.camera({ x: x + (i * 7) / k, y, k: k * (1 + i / 100) });
          await new Promise(requestAnimationFrame);
        }
        return [...__planviz.frames].sort((a, b) => a - b); }"""
    )
    assert opened.camera()["boxes"] > 3_000
    assert times[len(times) // 2] < 16


def test_scene_page_takes_scenes(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "scene.html"
    path.write_text(scene_page([build_scene(plan(12)).to_json()], theme="dark"), encoding="utf-8")
    page = browser.new_page()
    opened = Opened(page)
    opened.load(path)
    assert opened.state()["mode"] == "dark"
    page.close()
