"""What is remembered of a node is remembered for one way of estimating, and for no other."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from planviz.config import OptimizerConfig
from planviz.estimation import Estimator, take_estimate
from planviz.estimation.estimator import Way
from planviz.execution import QueryExecution
from planviz.logical.plan import LogicalPlan
from tests.estimation.test_estimates import small_tables

CBO = OptimizerConfig.of(**{"spark.sql.cbo.enabled": True})
FLAGS = [each.name for each in fields(Way) if each.name != "rows"]
#: Of each flag a query that it estimates otherwise.
QUERIES = {
    "unique_keys_bound_joins": "SELECT * FROM l JOIN (SELECT rk + 1 AS u FROM r GROUP BY rk + 1) ON k = u",
    "unions_count_distinct_values": "SELECT DISTINCT * FROM (SELECT k FROM l UNION ALL SELECT rk FROM r)",
    "filters_shrink_sizes": "SELECT * FROM (SELECT s, explode(array(1, 2)) AS e FROM wide) WHERE e > 1",
    "unions_count_rows": "SELECT k FROM l UNION ALL SELECT rk FROM r",
    "local_rows_are_counted": "SELECT * FROM VALUES (1), (2) AS v(a)",
    "constants_have_statistics": "SELECT k, 'ab' AS word FROM l",
    "partitions_keep_rows": "SELECT k FROM l",
    "sorts_keep_rows": "SELECT k FROM l ORDER BY k",
    "caches_know_their_columns": "SELECT k FROM l",
}


def without(flag: str) -> OptimizerConfig:
    version = CBO.version
    return replace(CBO, variant=replace(version, behaviour=replace(version.behaviour, **{flag: False})))


def optimized(sql: str) -> LogicalPlan:
    return QueryExecution(sql, small_tables(), CBO).optimized


def told(config: OptimizerConfig, plan: LogicalPlan) -> list[tuple[int, int | None]]:
    estimator = Estimator(config)
    return [(found.size, found.rows) for found in map(estimator.estimate, plan.walk())]


@pytest.mark.parametrize("flag", FLAGS)
def test_a_way_remembers_nothing_for_another(flag: str) -> None:
    first, again = optimized(QUERIES[flag]), optimized(QUERIES[flag])
    with_it = told(CBO, first)
    assert told(without(flag), first) == told(without(flag), again)
    assert told(CBO, first) == with_it
    # Which no plan without a choice of partitions, without a cache shows.
    if flag not in ("partitions_keep_rows", "caches_know_their_columns"):
        assert told(without(flag), again) != with_it


def test_rows_are_part_of_the_way() -> None:
    plan = optimized("SELECT k FROM l")
    sizes, tables = (OptimizerConfig.of(**{"spark.sql.cbo.planStats.enabled": on}) for on in (False, True))
    assert [told(config, plan)[-1][1] for config in (sizes, tables, CBO)] == [None, 1000, 1000]
    assert [told(config, plan)[0][1] for config in (sizes, tables, CBO)] == [None, None, 1000]


@pytest.mark.parametrize("flag", FLAGS)
def test_what_a_text_tells_counts_in_every_way(flag: str) -> None:
    plan = optimized("SELECT k FROM l")
    before = told(CBO, plan)
    take_estimate(plan, 77, 7)
    assert told(CBO, plan)[0] == told(without(flag), plan)[0] == (77, 7)
    Estimator(CBO).forget(plan)
    assert told(CBO, plan) == before
