"""How functions written in Python are called: only the operators that compute them say that."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planviz.expressions.python import WINDOWED, PythonEvalType

_CALL = re.compile(r"(<lambda>|[\w.$]+)\(")
_NUMBER = re.compile(r", (\d+)$")
#: What an operator that prints no number computes.
_KINDS = {
    "BatchEvalPython": PythonEvalType.SQL_BATCHED_UDF,
    "AggregateInPandas": PythonEvalType.SQL_GROUPED_AGG_PANDAS_UDF,
    "WindowInPandas": PythonEvalType.SQL_GROUPED_AGG_PANDAS_UDF,
}
_NUMBERED = ("ArrowEvalPython", "ArrowAggregatePython", "ArrowWindowPython")
_GROUPED = {over: grouped for grouped, over in WINDOWED.items()}


def python_calls(op: str, text: str) -> dict[int | str, PythonEvalType]:
    """How the functions are called that an operator's line computes: by the id of the result, or by the name where
    the text shows no ids. Nothing for operators that compute none, and for kinds that nobody knows."""
    number = _NUMBER.search(text)
    try:
        kind = _KINDS.get(op) or (PythonEvalType(int(number.group(1))) if number and op in _NUMBERED else None)
    except ValueError:
        kind = None
    if kind is None:
        return {}
    kind = _GROUPED.get(kind, kind)
    return {key: kind for item in _items(text) for key in _keys(item)}


def _items(text: str) -> Iterator[str]:
    """The items of all lists in brackets of a line."""
    depth = start = 0
    for at, c in enumerate(text):
        if depth == 1 and (c == "]" or text.startswith(", ", at)):
            yield text[start:at].lstrip(", ")
            start = at + 1
        depth += (c in "[(") - (c in "])")
        if depth == 1 and c == "[":
            start = at + 1


def _keys(item: str) -> Iterator[int | str]:
    """What the call at the beginning of an item is known by, and the calls within its arguments."""
    m = _CALL.match(item)
    if m is None:
        return
    end, depth = m.end(), 1
    while depth and end < len(item):
        depth += (item[end] == "(") - (item[end] == ")")
        end += 1
    number = re.match(r"#(\d+)L?(?=$| windowspecdefinition)", item[end:])
    if number is None and item[end:] and not item.startswith(" windowspecdefinition", end):
        return
    yield int(number.group(1)) if number is not None else m.group(1)
    yield from _keys(item[m.end() : end - 1])
