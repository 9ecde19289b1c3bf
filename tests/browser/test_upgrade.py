"""The same queries in another Spark, on the Compare page in a browser."""

from __future__ import annotations

import re

import pytest

from planviz.ui import upgrade

pytestmark = pytest.mark.browser

TITLE, SQL, PROFILE, SETTINGS = upgrade.EXAMPLE


def test_what_changes_why_and_what_keeps_the_old_plan(tab, server):
    app = tab(1366, 768).go(f"{server}/compare")
    page = app.page
    page.get_by_role("button", name=TITLE).click()
    page.get_by_role("heading", name="Spark 4.3 plans this query otherwise than Spark 3.3.").wait_for()
    page.get_by_role("cell", name="spark.sql.optimizer.runtime.bloomFilter.enabled=false").wait_for()
    app.painted()

    page.get_by_role("combobox", name=re.compile("2 of 2 queries")).click()
    page.get_by_role("option", name=re.compile("line 8")).click()
    page.get_by_role("cell", name="spark.sql.optimizer.windowGroupLimitThreshold=-1").wait_for()
    app.painted()

    page.get_by_role("button", name="Plan Spark 4.3 with these settings").click()
    page.get_by_text("Spark 4.3, optimizer.windowGroupLimitThreshold=-1").wait_for()
    page.wait_for_function("location.search.includes('windowGroupLimitThreshold')")
    assert app.complaints == []


def test_another_spark_is_chosen_beside_the_open_query(tab, server):
    app = tab(1366, 768).go(f"{server}/compare")
    page = app.page
    page.get_by_role("button", name="TPC-H q5 without broadcast joins").click()
    app.painted()
    page.get_by_role("button", name="No broadcast joins").click()
    page.get_by_role("combobox", name=re.compile("The same query in another Spark than Spark 4.3")).click()
    page.get_by_role("option", name="Spark 3.5", exact=True).click()
    page.get_by_role("heading", name=re.compile("Spark 3.5 plans this query")).wait_for()
    app.wait_for_query("settings", "profile=spark-3.5")
    assert app.complaints == []
