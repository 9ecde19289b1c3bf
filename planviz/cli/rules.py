"""`planviz rules`: the table of all rules, or what is known of one, and why it did not fire."""

from __future__ import annotations

import argparse
import inspect
import textwrap
from collections.abc import Mapping, Sequence

from planviz.cli.files import read_text, show_each, write
from planviz.cli.optimize import errors_of
from planviz.config import OptimizerConfig
from planviz.decisions.refusals import WhyNot
from planviz.errors import InputError, PlanvizError
from planviz.optimizer.reference import (
    Example,
    RuleReference,
    rule_named,
    rule_reference,
    rule_references,
    rules_table,
)
from planviz.physical.planner import corrections
from planviz.physical.planner import strategies as planner_order
from planviz.physical.preparations.rules import Preparation, preparation_classes
from planviz.physical.strategies.reference import Strategy, strategy_classes
from planviz.reference.rules import place_in
from planviz.settings import SETTINGS

_WIDTH = 100


def rules(options: argparse.Namespace) -> int:
    """Print the table, or the card of the rule that was named."""
    if options.why_not is not None:
        return _why_not(options)
    if options.name is None:
        write(rules_table() + _table("strategies", strategy_classes()) + _table("preparations", preparation_classes()))
        return 0
    preparations, strategies = preparation_classes(), strategy_classes()
    name = rule_named(options.name, [*rule_references(), *preparations, *strategies])
    if name in strategies:
        write(strategy_card(strategies[name]))
    else:
        write(preparation_card(preparations[name]) if name in preparations else card(rule_reference(name)))
    return 0


def _why_not(options: argparse.Namespace) -> int:
    """Print what came of the rule in every query of the file."""
    from planviz.cli.settings import open_file
    from planviz.document.rules.refusals import why_not

    if options.name is None:
        raise InputError("--why-not asks about one rule: name it, as in `planviz rules CombineFilters --why-not FILE`.")
    for kind, classes in (("strategy", strategy_classes()), ("preparation", preparation_classes())):
        if options.name in classes:
            raise InputError(
                f"{options.name} is a {kind} of the planner; --why-not asks about rules of the optimizer. "
                "`planviz why FILE` says why joins and aggregates are planned as they are."
            )
    rule_reference(options.name)

    def show(name: str) -> tuple[str, Sequence[PlanvizError]]:
        document = open_file(read_text(name), options, "optimized")
        told = [
            told_of(why_not(s.execution, options.name), s.line)
            for s in document.statements
            if s.execution is not None and s.error is None
        ]
        return "\n".join(told), errors_of(document)

    return show_each([options.why_not], None, "txt", show)


def told_of(why: WhyNot, line: int) -> str:
    """What came of a rule in the query at a line: the sentence, then node, reason and value of every guard."""
    out = [f"{why.rule}, query in line {line}: {why.verdict}. {why.sentence}"]
    for refusal in why.refusals:
        seen = f"; it saw: {refusal.value_text}" if refusal.value_text else ""
        part = f"{refusal.rule}: " if refusal.rule != why.rule else ""
        out += [f"  {refusal.node_text}", f"      {part}{refusal.reason}{seen}"]
    out += [f"  {node.simple_string}" for node in why.looked_at]
    return "\n".join(out) + "\n"


def card(rule: RuleReference) -> str:
    """A rule in words: what it does, when it is unsafe, where it runs, what governs it, an example."""
    parts = [f"{rule.spark_name}\n\n{_wrapped(rule.summary)}", textwrap.indent(rule.algebra, "  ")]
    parts += [_wrapped(paragraph) for paragraph in rule.remarks.split("\n\n")]
    facts = [("Batches", _batches(rule)), ("Settings", _settings(rule))]
    facts.append(("Module", [f"planviz.optimizer.rules.{rule.family}"]))
    facts.append(("Documents", [f"say “{said}”; Spark: {done}" for said, done in corrections(rule.name)]))
    lines = []
    for name, values in facts:
        lines += [f"{name if at == 0 else '':14}{value}" for at, value in enumerate(filter(None, values))]
    parts.append("\n".join(lines))
    if rule.example is not None:
        parts.append(_example(rule, rule.example))
    return "\n\n".join(filter(None, parts)).rstrip() + "\n"


def _table(family: str, classes: Mapping[str, type[Preparation] | type[Strategy]]) -> str:
    """What makes and prepares physical plans, in the order in which it runs, as lines of the table of rules."""
    rows = [(name, _paragraphs(rule)[0]) for name, rule in classes.items()]
    wide = max(len(name) for name, _ in rows)
    return "".join(f"{family:22}{name:{wide}}  {' '.join(what.split())}\n" for name, what in rows)


def strategy_card(rule: type[Strategy]) -> str:
    """A strategy of the planner in words: what it plans, where it is asked, an example."""
    order = planner_order()
    parts = [f"{rule.spark_name()}\n\n{_wrapped(_paragraphs(rule)[0])}", *_remarks(rule)]
    place = f"{order.index(rule.__name__) + 1} of {len(order)} strategies"
    facts = [f"Asked         {place}, for every operator from the root down"]
    facts += [f"Documents     say “{said}”; Spark: {done}" for said, done in corrections(rule.__name__)]
    parts.append("\n".join([*facts, "Module        planviz.physical.strategies"]))
    if rule.example:
        parts.append(_shown_step(rule.__name__, rule.example, {}, "physical"))
    return "\n\n".join(parts).rstrip() + "\n"


def _remarks(rule: type[Preparation] | type[Strategy]) -> list[str]:
    return [textwrap.indent(t, "  ") if " => " in t else _wrapped(t) for t in _paragraphs(rule)[1:]]


def preparation_card(rule: type[Preparation]) -> str:
    """A preparation in words: what it does, where it runs, an example."""
    parts = [f"{rule.package}.{rule.__name__}\n\n{_wrapped(_paragraphs(rule)[0])}", *_remarks(rule)]
    facts = [
        "Batches       Preparations, once, after the planner; AQE Preparations where a query is planned while it runs",
        "Settings      spark.sql.optimizer.excludedRules: cannot switch it off",
        "Module        planviz.physical.preparations",
    ]
    parts.append("\n".join(facts))
    if rule.example:
        parts.append(_shown_step(rule.__name__, rule.example, rule.settings, "physical"))
    return "\n\n".join(parts).rstrip() + "\n"


def _paragraphs(rule: type[Preparation] | type[Strategy]) -> list[str]:
    return (inspect.getdoc(rule) or "").split("\n\n")


def _batches(rule: RuleReference) -> list[str]:
    found = [f"{profile}: {place_in(rule, profile) or 'not there'}" for profile in rule.batches]
    return found + [f"within {parent}" for parent in rule.part_of if any(rule.batches.values())]


def _settings(rule: RuleReference) -> list[str]:
    found = [f"{key} (default {SETTINGS[key].default}): {SETTINGS[key].about}" for key in rule.settings]
    if rule.excludable:
        return [*found, "spark.sql.optimizer.excludedRules: can switch it off"]
    return [*found, "spark.sql.optimizer.excludedRules: cannot switch it off"]


def _example(rule: RuleReference, example: Example) -> str:
    return _shown_step(rule.name, example.sql, example.settings, "optimized")


def _shown_step(rule: str, sql: str, set_first: Mapping[str, str], stage: str) -> str:
    """An example's query and the step of the rule, planned now."""
    from planviz.catalogs import find
    from planviz.document import open_sql
    from planviz.plantext.printing import step_diff

    config = OptimizerConfig().with_settings(dict(set_first))
    document = open_sql(sql, find("documents"), config, stage=stage)
    step = next(step for step in document.trace.steps if step.short_rule == rule)
    settings = [f"SET {key}={value};" for key, value in set_first.items()]
    found = [f"Matched: {step.matched()}", ""] if step.matched is not None else []
    return "\n".join(["Example, over the catalogue documents", "", *settings, sql, "", *found, step_diff(step)])


def _wrapped(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), _WIDTH)
