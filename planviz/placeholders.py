"""What stands in SQL for a value that a text does not tell: a name, a number or a condition, as its place asks."""

from __future__ import annotations

import re

#: Words and signs behind which a value stands; a name stands anywhere else.
_VALUE = re.compile(
    r"(?:[=<>!+\-*/%]|\b(?:limit|offset|between|and|or|not|then|else|when|interval|like|percent|in\s*\(|values\s*\()"
    r"|\(\s*(?:-?\d+|'[^']*')\s*,|rows|tablesample\s*\()\s*$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"\b(?:where|having|on)[\s(]*$", re.IGNORECASE)
_AND = re.compile(r"\b(?:and|or|not)[\s(]*$", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\b(?:(?!\b(?:and|or|where|on|having)\b)[\s\S])*+\band\s*$", re.IGNORECASE)
#: What shows that a column stands before it.
_COMPARED = re.compile(r"\s*(?:[=<>!+\-*/%]|(?:not\s+)?(?:in|like|rlike|ilike|between)\b|is\b)", re.IGNORECASE)
#: Characters before and behind a value that say what it is.
NEAR = 200


def in_place(what: str, before: str, after: str) -> str:
    """A name, 1 or true for a value outside quotes, as the text before and behind it asks; both may be cut."""
    name = name_of(what)
    if re.search(r"[\w.`]$", before) or re.match(r"[\w.`]", after):
        return name
    clause = _CLAUSE.search(before) is not None
    if clause or (_AND.search(before) and not _BETWEEN.search(before)):
        return name if _COMPARED.match(after) else "true"
    grouped = before.rstrip("( ") + " " if before.rstrip().endswith("(") else before
    return "1" if _VALUE.search(before) or _VALUE.search(grouped) else name


def name_of(what: str) -> str:
    """A name of letters, digits and _ for what a value is called."""
    return re.sub(r"\W+", "_", what).strip("_") or "value"
