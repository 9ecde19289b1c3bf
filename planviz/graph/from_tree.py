"""Our own plans -> PlanGraphs, without the way through text (inventory D-006).

Any tree that prints as Spark's do will do: nodes with `children`, `inner_children` and a `simple_string`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from planviz.graph.kinds import kind_of
from planviz.graph.node import MARKS, Arguments, EdgeType, Estimate, Link, PlanNode
from planviz.graph.plan_graph import PlanGraph
from planviz.trees.memo import STANDS_FOR
from planviz.trees.node import TreeNode
from planviz.trees.text import Printable, is_mark

#: Reads the named parts of an operator from its text (`plantext.operators`).
Reader = Callable[[PlanNode], Arguments]
#: The first and last line of the user's text that an operator came from, or None.
SourceOf = Callable[[Printable], tuple[int, int] | None]
#: What is expected of an operator, or None.
EstimateOf = Callable[[Printable], Estimate | None]

_LINE = re.compile(r"(['!~]*)([A-Za-z_][\w$.]*)")


class _Words(NamedTuple):
    """What is printed of an operator; `breaks` counts the line breaks in it."""

    op: str
    kind: str
    text: str
    badges: tuple[str, ...]
    breaks: int


class Identities:
    """Numbers for plan objects: the same object gets the same number, another one another.

    Keeps the objects alive, so that no number can be given out twice.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, int]] = {}
        self._read: dict[int, tuple[object, _Words]] = {}

    def words(self, node: Printable) -> _Words:
        """What is printed of a node, read once for all plans that it stands in."""
        found = self._read.get(id(node))
        if found is None:
            printed = node.simple_string
            match = _LINE.match(printed)
            marks, op = match.groups() if match else ("", node.__class__.__name__)
            badges = tuple(MARKS[mark] for mark in dict.fromkeys(marks))
            read = _Words(op, kind_of(op), printed[len(marks) :], badges, printed.count("\n"))
            found = self._read[id(node)] = node, read
        return found[1]

    def of(self, node: object) -> int:
        """The number of an object; one that stands for another in a plan that is not ready has that one's."""
        node = STANDS_FOR.get(node, node) if isinstance(node, TreeNode) else node
        return self._known.setdefault(id(node), (node, len(self._known)))[1]


def graph_of_tree(
    root: Printable,
    reader: Reader,
    identities: Identities,
    *,
    stage: str = "other",
    title: str = "Plan",
    source_of: SourceOf | None = None,
    estimate_of: EstimateOf | None = None,
) -> PlanGraph:
    """The plan under `root`; equals what is read from its `tree_string`, and every node carries its `identity`.

    Without `source_of` the source lines are those of the tree's text; what it knows no lines of (an exchange) has those
    of the operator above, for which it is there. Without `estimate_of` nothing is expected.
    """
    nodes: list[PlanNode] = []
    links: list[Link] = []
    stack: list[tuple[Printable, PlanNode | None, EdgeType, int | None]] = [(root, None, "child", None)]
    line = 1
    while stack:
        tree, parent, type, generated = stack.pop()
        # The marks of generated stages are no operators: they number what is beneath them.
        while is_mark(tree):
            generated, tree = tree.codegen_stage, tree.child
        words = identities.words(tree)
        source = None if source_of is None else source_of(tree) or (None if parent is None else parent.source)
        last = line + words.breaks
        node = PlanNode(
            len(nodes),
            words.op,
            words.kind,
            words.text,
            source=(line, last) if source_of is None else source,
            depth=0 if parent is None else parent.depth + 1,
            parent=None if parent is None else parent.id,
            codegen_stage=generated,
            badges=words.badges,
            estimate=None if estimate_of is None else estimate_of(tree),
            reader=reader,
            identity=identities.of(tree),
        )
        line = last + 1
        nodes.append(node)
        if parent is not None and type != "child":
            links.append(Link(parent.id, node.id, type))
        stack.extend((child, node, "child", generated) for child in reversed(tree.children))
        stack.extend((child, node, "subquery", None) for child in reversed(tree.inner_children))
    return PlanGraph.from_nodes(stage, title, nodes, links)
