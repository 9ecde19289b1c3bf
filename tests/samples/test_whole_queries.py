"""The documents' queries 11, 25 and 64 of TPC-DS, whole: what Spark made of them, and that the slides show the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from planviz.catalog import read_bundled
from planviz.catalog.tables import Catalog
from planviz.config import OptimizerConfig
from planviz.document.cardinality.slides import slide_example
from planviz.execution import QueryExecution, explain
from planviz.graph.trace import short_name
from planviz.logical.combining import Join

FOLDER = Path(__file__).parents[2] / "sample_queries" / "documents"
NO_ADAPTIVE = {"spark.sql.adaptive.enabled": "false"}
NO_BROADCAST = NO_ADAPTIVE | {"spark.sql.autoBroadcastJoinThreshold": "-1"}
COSTS = NO_ADAPTIVE | {"spark.sql.cbo.enabled": "true", "spark.sql.cbo.joinReorder.enabled": "true"}


def text(name: str) -> str:
    lines = (FOLDER / f"tpcds-{name}.sql").read_text("utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("--"))


@cache
def small(size: int) -> Catalog:
    """TPC-DS with tables of this many bytes and without statistics of columns."""
    whole = read_bundled("tpcds")
    tables = {
        key: replace(table, size_in_bytes=size, row_count=1_000, column_stats={}) for key, table in whole.tables.items()
    }
    return replace(whole, tables=tables)


def planned(name: str, catalog: Catalog, settings: dict[str, str]) -> QueryExecution:
    execution = explain(text(name), catalog, OptimizerConfig().with_settings(settings))
    _ = execution.physical
    return execution


def operators(execution: QueryExecution) -> Counter[str]:
    return Counter(node.node_name for node in execution.physical.walk())


def fired(execution: QueryExecution) -> set[str]:
    return {short_name(application.rule) for application in execution.trace}


@pytest.mark.parametrize("name", ["q11", "q25", "q64"])
def test_the_slides_show_the_same_text(name: str) -> None:
    assert slide_example(name).sql.strip() == text(name).strip()


def test_q11_fires_the_rules_that_its_text_gives_work() -> None:
    """E-085: a key that is there twice, branches that are dropped, conditions that are known."""
    rules = {"RemoveRepetitionFromGroupExpressions", "PruneFilters", "PropagateEmptyRelation", "SimplifyConditionals"}
    execution = planned("q11", read_bundled("tpcds"), NO_ADAPTIVE)
    assert rules <= fired(execution)
    assert len(execution.optimized.collect(Join)) == 11


def test_q11_without_broadcasts_sorts_nine_joins_and_reuses_exchanges() -> None:
    """E-085: 9 sort merge joins, 4 to 5 exchanges that are reused; by default every join is broadcast."""
    found = operators(planned("q11", small(100_000), NO_BROADCAST))
    assert found["SortMergeJoin"] == 9
    assert found["ReusedExchange"] in (4, 5)
    broadcast = operators(planned("q11", small(100), NO_ADAPTIVE))
    assert broadcast["BroadcastHashJoin"] + broadcast["SortMergeJoin"] == 11


def test_q25_joins_eight_relations_and_costs_put_them_in_another_order() -> None:
    """E-088, E-091: store_sales meets store_returns first without costs, its dates first with them."""
    plain = planned("q25", read_bundled("tpcds"), NO_ADAPTIVE)
    assert len(plain.optimized.collect(Join)) == 7
    assert "CostBasedJoinReorder" not in fired(plain)
    ordered = planned("q25", read_bundled("tpcds"), COSTS)
    assert "CostBasedJoinReorder" in fired(ordered)
    assert first_partner(plain) == "store_returns"
    assert first_partner(ordered) == "date_dim"


def first_partner(execution: QueryExecution) -> str:
    """The table that store_sales is joined with before any other."""
    lowest = next(
        join
        for join in reversed(execution.optimized.collect(Join))
        if "store_sales" in str(join.left) and not join.left.collect(Join)
    )
    return next(name for name in ("store_returns", "date_dim", "item", "store,") if name in str(lowest.right))


def test_q64_is_not_reordered_for_it_joins_more_than_twelve_relations() -> None:
    """E-092: eighteen relations, spark.sql.cbo.joinReorder.dp.threshold is 12."""
    execution = planned("q64", read_bundled("tpcds"), COSTS)
    assert "CostBasedJoinReorder" not in fired(execution)
    # Each of the two readings joins eighteen relations, one of which is a join itself; both readings are joined.
    assert len(execution.optimized.collect(Join)) == 2 * (17 + 1) + 1


def test_q64_without_broadcasts_has_34_sort_merge_joins_and_reuses_20_exchanges() -> None:
    """E-094."""
    found = operators(planned("q64", small(100_000), NO_BROADCAST))
    assert (found["SortMergeJoin"], found["ReusedExchange"]) == (34, 20)
