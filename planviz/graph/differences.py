"""What is different about an operator, in words: `join type FullOuter → Inner`, `condition + (a > 1)`, `output − c`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from planviz.graph.alignment import without_expression_ids, without_plan_ids
from planviz.graph.facts import part_name
from planviz.graph.node import PlanNode
from planviz.graph.words import clean

#: Changes told of one node, and characters of one entry.
MOST = 8
LENGTH = 160
_ENTRIES = 3  # entries of one list that are named, the others counted

#: Said by another part, or different without meaning anything.
_SKIPPED = frozenset({"plan_id", "partitioning_kind", "functions", "aggregate_attributes", "arguments"})


_BRACKET = re.compile(r"[()]")
_BRACKET_OR_AND = re.compile(r"[()\[\]]| AND | && ")  # && up to Spark 2.4


#: A text without expression ids.
Plain = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: the `part` of the operator it is about, and how it changed."""

    part: str
    text: str

    def __str__(self) -> str:
        return f"{self.part} {self.text}".strip()


def changes(
    before: PlanNode, after: PlanNode, *, ids: bool = False, literals: Collection[str] = ()
) -> tuple[Change, ...]:
    """The differences of two nodes that stand for the same operator; at least one, since their texts differ.

    `literals` are words before `#` and digits that are no columns (`planviz.graph.literals`).
    """
    plain = partial(without_expression_ids, literals=literals)
    found: list[Change] = []
    if before.op != after.op:
        found.append(Change("operator", f"{before.op} → {after.op}"))
    mine, theirs = before.arguments, after.arguments
    names = [*mine, *(name for name in theirs if name not in mine)]
    skipped = _SKIPPED if {"results", "output", "project_list"} & {*names} else _SKIPPED - {"functions"}
    if len(names) == 1 and names[0] in ("arguments", "functions"):
        skipped = frozenset()
    for name in names:
        if name not in skipped and _plain(mine.get(name), plain) != _plain(theirs.get(name), plain):
            found += [Change(part_name(name), text) for text in _difference(mine.get(name), theirs.get(name), plain)]
    return tuple(found[:MOST]) or (_rest(before, after, ids, plain),)


def _rest(before: PlanNode, after: PlanNode, ids: bool, plain: Plain) -> Change:
    """What no named part tells."""
    one, two = (plain(without_plan_ids(node.text)) for node in (before, after))
    if one.replace("'", "") == two.replace("'", ""):
        if (before.text[:1] == "'") != (after.text[:1] == "'"):
            return Change("resolved", "")
        return Change("expression ids" if ids or before.text != after.text else "details", "")
    return Change("details", _arrow(one, two))


def _plain(value: object, plain: Plain) -> object:
    """A part without expression ids, to be compared."""
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, list):
        return [_plain(entry, plain) for entry in value]
    if isinstance(value, dict):
        return {key: _plain(entry, plain) for key, entry in value.items()}
    return value


def _entries(part: object) -> Iterable[object]:
    return part if isinstance(part, list | tuple | dict | str) else ()


def _difference(before: object, after: object, plain: Plain) -> list[str]:
    if isinstance(before, list) or isinstance(after, list):
        mine, theirs = ([_words(entry, plain) for entry in _entries(part)] for part in (before, after))
        return _list_difference(mine, theirs)
    one, two = _words(before, plain), _words(after, plain)
    if before is None or after is None:
        return [f"− {two or one}" if after is None else f"+ {two}"]
    mine, theirs = conjuncts(one), conjuncts(two)
    if len(mine) + len(theirs) > 2:
        if Counter(mine) == Counter(theirs):
            return ["reordered"]
        return _list_difference(mine, theirs)
    return [_arrow(one, two)]


def _list_difference(before: list[str], after: list[str]) -> list[str]:
    gone, new = Counter(before) - Counter(after), Counter(after) - Counter(before)
    if not gone and not new:
        return ["reordered"]
    if [entry.replace("'", "") for entry in before] == [entry.replace("'", "") for entry in after]:
        return ["resolved"]
    if gone.total() == new.total() == 1:
        return [_arrow(next(iter(gone)), next(iter(new)))]
    return [text for sign, some in (("−", gone), ("+", new)) if (text := _listed(sign, list(some.elements())))]


def _listed(sign: str, entries: list[str]) -> str:
    if not entries:
        return ""
    shown = ", ".join(_short(entry) for entry in entries[:_ENTRIES])
    more = len(entries) - _ENTRIES
    return f"{sign} {shown} and {more} more" if more > 0 else f"{sign} {shown}"


def _arrow(before: str, after: str) -> str:
    return f"{_short(before) or 'none'} → {_short(after) or 'none'}"


def _short(text: str) -> str:
    return clean(text, LENGTH)


def _words(value: object, plain: Plain) -> str:
    if isinstance(value, dict):
        value = value.get("text", value)
    if isinstance(value, list):
        return ", ".join(_words(entry, plain) for entry in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else plain(str(value))


def conjuncts(condition: str) -> list[str]:
    """The parts of a condition that AND joins at its top: `(a > 1) AND (b = 2)` gives two, as `(a > 1) && (b = 2)`
    of Spark 2 does.

    Quotes are not understood, as Spark prints none around text literals; a part with unequal brackets stays whole.
    """
    closing = _closing(condition)
    found: list[str] = []
    # Parts that are still to be looked at, the first on top: thousands may stand within each other.
    stack = [(0, len(condition))]
    while stack:
        start, end = stack.pop()
        while closing.get(start) == end - 1:
            start, end = start + 1, end - 1
        parts = _split(condition, start, end, closing)
        if len(parts) == 1:
            found.append(condition[start:end])
        else:
            stack += reversed(parts)
    return found


def _split(text: str, start: int, end: int, closing: Mapping[int, int]) -> list[tuple[int, int]]:
    """Where the parts of a range begin and end that AND joins outside of all brackets."""
    parts, at, lists = [], start, 0
    while mark := _BRACKET_OR_AND.search(text, at, end):
        found = mark.group()
        at = mark.end()
        if found in "[]":
            lists = max(0, lists + (1 if found == "[" else -1))
        elif found == " AND " or (found == " && " and not lists):  # within [..] it joins what a subquery reads
            parts.append((start, mark.start()))
            start = at
        elif mark.start() in closing:
            at = closing[mark.start()] + 1
        elif found in "()":
            break
    return [*parts, (start, end)]


def _closing(text: str) -> dict[int, int]:
    """Every bracket that is closed, with where that is."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for bracket in _BRACKET.finditer(text):
        if bracket.group() == "(":
            opened.append(bracket.start())
        elif opened:
            found[opened.pop()] = bracket.start()
    return found
