"""Names that Spark makes up within a plan are shown as what they stand for."""

from __future__ import annotations

import pytest

from planviz.document import open_text
from planviz.document.comparison.plans import compare_plans
from planviz.graph.inner_names import inner_names, spelled
from planviz.render.scene import build_scene

HAVING = "CREATE TABLE t (k INT, v INT); SELECT k, sum(v) / nullif(max(v), 0) FROM t GROUP BY k HAVING sum(v) > 3"
WIDE = f"{'x' * 90} AS _w0#7, (_w1#8 + 1) AS _w1#8"


def _words(sql: str, stage: str) -> list[str]:
    (plan,) = [p for p in open_text(sql).plans if p.stage == stage]
    return [" ".join(line) for lines in build_scene(plan).to_json()["nodes"]["sub"] for line in lines]


@pytest.mark.parametrize("stage", ["optimized", "sparkPlan", "physical"])
def test_cards_say_the_function_that_a_condition_reads(stage: str) -> None:
    """`where _aggregateexpression > 3` told nobody anything."""
    words = _words(HAVING, stage)
    assert "where sum(v) > 3" in words
    assert not [line for line in words if "_aggregateexpression" in line or "_groupingexpression" in line]


def test_names_within_names_are_spelled_and_long_or_circular_ones_stay() -> None:
    text = f"""== Optimized Logical Plan ==
Project [(_aggregateexpression#5 / 2) AS half#6]
+- Filter (_aggregateexpression#5 > 1)
   +- Aggregate [_groupingexpression#4], [sum(_common_expr_0#3) AS _aggregateexpression#5]
      +- Project [(a#1 + 1) AS _groupingexpression#4, (a#1 * 2) AS _common_expr_0#3, {WIDE}]
         +- LocalRelation [a#1]
"""
    names = inner_names(open_text(text).plans[0])
    assert names["_aggregateexpression#5"] == "sum((a#1 * 2))"
    assert spelled("_groupingexpression#4 + _w0#7 + _w1#8 + _w9#9", names) == "(a#1 + 1) + _w0#7 + _w1#8 + _w9#9"


def test_a_subquery_in_a_condition_is_one_word() -> None:
    words = _words("SELECT * FROM range(9) WHERE id > (SELECT avg(id) FROM range(5))", "physical")
    assert any(line.startswith("where ") and "> subquery" in line and "[id=" not in line for line in words), words


def test_plans_beside_each_other_are_spelled_each_by_its_own_names() -> None:
    """Two queries number their names alike."""
    sides = [HAVING.replace("sum(v)", f"{name}(v)") for name in ("sum", "avg")]
    plans = [next(p for p in open_text(sql).plans if p.stage == "physical") for sql in sides]
    looks = [look[3] for scene in compare_plans(*plans).trace["scenes"] for look in scene["looks"]]
    conditions = {line[1] for lines in looks for line in lines if line[0] == "where" and "(v)" in line[1]}
    assert {"sum(v) > 3", "avg(v) > 3.0"} <= conditions


def test_a_subquery_keeps_its_name_in_a_list_of_columns() -> None:
    """It was split at the comma before its id, and a card said `[id=] AS av`."""
    project = "*(1) Project [a#1, Subquery subquery#23, [id=#784] AS av#24]"
    text = f"== Physical Plan ==\n{project}\n+- *(1) LocalTableScan [a#1]\n"
    node = open_text(text).plans[0][0]
    assert list(node.arguments["project_list"]) == ["a#1", "Subquery subquery#23, [id=#784] AS av#24"]
