"""Where the definitions of WITH gather, and windows that are named after others."""

from __future__ import annotations

import pytest

from planviz.errors import PlanvizError
from planviz.execution import explain
from planviz.logical.combining import Join, Union, WithCTE

ONE, OTHER = "(WITH c AS (SELECT 1 AS a) SELECT * FROM c)", "(WITH c AS (SELECT 2 AS b) SELECT * FROM c)"


@pytest.mark.parametrize(
    ("query", "over", "definitions"),
    [
        (f"SELECT * FROM {ONE} x JOIN {OTHER} y", Join, 2),
        (f"SELECT * FROM (SELECT * FROM {ONE} p JOIN {OTHER} q) x JOIN {ONE} y", Join, 3),
        (f"SELECT * FROM {ONE} x UNION ALL SELECT * FROM {OTHER} y", Union, 2),
    ],
)
def test_definitions_on_both_sides_gather_over_the_operator_that_joins_them(query, over, definitions):
    (found,) = explain(query).analyzed.collect(WithCTE)
    assert isinstance(found.plan, over)
    assert len(found.definitions) == definitions
    assert "CTERelationRef" in explain(query).text("analyzed")


def test_a_definition_on_one_side_stays_there():
    plan = explain(f"SELECT * FROM (SELECT 2 AS b) y JOIN {ONE} x").analyzed
    (join,) = plan.collect(Join)
    assert not join.left.collect(WithCTE)
    assert len(join.right.collect(WithCTE)) == 1


@pytest.mark.parametrize("reference", ["w2", "(w2)"])
def test_a_window_named_after_another_is_that_one(reference):
    rows = "FROM VALUES (1, 2) AS t(a, b)"
    named = explain(f"SELECT sum(a) OVER w1 {rows} WINDOW w1 AS {reference}, w2 AS (ORDER BY b)").text("optimized")
    plain = explain(f"SELECT sum(a) OVER w2 {rows} WINDOW w2 AS (ORDER BY b)").text("optimized")
    assert named == plain


@pytest.mark.parametrize(
    ("windows", "error"),
    [
        ("w1 AS w7", "INVALID_SQL_SYNTAX.UNRESOLVED_WINDOW_REFERENCE"),
        ("w1 AS w2, w2 AS w1", "INVALID_SQL_SYNTAX.INVALID_WINDOW_REFERENCE"),
    ],
)
def test_a_window_named_after_none_is_refused(windows, error):
    with pytest.raises(PlanvizError, match=error):
        explain(f"SELECT sum(a) OVER w1 FROM VALUES (1, 2) AS t(a, b) WINDOW {windows}")


def test_an_input_of_a_union_that_names_a_column_twice_keeps_two_ids():
    text = explain("SELECT id, id AS b FROM range(3) UNION ALL SELECT id, id FROM range(4)").text("optimized")
    second = text.splitlines()[3]
    first, other = second.removeprefix("+- Project [").removesuffix("]").split(", ")
    assert other.startswith(f"{first} AS id#")


@pytest.mark.parametrize(
    "definition",
    [
        "SELECT n FROM x",
        "SELECT 1 INTERSECT SELECT n + 1 FROM x",
        "SELECT n FROM x UNION ALL SELECT 1",
        "SELECT 1 UNION ALL SELECT n + 1 FROM x ORDER BY 1",
    ],
)
def test_a_recursive_definition_is_an_anchor_and_a_recursion(definition):
    with pytest.raises(PlanvizError, match="INVALID_RECURSIVE_CTE"):
        explain(f"WITH RECURSIVE x(n) AS ({definition}) SELECT * FROM x")


def test_a_recursion_may_name_itself_in_a_subquery():
    query = (
        "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM x WHERE n IN (SELECT * FROM x)) SELECT * FROM x"
    )
    assert explain(query).text("analyzed").count("UnionLoopRef") == 2
