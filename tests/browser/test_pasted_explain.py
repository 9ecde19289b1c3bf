"""A DataFrame program's `explain(True)` pasted: rules stepped, a threshold raised until a join flips, exported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest

from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig
from planviz.programs import read_program
from planviz.ui import links
from tests.browser.app import App

pytestmark = pytest.mark.browser

PROGRAM = """from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()
orders = spark.read.schema("order_id BIGINT, user_id BIGINT, amount DOUBLE, status STRING").parquet("/data/orders")
users = spark.read.schema("user_id BIGINT, country STRING").parquet("/data/users")
paid = orders.filter(F.col("status") == "paid")
paid.join(users, "user_id").groupBy("country").agg(F.sum("amount").alias("total")).explain(True)
"""


def explained() -> str:
    program = read_program(PROGRAM, Catalog(), OptimizerConfig(), None)
    # Spark prints where the files are, with the kind of place.
    return program.actions[-1].execution.explain_string("extended").replace("[/data/", "[file:/data/")


def opened(app: App, server: str, page: str, **query: str) -> App:
    asked = {"plan": str(links.pack(explained())), **query}
    app.go(f"{server}/{page}?{urlencode(asked, quote_via=quote)}")
    app.page.get_by_text("replayed, equals what Spark printed").wait_for()
    return app


def test_its_rules_are_stepped(server: str, tab: Callable[..., App]) -> None:
    app = opened(tab(), server, "rules")
    app.settled()
    first = app.page.evaluate("__planviz.handle.state().k")
    assert first > 0  # the first step that changes more than names and columns
    app.page.keyboard.press("ArrowLeft")
    app.page.wait_for_function(f"__planviz.handle.state().k === {first - 1}")
    app.page.keyboard.press("ArrowRight")
    app.page.wait_for_function(f"__planviz.handle.state().k === {first}")
    assert not app.complaints


def test_a_raised_threshold_flips_its_join_and_the_picture_is_exported(server: str, tab: Callable[..., App]) -> None:
    app = opened(tab(), server, "joins")
    app.settled()
    assert "> 10 MiB" in app.page.locator(".pv-panel").inner_text()
    app.page.get_by_text("Planning what would change it").wait_for(state="hidden")
    slider = app.page.get_by_role("slider", name="threshold", exact=True)
    slider.scroll_into_view_if_needed()
    slider.focus()
    for _ in range(60):
        if app.page.evaluate("__planviz.handle.state().ops[0]") == "BroadcastHashJoin":
            break
        app.page.keyboard.press("PageUp")
        app.page.wait_for_timeout(200)
    assert app.page.evaluate("__planviz.handle.state().ops") == ["BroadcastHashJoin"]
    with app.page.expect_download() as waiting:
        app.page.get_by_role("link", name="SVG", exact=True).click()
    assert b"<svg" in Path(waiting.value.path()).read_bytes()[:200]
    assert not app.complaints


def test_sizes_are_typed_into_the_panel(server: str, tab: Callable[..., App]) -> None:
    app = opened(tab(), server, "joins")
    app.page.get_by_role("button", name="Settings and sizes").click()
    app.page.get_by_role("textbox", name="users: more than").fill("900MB")
    app.page.get_by_role("button", name="Plan with these").click()
    app.page.get_by_text("users: 900 MiB, given").wait_for(state="attached")
    app.page.wait_for_function("location.search.includes('size.users')")
    assert not app.complaints
