"""The Upgrade part of the Compare page: which comparisons are one, what it tells of them; without a browser."""

from __future__ import annotations

import gzip
import json

import pytest

from planviz.samples import load
from planviz.ui import compare, upgrade, upgrade_page
from planviz.ui.cache import open_document
from planviz.ui.compare import Other
from planviz.ui.upgrade import Versions

TITLE, SQL, PROFILE, SETTINGS = upgrade.EXAMPLE
OTHER = Other(settings=SETTINGS)


@pytest.fixture
def opened():
    return open_document(SQL, "tpch", PROFILE)


def test_only_the_same_queries_as_another_version_are_an_upgrade(opened):
    assert upgrade.versions_of(opened, OTHER) == Versions("spark-3.3", "spark-4.3")
    assert upgrade.versions_of(opened, Other(settings="profile=spark-3.3")) is None
    assert upgrade.versions_of(opened, Other(settings="profile=spark-9.9")) is None
    assert upgrade.versions_of(opened, Other(settings=f"{SETTINGS}\nspark.sql.cbo.enabled=true")) is None
    assert upgrade.versions_of(opened, Other(text="SELECT 1", settings=SETTINGS)) is None
    assert upgrade.versions_of(open_document(SQL, "tpch", "databricks-15.4"), OTHER) is None
    assert upgrade.versions_of(open_document(load("broadcast-and-merge-join")), OTHER) is None


def test_every_query_is_told_with_its_plans_on_both_sides(opened):
    first, second = upgrade.queries(opened, OTHER)
    assert [first.state, second.state] == ["changed", "changed"]
    assert (first.line, second.line) == (1, 8)
    assert second.label.startswith("≠ line 8: SELECT o_custkey, o_orderkey")
    other = compare.other_side(opened, OTHER)
    assert "Window Group Limit" not in _titles(opened.graph(second.plan_a))
    assert "Window Group Limit" in _titles(other.graph(second.plan_b))
    assert upgrade.number_of(opened, second.plan_a) == 1
    assert upgrade.summary((first, second)) == "2 of 2 queries get another plan"


def test_causes_are_told_with_the_settings_that_keep_the_old_plan_and_those_do(opened):
    first, second = upgrade.queries(opened, OTHER)
    for query, setting in ((first, "optimizer.runtime.bloomFilter.enabled=false"),
                           (second, "optimizer.windowGroupLimitThreshold=-1")):  # fmt: skip
        causes = upgrade.causes(opened, OTHER, query.number)
        assert causes.kept == f"spark.sql.{setting}"
        assert causes.unexplained == ()
        told = upgrade_page.table(Versions("spark-3.3", "spark-4.3"), causes)
        assert f"<code>spark.sql.{setting}</code>" in told
        kept = Other(settings=f"{SETTINGS}\n{causes.kept}", plan_a=query.plan_a, plan_b=query.plan_b)
        found = json.loads(gzip.decompress(compare.data(opened, kept, "q")))
        assert {effect["label"] for effect in found["effects"]} <= {"operator changed", "filter changed"}


def test_a_downgrade_names_the_settings_of_the_newer_version():
    (query,) = upgrade.queries(open_document(SQL.partition(";")[0], "tpch"), Other(settings="profile=spark-3.3"))
    assert query.state == "changed"
    versions = Versions("spark-4.3", "spark-3.3")
    assert (versions.older, versions.newer) == ("spark-3.3", "spark-4.3")
    assert upgrade.headline(versions, query) == "Spark 3.3 plans this query otherwise than Spark 4.3."


def test_queries_that_stay_and_one_that_only_the_new_version_knows_are_told_so():
    opened = open_document("SELECT 1 AS one;\nSELECT is_valid_utf8(o_comment) FROM orders", "tpch", "spark-3.5")
    other = Other(settings="profile=spark-4.1")
    first, second = upgrade.queries(opened, other)
    assert [first.state, second.state] == ["same", "works"]
    assert (second.plan_a, second.plan_b != "") == ("", True)
    assert upgrade.summary((first, second)) == "0 of 2 queries get another plan"
    assert "is_valid_utf8" in second.message
    assert upgrade.headline(Versions("spark-3.5", "spark-4.1"), second) == (
        "This query fails on Spark 3.5, not on Spark 4.1."
    )


def test_both_sides_go_by_their_versions(opened):
    found = json.loads(gzip.decompress(compare.data(opened, OTHER, "q")))
    assert found["names"] == ["Spark 3.3", "Spark 4.3"]


def test_the_report_is_that_of_the_command_line(opened):
    told = upgrade.report(opened, OTHER, "markdown").decode()
    assert told.startswith("### Spark 3.3 → Spark 4.3")
    assert "`spark.sql.optimizer.windowGroupLimitThreshold=-1`" in told
    assert upgrade.report(opened, OTHER, "html").startswith(b"<!doctype html>")


def _titles(graph) -> set[str]:
    from planviz.graph.words import title

    return {title(node) for node in graph}
