"""Pivots: the values that stand in their plans."""

from __future__ import annotations

from planviz.dataframe import functions, session


def test_the_values_are_of_the_columns_type_without_a_cast():
    rows = session().sql("SELECT id % 2 AS k, id AS v, cast(id AS string) AS s FROM range(5)")
    plan = rows.groupBy("k").pivot("v", [1, 2]).agg(functions.countDistinct("s")).execution.text("analyzed")

    assert "pivotfirst(v#2L, count(DISTINCT s)#" in plan
    assert "L, 1, 2, 0, 0) AS" in plan
