"""Aggregates: keys, functions with their modes, results."""

from __future__ import annotations

import re

from planviz.jsontypes import JsonObject
from planviz.plantext.operators.pieces import Parts, bracketed, in_order, is_list, items, rest, split, take_options
from planviz.plantext.operators.rows import named

# A function's mode is the prefix of its name (AggregateExpression.toString); Photon says `finalmerge_`.
_MODE = re.compile(r"\(?(partial|merge|finalmerge)_")
_OLD_MODE = re.compile(r"\((.*),mode=(Partial|PartialMerge|Final|Complete),isDistinct=(true|false)\)$", re.DOTALL)
#: What stands in place of arguments that an author did not copy.
_LEFT_OUT = re.compile(r"\.\.\.|…")
_MODE_INSIDE = re.compile(r"\b(partial|merge|finalmerge)_")
_DISTINCT = re.compile(r"\w+\(distinct ", re.IGNORECASE)
_FILTER = re.compile(r" FILTER \(WHERE (.*)\)(?: AS .*)?$", re.DOTALL)
_PLAIN = re.compile(r"'?[^()]*#\d+L?$")
_NUMBERED_RESULT = re.compile(r"(?<=\))#\d+L?$")
_BRACKETED_MODE = re.compile(r"\((Partial|PartialMerge|Final|Complete)\)(?=$|[:, ])(.*)", re.DOTALL)
_NAMED_LIST = re.compile(r"\b(keys|functions) ?= ?(\[[^\[\]]*\])")
_LONGEST_BY_HAND = 10_000
_WORDS = {"Partial": "partial", "PartialMerge": "merge", "Final": "final", "Complete": "complete"}


def functions(texts: list[str], mode: str | None = "final") -> list[JsonObject]:
    """Aggregate functions with their mode, which the prefix of the name tells: `partial_sum(a)`, `merge_sum(a)`.
    What an author left out in between dots has none, but for a prefix in it.

    `mode` is that of a function without prefix. The text alone cannot tell final from complete: only the plan below can
    (`planviz.graph.aggregation`), so "final" stands for both.
    """
    found = []
    for text in texts:
        this = mode
        if match := _MODE.match(text):
            this = "final" if match[1] == "finalmerge" else match[1]
            text = text[: match.start(1)] + text[match.end() :]
            if match[1] == "finalmerge" and " AS " in text:
                # `finalmerge_sum(merge sum#2) AS sum(v)#3`: over buffers; Spark prints what it gives, `sum(v#1)`.
                text = _NUMBERED_RESULT.sub("", _alias(text))
        elif _LEFT_OUT.match(text):
            inside = _MODE_INSIDE.search(text)
            this = None if inside is None else "final" if inside[1] == "finalmerge" else inside[1]
        elif old := _OLD_MODE.match(text):
            text, this = old[1], _WORDS[old[2]]
            if old[3] == "true":
                text = text.replace("(", "(distinct ", 1)
        function: dict[str, object] = {"text": text, "mode": this}
        if _DISTINCT.match(text):
            function["distinct"] = True
        if " FILTER " in text and (where := _FILTER.search(text)):
            function["filter"] = where[1]
        found.append(function)
    return found


def output_of(results: list[str]) -> list[str]:
    """The attributes that a list of named expressions gives: `count(1)#3L AS c#4L` gives `c#4L`."""
    return [_alias(result) for result in results]


def _alias(result: str) -> str:
    end = len(result)
    while (at := result.rfind(" AS ", 0, end)) >= 0:
        name = result[at + 4 :]
        if name.count("(") == name.count(")"):  # else this " AS " stands inside a cast
            return name
        end = at
    return result


def read_aggregate(op: str, text: str) -> Parts:
    """Physical: `(keys=[..], functions=[..], output=[..])`; logical: `[keys], [results]`."""
    if text.startswith("("):
        _, inside, tail = bracketed(text)
        parts = named(inside)
        if not parts:
            if word := _BRACKETED_MODE.match(text):  # `CometHashAggregate (Partial): keys = [a]`, written by hand
                return _by_hand(word[2], _WORDS[word[1]])
            return {"functions": functions(split(inside))} if inside else {}
        given = parts.get("functions")
        if given is not None:
            parts["functions"] = functions(given if isinstance(given, list) else [str(given)])
        # A literal with a bracket can end the outer bracket too early; then the names have read past it.
        return rest(parts, take_options(split(tail.lstrip(", ")), parts)) if tail and not named(tail) else parts
    pieces = split(text)
    lists = [items(piece) for piece in pieces if is_list(piece)]
    if op == "Aggregate":
        return _logical(lists, [piece for piece in pieces if not is_list(piece)])
    attributes = (("aggregate_attributes", "list"),) if len(lists) > 3 else ()
    parts = in_order(pieces, (("keys", "list"), ("functions", "list"), *attributes, ("results", "list"), ("-", "bool")))
    if len(lists) == 1 and not _keys_only(lists[0]):
        parts["functions"] = parts.pop("keys")
    if "functions" in parts:
        parts["functions"] = functions(parts["functions"])
    return parts


def _untold(mode: str) -> JsonObject:
    return {"text": "...", "mode": mode}


def _by_hand(text: str, mode: str) -> Parts:
    """`keys = [a], functions = [sum(b)]` behind the mode; a list without functions is of a stage that only groups."""
    told = {name: items(text) for name, text in _NAMED_LIST.findall(text[:_LONGEST_BY_HAND])}
    parts: Parts = {"keys": told["keys"]} if "keys" in told else {}
    return {**parts, "functions": functions(told["functions"], mode) if "functions" in told else [_untold(mode)]}


def _logical(lists: list[list[str]], leftover: list[str]) -> Parts:
    """Keys and results of `Aggregate`. Spark leaves an empty list out, so one list is either of the two."""
    parts: Parts = {}
    if leftover and leftover[0] in ("true", "false"):  # a physical operator up to 1.4
        parts["partial"] = leftover.pop(0) == "true"
    if len(lists) == 1:
        lists = [lists[0], []] if _keys_only(lists[0]) else [[], lists[0]]
    if lists:
        parts["keys"] = keys = lists[0]
        parts["results"] = results = lists[1]
        known = set(keys)
        computed = [text for text in results if text not in known and not _PLAIN.match(text)]
        parts["functions"] = functions([text for text in computed if text.rpartition(" AS ")[0] not in known], None)
    return rest(parts, leftover)


def _keys_only(listed: list[str]) -> bool:
    return not any("(" in text or " AS " in text for text in listed)


def read_comet_aggregate(op: str, text: str) -> Parts:
    """`CometHashAggregate [input], Partial, [keys], [functions]`; 1.0 prints the mode in brackets."""
    if text.startswith("("):
        return read_aggregate(op, text)
    parts: Parts = {}
    mode: str | None = None
    lists: list[list[str]] = []
    leftover: list[str] = []
    for piece in split(text):
        word = _WORDS.get(piece.strip("[]"))
        if word:
            mode = word
        elif is_list(piece):
            lists.append(items(piece))
        else:
            leftover.append(piece)
    if lists and (mode is not None or (len(lists) == 1 and "... " in lists[0][-1])):  # cut before the mode
        parts["input"] = lists.pop(0)
    if len(lists) == 1:
        lists = [lists[0], []] if _keys_only(lists[0]) else [[], lists[0]]
    if lists:
        parts["keys"] = lists[0]
        parts["functions"] = functions(lists[1], mode or "final")
    return rest(parts, leftover)
