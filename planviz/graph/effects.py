"""What the difference of two plans means for the query, in words, the most important first (docs/compare.md).

Joins are paired by their conditions and tables, scans by their tables, everything else by the alignment of the plans.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from planviz.graph.aggregation import AggregateChain, aggregate_chains
from planviz.graph.cells import TOTALS, Unit, is_broadcast, is_shuffle, node_cells, number_words, working
from planviz.graph.diff import Match, PlanDiff
from planviz.graph.effect import KINDS, Effect, listed, plain, ranks_lower
from planviz.graph.join_effects import join_effects
from planviz.graph.kinds import spark_name
from planviz.graph.node import PlanNode
from planviz.graph.plan_graph import PlanGraph
from planviz.graph.scan_effects import scan_effects, table_name
from planviz.graph.words import clean, title

#: What stands in a plan because of how it ran, and says nothing about what it does.
FRAME = frozenset(
    {"AdaptiveSparkPlan", "ShuffleQueryStage", "BroadcastQueryStage", "ResultQueryStage", "TableCacheQueryStage",
     "AQEShuffleRead", "CustomShuffleReader", "InputAdapter", "ColumnarToRow", "WholeStageCodegen"}
)  # fmt: skip
_AGGREGATES = ("HashAggregate", "ObjectHashAggregate", "SortAggregate")
#: Parts of an operator that are others in every run, or that something else tells.
_UNTOLD = frozenset({"location", "refresh", "operator", "expression ids", "resolved", "read schema"})
#: Numbers of a run that moved by less are not worth a word.
LEAST_TIME, LEAST_BYTES = 100.0, 1024.0 * 1024.0
#: By how many times estimates and measured numbers must differ to be told.
FACTOR = 10.0
_MOVED = 2.0
_TOLD_OF_ONE = 3


def effects(found: PlanDiff, *, factor: float = FACTOR) -> list[Effect]:
    """All that a difference means, the most important first; rows that moved by less than `factor` are not told."""
    told: list[Effect] = []
    handled: set[int] = set()  # ids before of matches that an effect tells of
    told += join_effects(found, handled)
    told += _exchanges(found, handled)
    told += scan_effects(found, handled)
    told += _aggregates(found, handled)
    told += _reuse(found)
    told += _came_and_went(found)
    told += _changed(found, handled)
    told += _numbers(found, factor)
    order = {kind: at for at, kind in enumerate(KINDS)}
    return sorted(_together(told), key=lambda effect: order[effect.kind])


def _together(told: list[Effect]) -> list[Effect]:
    """What is said in the same words several times is said once, of all the operators that it is about."""
    said: dict[tuple[str, str, bool | None], list[Effect]] = {}
    for effect in told:
        said.setdefault((effect.kind, effect.words, effect.worse), []).append(effect)
    return [same[0] if len(same) == 1 else _all_of(same) for same in said.values()]


def _all_of(same: list[Effect]) -> Effect:
    return replace(
        same[0],
        words=f"{same[0].words} ({len(same)} times)",
        before=tuple(id for effect in same for id in effect.before),
        after=tuple(id for effect in same for id in effect.after),
        confidence=min(effect.confidence for effect in same),
    )


def _frame(node: PlanNode) -> bool:
    return spark_name(node.op) in FRAME


# -- exchanges


def _exchanges(found: PlanDiff, handled: set[int]) -> Iterator[Effect]:
    tests = (("exchange", "shuffle", is_shuffle), ("broadcast", "broadcast", is_broadcast))
    changed: list[tuple[PlanNode, PlanNode, float]] = []
    for match in found.changed:
        one, two = found.before[match.before], found.after[match.after]
        if (is_shuffle(one) and is_shuffle(two)) or (is_broadcast(one) and is_broadcast(two)):
            handled.add(match.before)
        if is_shuffle(one) and is_shuffle(two) and _partitioning(one) != _partitioning(two):
            changed.append((one, two, match.confidence))
    for kind, noun, test in tests:
        gone = [found.before[id] for id in found.removed if test(found.before[id])]
        new = [found.after[id] for id in found.inserted if test(found.after[id])]
        for match in found.matches:
            one, two = found.before[match.before], found.after[match.after]
            if test(one) != test(two):
                handled.add(match.before)
                (gone if test(one) else new).append(one if test(one) else two)
        if kind == "exchange":
            _pair_by_keys(gone, new, changed)
        if new:
            words = f"{_count(len(new), f'new {noun}')}: {_named(new, found.after)}"
            yield Effect(f"{kind}-added", words, (), tuple(n.id for n in new), True if kind == "exchange" else None)
        if gone:
            words = f"{_count(len(gone), noun)} gone: {_named(gone, found.before)}"
            yield Effect(f"{kind}-removed", words, tuple(n.id for n in gone), (), False if kind == "exchange" else None)
    for one, two, confidence in changed:
        words = f"Shuffle {_partitioning(one)} → {_partitioning(two)}"
        yield Effect("exchange-changed", words, (one.id,), (two.id,), None, confidence)


def _pair_by_keys(gone: list[PlanNode], new: list[PlanNode], changed: list[tuple[PlanNode, PlanNode, float]]) -> None:
    """Take shuffles that changed their keys for kept ones, where one by those keys is said to be gone or new.

    `k → j` beside one by j that is gone says no more than that one by k is gone.
    """
    before, after = _by_keys(gone), _by_keys(new)
    kept: list[tuple[PlanNode, PlanNode, float]] = []
    for one, two, confidence in changed:
        if before.get(_partitioning(two)):
            gone[gone.index(before[_partitioning(two)].pop())] = one
            before.setdefault(_partitioning(one), []).append(one)
        elif after.get(_partitioning(one)):
            new[new.index(after[_partitioning(one)].pop())] = two
            after.setdefault(_partitioning(two), []).append(two)
        else:
            kept.append((one, two, confidence))
    changed[:] = kept


def _by_keys(shuffles: Sequence[PlanNode]) -> dict[str, list[PlanNode]]:
    found: dict[str, list[PlanNode]] = {}
    for node in shuffles:
        found.setdefault(_partitioning(node), []).append(node)
    return found


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _named(nodes: Sequence[PlanNode], graph: PlanGraph) -> str:
    said = Counter(_partitioning(node) if is_shuffle(node) else _of_tables(node, graph) for node in nodes)
    return listed(f"{words} ({count} times)" if count > 1 else words for words, count in said.items())


def _partitioning(node: PlanNode) -> str:
    kind, keys = str(node.arguments.get("partitioning_kind") or ""), node.arguments.get("partition_keys")
    number = node.arguments.get("partitions")
    if isinstance(keys, list) and keys:
        into = f" into {number}" if isinstance(number, int) else ""
        return clean(f"by {'range of ' if kind == 'range' else ''}{listed(map(plain, keys), 4)}{into}", 200)
    if kind == "single":
        return "to one partition"
    return clean(kind or plain(node.arguments.get("partitioning") or node.op), 120)


def _of_tables(node: PlanNode, graph: PlanGraph) -> str:
    names = [table_name(below) for below in graph.walk(node.id) if below.kind == "scan"]
    return f"of {listed(dict.fromkeys(names), 3)}" if names else "of its input"


# -- aggregates


def _aggregates(found: PlanDiff, handled: set[int]) -> Iterator[Effect]:
    ours, theirs = aggregate_chains(found.before), aggregate_chains(found.after)
    aligned = {match.before: match.after for match in found.matches}
    of_after = {stage.node: chain for chain in theirs for stage in chain.stages}
    left = list(theirs)
    pairs: list[tuple[AggregateChain, AggregateChain]] = []
    rest = []
    for chain in ours:
        others = Counter(id(of_after[aligned[s.node]]) for s in chain.stages if aligned.get(s.node) in of_after)
        best = next((c for c in left if others and id(c) == others.most_common(1)[0][0]), None)
        if best is None:
            rest.append(chain)
            continue
        pairs.append((chain, best))
        left = [chain for chain in left if chain is not best]
    for chain in rest:
        best = next((other for other in left if _group(other) == _group(chain)), None)
        if best is not None:
            pairs.append((chain, best))
            left = [other for other in left if other is not best]
        else:
            yield Effect("aggregate-stages", f"No longer aggregated: {_group(chain)}", _stages(chain), (), None)
    for chain in left:
        yield Effect("aggregate-stages", f"New aggregate: {_group(chain)}", (), _stages(chain), None)
    for one, two in pairs:
        handled.update(_stages(one))
        yield from _chain(one, two)


def _stages(chain: AggregateChain) -> tuple[int, ...]:
    return tuple(stage.node for stage in chain.stages)


def _group(chain: AggregateChain) -> str:
    keys = [plain(key).rpartition(" AS ")[2] for key in chain.stages[-1].keys]
    functions = [plain(f["text"]) for f in chain.stages[-1].functions]
    return clean(" ".join(filter(None, (listed(functions, 3), f"by {listed(keys, 4)}" if keys else ""))), 200) or "rows"


def _chain(one: AggregateChain, two: AggregateChain) -> Iterator[Effect]:
    ids, name = (_stages(one), _stages(two)), _group(two)
    mine, theirs = ([spark_name(stage.operator) for stage in chain.stages] for chain in (one, two))
    modes = ([stage.mode for stage in chain.stages] for chain in (one, two))
    if len(mine) != len(theirs):
        first, second = (f"{_count(len(c.stages), 'stage')} ({listed(s.mode for s in c.stages)})" for c in (one, two))
        worse = len(theirs) > len(mine)
        yield Effect("aggregate-stages", f"Aggregate {name}: {first} → {second}", *ids, worse, 0.9)
    elif mine != theirs:
        worse_by = ranks_lower(_AGGREGATES, mine[-1], theirs[-1])
        words = " and ".join(f"{a} → {b}" for a, b in dict.fromkeys(zip(mine, theirs, strict=True)) if a != b)
        yield Effect("aggregate-stages", f"Aggregate {name}: {words}", *ids, worse_by, 0.9)
    elif len({tuple(mode) for mode in modes}) > 1:
        yield Effect("aggregate-stages", f"Aggregate {name}: its stages have other modes", *ids, None, 0.9)
    if _group(one) != name:
        yield Effect("operator-changed", f"Aggregate {_group(one)} → {name}", *ids, None, 0.9)


# -- reuse, and what came and went


def _is_reuse(node: PlanNode) -> bool:
    return spark_name(node.op) in ("ReusedExchange", "ReusedSubquery", "InMemoryTableScan")


def _reuse(found: PlanDiff) -> Iterator[Effect]:
    gone = [found.before[id] for id in found.removed if _is_reuse(found.before[id])]
    new = [found.after[id] for id in found.inserted if _is_reuse(found.after[id])]
    for match in found.matches:
        one, two = found.before[match.before], found.after[match.after]
        if _is_reuse(one) != _is_reuse(two):
            (gone if _is_reuse(one) else new).append(one if _is_reuse(one) else two)
    if gone:
        words = f"Reuse lost: {_counted(gone)}"
        yield Effect("reuse-lost", words, tuple(node.id for node in gone), (), True)
    if new:
        words = f"Reuse gained: {_counted(new)}"
        yield Effect("reuse-gained", words, (), tuple(node.id for node in new), False)


def _counted(nodes: Sequence[PlanNode]) -> str:
    counts = Counter(node.op for node in nodes)
    return listed(f"{count} × {op}" if count > 1 else op for op, count in counts.items())


def _came_and_went(found: PlanDiff) -> Iterator[Effect]:
    for graph, ids, added in ((found.before, found.removed, False), (found.after, found.inserted, True)):
        nodes = [graph[id] for id in ids]
        rest = [
            node
            for node in nodes
            if node.kind not in ("join", "scan")
            and not (_frame(node) or _is_reuse(node) or is_shuffle(node) or is_broadcast(node) or _staged(node))
        ]
        frame = [node for node in nodes if _frame(node)]
        if frame:
            told = f"{'New' if added else 'Gone'} with the way it runs: {_counted_titles(frame)}"
            of = tuple(node.id for node in frame)
            kind = f"operator-{'added' if added else 'removed'}"
            yield Effect(kind, told, () if added else of, of if added else ())
        sorts = [node for node in rest if node.kind == "sort"]
        for some, kind in ((sorts, "sort"), ([node for node in rest if node.kind != "sort"], "operator")):
            if not some:
                continue
            mine = tuple(node.id for node in some)
            words = f"{'New' if added else 'Gone'}: {_counted_titles(some)}"
            worse = added if kind == "sort" else None
            yield Effect(f"{kind}-{'added' if added else 'removed'}", words, () if added else mine,
                         mine if added else (), worse)  # fmt: skip


def _staged(node: PlanNode) -> bool:
    return node.kind == "aggregate" and spark_name(node.op) in _AGGREGATES


def _counted_titles(nodes: Sequence[PlanNode]) -> str:
    counts = Counter(title(node) for node in nodes)
    return listed(f"{count} × {name}" if count > 1 else name for name, count in counts.items())


# -- what changed in place


def _changed(found: PlanDiff, handled: set[int]) -> Iterator[Effect]:
    said: dict[tuple[str, str], list[Match]] = {}
    for match in found.changed:
        one = found.before[match.before]
        if match.before in handled or _frame(one):
            continue
        parts = [change for change in match.changes if change.part not in _UNTOLD]
        more = len(parts) - _TOLD_OF_ONE
        words = "; ".join(map(str, parts[:_TOLD_OF_ONE])) + (f"; {more} more" if more > 0 else "")
        if one.op != found.after[match.after].op:
            words = f"{one.op} → {found.after[match.after].op}" + (f"; {words}" if words else "")
        if words:
            kind = "filter-changed" if one.kind == "filter" else "operator-changed"
            said.setdefault((kind, f"{title(one)}: {clean(words, 400)}"), []).append(match)
    for (kind, words), matches in said.items():
        times = f" ({len(matches)} times)" if len(matches) > 1 else ""
        yield Effect(kind, words + times, tuple(m.before for m in matches), tuple(m.after for m in matches), None,
                     min(m.confidence for m in matches))  # fmt: skip
    moved = [m for m in found.moved if not _frame(found.before[m.before]) and found.before[m.before].kind != "join"]
    if moved:
        words = f"Stands elsewhere: {_counted_titles([found.before[match.before] for match in moved])}"
        yield Effect("operator-moved", words, tuple(m.before for m in moved), tuple(m.after for m in moved), None,
                     min(m.confidence for m in moved))  # fmt: skip


# -- numbers


def _numbers(found: PlanDiff, factor: float) -> Iterator[Effect]:
    moved: list[tuple[float, Effect]] = []
    for match in found.matches:
        one, two = found.before[match.before], found.after[match.after]
        if one.estimate is None and not one.metrics:
            continue
        name, ids = title(two), ((match.before,), (match.after,))
        for cell in node_cells(one, two):
            if cell.difference is None:
                continue
            wanted, kind, worse = factor, "", cell.better is False if cell.better is not None else None
            if cell.name == "rows expected" or (cell.name == "bytes expected" and one.kind == "scan"):
                kind = "estimate-moved"
            elif cell.name == "number of output rows":
                kind = "rows-moved"
            elif cell.name in TOTALS and cell.unit == "bytes" and abs(cell.difference) >= LEAST_BYTES:
                wanted, kind = _MOVED, "bytes-moved"
            if kind and cell.factor >= wanted:
                words = f"{name}: {cell.name} {_arrow(cell.before, cell.after, cell.unit)}"
                moved.append((cell.factor, Effect(kind, words, *ids, worse, match.confidence)))
        before, after = working(one), working(two)
        if before is not None and after is not None and abs(after - before) >= LEAST_TIME:
            ratio = max(before, after, 1.0) / max(min(before, after), 1.0)
            if ratio >= _MOVED:
                words = f"{name}: works {_arrow(before, after, 'ms')}"
                moved.append((ratio, Effect("time-moved", words, *ids, after > before, match.confidence)))
    for _, effect in sorted(moved, key=lambda pair: -pair[0]):
        yield effect


def _arrow(before: float | None, after: float | None, unit: Unit) -> str:
    return f"{number_words(before, unit)} → {number_words(after, unit)}"
