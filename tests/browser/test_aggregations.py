"""The Aggregations page in a real browser: stages, rows through them, another setting, a pasted plan, dark."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from planviz.ui import links
from planviz.ui.aggregations import reports
from planviz.ui.cache import open_document
from tests.browser.app import App

pytestmark = pytest.mark.browser

OBJECTS = "SELECT store_id, collect_list(status) AS l FROM orders GROUP BY store_id"
DISTINCT = "SELECT user_id, count(DISTINCT item_id) AS items, sum(amount) AS total FROM orders GROUP BY user_id"
SORTED = "useObjectHashAggregateExec = false"


def aggregations(app: App, server: str, text: str, catalog: str = "shop") -> App:
    app.go(f"{server}/aggregations?{urlencode({'plan': links.pack(text), 'catalog': catalog})}")
    app.page.locator(".pv-card h3").first.wait_for()
    return app


def stages(app: App) -> list[str]:
    """The titles of the cards that are stages, without their numbers."""
    titles: list[str] = app.page.evaluate(
        """() => [...document.querySelectorAll(".pv-card:not(.pv-input) h3")]
          .map((title) => title.lastChild.textContent.trim())"""
    )
    return titles


def cells(app: App, card: int) -> list[list[str]]:
    """The sample rows that a card shows, header rows left out."""
    found: list[list[str]] = app.page.evaluate(
        """card => [...document.querySelectorAll(".pv-card")[card].querySelectorAll(".pv-sample tbody tr")]
          .map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)).filter((row) => row.length)""",
        card,
    )
    return found


def brightness(picture: Any) -> bytes:
    grey: bytes = picture.convert("L").resize((120, 80)).tobytes()
    return grey


def test_a_query_has_stages_with_rows_and_a_setting_changes_them(server: str, tab: Callable[..., App]) -> None:
    app = aggregations(tab(), server, OBJECTS)
    assert stages(app) == ["Partial Object Hash Aggregate", "Final Object Hash Aggregate"]
    last = app.page.locator(".pv-card").count() - 1
    assert len(cells(app, 0)) == 8
    assert 0 < len(cells(app, last)) < 8
    app.page.get_by_role("radio", name=SORTED).click()
    app.page.locator(".pv-card h3", has_text="Final Sort Aggregate").wait_for()
    assert stages(app) == ["Partial Sort Aggregate", "Final Sort Aggregate"]
    app.page.get_by_text("spark.sql.execution.useObjectHashAggregateExec = false").first.wait_for()
    app.page.get_by_role("radio", name="as planned").click()
    app.page.locator(".pv-card h3", has_text="Final Object Hash Aggregate").wait_for()
    assert not app.complaints


def test_a_pasted_plan_has_its_stages_and_rows(server: str, tab: Callable[..., App]) -> None:
    (report,) = reports(open_document(DISTINCT, "shop"))
    assert report.execution is not None
    app = tab().go(f"{server}/aggregations")
    app.box.wait_for()
    app.paste(f"== Physical Plan ==\n{report.execution.physical.tree_string}\n")
    app.page.locator(".pv-card h3").first.wait_for()
    assert len(stages(app)) == 4
    assert len(cells(app, 0)) == 8
    assert not app.complaints


def test_it_is_drawn_in_the_dark(server: str, tab: Callable[..., App]) -> None:
    image = pytest.importorskip("PIL.Image")
    app = tab(1200)
    app.page.emulate_media(color_scheme="dark")
    aggregations(app, server, DISTINCT)
    app.page.get_by_role("button", name="Copy link").wait_for()
    cards = app.page.locator(".pv-flow").first
    seen = brightness(image.open(io.BytesIO(cards.screenshot())))
    assert sorted(seen)[len(seen) // 2] < 70  # most of it is the dark surface
    assert len({value // 16 for value in seen}) > 3  # and something is drawn on it
    assert not app.complaints
