"""What a difference of two plans means for their scans, which are paired by their tables."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence

from planviz.graph.alignment import without_expression_ids
from planviz.graph.diff import PlanDiff
from planviz.graph.effect import Effect, listed, plain
from planviz.graph.kinds import spark_name
from planviz.graph.node import PlanNode
from planviz.graph.words import clean, title

_CALLED = re.compile(r"(\w+)\(([\w.`]+), ?(?![\w.`]+\().*\)")
_COMPARED = re.compile(r"\(?([\w.`]+ )([<>=!]+) [^()#]*\)?")


def table_name(scan: PlanNode) -> str:
    """The last part of the name of a scan's table, or the scan's title where it has none."""
    name = str(scan.arguments.get("table") or "").rpartition(".")[2].strip("`")
    return clean(name, 80) or title(scan)


def scan_effects(found: PlanDiff, handled: set[int]) -> Iterator[Effect]:
    """The effects on scans; the ids before of the scans that they tell of are added to `handled`."""
    pairs: list[tuple[PlanNode, PlanNode, float]] = []
    ours = {node.id: node for node in found.before if node.kind == "scan"}
    theirs = {node.id: node for node in found.after if node.kind == "scan"}
    for match in found.matches:
        one, two = ours.get(match.before), theirs.get(match.after)
        if one is not None and two is not None and table_name(one) == table_name(two):
            pairs.append((one, two, match.confidence))
            del ours[one.id], theirs[two.id]
    waiting: defaultdict[str, list[PlanNode]] = defaultdict(list)
    for node in reversed(list(theirs.values())):
        waiting[table_name(node)].append(node)
    for node in list(ours.values()):
        if waiting[table_name(node)]:
            other = waiting[table_name(node)].pop()
            pairs.append((node, other, 0.7))
            del ours[node.id], theirs[other.id]
    read = {table_name(one) for one, _, _ in pairs}
    for one, two, confidence in pairs:
        handled.add(one.id)
        if one.text != two.text:
            yield from _scan(one, two, confidence, found.literals)
    for node in ours.values():
        handled.add(node.id)
        words = (
            f"Read once less: {table_name(node)}" if table_name(node) in read else f"No longer read: {table_name(node)}"
        )
        yield Effect("scan-removed", words, (node.id,), (), False)
    for node in theirs.values():
        words = (
            f"Read once more: {table_name(node)}" if table_name(node) in read else f"Read as well: {table_name(node)}"
        )
        yield Effect("scan-added", words, (), (node.id,), True)


def _scan(one: PlanNode, two: PlanNode, confidence: float, literals: Collection[str]) -> Iterator[Effect]:
    ids, name = ((one.id,), (two.id,)), table_name(two)
    if spark_name(one.op) != spark_name(two.op) or one.arguments.get("format") != two.arguments.get("format"):
        mine, theirs = (f"{node.op} {node.arguments.get('format') or ''}".strip() for node in (one, two))
        yield Effect("scan-changed", f"{name}: {mine} → {theirs}", *ids, None, confidence)
    cut = "truncated" in one.badges or "truncated" in two.badges
    if not cut:
        less, more = _other(one, two, ("output",), _column)
        if more:
            yield Effect("scan-widened", f"{name}: reads {listed(more)} as well", *ids, True, confidence)
        if less:
            yield Effect("scan-narrowed", f"{name}: no longer reads {listed(less)}", *ids, False, confidence)
    for parts, kind, what in (
        (("partition_filters",), "partition-filter", "filter on partitions"),
        (("pushed_filters", "filters"), "scan-filter", "pushed filter"),
    ):
        less, more = _other(one, two, parts, lambda text: clean(without_expression_ids(text, literals), 160))
        less, more, same = _of_one_form(less, more)
        if same and not cut:
            words = listed([f"{a} → {b}" for a, b in same], 3)
            yield Effect(f"{kind}-changed", f"{name}: another constant in the {what} {words}", *ids, None, confidence)
        if less and not cut:
            yield Effect(f"{kind}-lost", f"{name}: lost the {what} {listed(less, 3)}", *ids, True, confidence)
        if more and not cut:
            yield Effect(f"{kind}-gained", f"{name}: gained the {what} {listed(more, 3)}", *ids, False, confidence)


def _of_one_form(less: Sequence[str], more: Sequence[str]) -> tuple[list[str], list[str], list[tuple[str, str]]]:
    """What is left of filters on both sides without pairs that compare a column alike with different constants."""
    left: list[str] = []
    pairs: list[tuple[str, str]] = []
    waiting: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for text in more:
        waiting[_form(text)].append(text)
    for text in less:
        others = waiting[_form(text)]
        if others:
            pairs.append((text, others.pop(0)))
        else:
            left.append(text)
    taken = Counter(b for _, b in pairs)
    return left, list((Counter(more) - taken).elements()), pairs


def _form(text: str) -> tuple[str, ...]:
    """How a filter compares which column, without the constant: `LessThan(d,5)` and `(d < 5)`; else all of it."""
    found = _CALLED.fullmatch(text) or _COMPARED.fullmatch(text)
    return (found[1], found[2]) if found else (text,)


def _column(text: str) -> str:
    return plain(text).partition(" AS ")[0]


def _other(
    one: PlanNode, two: PlanNode, parts: Sequence[str], read: Callable[[str], str]
) -> tuple[list[str], list[str]]:
    """Entries of lists that only the one scan has, and only the other; nothing where either tells no such part, or
    Spark cut its text (`PushedFilters: [IsNotNull(k), GreaterTh...`)."""
    sides = []
    for node in (one, two):
        values = [node.arguments[part] for part in parts if isinstance(node.arguments.get(part), list)]
        if not values or any(str(value[-1]).endswith("...") for value in values if value):
            return [], []
        sides.append(Counter(read(entry) for value in values for entry in value if not str(entry).startswith("...")))
    return list(sides[0] - sides[1]), list(sides[1] - sides[0])
