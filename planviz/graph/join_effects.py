"""What a difference of two plans means for their joins, which are paired by their conditions and tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from planviz.graph.diff import PlanDiff
from planviz.graph.effect import Effect, listed, ranks_lower
from planviz.graph.join_pairs import JoinFacts, join_order, paired_joins, table_words
from planviz.graph.kinds import spark_name
from planviz.graph.words import clean, join_type_words, title

#: How an operator for a join ranks: the lower the less it moves or compares.
_JOINS = ("BroadcastHashJoin", "ShuffledHashJoin", "SortMergeJoin", "BroadcastNestedLoopJoin", "CartesianProduct")


def join_effects(found: PlanDiff, handled: set[int]) -> Iterator[Effect]:
    """The effects on joins; the ids before of the joins that they tell of are added to `handled`."""
    aligned = {match.before: match.after for match in found.matches}
    sure = {(match.before, match.after): match.confidence for match in found.matches}
    pairs, gone, new = paired_joins(found.before, found.after, aligned)
    one, two = _other_orders(join_order(found.before), join_order(found.after))
    if one != two and not gone and not new and _tables(one) == _tables(two) and one and two:
        words = f"Join order: {clean(one, 400)} → {clean(two, 400)}"
        yield Effect("join-order", words, _ids(p[0] for p in pairs), _ids(p[1] for p in pairs))
    for before, after in pairs:
        handled.add(before.node.id)
        known = (before.keys == after.keys) + (before.tables == after.tables)
        confidence = max(sure.get((before.node.id, after.node.id), 0.5), (0.0, 0.9, 0.98)[known])
        ids = ((before.node.id,), (after.node.id,))
        name = clean(after.words, 160)
        mine, theirs = spark_name(before.node.op), spark_name(after.node.op)
        if mine != theirs:
            yield Effect("join-strategy", f"Join on {name}: {mine} → {theirs}{_builds(after)}", *ids,
                         ranks_lower(_JOINS, mine, theirs), confidence)  # fmt: skip
        elif before.built is not None and after.built is not None and before.built != after.built:
            yield Effect("build-side", f"Join on {name}: builds {_built(after)} instead of {_built(before)}",
                         *ids, None, confidence)  # fmt: skip
        types = [join_type_words(str(join.node.arguments.get("join_type", ""))) for join in (before, after)]
        if types[0] != types[1] and all(types):
            yield Effect("join-type", f"Join on {name}: {types[0]} → {types[1]}", *ids, None, confidence)
        if bool(before.node.arguments.get("skew")) != bool(after.node.arguments.get("skew")):
            now = (
                "splits skewed partitions" if after.node.arguments.get("skew") else "no longer splits skewed partitions"
            )
            yield Effect("operator-changed", f"Join on {name}: {now}", *ids, None, confidence)
        if before.keys != after.keys and before.keys and after.keys:
            less, more = sorted(before.keys - after.keys), sorted(after.keys - before.keys)
            words = "; ".join(f"{sign} {listed(some, 3)}" for sign, some in (("−", less), ("+", more)) if some)
            yield Effect("operator-changed", f"Join of {table_words(after.tables)}: condition {clean(words, 300)}",
                         *ids, None, confidence)  # fmt: skip
    for join in gone:
        yield Effect("join-removed", f"No longer joined: {_joined(join)}", (join.node.id,), (), False)
    for join in new:
        yield Effect("join-added", f"New join: {_joined(join)}", (), (join.node.id,), True)


def _other_orders(before: str, after: str) -> tuple[str, str]:
    """The orders without those of the parts that both plans join alike."""
    one, two = before.split("; "), after.split("; ")
    mine, theirs = Counter(one) - Counter(two), Counter(two) - Counter(one)
    return "; ".join(mine.elements()), "; ".join(theirs.elements())


def _tables(order: str) -> list[str]:
    return sorted(re.findall(r"[^()\[\],⋈;]+", order.replace(" ", "")))


def _ids(joins: Iterable[JoinFacts]) -> tuple[int, ...]:
    return tuple(join.node.id for join in joins)


def _joined(join: JoinFacts) -> str:
    return f"{clean(join.words, 200)} ({title(join.node)})"


def _built(join: JoinFacts) -> str:
    return table_words(join.built) if join.built else f"its {join.node.arguments.get('build_side')} input"


def _builds(join: JoinFacts) -> str:
    return f", builds {_built(join)}" if join.built else ""
