"""A tree as Spark prints it, and two trees compared line by line."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any


def tree_string(root: Any, line: Callable[[Any], str] | None = None) -> str:
    """The tree as Spark's `treeString` prints it, with a newline after every node.

    `line` gives the text of one node (default: the node's `simple_string`). Inner children (the plans of subqueries)
    are printed two levels deeper than their node, before its children, as `TreeNode.generateTreeString` does.
    """
    out: list[str] = []
    text = line or _simple_string

    # Nodes still to print, the next one last: the node, what stands before its own line and before the lines beneath.
    stack = [(root, "", "")]
    while stack:
        node, first, rest = stack.pop()
        out.append(first + text(node))
        children = node.children
        inner = node.inner_children
        base = rest + (":  " if children else "   ")
        stack += _beneath(children, rest)
        stack += _beneath(inner, base)
    return "\n".join(out) + "\n"


def _beneath(nodes: Any, indent: str) -> list[tuple[Any, str, str]]:
    """The nodes with their marks, last one first."""
    marked = [(n, indent + ":- ", indent + ":  ") for n in nodes[:-1]]
    marked += [(n, indent + "+- ", indent + "   ") for n in nodes[-1:]]
    return marked[::-1]


def _simple_string(node: Any) -> str:
    text: str = node.simple_string
    return text


def side_by_side(left: str, right: str) -> str:
    """Two texts in two columns as Spark's rule log prints them: `!` before a line that differs.

    The left column is as wide as its longest line (Spark: `sideBySide` in `catalyst/util`).
    """
    a, b = left.split("\n"), right.split("\n")
    width = max(len(x) for x in a)
    rows = []
    for i in range(max(len(a), len(b))):
        x, y = (a[i] if i < len(a) else ""), (b[i] if i < len(b) else "")
        rows.append(("!" if x != y else " ") + x + " " * (width - len(x) + 3) + y)
    return "\n".join(rows)


def log_step(rule: str, before: Any, after: Any) -> str:
    """One effective rule application in the form of Spark's PlanChangeLogger, newline at the end."""
    body = side_by_side(tree_string(before), tree_string(after))
    return f"\n=== Applying Rule {rule} ===\n{body}\n"


def unified_step(rule: str, before: Any, after: Any, context: int = 2) -> str:
    """One effective rule application as a unified diff with `context` unchanged lines around each change."""
    a, b = tree_string(before).splitlines(), tree_string(after).splitlines()
    lines = list(difflib.unified_diff(a, b, lineterm="", n=context))[2:]
    return f"--- {rule}\n" + "\n".join(x for x in lines) + "\n"
