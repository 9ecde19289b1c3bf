"""The stages in which Spark computes an aggregate, read from any physical plan (inventory C-070).

One `GROUP BY` becomes several aggregate operators: partial and final around a shuffle (C-010), four with a distinct
function (C-020) or after RewriteDistinctAggregates (C-024). A chain here is all operators of one such aggregate.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from planviz.graph.kinds import spark_name
from planviz.graph.node import PlanNode
from planviz.graph.plan_graph import PlanGraph

_AGGREGATE = re.compile(r"Aggregate$|GroupingAgg$|^Agg$|^AggregateInPandas$|^ArrowAggregatePython$")
_SHUFFLE = re.compile(r"^(?!Broadcast|Reused)\w*Exchange(Sink)?$")
# What may stand between two stages without belonging to another operator of the query.
_BETWEEN = re.compile(
    r"Exchange|QueryStage$|Shuffle|ColumnarTo|ToColumnar|ToRow$|Batches$|^Sort$|^Project$|^StateStore|Adapter$|"
    r"^InputIterator|^WholeStage|^SessionWindowStateStore|^Coalesce$"
)
_EXPRESSION_ID = re.compile(r"#\d+L?")
_GROUP_ID = re.compile(r"gid(?:#\d+)?$")


@dataclass(frozen=True, slots=True)
class AggregateStage:
    """One aggregate operator of a chain.

    `number` counts from 1 at the input. `mode` is "partial" (rows in, buffers out), "merge" (buffers in and out),
    "final" (buffers in, results out), "complete" (rows in, results out), or two of
    them, as in "merge and partial" (C-026);
    each entry of `functions` has its own under "mode". A stage without functions only removes duplicates; its mode is
    that of its place. `aggregate_attributes` and `results` are empty where the text does not give them: only `explain
    formatted` does (C-071). `shuffle` is the id of the exchange through which the stage gets its rows from the stage
    below, or None.
    """

    node: int
    number: int
    operator: str
    mode: str
    keys: tuple[str, ...]
    functions: tuple[dict[str, object], ...]
    aggregate_attributes: tuple[str, ...] = ()
    results: tuple[str, ...] = ()
    shuffle: int | None = None


@dataclass(frozen=True, slots=True)
class AggregateChain:
    """One aggregate of the query: its stages from the input up, and the exchanges between them in the same order.

    `input_shuffle` is the exchange right below the first stage (a Python aggregate needs its rows together from the
    start, C-002), or None.
    """

    stages: tuple[AggregateStage, ...]
    shuffles: tuple[int, ...]
    input_shuffle: int | None = None


def is_aggregate(node: PlanNode) -> bool:
    """Whether a node is a physical aggregate operator, of Spark or of an engine beside it."""
    return node.op != "Aggregate" and _AGGREGATE.search(spark_name(node.op)) is not None


def aggregate_chains(graph: PlanGraph) -> list[AggregateChain]:
    """Every aggregate of a plan with its stages, in the order of the topmost operators in the text.

    Two stages belong together when the lower gives the buffers that the upper reads: partial or merge below merge or
    final; and, for distinct functions, the removal of duplicates below them. Wrong for a plan cut between stages, whose
    upper part then looks complete.
    """
    taken: set[int] = set()
    chains = []
    for node in graph.walk():
        if node.id in taken or not is_aggregate(node):
            continue
        chain = _chain(graph, node)
        taken.update(stage.node for stage in chain.stages)
        chains.append(chain)
    return chains


def _chain(graph: PlanGraph, top: PlanNode) -> AggregateChain:
    nodes = [top]
    shuffles: list[int | None] = []
    while True:
        below, shuffle = _next(graph, nodes[-1])
        if below is None or not _continues(nodes, below):
            break
        nodes.append(below)
        shuffles.append(shuffle)
    shuffles.append(None)
    stages = []
    for place, node in enumerate(nodes):
        arguments = node.arguments
        stages.append(
            AggregateStage(
                node=node.id,
                number=len(nodes) - place,
                operator=node.op,
                mode=_mode(nodes, place),
                keys=tuple(arguments.get("keys", ())),
                functions=tuple(_with_modes(_functions(node), nodes, place)),
                aggregate_attributes=tuple(arguments.get("aggregate_attributes", ())),
                results=tuple(arguments.get("results", ())),
                shuffle=shuffles[place],
            )
        )
    stages.reverse()
    between = tuple(shuffle for shuffle in reversed(shuffles) if shuffle is not None)
    return AggregateChain(tuple(stages), between, _next(graph, nodes[-1], only_sorted=True)[1])


def _next(graph: PlanGraph, node: PlanNode, *, only_sorted: bool = False) -> tuple[PlanNode | None, int | None]:
    """The aggregate that feeds this one, or None, and the exchange right before that."""
    shuffle = None
    for below in _only_children(graph, node):
        if is_aggregate(below):
            return below, shuffle
        name = spark_name(below.op)
        if _SHUFFLE.match(name):
            shuffle = below.id
            if only_sorted:
                break
        elif not _BETWEEN.search(name) or (only_sorted and name in ("Project", "Coalesce")):
            break
    return None, shuffle


def _only_children(graph: PlanGraph, node: PlanNode) -> Iterator[PlanNode]:
    while True:
        children = [id for id in graph.children(node.id) if graph.edge_type(node.id, id) == "child"]
        if len(children) != 1:
            return
        node = graph[children[0]]
        yield node


def _continues(nodes: list[PlanNode], below: PlanNode) -> bool:
    """Whether `below` feeds the last of `nodes` with buffers, or with rows from which it removed duplicates for it."""
    upper = nodes[-1]
    modes, lower = _modes(upper), _modes(below)
    if "merge" in modes:
        return bool(lower & {"partial", "merge"}) or _distinct(upper)
    if "partial" in modes:
        return _distinct(upper) or any(_GROUP_ID.search(key) for key in _keys(below))
    if "final" in modes:
        if lower & {"partial", "merge"}:
            return _same_functions(upper, below)
        # 4.3 makes one of an adjacent partial and final: the distinct function then stands right above the duplicates.
        return not lower and _distinct(upper) and _keys(upper) <= _keys(below)
    # No functions: the upper half of a group-only aggregate, or of the removal of duplicates.
    above = nodes[-2] if len(nodes) > 1 else None
    if above is not None and not _modes(above) and _keys(above) == _keys(upper):
        return False
    return not lower and _keys(upper) == _keys(below)


def _functions(node: PlanNode) -> list[dict[str, object]]:
    return list(node.arguments.get("functions", ()))


def _modes(node: PlanNode) -> set[str]:
    return {str(function.get("mode") or "final") for function in _functions(node)}


def _distinct(node: PlanNode) -> bool:
    return any(function.get("distinct") for function in _functions(node))


def _keys(node: PlanNode) -> set[str]:
    # A key that is an expression below is an attribute of that text above: `(a#1 % 3) AS x#2` and `x#2`.
    return {_EXPRESSION_ID.sub("", key).rpartition(" AS ")[2] for key in node.arguments.get("keys", ())}


def _name(function: dict[str, object]) -> str:
    return str(function["text"]).partition("(")[0].lower()


def _same_functions(upper: PlanNode, below: PlanNode) -> bool:
    """Whether the functions above are those below by name; a cut list proves nothing against it."""
    names, lower = {_name(f) for f in _functions(upper)}, {_name(f) for f in _functions(below)}
    cut = any(name.startswith("...") for name in names | lower)
    return cut or bool(names & lower) or "merge" in _modes(below)


def _mode(nodes: list[PlanNode], place: int) -> str:
    functions = _functions(nodes[place])
    if functions:
        return " and ".join(dict.fromkeys(str(function["mode"]) for function in _with_modes(functions, nodes, place)))
    if len(nodes) == 1:
        return "complete"
    if place == len(nodes) - 1:
        return "partial"
    return "final" if place == 0 else "merge"


def _with_modes(functions: list[dict[str, object]], nodes: list[PlanNode], place: int) -> list[dict[str, object]]:
    """Functions with "complete" instead of "final" where no stage below has prepared their buffers."""
    prepared = place < len(nodes) - 1 and bool(_modes(nodes[place + 1]))
    final = "final" if prepared else "complete"
    modes = [function.get("mode") or "final" for function in functions]
    return [
        {**function, "mode": final if mode == "final" else mode}
        for function, mode in zip(functions, modes, strict=True)
    ]
