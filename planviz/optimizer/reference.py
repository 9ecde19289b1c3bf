"""What is known of every rule: for `planviz rules`, for rule cards and for the table of the rules' package.

reference.json holds, by rule, the items of the requirements that describe it and a query in which it fires over the
bundled catalogue `documents`.
"""

from __future__ import annotations

import difflib
import inspect
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from planviz.config import OptimizerConfig
from planviz.errors import InputError
from planviz.jsontypes import JsonObject
from planviz.optimizer.batches import batches
from planviz.optimizer.context import OptimizerContext, OptimizerRule
from planviz.optimizer.profiles import rules_by_name
from planviz.settings import SETTINGS
from planviz.trees.rule import Rule
from planviz.versions import PROFILES


@dataclass(frozen=True)
class Example:
    """A query over the catalogue `documents` in which a rule fires, with the settings that it needs."""

    sql: str
    settings: Mapping[str, str]


@dataclass(frozen=True)
class RuleReference:
    """One rule of the optimizer.

    `family` is its module, `summary` what it does, `algebra` the lines `before => after`, `remarks` why it pays and
    when it would be wrong. `batches` names, by profile, the batches that run it, none where the profile lacks it;
    `part_of` the rules that run it within their own step. `settings` are the keys that govern it, `items` the
    requirements that describe it.
    """

    name: str
    spark_name: str
    family: str
    summary: str
    algebra: str
    remarks: str
    batches: Mapping[str, tuple[str, ...]]
    part_of: tuple[str, ...]
    excludable: bool
    settings: tuple[str, ...]
    items: tuple[str, ...]
    example: Example | None

    @property
    def one_line(self) -> str:
        """The first sentence of the summary."""
        return self.summary.split(". ")[0].rstrip(".:") + "."

    def hosts(self, profile: str) -> tuple[str, ...]:
        """The rules that run it within their own step in a profile (of `PROFILES`)."""
        versions = list(PROFILES)  # the newest first
        since = rules_by_name()[self.name].since
        if since and versions.index(profile) > versions.index(since):
            return ()
        return tuple(parent for parent in self.part_of if rule_references()[parent].batches[profile])


@cache
def rule_references() -> dict[str, RuleReference]:
    """Every rule that planviz has, of whatever profile, by family and name."""
    found = [_reference(rule) for rule in rules_by_name().values()]
    return {r.name: r for r in sorted(found, key=lambda r: (r.family, r.name))}


def rule_reference(name: str) -> RuleReference:
    """A rule by its name, with or without package and in any case. Raises InputError with the nearest names."""
    return rule_references()[rule_named(name, rule_references())]


def rules_table() -> str:
    """Every rule with its module and what it does in one line, in columns."""
    rules = rule_references().values()
    wide = max(len(r.family) for r in rules), max(len(r.name) for r in rules)
    lines = [f"{r.family:{wide[0]}}  {r.name:{wide[1]}}  {r.one_line}" for r in rules]
    return "\n".join(lines) + "\n"


def package_docstring() -> str:
    """The docstring of the rules' package, with the table."""
    return f"The rules, by family; `planviz.optimizer.batches` has their order.\n\n{rules_table()}"


def rule_named(name: str, known: Iterable[str]) -> str:
    """The rule among `known` (names with or without package) that `name` means, in any case.

    Raises InputError that lists the nearest names.
    """
    by_short = {_short(full).lower(): full for full in known}
    found = by_short.get(_short(name).lower())
    if found is not None:
        return found
    near = [_short(by_short[n]) for n in difflib.get_close_matches(_short(name).lower(), by_short, 3, 0.5)]
    advice = f"Did you mean {', '.join(near)}?" if near else "`planviz rules` lists them."
    raise InputError(f"There is no rule {name}. {advice}")


def _short(name: str) -> str:
    return name.rsplit(".", 1)[-1].rsplit("$", 1)[-1]


def _reference(rule: type[OptimizerRule]) -> RuleReference:
    paragraphs = (inspect.getdoc(rule) or "").split("\n\n")
    algebra = [p for p in paragraphs[1:] if " => " in p]
    remarks = [p for p in paragraphs[1:] if " => " not in p]
    name, data = rule.__name__, _data()
    example = data["examples"].get(name)
    return RuleReference(
        name,
        rule(OptimizerContext()).spark_name,
        rule.__module__.rsplit(".", 1)[-1],
        " ".join(paragraphs[0].split()),
        "\n".join(algebra),
        "\n\n".join(remarks),
        {profile: _batches_of(profile).get(name, ()) for profile in PROFILES},
        _parents().get(name, ()),
        rule.excludable,
        tuple(key for key in rule.settings if key in SETTINGS),
        tuple(data["items"].get(name, ())),
        Example(example["sql"], example["settings"]) if example else None,
    )


@cache
def _batches_of(profile: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for batch in batches(OptimizerContext(OptimizerConfig(profile=profile))):
        for rule in batch.rules:
            found[rule.name] = (*found.get(rule.name, ()), batch.name)
    return found


@cache
def _parents() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, rule in rules_by_name().items():
        for part in parts_of(rule(OptimizerContext())):
            found[part.name] = (*found.get(part.name, ()), name)
    return found


def needed(rule: type[Rule]) -> list[str]:
    """Spark's names of the operators and expressions one of which a rule needs to look at a plan; none: at any."""
    own = rule.looks_for if issubclass(rule, OptimizerRule) else ()
    return list(own) or [cls.__name__ for cls in rule.matches]


def parts_of(rule: Rule) -> list[Rule]:
    """The rules that a rule runs within its own step."""
    held = [v for value in vars(rule).values() for v in (value if isinstance(value, list) else [value])]
    return [part for part in held if isinstance(part, Rule)]


@cache
def _data() -> JsonObject:
    text = files("planviz.optimizer").joinpath("reference.json").read_text(encoding="utf-8")
    data: dict[str, object] = json.loads(text)
    return data
