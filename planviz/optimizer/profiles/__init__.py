"""The optimizer's batches as other versions of Spark have them, as data, and how the batches of the versions compare.

spark-3.0.json   batches of 3.0.0: name, strategy, rules
mapping.json     batches of the documents (seed), 3.0 and 4.3 beside each other
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.resources import files
from pkgutil import iter_modules

from planviz.jsontypes import JsonObject
from planviz.optimizer import rules as rules_package
from planviz.optimizer.context import OptimizerContext, OptimizerRule
from planviz.trees.rule import FixedPoint, Once, Strategy
from planviz.versions import Edit

Table = list[tuple[str, Strategy, list[type[OptimizerRule]]]]


@dataclass(frozen=True)
class BatchRow:
    """The batches that correspond to each other: in the documents, in 3.0 and in 4.3; what is to be said of them."""

    seed: tuple[str, ...]
    spark_3_0: tuple[str, ...]
    spark_4_3: tuple[str, ...]
    note: str = ""


@cache
def batch_mapping() -> tuple[BatchRow, ...]:
    """Every batch of the documents, of Spark 3.0 and of 4.3, in 4.3's order (A-002)."""
    return tuple(
        BatchRow(tuple(r["seed"]), tuple(r["spark-3.0"]), tuple(r["spark-4.3"]), r["note"])
        for r in json.loads(_text("mapping.json"))
    )


def batch_table(profile: str, context: OptimizerContext) -> Table:
    """The batches of a profile that has a file: those of its rules that planviz has, batches without any left out."""
    iterations = context.config.number("spark.sql.optimizer.maxIterations")
    strategies = {"Once": Once, "FixedPoint(1)": FixedPoint(1), "FixedPoint": FixedPoint(iterations)}
    known = rules_by_name()
    table = [
        (b["name"], strategies[b["strategy"]], [known[r] for r in b["rules"] if r in known])
        for b in _profile(profile)["batches"]
    ]
    return [entry for entry in table if entry[2]]


def has_file(profile: str) -> bool:
    """Whether the batches of a profile stand whole in a file; else they are those of 4.3 with edits."""
    return profile == "spark-3.0"


def edited(table: Table, edits: Sequence[Edit]) -> Table:
    """The batches of 4.3 as an older version has them; batches without rules are left out.

    Raises KeyError for a rule that planviz does not have.
    """
    for edit in edits:
        table = _edited(table, edit)
    return [entry for entry in table if entry[2]]


def _edited(table: Table, edit: Edit) -> Table:
    known = rules_by_name()
    added = [known[name] for name in edit.put]
    strategies = {"Once": Once, "FixedPoint(1)": FixedPoint(1)}
    if edit.name and not edit.batches:
        return _placed(table, (edit.name, strategies[edit.strategy], added), edit.place)
    found: Table = []
    for name, strategy, rules in table:
        if edit.batches and not name.startswith(edit.batches):
            found.append((name, strategy, rules))
            continue
        kept = [r for r in rules if r.__name__ not in edit.drop and "*" not in edit.drop]
        entry = (edit.name or name, strategies.get(edit.strategy, strategy), _with(kept, added, edit))
        found.append(entry)
    if edit.place:
        moved = next(entry for entry in found if entry[0].startswith(edit.batches))
        found = _placed([entry for entry in found if entry is not moved], moved, edit.place)
    return found


def _placed(table: Table, entry: tuple[str, Strategy, list[type[OptimizerRule]]], before: str) -> Table:
    at = next(i for i, (name, _, _) in enumerate(table) if name == before)
    return [*table[:at], entry, *table[at:]]


def _with(rules: list[type[OptimizerRule]], added: list[type[OptimizerRule]], edit: Edit) -> list[type[OptimizerRule]]:
    if not edit.at:
        return [*added, *rules] if edit.before else [*rules, *added]
    at = next(i for i, r in enumerate(rules) if r.__name__ == edit.at) + (not edit.before)
    return [*rules[:at], *added, *rules[at:]]


def batch_names(profile: str) -> list[tuple[str, str, list[str]]]:
    """Name, strategy and rule names of every batch of a profile, those included that planviz does not run."""
    return [(b["name"], b["strategy"], list(b["rules"])) for b in _profile(profile)["batches"]]


def non_excludable(profile: str) -> frozenset[str]:
    """The names of the rules that `spark.sql.optimizer.excludedRules` cannot switch off in a profile with a file."""
    return frozenset(_profile(profile)["non_excludable"])


@cache
def rules_by_name() -> dict[str, type[OptimizerRule]]:
    """Every rule that planviz has, of whatever profile, by Spark's name."""
    found: dict[str, type[OptimizerRule]] = {}
    for module in iter_modules(rules_package.__path__, f"{rules_package.__name__}."):
        for value in vars(import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, OptimizerRule) and value.__module__ == module.name:
                found[value.__name__] = value
    return found


@cache
def _profile(name: str) -> JsonObject:
    document: dict[str, object] = json.loads(_text(f"{name}.json"))
    return document


def _text(name: str) -> str:
    return (files(__name__) / name).read_text(encoding="utf-8")
