"""What a subquery may read of the query around it, and the views that it reads, as Spark 4.3 has them."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.errors import AnalysisError
from planviz.execution import QueryExecution, Session

SETUP = """create temp view Shop as values (1, 'a') as t(id, town);
create temp view sale as values (1, 5, 'x') as t(shop, n, what);
create table Stock(shop int, n int)"""
CATEGORY = "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY."
REFUSED = [
    (
        "select * from shop where exists (select 1 from sale left join stock on sale.n = stock.n and sale.shop = id)",
        None,
    ),
    (
        "select * from shop where exists (select 1 from sale s left join (select * from stock where stock.n = id) k "
        "on s.n = k.n)",
        "ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_ALLOWED",
    ),
    (
        "select * from shop where exists (select 1 from sale full join stock on sale.n = stock.n where what = town)",
        None,
    ),
    (
        "select * from shop where exists (select 1 from (select * from sale where n = id) s full join stock k "
        "on s.n = k.n)",
        "ACCESSING_OUTER_QUERY_COLUMN_IS_NOT_ALLOWED",
    ),
    ("select * from shop, lateral (select * from sale order by id)", "CORRELATED_REFERENCE"),
    (
        "select * from shop, lateral (select k from sale lateral view explode(array(n, id)) as k)",
        "CORRELATED_REFERENCE",
    ),
    ("select * from shop, lateral (select rand(1) from sale)", "NON_DETERMINISTIC_LATERAL_SUBQUERIES"),
    (
        "select * from shop join lateral (select * from sale) s on id + rand(1) = s.n",
        "LATERAL_JOIN_CONDITION_NON_DETERMINISTIC",
    ),
    (
        "select * from shop where id = (select max(n + id) from sale)",
        "AGGREGATE_FUNCTION_MIXED_OUTER_LOCAL_REFERENCES",
    ),
]


def analyzed(sql: str, setup: str = SETUP) -> str:
    """The analyzed plan of a query, each statement read by itself as a shell does."""
    session = Session()
    for statement in (*setup.split(";"), sql):
        (outcome,) = session.run(statement)
    if outcome.error is not None:
        raise outcome.error
    assert outcome.execution is not None
    return outcome.execution.text("analyzed")


@pytest.mark.parametrize(("sql", "error"), REFUSED)
def test_only_what_can_be_joined_reads_the_query_around(sql, error):
    if error is None:
        assert "outer(" in analyzed(sql)
        return
    with pytest.raises(AnalysisError) as e:
        analyzed(sql)
    assert e.value.error_class == CATEGORY + error


def test_a_view_of_values_gets_ids_of_its_own_in_every_query():
    text = analyzed("select id in (select shop from sale) from shop")
    (query,) = {part.split()[0] for part in text.split("list#")[1:]}
    assert f"#{query}," not in text
    assert f"#{query} " not in text.replace(f"list#{query}", "")


def test_names_of_the_session_catalogue_are_in_lower_case():
    alias, view = analyzed("select * from SHOP").splitlines()[1:3]
    assert alias == "+- SubqueryAlias shop"
    assert view.startswith("   +- View (`Shop`, [id#")
    assert "Relation spark_catalog.default.stock[" in analyzed("select * from STOCK")


ROWS = "FROM VALUES (1, 2), (3, 4) AS t(a, b)"


@pytest.mark.parametrize(("profile", "wrapped"), [("spark-4.3", True), ("spark-4.0", True), ("spark-3.5", False)])
def test_an_aggregate_takes_the_first_answer_of_its_group(profile, wrapped):
    query = f"SELECT a, a IN (SELECT id FROM range(3)) AS v {ROWS} GROUP BY a"
    plan = QueryExecution(query, config=OptimizerConfig.of(profile)).text("optimized")
    assert ("first(exists#" in plan) == wrapped


def test_what_a_function_aggregates_is_no_answer_of_the_group():
    query = f"SELECT a, sum(CASE WHEN b IN (SELECT id FROM range(3)) THEN 1 END) AS v {ROWS} GROUP BY a"
    assert "first(" not in QueryExecution(query).text("optimized")


@pytest.mark.parametrize(("items", "grouped"), [("a", False), ("a AS b, 5 AS c", False), ("a, a + 1 AS b", True)])
def test_a_grouping_of_one_row_goes_where_only_keys_and_constants_are_asked(items, grouped):
    plan = QueryExecution(f"SELECT {items} FROM VALUES (1, 2) AS t(a, b) GROUP BY a").text("optimized")
    assert ("Aggregate" in plan) == grouped


def test_a_natural_join_shares_a_name_as_often_as_both_sides_have_it():
    t = "(SELECT 1 AS x, 2 AS y)"
    query = f"SELECT * FROM {t} a JOIN {t} b ON a.x = b.x NATURAL JOIN {t} c"
    assert [a.name for a in QueryExecution(query).analyzed.output] == ["x", "y", "x", "y"]


@pytest.mark.parametrize("profile", ["spark-3.0", "spark-3.2", "spark-3.3"])
@pytest.mark.parametrize(
    ("condition", "refused"),
    [
        ("(i.a = o.a AND i.b > 1) OR (i.a = o.a AND i.b < 0)", False),
        ("i.a = o.a OR (i.a = o.a AND i.b > o.b)", False),
        ("(i.a = o.a AND i.b > 1) OR (i.b = o.b AND i.a < 0)", True),
        ("(i.a = o.a AND i.b > o.b) OR (i.a = o.a AND i.b < 0)", True),
    ],
)
def test_what_all_parts_of_an_or_compare_may_stand_below_an_aggregate(profile, condition, refused):
    rows = "VALUES (1, 2), (3, 4)"
    query = f"SELECT a FROM {rows} AS o(a, b) WHERE (SELECT max(i.b) FROM {rows} AS i(a, b) WHERE {condition}) > 0"
    execution = QueryExecution(query, config=OptimizerConfig.of(profile))

    if refused:
        with pytest.raises(AnalysisError, match="Correlated column is not allowed in predicate"):
            execution.text("optimized")
    else:
        assert "Join" in execution.text("optimized")
