"""Operators that work row by row or in one partition: filters, limits, windows, generators, hints, watermarks."""

from __future__ import annotations

import re

from planviz.plantext.operators.pieces import (
    Parts,
    bracketed,
    in_order,
    is_list,
    is_order,
    items,
    number,
    rest,
    snake,
    split,
    value,
    whole,
)

#: Names that may stand before `=` in `Operator(name=.., name=[..])`. Going by names keeps the lists apart even where a
#: literal has left a bracket open.
_NAMED = re.compile(
    r"(?:^\s*|,\s*)(keys?|functions|output|limit|offset|orderBy|sortOrder|partitionOrderCount|isStreamingAgg|"
    r"ignoreNullKeys|skew|columnarIn|columnarOut|strategy)=(?=[\[\w-])"
)
_REFERENCES = re.compile(r"\[[\w.$]+(?:,[\w.$]+)*\]$")
_NAMES = {"key": "keys", "orderBy": "sort_order"}


def named(inside: str) -> Parts:
    """`keys=[..], functions=[..], output=[..]` as parts; empty when nothing has a name."""
    found: Parts = {}
    matches = list(_NAMED.finditer(inside))
    for at, match in enumerate(matches):
        end = matches[at + 1].start() if at + 1 < len(matches) else len(inside)
        text = inside[match.end() : end]
        if end == len(inside) and text.endswith("...") and is_list(text):  # cut within the next name
            text, _, found["cut"] = bracketed(text)
            found["cut"] = found["cut"].lstrip(", ") or "..."
        found[_NAMES.get(match[1]) or snake(match[1])] = value(text)
    return found


def read_filter(op: str, text: str) -> Parts:
    """`Filter (a#1 > 2)`; the GPU's filter ends in a flag of its own."""
    if op.startswith("Gpu"):
        text = re.sub(r", (?:true|false)$", "", text)
    if _REFERENCES.match(text):  # the expected plans of Spark's tests
        return {"references": items(text)}
    return {"condition": whole(text)} if text else {}


def read_limit(op: str, text: str) -> Parts:
    """`GlobalLimit 10, 3`, `TakeOrderedAndProject(limit=5, orderBy=[..], output=[..])`, `Offset 3`."""
    if text.startswith("(") and (found := named(bracketed(text)[1])):
        return found
    if op.endswith("Offset"):
        return in_order(split(text), (("offset", "int"),))
    pieces = [piece for piece in split(text) if piece not in ("true", "false")]
    parts: Parts = {}
    # An engine's copy may print Spark's operator, `TakeOrderedAndProject(limit=.., ..)`, among its own arguments.
    for piece in [piece for piece in pieces if piece.startswith("TakeOrderedAndProject(")]:
        parts.update(named(bracketed(piece[len("TakeOrderedAndProject") :])[1]))
        pieces.remove(piece)
    if pieces and not is_list(pieces[0]):
        limit = number(whole(pieces.pop(0)))
        if limit != -1:  # Spark's "no limit", when there is only an offset
            parts.setdefault("limit", limit)
    names = (("offset", "int"), ("sort_order", "order"), ("project_list", "list"), ("offset", "int"), ("-", "any"))
    in_order(pieces, names, parts)
    if parts.get("offset") == 0:
        del parts["offset"]
    return parts


def read_sort(op: str, text: str) -> Parts:
    """`Sort [a#1 ASC NULLS FIRST], true, 0`; people write `Sort [a]`, of which the direction is not told."""
    pieces = split(text)
    if len(pieces) == 1 and is_list(pieces[0]) and not is_order(pieces[0]):
        return {"sort_order": items(pieces[0])}
    return in_order(pieces, (("sort_order", "order"), ("global", "bool"), ("-", "int")))


def read_window(op: str, text: str) -> Parts:
    """`Window [expressions], [partition], [order]`, `WindowGroupLimit [partition], [order], rank(), 5, Final`."""
    pieces = split(text)
    parts: Parts = {}
    if "GroupLimit" not in op and pieces and is_list(pieces[0]):
        parts["window_expressions"] = items(pieces.pop(0))
    if pieces and is_list(pieces[0]) and not is_order(pieces[0]):
        parts["partition_spec"] = items(pieces.pop(0))
    if pieces and is_list(pieces[0]):
        parts["sort_order"] = items(pieces.pop(0))
    if "GroupLimit" in op:
        return in_order(pieces, (("rank_function", "text"), ("limit", "int"), ("mode", "word")), parts)
    return in_order(pieces, (("eval_type", "int"),), parts)


def read_generate(op: str, text: str) -> Parts:
    """Physical: `Generate explode(a#1), [id#2], false, [e#3]`; logical: `explode(a#1), [1], false, x, [e#3]`.

    The list before the flag holds the columns of the child: those carried along, or the places of those dropped.
    """
    pieces = split(text)
    parts: Parts = {}
    if pieces and not is_list(pieces[0]):
        parts["generator"] = pieces.pop(0)
    if pieces and is_list(pieces[0]) and len(pieces) > 1:
        listed = items(pieces.pop(0))
        parts["dropped" if all(entry.isdigit() for entry in listed) else "carried"] = listed
    if pieces and pieces[0] in ("true", "false") and pieces.pop(0) == "true":
        parts["outer"] = True
    if pieces and pieces[0] in ("true", "false"):
        pieces.pop(0)  # 2.x: join
    return in_order(pieces, (("alias", "text"), ("output", "list")), parts)


def read_expand(op: str, text: str) -> Parts:
    """`Expand [[a#1, 0], [null, 1]], [a#2, gid#3]`; 3.0 prints `List(a#1, 0)` for a row."""
    pieces = split(text)
    parts: Parts = {}
    if pieces and is_list(pieces[0]):
        first = pieces.pop(0)
        rows = split(first[1:-1] if first.endswith("]") else first[1:])
        parts["projections"] = [items(f"[{row[5:-1]}]" if row.startswith("List(") else row) for row in rows]
    if pieces and is_list(pieces[0]):
        parts["output"] = items(pieces.pop(0))
    return rest(parts, pieces)


def read_alias(op: str, text: str) -> Parts:
    """`SubqueryAlias t`."""
    return {"alias": text.replace("`", "")} if text else {}


def read_range(op: str, text: str) -> Parts:
    """`Range (0, 10, step=1, splits=8)`, Gluten's `0, 10, 1, 8, 10, [id#0L]`.

    In a detail block the name stands before it once more, and `Some(8)`.
    """
    inside = bracketed(text[text.find("(") :])[1] if "(" in text else text
    pieces = split(inside)
    parts = in_order(pieces[:2], (("start", "int"), ("end", "int")))
    if len(pieces) > 2 and "=" not in pieces[2]:  # the fields of an engine's copy, as they stand
        names = (("step", "int"), ("splits", "int"), ("rows", "int"), ("output", "list"))
        return in_order(pieces[2:], names, parts)
    for piece in pieces[2:]:
        name, _, given = piece.partition("=")
        if given != "None":
            parts[snake(name)] = value(given)
    return parts


def read_hint(op: str, text: str) -> Parts:
    """`ResolvedHint (strategy=merge)`, `UnresolvedHint MERGE, ['x]`."""
    if text.startswith("("):
        return {"hints": whole(text)}
    pieces = split(text)
    if len(pieces) == 2 and is_list(pieces[1]):
        return {"hints": f"{pieces[0]}({', '.join(items(pieces[1]))})"}
    return {"hints": text} if text else {}


def read_set(op: str, text: str) -> Parts:
    """`Except All true`, `Intersect false`: whether duplicates are kept."""
    return {"all": text.endswith("true")} if text.endswith(("true", "false")) else rest({}, split(text))


def read_watermark(op: str, text: str) -> Parts:
    """`EventTimeWatermark t#1: timestamp, 10 seconds`; newer versions print a node id before."""
    parts: Parts = {}
    for piece in split(text):
        column, colon, type_name = piece.partition(": ")
        if colon:
            parts["column"], parts["type"] = column, type_name
        elif "column" in parts:
            parts["delay"] = piece
        elif piece.count("-") == 4:
            parts["node_id"] = piece
        else:
            parts["column"] = piece
    return parts
