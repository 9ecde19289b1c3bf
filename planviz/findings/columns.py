"""Columns of scans: their types as ReadSchema has them, what is a partition column, who uses them."""

from __future__ import annotations

import re

from planviz.findings.plan_view import PlanView
from planviz.graph.node import PlanNode

#: Fields of the hidden column `_metadata`.
_METADATA = frozenset({"file_path", "file_name", "file_size", "file_block_start", "file_block_length",
                       "file_modification_time", "row_index", "row_id", "base_row_id"})  # fmt: skip
_ATTRIBUTE = re.compile(r"(.*)#(\d+)L?$", re.DOTALL)


def read_schema(scan: PlanNode) -> dict[str, str] | None:
    """A scan's columns and types by lower-case name; None where the text does not give all of them."""
    text = str(scan.arguments.get("read_schema", ""))
    if not text.startswith("struct<") or not text.endswith(">") or "..." in text:
        return None
    return dict(fields(text[len("struct<") : -1]))


def is_whole(scan: PlanNode, *entries: str) -> bool:
    """Whether Spark has cut none of these entries of a scan, and left none out."""
    if "truncated" not in scan.badges:
        return True
    return "cut" not in scan.arguments and not any("..." in str(scan.arguments.get(entry)) for entry in entries)


def fields(inner: str) -> list[tuple[str, str]]:
    """Names and types of a struct's text: `a:int,b:array<int>`."""
    found, depth, start = [], 0, 0
    for at, character in enumerate(f"{inner},"):
        depth += character in "<("
        depth -= character in ">)"
        if character == "," and depth == 0:
            name, colon, type = inner[start:at].partition(":")
            if colon:
                found.append((name.strip("`").lower(), type.strip()))
            start = at + 1
    return found


def attribute(text: str) -> tuple[str, str] | None:
    """Name in lower case and id of an attribute."""
    found = _ATTRIBUTE.match(text)
    return (found[1].strip("`").rsplit(".", 1)[-1].lower(), found[2]) if found else None


def type_of(plan: PlanView, start: PlanNode, column: str) -> str | None:
    """The type of a column that a scan beneath a node reads, without parameters; None where the text does not say."""
    wanted = attribute(column)
    for node in plan.walk(start):
        if wanted is None or node.kind != "scan":
            continue
        if wanted[1] in {a[1] for a in map(attribute, map(str, node.arguments.get("output") or ())) if a}:
            schema = read_schema(node) or {}
            told = schema.get(wanted[0])
            return None if told is None else re.split(r"[(<]", told)[0]
    return None


def partition_columns(scan: PlanNode) -> list[str]:
    """The attributes of a file scan's output that are not in its files; empty where the text does not tell."""
    schema = read_schema(scan)
    output = [str(a) for a in scan.arguments.get("output") or ()]
    if schema is None or scan.op not in ("FileScan", "Scan") or any("..." in a for a in output):
        return []
    if scan.op == "Scan" and "location" not in scan.arguments:
        return []  # A database's or another source's, which has no files.
    found = [(a, attribute(a)) for a in output]
    names = {named[0] for _, named in found if named}
    if not schema.keys() <= names:
        return []  # A name with a comma, or another one in the file: what is left cannot be told.
    return [a for a, n in found if n and n[0] not in schema and n[0] not in _METADATA and not n[0].startswith("_")]
