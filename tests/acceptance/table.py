"""The acceptance table: one text file, read by people and by the tests.

A line that begins with an item's number is a case: SQL, or Python over `spark` and the names of `tests/dataframe`.
Indented lines say what must be true of it, everything without expression ids:

    set KEY=VALUE        a setting
    fired A, B           rules that were effective          not-fired A, B   rules that were not
    plan A | B | C       the operators of the optimized plan, top down, each by the beginning of its line
    has TEXT             the optimized plan contains it     lacks TEXT       it does not
    parsed TEXT          the parsed plan contains it        analyzed TEXT    the analyzed plan does
    tree A | B | C       the aggregates, exchanges, sorts and expands of the physical plan, top down, as in `plan`
    stage TEXT           an aggregate of the physical plan, top down: operator, keys, distribution that it asks for,
                         "sorted" where it asks for that, and every function with its mode
    join A | B           the joins of the physical plan, top down, as in `plan`
    path N0+ N1-         the answers by which planviz chose the topmost join
    warn TEXT            a warning about hints              quiet            there is none
    error TEXT           planning fails and says so
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent
_ITEM = re.compile(r"([A-G]-\d{3}) (.*)")
_ID = re.compile(r"#\d+L?(?!\w)")
#: How the JVM prints functions that have no name of their own.
_FUNCTION = re.compile(r"org\.apache\.spark\S*Lambda[^\s,]*|generalized constraint|CombineTypedFilters\(f, f\)")
_TREE = re.compile(r"^(?:[ :]  )*(?:[:+]- )?(?:\*\(\d+\) )?")
#: Operators of the physical plan that `tree` names.
_MOVES = re.compile(r"\w*(?:Aggregate|Exchange|Sort|Expand|AggregatePython)\b(?!MergeJoin)")
_JOINS = re.compile(r"\w*Join\b|CartesianProduct\b")


@dataclass
class Case:
    """One case: item, code, and what must be true by kind."""

    item: str
    code: str
    expect: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_sql(self) -> bool:
        """Whether the code is SQL."""
        return self.code.split(" ", 1)[0].isupper()

    @property
    def settings(self) -> dict[str, str]:
        """The settings."""
        return dict(s.split("=", 1) for s in self.expect.get("set", []))

    @property
    def physical(self) -> bool:
        """Whether it says anything of the physical plan."""
        return not self.expect.keys().isdisjoint(("tree", "stage", "join"))

    def rules(self, kind: str) -> set[str]:
        """The rule names of `fired` or `not-fired`."""
        return {r.strip() for line in self.expect.get(kind, []) for r in line.split(",")}


@dataclass(frozen=True)
class Answer:
    """What an engine made of a case: texts of the stages, effective rules, or the message of an error.

    `aggregates` are those of the physical plan, top down, as `stage` says them.
    """

    stages: dict[str, str]
    fired: frozenset[str]
    error: str | None = None
    aggregates: tuple[str, ...] = ()


def cases(name: str = "group_a.txt") -> list[Case]:
    """The cases of a table."""
    found: list[Case] = []
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if m := _ITEM.match(line):
            found.append(Case(m[1], m[2]))
        elif line.startswith("  "):
            kind, _, rest = line.strip().partition(" ")
            found[-1].expect.setdefault(kind, []).append(rest)
    return found


def plain(text: str) -> str:
    """A plan's text without ids and without what names the catalogue and the format; every function is f."""
    text = _FUNCTION.sub("f", _ID.sub("", text))
    return text.replace("spark_catalog.default.", "").replace(" parquet", "").rstrip()


def lines(text: str) -> list[str]:
    """The operators of a plan, top down, without the tree's marks."""
    return [_TREE.sub("", line) for line in plain(text).split("\n")]


def check(case: Case, answer: Answer) -> None:
    """Assert that the answer is what the case says."""
    expect = case.expect
    if "error" in expect:
        assert answer.error is not None, "it should have failed"
        assert expect["error"][0] in answer.error
        return
    assert answer.error is None, answer.error
    optimized = plain(answer.stages["optimized"])
    assert case.rules("fired") <= answer.fired
    assert not case.rules("not-fired") & answer.fired
    for kind, stage in (("has", "optimized"), ("parsed", "parsed"), ("analyzed", "analyzed")):
        for text in expect.get(kind, []):
            assert text in plain(answer.stages[stage])
    for text in expect.get("lacks", []):
        assert text not in optimized
    for plan in expect.get("plan", []):
        _same_beginnings(plan, lines(optimized))
    for tree in expect.get("tree", []):
        _same_beginnings(tree, [line for line in lines(answer.stages["physical"]) if _MOVES.match(line)])
    for joins in expect.get("join", []):
        _same_beginnings(joins, [line for line in lines(answer.stages["physical"]) if _JOINS.match(line)])
    if "stage" in expect:
        assert list(answer.aggregates) == expect["stage"]


def _same_beginnings(wanted: str, operators: list[str]) -> None:
    beginnings = wanted.split(" | ") if wanted else []
    assert len(operators) == len(beginnings), operators
    assert [o[: len(w)] for o, w in zip(operators, beginnings, strict=True)] == beginnings


def stage(operator: str, keys: int, distribution: str, ordered: bool, functions: Iterable[tuple[str, str]]) -> str:
    """An aggregate in the words of the table; `functions` are names and modes."""
    asked = f"{distribution} sorted" if ordered else distribution
    listed = ", ".join(f"{name} {mode}" for name, mode in functions) or "none"
    return f"{operator.removesuffix('Exec')} {keys} {asked}: {listed}"
