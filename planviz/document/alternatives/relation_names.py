"""The name by which the SQL knows a side of a join, for a hint to say it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from planviz.document.alternatives.replanning import Leaf, leaf, leaves, place
from planviz.execution import QueryExecution
from planviz.expressions.subqueries import QueryPlan
from planviz.logical.combining import CTERelationDef
from planviz.logical.operators import SubqueryAlias
from planviz.logical.relations import CTERelationRef

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan


def named_relation(side: LogicalPlan, execution: QueryExecution) -> tuple[str, int] | None:
    """The outermost name over exactly the relations of a side, and where the SQL has it; None where it has none.

    A CTE that is read twice has the same relations under two names: the one is taken whose columns the side has.
    """
    wanted = sorted(leaves(side, execution), key=str)
    if any(offset is None for _, offset in wanted):
        return None
    names = [n for n in _everything(execution.analyzed) if isinstance(n, SubqueryAlias)]
    written = _Written(execution)
    fitting = [n for n in names if sorted(written.leaves(n), key=str) == wanted]
    if not fitting:
        return None
    columns = {a.expr_id for a in side.output}
    best = next((n for n in fitting if any(columns & {a.expr_id for a in m.output} for m in n.walk())), fitting[0])
    offset = place(best, execution)
    if offset is None:
        offset = min((o for _, o in leaves(best, execution) if o is not None), default=None)
    return None if offset is None else (best.name[-1], offset)


class _Written:
    """The relations beneath a node of the analyzed plan, with those of the CTEs that it reads."""

    def __init__(self, execution: QueryExecution) -> None:
        self.execution = execution
        self.definitions = {n.id: n.child for n in _everything(execution.analyzed) if isinstance(n, CTERelationDef)}
        self.known: dict[int, list[Leaf]] = {}

    def leaves(self, node: LogicalPlan) -> list[Leaf]:
        """As `leaves` finds them once the CTEs are inlined; a recursion is left as it is."""
        found: list[Leaf] = []
        for n in node.walk():
            if isinstance(n, CTERelationRef) and not n.recursive and n.id in self.definitions:
                found += self._of(n.id)
            elif not n.children:
                found.append(leaf(n, self.execution))
        return found

    def _of(self, definition: int) -> list[Leaf]:
        if definition not in self.known:
            self.known[definition] = []
            self.known[definition] = self.leaves(self.definitions[definition])
        return self.known[definition]


def _everything(plan: LogicalPlan) -> Iterator[object]:
    """The nodes of a plan and of the plans within its expressions, parents first."""
    todo: list[QueryPlan] = [plan]
    while todo:
        node = todo.pop()
        yield node
        todo += [*node.children, *node.inner_children]
