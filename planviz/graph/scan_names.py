"""What a scan reads, in a few words: the same on every page, in findings and on the command line."""

from __future__ import annotations

import re

from planviz.graph.alignment import without_ids
from planviz.graph.node import PlanNode
from planviz.graph.words import title

_QUERY_NAME = re.compile(r"\)\s*(?:as\s+)?[\"`]?(\w+)[\"`]?\s*$", re.IGNORECASE)
_SCAN = re.compile(r"^(?:[A-Z]\w* ){0,4}?Scan (?:[a-z]+ (?=\S))?")


def name_of(node: PlanNode) -> str:
    """A scan's table without its namespace, else its path or the columns that it has, else the operator in words."""
    whole = str(node.arguments.get("table", ""))
    if whole.startswith("("):  # JDBC takes a query in the place of a table, with a name behind it
        named = _QUERY_NAME.search(whole)
        return named.group(1) if named is not None else "a query"
    table = whole.split("[")[0].rsplit(".", 1)[-1].strip("`")
    if table:
        return table
    name, format = _SCAN.sub("", title(node)), str(node.arguments.get("format") or "")
    columns = node.arguments.get("output")
    if name.lower() not in ("relation", "scan", format.lower()) or not isinstance(columns, list) or not columns:
        return name
    more = ", …" if len(columns) > 2 else ""
    return f"{format or name} ({', '.join(without_ids(str(column)) for column in columns[:2])}{more})"
