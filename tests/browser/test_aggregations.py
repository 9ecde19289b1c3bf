"""The Aggregations page in a real browser: stages, rows through them, another setting, a pasted plan, dark."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
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
TWO = (
    "SELECT user_id, n FROM (SELECT user_id, count(*) AS n FROM orders GROUP BY user_id) "
    "WHERE n > (SELECT max(amount) FROM orders)"
)
SORTED = "useObjectHashAggregateExec = false"


def aggregations(app: App, server: str, text: str, catalog: str = "shop") -> App:
    app.go(f"{server}/aggregations?{urlencode({'plan': links.pack(text), 'catalog': catalog})}")
    app.page.locator(".pv-card h3").first.wait_for()
    return app


def stages(app: App) -> list[str]:
    """The titles of the cards that are stages, without their numbers."""
    titles = app.page.locator(".pv-card:not(.pv-input) h3")
    return [text.lstrip("0123456789") for text in titles.all_text_contents()]


def cells(app: App, card: int) -> list[list[str]]:
    """The sample rows that a card shows, header rows left out."""
    rows = app.page.locator(".pv-card").nth(card).locator(".pv-sample tbody tr:not(.pv-where)")
    return [row.locator("td").all_text_contents() for row in rows.all()]


def brightness(picture: Any) -> bytes:
    grey: bytes = picture.convert("L").resize((120, 80)).tobytes()
    return grey


def test_a_query_has_stages_with_rows_and_a_setting_changes_them(server: str, tab: Callable[..., App]) -> None:
    app = aggregations(tab(), server, OBJECTS)
    assert stages(app) == ["Partial Object Hash Aggregate", "Final Object Hash Aggregate"]
    last = app.page.locator(".pv-card").count() - 1
    assert len(cells(app, 0)) == 8
    assert 0 < len(cells(app, last)) < 8
    app.page.get_by_role("button", name=SORTED).click()
    app.page.locator(".pv-card h3", has_text="Final Sort Aggregate").wait_for()
    assert stages(app) == ["Partial Sort Aggregate", "Final Sort Aggregate"]
    app.page.get_by_text("spark.sql.execution.useObjectHashAggregateExec = false").first.wait_for()
    app.page.get_by_role("button", name="as planned").click()
    app.page.locator(".pv-card h3", has_text="Final Object Hash Aggregate").wait_for()
    assert not app.complaints


def test_rows_are_edited_and_what_is_wrong_with_them_is_said(server: str, tab: Callable[..., App]) -> None:
    app = aggregations(tab(), server, DISTINCT)
    first = app.page.get_by_role("textbox", name="Row 1, user_id")
    assert len(cells(app, 0)) == 8
    first.fill("x")
    app.page.get_by_text("Row 1, user_id: x is no bigint.").first.wait_for()
    assert first.input_value() == "x"
    first.fill("77")
    app.page.locator(".pv-card").first.get_by_role("cell", name="77").wait_for()
    app.page.get_by_role("button", name="Remove row 2").click()
    app.page.locator(".pv-card h4", has_text="7 sample rows").wait_for()
    app.page.get_by_role("button", name="The rows that were made up").click()
    app.page.locator(".pv-card h4", has_text="8 sample rows").wait_for()
    assert first.input_value() != "77"
    assert not app.complaints


def test_the_operators_are_played_when_they_come_into_view(server: str, tab: Callable[..., App]) -> None:
    app = aggregations(tab(), server, DISTINCT)
    assert not app.page.locator(".pv-playback").count()
    app.page.get_by_text("Row by row").scroll_into_view_if_needed()
    app.page.locator(".pv-playback .pv-plays button", has_text="4 ").wait_for()
    app.page.get_by_role("button", name="for 2 groups").click()
    app.page.locator(".pv-playback").first.wait_for()
    with app.page.expect_download() as download:
        app.page.get_by_role("button", name="As interactive HTML").click()
    assert b"<title>" in Path(download.value.path()).read_bytes()
    assert not app.complaints


def test_another_aggregate_is_in_the_address_and_back_leads_back(server: str, tab: Callable[..., App]) -> None:
    app = aggregations(tab(), server, TWO)
    heading = app.page.locator(".pv-agg-lead h3")
    before = heading.text_content()
    app.page.keyboard.press("k")  # the page opens at the query's own, the second
    app.page.wait_for_url("**aggregate=1**")
    assert heading.text_content() != before
    app.page.go_back()
    app.page.locator('.pv-agg-rows tr[aria-selected="true"] button', has_text="2").wait_for()
    assert heading.text_content() == before
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


def test_four_stages_with_what_they_read_fit_a_small_screen(server: str, tab: Callable[..., App]) -> None:
    app = tab()
    app.page.set_viewport_size({"width": 1366, "height": 768})
    sql = "SELECT k, count(DISTINCT a), count(DISTINCT b), sum(c) FROM t GROUP BY k"
    app.go(f"{server}/aggregations?{urlencode({'plan': str(links.pack(sql))})}")
    app.page.locator(".pv-card").nth(5).wait_for()

    cards = app.page.locator(".pv-flow .pv-card")
    assert cards.count() == 6
    box = cards.nth(5).bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 1366


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
