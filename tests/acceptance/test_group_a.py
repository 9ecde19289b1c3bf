"""Acceptance of the optimizer, item by item, in planviz and on a real Spark (see table.py and group_a.txt)."""

from __future__ import annotations

from functools import partial

import pytest

from planviz.catalog import read_bundled
from planviz.config import OptimizerConfig
from planviz.execution import explain
from planviz.frontend.writing import sql_of
from planviz.optimizer.batches import batches
from planviz.optimizer.context import OptimizerContext
from tests.acceptance.engines import Ours, real_spark, short, skip_without_java
from tests.acceptance.table import cases, check, lines
from tests.plans import small_catalog
from tests.steps import steps

CASES = cases()
IDS = [f"{c.item}-{i}" for i, c in enumerate(CASES)]
RANGES = [(1, 17), (20, 26), (30, 54), (60, 66), (70, 78), (80, 93), (100, 115), (120, 120)]
ITEMS = {f"A-{n:03}" for first, last in RANGES for n in range(first, last + 1)}
#: Cases, by their code, in which planviz differs from Spark, with the reason.
KNOWN: dict[str, str] = {}
#: Items that tests of their own cover, below.
ELSEWHERE = {"A-001", "A-002", "A-003", "A-004", "A-015", "A-026"}


@pytest.fixture(scope="module")
def real():
    skip_without_java()
    return real_spark()


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_planviz(case, request):
    if case.code in KNOWN:
        request.node.add_marker(pytest.mark.xfail(strict=True, reason=KNOWN[case.code]))
    check(case, Ours().run(case))


@pytest.mark.spark
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_spark(case, real):
    check(case, real.run(case))


def test_every_item_is_accepted():
    assert {c.item for c in CASES} | ELSEWHERE == ITEMS


def test_every_case_says_what_it_expects():
    assert not [c for c in CASES if not c.expect.keys() - {"set"}]


# ------------------------------------------------------------------------------------------- the engine itself


def planned(sql, **settings):
    execution = explain(sql, read_bundled("documents"), OptimizerConfig().with_settings(settings))
    text = execution.text("optimized")
    return text, [(a.batch, short(a.rule)) for a in execution.trace if "analysis" not in a.rule]


def test_a_001_batches_run_in_order_and_say_when_they_had_no_effect():
    execution = explain("SELECT * FROM t1 WHERE a = 1", read_bundled("documents"))
    _ = execution.optimized
    effect = {b.batch: b.effective for b in execution.trace.batches}

    assert effect["Infer Filters"]
    assert not effect["Aggregate"]


def test_a_001_a_batch_repeats_until_a_pass_changes_nothing():
    sql = "SELECT * FROM (SELECT * FROM (SELECT a + 1 AS x FROM t1) WHERE x > 1) WHERE x > 2"
    once = planned(sql, **{"spark.sql.optimizer.maxIterations": 1})[0]

    assert planned(sql)[0] == planned(sql, **{"spark.sql.optimizer.maxIterations": 100})[0]
    assert lines(once)[-1] == lines(planned(sql)[0])[-1]


def test_a_002_batches_come_in_sparks_order():
    order = [
        "Finish Analysis", "Rewrite With expression", "Eliminate Distinct", "Inline CTE", "Union",
        "LocalRelation early", "Pullup Correlated Expressions", "Subquery", "Replace Operators", "Aggregate",
        "Operator Optimization before Inferring Filters", "Infer Filters",
        "Operator Optimization after Inferring Filters", "Eliminate Sorts", "Decimal Optimizations",
        "Distinct Aggregate Rewrite", "Object Expressions Optimization", "LocalRelation", "Optimize One Row Plan",
        "Check Cartesian Products", "RewriteSubquery", "NormalizeFloatingNumbers",
    ]  # fmt: skip
    names = [b.name for b in batches(OptimizerContext())]

    assert [n for n in names if n in order] == order


@pytest.mark.spark
def test_a_002_sparks_own_batches(real):
    ours = [b.name for b in batches(OptimizerContext())]
    batch_list = real.spark._jsparkSession.sessionState().optimizer().batches()
    theirs = [batch_list.apply(i).name() for i in range(batch_list.length())]

    assert [n for n in theirs if n in ours] == ours


def test_a_003_filters_are_inferred_between_two_runs_of_the_big_batch():
    text, fired = planned("SELECT * FROM t1 p LEFT JOIN t2 r ON p.a = r.a WHERE r.a > 1")
    rules = [rule for _, rule in fired]

    assert rules.index("EliminateOuterJoin") < rules.index("PushDownPredicates")
    assert rules.index("PushDownPredicates") < rules.index("InferFiltersFromConstraints")
    assert ("Infer Filters", "InferFiltersFromConstraints") in fired
    assert "isnotnull" in text


def test_a_004_an_excluded_rule_does_not_run():
    sql = "SELECT * FROM (SELECT * FROM t1 WHERE a > 1) WHERE b > 2"
    rule = "org.apache.spark.sql.catalyst.optimizer.PushDownPredicates"
    text, fired = planned(sql, **{"spark.sql.optimizer.excludedRules": rule})

    assert [line.split(" ")[0] for line in lines(text)] == ["Filter", "Filter", "Relation"]
    assert "PushDownPredicates" not in [r for _, r in fired]


def test_a_004_some_rules_cannot_be_excluded():
    rule = "org.apache.spark.sql.catalyst.optimizer.RewritePredicateSubquery"
    text, _ = planned("SELECT * FROM t1 WHERE a IN (SELECT a FROM t2)", **{"spark.sql.optimizer.excludedRules": rule})

    assert "LeftSemi" in text


def test_a_015_local_relations_are_propagated_after_filters_were_pruned():
    _, fired = planned("SELECT * FROM t1 JOIN (SELECT * FROM t2 WHERE 1 = 0) e ON t1.a = e.a")

    assert fired.index(("LocalRelation", "PropagateEmptyRelation")) > [r for _, r in fired].index("PruneFilters")


@pytest.mark.slow
def test_g_016_no_case_takes_a_second():
    # A second has room for five million calls; the first case pays for what is loaded once.
    engine = Ours()
    taken = [(steps(partial(engine.run, case)), case.code) for case in CASES]

    assert max(taken)[0] < 1_000_000, max(taken)


SETS = [c.code for c in CASES if c.is_sql and c.item in {f"A-{n:03}" for n in range(20, 26)} and not c.settings]


@pytest.mark.parametrize("sql", SETS)
def test_a_026_rewrites_as_sql_have_the_same_columns(sql):
    text = sql_of(explain(sql, small_catalog()).optimized).text
    again = explain(text, small_catalog()).analyzed

    assert [a.name for a in again.output] == [a.name for a in explain(sql, small_catalog()).analyzed.output]


@pytest.mark.spark
@pytest.mark.parametrize("sql", SETS)
def test_a_026_rewrites_as_sql_give_the_same_rows(sql, real):
    assert real.rows(sql_of(explain(sql, small_catalog()).optimized).text) == real.rows(sql)


def test_a_101_joins_are_reordered_by_cost_when_asked():
    asked = {"spark.sql.cbo.enabled": True, "spark.sql.cbo.joinReorder.enabled": True}
    rules = [r.name for b in batches(OptimizerContext(OptimizerConfig().with_settings(asked))) for r in b.rules]

    assert "CostBasedJoinReorder" in rules
