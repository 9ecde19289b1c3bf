"""What is said of every rule is true: the table, the settings, the batches, the examples."""

from __future__ import annotations

import re

import pytest

from planviz.catalogs import find
from planviz.config import OptimizerConfig
from planviz.document import open_sql
from planviz.document.rules.refusals import why_not
from planviz.errors import InputError
from planviz.optimizer.reference import rule_named, rule_reference, rule_references

REFERENCES = rule_references()


@pytest.mark.parametrize("name", REFERENCES)
def test_every_rule_says_what_it_does_and_when_it_would_be_wrong(name: str) -> None:
    rule = REFERENCES[name]
    assert "=>" in rule.algebra
    assert rule.remarks
    assert rule.part_of or any(rule.batches.values())


@pytest.mark.parametrize("name", REFERENCES)
def test_a_card_is_understood_without_the_file_that_it_was_written_in(name: str) -> None:
    rule = REFERENCES[name]
    told = f"{rule.summary} {rule.algebra} {rule.remarks}"
    assert not re.search(r"\b[A-G]-\d{3}\b|\brules (above|below)\b|\bthis (module|file)\b", told)


@pytest.mark.parametrize("name", [name for name, rule in REFERENCES.items() if rule.example])
def test_the_rule_fires_in_its_example(name: str) -> None:
    example = REFERENCES[name].example
    assert example is not None
    config = OptimizerConfig().with_settings(dict(example.settings))
    document = open_sql(example.sql, find("documents"), config)
    assert document.error is None
    fired = [step.short_rule for step in document.trace.steps]
    if name not in fired:
        plan = next(s.execution for s in document.statements if s.execution is not None)
        why = why_not(plan, name)
        others = f"Before it could, these took their turn: {', '.join(dict.fromkeys(fired))}."
        told = [f"{refusal.reason}: {refusal.node_text}" for refusal in why.refusals]
        pytest.fail("\n".join([f"{name} does nothing in its example ({why.verdict}): {why.sentence}", *told, others]))


def test_rules_are_found_by_any_form_of_their_name() -> None:
    assert rule_reference("org.apache.spark.sql.catalyst.optimizer.ConstantFolding").name == "ConstantFolding"
    assert rule_reference("constantfolding").batches["spark-4.3"][0].startswith("Operator Optimization before")
    assert rule_reference("CombineFilters").part_of == ("PushDownPredicates",)
    assert rule_named("FinishAnalysis", ["a.b.Optimizer$FinishAnalysis"]) == "a.b.Optimizer$FinishAnalysis"


def test_a_misspelt_rule_is_answered_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"There is no rule ColumnPrunning\. Did you mean ColumnPruning"):
        rule_reference("ColumnPrunning")
    with pytest.raises(InputError, match="`planviz rules` lists them"):
        rule_reference("xyz")
