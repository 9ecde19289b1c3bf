"""An operator in words: the title on its card, the line below, and the facts of its panel (ux.md, Drawing)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from planviz.graph.plan_graph import PlanNode

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_EXPRESSION_ID = re.compile(r"#\d+L?\b")
_JOIN_TYPES = {
    "Inner": "Inner",
    "Cross": "Cross",
    "LeftOuter": "Left Outer",
    "RightOuter": "Right Outer",
    "FullOuter": "Full Outer",
    "LeftSemi": "Left Semi",
    "LeftAnti": "Left Anti",
    "LeftSingle": "Left Single",
    "ExistenceJoin": "Existence",
}
_MODES = {"partial": "Partial", "merge": "Merge", "final": "Final", "complete": "Complete"}


@lru_cache(maxsize=4096)
def spaced(op: str) -> str:
    """An operator's name with its words apart: `SortMergeJoin` is "Sort Merge Join"."""
    return _CAMEL.sub(" ", op)


def without_ids(text: str) -> str:
    """Text without expression ids: `a#12L = b#13` is `a = b`."""
    return _EXPRESSION_ID.sub("", text)


def join_type_words(join_type: str) -> str:
    """Spark's join type in words: `LeftSemi` is "Left Semi"; `ExistenceJoin(exists#1)` is "Existence"."""
    return _JOIN_TYPES.get(join_type.split("(")[0], join_type)


def aggregate_mode(node: PlanNode) -> str | None:
    """The mode of an aggregate's functions ("partial" ...): the earliest of several, None without functions."""
    modes = {function["mode"] for function in node.arguments.get("functions", ())}
    return next((mode for mode in _MODES if mode in modes), None)


def title(node: PlanNode) -> str:
    """The operator in words, one line: "Sort Merge Inner Join", "Partial Hash Aggregate", "Scan store_sales"."""
    arguments, words = node.arguments, spaced(node.op)
    if node.kind == "join" and "join_type" in arguments:
        return _join_title(words, join_type_words(str(arguments["join_type"])))
    if node.kind == "aggregate" and node.op.endswith("Aggregate"):
        mode = aggregate_mode(node) if node.op != "Aggregate" else None
        return f"{_MODES[mode]} {words}" if mode else words
    if node.kind == "scan" and "table" in arguments:
        table = str(arguments["table"]).replace("spark_catalog.", "").removeprefix("default.")
        lead = words.split()[0] if node.op in {"FileScan", "Scan", "BatchScan"} else words
        return f"{'Scan' if lead == 'File' else lead} {table}"
    if node.kind == "exchange" and arguments.get("partitioning_kind") and "Broadcast" not in node.op:
        return f"{words} {arguments['partitioning_kind']}"
    if node.kind == "limit" and "limit" in arguments:
        return f"{words.replace(' And Project', '')} {arguments['limit']}"
    return words


def _join_title(words: str, join_type: str) -> str:
    if not words.endswith("Join"):
        return f"{words} {join_type}"
    base = words.removesuffix("Join").strip()
    base = {"Broadcast Hash": "Broadcast", "Shuffled Hash": "Shuffled Hash"}.get(base, base)
    return " ".join(part for part in (base, join_type, "Join") if part)


def subtitle(node: PlanNode) -> list[tuple[str, str]]:
    """At most three `(lead word, text)` lines for the card, most telling first; the lead word may be empty."""
    arguments = node.arguments
    lines: list[tuple[str, str]] = []

    def add(lead: str, value: Any) -> None:
        text = without_ids(", ".join(map(str, value)) if isinstance(value, list) else str(value))
        if text:
            lines.append((lead, text))

    if node.kind == "join":
        keys = list(zip(arguments.get("left_keys", ()), arguments.get("right_keys", ()), strict=False))
        if keys:
            add("on", [f"{left} = {right}" for left, right in keys])
        if "condition" in arguments:
            add("where" if keys else "on", arguments["condition"])
        if "build_side" in arguments:
            add("build", arguments["build_side"])
    elif node.kind == "aggregate":
        if arguments.get("keys"):
            add("by", arguments["keys"])
        if arguments.get("functions"):
            add("", [function["text"] for function in arguments["functions"]])
    elif node.kind == "exchange":
        if arguments.get("partition_keys"):
            count = f" · {arguments['partitions']}" if "partitions" in arguments else ""
            add("by", without_ids(", ".join(arguments["partition_keys"])) + count)
        elif "reuses" in arguments:
            add("reuses", arguments["reuses"])
        elif "details" in arguments:
            add("", arguments["details"])
    elif node.kind == "scan":
        filters = arguments.get("partition_filters") or arguments.get("pushed_filters") or arguments.get("data_filters")
        if "output" in arguments:
            add("", f"{len(arguments['output'])} columns" if len(arguments["output"]) > 4 else arguments["output"])
        if filters:
            add("where", filters)
    else:
        for name, lead in (
            ("condition", "where"),
            ("sort_order", "by"),
            ("window_expressions", ""),
            ("partition_spec", "by"),
            ("generator", ""),
            ("project_list", ""),
            ("alias", "as"),
            ("subquery", ""),
            ("details", ""),
        ):
            if arguments.get(name):
                add(lead, arguments[name])
    return lines[:3]


def facts(node: PlanNode) -> list[tuple[str, str]]:
    """Every named part as `(name, text)` for the panel, in reading order: lists one entry per line."""
    found: list[tuple[str, str]] = []
    for name, value in node.arguments.items():
        if name == "functions":
            text = "\n".join(_function_words(function) for function in value)
        elif isinstance(value, list):
            text = "\n".join(map(str, value))
        elif isinstance(value, bool):
            text = "yes" if value else "no"
        else:
            text = str(value)
        if text:
            found.append((name.replace("_", " "), text))
    return found


def _function_words(function: dict[str, Any]) -> str:
    return f"{function['mode']}: {function['text']}" if function.get("mode") else str(function["text"])
