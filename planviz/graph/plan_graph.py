"""The plan as a graph: a networkx tree of operators with cross links (inventory G-001)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import networkx as nx

EdgeType = Literal["child", "subquery", "reuse", "pruning", "bloom"]

#: Parts of an operator by name. Values are JSON values; the names are listed in docs/arguments.md.
Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the optimizer expected of a node, as `explain cost` prints it.

    `rows` and `size_in_bytes` are None when unknown; `rounded` tells that Spark printed a rounded number
    (`rowCount=1.15E+5`, `91.4 MiB`), so equality with another number proves nothing.
    """

    rows: int | None = None
    size_in_bytes: int | None = None
    rounded: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """An edge that is not a child edge: `source` uses or points to `target` (node ids)."""

    source: int
    target: int
    type: EdgeType


class PlanNode:
    """One operator.

    `id` counts from 0 in the order of the text. `op` is Spark's name, `kind` one of `KINDS`. `text` is the operator
    as printed, without tree marks and codegen stage. `source` is the first and last line (from 1) of the text it came
    from, or None. `depth` is 0 for a root. `codegen_stage` is the number of the whole-stage codegen subtree, or None.
    `operator_id` is the `(n)` of `explain formatted`. `badges` are truths to show: "truncated", "reused", "missing
    input", "streaming", "unsure", "skew" ... `metrics` maps Spark's metric names to printed or raw values.
    """

    __slots__ = (
        "_arguments",
        "_reader",
        "badges",
        "codegen_stage",
        "depth",
        "estimate",
        "id",
        "kind",
        "metrics",
        "op",
        "operator_id",
        "parent",
        "source",
        "text",
    )

    def __init__(
        self,
        id: int,
        op: str,
        kind: str,
        text: str,
        *,
        source: tuple[int, int] | None = None,
        depth: int = 0,
        parent: int | None = None,
        codegen_stage: int | None = None,
        operator_id: int | None = None,
        estimate: Estimate | None = None,
        metrics: dict[str, Any] | None = None,
        badges: tuple[str, ...] = (),
        arguments: Arguments | None = None,
        reader: Callable[[PlanNode], Arguments] | None = None,
    ) -> None:
        self.id = id
        self.op = op
        self.kind = kind
        self.text = text
        self.source = source
        self.depth = depth
        self.parent = parent
        self.codegen_stage = codegen_stage
        self.operator_id = operator_id
        self.estimate = estimate
        self.metrics = metrics
        self.badges = badges
        self._arguments = arguments
        self._reader = reader

    @property
    def arguments(self) -> Arguments:
        """The operator's named parts, read from its text on first use."""
        if self._arguments is None:
            self._arguments = self._reader(self) if self._reader is not None else {}
        return self._arguments

    @property
    def plan_id(self) -> int | None:
        """Spark's `plan_id` of an exchange or a stage, or None."""
        value = self.arguments.get("plan_id")
        return value if isinstance(value, int) else None

    def __repr__(self) -> str:
        return f"PlanNode({self.id}, {self.op!r}, depth={self.depth})"


class PlanGraph:
    """A plan: operators as nodes of a networkx DiGraph, parents pointing to children in order.

    `stage` is "parsed", "analyzed", "optimized", "physical", "initial" (adaptive, before execution) or "other"; `title`
    is the heading in words. `tree` is the DiGraph: node keys are the ids, `tree.nodes[id]["node"]` the `PlanNode`,
    edge attribute `type` an `EdgeType`. Child edges stand in the order of the children. `notes` are sentences about the
    whole plan that a reader must see (cut off, unsure, estimated ...).
    """

    def __init__(self, stage: str, title: str, notes: tuple[str, ...] = ()) -> None:
        self.stage = stage
        self.title = title
        self.notes = list(notes)
        self.tree: nx.DiGraph[int] = nx.DiGraph()
        self.roots: list[int] = []

    @classmethod
    def from_nodes(
        cls,
        stage: str,
        title: str,
        nodes: list[PlanNode],
        links: list[Link] = (),
        notes: tuple[str, ...] = (),  # type: ignore[assignment]
    ) -> PlanGraph:
        """Build from nodes in the order of the text, each naming its `parent`; `links` are added beside child edges.

        A link of type "subquery" from a node to its own child only gives that child edge its type.
        """
        graph = cls(stage, title, notes)
        tree = graph.tree
        tree.add_nodes_from((node.id, {"node": node}) for node in nodes)
        tree.add_edges_from(((node.parent, node.id) for node in nodes if node.parent is not None), type="child")
        graph.roots = [node.id for node in nodes if node.parent is None]
        for link in links:
            tree.add_edge(link.source, link.target, type=link.type)
        return graph

    def __len__(self) -> int:
        return len(self.tree)

    def __getitem__(self, id: int) -> PlanNode:
        node: PlanNode = self.tree.nodes[id]["node"]
        return node

    def __iter__(self) -> Iterator[PlanNode]:
        """All nodes in the order of the text."""
        for _, data in self.tree.nodes(data=True):
            yield data["node"]

    def children(self, id: int) -> list[int]:
        """Ids of the nodes that hang directly under `id`, subqueries included, in the order of the text."""
        nodes = self.tree.nodes
        return [child for child in self.tree.successors(id) if nodes[child]["node"].parent == id]

    def links(self) -> list[Link]:
        """Every edge that is not of type "child", ordered by source and target."""
        found = [Link(u, v, data["type"]) for u, v, data in self.tree.edges(data=True) if data["type"] != "child"]
        return sorted(found, key=lambda link: (link.source, link.target))

    def walk(self, start: int | None = None) -> Iterator[PlanNode]:
        """Pre-order from `start` (default: every root), iterative, so that any depth is fine."""
        stack = list(reversed(self.roots)) if start is None else [start]
        while stack:
            id = stack.pop()
            yield self[id]
            stack.extend(reversed(self.children(id)))

    def depth(self) -> int:
        """Number of levels; 0 for an empty plan."""
        return max((node.depth for node in self), default=-1) + 1

    def count(self, op_or_kind: str) -> int:
        """How many nodes have this operator name or kind. Counts nodes, never words of a text."""
        return sum(1 for node in self if op_or_kind in (node.op, node.kind))

    def to_networkx(self) -> nx.DiGraph[int]:
        """A plain DiGraph whose node attributes are simple values (op, title, kind, arguments, depth ...), for analysis."""
        from planviz.graph.words import title

        plain: nx.DiGraph[int] = nx.DiGraph(stage=self.stage, title=self.title)
        for node in self:
            plain.add_node(
                node.id,
                op=node.op,
                title=title(node),
                kind=node.kind,
                arguments=dict(node.arguments),
                depth=node.depth,
                source=node.source,
                codegen_stage=node.codegen_stage,
                plan_id=node.plan_id,
                estimate=node.estimate,
                metrics=node.metrics,
            )
        plain.add_edges_from(self.tree.edges(data=True))
        return plain
