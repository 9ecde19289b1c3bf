"""Queries that once froze a server: the work grows with them as it should, and what Spark plans is planned."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planviz.analysis.windows import extract_windows
from planviz.catalog.bundled import read_bundled
from planviz.errors import PlanTooLarge
from planviz.execution import QueryExecution
from planviz.logical.operators import Window
from planviz.trees.executor import RuleExecutor
from tests.steps import instructions, steps


@pytest.fixture(autouse=True)
def without_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks walk the whole plan after every step; here the steps count."""
    monkeypatch.setattr(RuleExecutor, "standing", ())


def columns(n: int) -> str:
    return f"SELECT {', '.join(f'c{i}' for i in range(n))} FROM t WHERE c0 > 1"


def chain(n: int) -> str:
    return "SELECT * FROM t0 " + " ".join(f"JOIN t{i} ON t{i - 1}.k{i} = t{i}.k{i}" for i in range(1, n))


def star(n: int) -> str:
    return "SELECT * FROM fact " + " ".join(f"JOIN d{i} ON fact.k{i} = d{i}.k{i}" for i in range(1, n))


def pairs(n: int) -> str:
    return f"SELECT * FROM t WHERE {' OR '.join(f'(a = {i} AND b = {i})' for i in range(n))}"


def subqueries(n: int) -> str:
    one = "(SELECT max(amount) FROM orders o WHERE o.user_id = u.user_id) AS"
    return f"SELECT {', '.join(f'{one} s{i}' for i in range(n))} FROM users u"


def together(word: str) -> Callable[[int], str]:
    return lambda n: f" {word} ".join(f"SELECT a, b FROM t WHERE a = {i}" for i in range(n))


def planned(sql: str) -> QueryExecution:
    query = QueryExecution(sql, read_bundled("shop"), infer=True)
    assert query.physical is not None
    return query


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "size", "most"),
    [
        (columns, 200, 2.3),
        (pairs, 100, 2.3),
        (together("UNION ALL"), 50, 2.3),
        (together("UNION"), 50, 2.3),
        (subqueries, 15, 3.0),
        # What is known of a chain of joins grows at every join, so twice as many take four times the steps at most.
        (chain, 20, 4.0),
        (star, 20, 4.0),
        (together("EXCEPT"), 30, 4.0),
    ],
)
def test_twice_the_size_takes_no_more_than_its_share_of_steps(
    make: Callable[[int], str], size: int, most: float
) -> None:
    planned(make(2))
    small, large = (steps(lambda n=n: planned(make(n))) for n in (size, 2 * size))
    assert large < most * small


def test_twice_the_window_functions_take_twice_the_instructions() -> None:
    def extracting(n: int) -> int:
        functions = [f"sum(a + {i}) OVER (PARTITION BY b ORDER BY c) AS s{i}" for i in range(n)]
        (window,) = planned(f"SELECT {', '.join(functions)} FROM t").analyzed.collect(Window)
        extract_windows(window.functions, True)  # what is known of expressions is made once
        return instructions(lambda: extract_windows(window.functions, True))

    assert extracting(400) < 2.1 * extracting(200)


@pytest.mark.parametrize(
    ("make", "size"), [(subqueries, 300), (together("EXCEPT"), 300), (together("UNION"), 1_000), (chain, 200)]
)
@pytest.mark.slow
def test_plans_of_some_hundred_operators_in_a_row_are_planned(make: Callable[[int], str], size: int) -> None:
    assert sum(1 for _ in planned(make(size)).physical.walk()) > size


@pytest.mark.slow
def test_a_long_text_is_planned_where_it_is_long_itself() -> None:
    assert planned(pairs(10_000)).text("optimized").count(" AND ") >= 10_000


@pytest.mark.slow
def test_a_long_text_gives_no_leave_to_grow_without_end() -> None:
    definitions = ", ".join(f"c{i} AS (SELECT * FROM c{i - 1} UNION ALL SELECT * FROM c{i - 1})" for i in range(1, 25))
    with pytest.raises(PlanTooLarge, match="doubles the plan"):
        planned(f"WITH c0 AS ({pairs(5_000)}), {definitions} SELECT * FROM c24")


def test_more_distinct_sets_than_can_be_written_out_are_refused() -> None:
    def distinct(n: int) -> str:
        return f"SELECT {', '.join(f'count(DISTINCT a + {i})' for i in range(n))} FROM t"

    assert planned(distinct(40)).text("optimized").count("Expand") == 1
    with pytest.raises(PlanTooLarge, match=r"1,200 sets of columns are counted DISTINCT.*approx_count_distinct"):
        planned(distinct(1_200))
