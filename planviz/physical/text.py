"""A physical plan as Spark prints it: generated stages as `*(n)` marks, their own nodes invisible."""

from __future__ import annotations

from typing import Any

Line = tuple[Any, str, str, str]


def tree_string(root: Any) -> str:
    """The tree with a newline after every node (Spark: treeString).

    A node with `codegen_stage` (None or the stage's number) is not printed itself: it marks what is beneath it, up to
    the next such node. Subqueries stand two levels deeper, before the children and without a mark.
    """
    out: list[str] = []
    stack: list[Line] = [(root, "", "", "")]
    while stack:
        node, first, rest, mark = stack.pop()
        while hasattr(node, "codegen_stage"):
            mark = "" if node.codegen_stage is None else f"*({node.codegen_stage}) "
            node = node.child
        out.append(first + mark + node.simple_string)
        children = node.children
        stack += _beneath(children, rest, mark)
        stack += _beneath(node.inner_children, rest + (":  " if children else "   "), "")
    return "\n".join(out) + "\n"


def _beneath(nodes: Any, indent: str, mark: str) -> list[Line]:
    """The nodes with what stands before them, last one first."""
    lines = [(n, indent + ":- ", indent + ":  ", mark) for n in nodes[:-1]]
    lines += [(n, indent + "+- ", indent + "   ", mark) for n in nodes[-1:]]
    return lines[::-1]
