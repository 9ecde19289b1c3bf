"""What the lines of a text's physical joins say of the joins of its optimized plan."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planviz.graph import PlanGraph
from planviz.logical.combining import Join
from planviz.logical.plan import LogicalPlan
from planviz.physical.strategies.keys import equi_join, null_aware_anti_join
from planviz.replay.opaque import nodes_of

_JOINS = ("BroadcastHashJoin", "ShuffledHashJoin", "SortMergeJoin", "CartesianProduct", "BroadcastNestedLoopJoin")
_SIDES = re.compile(r"\bBuild(Left|Right)\b")
_ID = re.compile(r"#\d+L?")
#: A line of a join: its operator, the side that it builds (or nothing), its text.
_Line = tuple[str, str, str]


@dataclass
class Wanted:
    """A join of the optimized plan and the operators and build sides that the text gives it, in the text's order."""

    join: Join
    signature: str
    choices: tuple[tuple[str, str], ...]


def joins_in(physical: PlanGraph | None) -> list[str]:
    """The lines of the joins of a physical plan."""
    return [n.text for n in physical if n.op in _JOINS] if physical is not None else []


def wanted_joins(plan: LogicalPlan, texts: Sequence[str]) -> list[Wanted]:
    """The joins of an optimized plan with what the lines of physical ones say of them."""
    found, lines = [], JoinLines(texts)
    for node in nodes_of(plan):
        if not isinstance(node, Join):
            continue
        signature, keyed = signature_of(node)
        choices = tuple(_choices(lines.holding(signature), signature, keyed, node))
        if choices:
            found.append(Wanted(node, signature, choices))
    return found


def signature_of(join: Join) -> tuple[str, bool]:
    """What the line of a physical join holds: keys and type, else the condition; and whether there are keys."""
    keys = equi_join(join) or null_aware_anti_join(join)
    if keys is None:
        return str(join.condition) if join.condition is not None else "", False
    sides = (", ".join(map(str, side)) for side in (keys.left, keys.right))
    left, right = sides
    kind = f"ExistenceJoin({join.exists})" if join.kind == "ExistenceJoin" else join.kind
    return f"[{left}], [{right}], {kind}", True


class JoinLines:
    """The lines of joins, by the ids that stand in them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.lines: list[_Line] = []
        self.by_id: dict[str, list[_Line]] = {}
        for text in texts:
            op, side = re.match(r"\w+", text), _SIDES.search(text)
            if op is None:
                continue
            line = (op.group(), side.group() if side else "", text)
            self.lines.append(line)
            for found in set(_ID.findall(text)):
                self.by_id.setdefault(found, []).append(line)

    def holding(self, signature: str) -> Sequence[_Line]:
        """The lines that may hold a signature, in their order: those with the rarest of its ids."""
        return min((self.by_id.get(i, []) for i in _ID.findall(signature)), key=len, default=self.lines)


def _choices(lines: Sequence[_Line], signature: str, keyed: bool, join: Join) -> Iterator[tuple[str, str]]:
    seen = set()
    for op, side, text in lines:
        if keyed and signature not in text:
            continue
        if not keyed and (op not in _JOINS[3:] or not text.rstrip().endswith(signature)):
            continue
        if not keyed and op == "BroadcastNestedLoopJoin" and f", {join.kind}" not in text:
            continue
        if (op, side) not in seen:
            seen.add((op, side))
            yield op, side
