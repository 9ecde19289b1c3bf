"""Other ways to write a query, as edits of its SQL: what findings advise, to be planned before it is offered.

Each function takes the tokens of one statement and gives the changes, from the left; none where nothing of the kind is
written in it. Text in strings, comments and quoted names is left alone: the tokens are Spark's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from planviz.decisions.flips import TextChange
from planviz.errors import ParseError
from planviz.frontend.lexer import Tokens, tokenize

_NAME_KINDS = ("word", "quoted")
_YEAR = re.compile(r"[12]\d{3}")
_PLAIN_TEXT = re.compile(r"'([^'%_\\]*)'")


@dataclass(frozen=True)
class Rewrite:
    """Another way to write a query: `words` say what is changed, and what that does to the result."""

    words: str
    changes: Callable[[Tokens], Iterator[TextChange]]


def rewritten(sql: str, rewrite: Rewrite) -> str:
    """The SQL with all changes of a kind; itself where there are none or it cannot be read."""
    try:
        changes = list(rewrite.changes(tokenize(sql)))
    except ParseError:
        return sql
    return _applied(sql, changes)


def _applied(sql: str, changes: Sequence[TextChange]) -> str:
    for change in sorted(changes, key=lambda c: c.start, reverse=True):
        sql = change.on(sql)
    return sql


def approximate_counts(tokens: Tokens) -> Iterator[TextChange]:
    """`count(DISTINCT x)`  =>  `approx_count_distinct(x)`, of one column or expression."""
    for i in _calls(tokens, "COUNT"):
        end = _closing(tokens, i + 1)
        if end is None or tokens.keys[i + 2] != "DISTINCT" or _commas(tokens, i + 1, end):
            continue
        inner = tokens.text[tokens.starts[i + 3] : tokens.starts[end]]
        yield TextChange(tokens.starts[i], tokens.ends[end], f"approx_count_distinct({inner.strip()})")


def union_all(tokens: Tokens) -> Iterator[TextChange]:
    """`UNION` and `UNION DISTINCT`  =>  `UNION ALL`."""
    for i, key in enumerate(tokens.keys[:-1]):
        if key == "UNION" and tokens.keys[i + 1] != "ALL":
            end = tokens.ends[i + 1] if tokens.keys[i + 1] == "DISTINCT" else tokens.ends[i]
            yield TextChange(tokens.starts[i], end, "UNION ALL")


def not_exists(tokens: Tokens) -> Iterator[TextChange]:
    """`x NOT IN (SELECT y ...)`  =>  `NOT EXISTS (SELECT 1 FROM (SELECT y ...) AS listed(item) WHERE item = x)`."""
    for i in range(1, len(tokens.keys) - 3):
        if tokens.keys[i : i + 3] != ["NOT", "IN", "("] or tokens.keys[i + 3] not in ("SELECT", "WITH"):
            continue
        end, start = _closing(tokens, i + 2), _name_before(tokens, i)
        if end is None or start is None:
            continue
        operand = tokens.text[tokens.starts[start] : tokens.ends[i - 1]]
        inner = tokens.text[tokens.ends[i + 2] : tokens.starts[end]].strip()
        if operand.strip("`").lower() == "item":
            continue
        told = f"NOT EXISTS (SELECT 1 FROM ({inner}) AS listed(item) WHERE listed.item = {operand})"
        yield TextChange(tokens.starts[start], tokens.ends[end], told)


def not_exists_of(tokens: Tokens, inside: int | None) -> tuple[TextChange, ...]:
    """The edits of `not_exists` of the NOT IN whose list a character stands in, from the end of the text on.

    They leave the listed query where it is, so that its relations are found again. Where the character stands in no
    list (a table that was read before has its place there) the only NOT IN is meant; empty where there are several.
    """
    around: list[tuple[TextChange, ...]] = []
    others: list[tuple[TextChange, ...]] = []
    for i in range(1, len(tokens.keys) - 3):
        if tokens.keys[i : i + 3] != ["NOT", "IN", "("] or tokens.keys[i + 3] not in ("SELECT", "WITH"):
            continue
        end, start = _closing(tokens, i + 2), _name_before(tokens, i)
        operand = "item" if start is None else tokens.text[tokens.starts[start] : tokens.ends[i - 1]]
        if end is None or start is None or operand.strip("`").lower() == "item":
            others.append(())
            continue
        told = f") AS listed(item) WHERE listed.item = {operand})"
        opened = TextChange(tokens.starts[start], tokens.ends[i + 2], "NOT EXISTS (SELECT 1 FROM (")
        edits = (TextChange(tokens.starts[end], tokens.ends[end], told), opened)
        is_around = inside is not None and tokens.ends[i + 2] <= inside < tokens.starts[end]
        (around if is_around else others).append(edits)
    if around:
        return around[-1]
    return others[0] if len(others) == 1 else ()


def year_ranges(tokens: Tokens) -> Iterator[TextChange]:
    """`year(c) = 2024`  =>  `(c >= DATE'2024-01-01' AND c < DATE'2025-01-01')`."""
    for i in _calls(tokens, "YEAR"):
        end = _closing(tokens, i + 1)
        if end is None or not _is_name(tokens, i + 2, end) or tokens.keys[end + 1] not in ("=", "=="):
            continue
        year = tokens.texts[end + 2]
        if tokens.kinds[end + 2] == "number" and _YEAR.fullmatch(year):
            column = tokens.text[tokens.starts[i + 2] : tokens.starts[end]].strip()
            told = f"({column} >= DATE'{year}-01-01' AND {column} < DATE'{int(year) + 1}-01-01')"
            yield TextChange(tokens.starts[i], tokens.ends[end + 2], told)


def prefixes(tokens: Tokens) -> Iterator[TextChange]:
    """`substring(c, 1, 2) = 'ab'` and `left(c, 2) = 'ab'`  =>  `c LIKE 'ab%'`."""
    for i in _calls(tokens, "SUBSTRING", "SUBSTR", "LEFT"):
        end = _closing(tokens, i + 1)
        if end is None or tokens.keys[end + 1] not in ("=", "=="):
            continue
        text = _PLAIN_TEXT.fullmatch(tokens.texts[end + 2])
        commas = _commas(tokens, i + 1, end)
        if text is None or not commas or not _is_name(tokens, i + 2, commas[0]):
            continue
        length = str(len(text[1]))
        given = [tokens.texts[at + 1] for at in commas]
        if given == ([length] if tokens.keys[i] == "LEFT" else ["1", length]) and commas[-1] + 2 == end:
            column = tokens.text[tokens.starts[i + 2] : tokens.starts[commas[0]]].strip()
            yield TextChange(tokens.starts[i], tokens.ends[end + 2], f"{column} LIKE '{text[1]}%'")


def repartition_to_one(tokens: Tokens) -> Iterator[TextChange]:
    """The hint `COALESCE(1)`  =>  `REPARTITION(1)`."""
    inside = False
    for i, key in enumerate(tokens.keys[:-3]):
        inside = (inside or key == "/*+") and tokens.texts[i] != "*/"
        if inside and tokens.keys[i : i + 2] == ["COALESCE", "("] and tokens.texts[i + 2] == "1":
            yield TextChange(tokens.starts[i], tokens.ends[i], "REPARTITION")


def _calls(tokens: Tokens, *names: str) -> Iterator[int]:
    """Where a function of these names is called with something in its brackets, and two tokens follow at least."""
    for i, key in enumerate(tokens.keys[:-4]):
        if key in names and tokens.keys[i + 1] == "(" and (i == 0 or tokens.keys[i - 1] != "."):
            yield i


def _closing(tokens: Tokens, at: int) -> int | None:
    """The bracket that closes the one at `at`; None where none does, or nothing but the end follows the next."""
    depth = 0
    for i in range(at, len(tokens.keys)):
        depth += (tokens.keys[i] == "(") - (tokens.keys[i] == ")")
        if depth == 0:
            return i if i + 1 < len(tokens.keys) else None
    return None


def _commas(tokens: Tokens, start: int, end: int) -> list[int]:
    """The commas of a call's own arguments."""
    found, depth = [], 0
    for i in range(start, end):
        depth += (tokens.keys[i] in ("(", "[")) - (tokens.keys[i] in (")", "]"))
        if tokens.keys[i] == "," and depth == 1:
            found.append(i)
    return found


def _is_name(tokens: Tokens, start: int, end: int) -> bool:
    """Whether the tokens are one name with dots, such as `t.c`."""
    parts = range(start, end)
    return end > start and all(
        tokens.kinds[i] in _NAME_KINDS if (i - start) % 2 == 0 else tokens.keys[i] == "." for i in parts
    )


def _name_before(tokens: Tokens, at: int) -> int | None:
    """Where the name begins that ends right before a token; None where no name does."""
    start = at - 1
    if start < 0 or tokens.kinds[start] not in _NAME_KINDS:
        return None
    while start >= 2 and tokens.keys[start - 1] == "." and tokens.kinds[start - 2] in _NAME_KINDS:
        start -= 2
    before = tokens.keys[start - 1] if start else ""
    return start if before in ("WHERE", "AND", "OR", "(", "ON", "HAVING", "WHEN") else None


APPROXIMATE_COUNTS = Rewrite(
    "approx_count_distinct in place of count(DISTINCT): the counts are about 5 % off", approximate_counts
)
UNION_ALL = Rewrite("UNION ALL in place of UNION: rows that come twice stay", union_all)
NOT_EXISTS = Rewrite(
    "NOT EXISTS in place of NOT IN: rows whose value is null are kept, and a null among the listed ones drops none",
    not_exists,
)
YEAR_RANGES = Rewrite("a range of dates in place of year(): the same rows", year_ranges)
PREFIXES = Rewrite("LIKE 'x%' in place of the first letters: the same rows", prefixes)
REPARTITION_TO_ONE = Rewrite("REPARTITION(1) in place of COALESCE(1): the same rows in one file", repartition_to_one)
