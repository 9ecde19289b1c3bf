"""Acceptance of the estimates, item by item, in planviz and on a real Spark (see estimates.py and group_e.txt)."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.document.crossovers import crossovers
from planviz.document.what_if import resized_table
from planviz.execution import explain
from tests.acceptance.engines import real_spark, skip_without_java
from tests.acceptance.estimates import CountedSpark, check, counted_catalog, ours
from tests.acceptance.table import cases

CASES = cases("group_e.txt")
IDS = [f"{c.item}-{i}" for i, c in enumerate(CASES)]


@pytest.fixture(scope="module")
def catalog():
    return counted_catalog()


@pytest.fixture(scope="module")
def spark(catalog):
    skip_without_java()
    return CountedSpark(real_spark().spark, catalog)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_planviz(case, catalog):
    check(case, ours(case, catalog))


@pytest.mark.spark
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_spark(case, spark):
    check(case, spark.estimated(case))


JOINED = "SELECT * FROM ja JOIN jb ON ja.k1 = jb.k1"


@pytest.mark.spark
@pytest.mark.parametrize("cbo", [False, True], ids=["size", "rows"])
@pytest.mark.parametrize("table", ["ja", "jb"])
def test_e_072_spark_changes_the_join_at_the_same_byte(table, cbo, catalog, spark):
    settings = {"spark.sql.cbo.enabled": cbo, "spark.sql.adaptive.enabled": False}
    found = crossovers(explain(JOINED, catalog, OptimizerConfig().with_settings(settings)), table)

    assert found.crossovers
    for crossing in found.crossovers:
        for size, joins in ((crossing.at, crossing.changes[0].before), (crossing.at + 1, crossing.changes[0].after)):
            grown = resized_table(catalog.table((table,)), size)
            assert spark.joins(JOINED, settings, grown) == joins.split(", ")
    spark.tell(catalog.table((table,)))
