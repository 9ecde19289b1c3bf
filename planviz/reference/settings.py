"""Entries of the settings that change a plan, of the functions, and of the findings."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from planviz.findings import checks, family
from planviz.functions.registry import names
from planviz.functions.signatures import AGGREGATE_SIGNATURES, SIGNATURES
from planviz.optimizer.reference import rule_references
from planviz.reference.entry import Entry
from planviz.settings import DEFAULTS, SETTINGS
from planviz.units import byte_size
from planviz.versions import PROFILES


def setting_entries() -> Iterator[Entry]:
    """Every setting that planviz reads, with its default in each version."""
    for key, setting in SETTINGS.items():
        facts = [("Type", setting.type), ("Default", _value(key, setting.default))]
        if setting.least is not None:
            facts.append(("At least", str(setting.least)))
        if setting.choices:
            facts.append(("Values", ", ".join(setting.choices)))
        versions = [
            (p.removeprefix("spark-"), _value(key, profile.settings.get(key, DEFAULTS[key])))
            for p, profile in PROFILES.items()
        ]
        related = [("rule", rule.name) for rule in rule_references().values() if key in rule.settings]
        related += [("finding", n) for n, c in checks().items() if key in f"{c.why} {c.advice} {c.cost}"]
        parts = key.split(".")
        group = parts[2] if len(parts) > 3 else parts[min(1, len(parts) - 2)]
        yield Entry("setting", key, group, setting.about, (), "", tuple(facts), tuple(versions), tuple(related))


def _value(key: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if SETTINGS[key].unit == "bytes" and isinstance(value, int) and value >= 0:
        return f"{byte_size(value)} ({value:,})"
    return str(value) if value != "" else "(empty)"


def function_entries() -> Iterator[Entry]:
    """Every function that planviz knows, with the number of its arguments where a table tells."""
    for name in sorted(names()):
        signature = SIGNATURES.get(name) or AGGREGATE_SIGNATURES.get(name)
        aggregate = name in AGGREGATE_SIGNATURES
        facts = []
        if signature is not None:
            most = "any number" if signature.most is None or signature.most > 100 else str(signature.most)
            least = str(signature.fewest)
            facts.append(("Arguments", least if least == most else f"{least} to {most}"))
        kind = "An aggregate function" if aggregate else "A function"
        yield Entry(
            "function", name, "aggregate" if aggregate else "scalar", f"{kind} of Spark SQL.", facts=tuple(facts)
        )


def finding_entries() -> Iterator[Entry]:
    """Every kind of finding."""
    for name, check in checks().items():
        first, *rest = (inspect.getdoc(type(check)) or "").split("\n\n")
        facts = (
            ("Level", check.severity), ("Why it matters", check.why), ("What to do", check.advice),
            ("Cost", check.cost), ("Read from", ", ".join(check.stages)),
        )  # fmt: skip
        told = f"{check.title}: {_within(' '.join(first.split()))}"
        yield Entry("finding", name, family(check), told, tuple(" ".join(p.split()) for p in rest), facts=facts)


def _within(sentence: str) -> str:
    """A sentence as it goes on behind a colon: "NOT IN" stays as it is."""
    return sentence if sentence[1:2].isupper() else sentence[:1].lower() + sentence[1:]
