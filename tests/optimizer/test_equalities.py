"""What equalities say of columns is the same whether what is known already is made again or not."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from planviz.document import open_text
from planviz.optimizer import constraints
from planviz.trees.executor import RuleExecutor
from tests.steps import steps


def star(n: int, filters: int = 0) -> str:
    joins = " ".join(f"JOIN t{i} ON t0.a = t{i}.b" for i in range(1, n))
    return f"SELECT * FROM t0 {joins} WHERE t0.a > 0 {''.join(f' AND t0.a <> {i}' for i in range(filters))}"


THREE = "SELECT * FROM t JOIN u ON t.a = u.b JOIN v ON u.b = v.c"
QUERIES = (
    star(6, 3),
    f"{THREE} JOIN w ON w.d = t.a AND w.e > v.c WHERE t.a IN (1, 2) OR t.a > 9",
    "SELECT * FROM t JOIN u ON t.a = u.b AND t.c = u.d JOIN v ON v.a = t.a AND v.c = t.c WHERE t.a > t.c AND u.b < 7",
    f"{THREE} LEFT JOIN w ON w.d = u.b AND w.d <=> t.e WHERE t.a + t.a > 3 AND v.c = 5",
    f"{THREE} JOIN w ON CAST(t.a AS BIGINT) = w.d WHERE t.a = 1 AND w.d > 0",
    f"{THREE} WHERE t.a + rand(1) > 1 AND upper(u.s) = 'X' AND u.s = v.s",
    f"SELECT x.k FROM (SELECT a k FROM t GROUP BY a) x JOIN ({THREE}) y ON x.k = y.c WHERE x.k > 2 AND y.c < 5",
    "SELECT * FROM t WHERE EXISTS (SELECT 1 FROM u JOIN v ON u.b = v.c WHERE u.b = t.a AND v.c > 1) AND t.a < 4",
    f"{THREE}, w WHERE v.c = t.a AND t.a = w.d AND w.d > 1 AND (v.c IS NULL OR v.c > 3) AND u.b > w.d",
)


def planned(sql: str) -> str:
    execution = open_text(sql).statements[-1].execution
    assert execution is not None
    return re.sub(r"#\d+", "#", execution.text("optimized"))


@pytest.mark.parametrize("sql", QUERIES, ids=range(len(QUERIES)))
def test_what_is_known_need_not_be_made_again(sql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = planned(sql)

    def all_of_them(
        self: object, source: object, target: object, readers: Callable[[int], list[object]]
    ) -> list[object]:
        return readers(source.expr_id)  # type: ignore[attr-defined]

    monkeypatch.setattr(constraints._Equalities, "unsaid", all_of_them)
    assert planned(sql) == found


@pytest.mark.slow
def test_filters_of_a_column_with_many_equals_take_time_in_step_with_what_they_give(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Forty tables under sixty filters: each filter holds for each table, and no more than that is made."""
    monkeypatch.setattr(RuleExecutor, "standing", ())
    planned(star(3))
    assert steps(lambda: planned(star(20, 40))) < 4.5 * steps(lambda: planned(star(20, 10)))
