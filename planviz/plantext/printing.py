"""A plan as indented text in Spark's form (TreeNode.generateTreeString): the way back from graph to text."""

from __future__ import annotations

from planviz.graph import PlanGraph, PlanNode

_MARKS = {"unresolved": "'", "missing input": "!", "streaming": "~"}


def operator_text(node: PlanNode) -> str:
    """One operator as Spark prints it behind the tree marks: codegen stage, marks, name and arguments."""
    if node.codegen_stage is not None:
        # `explain formatted` prints the stage's number in the detail block alone.
        codegen = f"*({node.codegen_stage}) " if node.operator_id is None else "* "
    else:
        codegen = "* " if "codegen" in node.badges else ""
    marks = "".join(_MARKS[badge] for badge in node.badges if badge in _MARKS)
    return f"{codegen}{marks}{node.text}"


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
