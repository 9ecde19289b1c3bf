"""Plans of two runs made comparable: numbers that differ from run to run are counted anew, as they appear.

So are moments with at least four decimals of a second: they come from the clock. Two queries that name such moments
themselves, other ones at the same places, are taken for the same.

What Spark itself orders by chance is told apart: the groups of several distinct aggregates (`gid`) stand in the order
of hash codes that change with every JVM.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from planviz.graph import PlanGraph

_IDS = re.compile(
    r"(\[id=#)(\d+)|(#)(\d+)(?=L?(?!\w))|(plan_id=)(\d+)|\b(CTERelation(?:Def|Ref) |UnionLoop(?:Ref)? )(\d+)"
    r"|\b((?:rand|randn|uuid|shuffle)\((?:\w+#\w+, )?(?:Some\()?)(-?\d{6,})"
    r"|\b()(\d{4,6}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{4,6})\b"
)
#: A table's files are elsewhere in every Spark.
_FILES = re.compile(r"Location: \w+\(\d+ paths?\)\[[^\]]*\]")
_WORDS = re.compile(r"[\w.'-]+|\S")
_CHANCE = re.compile(r"\bgid#\d+")
_GROUP = re.compile(r"(?<=gid# = )\d+|(?<=, )\d+(?=\])")

#: Depth and text of an operator.
Line = tuple[int, str]


def lines_of(plan: PlanGraph) -> list[Line]:
    """Depth and text of every operator with its codegen stage, numbers counted in the order of their appearance."""
    anew = _numbering()
    found = []
    for node in plan:
        stage = "" if node.codegen_stage is None else f"*({node.codegen_stage}) "
        found.append((node.depth, stage + anew(node.text)))
    return found


def renumbered(text: str) -> str:
    """A whole plan's text with its numbers counted anew."""
    return _numbering()(text)


def _numbering() -> Callable[[str], str]:
    known: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        word, digits = next((match[i], match[i + 1]) for i in range(1, 13, 2) if match[i] is not None)
        return f"{word}{known.setdefault(word + digits, len(known))}"

    return lambda text: _IDS.sub(number, _FILES.sub("Location: ...", text))


def without_numbering(text: str) -> str:
    """An operator's text without ids and without the place of its files."""
    kept = _IDS.sub(lambda match: next(match[i] for i in range(1, 13, 2) if match[i] is not None), text)
    return _FILES.sub("Location: ...", kept)


def equal_but_for_chance(one: list[Line], other: list[Line]) -> bool:
    """Whether two plans differ in nothing but what Spark orders by hash codes: groups of distinct aggregates."""
    if len(one) != len(other) or not all(any(_CHANCE.search(text) for _, text in lines) for lines in (one, other)):
        return False
    return all(a == b for a, b in zip(_unordered(one), _unordered(other), strict=True))


def _unordered(lines: list[Line]) -> Iterator[tuple[int, list[str]]]:
    """Every operator's words in alphabetical order, without numbers of ids and groups."""
    for depth, text in lines:
        yield depth, sorted(_WORDS.findall(_GROUP.sub("?", without_numbering(text))))
