"""Subqueries in subqueries without FROM, and averages that do not fail, as Spark 4.3 planned them."""

from __future__ import annotations

import re

import pytest

from tests.plans import plan_text


def lines(sql: str) -> list[str]:
    return [re.sub(r"#\d+L?", "", line) for line in plan_text(sql, "optimized").splitlines()]


def test_a_subquery_of_nothing_but_a_subquery_is_that_one():
    assert ":  +- Aggregate [max(a) AS max(a)]" in "\n".join(lines("select (select (select max(a) from t2)) from t1"))


def test_the_columns_around_follow_the_inputs_of_a_union():
    inputs = "select 1 from t2 where t2.b = t1.c union all select 1 from t3 where t3.a = t1.a"
    sql = f"select * from t1 where exists ({inputs})"
    assert lines(sql)[0] == "Join LeftSemi, ((c <=> c) AND (a <=> a))"


def test_try_avg_of_decimals_goes_over_their_digits():
    text = "\n".join(lines("select try_avg(price) from orders"))
    assert "avg(UnscaledValue(price))" in text


def test_the_alias_of_a_sampled_query_goes_above_its_sample():
    analyzed = plan_text("select * from (select a from t1) tablesample (10 percent) s", "analyzed").splitlines()
    assert [line.strip(" +-").split(" ")[0] for line in analyzed[1:3]] == ["SubqueryAlias", "Sample"]


@pytest.mark.parametrize("sql", ["from t1 select a where a > 1 select b limit 3", "from t1 select a select b select c"])
def test_several_lists_over_one_from_are_united(sql):
    assert plan_text(sql, "analyzed").startswith("Union false, false")


def test_timestamps_are_summed_as_seconds():
    text = plan_text("select avg(t), sum(t) from values (timestamp'2020-01-01') v(t)", "analyzed")
    assert "avg(cast(t#" in text
    assert "sum(cast(t#" in text


def test_intervals_that_may_not_be_made_and_binaries_are_other_functions():
    text = "\n".join(lines("select try_make_interval(a), startswith(cast(c as binary), X'41') from t1"))
    assert "make_interval(a, 0, 0, 0, 0, 0, 0.000000, false) AS try_make_interval(" in text
    assert "static_invoke(ByteArrayMethods.startsWith(cast(c as binary), 0x41))" in text
