"""Over whole suites of real queries, the checks of every join are a path through the tree to its outcome."""

from __future__ import annotations

from pathlib import Path

import pytest

from planviz.catalog import read_catalog
from planviz.config import OptimizerConfig
from planviz.decisions.join_tree import join_tree
from planviz.execution import explain

TPCDS = Path(__file__).resolve().parents[2].parent / "shared" / "corpus" / "tpcds"
SETTINGS = [
    {},
    {"spark.sql.join.preferSortMergeJoin": False},
    {"spark.sql.autoBroadcastJoinThreshold": -1, "spark.sql.optimizeNullAwareAntiJoin": False},
]


def joins(execution):
    """The decisions on joins."""
    return [d for d in execution.planned.decisions if d.strategy == "JoinSelection"]


@pytest.mark.slow
@pytest.mark.parametrize("profile", ["spark-4.3", "spark-3.0"])
def test_over_tpcds(profile):
    if not TPCDS.exists():
        pytest.skip("the captures of TPC-DS are not beside this checkout")
    catalog, tree = read_catalog(TPCDS / "catalog.json"), join_tree(profile)
    seen = 0
    for path in sorted((TPCDS / "queries").glob("*.sql"))[::4]:
        if path.stem == "q84":
            continue
        execution = explain(path.read_text(encoding="utf-8"), catalog, OptimizerConfig.of(profile))
        for settings in SETTINGS:
            again = execution.again(execution.config.with_settings(settings))
            for d in joins(again):
                leaf = tree.leaf(d.checks)
                assert leaf is not None, (path.stem, d)
                assert leaf.operator == d.outcome, (path.stem, d)
                seen += 1
    assert seen > 200
