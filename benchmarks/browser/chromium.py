"""Debian's Chromium through Playwright: pages with a time limit, frame times, heap."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

from playwright.sync_api import Error, Locator, Page, Playwright, TimeoutError

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-precise-memory-info",
]
VIEW = {"width": 1440, "height": 900}

# Notes the page clock once a frame was drawn after the one in which the expression first held, so it is on screen.
_WATCH = """
(() => {
  const ready = () => (%s);
  const look = () => ready()
    ? requestAnimationFrame(() => setTimeout(() => { window.__paintedAt = performance.now(); }, 0))
    : requestAnimationFrame(look);
  requestAnimationFrame(look);
})();
"""

_RECORD = """
() => {
  const frames = [];
  let last = null, on = true;
  const tick = now => { if (last !== null) frames.push(now - last); last = now; if (on) requestAnimationFrame(tick); };
  requestAnimationFrame(tick);
  window.__stopFrames = () => { on = false; return frames; };
}
"""


def chromium() -> str:
    """The path of the installed Chromium; ends the program when there is none."""
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        raise SystemExit("chromium is not installed (Debian: apt-get install chromium); CHROMIUM may name another path")
    return path


@contextlib.contextmanager
def fresh_page(playwright: Playwright) -> Iterator[Page]:
    """A page in a browser of its own, closed even when its script never comes back."""
    browser = playwright.chromium.launch(executable_path=chromium(), headless=True, args=FLAGS)
    # Spark's pages forbid eval, which Playwright's waiting needs.
    page = browser.new_page(viewport=VIEW, bypass_csp=True)
    try:
        yield page
    finally:
        with contextlib.suppress(Error):
            browser.close()


def watch(page: Page, ready: str) -> None:
    """From the next navigation on, the page itself notes when the JavaScript expression `ready` held and was drawn."""
    page.add_init_script(_WATCH % ready)


def painted(page: Page, limit: float) -> float | None:
    """When what `watch` waits for was drawn, in ms of the page's clock (0 is the navigation).

    None when `limit` seconds pass first: the page is then busy and of no further use.
    """
    try:
        # Playwright's own waiting ends on time even while the page's only thread is busy.
        page.wait_for_function("window.__paintedAt !== undefined", polling=50, timeout=limit * 1000)
        return float(page.evaluate("window.__paintedAt"))
    except TimeoutError:
        return None


def frames(page: Page, target: Locator, act: Callable[[Page, float, float], None]) -> dict[str, float] | None:
    """Median and 95th percentile of the frame times (ms) while `act(page, x, y)` works at the middle of `target`.

    None when `target` is not to be seen.
    """
    try:
        box = target.bounding_box(timeout=10_000)
        if box is None:
            return None
        right, bottom = min(box["x"] + box["width"], VIEW["width"]), min(box["y"] + box["height"], VIEW["height"])
        x, y = (max(box["x"], 0) + right) / 2, (max(box["y"], 0) + bottom) / 2
        page.evaluate(_RECORD)
        act(page, x, y)
        taken = sorted(page.evaluate("window.__stopFrames()"))
    except TimeoutError:
        return None
    if not taken:
        return None
    return {"median": median(taken), "p95": taken[int(0.95 * (len(taken) - 1))], "frames": len(taken)}


def pan(page: Page, x: float, y: float) -> None:
    """Drag to and fro, one step of the mouse about every frame."""
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(60):
        page.mouse.move(x + (step % 30) * 8 - 120, y + (step % 20) * 5 - 50)
        page.wait_for_timeout(8)
    page.mouse.up()


def zoom(page: Page, x: float, y: float) -> None:
    """Zoom in and out again with the wheel and Ctrl."""
    page.mouse.move(x, y)
    page.keyboard.down("Control")
    for step in range(40):
        page.mouse.wheel(0, -60 if step < 20 else 60)
        page.wait_for_timeout(8)
    page.keyboard.up("Control")


def heap(page: Page) -> int:
    """Bytes of JavaScript heap in use after a collection."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics: list[dict[str, Any]] = session.send("Performance.getMetrics")["metrics"]
    return int(next(metric["value"] for metric in metrics if metric["name"] == "JSHeapUsedSize"))
