"""Lines of a program, or of SQL, and the operators that they made: on Explore, Rules and Joins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.app import App

pytestmark = pytest.mark.browser

JOB = """\
from pyspark.sql import SparkSession, functions as F

spark = SparkSession.builder.getOrCreate()

large = spark.table("orders").where(F.col("amount") > 20)
german = spark.table("users").filter("country = 'DE'")
joined = large.join(german, "user_id")
totals = joined.groupBy("tier").agg(F.sum("amount").alias("total"))
totals.orderBy("total").show()
"""
SQL = """\
SELECT u.tier, sum(o.amount) AS total
FROM orders o
JOIN users u ON o.user_id = u.user_id
WHERE o.amount > 20
GROUP BY u.tier
"""


def line(page: Any, number: int) -> Any:
    return page.locator(f'.pv-program .pv-text-line[data-line="{number}"]')


def lit(page: Any) -> list[int]:
    return [int(row.get_attribute("data-line")) for row in page.locator(".pv-program .pv-marked").all()]


def opened(app: App, server: str, text: str) -> Any:
    app.go(server)
    app.box.wait_for()
    app.paste(text)
    app.painted()
    return app.page


def test_an_operator_lights_its_line_and_a_line_its_operators(server: str, tab: Callable[..., App]) -> None:
    app = tab()
    page = opened(app, server, JOB)
    line(page, 8).click()
    # Both stages of the aggregate, the exchange between them, the columns that it reads.
    page.get_by_text("4 operators from line 8", exact=True).wait_for()
    assert page.locator(".pv-panel h3").inner_text() == "Final Hash Aggregate"
    page.get_by_role("button", name="Tree", exact=True).click()
    page.get_by_role("treeitem").filter(has_text="Scan users").click()
    page.get_by_role("button", name="Program", exact=True).click()
    assert lit(page) == [6]
    assert page.locator(".pv-panel code", has_text="german = spark.table").count() == 1
    line(page, 1).click()
    page.get_by_text("Line 1 made no operator that is shown here.").wait_for()
    assert not app.complaints


def test_a_filter_that_was_pushed_below_the_join_still_lights_its_own_line(
    server: str, tab: Callable[..., App]
) -> None:
    app = tab()
    page = opened(app, server, SQL)
    page.get_by_role("button", name="SQL", exact=True).click()
    line(page, 4).click()
    page.get_by_text("1 operator from line 4", exact=True).wait_for()
    assert page.locator(".pv-panel h3").inner_text() == "Filter"
    assert "amount" in page.locator(".pv-panel dl").inner_text()


def test_lines_go_along_through_rules_and_joins(server: str, tab: Callable[..., App]) -> None:
    app = tab()
    page = opened(app, server, JOB)
    page.get_by_role("link", name="Rules").first.click()
    page.locator(".pv-player").first.wait_for()
    app.settled()
    page.get_by_role("button", name="Program", exact=True).click()
    line(page, 7).click()
    page.locator(".pv-program-said").filter(has_text="from line 7").wait_for()
    page.get_by_role("button", name="Next step").click()
    assert "from line 7" in page.locator(".pv-program-said").inner_text()
    assert lit(page) == [7]
    page.get_by_role("link", name="Joins").first.click()
    page.locator(".pv-joins").first.wait_for()
    app.settled()
    page.get_by_role("button", name="Program", exact=True).click()
    # The join that is shown is lit before anybody clicks.
    assert lit(page) == [7]
    line(page, 7).click()
    page.get_by_text("1 join from line 7", exact=True).wait_for()
    line(page, 8).click()
    page.get_by_text("Line 8 made no join that is shown here.").wait_for()
    assert not app.complaints
