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


_RECURSION = "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL {}) SELECT * FROM t"
_OTHER = "(SELECT 1 AS a) s"


@pytest.mark.parametrize(
    ("recursion", "place"),
    [
        ("SELECT count(*) FROM t", "PLACE"),
        ("SELECT row_number() OVER (ORDER BY n) FROM t", "PLACE"),
        ("(SELECT n + 1 FROM t ORDER BY n)", "PLACE"),
        ("SELECT (SELECT max(n) FROM t) + 1 FROM t", "PLACE"),
        (f"SELECT a FROM {_OTHER} LEFT JOIN t ON a = n", "PLACE"),
        (f"SELECT a FROM {_OTHER} LEFT ANTI JOIN t ON a = n", "PLACE"),
        (f"SELECT a FROM t RIGHT JOIN {_OTHER} ON a = n", "PLACE"),
        (f"SELECT a FROM t FULL JOIN {_OTHER} ON a = n", "PLACE"),
        (f"SELECT a FROM t LEFT JOIN {_OTHER} ON a = n", ""),
        ("SELECT DISTINCT n + 1 FROM t", ""),
        ("SELECT n + 1 FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.n > 2)", ""),
        ("SELECT n + 1 FROM t WHERE n IN (SELECT n FROM t)", ""),
    ],
)
def test_a_recursion_reads_itself_where_rows_may_come_step_by_step(recursion, place):
    query = _RECURSION.format(recursion)
    if not place:
        assert "UnionLoopRef" in explain(query).text("analyzed")
        return
    with pytest.raises(PlanvizError, match="INVALID_RECURSIVE_REFERENCE"):
        explain(query)


@pytest.mark.parametrize(
    "definition",
    [
        "SELECT n FROM t UNION ALL SELECT 1",
        "SELECT 1 AS n INTERSECT SELECT n + 1 FROM t",
        "SELECT 1 AS n UNION ALL SELECT n + 1 FROM t LIMIT 5",
        "SELECT 1 AS n UNION ALL SELECT n + 1 FROM t UNION ALL SELECT 5",
        "SELECT n FROM t",
    ],
)
def test_a_recursive_definition_is_a_union_all_with_a_beginning(definition):
    with pytest.raises(PlanvizError, match="INVALID_RECURSIVE_CTE"):
        explain(f"WITH RECURSIVE t AS ({definition}) SELECT * FROM t")


def test_definitions_that_nobody_reads_stay_at_the_first_of_them():
    unread = "(WITH c AS (SELECT {} AS x) SELECT {} AS a)"
    plan = explain(f"SELECT * FROM {unread.format(1, 2)} l JOIN {unread.format(3, 4)} r").analyzed
    (join,) = plan.collect(Join)
    assert len(join.left.collect(WithCTE)[0].definitions) == 2
    assert not join.right.collect(WithCTE)
