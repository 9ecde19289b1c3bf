"""The named parts of an operator in words, as its panel lists them."""

from __future__ import annotations

from planviz.graph.node import PlanNode

#: Names of parts as the panel says them, in its reading order: what an operator does. A part that stands neither here
#: nor among `LAST` comes between the two, as it is called.
FIRST = {
    "join_type": "join type",
    "condition": "condition",
    "build_side": "build side",
    "null_aware": "null-aware",
    "skew": "skew join",
    "hints": "hints",
    "keys": "keys",
    "left_keys": "left keys",
    "right_keys": "right keys",
    "functions": "functions",
    "grouping_sets": "grouping sets",
    "sort_order": "sort order",
    "global": "whole result",
    "limit": "limit",
    "offset": "offset",
    "partitioning": "partitioning",
    "partition_keys": "partition keys",
    "partitions": "partitions",
    "broadcast_mode": "broadcast mode",
    "origin": "asked for by",
    "read": "read",
    "reuses": "reuses",
    "table": "table",
    "alias": "alias",
    "format": "format",
    "mode": "mode",
    "location": "location",
    "partition_filters": "partition filters",
    "pushed_filters": "pushed filters",
    "data_filters": "data filters",
    "filters": "filters",
    "window_expressions": "windows",
    "partition_spec": "partition by",
    "rank_function": "rank",
    "generator": "generator",
    "outer": "outer",
    "projections": "rows made of each",
    "project_list": "expressions",
    "function": "function",
}
#: What an operator takes and gives, which is long and seldom what one looks for.
LAST = {
    "output": "output",
    "results": "results",
    "aggregate_attributes": "aggregate attributes",
    "input": "input",
}
FACTS = FIRST | LAST
_ORDER = {name: place for place, name in enumerate((*FIRST, None, *LAST))}


def part_name(name: str) -> str:
    """A named part of an operator in words: `join_type` is "join type"."""
    return FACTS.get(name) or name.replace("_", " ")


#: Said better by another part.
_SAID = frozenset({"partitioning_kind"})


def facts(node: PlanNode) -> list[tuple[str, str]]:
    """Every named part as `(name, text)` for the panel, in reading order: lists one entry per line.

    A join's keys come as pairs under "on". Nothing is shortened and expression ids stay, for here one looks closely.
    """
    arguments = node.arguments
    found: list[tuple[str, str]] = []
    names = sorted(arguments, key=lambda name: _ORDER.get(name, _ORDER[None]))
    left_keys, right_keys = arguments.get("left_keys", ()), arguments.get("right_keys", ())
    if left_keys and len(left_keys) == len(right_keys):
        pairs = zip(left_keys, right_keys, strict=True)
        found.append(("on", "\n".join(f"{left} = {right}" for left, right in pairs)))
        names = [name for name in names if name not in ("left_keys", "right_keys")]
    for name in names:
        if name in _SAID and ("partitioning" in arguments or "broadcast_mode" in arguments):
            continue
        text = _fact(name, arguments[name])
        if text:
            found.append((part_name(name), text))
    return found


def _fact(name: str, value: object) -> str:
    if name == "functions" and isinstance(value, list):
        return "\n".join(map(_function_words, value))
    if name == "projections" and isinstance(value, list):
        return "\n".join(", ".join(map(str, row)) for row in value)
    if isinstance(value, list):
        return "\n".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _function_words(function: object) -> str:
    if not isinstance(function, dict):
        return str(function)
    return f"{function['mode']}: {function['text']}" if function.get("mode") else str(function["text"])
