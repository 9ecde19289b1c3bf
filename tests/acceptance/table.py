"""The acceptance table: one text file, read by people and by the tests.

A line that begins with an item's number is a case: SQL, or Python over `spark` and the names of `tests/dataframe`.
Indented lines say what must be true of it, everything without expression ids:

    set KEY=VALUE        a setting
    fired A, B           rules that were effective          not-fired A, B   rules that were not
    plan A | B | C       the operators of the optimized plan, top down, each by the beginning of its line
    has TEXT             the optimized plan contains it     lacks TEXT       it does not
    parsed TEXT          the parsed plan contains it        analyzed TEXT    the analyzed plan does
    error TEXT           planning fails and says so
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

FILE = Path(__file__).parent / "group_a.txt"
_ITEM = re.compile(r"([A-G]-\d{3}) (.*)")
_ID = re.compile(r"#\d+L?(?!\w)")
#: How the JVM prints functions that have no name of their own.
_FUNCTION = re.compile(r"org\.apache\.spark\S*Lambda[^\s,]*|generalized constraint|CombineTypedFilters\(f, f\)")
_TREE = re.compile(r"^(?:[ :]  )*(?:[:+]- )?")


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

    def rules(self, kind: str) -> set[str]:
        """The rule names of `fired` or `not-fired`."""
        return {r.strip() for line in self.expect.get(kind, []) for r in line.split(",")}


@dataclass(frozen=True)
class Answer:
    """What an engine made of a case: texts of the stages, effective rules, or the message of an error."""

    stages: dict[str, str]
    fired: frozenset[str]
    error: str | None = None


def cases() -> list[Case]:
    """The cases of the table."""
    found: list[Case] = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
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
        wanted, operators = plan.split(" | "), lines(optimized)
        assert len(operators) == len(wanted), optimized
        assert [o[: len(w)] for o, w in zip(operators, wanted, strict=True)] == wanted
