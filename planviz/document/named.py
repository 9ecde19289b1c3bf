"""The name by which the SQL knows a side of a join, for a hint to say it."""

from __future__ import annotations

from typing import Any

from planviz.document.replanned import leaves, place
from planviz.execution import QueryExecution
from planviz.logical.operators import SubqueryAlias


def named_relation(side: Any, execution: QueryExecution) -> tuple[str, int] | None:
    """The outermost name over exactly the relations of a side, and where the SQL has it; None where it has none."""
    wanted = sorted(leaves(side, execution), key=str)
    if any(offset is None for _, offset in wanted):
        return None
    todo: list[Any] = [execution.analyzed]
    while todo:
        node = todo.pop()
        if isinstance(node, SubqueryAlias) and sorted(leaves(node, execution), key=str) == wanted:
            offset = place(node, execution)
            found = offset if offset is not None else min(o for _, o in wanted if o is not None)
            return node.name[-1], found
        todo += [*node.children, *node.inner_children]
    return None
