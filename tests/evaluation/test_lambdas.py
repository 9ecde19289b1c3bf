"""Higher-order functions over the rows of VALUES are computed while planning, as Spark 4.3 does."""

from __future__ import annotations

import pytest

from planviz.execution import QueryExecution
from planviz.logical.relations import LocalRelation

SQL = "select {} as r from values (array(3, 1, 2), map('a', 1, 'b', 2)) t(xs, m)"


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("transform(xs, x -> x * 2)", (6, 2, 4)),
        ("transform(xs, (x, i) -> x + i)", (3, 2, 4)),
        ("filter(xs, x -> x > 1)", (3, 2)),
        ("exists(xs, x -> x = 2)", True),
        ("forall(xs, x -> x < 3)", False),
        ("exists(array(1, null), x -> x > 5)", None),
        ("aggregate(xs, 0, (a, x) -> a + x, a -> a * 10)", 60),
        ("zip_with(xs, array(1), (x, y) -> x + coalesce(y, 0))", (4, 1, 2)),
        ("array_sort(xs)", (1, 2, 3)),
        ("array_sort(xs, (a, b) -> b - a)", (3, 2, 1)),
        ("map_filter(m, (k, v) -> v > 1)", (("b", 2),)),
        ("transform_values(m, (k, v) -> v + 1)", (("a", 2), ("b", 3))),
        ("transform_keys(m, (k, v) -> upper(k))", (("A", 1), ("B", 2))),
        ("map_zip_with(m, map('b', 5), (k, x, y) -> x + y)", (("a", None), ("b", 7))),
        ("transform(xs, x -> aggregate(xs, x, (a, y) -> a + y))", (9, 7, 8)),
    ],
)
def test_a_higher_order_function_of_constants_has_its_value(call, value):
    plan = QueryExecution(SQL.format(call)).optimized

    assert isinstance(plan, LocalRelation)
    (cell,) = plan.rows[0]
    assert getattr(cell, "value", cell) == value


def test_a_map_with_one_key_twice_is_left_for_the_query_to_fail_on():
    plan = QueryExecution(SQL.format("transform_keys(m, (k, v) -> 'same')")).optimized

    assert not isinstance(plan, LocalRelation)
