"""A tree as Spark prints it, and two trees compared line by line."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import Protocol, TypeGuard

#: A node still to print: what stands before its own line and before those beneath, and the mark of its stage.
_Line = tuple["Printable", str, str, str]


class Printable(Protocol):
    """A node that prints as Spark's do."""

    @property
    def children(self) -> Sequence[Printable]:
        """The nodes beneath."""

    @property
    def inner_children(self) -> Sequence[Printable]:
        """Those beneath that are no children."""

    @property
    def simple_string(self) -> str:
        """The node's line."""


class StageMark(Protocol):
    """A node that is not printed: it says to which generated stage what is beneath it belongs, None for to none."""

    @property
    def codegen_stage(self) -> int | None:
        """The stage's number."""

    @property
    def child(self) -> Printable:
        """What is beneath."""


def is_mark(node: object) -> TypeGuard[StageMark]:
    """Whether a node marks a generated stage."""
    return hasattr(node, "codegen_stage")


def tree_string(root: Printable, line: Callable[[Printable], str] | None = None) -> str:
    """The tree as Spark's `treeString` prints it, with a newline after every node.

    `line` gives the text of one node (default: the node's `simple_string`). Inner children (the plans of subqueries)
    are printed two levels deeper than their node, before its children and without a mark, as
    `TreeNode.generateTreeString` does. A node with `codegen_stage` (None or the stage's number) is not printed itself:
    it marks what is beneath it as `*(n)`, up to the next such node.
    """
    out: list[str] = []
    text = line or _simple_string

    # Nodes still to print, the next one last: the node, what stands before its own line and before the lines beneath,
    # and the mark of its generated stage.
    stack: list[_Line] = [(root, "", "", "")]
    while stack:
        node, first, rest, mark = stack.pop()
        while is_mark(node):
            mark = "" if node.codegen_stage is None else f"*({node.codegen_stage}) "
            node = node.child
        out.append(first + mark + text(node))
        children = node.children
        stack += _beneath(children, rest, mark)
        stack += _beneath(node.inner_children, rest + (":  " if children else "   "), "")
    return "\n".join(out) + "\n"


def _beneath(nodes: Sequence[Printable], indent: str, mark: str) -> list[_Line]:
    """The nodes with what stands before them, last one first."""
    lines = [(n, indent + ":- ", indent + ":  ", mark) for n in nodes[:-1]]
    lines += [(n, indent + "+- ", indent + "   ", mark) for n in nodes[-1:]]
    return lines[::-1]


def _simple_string(node: Printable) -> str:
    return node.simple_string


def unified_step(rule: str, before: Printable, after: Printable, context: int = 2) -> str:
    """One effective rule application as a unified diff with `context` unchanged lines around each change."""
    a, b = tree_string(before).splitlines(), tree_string(after).splitlines()
    lines = list(difflib.unified_diff(a, b, lineterm="", n=context))[2:]
    return f"--- {rule}\n" + "\n".join(x for x in lines) + "\n"
