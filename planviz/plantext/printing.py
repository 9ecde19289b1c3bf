"""Plans and traces as text in Spark's form (TreeNode.generateTreeString, PlanChangeLogger): the way back to text."""

from __future__ import annotations

from planviz.graph import PlanGraph, PlanNode
from planviz.graph.plan_graph import MARKS
from planviz.graph.trace import RuleTrace

_MARKS = {badge: mark for mark, badge in MARKS.items()}


def operator_text(node: PlanNode) -> str:
    """One operator as Spark prints it behind the tree marks: codegen stage, marks, name and arguments."""
    if node.codegen_stage is not None:
        # `explain formatted` prints the stage's number in the detail block alone.
        codegen = f"*({node.codegen_stage}) " if node.operator_id is None else "* "
    else:
        codegen = "* " if "codegen" in node.badges else ""
    marks = "".join(_MARKS[badge] for badge in node.badges if badge in _MARKS)
    return f"{codegen}{marks}{node.text}"


def side_by_side(before: str, after: str) -> str:
    """Two tree texts in the form of Spark's rule log: paired by position, ` ` before equal lines and `!` before others.

    The inverse of `rulelog.split_columns` (Spark's `sideBySide`; inventory F-001).
    """
    left, right = before.split("\n"), after.split("\n")
    width = max(map(len, left)) + 3
    height = max(len(left), len(right))
    left += [""] * (height - len(left))
    right += [""] * (height - len(right))
    rows = zip(left, right, strict=True)
    return "\n".join(f"{' ' if a == b else '!'}{a.ljust(width)}{b}" for a, b in rows)


def rule_log(trace: RuleTrace) -> str:
    """The effective steps of a trace as Spark logs them, a blank line before each block."""
    return "".join(
        f"\n=== Applying Rule {step.rule} ===\n{side_by_side(step.before, step.after)}\n" for step in trace.steps
    )


def tree_text(graph: PlanGraph, start: int | None = None) -> str:
    """The plan, or the subtree at `start`, one operator a line; subqueries stand two levels below their host.

    Equals what Spark printed for every plan without adaptive sections, whose indentation Spark itself gets wrong below
    subqueries and caches.
    """
    out: list[str] = []
    roots = graph.roots if start is None else [start]
    stack: list[tuple[int, str, str]] = [(root, "", "") for root in reversed(roots)]
    while stack:
        id, prefix, mark = stack.pop()
        out.append(f"{prefix}{mark}{operator_text(graph[id])}")
        below = prefix + {"": "", "+- ": "   ", ":- ": ":  "}[mark]
        inner = [child for child in graph.children(id) if graph.edge_type(id, child) != "child"]
        children = [child for child in graph.children(id) if graph.edge_type(id, child) == "child"]
        lines = [
            (child, below + (":  " if children else "   "), "+- " if at == len(inner) - 1 else ":- ")
            for at, child in enumerate(inner)
        ]
        lines += [(child, below, "+- " if at == len(children) - 1 else ":- ") for at, child in enumerate(children)]
        stack.extend(reversed(lines))
    return "\n".join(out)
