"""Fields of plan.toJSON as named parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from planviz.document import open_text
from planviz.plantext.expression_json import expression_text, field_parts

LONG = {"class": "org.x.AttributeReference", "num-children": 0, "name": "a", "dataType": "long", "exprId": {"id": 1}}
FIVE = {"class": "org.x.Literal", "num-children": 0, "value": "5", "dataType": "long"}


def tree(kind: str, /, *children: list[dict[str, Any]], **fields: Any) -> list[dict[str, Any]]:
    head = {"class": f"org.x.{kind}", "num-children": len(children), **fields}
    return [head, *(entry for child in children for entry in child)]


def test_expressions_read_as_spark_prints_them() -> None:
    assert expression_text(tree("GreaterThan", [LONG], [FIVE])) == "(a#1L > 5)"
    assert expression_text(tree("Alias", [LONG], name="b", exprId={"id": 2})) == "a#1L AS b#2"
    order = tree(
        "SortOrder", [LONG], direction={"object": "org.x.Descending$"}, nullOrdering={"object": "org.x.NullsLast$"}
    )
    assert expression_text(order) == "a#1L DESC NULLS LAST"


def test_aggregates_have_modes_and_distinct_functions() -> None:
    count = tree("Count", [LONG])
    partial = tree("AggregateExpression", count, mode={"object": "org.x.Partial$"}, isDistinct=True)
    parts = field_parts("HashAggregate", {"groupingExpressions": [[LONG]], "aggregateExpressions": [partial]})
    assert parts["keys"] == ["a#1L"]
    assert parts["functions"] == [{"text": "count(distinct a#1L)", "mode": "partial", "distinct": True}]


def test_logical_aggregates_tell_results_from_functions() -> None:
    complete = tree("AggregateExpression", tree("Count", [LONG]), mode={"object": "org.x.Complete$"}, isDistinct=False)
    named = tree("Alias", complete, name="c", exprId={"id": 2})
    parts = field_parts("Aggregate", {"groupingExpressions": [[LONG]], "aggregateExpressions": [[LONG], named]})
    assert len(parts["results"]) == 2
    assert [function["mode"] for function in parts["functions"]] == [None]


def test_conditions_lose_the_outer_brackets() -> None:
    assert field_parts("Filter", {"condition": tree("GreaterThan", [LONG], [FIVE])}) == {"condition": "a#1L > 5"}


def test_a_real_plan(corpus: Path) -> None:
    (graph,) = open_text((corpus / "live" / "optimizedPlan_toJSON.json").read_text()).plans
    aggregate = next(node for node in graph if node.op == "Aggregate")
    assert aggregate.arguments["keys"] == ["country#10", "cat#13"]
    assert len(aggregate.arguments["results"]) == 4
    assert len(aggregate.arguments["functions"]) == 2


def test_what_explain_printed_stays_that_with_json_in_one_of_its_lines() -> None:
    node = '[{"class":"org.apache.spark.sql.catalyst.plans.logical.OneRowRelation","num-children":0}]'
    explained = "== Analyzed Logical Plan ==\na: int\nProject [a#1]\n+- Relation db.t[a#1] parquet\n\n"
    document = open_text(f"{explained}{node}\n== Optimized Logical Plan ==\nRelation db.t[a#1] parquet\n")
    assert [plan.stage for plan in document.plans] == ["analyzed", "optimized"]
    alone = open_text(f"here it is\r\n{node}\r\n")
    assert alone.recognised == "plan as JSON"
    assert alone.unparsed == ((1, "here it is"),)
