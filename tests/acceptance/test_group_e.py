"""Acceptance of the estimates, item by item, in planviz and on a real Spark (see estimates.py and group_e.txt)."""

from __future__ import annotations

import pytest

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
