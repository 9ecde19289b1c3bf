"""Which join of one plan is which of another, in whatever order and by whatever operator; the order of all joins."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from planviz.graph.actual import tables_beneath
from planviz.graph.alignment import without_expression_ids
from planviz.graph.differences import conjuncts
from planviz.graph.node import PlanNode
from planviz.graph.plan_graph import PlanGraph

Tables = tuple[tuple[str, int], ...]
#: Tables that are named of one side of a join.
_NAMED = 4
#: Joins of which the whole order is told in words.
_ORDERED = 40


@dataclass(frozen=True, slots=True)
class JoinFacts:
    """A join as both plans know it.

    `keys` are its equalities and other conditions in words without ids, each with its sides in order; `sides` the
    tables beneath each input; `built` those beneath the input that is hashed or broadcast, or None.
    """

    node: PlanNode
    keys: frozenset[str]
    sides: tuple[Tables, ...]
    built: Tables | None

    @property
    def tables(self) -> tuple[tuple[str, int], ...]:
        """All tables beneath."""
        every: Counter[str] = Counter()
        for side in self.sides:
            every.update(dict(side))
        return tuple(sorted(every.items()))

    @property
    def words(self) -> str:
        """The join by its condition, or by its tables where it has none."""
        if self.keys:
            # Equalities say which join it is; other conditions are long.
            equal = sorted(key for key in self.keys if " = " in key and " AND " not in key and " OR " not in key)
            told = equal or sorted(self.keys)
            return " and ".join(told[:_NAMED]) + (" …" if len(told) > _NAMED else "")
        return " with ".join(table_words(side) for side in self.sides) or self.node.op


def table_words(tables: Tables) -> str:
    """`orders, users and 3 more`."""
    names = [name if count == 1 else f"{name} × {count}" for name, count in tables]
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def joins_of(graph: PlanGraph) -> list[JoinFacts]:
    """The joins of a plan, in its order."""
    joins = [node for node in graph if node.kind == "join"]
    if not joins:
        return []
    tables = tables_beneath(graph)
    found = []
    for node in joins:
        inputs = [child for child in graph.children(node.id) if graph.edge_type(node.id, child) == "child"]
        sides = tuple(tables[child] for child in inputs)
        build = node.arguments.get("build_side")
        built = {"left": sides[:1], "right": sides[1:2]}.get(str(build), ())
        found.append(JoinFacts(node, _keys(node), sides, built[0] if built else None))
    return found


def _keys(node: PlanNode) -> frozenset[str]:
    arguments = node.arguments
    left, right = arguments.get("left_keys") or (), arguments.get("right_keys") or ()
    pairs = [_equality(str(one), str(two)) for one, two in zip(left, right, strict=False)]
    condition = arguments.get("condition")
    if isinstance(condition, str):
        for part in conjuncts(without_expression_ids(condition)):
            one, equal, two = part.strip("()").partition(" = ")
            pairs.append(_equality(one, two) if equal and " = " not in two else part)
    return frozenset(pairs)


def _equality(one: str, two: str) -> str:
    first, second = sorted(without_expression_ids(side).strip() for side in (one, two))
    return f"{first} = {second}"


def same_joins(ours: Sequence[PlanNode], theirs: Sequence[PlanNode]) -> list[tuple[int, int]]:
    """Ids of the joins whose keys stand once on each side: the same join, whatever operator does it."""
    sides: list[dict[frozenset[str], list[int]]] = []
    for nodes in (ours, theirs):
        by_keys: defaultdict[frozenset[str], list[int]] = defaultdict(list)
        for node in nodes:
            if keys := _keys(node):
                by_keys[keys].append(node.id)
        sides.append(by_keys)
    both = ((ids, sides[1].get(keys, ())) for keys, ids in sides[0].items())
    return [(one[0], two[0]) for one, two in both if len(one) == len(two) == 1]


def paired_joins(
    before: PlanGraph, after: PlanGraph, aligned: Mapping[int, int]
) -> tuple[list[tuple[JoinFacts, JoinFacts]], list[JoinFacts], list[JoinFacts]]:
    """The joins that stand in both plans, those that are gone and those that are new.

    Two are the same by condition and tables, then by condition, then by alignment (`aligned`: ids before to ids after),
    then by tables.
    """
    ours, theirs = joins_of(before), joins_of(after)
    pairs: list[tuple[JoinFacts, JoinFacts]] = []
    names: list[Callable[[JoinFacts], Hashable]] = [
        lambda join: (join.keys, join.tables),
        lambda join: join.keys or None,
    ]
    for name in names:
        ours, theirs = _take(ours, theirs, name, pairs)
    by_id = {join.node.id: join for join in theirs}
    for join in list(ours):
        other = by_id.pop(aligned.get(join.node.id, -1), None)
        if other is not None:
            pairs.append((join, other))
            ours.remove(join)
            theirs.remove(other)
    ours, theirs = _take(ours, theirs, lambda join: join.tables or None, pairs)
    return sorted(pairs, key=lambda pair: pair[0].node.id), ours, theirs


def _take(
    ours: list[JoinFacts],
    theirs: list[JoinFacts],
    name: Callable[[JoinFacts], Hashable],
    pairs: list[tuple[JoinFacts, JoinFacts]],
) -> tuple[list[JoinFacts], list[JoinFacts]]:
    """Move joins of one name into `pairs`; what is left of both sides."""
    waiting: defaultdict[Hashable, list[JoinFacts]] = defaultdict(list)
    for join in reversed(theirs):
        waiting[name(join)].append(join)
    left = []
    taken = set()
    for join in ours:
        named = name(join)
        if named is not None and waiting[named]:
            other = waiting[named].pop()
            taken.add(other.node.id)
            pairs.append((join, other))
        else:
            left.append(join)
    return left, [join for join in theirs if join.node.id not in taken]


# -- the order


def join_order(graph: PlanGraph) -> str:
    """The order in which a plan joins its tables: `((a ⋈ b) ⋈ c)`; the inputs of a join stand as names in order.

    Inputs are put in the order of their names, so that who stands on the left makes no difference; "" for plans
    without a join and for those of very many.
    """
    leaves = _Leaves(graph)
    return "; ".join(words for root in _tops(graph) if (words := _order(graph, root.id, leaves)))


class _Leaves:
    """Names of what a plan begins with; what is reused goes by the tables that it stands for."""

    def __init__(self, graph: PlanGraph) -> None:
        self._reused = {link.source: link.target for link in graph.links() if link.type == "reuse"}
        self._tables = tables_beneath(graph) if self._reused else []

    def name(self, node: PlanNode) -> str:
        """The name of a leaf, "" for one that is no table."""
        if node.kind != "scan" and node.id in self._reused:
            return table_words(self._tables[self._reused[node.id]])
        name = str(node.arguments.get("table") or "").rpartition(".")[2].strip("`")
        return name or (node.op if node.kind == "scan" else "")


def _tops(graph: PlanGraph) -> Iterator[PlanNode]:
    """Joins that are beneath no other join of the same query block."""
    for node in graph:
        if node.kind != "join":
            continue
        at, beneath = node, False
        while at.parent is not None and not beneath:
            if graph.edge_type(at.parent, at.id) != "child":
                break
            at = graph[at.parent]
            beneath = at.kind == "join"
        if not beneath:
            yield node


def _order(graph: PlanGraph, root: int, leaves: _Leaves) -> str:
    told: dict[int, str] = {}
    joins = 0
    stack: list[tuple[int, bool]] = [(root, False)]
    while stack:
        id, seen = stack.pop()
        node = graph[id]
        below = [child for child in graph.children(id) if graph.edge_type(id, child) == "child"]
        if not seen:
            stack.append((id, True))
            stack.extend((child, False) for child in below)
            continue
        parts = [told[child] for child in below if told[child]]
        if node.kind == "join" and len(parts) > 1:
            joins += 1
            told[id] = f"({' ⋈ '.join(sorted(parts, key=lambda part: (part[:1] != '(', part)))})"
        elif len(parts) > 1:
            told[id] = f"[{', '.join(sorted(parts))}]"
        else:
            told[id] = parts[0] if parts else leaves.name(node)
    return told[root][1:-1] if joins and joins <= _ORDERED and told[root][:1] == "(" else ""
