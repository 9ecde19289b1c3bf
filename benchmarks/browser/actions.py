"""What a person does in the app, from the act to the frame on screen: `python -m benchmarks.browser --actions`.

Every act is timed by the page's own clock from the event (click, key, paste, Ctrl+Enter, or the navigation) to the
frame in which the answer is shown: where the element marks when its frame was handed to the screen, that mark, else the
frame after the one in which the answer stands in the page. The white flash is the time in between without any picture.
With `--sessions N` so many tabs more have a document open and turn a page every second.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from playwright.sync_api import Error, Page, Playwright, TimeoutError, sync_playwright

from benchmarks.browser.chromium import fresh_page
from benchmarks.browser.planviz_page import box, served
from benchmarks.plans import plan_text

_QUERY = Path(__file__).parents[2] / "sample_queries" / "documents" / "tpcds-q64.sql"
_Q5 = """\
SELECT n_name, sum(l_extendedprice * (1 - l_discount)) AS revenue
FROM customer, orders, lineitem, supplier, nation, region
WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey AND c_nationkey = s_nationkey
  AND s_nationkey = n_nationkey AND n_regionkey = r_regionkey AND r_name = 'ASIA'
  AND o_orderdate >= date '1994-01-01' AND o_orderdate < date '1994-01-01' + interval '1' year
GROUP BY n_name ORDER BY revenue DESC LIMIT {}"""
_seeds = itertools.count(1000)

#: What shows that a page is there: `__deep(selector)` is the first visible element, shadow trees included.
READY = {
    "Explore": "__deep('.pv > .pv-centre canvas')",
    "Rules": "__deep('.pv-player canvas')",
    "Joins": "__deep('.pv-joins .pv-drawn svg')",
    "Cardinality": "__deep('.pv-cardinality canvas')",
    "Aggregations": "__deep('.pv-aggregations .pv-card')",
}

# Looks at every frame: when `ready` holds for the first time after the act, and for how long no picture was there.
WATCH = r"""
window.__deep = (selector, root = document) => {
  const seen = node => { const box = node.getBoundingClientRect(); return box.width > 1 && box.height > 1; };
  for (const node of root.querySelectorAll(selector)) if (seen(node)) return node;
  for (const node of root.querySelectorAll("*")) {
    const found = node.shadowRoot && __deep(selector, node.shadowRoot);
    if (found) return found;
  }
  return null;
};
window.__measure = (type, ready) => {
  window.__took = undefined;
  const holds = new Function(`return ${ready}`);
  addEventListener(type, event => {
    const start = event.timeStamp;
    let bare = 0, last = null;
    const look = now => {
      const shown = __deep("canvas, .pv-drawn svg, .pv-card, .st-key-planviz-body *");
      if (last !== null && !shown) bare += now - last;
      last = now;
      const held = holds();
      if (!held) return requestAnimationFrame(look);
      // The element's own mark of when its frame was handed to the screen.
      if (typeof held === "number") return void (window.__took = { ms: held - start, bare });
      requestAnimationFrame(() => setTimeout(() => { window.__took = { ms: performance.now() - start, bare }; }, 0));
    };
    requestAnimationFrame(look);
  }, { capture: true, once: true });
};
"""

# When a box is there for the first time, and when the one of Streamlit's page is.
_BOXES = """
(() => {
  const look = () => {
    const app = document.querySelector(".stApp");
    if (!window.__box && __deep("textarea")) window.__box = performance.now();
    if (!app || !__deep("textarea", app)) return requestAnimationFrame(look);
    window.__ownBox = performance.now();
  };
  requestAnimationFrame(look);
})();
"""

Timed = dict[str, list[float]]


def act(page: Page, timed: Timed, name: str, event: str, ready: str, do: Callable[[], object], limit: float) -> bool:
    """Do something, and note how long it took until `ready`, in ms; False where it never was."""
    page.evaluate("([event, ready]) => __measure(event, ready)", [event, ready])
    do()
    try:
        page.wait_for_function("window.__took !== undefined", polling=20, timeout=limit * 1000)
    except TimeoutError:
        return False
    took = page.evaluate("window.__took")
    timed.setdefault(name, []).append(took["ms"])
    timed.setdefault(f"{name}: no picture", []).append(took["bare"])
    page.wait_for_timeout(900)  # the server is at rest again
    return True


def home(playwright: Playwright, url: str, timed: Timed, limit: float) -> None:
    """An empty cache, until the box takes what is typed: the first one that is painted, and the app's own."""
    with fresh_page(playwright) as page:
        requests: list[Any] = []
        page.on("requestfinished", lambda request: requests.append(request))
        page.add_init_script(WATCH + _BOXES)
        page.goto(url, wait_until="commit")
        page.wait_for_function("window.__ownBox !== undefined", timeout=limit * 1000)
        page.wait_for_timeout(2_500)
        timed.setdefault("home, a box that takes a text", []).append(float(page.evaluate("window.__box")))
        timed.setdefault("home, the page complete", []).append(float(page.evaluate("window.__ownBox")))
        sizes = [request.sizes()["responseBodySize"] for request in requests if request.url.startswith("http")]
        timed.setdefault("home, requests (number)", []).append(len(sizes))
        timed.setdefault("home, kB over the network (number)", []).append(sum(sizes) / 1000)


def walk(playwright: Playwright, url: str, timed: Timed, limit: float) -> None:
    """TPC-H q5 as SQL, its pages twice, stages, selections, rule steps, a slider."""
    with fresh_page(playwright) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.add_init_script(WATCH)
        page.goto(url)
        area = box(page, limit)
        page.wait_for_timeout(2_500)
        area.fill("-- ")  # a whole text that appears in the empty box is opened at once
        area.fill(_Q5.format(next(_seeds)))
        if not act(
            page, timed, "q5 as SQL", "keydown", READY["Explore"], lambda: page.keyboard.press("Control+Enter"), limit
        ):
            return
        page.wait_for_timeout(2_500)
        for visit in ("first", "again"):
            for title in ("Rules", "Joins", "Aggregations", "Cardinality", "Explore"):
                link = page.get_by_role("link", name=title, exact=True)
                act(page, timed, f"page {title}, {visit}", "click", READY[title], link.click, limit)
        stage(page, timed, limit)
        steps_and_sliders(page, timed, limit)


def stage(page: Page, timed: Timed, limit: float) -> None:
    """Another stage of Explore, and another operator."""
    total = "__deep('.pv-total', document.querySelector('#planviz-ahead')?.shadowRoot ?? document)?.textContent"
    nodes = f"window.__planviz?.painted && {total} !== window.__total"
    for label in ("Optimized", "Analyzed", "Physical"):
        page.evaluate(f"window.__total = {total} + ''")
        tab = page.get_by_text(label, exact=True).first
        act(page, timed, "another stage", "click", nodes, tab.click, limit)
    for at in (3, 5, 7):
        row = page.get_by_role("treeitem").nth(at)
        ready = f"window.__planviz.handle.state().selected === {at}"
        act(page, timed, "another selection", "click", ready, row.click, limit)


def steps_and_sliders(page: Page, timed: Timed, limit: float) -> None:
    """Steps of a trace, and a what-if of a join."""
    page.get_by_role("link", name="Rules", exact=True).click()
    page.locator(".pv-player").first.wait_for(timeout=limit * 1000)
    page.wait_for_timeout(1_500)  # what was shown ahead is gone
    page.locator(".pv-player").click(position={"x": 5, "y": 5}, timeout=limit * 1000)
    for _ in range(3):
        page.evaluate("window.__planviz.stepped = null")
        ready = "window.__planviz.stepped?.painted"
        act(page, timed, "a rule step", "keydown", ready, lambda: page.keyboard.press("ArrowRight"), limit)
    page.get_by_role("link", name="Joins", exact=True).click()
    page.locator(".pv-joins input[type=range]").first.wait_for(timeout=limit * 1000)
    page.wait_for_timeout(1_500)
    slider = page.locator(".pv-joins input[type=range]").first
    for _ in range(3):
        page.evaluate("window.__planviz.asked = null")
        slider.focus()
        ready = "window.__planviz.asked?.painted"
        act(page, timed, "a slider", "keydown", ready, lambda: page.keyboard.press("ArrowRight"), limit)


def pasted(playwright: Playwright, url: str, nodes: int, timed: Timed, limit: float) -> None:
    """A plan of so many operators, pasted into the empty box."""
    with fresh_page(playwright) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.add_init_script(WATCH)
        page.goto(url)
        area = box(page, limit)
        page.wait_for_timeout(2_500)
        area.focus()
        page.evaluate("text => navigator.clipboard.writeText(text)", plan_text("mixed", nodes, seed=next(_seeds)))
        ready = "window.__planviz?.painted"
        act(page, timed, f"pasted, {nodes:,}", "paste", ready, lambda: page.keyboard.press("Control+V"), limit)


def compared(playwright: Playwright, url: str, nodes: int, timed: Timed, limit: float) -> None:
    """Two plans of so many operators, five of them changed, compared by the page's button."""
    lines = plan_text("mixed", nodes, seed=next(_seeds)).splitlines()
    before, chance = "\n".join(lines), Random(nodes)
    for at in chance.sample(range(1, len(lines)), 5):
        lines[at] = lines[at].replace("amount", "total")
    with fresh_page(playwright) as page:
        page.add_init_script(WATCH)
        page.goto(f"{url}compare")
        page.get_by_label("Before: SQL or plan text").wait_for(timeout=limit * 1000)
        page.wait_for_timeout(2_500)
        page.get_by_label("Before: SQL or plan text").fill(before)
        page.get_by_label("After: SQL or plan text").fill("\n".join(lines))
        page.wait_for_timeout(800)
        button = page.get_by_role("button", name="Compare", exact=True)
        ready = "window.__planviz?.painted"
        act(page, timed, f"compared, {nodes:,}", "click", ready, button.click, limit)


def large_query(playwright: Playwright, url: str, timed: Timed, limit: float) -> None:
    """Rules of the query with the most joins."""
    with fresh_page(playwright) as page:
        page.add_init_script(WATCH)
        page.goto(url)
        area = box(page, limit)
        page.wait_for_timeout(2_000)
        area.fill(_QUERY.read_text("utf-8") + f"\n-- {next(_seeds)}\n")
        area.press("Control+Enter")
        page.wait_for_function("window.__planviz?.painted", timeout=limit * 1000)
        page.wait_for_timeout(300)
        link = page.get_by_role("link", name="Rules", exact=True)
        act(page, timed, "Rules of TPC-DS q64", "click", READY["Rules"], link.click, limit)


@contextlib.contextmanager
def company(url: str, others: int) -> Iterator[None]:
    """So many other tabs, each with a document of its own, that turn a page every second."""
    over = threading.Event()
    threads = [threading.Thread(target=_other, args=(url, over), daemon=True) for _ in range(others)]
    for thread in threads:
        thread.start()
    if threads:
        over.wait(8)
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join(20)


def _other(url: str, over: threading.Event) -> None:
    with sync_playwright() as playwright, fresh_page(playwright) as page, contextlib.suppress(Error):
        page.goto(url)
        area = box(page, 60)
        area.fill(_Q5.format(next(_seeds)))
        area.press("Control+Enter")
        for title in itertools.cycle(("Rules", "Joins", "Cardinality", "Explore")):
            if over.wait(1):
                return
            page.get_by_role("link", name=title, exact=True).click()


def figures(rounds: int, sessions: int, nodes: list[int], limit: float) -> Timed:
    """All acts, so many rounds; ms, those with "(number)" in their name as they are."""
    timed: Timed = {}
    with sync_playwright() as playwright, served(limit) as url, company(url, sessions):
        home(playwright, url, {}, limit)
        for _ in range(rounds):
            home(playwright, url, timed, limit)
            walk(playwright, url, timed, limit)
            for size in nodes:
                pasted(playwright, url, size, timed, limit)
            for size in (500, 2_000):
                compared(playwright, url, size, timed, limit)
            large_query(playwright, url, timed, limit)
    return timed


def table(timed: Timed) -> str:
    """Medians, worst and longest time without a picture, in Markdown."""
    rows = ["| act | median | worst | without a picture |", "|---|---:|---:|---:|"]
    for name, found in timed.items():
        if name.endswith(": no picture"):
            continue
        bare = timed.get(f"{name}: no picture")
        rows.append(
            f"| {name} | {median(found):,.0f} | {max(found):,.0f} | {f'{median(bare):,.0f}' if bare else '-'} |"
        )
    return "\n".join(rows)
