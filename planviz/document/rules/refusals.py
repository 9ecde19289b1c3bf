"""Why a rule did not fire in a query, and what the final plan loses without a rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from planviz.config import OptimizerConfig
from planviz.decisions.refusals import Refusal, WhyNot
from planviz.execution import QueryExecution
from planviz.expressions.subqueries import QueryPlan
from planviz.optimizer.batches import batches, excluded_rules
from planviz.optimizer.context import OptimizerContext, OptimizerRule
from planviz.optimizer.profiles import rules_by_name
from planviz.optimizer.reference import RuleReference, needed, parts_of, rule_reference
from planviz.versions import PROFILES

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan

_EXCLUDED = "spark.sql.optimizer.excludedRules"
#: Nodes of a rule's pattern that are named at most.
_SHOWN = 8


def why_not(execution: QueryExecution, name: str) -> WhyNot:
    """What came of the rule of this name in a query, and why.

    The analyzed query is optimized once more with the guards noted; ids are those of the first time. Raises InputError
    for an unknown rule and what the stages raise.
    """
    reference = rule_reference(name)
    config = execution.config
    if not _runs(reference, replace_excluded(config, "")):
        return WhyNot(reference.name, "absent", f"{config.profile} has no batch that runs {reference.name}.")
    if not _runs(reference, config):
        return WhyNot(reference.name, "excluded", f"{_EXCLUDED} switches it off: {config.get(_EXCLUDED)}.")
    refusals: list[Refusal] = []
    effects: list[str] = []
    again = execution.again(refusals=refusals, effects=effects)
    plans = (again.analyzed, again.optimized)
    rule = rules_by_name()[reference.name](OptimizerContext(config))
    own = {rule.name, *(part.name for part in parts_of(rule))}
    found = _once([r for r in refusals if r.rule in own])
    run = _rules_of(config)
    hosts = [rule_reference(host) for host in _hosts(reference, config) if host in run]
    summaries = again.trace.summaries
    calls = sum(summaries[r.spark_name].calls for r in (reference, *hosts) if r.spark_name in summaries)
    alone, inside = summaries.get(reference.spark_name), effects.count(reference.name)
    fired = inside + (alone.effective if alone else 0)
    within = f" within {' and '.join(host.name for host in hosts)}" if inside or reference.name not in run else ""
    return _judged(reference, rule, _Asked(within, calls, fired, found, plans))


class _Asked(NamedTuple):
    """What came of a rule: the rules it works within, in words, its calls, those that changed the plan, its guards."""

    within: str
    calls: int
    fired: int
    refusals: tuple[Refusal, ...]
    plans: tuple[LogicalPlan, LogicalPlan]


def _judged(reference: RuleReference, rule: OptimizerRule, asked: _Asked) -> WhyNot:
    name, found, within = reference.name, asked.refusals, asked.within
    if asked.fired:
        return WhyNot(name, "fired", f"It changed the plan {_times(asked.fired)}{within}.", asked.fired, found)
    off = next((r for r in found if r.setting and r.value is False), None)
    if off is not None:
        return WhyNot(name, "disabled", f"{off.setting} is false.", 0, found)
    # The rule that it works within is called for other patterns, too.
    absent = bool(within) and not any(_holds(node, rule) for plan in asked.plans for node in _everywhere(plan))
    if not asked.calls or absent:
        pattern = " or ".join(needed(type(rule)))
        return WhyNot(name, "no pattern", f"Whenever it ran{within}, there was no {pattern} in the plan.")
    if found:
        said = f"Its guard said no{within}." if len(found) == 1 else f"Its guards said no {_times(len(found))}{within}."
        return WhyNot(name, "refused", said, 0, found)
    seen = tuple(node for node in asked.plans[1].walk() if _holds(node, rule))[:_SHOWN]
    form = " ".join(reference.algebra.split())
    looked = f"It looked {_times(asked.calls)} and found nothing of its form: {form}"
    what = f"It ran{within} and found nothing of its form: {form}" if within else looked
    return WhyNot(name, "nothing to do", what, 0, (), seen)


def _everywhere(plan: QueryPlan) -> Iterator[QueryPlan]:
    """All operators, those of subqueries included."""
    for node in plan.walk():
        yield node
        for inner in node.inner_children:
            yield from _everywhere(inner)


def _holds(node: QueryPlan, rule: OptimizerRule) -> bool:
    """Whether an operator, or an expression that it holds, is of the rule's pattern; any where the rule has none."""
    if not rule.matches:
        return True
    return isinstance(node, rule.matches) or any(e.bits & rule.mask for e in node.expressions)


def _runs(reference: RuleReference, config: OptimizerConfig) -> bool:
    return bool(_rules_of(config) & {reference.name, *_hosts(reference, config)})


def _hosts(reference: RuleReference, config: OptimizerConfig) -> tuple[str, ...]:
    """The rules that run it within their own step; a vendor's runtime is asked no version."""
    return reference.hosts(config.profile) if config.profile in PROFILES else reference.part_of


def _rules_of(config: OptimizerConfig) -> set[str]:
    return {rule.name for batch in batches(OptimizerContext(config)) for rule in batch.rules}


def _once(refusals: list[Refusal]) -> tuple[Refusal, ...]:
    """Each refusal once: fixed points ask the same again."""
    return tuple({(r.rule, r.node_text, r.reason, r.value_text): r for r in refusals}.values())


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def replace_excluded(config: OptimizerConfig, rules: str) -> OptimizerConfig:
    """The settings with these rules excluded and no others."""
    return config.with_settings({_EXCLUDED: rules})


def excluding(config: OptimizerConfig, names: Iterable[str]) -> OptimizerConfig:
    """The settings with these rules excluded, too. Raises InputError for an unknown rule."""
    excluded = excluded_rules(config.text(_EXCLUDED))
    more = {rule_reference(name).spark_name for name in names}
    return replace_excluded(config, ",".join(sorted(excluded | more)))


@dataclass(frozen=True)
class WithoutRule:
    """A query optimized without a rule: `lost` and `gained` count operators of the final plan by name.

    `sentence` says it in words, `execution` has the plan and the trace.
    """

    rule: str
    sentence: str
    lost: Mapping[str, int]
    gained: Mapping[str, int]
    execution: QueryExecution


def without_rule(execution: QueryExecution, name: str) -> WithoutRule:
    """What becomes of the final plan without a rule, beside those that are excluded already.

    Raises InputError for an unknown rule. One that Spark does not let be excluded runs all the same; the sentence says
    so.
    """
    rule = rule_reference(name).name
    other = execution.again(excluding(execution.config, [rule]))
    before, after = (_operators(e.optimized) for e in (execution, other))
    lost, gained = before - after, after - before
    told = [w for w in other.warnings if w not in execution.warnings]
    if told:
        sentence = " ".join(told)
    elif other.optimized == execution.optimized:
        sentence = f"Without {rule} the final plan is the same."
    elif not lost and not gained:
        sentence = f"Without {rule} the final plan has the same operators with other expressions or in another order."
    else:
        parts = [f"{count} {op} more" for op, count in gained.items()]
        parts += [f"{count} {op} less" for op, count in lost.items()]
        sentence = f"Without {rule} the final plan has {', '.join(parts)}."
    return WithoutRule(rule, sentence, dict(lost), dict(gained), other)


def _operators(plan: QueryPlan) -> Counter[str]:
    found: Counter[str] = Counter()
    todo = [plan]
    while todo:
        node = todo.pop()
        found[node.node_name] += 1
        todo += [*node.children, *node.inner_children]
    return found
