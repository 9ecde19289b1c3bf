"""Join hints put into SQL and taken out of it, as edits of the text."""

from __future__ import annotations

import re
from functools import lru_cache

from planviz.decisions.flips import TextChange
from planviz.errors import ParseError
from planviz.frontend.lexer import Tokens, tokenize

#: A strategy's name in a plan, and the hint that people write for it.
HINTS = {
    "broadcast": "BROADCAST", "merge": "MERGE", "shuffle_hash": "SHUFFLE_HASH",
    "shuffle_replicate_nl": "SHUFFLE_REPLICATE_NL",
}  # fmt: skip
_ITEM = re.compile(r"(\w+)\s*+(?:\(([^()]*)\))?\s*,?")


def hint_added(sql: str, offset: int, hint: str, relation: str) -> TextChange | None:
    """The hint on a relation, first in the SELECT whose FROM holds it; `offset` is where the relation is written.

    First, because of two hints on a relation the first written wins. None where no SELECT is found.
    """
    at = _select(sql, offset)
    if at is None:
        return None
    name = relation if re.fullmatch(r"\w+", relation) else f"`{relation}`"
    return TextChange(at[0], at[0], f" /*+ {hint}({name}) */")


def hint_removed(sql: str, offset: int, relation: str, hints: tuple[str, ...]) -> TextChange | None:
    """The SELECT without what its hints of these names say of the relation; None where they say nothing of it."""
    at = _select(sql, offset)
    if at is None or at[1] is None:
        return None
    start, end = at[1]
    items, dropped = [], False
    for item in _ITEM.finditer(sql[start + 3 : end - 2]):
        names = [n.strip() for n in (item[2] or "").split(",")]
        left = [n for n in names if n.strip("`").lower() != relation.lower()]
        if item[1].upper() not in hints or len(left) == len(names):
            items.append(item[0].strip().rstrip(","))
            continue
        dropped = True
        if left:
            items.append(f"{item[1]}({', '.join(left)})")
    if not dropped:
        return None
    return TextChange(start, end, f"/*+ {', '.join(items)} */" if items else "")


def _select(sql: str, offset: int) -> tuple[int, tuple[int, int] | None] | None:
    """Where the SELECT ends that reads the relation at `offset`, and from where to where its first hint goes."""
    try:
        tokens = _tokens(sql)
    except ParseError:
        return None
    depth = 0
    at = next((i for i, start in enumerate(tokens.starts) if start >= offset), 0)
    for i in range(at - 1, -1, -1):
        key = tokens.keys[i]
        if key == ")":
            depth += 1
        elif key == "(":
            depth = max(depth - 1, 0)
        elif key == "SELECT" and depth == 0:
            return tokens.ends[i], _hint(tokens, i + 1)
    return None


@lru_cache(maxsize=2)
def _tokens(sql: str) -> Tokens:
    """The words of a text in which many hints are placed one after the other."""
    return tokenize(sql)


def _hint(tokens: Tokens, at: int) -> tuple[int, int] | None:
    if tokens.keys[at] != "/*+":
        return None
    end = next((i for i in range(at, len(tokens.keys)) if tokens.texts[i] == "*/"), None)
    return None if end is None else (tokens.starts[at], tokens.ends[end])
