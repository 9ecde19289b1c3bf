"""An operator's text taken apart: brackets, lists, numbers, and the marks that Spark leaves where it cut.

Spark escapes nothing, so a bracket inside a literal can unbalance a text. Then the last piece holds what could not be
split; no character is lost.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from planviz.jsontypes import JsonObject

Parts = JsonObject

_CLOSER_OF = {"(": ")", "[": "]", "{": "}"}
_OPENING = re.compile(r"[(\[{]")
_BRACKET = re.compile(r"[(\[{)\]}]")
_LOOSE = re.compile(r"[(\[{)\]}]|, ")
_TIGHT = re.compile(r"[(\[{)\]}]|,(?! )|, (?=\.\.\.)")
_ATTRIBUTE = re.compile(r"#\d+L?(?:-T\d+ms)?$|^\.\.\.")
_UNRESOLVED = re.compile(r"'|unresolved|.*\*$")
_ENTRY_END = re.compile(r"(?:#\d+L?(?:-T\d+ms)?|NULLS (?:FIRST|LAST)|ASC|DESC|[)\].])$")
_BRACKETED_OPTION = re.compile(r"\[([A-Za-z]\w*)=(.*)\]$", re.DOTALL)
_KEYED = re.compile(r"([A-Za-z][\w ]{0,39}?)\s*(?:=|: )\s*(?=\S|$)(.*)$", re.DOTALL)
_ORDER = re.compile(r" (?:ASC|DESC)(?: NULLS (?:FIRST|LAST))?$")
_WORD = re.compile(r"[A-Za-z_]\w*$")
#: What is longer is no number of a plan, and above 4,300 digits Python reads none.
_NUMBER = re.compile(r"-?\d{1,40}$")
#: With more digits behind the E it may be more than a float holds.
_FRACTION = re.compile(r"-?\d{1,40}(?:\.\d{1,40})?(?:E-?\d{1,2})?$")
_JAVA_CLASS = re.compile(r"\b(?:[a-z][\w-]*\.){2,}(?=[A-Z])")
_JAVA_HASH = re.compile(r"@[0-9a-f]{4,}\b")

_SUBQUERY_END = re.compile(r"\bsubquery#\d{1,19}$")

# Parts whose entries are named expressions.
_NAMED_LISTS = frozenset({"output", "project_list", "results"})

_MORE_FIELDS = re.compile(r"\.\.\. (\d+) more fields?")
_MORE_CHARACTERS = re.compile(r"\.\.\. \d+ more characters\s*$")
_CUT_VALUE = re.compile(r"\.\.\.(?=, [A-Z]\w+:|\s*$)")


def truncations(text: str) -> list[str]:
    """The ways in which Spark cut a text, of "fields", "metadata" and "characters"; empty when it is whole.

    "fields": `... 12 more fields` in a list (spark.sql.debug.maxToStringFields). "metadata": a scan's value cut to
    `...`, with open brackets (spark.sql.maxMetadataStringLength). "characters": `... 9 more characters` at the end
    (spark.sql.maxPlanStringLength).
    """
    if "..." not in text:
        return []
    found = []
    if _MORE_FIELDS.search(text):
        found.append("fields")
    if _CUT_VALUE.search(text):
        found.append("metadata")
    if _MORE_CHARACTERS.search(text):
        found.append("characters")
    return found


def split(text: str) -> list[str]:
    """The pieces between commas that stand outside all brackets, each stripped, none empty."""
    if ", " not in text:
        text = text.strip()
        return [text] if text else []
    if _OPENING.search(text) is None:
        return [piece for piece in map(str.strip, text.split(", ")) if piece]
    return _cut(text, _LOOSE)


def _cut(text: str, marks: re.Pattern[str]) -> list[str]:
    pieces: list[str] = []
    start = 0
    awaited: list[str] = []
    for match in marks.finditer(text):
        mark = match.group()
        if mark in _CLOSER_OF:
            awaited.append(_CLOSER_OF[mark])
        elif mark[0] == ",":
            if not awaited:
                pieces.append(text[start : match.start()].strip())
                start = match.end()
        elif awaited and awaited[-1] == mark:  # a closing bracket of another kind stands in a literal
            awaited.pop()
    pieces.append(text[start:].strip())
    return [piece for piece in pieces if piece]


#: Where somebody broke a list into lines.
_BROKEN = re.compile(r",\n\s*")


def items(text: str) -> list[str]:
    """The entries of a printed list: `[a, b, c]`, or without spaces as a scan prints its columns (`[a#1,b#2]`)."""
    inner = text.strip()
    if inner[:1] == "[":
        inner = inner[1:-1] if inner[-1:] == "]" else inner[1:].rstrip(", ")
    if ",\n" in inner:
        inner = _BROKEN.sub(", " if ", " in inner else ",", inner)
    if "," not in inner:
        return [inner.strip()] if inner.strip() else []
    if ", " not in inner:
        return _cut(inner, _TIGHT)
    loose = split(inner)
    if inner.count(",") == inner.count(", "):
        return loose
    # A column may be called `a,b` in a list with spaces, and `a, b` in one without.
    tight = _cut(inner, _TIGHT)
    return tight if len(tight) > 1 and all(_ENTRY_END.search(entry) for entry in tight[:-1]) else loose


def attributes(text: str) -> list[str]:
    """The entries of a list of named expressions, each of which ends in its id, so that a name may hold a comma.

    Wrong for a half-resolved list in which a name without id looks like a literal.
    """
    entries = _whole_subqueries(items(text))
    unended = [entry for entry in entries if not _ATTRIBUTE.search(entry)]
    if not unended or len(unended) == len(entries) or any(_UNRESOLVED.match(entry) for entry in unended):
        return entries
    found: list[str] = []
    for entry in entries:
        if found and not _ATTRIBUTE.search(found[-1]):
            found[-1] += ", " + entry
        else:
            found.append(entry)
    return found


def _whole_subqueries(entries: list[str]) -> list[str]:
    """Entries with what Spark prints of a subquery in one: `Subquery subquery#23, [id=#784] AS av#24`."""
    if not any(entry.startswith("[id=#") for entry in entries):
        return entries
    found: list[str] = []
    for entry in entries:
        if found and entry.startswith("[id=#") and _SUBQUERY_END.search(found[-1]):
            found[-1] += f", {entry}"
        else:
            found.append(entry)
    return found


def is_list(text: str) -> bool:
    """Whether a piece is a printed list, whole or cut."""
    return text[:1] == "["


def is_order(text: str) -> bool:
    """Whether a printed list holds sort orders (`[a#1 ASC NULLS FIRST]`)."""
    return is_list(text) and bool(_ORDER.search(text.rstrip("]")))


def bracketed(text: str) -> tuple[str, str, str]:
    """A text that starts with a bracket: the bracketed head, what is inside it, and the tail."""
    awaited: list[str] = []
    for match in _BRACKET.finditer(text):
        mark = match.group()
        if mark in _CLOSER_OF:
            awaited.append(_CLOSER_OF[mark])
        elif awaited and awaited[-1] == mark:
            awaited.pop()
            if not awaited:
                end = match.end()
                return text[:end], text[1 : end - 1], text[end:]
    return text, text[1:], ""


def whole(text: str) -> str:
    """An expression without the one pair of brackets that encloses all of it."""
    if text[:1] == "(" and text[-1:] == ")" and bracketed(text)[0] == text:
        return text[1:-1]
    return text


def without_class(text: str) -> str:
    """A Java object's text without package and hash: `org.x.Relation@3d3e9163` is `Relation`."""
    return _JAVA_HASH.sub("", _JAVA_CLASS.sub("", text))


def number(text: str) -> int | str:
    """An integer if the text is one, else the text."""
    return int(text) if _NUMBER.match(text) else text


def value(text: str) -> Any:
    """A printed value: true and false, a list, a number, else text; `Some(x)` is x."""
    text = text.strip()
    if text == "true" or text == "false":
        return text == "true"
    if text[:1] == "[":
        return items(text)
    if text.startswith("Some(") and text.endswith(")"):
        return value(text[5:-1])
    return number(text)


@lru_cache(maxsize=1024)
def snake(name: str) -> str:
    """A printed name as the name of a part: `Left keys`, `isStreamingAgg` are `left_keys`, `is_streaming_agg`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|\s+|/", "_", name.strip()).lower().replace("__", "_")


def take_options(pieces: list[str], parts: Parts) -> list[str]:
    """The pieces without `[name=value]` options, which become parts: `[plan_id=12]`, `[id=#12]`, `[loreId=3]`."""
    left = []
    for piece in pieces:
        match = _BRACKETED_OPTION.match(piece) if piece[:1] == "[" else None
        if match is None:
            left.append(piece)
        elif match[1] in ("plan_id", "id"):
            parts["plan_id"] = number(match[2].lstrip("#"))
        else:
            parts[snake(match[1])] = value(match[2])
    return left


def rest(parts: Parts, leftover: list[str]) -> Parts:
    """Parts with what has no name yet: `key=value` under its key, the marks of a cut under `cut`, else `details`."""
    unnamed = []
    for text in leftover:
        if text.startswith("...") or text == "…":
            parts["cut"] = text
            continue
        match = _KEYED.match(text)
        if match and len(match[1]) < 40 and match[1].count(" ") < 3:
            parts.setdefault(snake(match[1]), value(match[2]))
        else:
            unnamed.append(text)
    if unnamed:
        parts["details"] = unnamed
    return parts


def fits(piece: str, kind: str) -> bool:
    """Whether a piece can be a value of a kind.

    list, order (a list of sort orders), options (a list without columns), bool, int, ints (one, or a list), float,
    word, call (`Name(..)`), text (neither list nor bool), any.
    """
    if kind == "any":
        return True
    if kind == "list":
        return piece[:1] == "["
    if kind == "order":
        return is_order(piece)
    if kind == "options":
        return piece[:1] == "[" and "#" not in piece
    if kind == "call":
        return piece[:1] != "[" and "(" in piece
    if kind == "bool":
        return piece == "true" or piece == "false"
    if kind == "int":
        return bool(_NUMBER.match(piece))
    if kind == "ints":
        return all(map(_NUMBER.match, items(piece)))
    if kind == "float":
        return bool(_FRACTION.match(piece))
    if kind == "word":
        return bool(_WORD.match(piece)) and piece not in ("true", "false")
    return piece[:1] != "[" and piece not in ("true", "false")


def _named_value(name: str, kind: str, piece: str) -> object:
    if kind == "float":
        return float(piece)
    if kind == "ints":
        return [int(each) for each in items(piece)]
    given = attributes(piece) if name in _NAMED_LISTS and is_list(piece) else value(piece)
    if name == "table" and isinstance(given, list):
        return ".".join(given)
    return without_class(given) if name in ("source", "sink", "table") and isinstance(given, str) else given


def in_order(pieces: Sequence[str], names: Sequence[tuple[str, str]], parts: Parts | None = None) -> Parts:
    """Pieces named by their place: `names` are `(name, kind)`.

    Spark leaves empty values out, so a name whose kind the next piece does not fit is skipped; a piece that fits no
    name goes to `rest`. The name "-" drops the piece.
    """
    parts = {} if parts is None else parts
    leftover: list[str] = []
    at = 0
    for piece in pieces:
        for place in range(at, len(names)):
            name, kind = names[place]
            if fits(piece, kind):
                if name != "-":
                    parts[name] = _named_value(name, kind, piece)
                at = place + 1
                break
        else:
            leftover.append(piece)
    return rest(parts, leftover) if leftover else parts
