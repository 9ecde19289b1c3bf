"""How two plans of one query differ, in words: what counts most stands first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from planviz.graph import PlanGraph, PlanNode
from planviz.graph.alignment import without_numbers
from planviz.graph.diff import Match, PlanDiff, diff
from planviz.graph.differences import Change
from planviz.graph.words import title

#: Kinds of operators in the order in which a change of them matters; all others come after.
_ORDER = ("join", "scan", "exchange", "aggregate", "window", "sort", "filter")
#: What stands in a plan because of how it ran, and says nothing about what it does.
_FRAME = frozenset(
    {"AdaptiveSparkPlan", "ShuffleQueryStage", "BroadcastQueryStage", "ResultQueryStage", "TableCacheQueryStage",
     "AQEShuffleRead", "InputAdapter", "ColumnarToRow", "WholeStageCodegen"}
)  # fmt: skip
#: Parts of an operator that are others in every run, or in every version of Spark; the operator itself is told by name.
_UNTOLD = frozenset({"location", "refresh", "details", "operator"})
#: Changes of one operator that are told, and lines altogether.
_PARTS, _LINES = 2, 12


def in_words(before: PlanGraph, after: PlanGraph) -> list[str]:
    """Lines such as `SortMergeJoin became BroadcastHashJoin` and `no longer there: 2 Exchange`; empty: no difference.

    Expression ids, plan ids and changes in numbers alone are no difference.
    """
    found = diff(before, after)
    joins = _joins(found)
    changed = [match for match in found.changed if not _frame(found.before[match.before])]
    changed.sort(key=lambda match: _rank(found.before[match.before]))
    others = [match for match in changed if not _other_strategy(found, match)]
    told = _became(joins) + _counted_lines(found, [match for match in changed if _other_strategy(found, match)])
    told += _counted("no longer there", _gone(found.before, found.removed, joins[0]))
    told += _counted("new", _gone(found.after, found.inserted, joins[1]))
    told += _counted_lines(found, others)
    moved = [found.before[match.before].op for match in found.moved if not _frame(found.before[match.before])]
    told += _counted("elsewhere", Counter(moved))
    return told[:_LINES] + ([f"and {len(told) - _LINES} more"] if len(told) > _LINES else [])


def _joins(found: PlanDiff) -> tuple[list[PlanNode], list[PlanNode]]:
    """Joins that are gone and those that are new; as many as have a partner are the same join by another strategy."""
    gone = [found.before[id] for id in found.removed if found.before[id].kind == "join"]
    new = [found.after[id] for id in found.inserted if found.after[id].kind == "join"]
    several = min(len(gone), len(new))
    return gone[:several], new[:several]


def _became(joins: tuple[list[PlanNode], list[PlanNode]]) -> list[str]:
    pairs = Counter((one.op, two.op) for one, two in zip(*joins, strict=True) if one.op != two.op)
    return [f"{one} became {two}" + (f", {count} times" if count > 1 else "") for (one, two), count in pairs.items()]


def _gone(plan: PlanGraph, ids: Iterable[int], told: list[PlanNode]) -> Counter[str]:
    nodes = [plan[id] for id in ids if not _frame(plan[id]) and plan[id] not in told]
    return Counter(node.op for node in sorted(nodes, key=_rank))


def _counted(words: str, ops: Counter[str]) -> list[str]:
    return [f"{words}: {', '.join(f'{count} {op}' for op, count in ops.items())}"] if ops else []


def _other_strategy(found: PlanDiff, match: Match) -> bool:
    one, two = found.before[match.before], found.after[match.after]
    return one.kind == "join" and one.op != two.op


def _counted_lines(found: PlanDiff, matches: list[Match]) -> list[str]:
    said = Counter(line for match in matches if (line := _changed(found, match)))
    return [line + (f" ({count} times)" if count > 1 else "") for line, count in said.items()]


def _changed(found: PlanDiff, match: Match) -> str:
    """What is different about one operator; "" when it is only where files lie, numbers, or what Spark adds in text."""
    one, two = found.before[match.before], found.after[match.after]
    parts = [change for change in match.changes if change.part not in _UNTOLD and not _only_numbers(change)]
    more = len(parts) - _PARTS
    said = "; ".join(map(str, parts[:_PARTS])) + (f"; {more} more" if more > 0 else "")
    name = title(one) if one.op == two.op else f"{one.op} became {two.op}"
    return f"{name}: {said}" if said else name if one.op != two.op else ""


def _only_numbers(change: Change) -> bool:
    one, arrow, two = change.text.partition(" → ")
    return bool(arrow) and without_numbers(one) == without_numbers(two)


def _rank(node: PlanNode) -> int:
    return _ORDER.index(node.kind) if node.kind in _ORDER else len(_ORDER)


def _frame(node: PlanNode) -> bool:
    return node.op in _FRAME
