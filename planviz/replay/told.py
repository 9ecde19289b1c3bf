"""Whether a plan's text tells enough to plan it again, and what to paste where it does not."""

from __future__ import annotations

import re

from planviz.graph import PlanGraph
from planviz.plantext.operators import detail_block
from planviz.replay.lifting.lines import line_of

#: Kinds of operators that make rows of other rows only.
_WITH_INPUTS = frozenset({"filter", "project", "join", "aggregate", "exchange", "sort", "limit", "window", "generate"})
#: What has two inputs; a join that looks rows up in a database has one.
_BINARY = re.compile(r"(?:(?<!Direct )Join|CartesianProduct)(?:Exec\w*)?$")
_NUMBERED = re.compile(r"#\d")
#: Lines that name columns; Spark numbers those in every one of them.
_NAMES_COLUMNS = re.compile(
    r"(?:Project|Sort|Aggregate|Window|Expand) \[|Filter |\w*Aggregate\(keys?=\[[^\]]|.*partitioning\([^)\d]|\w*Join \["
)


def without_details(graph: PlanGraph) -> bool:
    """Whether this is the tree of the formatted mode and most of the blocks beneath it are missing."""
    numbered = [n for n in graph if n.operator_id is not None]
    return len(numbered) > 2 * sum(detail_block(n) is not None for n in numbered)


def without_numbers(graph: PlanGraph) -> bool:
    """Whether columns are named and not numbered: somebody took the numbers off, or wrote the plan by hand."""
    texts = [line_of(n).text for n in graph]
    return any(map(_NAMES_COLUMNS.match, texts)) and not any(map(_NUMBERED.search, texts))


def lacking(graph: PlanGraph, compared: bool = False) -> str:
    """What keeps a plan from being planned again, and what to do; "" where its text tells enough.

    One that is only `compared` with what another plan of the text gives may end early.
    """
    if without_details(graph):
        return (
            "The tree of explain formatted stands here without the blocks beneath it, which say what its operators do: "
            "it is shown, and not planned again. Paste the blocks, too, or what explain(True) prints."
        )
    if without_numbers(graph):
        return (
            "The columns have no numbers such as name#12, so nobody can tell which is which: the plan is shown, "
            "and not planned again. Paste it as explain() printed it."
        )
    if len(graph.roots) > 1:
        return (
            "The text begins below the root of its plan, in several parts: they are shown, and not planned again. "
            "Paste the whole plan."
        )
    missing = "" if compared else without_inputs(graph)
    if missing:
        return (
            f"The text was cut off: {missing} stands without what it reads. The plan is shown, and not planned again. "
            "Paste the whole plan."
        )
    return ""


def without_inputs(graph: PlanGraph) -> str:
    """The first operator that has no input and must have one, or a join with one alone; "" for a whole plan."""
    for node in graph:
        if node.kind not in _WITH_INPUTS or node.op.startswith("Reused") or "Subquery" in node.op:
            continue
        inputs = len(graph.children(node.id))
        if inputs == 0 or (inputs == 1 and node.kind == "join" and _BINARY.search(node.op)):
            return node.op
    return ""
