"""The app in Chinese: the whole task by keyboard alone, the switch, and nothing of planviz's own left in English."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from planviz.language import texts, translations
from planviz.render.web import source
from planviz.samples.tours import step_at, tour_named
from planviz.ui import links
from planviz.ui.page import PAGES
from tests.browser.app import App, serving
from tests.browser.test_keyboard import decided_and_shared

pytestmark = pytest.mark.browser
SQL = step_at(tour_named("slow-query"), 1).sql
#: As tests.browser.test_keyboard.ENGLISH.
CHINESE = {
    "finding": "广播可以省去 Shuffle",
    "evidence": "customer 估计为",
    "decision": "^完整的决策",
    "flips": "最容易的改变",
    "flip": r"BROADCAST\(customer\)|阈值 = ",
    "copy": "^复制链接",
    "copied": "已复制",
}
#: What is shown, in shadow trees too, but for what is the user's or Spark's.
SHOWN = """() => {
  const found = [], left = "script, style, textarea, pre, code, noscript, [translate=no], .pv-head";
  const visit = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.shadowRoot) visit(node.shadowRoot);
      const at = node.parentElement;
      if (node.nodeType === 3 && at && !at.closest(left) && at.getClientRects().length && node.data.trim())
        found.push(node.data.trim());
    }
  };
  visit(document.body);
  return found;
}"""
#: A word that is no part of a name, of a setting or of an expression.
WORD = re.compile(r"(?<![\w.`'\"\-/#(=$@])[a-z]{3,}(?![\w.(=`'\"#\-/])", re.ASCII)
#: Spark's own words by kind: types, SQL, the words of cards that a plan prints.
ALLOWED = {
    # its name, types and values
    *("planviz", "int", "bigint", "string", "double", "decimal", "date", "timestamp", "true", "false", "null"),
    *("void", "boolean", "byte", "short", "long", "float", "decimal", "binary", "array", "map", "struct", "variant"),
    *("time", "calendar", "timestamp_ntz"),
    # what hints, modes, findings and methods are called
    *("explain", "formatted", "broadcast", "skew", "concat", "explode", "transform"),
}
#: A term's English name behind the Chinese one.
TERM = re.compile(r"（[A-Za-z ]+）")


def english(page: Any) -> list[str]:
    """The texts on a page with words of English in them; capitalised names of operators and rules are Spark's."""
    found = [text for text in page.evaluate(SHOWN) if set(WORD.findall(TERM.sub("", text))) - ALLOWED]
    return list(dict.fromkeys(found))


@pytest.fixture
def chinese(tab: Callable[..., App]) -> Callable[[str], App]:
    """Opens an address of the app in Chinese."""

    def opened(address: str) -> App:
        app = tab(1366, 768)
        app.go(f"{address}{'&' if '?' in address else '?'}lang=zh")
        app.page.wait_for_function("document.documentElement.lang === 'zh-CN'")
        return app

    return opened


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with a library, whose page has nothing to say otherwise."""
    with serving(more=("--store", str(tmp_path_factory.mktemp("library") / "library.db"))) as address:
        yield address


def test_a_slow_query_in_chinese_without_a_mouse(chinese: Callable[[str], App], server: str) -> None:
    app = chinese(server)
    page = app.page
    page.wait_for_function("document.activeElement?.tagName === 'TEXTAREA' || document.activeElement?.shadowRoot")
    page.evaluate("text => navigator.clipboard.writeText(text)", SQL)
    page.keyboard.press("Control+V")
    app.settled()
    page.get_by_role("button", name="复制链接").wait_for()

    assert "lang=zh" in decided_and_shared(page, CHINESE)
    assert app.complaints == []


def test_the_button_turns_the_language_and_keeps_what_was_typed(tab: Callable[..., App], server: str) -> None:
    app = tab(1366, 768).go(server)
    page = app.page
    app.box.fill("SELECT 1")
    page.locator(".pv-language").click()
    page.get_by_role("heading", name="看看 Spark 如何执行您的查询").wait_for()
    assert app.query()["lang"] == "zh"
    box = page.get_by_role("textbox", name="SQL、计划文本、规则日志、事件日志或 JSON")
    box.wait_for()
    assert box.input_value() == "SELECT 1"
    # Another page, and the app opened again: the choice is kept.
    page.goto(f"{server}/joins")
    page.get_by_role("heading", name="查看每个连接为什么是这样").wait_for()
    page.locator(".pv-language").click()
    page.get_by_role("heading", name="See why each join is what it is").wait_for()
    assert "lang" not in app.query()


def test_what_a_list_shows_is_chinese(chinese: Callable[[str], App], server: str) -> None:
    page = chinese(server).page
    page.get_by_role("combobox").first.wait_for()
    assert page.get_by_role("combobox").first.input_value() == "按名称查找"


@pytest.mark.parametrize("path", [path for _, _, path in PAGES])
def test_no_english_is_left_on_a_page(browser: Any, library: str, path: str) -> None:
    """Opened as the first page of a browser that has nothing of the app yet."""
    context = browser.new_context(viewport={"width": 1366, "height": 768}, bypass_csp=True)
    context.set_default_timeout(60_000)
    app = App(context.new_page()).go(f"{library}/{path}?lang=zh")
    page = app.page
    page.locator(".st-key-planviz-links").get_by_text("参考手册").wait_for()
    page.locator(".pv-entry h2" if path == "catalogue" else "h1").first.wait_for()
    page.wait_for_function(
        "!document.querySelector('[data-stale=true]') && document.documentElement.style.opacity === ''"
    )
    assert english(page) == []
    assert app.complaints == []
    context.close()


@pytest.mark.parametrize("path", ["rules", "planner", "joins", "aggregations", "cardinality", "compare"])
def test_a_document_is_shown_on_every_page(chinese: Callable[[str], App], server: str, path: str) -> None:
    """The pages' buttons come last: names of versions once took minutes to look up, and the page stayed empty."""
    page = chinese(f"{server}/{path}?plan={links.pack(SQL)}").page
    page.get_by_role("button", name="复制链接").wait_for(timeout=20_000)


def test_a_stage_is_shown_ahead_by_its_chinese_name(chinese: Callable[[str], App], server: str) -> None:
    app = chinese(f"{server}/?plan={links.pack(SQL)}").settled()
    page = app.page
    page.wait_for_function("Object.keys(window.__planvizPlace?.stages ?? {}).length > 3")
    with page.expect_request("**/ahead/**plan=*") as asked:
        page.get_by_role("radio", name="已优化").or_(page.get_by_role("button", name="已优化")).first.click()
    assert "plan=" in asked.value.url


def test_english_asks_for_nothing_more(tab: Callable[..., App], server: str) -> None:
    app = tab(1366, 768).go(server)
    app.page.locator(".st-key-planviz-links").get_by_text("Library").wait_for()
    app.page.wait_for_load_state("networkidle")
    assert not [url for url in app.requests if "/element/zh" in url or "/element/language" in url]


@pytest.mark.parametrize("width", [1366, 700])
def test_the_button_takes_no_link_its_room(tab: Callable[..., App], server: str, width: int) -> None:
    app = tab(width, 768).go(f"{server}/?sample=event-log").settled()
    page = app.page
    page.get_by_role("button", name="Copy link").wait_for()
    shown, whole, button = page.evaluate(
        """() => {
          const links = document.querySelector(".st-key-planviz-links");
          const { left, right } = document.querySelector(".pv-language").getBoundingClientRect();
          return [links.clientWidth, links.scrollWidth, left >= 0 && right <= innerWidth];
        }"""
    )
    assert button
    assert whole <= shown or width < 1000, "a narrow window scrolls the links"


def test_the_browser_tells_as_the_server_does(chinese: Callable[[str], App], server: str) -> None:
    page = chinese(server).page
    page.get_by_role("heading", name="看看 Spark 如何执行您的查询").wait_for()
    said = [
        "3 stages", "1 of 3", "a, b and 2 more", "Recognised by: begins with SELECT; planned by planviz itself",
        "SortMergeJoin: customer is estimated at 27.5 MiB, the threshold is 10 MiB; the other side has 3 GiB.",
        "1 null-aware anti join over 2 tables (a, b): a single null on the right side leaves no row.",
        "left 61.7 PiB, right 27.5 MiB, limit 10 MiB", "watermarks of rivers", "opening_hours", " Open ", "rows",
        "Join order: (a of b) ⋈ c → a", "6 Give a row, Group (ash, 1) gives (ash, 1, 250).", "6 changed · 32 kept",
        "category: 1 of 2 columns read are used by no operator above: a.", "4 Broadcast Hash, 1 Sort Merge",
        "Sort Merge", "22 of 180 rules changed the plan",
        "Size unknown: a table of whose size the plan says 8 EiB: Spark knows nothing of it, or planviz where it "
        "planned the query.",
    ]  # fmt: skip
    told = page.evaluate(f"({json.dumps(said)}).map((text) => window.__planvizLanguage.told(text))")
    assert told == [texts("zh").told(text) for text in said]


def test_a_text_that_repeats_a_message_holds_no_browser_up(browser: Any) -> None:
    """Names in a plan are looked up, too: one of 600 letters took ten seconds, one of 1,500 did not come back."""
    page = browser.new_page()
    module = f"data:text/javascript;base64,{b64encode(source('language.js').encode()).decode()}"
    told = """async ([module, messages, text]) => {
      const { Texts } = await import(module);
      return new Texts(messages).told(text);
    }"""
    sentence = "a compares the rows of b with the rows of c by 2 equalities: x, on y, with 3 equalities. "
    text = (sentence * 30)[:1_499]
    assert "rows" in page.evaluate(told, [module, dict(translations("zh")), text])
    assert page.evaluate(told, [module, dict(translations("zh")), "Open"]) == texts("zh").told("Open")
    page.close()
