"""Acceptance of the planner, item by item: each asserts the documents' own example."""

from __future__ import annotations

from collections import Counter

import pytest

from planviz.catalog import read_bundled
from planviz.config import OptimizerConfig
from planviz.document import open_sql
from planviz.execution import QueryExecution, explain
from planviz.physical import planner
from planviz.physical.exchanges import Exchange
from planviz.physical.plan import BinaryExec, LeafExec, UnaryExec

ITEMS = {f"D-{n:03}" for n in range(1, 10)}
TWO = "SELECT a, count(b) FROM t1 GROUP BY a"
FOUR = "SELECT a, count(DISTINCT b) FROM t1 GROUP BY a"
#: For the operators that become one operator each: a query that has them.
ONE_TO_ONE = {
    ("Project", "ProjectExec"): "SELECT a + 1 AS x FROM (SELECT a FROM t1 UNION ALL SELECT a FROM t2)",
    ("Filter", "FilterExec"): "SELECT * FROM (SELECT a, count(*) AS c FROM t1 GROUP BY a) WHERE c > 1",
    ("Sort", "SortExec"): "SELECT a FROM t1 ORDER BY a",
    ("Union", "UnionExec"): "SELECT a FROM t1 UNION ALL SELECT a FROM t2",
    ("Range", "RangeExec"): "SELECT id FROM range(10)",
    ("LocalRelation", "LocalTableScanExec"): "SELECT * FROM VALUES (1), (2) AS v(x)",
    ("Expand", "ExpandExec"): "SELECT a, b, count(*) FROM t1 GROUP BY ROLLUP (a, b)",
    ("Generate", "GenerateExec"): "SELECT explode(array(a, b)) FROM t1",
    ("Sample", "SampleExec"): "SELECT * FROM t1 TABLESAMPLE (10 PERCENT)",
    ("Window", "WindowExec"): "SELECT a, rank() OVER (PARTITION BY b ORDER BY a) FROM t1",
    ("RepartitionByExpression", "ShuffleExchangeExec"): "SELECT /*+ REPARTITION(3, a) */ a FROM t1",
    ("Repartition", "ShuffleExchangeExec"): "SELECT /*+ REPARTITION(3) */ a FROM t1",
    ("Repartition", "CoalesceExec"): "SELECT /*+ COALESCE(3) */ a FROM t1",
    ("LocalLimit", "LocalLimitExec"): "SELECT a FROM (SELECT a FROM t1 LIMIT 3) UNION ALL SELECT a FROM t2",
    ("GlobalLimit", "GlobalLimitExec"): "SELECT a FROM (SELECT a FROM t1 LIMIT 3) UNION ALL SELECT a FROM t2",
}
SHAPES = {"LeafExecNode": LeafExec, "UnaryExecNode": UnaryExec, "BinaryExecNode": BinaryExec}


def planned(sql: str) -> QueryExecution:
    settings = {"spark.sql.adaptive.enabled": "false"}
    execution = explain(sql, read_bundled("documents"), OptimizerConfig().with_settings(settings))
    _ = execution.physical
    return execution


def aggregates(sql: str) -> int:
    return Counter(node.node_name for node in planned(sql).spark_plan.walk())["HashAggregate"]


def test_d_001_five_stages_lead_from_text_to_what_runs() -> None:
    names = [stage["name"] for stage in planner.pipeline()]
    assert names == ["parsed", "analyzed", "optimized", "sparkPlan", "executedPlan"]
    document = open_sql(TWO, read_bundled("documents"))
    assert [plan.stage for plan in document.plans] == [*names[:-1], "physical"]


def test_d_002_the_planner_extends_the_strategies_and_those_the_query_planner() -> None:
    parents = {c["name"]: c["parent"] for c in planner.hierarchy()}
    assert parents == {"QueryPlanner": None, "SparkStrategies": "QueryPlanner", "SparkPlanner": "SparkStrategies"}
    assert {c["name"]: c["parent"] for c in planner.trees()}["SparkPlan"] == "QueryPlan"


def test_d_003_the_strategies_are_asked_in_order() -> None:
    old, new = planner.strategies("spark-3.0"), planner.strategies("spark-4.3")
    assert [name for name in new if name in old] == old
    assert old.index("FileSourceStrategy") < old.index("SpecialLimits") < old.index("Aggregation")
    assert old.index("Aggregation") < old.index("JoinSelection") < old.index("BasicOperators")


@pytest.mark.parametrize(("logical", "physical"), ONE_TO_ONE)
def test_d_004_one_operator_becomes_one(logical: str, physical: str) -> None:
    assert (logical, physical) in {(m.logical, m.physical) for m in planner.one_to_one()}
    execution = planned(ONE_TO_ONE[logical, physical])
    asked = [node for node in execution.optimized.walk() if type(node).__name__ == logical]
    made = [node for node in execution.spark_plan.walk() if type(node).__name__ == physical]
    # A projection right above a table is planned with its scan.
    assert 0 < len(made) <= len(asked)


@pytest.mark.parametrize(
    ("strategy", "sql", "pattern"),
    [
        ("JoinSelection", "SELECT t1.a FROM t1 JOIN t2 ON t1.a = t2.a AND t1.b > t2.b", "ExtractEquiJoinKeys: Inner"),
        ("Aggregation", TWO, "PhysicalAggregation: a#"),
        ("FileSourceStrategy", "SELECT a FROM t1 WHERE b > 1", "ScanOperation: columns a#"),
        ("SpecialLimits", "SELECT a FROM t1 ORDER BY a LIMIT 5", "Limit 5 over Sort"),
    ],
)
def test_d_005_a_strategy_takes_a_sub_tree_as_a_whole(strategy: str, sql: str, pattern: str) -> None:
    document = open_sql(sql, read_bundled("documents"))
    told = [step.matched() for step in document.trace.steps if step.short_rule == strategy and step.matched]
    assert told
    assert told[0].startswith(pattern)


@pytest.mark.parametrize("sql", [*ONE_TO_ONE.values(), "SELECT t1.a FROM t1 JOIN t2 ON t1.a = t2.a"])
def test_d_006_operators_are_leaves_or_have_one_input_or_two(sql: str) -> None:
    told = 0
    for node in planned(sql).spark_plan.walk():
        category = planner.category(type(node).__name__)
        if category in SHAPES:
            told += 1
            assert len(node.children) == list(SHAPES).index(category)
    assert told


def test_d_007_two_aggregates_without_distinct_four_with_it() -> None:
    assert (aggregates(TWO), aggregates(FOUR)) == (2, 4)


@pytest.mark.parametrize("sql", [TWO, FOUR, "SELECT a FROM t1 ORDER BY a"])
def test_d_008_no_strategy_plans_an_exchange(sql: str) -> None:
    execution = planned(sql)
    assert not [node for node in execution.spark_plan.walk() if isinstance(node, Exchange)]
    assert [node for node in execution.physical.walk() if isinstance(node, Exchange)]
    (step,) = (a for a in execution.trace if a.rule.endswith(".EnsureRequirements"))
    assert "Exchange" not in step.before.tree_string
    assert "Exchange" in step.after.tree_string


def test_d_009_no_cost_decides_among_physical_plans() -> None:
    assert "never implemented" in planner.cost_note()
    assert planner.cost_note() in next(s for s in planner.sections() if s.name == "pipeline").note
