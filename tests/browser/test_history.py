"""The Event logs page in a real browser: a row opens an execution, and other pages show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.browser.app import App, serving
from tests.history.catalogues import BROADCAST, MERGED, catalogue, joined, log, query

pytestmark = pytest.mark.browser

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    first = log("nightly", query(0, "select 1", joined(MERGED, 0), took=1_500), query(1, EVIL, error=EVIL))
    second = log("nightly", query(100_000, "select 1", joined(BROADCAST, 1_000_000)), id="app-2")
    return catalogue(tmp_path_factory.mktemp("history"), {"first": first, "second": second})


@pytest.fixture(scope="module")
def shown(path: str) -> Iterator[str]:
    with serving(more=("--history", path)) as address:
        yield address


def test_a_row_opens_an_execution_that_other_pages_show(shown: str, tab: Callable[..., App], path: str) -> None:
    app = tab().go(f"{shown}/history?catalogue={quote(Path(path).name)}")
    page = app.page
    rows = page.locator("tbody tr")
    rows.first.wait_for()
    assert rows.count() == 3
    page.get_by_text(EVIL).first.wait_for()
    rows.first.click()
    first = f"{Path(path).parent}/logs/first#0"
    app.wait_for_query("execution", first)
    app.painted()
    page.locator(".pv-past h2", has_text="select 1").wait_for()
    assert rows.first.get_attribute("aria-selected") == "true"
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.wait_for_function("first => !location.search.includes(encodeURIComponent(first))", arg=first)
    rows.first.click()
    app.wait_for_query("execution", first)
    page.locator(".st-key-planviz-history").get_by_role("link", name="Joins").click()
    page.wait_for_url("**/joins?*")
    page.get_by_text("SortMergeJoin").first.wait_for(state="attached")
    page.get_by_role("link", name="Event logs").click()
    app.wait_for_query("execution", first)
    assert not app.complaints


def test_a_changed_plan_has_two_sides(shown: str, tab: Callable[..., App], path: str) -> None:
    app = tab(1200).go(f"{shown}/history?catalogue={quote(Path(path).name)}&rank=changed")
    app.page.locator("tbody tr").first.click()
    app.page.get_by_text("SortMergeJoin became BroadcastHashJoin").wait_for()
    app.painted()
    app.page.get_by_role("radio", name="Before").click()
    app.wait_for_query("side", "before")
    app.page.get_by_text("Sort Merge").first.wait_for()
    assert not app.complaints
