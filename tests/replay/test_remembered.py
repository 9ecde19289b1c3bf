"""What was made under some settings stands for others that give the same answers, and for no others."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planviz.catalogs import read as read_catalog
from planviz.config import OptimizerConfig
from planviz.execution import QueryExecution
from planviz.replay.remembered import Remembered, same_batches

TABLES = "CREATE TABLE t (a INT, b INT, c STRING) USING parquet;"
REUSE, PARTITIONS = "spark.sql.exchange.reuse", "spark.sql.shuffle.partitions"


def times_made(ask: Callable[[OptimizerConfig], object], first: OptimizerConfig, then: OptimizerConfig) -> int:
    """How often something that asks its settings so is made, where it is wanted under `first` and under `then`."""
    made: list[object] = []
    memory: Remembered[int] = Remembered()
    plan = object()

    def make(config: OptimizerConfig) -> int:
        made.append(ask(config))
        return len(made)

    for config in (first, then):
        memory.of(plan, "beside", config, make)
    return len(made)


@pytest.mark.parametrize(
    ("ask", "changes", "expected"),
    [
        (lambda c: c.flag(REUSE), {PARTITIONS: 7}, 1),
        (lambda c: c.flag(REUSE), {REUSE: False}, 2),
        (lambda c: c.number(PARTITIONS), {PARTITIONS: 7}, 2),
        (lambda c: c.with_settings({"spark.sql.cbo.enabled": True}), {PARTITIONS: 7}, 2),
        (lambda c: c.parallelism, {"spark.sql.leafNodeDefaultParallelism": 4}, 2),
        (lambda c: None, {PARTITIONS: 7, REUSE: False}, 1),
    ],
)
def test_what_asked_for_a_setting_is_made_again_where_that_differs(
    ask: Callable[[OptimizerConfig], object], changes: dict[str, object], expected: int
) -> None:
    config = OptimizerConfig()
    assert times_made(ask, config, config.with_settings(changes)) == expected


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        (lambda c: c.behaviour.scans_take_subqueries, 1),
        (lambda c: c.behaviour.lambdas_are_coded, 2),
        (lambda c: hash(c.behaviour), 2),
        (lambda c: c.version, 2),
        (lambda c: c.flag("spark.sql.codegen.wholeStage.union.enabled"), 2),
    ],
)
def test_what_asked_for_a_version_is_made_again_where_that_differs(
    ask: Callable[[OptimizerConfig], object], expected: int
) -> None:
    assert times_made(ask, OptimizerConfig.of("spark-4.3"), OptimizerConfig.of("spark-4.2")) == expected


def test_another_plan_and_what_fails_are_made_again() -> None:
    memory: Remembered[int] = Remembered()
    config, one, other = OptimizerConfig(), object(), object()
    assert memory.of(one, 1, config, lambda _: 1) == 1
    assert memory.of(other, 1, config, lambda _: 2) == 2
    assert memory.of(one, 2, config, lambda _: 3) == 3
    assert memory.of(one, 1, config, lambda _: 4) == 1
    with pytest.raises(ZeroDivisionError):
        memory.of(one, 3, config, lambda _: 1 // 0)
    assert memory.of(one, 3, config, lambda _: 4) == 4


#: A query, and whether 4.2 has all of the rules of 4.3 that change it.
QUERIES = [
    ("SELECT a FROM t WHERE b > 1 + 1", True),
    ("SELECT k, sum(n) FROM (SELECT a AS k, b, count(*) AS n FROM t GROUP BY a, b) GROUP BY k", False),
]


@pytest.mark.parametrize(("sql", "same"), QUERIES)
def test_batches_do_the_same_without_rules_that_changed_nothing(sql: str, same: bool) -> None:
    now, before = OptimizerConfig.of("spark-4.3"), OptimizerConfig.of("spark-4.2")
    execution = QueryExecution(sql, read_catalog(TABLES), now)
    _ = execution.optimized
    assert any(step.rule.endswith("CollapseGroupedSumOfCount") for step in execution.trace) is not same
    assert same_batches(execution.trace, now, before) is same
    assert same_batches(execution.trace, now, now)
    # 4.2 merges what 4.1 does not: a rule in a batch that 4.1 has under another name.
    assert not same_batches(execution.trace, before, OptimizerConfig.of("spark-4.1"))
