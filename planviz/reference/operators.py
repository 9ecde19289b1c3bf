"""Entries of the logical and physical operators, from their classes."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import TypedDict

import planviz.logical
import planviz.physical
from planviz.findings import checks
from planviz.logical.plan import LogicalPlan
from planviz.physical import planner
from planviz.physical.plan import SparkPlan
from planviz.reference.demonstrations import BY_OPERATOR, CATALOG
from planviz.reference.entry import Entry

#: What an operator asks of its input, by the method that says so.
_ASKS = {
    "required_distribution": "rows of a key together, or all in one place; else an exchange is put beneath",
    "required_ordering": "sorted rows; else a sort is put beneath",
}
#: Modules with an operator as an older version prints or plans it.
_EARLIER = {"earlier": "before 3.3", "spark_3_0": "3.0"}
#: Classes that Spark does not show: bases, what stands for plans of others, and how older versions print an operator.
_BASES = (
    "UnaryExec", "BinaryExec", "LeafExec", "UnaryNode", "BinaryNode", "LeafNode", "Source", "SourceExec",
    "PrintedExec",
    "UnresolvedCommand", "IntersectInOneWord", "ExceptInOneWord", "ExpandInLists",
)  # fmt: skip


def operator_entries() -> Iterator[Entry]:
    """Every operator under Spark's name, the physical ones first."""
    earlier = _earlier()
    for found in _classes(planviz.physical, SparkPlan):
        name = found.__name__.removesuffix("Exec")
        facts = [("Spark's class", found.__name__), ("Inputs", _inputs(found))]
        facts += [("Requires", words) for method, words in _ASKS.items() if _own(found, method)]
        facts += _memory(name)
        versions = tuple(earlier.get(found.__name__, ()))
        related = [("finding", n) for n, source in _sources().items() if re.search(rf"\b{name}\b", source)]
        mapped = [m.logical for m in planner.one_to_one() if m.physical == found.__name__]
        related = [("operator", logical) for logical in mapped] + related
        yield Entry(
            "operator", name, "physical", _summary(found), _rest(found), "", tuple(facts), versions, tuple(related),
            **_example(name),
        )  # fmt: skip
    physical = {m.logical: m for m in planner.one_to_one()}
    taken = {found.__name__.removesuffix("Exec") for found in _classes(planviz.physical, SparkPlan)}
    for found in _classes(planviz.logical, LogicalPlan):
        facts = [("Inputs", _inputs(found))]
        if found.__name__ in physical:
            mapping = physical[found.__name__]
            facts.append(("Becomes", " ".join(filter(None, (mapping.physical, mapping.when)))))
        name = f"{found.__name__} (logical)" if found.__name__ in taken else found.__name__
        yield Entry("operator", name, "logical", _summary(found), _rest(found), "", tuple(facts), **_example(name))


class _Example(TypedDict, total=False):
    sql: str
    catalog: str
    settings: Mapping[str, str]


def _example(name: str) -> _Example:
    shown = BY_OPERATOR.get(name)
    return {} if shown is None else {"sql": shown.sql, "catalog": CATALOG, "settings": shown.settings}


@cache
def _sources() -> dict[str, str]:
    """The code of every check: the operators that it names are those that it is about."""
    return {name: inspect.getsource(type(check)) for name, check in checks().items()}


def _classes(package: ModuleType, base: type) -> list[type]:
    """The operators of a package by name: what Spark has, not the bases that only planviz shares code by."""
    for found_module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(found_module.name)
    found: dict[str, type] = {}
    stack: list[type] = list(base.__subclasses__())
    while stack:
        one = stack.pop()
        stack += one.__subclasses__()
        module = one.__module__.rpartition(".")[2]
        shared = one.__name__.startswith("_") or _summary(one).startswith("Base") or one.__name__ in _BASES
        if module not in _EARLIER and not shared and one.__module__.startswith(f"{package.__name__}."):
            found.setdefault(one.__name__, one)
    return [found[name] for name in sorted(found)]


def _earlier() -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    stack = list(SparkPlan.__subclasses__())
    while stack:
        one = stack.pop()
        stack += one.__subclasses__()
        module = one.__module__.rpartition(".")[2]
        told = (_EARLIER.get(module, ""), _summary(one))
        if module in _EARLIER and told not in found.setdefault(one.__name__, []):
            found[one.__name__].append(told)
    return found


def _summary(found: type) -> str:
    first = " ".join((inspect.getdoc(found) or "").split("\n\n")[0].split())
    return first.split(". ")[0].rstrip(".:") + "." if first else "An operator."


def _rest(found: type) -> tuple[str, ...]:
    paragraphs = [" ".join(p.split()) for p in (inspect.getdoc(found) or "").split("\n\n")]
    first = paragraphs[0][len(_summary(found)) :].strip() if paragraphs else ""
    return tuple(filter(None, (first, *paragraphs[1:])))


def _inputs(found: type) -> str:
    names = [n for n in getattr(found, "__annotations__", {}) if n in ("child", "left", "right", "children", "inputs")]
    bases = {base.__name__ for base in found.__mro__}
    if "BinaryExec" in bases or "BinaryNode" in bases or {"left", "right"} <= set(names):
        return "2"
    if "UnaryExec" in bases or "UnaryNode" in bases or "child" in names:
        return "1"
    return "any number" if {"children", "inputs"} & set(names) else "0"


def _own(found: type, method: str) -> bool:
    """Whether a class or one of its bases below SparkPlan asks this of its inputs."""
    return any(method in vars(base) for base in found.__mro__[:-1] if base not in (SparkPlan, object))


def _memory(name: str) -> list[tuple[str, str]]:
    rows = next(s.rows for s in planner.sections() if s.name == "memory")
    return [(what, how) for operator, what, how in rows if operator == name]
