"""The plan as a graph: a networkx tree of operators with cross links (inventory G-001)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import networkx as nx

EdgeType = Literal["child", "subquery", "reuse", "pruning", "bloom"]

#: Parts of an operator by name. Values are JSON values; the names are listed in docs/arguments.md.
Arguments = Mapping[str, Any]

#: Spark's marks before an operator's name, and the badges they stand for.
MARKS = {"'": "unresolved", "!": "missing input", "~": "streaming"}
_ALWAYS_MARKED = frozenset({"ArrowAggregatePython", "AggregateInPandas"})


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the optimizer expected of a node, as `explain cost` prints it.

    `rows` and `size_in_bytes` are None when unknown; `rounded` tells that Spark printed a rounded number
    (`rowCount=1.15E+5`, `91.4 MiB`), so equality with another number proves nothing. Where Spark reckons no rows
    (`spark.sql.cbo.enabled` is false), `formula_rows` are what its formulas would give; `at_most` tells that they are
    no more than a bound, as for the groups of a partial aggregate.
    """

    rows: int | None = None
    size_in_bytes: int | None = None
    rounded: bool = False
    formula_rows: int | None = None
    at_most: bool = False


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
    `identity` is set for our own plans: nodes of one document with the same number stand for the same object, so
    everything below them is the same, too (a plan may hold one object twice). None where only a text is known.
    """

    __slots__ = (
        "_arguments",
        "_reader",
        "badges",
        "codegen_stage",
        "depth",
        "estimate",
        "id",
        "identity",
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
        identity: int | None = None,
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
        self.identity = identity

    @property
    def arguments(self) -> Arguments:
        """The operator's named parts, read from its text on first use."""
        if self._arguments is None:
            self._arguments = self._reader(self) if self._reader is not None else {}
        return self._arguments

    @property
    def reader(self) -> Callable[[PlanNode], Arguments] | None:
        """What reads the parts of the operator from its text; None where they were given."""
        return self._reader

    @property
    def plan_id(self) -> int | None:
        """Spark's `plan_id` of an exchange or a stage, or None."""
        value = self.arguments.get("plan_id")
        return value if isinstance(value, int) else None

    def __repr__(self) -> str:
        return f"PlanNode({self.id}, {self.op!r}, depth={self.depth})"


class PlanGraph:
    """A plan: operators as nodes of a networkx DiGraph, parents pointing to children in order.

    `stage` is "parsed", "analyzed", "optimized", "sparkPlan" (before preparations), "physical", "initial" (adaptive,
    before execution) or "other"; `title` is the heading in words. `notes` are sentences about the whole plan that a
    reader must see (cut off, unsure ...). Ids count from 0 in the order of the text, so node `i` is `graph[i]`.
    """

    def __init__(self, stage: str, title: str, notes: Sequence[str] = ()) -> None:
        self.stage = stage
        self.title = title
        self.notes = list(notes)
        self._nodes: list[PlanNode] = []
        self._links: dict[tuple[int, int], EdgeType] = {}

    @classmethod
    def from_nodes(
        cls,
        stage: str,
        title: str,
        nodes: Sequence[PlanNode],
        links: Sequence[Link] = (),
        notes: Sequence[str] = (),
    ) -> PlanGraph:
        """Build from nodes in the order of the text, whose ids are 0, 1, 2 ... and each of which names its `parent`.

        `links` are cross links; one of type "subquery" from a node to its own child gives that child edge its type.
        """
        graph = cls(stage, title, notes)
        graph._nodes = list(nodes)
        for link in links:
            graph.add_link(link)
        return graph

    def add_link(self, link: Link) -> None:
        """Add a cross link, or give the edge from a node to its own child another type than "child"."""
        self._links[link.source, link.target] = link.type
        self.__dict__.pop("tree", None)

    @cached_property
    def tree(self) -> nx.DiGraph[int]:
        """The networkx DiGraph, built on first use: node keys are the ids, `tree.nodes[id]["node"]` the `PlanNode`.

        Edge attribute `type` is an `EdgeType`; child edges stand in the order of the children.
        """
        tree: nx.DiGraph[int] = nx.DiGraph(stage=self.stage, title=self.title)
        tree.add_nodes_from(node.id for node in self._nodes)
        nx.set_node_attributes(tree, dict(enumerate(self._nodes)), "node")
        tree.add_edges_from(((node.parent, node.id) for node in self._nodes if node.parent is not None), type="child")
        for (source, target), type in self._links.items():
            tree.add_edge(source, target, type=type)
        return tree

    @cached_property
    def _children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self._nodes]
        for node in self._nodes:
            if node.parent is not None:
                children[node.parent].append(node.id)
        return children

    @property
    def roots(self) -> list[int]:
        """Ids of the nodes without a parent; more than one only when a text begins in the middle of a plan."""
        return [node.id for node in self._nodes if node.parent is None]

    def __len__(self) -> int:
        return len(self._nodes)

    def __getitem__(self, id: int) -> PlanNode:
        return self._nodes[id]

    def __iter__(self) -> Iterator[PlanNode]:
        """All nodes in the order of the text."""
        return iter(self._nodes)

    def children(self, id: int) -> list[int]:
        """Ids of the nodes that hang directly under `id`, subqueries included, in the order of the text."""
        return self._children[id]

    def shown_badges(self, node: PlanNode) -> tuple[str, ...]:
        """The badges worth showing: an operator is unresolved with all above it, so only the lowest one says so.

        Spark marks every aggregate in Python, for the results of its functions are no columns of the input: no fault.
        """
        if node.op in _ALWAYS_MARKED:
            return tuple(b for b in node.badges if b != "missing input")
        if "unresolved" in node.badges and any("unresolved" in self[c].badges for c in self.children(node.id)):
            return tuple(b for b in node.badges if b != "unresolved")
        return node.badges

    def edge_type(self, source: int, target: int) -> EdgeType:
        """The type of the edge from a node to its child or to what it refers to."""
        return self._links.get((source, target), "child")

    def links(self) -> list[Link]:
        """Every edge that is not of type "child", ordered by source and target."""
        return [Link(source, target, type) for (source, target), type in sorted(self._links.items())]

    def walk(self, start: int | None = None) -> Iterator[PlanNode]:
        """Pre-order from `start` (default: every root), iterative, so that any depth is fine."""
        stack = list(reversed(self.roots)) if start is None else [start]
        while stack:
            id = stack.pop()
            yield self._nodes[id]
            stack.extend(reversed(self._children[id]))

    def depth(self) -> int:
        """Number of levels; 0 for an empty plan."""
        return max((node.depth for node in self._nodes), default=-1) + 1

    def count(self, op_or_kind: str) -> int:
        """How many nodes have this operator name or kind. Counts nodes, never words of a text."""
        return sum(1 for node in self._nodes if op_or_kind in (node.op, node.kind))

    def to_networkx(self) -> nx.DiGraph[int]:
        """A DiGraph whose node attributes are simple values (op, title, kind, arguments, depth ...), for analysis."""
        from planviz.graph.words import title

        plain: nx.DiGraph[int] = nx.DiGraph(stage=self.stage, title=self.title)
        for node in self._nodes:
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
