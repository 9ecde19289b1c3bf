"""Plans of subqueries without correlation, as Spark 4.3 has them."""

from __future__ import annotations

import pytest

from planviz.execution import Session

SETUP = """create table shop(id int, town string);
create table sale(shop int, n int);
create table stock(shop int, n int);"""
IN_STOCK = "select n from sale where shop = id {} select n from stock where shop = id"


def optimized(sql: str) -> str:
    """The optimized plan of a query."""
    *_, outcome = Session().run(SETUP + sql)
    assert outcome.execution is not None
    return outcome.execution.text("optimized")


@pytest.mark.parametrize("kind", ["union all", "union", "intersect", "except"])
def test_a_set_operation_gives_the_outer_values_behind_its_columns(kind):
    text = optimized(f"select * from shop where id in ({IN_STOCK.format(kind)})")
    assert text.splitlines()[0].split(" = n#")[0].startswith("Join LeftSemi, ((id#")
    assert "'Join" not in text
    assert "DomainJoin" not in text


@pytest.mark.parametrize(
    ("bounds", "kept"),
    [("limit 1", "(rn <= 1)"), ("limit 1 offset 2", "((rn > 2) AND (rn <= 3))"), ("offset 2", "(rn > 2)")],
)
def test_limit_and_offset_number_the_rows_of_every_outer_value(bounds, kept):
    text = optimized(f"select * from shop, lateral (select n from sale where shop = id order by n {bounds})")
    number = text.split(" AS rn#")[1].split("]")[0]
    assert f"Filter {kept}".replace("rn", f"rn#{number}") in text


def test_a_window_gives_the_outer_values_that_it_parts_by():
    text = optimized("select * from shop, lateral (select rank() over (order by n) from sale where shop = id)")
    assert "shop#" in text.split("], [shop#")[0].split("Window [")[1]


def test_a_predicate_on_the_outer_row_alone_is_tested_above_an_aggregate():
    text = optimized("select * from shop where exists (select max(n) from sale where town is null)")
    assert "Join LeftOuter, isnull(town#" in text


def test_distinct_rows_of_a_single_aggregate_have_no_columns_of_its_condition():
    text = optimized("select * from shop where id in (select distinct max(n) from sale where shop = id)")
    top = text.split("Aggregate [", 1)[1].split("]")[0]
    assert top.count("#") == 2


def test_a_generator_reads_the_distinct_values_of_the_outer_rows():
    text = optimized("select * from shop left join lateral (select explode(array(id))) as t(x) on x = id")
    assert "LateralJoin" not in text
    assert "OneRowRelation" not in text
    assert "Aggregate [id#" in text.split("Generate explode(array(id#", 1)[1]


@pytest.mark.parametrize(("having", "kind"), [("", "LeftOuter"), ("having count(*) > 1", "LeftSingle")])
def test_having_above_a_bound_group_is_joined_as_single(having, kind):
    query = f"(select max(n) from sale where shop = id group by shop {having}) is null"
    assert f"Join {kind}, " in optimized(f"select * from shop where {query} or id = 1")
