"""Why a rule did not fire: the pattern or the guard, on which node, with the value it saw."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.decisions.refusals import WhyNot
from planviz.document import open_sql
from planviz.document.rules.refusals import excluding, why_not, without_rule
from planviz.errors import InputError
from planviz.execution import QueryExecution
from tests.plans import small_catalog

REFUSED = [
    (
        "PushDownPredicates",
        "SELECT * FROM t1 LEFT JOIN t2 ON t1.a = t2.a WHERE t2.b IS NULL",
        "Filter isnull(b#5)",
        "the side that a LeftOuter join fills with nulls",
        "isnull(b#5)",
    ),
    (
        "PushPredicateThroughJoin",
        "SELECT * FROM t1 LEFT JOIN t2 ON t1.a = t2.a AND t1.b > 1",
        "Join LeftOuter, ((a#1 = a#4) AND (b#2 > 1))",
        "the side whose rows a LeftOuter join keeps",
        "(b#2 > 1)",
    ),
    (
        "PushPredicateThroughJoin",
        "SELECT * FROM t1 FULL JOIN t2 ON t1.a = t2.a WHERE coalesce(t1.b, 0) = 0",
        "Filter (coalesce(b#2, 0) = 0)",
        "keeps the rows of both sides",
        "(coalesce(b#2, 0) = 0)",
    ),
    (
        "CombineFilters",
        "SELECT * FROM (SELECT * FROM t1 WHERE rand(1) > 0.5D) WHERE a > 1",
        "Filter (a#1 > 1)",
        "the filter below is not deterministic",
        "(rand(1) > 0.5)",
    ),
    (
        "PushPredicateThroughNonJoin",
        "SELECT * FROM (SELECT a, count(*) n FROM t1 GROUP BY a) WHERE n > 1L",
        "Filter (n#1L > 1)",
        "reads what the aggregate computes",
        "(n#1L > 1)",
    ),
    (
        "PushPredicateThroughNonJoin",
        "SELECT * FROM (SELECT * FROM t1 LIMIT 3) WHERE a > 1",
        "Filter (a#1 > 1)",
        "the limit below keeps certain rows",
        None,
    ),
    ("OptimizeIn", "SELECT a FROM t1 WHERE a IN (1, 2, 3)", "a#1 IN (1,2,3)", "no more than 10", "3 values"),
    ("OptimizeIn", "SELECT a FROM t1 WHERE a IN (1, b)", "a#1 IN (1,b#2)", "more than constants", "b#2"),
    (
        "InjectRuntimeFilter",
        "SELECT * FROM t1 JOIN t2 ON t1.a = t2.a WHERE t2.b > 1",
        "Join Inner, (a#1 = a#4)",
        "the scan to be filtered has too few bytes",
        "0",
    ),
    (
        "InjectRuntimeFilter",
        "SELECT * FROM t1 FULL JOIN t2 ON t1.a = t2.a",
        "Join FullOuter, (a#1 = a#4)",
        "keeps rows without a match on both sides",
        "FullOuter",
    ),
    (
        "PartitionPruning",
        "SELECT * FROM t1 JOIN t2 ON t1.a = t2.a WHERE t2.b > 1",
        "Join Inner, (a#1 = a#4)",
        "neither key is a partition column",
        "a#1",
    ),
    ("ReorderJoin", "SELECT * FROM t1 JOIN t2 ON t1.a = t2.a", "Join Inner, (a#1 = a#4)", "two relations", None),
    (
        "EliminateOuterJoin",
        "SELECT * FROM t1 LEFT JOIN t2 ON t1.a = t2.a WHERE coalesce(t2.b, 0) > -1",
        "Filter (coalesce(b#5, 0) > -1)",
        "may be true for the nulls of a LeftOuter join",
        "(coalesce(b#5, 0) > -1)",
    ),
    (
        "LimitPushDown",
        "SELECT * FROM t1 JOIN t2 ON t1.a = t2.a LIMIT 3",
        "LocalLimit 3",
        "may not pass the join's condition",
        "(a#1 = a#4)",
    ),
    (
        "CollapseProject",
        "SELECT r, r + 1D AS s FROM (SELECT rand(1) r FROM t1)",
        "Project [r#2, (r#2 + 1.0) AS s#1]",
        "must not be written twice",
        "rand(1) AS r#2",
    ),
    (
        "ConvertToLocalRelation",
        "SELECT x > (SELECT max(a) FROM t1) AS r FROM VALUES (1) AS v(x)",
        "Project [(x#3 > scalar-subquery#1 []) AS r#2]",
        "the expressions aggregate or hold a subquery",
        "(x#3 > scalar-subquery#1 []) AS r#2",
    ),
    (
        "InferFiltersFromConstraints",
        "SELECT * FROM t1 FULL JOIN t2 ON t1.a = t2.a",
        "Join FullOuter, (a#1 = a#4)",
        "the side whose rows the join keeps",
        "FullOuter",
    ),
    (
        "ColumnPruning",
        "SELECT a + b AS x, c FROM t1 WHERE a > 1",
        "Project [(a#2 + b#3) AS x#1, c#4]",
        "every column",
        "Filter",
    ),
]


def execution(sql: str, config: OptimizerConfig | None = None) -> QueryExecution:
    (statement,) = open_sql(sql, small_catalog(), config).statements
    assert statement.error is None
    assert statement.execution is not None
    return statement.execution


def asked(rule: str, sql: str, config: OptimizerConfig | None = None) -> WhyNot:
    return why_not(execution(sql, config), rule)


@pytest.mark.parametrize(("rule", "sql", "node", "reason", "value"), REFUSED)
def test_the_guard_that_said_no(rule: str, sql: str, node: str, reason: str, value: str | None) -> None:
    why = asked(rule, sql)
    assert why.verdict in ("refused", "fired")
    told = [(r.node_text, r.value_text) for r in why.refusals if reason in r.reason]
    assert (node, value) in told


def test_the_pattern_that_was_missing() -> None:
    why = asked("CollapseWindow", "SELECT a FROM t1")
    assert (why.verdict, why.sentence) == ("no pattern", "Whenever it ran, there was no Window in the plan.")


def test_a_rule_that_is_not_there_or_switched_off() -> None:
    sql = "SELECT a FROM t1 WHERE b = 1"
    assert asked("CombineLimits", sql).verdict == "absent"
    assert asked("ConstantFolding", sql, excluding(OptimizerConfig(), ["ConstantFolding"])).verdict == "excluded"
    off = OptimizerConfig.of(**{"spark.sql.constraintPropagation.enabled": False})
    why = asked("InferFiltersFromConstraints", sql, off)
    assert (why.verdict, why.sentence) == ("disabled", "spark.sql.constraintPropagation.enabled is false.")


def test_a_rule_that_fired_says_so_and_where_it_did_not() -> None:
    why = asked("PushDownPredicates", "SELECT * FROM t1 LEFT JOIN t2 ON t1.a = t2.a WHERE t1.b > 1 AND t2.b IS NULL")
    assert why.verdict == "fired"
    assert any(r.value_text == "isnull(b#5)" for r in why.refusals)


def test_nothing_of_its_form() -> None:
    why = asked("BooleanSimplification", "SELECT a FROM t1 WHERE a > 1 AND b < 2")
    assert why.verdict == "nothing to do"
    assert [node.node_name for node in why.looked_at] == ["Filter"]


def test_asking_changes_nothing() -> None:
    asked_about = execution("SELECT * FROM t1 LEFT JOIN t2 ON t1.a = t2.a WHERE t2.b > 1")
    before, steps = asked_about.text("optimized"), len(asked_about.trace)
    why_not(asked_about, "PushDownPredicates")
    assert (asked_about.text("optimized"), len(asked_about.trace)) == (before, steps)
    assert asked_about.again().text("optimized") == before


def test_a_misspelt_rule() -> None:
    with pytest.raises(InputError, match="Did you mean CombineFilters"):
        asked("CombineFilter", "SELECT a FROM t1")


def test_what_the_plan_loses_without_a_rule() -> None:
    query = execution("SELECT x + 1 AS y FROM (SELECT a + 1 AS x FROM t1)")
    without = without_rule(query, "CollapseProject")
    assert without.sentence == "Without CollapseProject the final plan has 1 Project more."
    assert without.gained == {"Project": 1}
    assert without.execution.text("optimized").count("Project") == 2
    assert without_rule(query, "CollapseWindow").sentence == "Without CollapseWindow the final plan is the same."
    assert "not excluded" in without_rule(query, "FinishAnalysis").sentence


def test_a_part_of_another_rule_is_asked_itself() -> None:
    """Parts of FinishAnalysis and PushDownPredicates were said to have fired wherever one of the others had."""
    sql = "SELECT nullif(a, 1) FROM t1 WHERE a > 1"
    assert asked("ReplaceExpressions", sql).sentence == "It changed the plan once within FinishAnalysis."
    pipes = asked("EliminatePipeOperators", sql)
    assert (pipes.verdict, pipes.fired) == ("no pattern", 0)
    assert pipes.sentence == "Whenever it ran within FinishAnalysis, there was no PipeOperator in the plan."
    assert asked("RewriteCollationJoin", sql).verdict == "no pattern"
    joined = "SELECT * FROM t1 JOIN t2 ON t1.a = t2.a WHERE t1.b > 1"
    assert asked("PushPredicateThroughJoin", joined).fired == 1
    assert asked("PushPredicateThroughNonJoin", joined).fired == 0
    assert asked("CombineFilters", "SELECT * FROM (SELECT * FROM t1 WHERE a > 1) WHERE b > 1").fired >= 1


def test_patterns_have_sparks_names() -> None:
    sql = "SELECT a FROM t1"
    assert "there was no Upper or Lower in" in asked("SimplifyCaseConversionExpressions", sql).sentence
    assert "there was no CurrentDatabase or CurrentCatalog or" in asked("ReplaceCurrentLike", sql).sentence
