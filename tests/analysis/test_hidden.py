"""Columns that a USING join gives once: the other table's can be named all the same, as in Spark."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.execution import QueryExecution
from tests.plans import canonical, plan_text, small_catalog


@pytest.mark.parametrize(
    ("sql", "lines"),
    [
        # Named through a further USING join, in Spark's order: the nearer join's column first.
        (
            "select count(t2.a), count(t3.a) from t1 left join t2 using (a) left join t3 using (a)",
            ["Project [a#5, b#6, c#7, b#8, c#9, b#10, c#11, a#3, a#1]", "Project [a#5, b#6, c#7, b#8, c#9, a#1]"],
        ),
        # The condition of a plain join names it; what the join gives stays as it was.
        (
            "select * from t1 join t2 using (a) join t3 on t2.a = t3.b",
            ["Project [a#1, b#2, c#3, b#4, c#5, a#6, b#7, c#8]"],
        ),
        # A filter below the select list.
        ("select t1.b from t1 left join t2 using (a) where t2.a is null", ["Filter isnull(a#", "Project [a#"]),
        # All columns of one table are all.
        ("select t2.* from t1 join t2 using (a)", ["Project [a#1, b#2, c#3]"]),
    ],
)
def test_hidden_columns_can_be_named(sql, lines):
    text = plan_text(sql)
    for line in lines:
        assert line in text, text


@pytest.mark.parametrize(
    "sql",
    [
        "select t2.a from t1 left semi join t2 using (a)",
        "select t2.a from (select t1.b from t1 join t2 using (a)) s",
        "select t2.a from (select count(*) from t1 join t2 using (a))",
    ],
)
def test_what_a_name_or_an_aggregate_ends_is_not_seen(sql):
    with pytest.raises(AnalysisError) as e:
        plan_text(sql)
    assert e.value.error_class.startswith("UNRESOLVED_COLUMN")


def test_a_name_keeps_its_spelling_where_a_table_is_read_twice():
    text = plan_text("select count(*) from (select A from t1) x join (select A from t1) y on x.A = y.A")
    assert text.count("Project [A#") == 2


def test_of_several_columns_of_a_name_the_first_is_joined():
    text = plan_text("select t3.c from t1 join t2 using (a) join t3 using (b)")
    assert "Join Inner, (b#" in text


def test_before_4_1_all_columns_that_joins_hide_come_through_joins_beneath():
    sql = "select t3.a from t1 join t2 using (a) join t3 using (a)"
    text = QueryExecution(sql, small_catalog(), OptimizerConfig.of("spark-3.5")).text("analyzed")
    assert "!Project" not in text
    # The inner join gives what it hides, too, though nobody asks for that column.
    assert canonical(text).count("Project [a#") == 3
