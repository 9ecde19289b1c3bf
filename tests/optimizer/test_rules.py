"""The golden cases (see golden.py), and what holds for every rule."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.expressions.ids import Ids, ids_from
from planviz.optimizer.batches import all_rules, batches
from planviz.optimizer.context import OptimizerContext
from planviz.optimizer.optimizer import Optimizer
from tests.optimizer.golden import FOLDER, analyzed_plan, cases, run

#: Rules that stand in Spark's order and change no plan, with the reason.
NEVER = {
    "CheckCartesianProducts": "it checks",
    "ExtractGroupingPythonUDFFromAggregate": "PullOutGroupingExpressions has done it before (see test_python_udfs)",
    "RewriteNonCorrelatedExists": "FinishAnalysis has done it before",
    "ExtractPythonUDTFs": "its classes are the programs' (see tests/programs/test_python_tables.py)",
}
CASES = [c for f in sorted(FOLDER.glob("*.txt")) for c in cases(f)]


@pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])
def test_case(case):
    text, effective = run(case)

    assert set(case.flags.get("expect", [])) <= effective
    assert not set(case.flags.get("expect-not", [])) & effective
    assert text == case.expected


@pytest.mark.parametrize("rule", all_rules().values(), ids=list(all_rules()))
def test_every_rule_says_what_it_does(rule):
    doc = rule.__doc__ or ""

    assert "=>" in doc
    assert rule.__name__ == rule(OptimizerContext()).name
    assert len(doc.strip().split("\n\n")) >= 3, "the algebra line and why it pays stand in paragraphs of their own"


@pytest.mark.parametrize("rule", all_rules())
def test_every_rule_has_a_case_in_which_it_fires_and_one_in_which_it_does_not(rule):
    assert rule in NEVER or any(rule in c.flags.get("expect", []) for c in CASES)
    assert any(rule in c.flags.get("expect-not", []) for c in CASES)


@pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])
def test_plans_hold_together_after_every_step(case):
    def check(rule, before, after):
        # Spark's own rules give the root other ids where aliases go, first() stands for a column or maps are sorted:
        # names must stay.
        renumber = ("RemoveRedundantAliases", "ReplaceDeduplicateWithAggregate", "FinishAnalysis")
        same = "name" if rule.name in renumber else "expr_id"
        if [getattr(a, same) for a in before.output] != [getattr(a, same) for a in after.output]:
            return f"{rule.name} changed the columns"
        for p in after.walk():
            if p.children and p.missing_input:
                return f"{rule.name} left {p.simple_string} reading what its children do not give"
        return None

    config = OptimizerConfig().with_settings(dict(s.split(":", 1) for s in case.flags.get("set", [])))
    ids = Ids()
    with ids_from(ids):
        analyzed = analyzed_plan(case, config, ids)
        optimizer = Optimizer(config)
        optimizer.checks = [check]
        optimizer.optimize(analyzed)


def test_excluded_rules_do_not_run():
    name = "org.apache.spark.sql.catalyst.optimizer.PushDownPredicates"
    config = OptimizerConfig.of(**{"spark.sql.optimizer.excludedRules": name})
    names = {r.spark_name for b in batches(OptimizerContext(config)) for r in b.rules}

    assert name not in names
    assert name in {r.spark_name for b in batches(OptimizerContext()) for r in b.rules}


def test_rules_that_correctness_needs_cannot_be_excluded():
    name = "org.apache.spark.sql.catalyst.optimizer.RewritePredicateSubquery"
    config = OptimizerConfig.of(**{"spark.sql.optimizer.excludedRules": name})

    assert name in {r.spark_name for b in batches(OptimizerContext(config)) for r in b.rules}
