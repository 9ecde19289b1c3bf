"""Texts with several queries: every page is about the one that is looked at, and its address says which."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from planviz.ui import links, queries, rules
from planviz.ui.cache import AUTO, open_document
from planviz.ui.opened import Opened
from tests.ui.pages import components, page

FIRST = "SELECT o.order_id FROM orders o LEFT JOIN users u ON o.user_id = u.user_id WHERE u.tier = 'gold'"
SCRIPT = f"{FIRST};\nSELECT city, count(*) FROM stores GROUP BY city ORDER BY 2;\nSELECT 1 + 1 AS two"
PROGRAM = """
from pyspark.sql import functions as F
sold = spark.table("sold").where("price > 1 + 1")
sold.groupBy("shop").agg(F.sum("price")).show()
sold.join(spark.table("shops"), "shop").groupBy("city").count().show()
"""


@pytest.fixture(scope="module")
def script() -> Opened:
    return open_document(SCRIPT, AUTO)


def opened_at(name: str, **query: str) -> AppTest:
    app = page(name, plan=links.pack(SCRIPT) or "", **query)
    assert not app.exception
    return app


def steps(app: AppTest) -> list[str]:
    return [step["rule"] for step in components(app)["planviz_rules"]["trace"]["steps"]]


def test_queries_are_called_by_what_they_read_and_where_they_stand(script: Opened) -> None:
    assert [q.words for q in queries.queries(script)] == [
        "1 · orders, users · line 1",
        "2 · stores · line 2",
        "3 · SELECT 1 + 1 AS two · line 3",
    ]
    program = open_document(PROGRAM, AUTO)
    assert [q.words.partition(" · line ")[2] for q in queries.queries(program)] == ["4", "5"]
    assert queries.queries(open_document(FIRST, AUTO)) == ()


def test_the_document_of_one_query_has_its_plans_its_statement_and_its_trace(script: Opened) -> None:
    for query, statement in zip(queries.queries(script), script.document.statements, strict=True):
        alone = queries.alone(script, query.first).document
        assert alone.plans == tuple([script.document.plans[int(at)] for at in query.plans])
        assert [s.sql for s in alone.statements] == [statement.sql]
        assert alone.statements[0].plans == tuple(range(len(alone.plans)))
        assert alone.trace is statement.trace
    assert queries.alone(script, "no plan") is script


def test_an_error_belongs_to_its_query() -> None:
    opened = open_document("SELECT nothing FROM orders;\nSELECT order_id FROM orders", "shop")
    first, second = (queries.alone(opened, query.first).document for query in queries.queries(opened))
    assert (first.error, second.error) == (opened.document.error, None)


def test_rules_show_the_first_query_and_the_one_of_the_address() -> None:
    first, second = opened_at("rules"), opened_at("rules", query="2")
    assert "EliminateOuterJoin" in steps(first)
    assert "EliminateOuterJoin" not in steps(second)
    assert components(first)["planviz_address"]["query"].endswith("query=1")
    assert components(second)["planviz_address"]["query"].endswith("query=2")


def test_another_query_is_chosen_and_its_steps_begin_anew() -> None:
    app = opened_at("rules", query="1", step="3")
    assert components(app)["planviz_rules"]["step"] == 3
    app.selectbox(key="planviz.query").select(2).run()
    assert not app.exception
    assert "EliminateOuterJoin" not in steps(app)
    assert components(app)["planviz_rules"]["step"] is None


def test_an_address_with_a_step_and_no_query_is_about_the_last_one() -> None:
    app = opened_at("rules", step="1")
    assert app.selectbox(key="planviz.query").value == 3


def test_explore_has_the_stages_of_the_query_that_is_shown() -> None:
    app = opened_at("explore", stage="optimized-8")
    assert app.selectbox(key="planviz.query").value == 2
    assert components(app)["planviz_address"]["stages"] == {
        "Parsed": "5", "Analyzed": "6", "Optimized": "7", "sparkPlan": "8", "Physical": "9",
    }  # fmt: skip


@pytest.mark.parametrize(("query", "tables"), [("1", {"orders", "users"}), ("2", {"stores"})])
def test_cardinality_has_the_tables_of_the_query(query: str, tables: set[str]) -> None:
    told = components(opened_at("cardinality", query=query))["planviz_cardinality"]["tables"]
    assert {table["name"].rpartition(".")[2] for table in told} == tables


def test_planner_follows_the_operators_of_the_query() -> None:
    told = [str(element.proto.body) for element in opened_at("planner", query="2").get("html")]
    (ways,) = [body for body in told if "Every operator through the stages" in body]
    assert "Aggregate by city" in ways
    assert "Join" not in ways[: ways.index("</table>")]


def test_joins_and_aggregations_begin_at_the_query_that_was_looked_at() -> None:
    text = f"{FIRST};\nSELECT city, count(*) FROM stores s JOIN users u ON s.store_id = u.user_id GROUP BY city"
    app = page("joins", plan=links.pack(text) or "", query="2")
    assert components(app)["planviz_joins"]["told"]["join"]["n"] == 1
    program = open_document(PROGRAM, AUTO)
    second = queries.queries(program)[1]
    app = page("aggregations", plan=links.pack(PROGRAM) or "", query=str(second.number))
    assert components(app)["planviz_aggregations"]["told"]["number"] == 2


def test_without_a_rule_the_query_of_a_program_is_planned_again() -> None:
    opened = open_document(PROGRAM, AUTO)
    alone = queries.alone(opened, queries.queries(opened)[0].first)
    told = rules.without(alone, "ConstantFolding")
    assert told["trace"] is not None, told["words"]
