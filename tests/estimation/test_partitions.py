"""Partitions that a filter picks: estimates with and without rows (those with rows as Spark 4.3 printed them)."""

from __future__ import annotations

import pytest

from planviz.catalog.bundled import read_bundled
from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig
from planviz.estimation import Estimator, explain_estimate
from planviz.execution import explain
from planviz.logical.operators import Filter
from planviz.logical.relations import LogicalRelation


def estimates(condition: str, cbo: bool, catalog: Catalog | None = None):
    config = OptimizerConfig().with_settings({"spark.sql.cbo.enabled": str(cbo).lower()})
    plan = explain(f"SELECT user_id FROM orders WHERE {condition}", catalog or read_bundled("shop"), config).optimized
    nodes = [n for n in plan.walk() if isinstance(n, Filter | LogicalRelation)]
    found = map(Estimator(config).estimate, nodes)
    return [(e.rows, e.size) for e in found], explain_estimate(nodes[-1], config)


@pytest.mark.parametrize(("condition", "expected"), [
    ("order_month = '2026-01'", [(41667, 3666696), (41667, 3666696)]),
    ("order_month IN ('2026-01', '2026-03')", [(55556, 4888928), (83334, 7333392)]),
    ("(order_month = '2026-01' AND store_id = 1) OR (order_month = '2026-02' AND store_id = 2)",
     [(4730, 416240), (81598, 7180624)]),
    ("store_id = 3", [(5000, 440000), (1000000, 88000000)]),
])  # fmt: skip
def test_rows_are_those_of_the_partitions_and_the_filter_counts_once_more(condition, expected):
    found, record = estimates(condition, cbo=True)
    assert found == expected
    assert ("partitions" in record.formula.name) == (condition != "store_id = 3")


def test_without_rows_bytes_are_in_proportion_and_those_of_the_table_where_nothing_is_known():
    found, record = estimates("order_month = '2026-01'", cbo=False)
    assert found == [(None, 2333352), (None, 2333352)]
    assert dict(record.inputs)["rows of the partitions"] == 41667
    bare = Catalog().with_table(read_bundled("shop").with_statistics("orders", row_count=None).table(("orders",)))
    assert estimates("order_month = '2026-01'", False, bare)[0] == [(None, 56000000)] * 2
