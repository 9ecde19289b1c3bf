"""The planner's strategies as steps: what each matched, and the plan between the logical and the physical one."""

from __future__ import annotations

import pytest

from planviz.catalog import read_bundled
from planviz.config import OptimizerConfig
from planviz.document import open_sql
from planviz.execution import STAGES, QueryExecution, explain
from planviz.physical.planner import strategies
from planviz.physical.strategies.reference import strategy_classes
from planviz.physical.strategies.steps import EXECUTOR
from planviz.trees.trace import DeferredTree, RuleApplication

CLASSES = strategy_classes()
JOINED = "SELECT t1.a, count(*) FROM t1 JOIN t2 ON t1.a = t2.a AND t1.b > t2.b GROUP BY t1.a ORDER BY t1.a LIMIT 3"


def planned(sql: str, **settings: str) -> QueryExecution:
    execution = explain(sql, read_bundled("documents"), OptimizerConfig().with_settings(settings))
    _ = execution.planned
    return execution


def steps(execution: QueryExecution) -> list[RuleApplication]:
    runs = {run.number for run in execution.trace.runs if run.executor == EXECUTOR}
    return [a for a in execution.trace if a.run in runs]


def name(step: RuleApplication) -> str:
    return step.rule.rpartition("$")[2].rpartition(".")[2]


def words(step: RuleApplication) -> str:
    assert step.matched is not None
    return step.matched()


@pytest.mark.parametrize("strategy", [name for name, cls in CLASSES.items() if cls.example])
def test_a_strategy_plans_a_part_of_its_example(strategy: str) -> None:
    assert strategy in [name(step) for step in steps(planned(CLASSES[strategy].example))]


@pytest.mark.parametrize("strategy", CLASSES)
def test_every_strategy_is_one_of_sparks_and_says_what_it_does(strategy: str) -> None:
    assert strategy in strategies()
    assert " => " in (CLASSES[strategy].__doc__ or "")


def test_the_steps_lead_from_the_optimized_plan_to_the_spark_plan() -> None:
    execution = planned(JOINED)
    own = steps(execution)
    assert own[0].before is execution.optimized
    assert own[-1].after is execution.spark_plan
    assert [a.after for a in own[:-1]] == [a.before for a in own[1:]]
    named = [name(step) for step in own]
    assert named[:2] == ["SpecialLimits", "Aggregation"]
    assert named.count("JoinSelection") == 1
    assert named.count("FileSourceStrategy") == 2


def test_between_them_the_plan_is_physical_above_and_logical_beneath() -> None:
    own = steps(planned(JOINED))
    join = next(step for step in own if name(step) == "JoinSelection")
    assert isinstance(join.before, DeferredTree)
    assert isinstance(join.after, DeferredTree)
    before, after = join.before.tree.tree_string, join.after.tree.tree_string
    assert "HashAggregate" in before
    assert "Join Inner" in before
    assert "Join Inner" not in after
    assert "BroadcastHashJoin" in after
    assert after.count("Relation ") == 2
    assert [line for line in before.splitlines() if not line.lstrip(" :+-")[:1].isalpha()] == []


def test_a_step_says_what_its_strategy_matched() -> None:
    told = {name(step): words(step) for step in steps(planned(JOINED))}
    assert told["JoinSelection"].startswith("ExtractEquiJoinKeys: Inner on a#")
    assert "the rest of the condition: (b#" in told["JoinSelection"]
    assert told["Aggregation"].startswith("PhysicalAggregation: a#")
    assert "count(1)" in told["Aggregation"]
    assert told["SpecialLimits"] == "Limit 3 over Sort"
    assert told["FileSourceStrategy"].startswith("ScanOperation: columns a#")


def test_every_step_changes_the_plan_and_the_number_is_that_of_the_operators() -> None:
    execution = planned("SELECT a FROM t1 WHERE a > (SELECT max(a) FROM t2) UNION ALL SELECT a FROM t2")
    document = open_sql(execution.sql, read_bundled("documents"))
    found = [step for step in document.trace.steps if step.matched is not None]
    assert found
    assert all(step.before != step.after for step in found)


def test_the_spark_plan_is_a_stage() -> None:
    document = open_sql(JOINED, read_bundled("documents"))
    assert [plan.stage for plan in document.plans] == list(STAGES)
    spark, physical = document.plans[-2:]
    assert not any(node.kind == "exchange" for node in spark)
    assert any(node.kind == "exchange" for node in physical)
    assert document.statements[0].text("sparkPlan") == planned(JOINED).spark_plan.tree_string
