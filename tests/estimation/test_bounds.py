"""The most rows of operators for which Spark has no formula."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.estimation import Estimator, RowBounds
from planviz.execution import explain
from tests.plans import small_catalog

CONFIG = OptimizerConfig().with_settings({"spark.sql.cbo.enabled": "true"})


def known(sql: str) -> tuple[int | None, int | None]:
    """The estimated rows of a query's optimized plan, and its bound."""
    estimator = Estimator.with_rows(CONFIG)
    plan = explain(sql, small_catalog(), CONFIG).optimized
    return estimator.estimate(plan).rows, RowBounds(estimator).of(plan)


def rows(table: str) -> int:
    estimated, bound = known(f"SELECT * FROM {table}")
    assert estimated == bound is not None
    return bound


GROUPS = "SELECT v_day % 7 AS d, count(*) AS n FROM visits GROUP BY v_day % 7"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT *, rank() OVER (PARTITION BY v_person ORDER BY v_day) AS r FROM visits",
        "SELECT * FROM (SELECT *, rank() OVER (PARTITION BY v_person ORDER BY v_day) AS r FROM visits) WHERE r < 3",
        GROUPS,
        f"SELECT * FROM ({GROUPS}) ORDER BY n",
        f"SELECT * FROM ({GROUPS}) WHERE d IN (SELECT person FROM people)",
        f"SELECT a.*, b.n AS m FROM ({GROUPS}) a JOIN ({GROUPS}) b ON a.d = b.d",
        f"SELECT a.*, b.n AS m FROM ({GROUPS}) a LEFT JOIN ({GROUPS}) b ON a.d = b.d",
    ],
)
def test_no_more_come_out_than_go_in(sql: str) -> None:
    assert known(sql) == (None, rows("visits"))


def test_copies_and_sides_add_up() -> None:
    visits = rows("visits")
    assert known(f"{GROUPS} UNION ALL {GROUPS}") == (None, 2 * visits)
    assert known(f"SELECT d, n, sum(n) FROM ({GROUPS}) GROUP BY ROLLUP (d, n)") == (None, 3 * visits)
    assert known(f"SELECT * FROM ({GROUPS}) a FULL JOIN ({GROUPS}) b ON a.d = b.d") == (None, 2 * visits)


def test_a_join_on_keys_that_may_repeat_has_no_bound_but_a_limit() -> None:
    many = "SELECT v_person, rank() OVER (ORDER BY v_day) AS r FROM visits"
    join = f"SELECT * FROM ({many}) a JOIN ({many}) b ON a.r = b.r"
    assert known(join) == (None, None)
    assert known(f"SELECT *, rank() OVER (ORDER BY 1) FROM ({join} LIMIT 9)") == (None, 9)
