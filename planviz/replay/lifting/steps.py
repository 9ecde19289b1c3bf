"""The tree of a physical plan's lines, without what only says how the work is run."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from planviz.graph import PlanGraph, PlanNode
from planviz.graph.kinds import WRAPPERS
from planviz.replay.caches import printed_tree
from planviz.replay.lifting.lines import PhysicalLine, line_of

if TYPE_CHECKING:
    from planviz.physical.printed import PrintedExec

_ID = re.compile(r"(?<![sS]ubquery)(?<!pruning)(?<!\(list)(?<!id=)#(\d+)")
_NAMED = re.compile(r"(?:[sS]ubquery|dynamicpruning|\(list)#(\d+)")
_SUBQUERY = re.compile(r"(?:subquery|dynamicpruning)#(\d+)")
#: A scan of cached rows; that of a table says its name.
_CACHED = re.compile(r"InMemoryTableScan\b|Scan [Ii]n-memory table\b")


@dataclass
class Step:
    """An operator with its inputs; `reuses` is the operator whose rows it takes again, `number` that of its node."""

    line: PhysicalLine
    inputs: list[Step] = field(default_factory=list)
    reuses: Step | None = None
    node: PlanNode | None = None
    #: Trees beneath that are no inputs, such as that of a cached plan.
    inner: tuple[PrintedExec, ...] = ()
    #: What this is a copy of, and the ids that the copy has for those of the text.
    origin: Step | None = None
    ids: dict[int, int] | None = None
    #: Whether rows are made of its batches above it.
    columnar: bool = False

    @property
    def coded(self) -> bool:
        """Whether the text has it in a generated stage."""
        node = self.node
        return node is not None and (node.codegen_stage is not None or "codegen" in node.badges)

    @property
    def op(self) -> str:
        """Spark's name of the operator."""
        return self.line.op

    @property
    def text(self) -> str:
        """The line."""
        return self.line.text

    def walk(self) -> Iterator[Step]:
        """The operator and all beneath, first inputs first."""
        stack = [self]
        while stack:
            at = stack.pop()
            yield at
            stack.extend(reversed(at.inputs))

    def renamed(self, ids: dict[int, int], fresh: itertools.count[int]) -> Step:
        """The same operators over columns of other ids: those of `ids`, and fresh ones, which are noted there."""

        def other(m: re.Match[str]) -> str:
            old = int(m.group(1))
            if old not in ids:
                ids[old] = next(fresh)
            return f"#{ids[old]}"

        done: dict[int, Step] = {}
        for at in reversed(list(self.walk())):
            line = at.line
            texts = (line.text, line.results, line.attributes, line.output, line.printed)
            made = PhysicalLine(line.op, *(_ID.sub(other, t) for t in texts))
            done[id(at)] = Step(
                made, [done[id(c)] for c in at.inputs], at.reuses, at.node, at.inner, at, ids, at.columnar
            )
        return done[id(self)]


class Steps:
    """The operators of the physical plans of one explain: `root` of the plan, `subqueries` by their numbers."""

    def __init__(self, graph: PlanGraph, others: Sequence[PlanGraph] = ()) -> None:
        self.subqueries: dict[int, Step] = {}
        self.reused: list[tuple[Step, PlanGraph, int]] = []
        self.by_node: dict[tuple[int, int], Step] = {}
        made = [self._of(g, r) for g in (graph, *others) for r in g.roots[:1]]
        self.root = made[0]
        for step, within, target in self.reused:
            step.reuses = self.by_node.get((id(within), target))

    def _of(self, graph: PlanGraph, root: int) -> Step:
        done: dict[int, Step] = {}
        targets = {link.source: link.target for link in graph.links() if link.type == "reuse"}
        for at in _beneath_first(graph, root):
            node = graph[at]
            step = Step(line_of(node), node=node)
            for child in graph.children(at):
                if graph.edge_type(at, child) == "child":
                    step.inputs.append(done[child])
                elif "ubquery" in graph[child].op or (node.operator_id is not None and node.kind != "command"):
                    self._subquery(step, graph[child], done[child])
                else:
                    step.inner = (*step.inner, printed_tree(graph, child))
            if _CACHED.match(step.text):
                step.inner = tuple(printed_tree(graph, c) for c in graph.children(at))
                step.inputs = []
            if WRAPPERS.match(step.op) and len(step.inputs) == 1:
                step.inputs[0].columnar |= step.op.startswith("ColumnarToRow")
                step = step.inputs[0]
            if at in targets and step.op.startswith("Reused"):
                self.reused.append((step, graph, targets[at]))
            done[at] = self.by_node[id(graph), at] = step
        return done[root]

    def _subquery(self, host: Step, node: PlanNode, step: Step) -> None:
        """Note the plan of a subquery by its number: as its line says it, else the next that the host mentions."""
        own = _SUBQUERY.search(node.text) if "ubquery" in node.op else None
        if own is not None:
            if not node.op.startswith("Reused"):
                self.subqueries.setdefault(int(own.group(1)), step.inputs[0] if step.inputs else step)
            return
        asked = dict.fromkeys(int(m) for m in _NAMED.findall(f"{host.text} {host.line.results}"))
        open_ones = [n for n in asked if n not in self.subqueries]
        if open_ones:
            self.subqueries[open_ones[0]] = step


def _beneath_first(graph: PlanGraph, root: int) -> list[int]:
    order = [n.id for n in graph.walk(root)]
    return order[::-1]
