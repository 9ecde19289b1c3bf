"""Rows through stages: whatever the partitions, the last stage gives what the query gives."""

from __future__ import annotations

from typing import Any

import pytest

from planviz.config import OptimizerConfig
from planviz.evaluation import UnknownValueError
from planviz.execution import explain
from planviz.logical.operators import Aggregate
from planviz.mechanics.rows import rows_of
from planviz.mechanics.stages import rows_through, split
from planviz.physical.aggregates import BaseAggregateExec
from planviz.physical.exchanges import Exchange
from planviz.physical.stages import PlannedStage
from tests.plans import small_catalog

ROWS = [(1, 10, "x"), (2, 20, "y"), (2, 20, "y"), (3, None, "z"), (None, 5, None), (1, 30, "x"), (2, 10, "w")]
QUERIES = [
    "SELECT a, count(b), sum(b) FROM t1 GROUP BY a",
    "SELECT count(*), avg(b), max(c) FROM t1",
    "SELECT a FROM t1 GROUP BY a",
    "SELECT a, max(c), first(b) FROM t1 GROUP BY a",
    "SELECT a, count(DISTINCT b), sum(b) FROM t1 GROUP BY a",
    "SELECT count(DISTINCT b), sum(DISTINCT b) FROM t1",
    "SELECT a, count(DISTINCT b, c) FROM t1 GROUP BY a",
    "SELECT a, count(DISTINCT b), count(DISTINCT c), sum(b) FROM t1 GROUP BY a",
    "SELECT a % 2 AS odd, count(*) FILTER (WHERE b > 10), sum(b) + 1 AS n FROM t1 GROUP BY a % 2",
    "SELECT a, count(DISTINCT b) FILTER (WHERE c = 'y'), max(b) FROM t1 GROUP BY a",
    "SELECT a, sort_array(collect_set(b)), max(c) FROM t1 GROUP BY a",
]


def stages_of(sql: str) -> tuple[list[PlannedStage], list[bool], Any]:
    """The stages of the executed plan from the input up, whether each gets shuffled rows, and the optimized plan."""
    execution = explain(sql, small_catalog(), OptimizerConfig().with_settings({"spark.sql.adaptive.enabled": False}))
    nodes = list(execution.planned.executed.walk())
    made = [n for n in nodes if isinstance(n, BaseAggregateExec)][::-1]
    order = [n for n in nodes if isinstance(n, BaseAggregateExec | Exchange)][::-1]
    shuffled = [at > 0 and isinstance(order[at - 1], Exchange) for at, n in enumerate(order) if n in made]
    return [PlannedStage.of(at, n) for at, n in enumerate(made, 1)], shuffled, execution.optimized


@pytest.mark.parametrize("sql", QUERIES)
@pytest.mark.parametrize("parts", [1, 2, 3])
def test_the_last_stage_gives_the_rows_of_the_query(sql: str, parts: int) -> None:
    stages, shuffled, optimized = stages_of(sql)
    below = [n for n in optimized.walk() if isinstance(n, Aggregate)][-1].child
    rows = rows_of(below, {"t1": ROWS})
    assert rows is not None

    found = rows_through(stages, below.output, split(rows, parts), shuffled)

    last = [row for part in found[-1].partitions for row in part]
    assert sorted(last, key=repr) == sorted(rows_of(optimized, {"t1": ROWS}) or [], key=repr)


def test_rows_of_one_group_meet_in_one_partition() -> None:
    stages, shuffled, optimized = stages_of(QUERIES[0])
    below = next(n for n in optimized.walk() if isinstance(n, Aggregate)).child
    one, two = rows_through(stages, below.output, split(rows_of(below, {"t1": ROWS}) or [], 3), shuffled)

    keys = [{row[0] for row in part} for part in two.taken]
    assert sum(map(len, keys)) == len(set.union(*keys))
    assert len(two.moved) == sum(map(len, one.partitions))
    assert [c for c, _ in one.columns] == ["a", "count", "sum"]


def test_sorted_stages_give_sorted_groups() -> None:
    stages, shuffled, optimized = stages_of("SELECT a, max(c) FROM t1 GROUP BY a")
    below = next(n for n in optimized.walk() if isinstance(n, Aggregate)).child
    one, _ = rows_through(stages, below.output, split(rows_of(below, {"t1": ROWS}) or [], 1), shuffled)

    assert [row[0] for row in one.partitions[0]] == [None, 1, 2, 3]


def test_a_function_that_is_not_modelled_has_no_rows() -> None:
    stages, shuffled, _ = stages_of("SELECT a, approx_count_distinct(b) FROM t1 GROUP BY a")

    with pytest.raises(UnknownValueError):
        rows_through(stages, (), ((),), shuffled)


def test_rows_are_split_in_order() -> None:
    assert split([(n,) for n in range(5)], 3) == (((0,), (1,)), ((2,), (3,)), ((4,),))
