"""The preparations as rules: every one is a step with the plan before and after, under the name of Spark's class."""

from __future__ import annotations

import pytest

from planviz.catalog import read_bundled
from planviz.config import OptimizerConfig
from planviz.execution import QueryExecution, explain
from planviz.physical.preparations.rules import EXECUTOR, preparation_classes

CLASSES = preparation_classes()


def planned(sql: str, **settings: str) -> QueryExecution:
    execution = explain(sql, read_bundled("documents"), OptimizerConfig().with_settings(settings))
    _ = execution.planned
    return execution


def steps(execution: QueryExecution) -> list[tuple[str, str]]:
    runs = {run.number for run in execution.trace.runs if run.executor == EXECUTOR}
    return [(a.batch, a.rule.rpartition(".")[2]) for a in execution.trace if a.run in runs]


@pytest.mark.parametrize("name", [name for name, rule in CLASSES.items() if rule.example])
def test_a_preparation_fires_in_its_example(name: str) -> None:
    execution = planned(CLASSES[name].example, **CLASSES[name].settings)
    assert name in [rule for _, rule in steps(execution)]


@pytest.mark.parametrize("name", CLASSES)
def test_every_preparation_says_what_it_does(name: str) -> None:
    assert " => " in (CLASSES[name].__doc__ or "")
    assert CLASSES[name].package.startswith("org.apache.spark.sql.execution")


def test_the_steps_lead_from_the_spark_plan_to_the_executed_one() -> None:
    execution = planned("SELECT a, count(*) FROM t1 GROUP BY a", **{"spark.sql.adaptive.enabled": "false"})
    own = [a for a in execution.trace if a.batch == "Preparations"]
    assert own[0].before is execution.planned.spark
    assert own[-1].after is execution.planned.executed
    assert [a.after for a in own[:-1]] == [a.before for a in own[1:]]
    assert "Exchange" not in own[0].before.tree_string
    names = [rule for _, rule in steps(execution)]
    assert names.index("EnsureRequirements") < names.index("CollapseCodegenStages")


def test_adaptive_execution_prepares_within_its_own_step() -> None:
    execution = planned("SELECT a, count(*) FROM t1 GROUP BY a")
    assert steps(execution)[-1] == ("Preparations", "InsertAdaptiveSparkPlan")
    assert ("AQE Preparations", "EnsureRequirements") in steps(execution)
    around, within = (run for run in execution.trace.runs if run.executor == EXECUTOR)
    assert (around.parent, within.parent) == (None, around.number)


def test_a_subquery_is_prepared_within_the_step_that_plans_it() -> None:
    execution = planned(CLASSES["PlanSubqueries"].example, **{"spark.sql.adaptive.enabled": "false"})
    names = [rule for _, rule in steps(execution)]
    assert names.index("EnsureRequirements") < names.index("PlanSubqueries")
    inner = [run for run in execution.trace.runs if run.executor == EXECUTOR and run.parent is not None]
    assert inner


@pytest.mark.parametrize(
    ("sql", "kept"),
    [
        ("SELECT * FROM (SELECT a, b FROM t1 SORT BY b) DISTRIBUTE BY a", False),
        ("SELECT /*+ REPARTITION(3) */ * FROM (SELECT a, b FROM t1 SORT BY b)", False),
        ("SELECT /*+ COALESCE(3) */ * FROM (SELECT a, b FROM t1 SORT BY b)", True),
    ],
)
def test_a_sort_right_beneath_a_shuffle_is_dropped(sql: str, kept: bool) -> None:
    assert ("Sort [b" in planned(sql).text("physical")) == kept
    earlier = explain(sql, read_bundled("documents"), OptimizerConfig.of("spark-4.2"))
    assert "Sort [b" in earlier.text("physical")
