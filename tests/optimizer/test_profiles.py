from __future__ import annotations

import re
from pathlib import Path

import pytest

from planviz.catalog import read_bundled
from planviz.config import OptimizerConfig
from planviz.execution import explain
from planviz.optimizer.batches import batches
from planviz.optimizer.context import OptimizerContext
from planviz.optimizer.profiles import batch_mapping, batch_names

OLD = OptimizerConfig.of("spark-3.0")
QUERIES = sorted((Path(__file__).resolve().parents[3] / "shared/corpus/tpcds/queries").glob("*.sql"))
EXCLUDED = "spark.sql.optimizer.excludedRules"


def fired(sql, config=OLD):
    execution = explain(sql, read_bundled("documents"), config)
    text = execution.text("optimized")
    return text, [a.rule.rsplit(".", 1)[-1] for a in execution.trace.applications if a.rule.find("analysis") < 0]


def test_the_batches_of_3_0_come_in_its_order():
    names = [b.name for b in batches(OptimizerContext(OLD))]

    assert names[names.index("Eliminate Distinct") :][:2] == ["Eliminate Distinct", "Finish Analysis"]
    assert names.index("OptimizeLimitZero") < names.index("LocalRelation early") < names.index("Replace Operators")
    assert "Optimize One Row Plan" not in names
    rules = {name: rules for name, _, rules in batch_names("spark-3.0")}
    assert len(rules["Operator Optimization before Inferring Filters"]) == 36


def test_operator_optimization_is_three_batches():
    text, rules = fired("SELECT * FROM t1 p LEFT JOIN t2 r ON p.a = r.a WHERE r.a > 1")

    assert rules.index("EliminateOuterJoin") < rules.index("InferFiltersFromConstraints")
    assert rules.index("PushDownPredicates") < rules.index("InferFiltersFromConstraints")
    assert "isnotnull" in text


def test_limits_go_by_the_rules_of_3_0():
    text, rules = fired("SELECT * FROM (SELECT * FROM t1 LIMIT 10) LIMIT 3")
    assert text.startswith("GlobalLimit 3\n+- LocalLimit 3\n   +- Relation")
    assert "CombineLimits" in rules

    text, rules = fired("SELECT a FROM t1 LIMIT 0")
    assert text.startswith("LocalRelation <empty>")
    assert "OptimizeLimitZero" in rules


def test_rules_that_came_later_do_not_run():
    sql = "SELECT count(*) FROM t1 LIMIT 3"

    assert fired(sql)[0].startswith("GlobalLimit 3")
    assert fired(sql, OptimizerConfig())[0].startswith("Aggregate")


def test_a_plus_sign_goes():
    assert "RemoveDispensableExpressions" in fired("SELECT a FROM t1 WHERE +a > b")[1]


def test_between_in_a_correlated_subquery_is_replaced_before_it_is_pulled_up():
    text, _ = fired("SELECT * FROM t1 WHERE EXISTS (SELECT 1 FROM t2 WHERE t1.a = t2.a AND t1.b BETWEEN 2 AND 3)")

    assert "between" not in text
    assert re.search(r"Filter \(\(b#\d+ >= 2\) AND \(b#\d+ <= 3\)\)", text)


@pytest.mark.skipif(not QUERIES, reason="the captures are not at hand")
@pytest.mark.parametrize("path", QUERIES[::8], ids=lambda p: p.stem)
def test_a_real_query_is_planned(path):
    plan = explain(path.read_text().strip().rstrip(";"), read_bundled("tpcds"), OLD).optimized

    assert plan.resolved


def test_a_rule_that_correctness_needs_is_kept_with_spark_s_sentence():
    name = "org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers"
    execution = explain("SELECT 1", config=OptimizerConfig.of(**{EXCLUDED: name}))
    _ = execution.optimized

    assert execution.warnings == [
        f"Optimization rule '{name}' was not excluded from the optimizer because this rule is a non-excludable rule."
    ]


def test_which_rules_are_kept_depends_on_the_profile():
    name = "org.apache.spark.sql.catalyst.optimizer.EliminateDistinct"
    setting = {EXCLUDED: name}

    def runs(profile):
        context = OptimizerContext(OptimizerConfig.of(profile, **setting))
        return name in {r.spark_name for b in batches(context) for r in b.rules}

    assert runs("spark-3.0")
    assert not runs("spark-4.3")


def test_a_name_that_is_no_rule_gets_the_nearest():
    execution = explain("SELECT 1", config=OptimizerConfig.of(**{EXCLUDED: "CombineUnion"}))
    _ = execution.optimized

    assert execution.warnings == ["CombineUnion is no rule of spark-4.3: meant CombineUnions?"]


def test_the_mapping_knows_every_batch_of_every_version():
    rows = batch_mapping()
    of_3_0 = [n for r in rows for n in r.spark_3_0]
    of_4_3 = [n for r in rows for n in r.spark_4_3]

    ours = {b.name for b in batches(OptimizerContext())}
    assert ours <= set(of_4_3)
    assert {n for n, _, _ in batch_names("spark-3.0")} - set(of_3_0) == {
        "Inline CTE", "Finish subqueries", "Rewrite With expression",
    }  # fmt: skip
    assert len({n for r in rows for n in r.seed}) == 19


def test_a_filter_passes_a_projection_that_matches_a_pattern_until_4_2():
    sql = "SELECT * FROM (SELECT a, c RLIKE 'x' AS r FROM t1) WHERE r"

    for profile, above in (("spark-4.1", "Project"), ("spark-4.2", "Filter"), ("spark-4.3", "Filter")):
        text, _ = fired(sql, OptimizerConfig.of(profile))
        assert text.startswith(above), profile
