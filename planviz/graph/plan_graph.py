"""The plan as a graph: a networkx tree of operators with cross links (inventory G-001)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from planviz.graph.node import EdgeType, Link, PlanNode
from planviz.graph.stage_run import StageRun
from planviz.graph.words import title as title_of

if TYPE_CHECKING:  # a third of the time in which `planviz parse` starts: imported when a networkx graph is asked for
    import networkx as nx

#: Operators that Spark marks as missing input although nothing is.
_ALWAYS_MARKED = frozenset({"ArrowAggregatePython", "AggregateInPandas"})


class PlanGraph:
    """A plan: operators as nodes of a networkx DiGraph, parents pointing to children in order.

    `stage` is "parsed", "analyzed", "optimized", "sparkPlan" (before preparations), "physical", "initial" (adaptive,
    before execution) or "other"; `title` is the heading in words. `notes` are sentences about the whole plan that a
    reader must see (cut off, unsure ...). As far as an event log tells them, `settings` are those of the session by
    their Spark keys, `milliseconds` is how long the plan ran (None: unknown, or not run), `failure` what it
    failed by, if it did, and `runs` the stages that it ran in. Ids count from 0 in the order of the text, so node `i`
    is `graph[i]`.
    """

    def __init__(self, stage: str, title: str, notes: Sequence[str] = ()) -> None:
        self.stage = stage
        self.title = title
        self.notes = list(notes)
        self.settings: Mapping[str, str] = {}
        self.milliseconds: int | None = None
        self.failure = ""
        self.runs: Sequence[StageRun] = ()
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
        import networkx as nx

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

    @cached_property
    def _walked(self) -> list[PlanNode]:
        found, stack = [], self.roots[::-1]
        while stack:
            id = stack.pop()
            found.append(self._nodes[id])
            stack += self._children[id][::-1]
        return found

    @property
    def roots(self) -> list[int]:
        """Ids of the nodes without a parent; more than one only when a text begins in the middle of a plan."""
        return [node.id for node in self._nodes if node.parent is None]

    def __len__(self) -> int:
        return len(self._nodes)

    def __repr__(self) -> str:
        """Stage, number of operators and the first one: <PlanGraph physical: 12 operators, AdaptiveSparkPlan>."""
        first = f", {self._nodes[0].op}" if self._nodes else ""
        return f"<PlanGraph {self.stage}: {len(self):,} operator{'s' * (len(self) != 1)}{first}>"

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
        if start is None:
            yield from self._walked
            return
        stack = [start]
        while stack:
            id = stack.pop()
            yield self._nodes[id]
            stack.extend(reversed(self._children[id]))

    def inputs(self, id: int) -> list[int]:
        """Ids of the operators that give one its rows, in the order of the text; subqueries are none."""
        return [child for child in self._children[id] if self.edge_type(id, child) == "child"]

    def beneath(self, start: int) -> Iterator[PlanNode]:
        """Pre-order from `start` over what its rows come of: without the subqueries that only a condition asks."""
        stack = [start]
        while stack:
            id = stack.pop()
            yield self._nodes[id]
            stack.extend(reversed(self.inputs(id)))

    def depth(self) -> int:
        """Number of levels; 0 for an empty plan."""
        return max((node.depth for node in self._nodes), default=-1) + 1

    def count(self, op_or_kind: str) -> int:
        """How many nodes have this operator name or kind. Counts nodes, never words of a text."""
        return sum(1 for node in self._nodes if op_or_kind in (node.op, node.kind))

    def to_networkx(self) -> nx.DiGraph[int]:
        """A DiGraph whose node attributes are simple values (op, title, kind, arguments, depth ...), for analysis."""
        import networkx as nx

        plain: nx.DiGraph[int] = nx.DiGraph(stage=self.stage, title=self.title)
        for node in self._nodes:
            plain.add_node(
                node.id,
                op=node.op,
                title=title_of(node),
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


class DeferredGraph(PlanGraph):
    """A plan whose operators are made when somebody looks at them: of a text with many queries a reader sees a few."""

    def __init__(self, stage: str, title: str, make: Callable[[], PlanGraph]) -> None:
        super().__init__(stage, title)
        self._make = make
        # What is not there is asked of `__getattr__`.
        del self._nodes, self._links, self.notes, self.settings

    def __getattr__(self, name: str) -> object:
        if name not in ("_nodes", "_links", "notes", "settings"):
            raise AttributeError(name)
        made = self._make()
        self._nodes, self._links, self.notes, self.settings = made._nodes, made._links, made.notes, made.settings
        return self.__dict__[name]
