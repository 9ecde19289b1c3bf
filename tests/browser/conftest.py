"""A real Chromium, and the standalone page to open plans in."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from planviz.graph import PlanGraph
from planviz.render.html import html_page
from tests.browser.app import App, serving
from tests.browser.opened import Opened

playwright_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # The last of these switches counts, so what Playwright turns off stands here, too. Every window has the pages of an
    # address bar otherwise, which nobody sees and which take as much of a processor as the page that is tested.
    "--disable-features=AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,"
    "HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,"
    "AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch,"
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium on this machine: apt-get install chromium")
    with playwright_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def workbench(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """`workbench(graph or graphs, text=, width=, dark=, ...)` opens the standalone page and gives an `Opened`."""
    contexts: list[Any] = []

    def open_page(
        graphs: PlanGraph | list[PlanGraph],
        *,
        text: str | None = None,
        title: str | None = None,
        width: int = 1440,
        height: int = 900,
        dark: bool = False,
        reduced: bool = True,
        ratio: float = 1,
    ) -> Opened:
        some = graphs if isinstance(graphs, list) else [graphs]
        path = tmp_path / f"page{len(contexts)}.html"
        path.write_text(html_page(some, text=text, title=title), encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce" if reduced else "no-preference",
            device_scale_factor=ratio,
        )
        context.set_default_timeout(60_000)
        contexts.append(context)
        opened = Opened(context.new_page())
        opened.load(path)
        return opened

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with serving() as address:
        yield address


@pytest.fixture(scope="session")
def context(browser: Any) -> Iterator[Any]:
    """One profile for all tests: its cache holds the app's scripts, and every tab is a session of its own anyway."""
    # What a test waits for is evaluated from a text, which the pages' policy forbids; test_policy.py looks at that.
    made = browser.new_context(
        permissions=["clipboard-read", "clipboard-write"], accept_downloads=True, bypass_csp=True
    )
    made.set_default_timeout(60_000)
    # A context without a page has no window, and the next page waits for a new one.
    made.new_page()
    yield made
    made.close()


@pytest.fixture
def tab(context: Any) -> Iterator[Callable[..., App]]:
    pages: list[Any] = []

    def open_tab(width: int = 1440, height: int = 900) -> App:
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        pages.append(page)
        return App(page)

    yield open_tab
    for page in pages:
        page.close()
