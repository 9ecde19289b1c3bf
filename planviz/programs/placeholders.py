"""SQL texts with values in them that the program's text does not tell: `SELECT ... FROM <env>.orders LIMIT <n>`."""

from __future__ import annotations

import re

from planviz.errors import ParseError
from planviz.frontend import parse_script

_PLACEHOLDER = re.compile(r"<([A-Za-z_][^<>\n]{0,70})>")
#: Words and signs behind which a value stands; a name stands anywhere else.
_VALUE = re.compile(
    r"(?:[=<>!+\-*/%]|\b(?:limit|offset|between|and|or|not|then|else|when|interval|like|percent|in\s*\(|values\s*\()"
    r"|\(\s*(?:-?\d+|'[^']*')\s*,|rows|tablesample\s*\()\s*$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"\b(?:where|having|on)\s*$", re.IGNORECASE)


def filled(text: str) -> str:
    """The text with names and numbers in place of what nobody knows, where it cannot be read as it stands."""
    if not _PLACEHOLDER.search(text) or _reads(text):
        return text
    made: list[str] = []
    end = 0
    for found in _PLACEHOLDER.finditer(text):
        before = text[: found.start()]
        made.append(text[end : found.start()])
        made.append(_in_place(found[1], before, text[found.end() :]))
        end = found.end()
    made.append(text[end:])
    return "".join(made)


def filled_part(text: str, before: str) -> str:
    """The same for a part of a query: a condition behind `SELECT * FROM t WHERE `, an expression behind `SELECT `."""
    return filled(before + text)[len(before) :]


def filled_duration(text: str, longest: bool) -> str:
    """A duration with a number in place of one that nobody knows: a large one where others must not be longer."""
    whole, number = ("1 hour", "60") if longest else ("1 minute", "1")
    return whole if _PLACEHOLDER.fullmatch(text.strip()) else _PLACEHOLDER.sub(number, text)


def _in_place(what: str, before: str, after: str) -> str:
    name = re.sub(r"\W+", "_", what).strip("_") or "value"
    if _quoted(before):
        return name
    if re.search(r"[\w.`]$", before) or re.match(r"[\w.`]", after):
        return name
    if _CLAUSE.search(before):
        return "true"
    return "1" if _VALUE.search(before.rstrip("( ") + " " if before.rstrip().endswith("(") else before) else name


def _quoted(before: str) -> bool:
    """Whether a text ends inside quotes."""
    quote = ""
    for c in before:
        if quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
    return bool(quote)


def _reads(text: str) -> bool:
    try:
        parse_script(text)
    except ParseError:
        return False
    except RecursionError:
        return True
    return True
