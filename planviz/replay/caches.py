"""Plans over cached rows: which part of an analyzed plan an InMemoryRelation of the optimized one stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import cast

from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.subqueries import SubqueryExpression
from planviz.graph import PlanGraph
from planviz.logical.cached import DEFAULT_LEVEL, CachedPlan, InMemoryRelation, StorageLevel
from planviz.logical.operators import ResolvedHint, SubqueryAlias, View
from planviz.logical.plan import LogicalPlan
from planviz.physical.printed import PrintedExec
from planviz.replay.lifting.lines import line_of
from planviz.replay.opaque import nodes_of
from planviz.types import UNKNOWN

_LEVEL = re.compile(r"StorageLevel\(([^()]*?)(?:, )?(\d+) replicas\)")
_COLUMN = re.compile(r"(?<![^\[\],])([^\[\],]+?)#(\d+)L?(?=, |\])")
_TABLE = re.compile(r"Scan [Ii]n-memory table ([^\[]+?)(?: \[|$)")
#: How many places of a cache in the analyzed plan are tried.
MOST = 12


def cached_plan(graph: PlanGraph, at: int) -> CachedPlan:
    """What an InMemoryRelation at a node reads: the plan beneath it as it stands. The name of a cached table stands at
    the scan of the physical plan alone."""
    said = _LEVEL.search(graph[at].text)
    words = said.group(1).split(", ") if said is not None else []
    level = DEFAULT_LEVEL
    if said is not None:
        disk, memory, off_heap, deserialized = (w in words for w in ("disk", "memory", "offheap", "deserialized"))
        level = StorageLevel(disk, memory, off_heap, deserialized, int(said.group(2)))
    beneath = graph.children(at)
    listed = graph[at].text.partition("], StorageLevel")[0] + "]"
    columns = tuple(AttributeReference(n, UNKNOWN, True, int(i)) for n, i in _COLUMN.findall(listed))
    plan = printed_tree(graph, beneath[0]).replace(columns=columns) if beneath else PrintedExec("", (), columns)
    above = graph[at].parent
    table = _TABLE.match(graph[above].text) if above is not None else None
    return CachedPlan(plan, None, level, table.group(1) if table is not None else "")


def printed_tree(graph: PlanGraph, at: int) -> PrintedExec:
    """A physical tree as it stands."""
    node, beneath = graph[at], graph.children(at)
    mark = "" if node.codegen_stage is None else f"*({node.codegen_stage}) "
    inputs = tuple(printed_tree(graph, c) for c in beneath if graph.edge_type(at, c) == "child")
    inner = tuple(printed_tree(graph, c) for c in beneath if graph.edge_type(at, c) != "child")
    text = node.text if node.operator_id is None else line_of(node).text.replace("\n", " ")
    return PrintedExec(mark + text, inputs, (), inner)


def caches_in(plans: Iterable[PlanGraph]) -> dict[str, CachedPlan]:
    """The caches that the plans of an explain read, by the text beneath their relations: two scans of one cache read
    one object."""
    found: dict[str, CachedPlan] = {}
    for graph in plans:
        for node in graph:
            if node.op == "InMemoryRelation":
                made, key = cached_plan(graph, node.id), cache_key(graph, node.id)
                if key not in found or made.name:
                    found[key] = made
    return found


def cache_key(graph: PlanGraph, at: int) -> str:
    """The text beneath an InMemoryRelation."""
    return "\n".join(n.text for n in graph.walk(at) if n.id != at)


def with_caches(analyzed: LogicalPlan, optimized: LogicalPlan, far: Callable[[LogicalPlan], int]) -> LogicalPlan:
    """The analyzed plan with the parts that an optimized one reads from caches read from them, too.

    Such a part has the columns of the cache; of several operators that give just these, the one counts under which the
    optimized plan comes out nearest: `far` says how far it is.
    """
    relations = {tuple(a.expr_id for a in n.output): n for n in nodes_of(optimized) if isinstance(n, InMemoryRelation)}
    if not relations:
        return analyzed
    places = {ids: list(_places(analyzed, ids)) for ids in relations}
    chosen = {ids: found[0] for ids, found in places.items() if found}
    trials = 0

    def made() -> LogicalPlan:
        return _read_from({id(chosen[ids]): relations[ids] for ids in chosen}, analyzed)

    best = far(made()) if any(len(p) > 1 for p in places.values()) else 0
    for ids in chosen:
        for other in places[ids][1:]:
            if best == 0 or trials >= MOST:
                break
            before, trials = chosen[ids], trials + 1
            chosen[ids] = other
            now = far(made())
            best, chosen[ids] = (now, other) if now < best else (best, before)
    return made()


def _places(plan: LogicalPlan, ids: tuple[int, ...]) -> Iterator[LogicalPlan]:
    """The operators that give just these columns, from the top; what only names or hints at them is none."""
    for node in nodes_of(plan):
        if not isinstance(node, SubqueryAlias | View | ResolvedHint) and ids == tuple(a.expr_id for a in node.output):
            yield node


def _read_from(caches: dict[int, InMemoryRelation], plan: LogicalPlan) -> LogicalPlan:
    found = caches.get(id(plan))
    if found is not None:
        return found

    def inside(e: Expression) -> Expression:
        def one(x: Expression) -> Expression:
            if not isinstance(x, SubqueryExpression):
                return x
            changed: Expression = x.with_plan(_read_from(caches, cast(LogicalPlan, x.plan)))
            return changed

        new: Expression = e.transform_up(one, SubqueryExpression.BIT)
        return new

    new: LogicalPlan = plan.map_expressions(inside, SubqueryExpression.BIT)
    return new.map_children(lambda p: _read_from(caches, p))
