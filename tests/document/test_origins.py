"""Where the operators of SQL and programs were written, through all rules, and how the command line tells it."""

from __future__ import annotations

from pathlib import Path

import pytest

from planviz.cli.main import run
from planviz.document import open_sql
from planviz.ui.cache import catalog_of

SQL = """\
SELECT u.tier, sum(o.amount) AS total
FROM orders o
JOIN users u ON o.user_id = u.user_id
WHERE o.amount > 20
GROUP BY u.tier
HAVING sum(o.amount) > 100
ORDER BY total
LIMIT 5
"""


def lines_of(sql: str, stage: str) -> list[tuple[str, int | None]]:
    document = open_sql(sql, catalog_of("shop"))
    plan = next(plan for plan in document.plans if plan.stage == stage)
    return [(node.op, node.source[0] if node.source else None) for node in plan]


def test_every_operator_stands_at_its_clause() -> None:
    assert lines_of(SQL, "physical") == [
        ("AdaptiveSparkPlan", None),
        ("TakeOrderedAndProject", 8),
        ("Filter", 6),
        ("HashAggregate", 5),
        # What the planner puts there is there for the operator above.
        ("Exchange", 5),
        ("HashAggregate", 5),
        ("Project", 5),
        ("BroadcastHashJoin", 3),
        ("Project", 2),
        # Pushed below the join, and still WHERE.
        ("Filter", 4),
        ("FileScan", 2),
        ("BroadcastExchange", 3),
        ("Filter", 3),
        ("FileScan", 3),
    ]


def test_set_operations_and_offsets_stand_at_their_words() -> None:
    sql = "SELECT user_id FROM users\nUNION\nSELECT user_id FROM orders\nLIMIT 7\nOFFSET 2"
    found = dict(lines_of(sql, "analyzed"))
    assert (found["GlobalLimit"], found["Offset"], found["Union"]) == (4, 5, 2)


def test_joins_made_of_subqueries_stand_where_the_subquery_was_written() -> None:
    sql = """\
SELECT o.order_id
FROM (SELECT order_id, user_id, amount FROM orders) o
JOIN users u ON o.user_id = u.user_id
WHERE u.tier IN
      (SELECT tier FROM users WHERE user_id > 7)
  AND NOT EXISTS
      (SELECT 1 FROM orders b WHERE b.order_id = o.order_id)
  AND o.amount >
      (SELECT avg(amount) FROM orders x WHERE x.user_id = o.user_id)
  AND (o.amount = 3
       OR EXISTS (SELECT 1 FROM users v WHERE v.user_id = o.user_id))
"""
    document = open_sql(sql, catalog_of("shop"))
    plan = next(plan for plan in document.plans if plan.stage == "optimized")
    joins = [node for node in plan if node.op == "Join"]
    lines = {node.text.split()[1].strip(",").split("(")[0]: node.source[0] for node in joins if node.source}
    assert (lines["LeftSemi"], lines["LeftAnti"], lines["ExistenceJoin"]) == (4, 6, 11)
    assert sorted(node.source[0] for node in joins if node.source) == [3, 4, 6, 9, 11]


def test_steps_of_the_trace_know_the_lines_too() -> None:
    trace = open_sql(SQL, catalog_of("shop")).trace
    pushed = next(step for step in trace.steps if step.short_rule == "PushDownPredicates")
    before, after = pushed.graphs()
    assert {node.source for node in before if node.op == "Join"} == {(3, 3)}
    assert (4, 4) in {node.source for node in after if node.op == "Filter"}


def test_explain_prints_the_clauses_of_sql(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "q.sql"
    path.write_text(SQL)
    assert run(["explain", str(path), "--catalog", "shop", "--origin"]) == 0
    printed = capsys.readouterr().out
    assert "     3:1                BroadcastHashJoin\n" in printed
    assert "     4:7                    Filter\n" in printed


def test_a_plan_s_text_does_not_know_what_was_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "plan.txt"
    plan = "Filter (a#1 > 1)\n+- Relation spark_catalog.default.t[a#1] parquet"
    path.write_text(f"== Optimized Logical Plan ==\n{plan}\n")
    assert run(["explain", str(path), "--origin"]) == 2
    assert "--origin is for SQL and programs" in capsys.readouterr().err
