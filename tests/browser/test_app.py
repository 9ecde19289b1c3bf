"""The app in a real browser: started as users start it, driven as users drive it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planviz.document import PASTE_LIMIT
from planviz.samples import load
from planviz.ui import links
from tests.browser.app import App, serving

pytestmark = pytest.mark.browser

PLAN = load("broadcast-and-merge-join")


def test_a_paste_opens_at_once_and_the_address_names_it(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(server)
    app.paste(PLAN)
    app.painted("orders, events, stores")
    app.page.locator(".pv-chip", has_text="explain extended").wait_for()
    app.wait_for_query("stage", "physical")
    assert links.unpack(app.query()["plan"]) == PLAN
    assert app.page.title() == "orders, events, stores · Explore · planviz"
    assert app.complaints == []
    assert [url for url in app.requests if not url.startswith((server, "data:", "blob:"))] == []


class Withheld:
    """Requests of a tab that get no answer until they are let go, as over a slow network."""

    def __init__(self, app: App, *patterns: str) -> None:
        self.waiting: list[Any] | None = []
        for pattern in patterns:
            app.page.route(pattern, self._asked)

    def _asked(self, route: Any) -> None:
        if self.waiting is None:
            route.continue_()
        else:
            self.waiting.append(route)

    def let_go(self) -> None:
        waiting, self.waiting = self.waiting or [], None
        for route in waiting:
            route.continue_()


def test_what_is_typed_before_the_app_has_begun_is_not_lost(server: str, tab: Callable[..., App]) -> None:
    app = tab()
    scripts = Withheld(app, "**/static/js/index.*.js")
    app.page.goto(server, wait_until="commit")
    app.page.locator("#planviz-early textarea").press_sequentially("SELECT a FROM t")
    scripts.let_go()
    app.page.locator("#planviz-early").wait_for(state="detached")
    assert app.box.input_value() == "SELECT a FROM t"
    assert app.complaints == []


def test_what_is_opened_before_the_app_has_begun_opens(server: str, tab: Callable[..., App]) -> None:
    app = tab()
    # Style sheets hold up the scripts below them, but not the box.
    files = Withheld(app, "**/static/js/index.*.js", "**/static/css/*.css")
    app.page.goto(server, wait_until="commit")
    early = app.page.locator("#planviz-early textarea")
    early.fill("SELECT status, count(*) FROM orders GROUP BY status")
    early.press("Control+Enter")
    app.page.locator("#planviz-early span", has_text="Opening …").wait_for()
    files.let_go()
    app.painted("orders")
    assert app.page.locator("#planviz-early").count() == 0
    assert app.complaints == []


def test_the_console_is_quiet_on_every_address(server: str, tab: Callable[..., App]) -> None:
    for address in ("/", "/rules?sample=optimizer-rule-log", "/joins"):
        app = tab()
        said: list[str] = []
        app.page.on(
            "console", lambda message, said=said: said.append(message.text) if message.type == "error" else None
        )
        app.page.on("response", lambda answer, said=said: said.append(answer.url) if answer.status >= 400 else None)
        app.go(server + address)
        app.page.get_by_role("link", name="Planner").wait_for()
        app.page.wait_for_timeout(1_000)
        assert said == []


def test_the_stages_are_tabs(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(f"{server}/?sample=broadcast-and-merge-join").painted()
    assert "19 nodes" in app.page.locator(".pv-total").inner_text()
    app.page.get_by_role("radio", name="Analyzed").or_(app.page.get_by_text("Analyzed", exact=True)).first.click()
    app.wait_for_query("stage", "analyzed")
    app.page.locator(".pv-total", has_text="13 nodes").wait_for()
    # The selected operator is followed to the other stage, and the address says so.
    app.page.get_by_role("treeitem", name=re.compile("Join")).first.click()
    app.page.wait_for_url(re.compile("node="))
    node = app.query()["node"]
    app.page.get_by_text("Physical", exact=True).first.click()
    app.wait_for_query("stage", "physical")
    app.page.wait_for_url(re.compile("node="))
    app.page.locator(".pv-panel h3", has_text="Join").wait_for()
    app.page.get_by_text("Analyzed", exact=True).first.click()
    app.wait_for_query("stage", "analyzed")
    app.wait_for_query("node", node)
    assert app.selected() == int(node)


def test_a_join_is_selected_on_every_page_and_back_leads_through_what_was_looked_at(
    server: str, tab: Callable[..., App]
) -> None:
    app = tab().go(f"{server}/?sample=broadcast-and-merge-join").painted()
    joins = app.page.get_by_role("treeitem", name=re.compile("Join"))
    joins.nth(0).click()
    app.page.wait_for_url(re.compile("node="))
    first = app.query()["node"]
    app.page.wait_for_timeout(800)  # what follows at once takes the place of what was before
    joins.nth(1).click()
    app.page.wait_for_function("node => new URLSearchParams(location.search).get('node') !== node", arg=first)
    second = app.query()["node"]
    app.page.go_back()
    app.wait_for_query("node", first)
    assert app.selected() == int(first)
    app.page.go_forward()
    app.wait_for_query("node", second)
    app.page.get_by_role("link", name="Joins").click()
    app.wait_for_query("join", "2")
    app.page.reload()
    app.wait_for_query("join", "2")


def test_the_panel_tells_why_and_leads_to_the_whole_story(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(f"{server}/?sample=broadcast-and-merge-join").painted()
    app.page.get_by_role("treeitem", name=re.compile("Sort Merge")).click()
    panel = app.page.locator(".pv-panel")
    panel.get_by_role("heading", name="Why this join").wait_for()
    assert panel.get_by_text("Keys orderable?").count() == 1
    chosen = app.query()["node"]
    panel.get_by_role("button", name="The whole decision").click()
    app.page.wait_for_url(re.compile("/joins"))
    app.wait_for_query("join", "2")
    app.page.get_by_role("link", name="Explore").click()
    app.wait_for_query("node", chosen)


def test_the_first_look_tells_why_and_what_would_change_it(server: str, tab: Callable[..., App]) -> None:
    app = tab(1366, 768).go(server)
    app.paste((Path(__file__).parents[2] / "sample_queries/tpch/q05.sql").read_text("utf-8"))
    app.painted()
    told = app.page.locator(".pv-reasons")
    told.get_by_text("supplier 29.6 MiB").wait_for()
    told.locator(".pv-flip", has_text="Broadcast Hash").first.wait_for()
    told.get_by_role("button", name="Sort Merge Join").first.click()
    app.page.locator(".pv-panel h3", has_text="Sort Merge").wait_for()


def test_selecting_updates_the_address_without_a_rerun(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(f"{server}/?sample=broadcast-and-merge-join").painted()
    app.wait_for_query("stage", "physical")
    sent: list[Any] = []
    app.page.on("websocket", lambda socket: sent.append(socket))
    received = app.page.evaluate("window.__planviz.received")
    app.page.get_by_role("treeitem").nth(4).click()
    app.wait_for_query("node", "4")
    app.page.get_by_role("treeitem").nth(6).click()
    app.wait_for_query("node", "6")
    assert app.page.evaluate("window.__planviz.received") == received
    app.page.keyboard.press("Escape")
    app.wait_for_query("node", None)


def test_a_deep_link_opens_in_the_first_session_of_a_fresh_server(tab: Callable[..., App]) -> None:
    packed = links.pack(PLAN)
    with serving() as fresh:
        app = tab().go(f"{fresh}/explore?plan={packed}&stage=optimized&node=3").painted("orders, events, stores")
        assert app.selected() == 3
        assert "13 nodes" in app.page.locator(".pv-total").inner_text()
        assert app.page.get_by_test_id("stSidebarNav").count() == 0
        assert app.page.title().endswith("Explore · planviz")
        assert app.complaints == []
        again = tab().go(f"{fresh}/?plan={packed}&stage=optimized&node=3").painted("orders, events, stores")
        assert again.selected() == 3


def test_a_copied_link_brings_back_the_same_picture(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(server)
    app.paste(PLAN)
    app.painted()
    app.page.get_by_role("treeitem").nth(5).click()
    app.wait_for_query("node", "5")
    app.page.get_by_role("button", name="Copy link").click()
    app.page.get_by_role("button", name="Copied").wait_for()
    link = app.page.evaluate("navigator.clipboard.readText()")
    assert link == app.page.url
    other = tab().go(link).painted("orders, events, stores")
    assert other.selected() == 5
    assert other.page.url == link


def test_every_export_downloads(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(f"{server}/?sample=broadcast-and-merge-join").painted()
    starts = {
        "SVG picture": b"<svg",
        "PNG picture": b"\x89PNG",
        "PDF": b"%PDF",
        "Interactive HTML": b"<!doctype html>",
        "Graphviz DOT": b"digraph",
        "Mermaid": b"",
        "JSON": b"{",
        "Markdown snippet": b"```mermaid",
    }
    app.page.get_by_role("button", name="Export").click()
    for label, start in starts.items():
        with app.page.expect_download() as waiting:
            app.page.get_by_role("button", name=label).click()
        download = waiting.value
        assert re.fullmatch(r"broadcast-join-and-sort-merge-join-physical\.\w+", download.suggested_filename)
        content = Path(download.path()).read_bytes()
        assert start in content[:300], label
        assert len(content) > 200, label


def test_text_that_is_no_plan_is_kept_beside_the_reason(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(server)
    text = "first line\nsecond line of nothing that Spark ever printed\n"
    app.paste(text)
    alert = app.page.locator(".alert[role=alert]")
    alert.filter(has_text="No Spark plan was found").wait_for()
    assert app.box.input_value() == text
    alert.get_by_role("button", name="Show line 1").click()
    chosen = app.box.evaluate("area => area.value.slice(area.selectionStart, area.selectionEnd)")
    assert chosen == "first line"
    assert app.page.locator("text=Traceback").count() == 0
    app.box.fill("")
    app.box.fill("SELECT (1")
    app.page.keyboard.press("Control+Enter")
    alert.filter(has_text="Syntax error").wait_for()
    assert app.box.input_value() == "SELECT (1"


def test_ctrl_enter_and_the_button_open_an_edited_text(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(server)
    app.box.press_sequentially("== Physical Plan ==")
    app.box.press("Enter")
    app.box.press_sequentially("Range (0, 10, step=1, splits=2)")
    app.page.keyboard.press("Control+Enter")
    app.painted()
    assert "1 node " in app.page.locator(".pv-total").inner_text()


def test_a_file_dropped_on_the_picture_opens(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(f"{server}/?sample=window-top-n").painted()
    app.page.evaluate(
        """text => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([text], "nightly job.txt", { type: "text/plain" }));
          for (const name of ["dragover", "drop"])
            document.body.dispatchEvent(
              new DragEvent(name, { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }""",
        PLAN,
    )
    app.painted("nightly job")
    app.wait_for_query("name", "nightly job")
    app.page.locator(".pv-total", has_text="19 nodes").wait_for()


def test_a_text_pasted_over_an_open_plan_opens(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(f"{server}/?sample=window-top-n").painted()
    app.page.evaluate(
        """text => {
          const transfer = new DataTransfer();
          transfer.setData("text/plain", text);
          document.body.dispatchEvent(
            new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }));
        }""",
        PLAN,
    )
    app.painted("orders, events, stores")
    app.wait_for_query("sample", None)


def test_open_takes_another_plan(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(f"{server}/?sample=window-top-n").painted()
    app.page.get_by_role("button", name="Open…").click()
    app.paste(PLAN)
    app.painted("orders, events, stores")
    app.page.get_by_role("dialog").wait_for(state="detached")
    app.wait_for_query("sample", None)


def test_a_dropped_file_that_is_no_plan_is_shown_with_the_reason(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(f"{server}/?sample=window-top-n").painted()
    app.page.evaluate(
        """() => {
          const transfer = new DataTransfer();
          transfer.items.add(new File(["nothing that Spark printed"], "x.txt", { type: "text/plain" }));
          document.body.dispatchEvent(
            new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }"""
    )
    app.page.locator(".alert[role=alert]", has_text="No Spark plan was found").wait_for()
    assert app.box.input_value() == "nothing that Spark printed"
    app.page.keyboard.press("Escape")
    app.page.get_by_role("dialog").wait_for(state="detached")
    app.page.get_by_role("button", name="Open…").click()
    app.page.get_by_role("dialog").get_by_role("button", name="Reading a cached table").click()
    app.painted("Reading a cached table")
    app.page.get_by_role("dialog").wait_for(state="detached")


def test_100_megabytes_are_refused_within_a_second(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(server)
    app.page.locator("#planviz-early").wait_for(state="detached")
    app.box.click()
    took, words, kept = app.page.evaluate(
        """size => {
          const transfer = new DataTransfer();
          transfer.setData("text/plain", "x".repeat(99).concat("\\n").repeat(size / 100));
          const find = (root, what) => {
            for (const one of root.querySelectorAll("*")) {
              if (one.matches(what)) return one;
              const inside = one.shadowRoot && find(one.shadowRoot, what);
              if (inside) return inside;
            }
          };
          const area = find(document, "textarea"), start = performance.now();
          area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }));
          const alert = find(document, ".alert");
          return [performance.now() - start, alert.hidden ? "" : alert.textContent, area.value.length];
        }""",
        2 * PASTE_LIMIT,
    )
    assert took < 1000
    assert words.startswith("This text has 100 million characters; the box takes up to 50 million.")
    assert kept == 0


def test_the_rule_log_is_a_list_of_steps(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(f"{server}/?sample=rule-log&step=3&stage=before").painted()
    app.page.get_by_test_id("stDataFrame").wait_for()
    app.page.locator(".pv-total", has_text="11 nodes").wait_for()
    app.page.get_by_role("radio", name="After").or_(app.page.get_by_text("After", exact=True)).first.click()
    app.wait_for_query("stage", "after")
    assert app.query()["step"] == "3"


def test_hostile_text_runs_nothing_and_asks_nobody(server: str, tab: Callable[..., App]) -> None:
    script = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'
    markdown = "![x](http://evil.invalid/p.png) :red[boo] $x$ [a](javascript:window.pwned=1) **b**"
    table = f"</style></script>{script}`{markdown}\x1b]0;owned\x07\x1b[31m"
    text = (
        "== Physical Plan ==\n"
        f"*(1) Filter (name#1 = {script} {markdown})\n"
        f"+- FileScan parquet default.{table}[name#1] Batched: true, DataFilters: [], Format: Parquet, "
        "Location: x, PartitionFilters: [], PushedFilters: [], ReadSchema: struct<name:string>\n"
    )
    app = tab().go(server)
    app.paste(text)
    app.painted()
    for item in range(app.page.get_by_role("treeitem").count()):
        app.page.get_by_role("treeitem").nth(item).click()
    app.page.get_by_role("button", name="Text", exact=True).or_(
        app.page.get_by_role("button", name="Show the raw text (t)")
    ).first.click()
    app.page.get_by_text("onerror").first.wait_for()
    app.page.evaluate("new Promise(done => setTimeout(done, 500))")
    assert app.page.evaluate("window.pwned") is None
    assert app.complaints == []
    assert [url for url in app.requests if not url.startswith((server, "data:", "blob:"))] == []
    title = app.page.title()
    assert title.isprintable()
    assert title.endswith("· Explore · planviz")
    # The same through the front door of a link, and as the name of a file.
    link = f"{server}/?plan={links.pack(text)}&name=%3Cimg%20src%3Dx%20onerror%3D%22window.pwned%3D1%22%3E"
    linked = tab().go(link).painted("<img src=x onerror")
    assert linked.page.evaluate("window.pwned") is None
    assert linked.complaints == []


def test_a_damaged_link_says_so_in_the_box(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(f"{server}/?plan=1.H4sIAAAAAAAC_broken")
    app.page.locator(".alert[role=alert]", has_text="This link is damaged").wait_for()
    assert app.complaints == []


def test_a_plan_too_long_for_a_link_says_so_and_offers_its_file(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(server)
    text = load("two-years-of-reports") + "".join(f"-- {os.urandom(40).hex()}\n" for _ in range(600))
    app.paste(text)
    app.painted()
    assert "plan" not in app.query()
    app.wait_for_query("stage", "physical")
    assert len(app.query()["doc"]) == 64
    app.page.get_by_role("button", name="Copy link").click()
    app.page.get_by_text("too many for a link").wait_for()
    with app.page.expect_download() as waiting:
        app.page.get_by_role("button", name="Download the text").click()
    assert Path(waiting.value.path()).read_text("utf-8") == text
    # What came after the first paint is there.
    app.page.get_by_role("button", name="Close").or_(app.page.locator("body")).first.press("Escape")
    app.page.get_by_role("button", name="Show the raw text (t)").click()
    app.page.locator(".pv-text-line").first.wait_for()
    app.page.locator(".pv-finding", has_text="redistributed 216 times").wait_for()
    # In another session of the same server the address works.
    again = tab().go(app.page.url).painted()
    assert again.page.evaluate("window.__planviz.nodes") > 2_000


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1200, 800), (700, 900)])
def test_the_picture_fills_the_window_without_scrolling(
    server: str, tab: Callable[..., App], width: int, height: int
) -> None:
    app = tab(width, height).go(f"{server}/?sample=revenue-by-country").painted()
    footer = app.page.locator(".pv-footer").bounding_box()
    assert abs(footer["y"] + footer["height"] - height) <= 1
    assert abs(footer["width"] - width) <= 1
    overflow = app.page.locator(".st-key-planviz-page").evaluate(
        "page => [page.scrollHeight - page.clientHeight, page.scrollWidth - page.clientWidth]"
    )
    assert overflow == [0, 0]


def test_a_page_that_takes_long_says_that_it_works(server: str, tab: Callable[..., App]) -> None:
    app = tab().go(server)
    app.paste(PLAN)
    app.painted("orders, events, stores")
    sign = app.page.get_by_role("status").filter(has_text="Working…")
    # Streamlit tells so how it is with the page's script.
    told = "state => document.querySelector('.stApp').dataset.testScriptState = state"
    app.page.evaluate(told, "running")
    sign.wait_for()
    app.page.evaluate(told, "notRunning")
    sign.wait_for(state="detached")
