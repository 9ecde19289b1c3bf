"""Entries of the optimizer's rules, of the preparations of physical plans, and of the batches."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from planviz.config import OptimizerConfig
from planviz.optimizer.batches import batches
from planviz.optimizer.context import OptimizerContext
from planviz.optimizer.reference import RuleReference, rule_references
from planviz.physical.planner import corrections
from planviz.physical.preparations.rules import preparation_classes
from planviz.reference.entry import Entry
from planviz.versions import PROFILES

_NEWEST = "spark-4.3"


def rule_entries() -> Iterator[Entry]:
    """Every rule of the optimizer, of whatever version, and every preparation."""
    for rule in rule_references().values():
        facts = [("Spark's class", rule.spark_name)]
        facts.append(("Can be switched off", "yes, by spark.sql.optimizer.excludedRules" if rule.excludable else "no"))
        facts += [("The documents say", f"“{said}”; Spark: {done}") for said, done in corrections(rule.name)]
        related = [("rule", parent) for parent in rule.part_of] + [("setting", key) for key in rule.settings]
        related += [("batch", name) for name in dict.fromkeys(rule.batches[_NEWEST])]
        example = rule.example
        yield Entry(
            "rule", rule.name, rule.family, rule.one_line,
            tuple(filter(None, (_rest(rule.summary, rule.one_line), *_paragraphs(rule.remarks)))), rule.algebra,
            tuple(facts), tuple((_version(p), place_in(rule, p) or "no") for p in PROFILES), tuple(related),
            example.sql if example else "", "documents" if example else "", example.settings if example else {},
        )  # fmt: skip
    for name, preparation in preparation_classes().items():
        what, *rest = (inspect.getdoc(preparation) or "").split("\n\n")
        yield Entry(
            "rule", name, "preparations", _one_sentence(what),
            tuple(_joined(p) for p in rest if " => " not in p), "\n".join(p for p in rest if " => " in p),
            (("Spark's class", f"{preparation.package}.{name}"), ("Runs", "once, after the planner")),
            sql=preparation.example or "", catalog="documents" if preparation.example else "",
            settings=preparation.settings,
        )  # fmt: skip


def batch_entries() -> Iterator[Entry]:
    """The batches of the newest version in their order."""
    places: dict[str, list[str]] = {}
    for profile in PROFILES:
        for batch in batches(OptimizerContext(OptimizerConfig(profile=profile))):
            places.setdefault(batch.name, []).append(profile)
    for at, batch in enumerate(batches(OptimizerContext(OptimizerConfig(profile=_NEWEST))), 1):
        rules = [rule.name for rule in batch.rules]
        once = batch.strategy.max_iterations == 1
        runs = "once" if once else f"until nothing changes, {batch.strategy.max_iterations} times at most"
        words = "rule" if len(rules) == 1 else "rules"
        yield Entry(
            "batch", batch.name, f"{at:02d}", f"Batch {at} of the optimizer, run {runs}: {len(rules)} {words}.",
            facts=(("Strategy", batch.strategy.name), ("Runs", runs), ("Rules in order", ", ".join(rules))),
            versions=tuple((_version(p), "yes" if p in places[batch.name] else "no") for p in PROFILES),
            related=tuple(("rule", name) for name in rules),
        )  # fmt: skip


def _version(profile: str) -> str:
    return profile.removeprefix("spark-")


def _paragraphs(text: str) -> list[str]:
    return [_joined(part) for part in text.split("\n\n")]


def place_in(rule: RuleReference, profile: str) -> str:
    """The batches that run a rule in a profile, or the rules that do; empty where the version does not have it."""
    if rule.batches[profile]:
        return ", ".join(dict.fromkeys(rule.batches[profile]))
    hosts = rule.hosts(profile)
    return f"within {', '.join(hosts)}" if hosts else ""


def _joined(text: str) -> str:
    return " ".join(text.split())


def _one_sentence(text: str) -> str:
    return _joined(text).split(". ")[0].rstrip(".:") + "."


def _rest(whole: str, first: str) -> str:
    """What follows the first sentence."""
    return whole[len(first) :].strip() if whole.startswith(first.rstrip(".")) else ""
