"""planviz itself: the app as `planviz serve` starts it, a plan pasted into the box of Explore, until it is painted."""

from __future__ import annotations

import contextlib
import itertools
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Locator, Page, Playwright, TimeoutError

from benchmarks.browser.chromium import frames, fresh_page, heap, painted, pan, zoom
from benchmarks.plans import plan_text

# The workbench dispatches `planviz:painted` after its first frame, and keeps in window.__planviz when its data came.
# What counts as the start is the user's last act: the paste, or Ctrl+Enter.
_HOOKS = """
window.__acts = {};
addEventListener("paste", () => { window.__acts.paste = performance.now(); }, true);
addEventListener("keydown", event => {
  if (event.key === "Enter" && event.ctrlKey) window.__acts.enter = performance.now();
}, true);
addEventListener("planviz:painted", () => {
  window.__mark ??= { ...window.__planviz }; // Streamlit's own element begins again
  requestAnimationFrame(() => setTimeout(() => { window.__paintedAt = performance.now(); }, 0));
}, true);
"""

# Another text for every round: the server keeps the documents it has opened.
_seeds = itertools.count(1)


@contextlib.contextmanager
def served(limit: float) -> Iterator[str]:
    """The address of a planviz server of our own, stopped at the end."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "planviz", "serve", "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        wait_for(f"http://127.0.0.1:{port}/_stcore/health", server, limit)
        yield f"http://127.0.0.1:{port}/"
    finally:
        server.terminate()
        server.communicate(timeout=20)


def wait_for(url: str, server: subprocess.Popen[bytes], limit: float) -> None:
    """Until `url` answers; ends the program when the server dies or `limit` seconds pass."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        if server.poll() is not None:
            raise SystemExit(f"planviz serve ended:\n{(server.stderr.read() if server.stderr else b'').decode()}")
        with contextlib.suppress(OSError):
            urllib.request.urlopen(url, timeout=2).close()
            return
        time.sleep(0.2)
    raise SystemExit(f"planviz serve did not answer within {limit:.0f} s")


def box(page: Page, limit: float) -> Locator:
    """The box of Explore: the first text box that is a textarea."""
    found = page.get_by_role("textbox").and_(page.locator("textarea")).first
    found.wait_for(timeout=limit * 1000)
    return found


def opened(page: Page, text: str, limit: float) -> float | None:
    """Paste `text`, press Ctrl+Enter where a paste alone does not open it; ms from that act to painted, or None."""
    target = box(page, limit)
    target.click()
    page.evaluate("text => navigator.clipboard.writeText(text)", text)
    page.keyboard.press("Control+V")
    with contextlib.suppress(TimeoutError):
        # Does the paste alone set it going? Ctrl+Enter would start it a second time.
        page.wait_for_function("window.__planviz !== undefined", polling=50, timeout=3_000)
    if page.evaluate("window.__planviz === undefined"):
        page.keyboard.press("Control+Enter")
    done = painted(page, limit)
    if done is None:
        return None
    return done - float(page.evaluate("window.__acts.enter ?? window.__acts.paste"))


def measure(playwright: Playwright, url: str, nodes: int, limit: float) -> dict[str, Any]:
    """Paste to painted, the browser's share of it, frame times over the whole plan, and heap."""
    row: dict[str, Any] = {"tool": "planviz", "asked": nodes, "nodes": nodes}
    with fresh_page(playwright) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.add_init_script(_HOOKS)
        page.goto(url)
        box(page, limit)
        page.wait_for_timeout(2_500)  # the page complete, as the other tools' pages are when they are given a plan
        row["painted"] = opened(page, plan_text("mixed", nodes, seed=next(_seeds)), limit)
        if row["painted"] is None:
            return row | {"failed": f"no result in {limit:.0f} s"}
        mark = page.evaluate("({received: __mark.received, painted: __mark.painted, nodes: __mark.nodes})")
        row["act"] = "Ctrl+Enter" if page.evaluate("window.__acts.enter !== undefined") else "paste"
        row["drawn"], row["in browser"] = mark["nodes"], mark["painted"] - mark["received"]
        page.wait_for_timeout(2_000)  # Streamlit's own element takes the place of the one that was drawn ahead
        canvas = max(page.locator("canvas").all(), key=area)
        corner = canvas.bounding_box()
        page.mouse.click(corner["x"] + 5, corner["y"] + 5)  # canvases lie on each other: whichever is on top
        fold = page.get_by_role("button", name="Fold", exact=True)
        if fold.count() and fold.get_attribute("aria-pressed") == "true":
            page.keyboard.press("x")  # chains unfolded: every node has its card
        page.keyboard.press("f")  # the whole plan in view: the densest there is
        page.wait_for_timeout(500)
        row["pan"], row["zoom"] = frames(page, canvas, pan), frames(page, canvas, zoom)
        row["heap"] = heap(page)
    return row


def area(canvas: Locator) -> float:
    """Square pixels on screen; 0 when hidden."""
    found = canvas.bounding_box()
    return found["width"] * found["height"] if found else 0.0
