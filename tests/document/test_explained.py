"""Which way a rule took through its logic in a step, with what it saw."""

from __future__ import annotations

import pytest

from planviz.catalog.tables import PythonFunction
from planviz.config import OptimizerConfig
from planviz.document.rules.branches import Explanation, explained
from planviz.execution import QueryExecution, explain
from planviz.optimizer.profiles import rules_by_name
from tests.plans import small_catalog

OUTER = "SELECT * FROM t1 {} JOIN t2 ON t1.a = t2.a WHERE {}"
L, R = "t1.b >= 9", "t2.b >= 20"
THREE = """
SELECT pages FROM people JOIN visits ON person = v_person JOIN days ON v_day = day WHERE weekday = 1
"""
BY_COST = {"spark.sql.cbo.enabled": True, "spark.sql.cbo.joinReorder.enabled": True}

WAYS = [
    ("EliminateOuterJoin", OUTER.format("FULL", f"{L} AND {R}"), "FullOuter to Inner"),
    ("EliminateOuterJoin", OUTER.format("FULL", L), "FullOuter to LeftOuter"),
    ("EliminateOuterJoin", OUTER.format("FULL", R), "FullOuter to RightOuter"),
    ("EliminateOuterJoin", OUTER.format("LEFT", R), "LeftOuter to Inner"),
    ("EliminateOuterJoin", OUTER.format("RIGHT", L), "RightOuter to Inner"),
    ("EliminateOuterJoin", "SELECT DISTINCT t1.a FROM t1 LEFT JOIN t2 ON t1.a = t2.a", "repeats"),
    (
        "EliminateOuterJoin",
        "SELECT t1.b FROM t1 LEFT JOIN (SELECT a, count(*) n FROM t2 GROUP BY a) d ON t1.a = d.a",
        "unique",
    ),
    ("LimitPushDown", "SELECT * FROM t1 LEFT JOIN t2 ON t1.a = t2.a LIMIT 3", "LeftOuter"),
    ("LimitPushDown", "SELECT * FROM t1 RIGHT JOIN t2 ON t1.a = t2.a LIMIT 3", "RightOuter"),
    ("LimitPushDown", "SELECT * FROM t1 CROSS JOIN t2 LIMIT 3", "both"),
    ("LimitPushDown", "SELECT * FROM t1 UNION ALL SELECT * FROM t2 LIMIT 3", "Union"),
    ("LimitPushDown", "SELECT * FROM t1 LIMIT 3 OFFSET 2", "Offset"),
    ("LimitPushDown", "SELECT a FROM t1 GROUP BY a LIMIT 1", "groups"),
    ("PushPredicateThroughJoin", OUTER.format("INNER", L), "Filter over Inner"),
    ("PushPredicateThroughJoin", OUTER.format("LEFT", L), "Filter over LeftOuter"),
    ("PushPredicateThroughJoin", OUTER.format("RIGHT", R), "Filter over RightOuter"),
    ("PushPredicateThroughJoin", "SELECT * FROM t1 LEFT JOIN t2 ON t1.a = t2.a AND t2.b > 1", "condition of LeftOuter"),
    ("LimitPushDown", "SELECT * FROM t1 LEFT SEMI JOIN t2 LIMIT 3", "left"),
    ("LimitPushDown", "SELECT * FROM t1 LEFT SEMI JOIN t2", "one match"),
    (
        "PushPredicateThroughJoin",
        "SELECT * FROM t1 LEFT SEMI JOIN t2 ON t1.a = t2.a WHERE b > 1",
        "Filter over LeftSemi",
    ),
    ("PushPredicateThroughJoin", "SELECT * FROM t1 JOIN t2 ON t1.a = t2.a AND t2.b > 1", "condition of Inner"),
    (
        "PushPredicateThroughJoin",
        "SELECT * FROM t1 RIGHT JOIN t2 ON t1.a = t2.a AND t1.b > 1",
        "condition of RightOuter",
    ),
    ("ReorderJoin", "SELECT * FROM t1, u1, t3, t2 WHERE t1.a = t2.a AND t2.b = t3.b", "product"),
    ("RewritePredicateSubquery", "SELECT a IN (SELECT a FROM t2) AS x FROM t1", "column"),
    ("ReorderJoin", "SELECT * FROM t1, t3, t2 WHERE t1.a = t2.a AND t2.b = t3.b", "connected"),
    ("RewritePredicateSubquery", "SELECT * FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a)", "EXISTS"),
    (
        "RewritePredicateSubquery",
        "SELECT * FROM t1 WHERE NOT EXISTS (SELECT 1 FROM t2 WHERE t2.a = t1.a)",
        "NOT EXISTS",
    ),
    ("RewritePredicateSubquery", "SELECT * FROM t1 WHERE a IN (SELECT a FROM t2)", "IN"),
    ("RewritePredicateSubquery", "SELECT * FROM t1 WHERE a NOT IN (SELECT a FROM t2)", "NOT IN"),
    ("RewritePredicateSubquery", "SELECT * FROM t1 WHERE a IN (SELECT a FROM t2) OR b = 1", "inside"),
    ("CostBasedJoinReorder", THREE, "cheapest"),
    ("ExtractPythonUDFs", "SELECT arrow_f(a) FROM t1", "arrow"),
    ("ExtractPythonUDFs", "SELECT batch_f(a) FROM t1", "batch"),
    ("LimitPushDown", "SELECT arrow_f(a) FROM t1 LIMIT 3", "Python"),
    ("ReplaceExceptWithFilter", "SELECT a, b FROM t1 EXCEPT SELECT a, b FROM t1 WHERE b > 5", "selection"),
]


def all_of(sql: str) -> list[Explanation]:
    catalog = small_catalog().with_function(PythonFunction.of("arrow_f", "int"))
    catalog = catalog.with_function(PythonFunction.of("batch_f", "int", "SQL_BATCHED_UDF"))
    execution = explain(sql, catalog, OptimizerConfig().with_settings(BY_COST))
    _ = execution.optimized
    return [told for step in range(len(execution.trace)) for told in explained(execution, step)]


@pytest.mark.parametrize(("rule", "sql", "took"), WAYS, ids=[f"{rule} {took}" for rule, _, took in WAYS])
def test_the_branch_is_a_line_of_the_rules_logic(rule: str, sql: str, took: str) -> None:
    found = all_of(sql)
    assert took in [e.branch.took for e in found if e.branch.rule == rule]
    for e in found:
        assert e.branch.took in [line.branch for line in e.logic], e.branch
        assert e.branch.reason.endswith(".")


def test_every_branch_of_every_rule_is_tried() -> None:
    taken = {(rule, took) for rule, _, took in WAYS}
    rules = {name: rule for name, rule in rules_by_name().items() if rule.logic}
    assert {rule for rule, _, _ in WAYS} == set(rules)
    assert {(name, line.branch) for name, rule in rules.items() for line in rule.logic if line.branch} == taken


def test_it_says_what_each_conjunct_gives_on_nulls() -> None:
    sql = OUTER.format("FULL", f"{L} AND coalesce(t2.b, 0) = 0")
    (told,) = [e.branch for e in all_of(sql) if e.branch.rule == "EliminateOuterJoin"]
    assert [(str(o.what), o.gave) for o in told.seen] == [
        ("(b#2 >= 9)", "reads the left side; on a row of nulls it is null"),
        ("(coalesce(b#5, 0) = 0)", "reads the right side; on a row of nulls it is true"),
    ]
    assert told.reason == (
        "A row of the right side without a match has nulls on the left: (b#2 >= 9) is null there, "
        "so the filter drops it. A row of the left side without a match may pass, so it must stay."
    )


def test_false_counts_like_null() -> None:
    (told,) = [e.branch for e in all_of(OUTER.format("LEFT", "t2.b IS NOT NULL")) if "Outer" in e.branch.rule]
    assert [o.gave for o in told.seen] == ["reads the right side; on a row of nulls it is false"]


def test_planning_notes_nothing() -> None:
    execution = QueryExecution(OUTER.format("FULL", L), small_catalog())
    _ = execution.optimized
    ids = [a.before for a in execution.trace]
    assert explained(execution, next(i for i, a in enumerate(execution.trace) if a.rule.endswith("EliminateOuterJoin")))
    assert [a.before for a in execution.trace] == ids
    assert rules_by_name()["EliminateOuterJoin"].branches is None


def test_the_cheapest_order_tells_its_joins_from_the_first_to_the_last() -> None:
    (told,) = [e.branch for e in all_of(THREE) if e.branch.rule == "CostBasedJoinReorder"]

    assert [o.gave for o in told.seen] == ["gives 143,000 rows", "gives 143,000 rows"]
    assert "day" in str(told.seen[0].what)
    assert told.reason.startswith("In between it makes 143,000 rows")
