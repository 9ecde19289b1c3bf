"""Aggregates: by sorting, with objects, on rows written out several times."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from planviz.findings.finding import Check, Hit, Severity, Stake
from planviz.findings.plan_view import LOOSE, PASSING, PlanView, count, ids, listed, short
from planviz.graph.differences import conjuncts
from planviz.graph.kinds import is_exchange
from planviz.graph.node import PlanNode
from planviz.units import byte_size, exact

#: Groups of a task from which on it sorts (`spark.sql.objectHashAggregate.sortBased.fallbackThreshold`).
OBJECT_GROUPS = 128
_FEW_SETS = 4
#: Functions whose buffers have a fixed length whatever they read: then the keys are why it must sort.
_FIXED = frozenset({"count", "sum", "avg", "stddev_samp", "var_samp", "bool_and", "bool_or"})
_OF_KEYS = "Group by a key that compares byte by byte: texts under a collation, floats or nested values may not."
#: A column that stands for those that a program's text does not tell, `<args.columns>`; its type is a guess.
_UNTOLD = re.compile(r"(?<!\w)<[A-Za-z_][^<>\n]{0,70}>")
#: Conditions that only the first row of a group meets.
_FIRST = re.compile(r"\(?[\w.`]+#\d+L? (?:= 1|<= 1|< 2)\)?")
#: Different PARTITION BY of windows one above the other that are worth a word.
MANY_SPECS = 3


def _functions(node: PlanNode) -> list[str]:
    """The functions of an aggregate by name, without the words of its stages."""
    names = [re.match(r"(?:partial_|merge_|finalmerge_)?(\w+)", f.get("text", "")) for f in _listed(node)]
    return list(dict.fromkeys(n[1] for n in names if n))


def _listed(node: PlanNode) -> list[dict[str, str]]:
    return [f for f in node.arguments.get("functions") or () if isinstance(f, dict)]


def _keys(node: PlanNode, plan: PlanView) -> str:
    """The keys of an aggregate."""
    return _named(node.arguments.get("keys") or (), plan)


def _named(keys: Iterable[object], plan: PlanView) -> str:
    """Some keys in words; what PullOutGroupingExpressions named, by its expression."""
    told = [str(key) for key in keys]
    names = plan.names if any(key.startswith("_") for key in told) else {}
    return listed([short(names.get(key, key), 40) for key in told], 3)


class SortAggregate(Check):
    """An aggregate that must sort its rows, because a buffer cannot be changed in place in a hash map."""

    name = "sort-aggregate"
    title = "Aggregate by sorting"
    severity = "warning"
    why = "The rows are sorted before they are aggregated, once per stage; a hash map would pass over them once."
    advice = (
        "Aggregate what has a fixed length (a number in place of a text for min, max, first), or join the text later."
    )
    cost = "One more join for the text, or none."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            below = plan.input(node)
            if node.op != "SortAggregate" or not node.arguments.get("keys") or below is None or below.op != "Sort":
                continue
            if "truncated" in node.badges or node.id in plan.foreign:
                continue
            if any(_UNTOLD.search(f.get("text", "")) for f in _listed(node)):
                continue  # nobody knows the type that decides
            rows = plan.rows(below)
            amount = f" of {count(rows[0], 'row')}" if rows else ""
            told = f"SortAggregate by {_keys(node, plan)} sorts{amount} for "
            told += f"{count(len(_functions(node)), 'function')} ({listed(_functions(node)) or 'none'})."
            stake = Stake(rows[0], "rows", rows[1]) if rows else None
            advice = _OF_KEYS if set(_functions(node)) <= _FIXED else ""
            yield Hit(told, (node.id, below.id), f"{_keys(node, plan)} {_functions(node)}", advice=advice, stake=stake)


class ObjectHashAggregate(Check):
    """An aggregate with keys whose buffers are objects: it hashes up to 128 groups in a task, then sorts."""

    name = "object-hash-aggregate"
    title = "Aggregate with objects as buffers"
    why = "After 128 groups in a task it gives up its hash map and sorts all further rows; "
    why += "the buffers live on the Java heap."
    advice = "Raise spark.sql.objectHashAggregate.sortBased.fallbackThreshold, if memory allows, where groups are many."
    cost = "Heap for that many buffers in each task."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.op != "ObjectHashAggregate" or node.id in plan.foreign or not node.arguments.get("keys"):
                continue
            fell = plan.metric(node, "number of sort fallback tasks")
            told = f"{listed(_functions(node)) or 'Its functions'} by {_keys(node, plan)}"
            cause = f"{sorted(_functions(node))}"
            if fell is not None and fell.total:
                told = f"{count(fell.total, 'task')} gave up the hash map and sorted: {told}."
                yield Hit(told, (node.id,), cause, "warning")
            elif fell is None:
                yield Hit(f"{told}: a hash map for {OBJECT_GROUPS} groups in a task.", (node.id,), cause)


class DistinctExpand(Check):
    """Several DISTINCT aggregates: every row is written out once for each set of distinct columns."""

    name = "distinct-expand"
    title = "Several DISTINCT multiply the rows"
    severity = "warning"
    why = "All copies of a row are grouped by the distinct columns and shuffled, before anything is counted."
    advice = (
        "Use approx_count_distinct where near is good enough, or count each DISTINCT in a query of its own and join."
    )
    cost = "An error of about 5 %, or a second pass over the table."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node, times, output in _expands(plan):
            if not any(re.match(r"gid#", name) for name in output):
                continue
            rows = plan.rows(plan.inputs(node)[0]) if plan.inputs(node) else None
            amount = f": {exact(rows[0])} become {exact(rows[0] * times)}" if rows else ""
            told = f"Expand writes every row {times} times, once per set of distinct columns{amount}."
            stake = Stake(rows[0] * times, "rows", rows[1]) if rows else None
            yield Hit(told, (node.id,), severity="info" if times < 3 else None, stake=stake)


class GroupingSetsExpand(Check):
    """CUBE, ROLLUP or GROUPING SETS of four sets or more."""

    name = "grouping-sets-expand"
    title = "Grouping sets multiply the rows"
    why = "Every row is written out once for each set before it is aggregated."
    advice = "Aggregate by all keys first and take CUBE or ROLLUP of that, where sums and counts allow it."
    cost = "One aggregate more, on far fewer rows; averages and DISTINCT cannot be built up so."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node, times, output in _expands(plan):
            if times < _FEW_SETS or not any(name.startswith("spark_grouping_id") for name in output):
                continue
            below = plan.below(node)
            if below is not None and (below.kind == "aggregate" or below.op == "Union" or plan.one_row(below)):
                continue
            rows = plan.rows(plan.inputs(node)[0]) if plan.inputs(node) else None
            amount = f": {exact(rows[0])} become {exact(rows[0] * times)}" if rows else ""
            told = f"Expand writes every row {times} times, once per grouping set{amount}."
            yield Hit(told, (node.id,), stake=Stake(rows[0] * times, "rows", rows[1]) if rows else None)


def _expands(plan: PlanView) -> Iterator[tuple[PlanNode, int, list[str]]]:
    for node in plan.nodes:
        if node.op.endswith("Expand"):
            times = len(node.arguments.get("projections") or ())
            if times > 1:
                yield node, times, [str(name) for name in node.arguments.get("output") or ()]


class CountDistinct(Check):
    """One DISTINCT aggregate: the rows are grouped and shuffled by the distinct column before they are counted."""

    name = "count-distinct"
    title = "Count of distinct values"
    why = "Every distinct value of every group is shuffled, where a plain count shuffles one number for each group."
    advice = "Use approx_count_distinct where near is good enough: it sends one sketch for each group and task."
    cost = "An error of about 5 %, or less with its second argument."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.kind != "aggregate" or "truncated" in node.badges:
                continue
            counted = [f for f in _listed(node) if f.get("distinct") and f.get("mode") in ("final", "complete")]
            counted = [f for f in counted if f["text"].startswith("count(distinct")]
            shuffles = _aggregated_below(plan, node)
            if not counted or len(shuffles) < 2:
                continue  # Its rows came distributed already.
            keys = shuffles[-1].arguments.get("partition_keys") or ()
            rows = plan.rows(shuffles[-1])
            amount = f", {plan.rows_words(shuffles[-1])} of them" if rows else ""
            told = f"{short(counted[0]['text'], 50)}: {count(len(shuffles), 'shuffle')}, the first of the distinct "
            told += f"combinations of {_named(keys, plan) or 'its columns'}{amount}."
            stake = Stake(rows[0], "rows", rows[1]) if rows else None
            yield Hit(told, (node.id, shuffles[-1].id), cause=short(counted[0]["text"]), stake=stake)


def _aggregated_below(plan: PlanView, node: PlanNode) -> list[PlanNode]:
    """The exchanges between the stages of an aggregate, from above; empty where rows are multiplied for it."""
    found, down = [], plan.input(node)
    while down is not None and (down.kind in ("aggregate", "exchange") or down.op in PASSING):
        if down.op.endswith("Expand"):
            return []
        if is_exchange(down.op):
            found.append(down)
        down = plan.input(down)
    return found


class UnionDistinct(Check):
    """UNION that removes duplicates: all columns of all inputs are grouped by."""

    name = "union-distinct"
    title = "UNION removes duplicates"
    why = "All rows of all inputs are hashed and shuffled by all their columns; UNION ALL only puts them together."
    advice = "Write UNION ALL, if the inputs share no rows or a row may come twice."
    cost = "None where no row is in two inputs or twice in one; else the result has it as often as they have."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.kind != "aggregate" or node.arguments.get("functions") != [] or "truncated" in node.badges:
                continue
            shuffles, union = _aggregated_below(plan, node), _below_aggregates(plan, node)
            if not shuffles or union is None or union.op != "Union":
                continue
            keys, width = len(node.arguments.get("keys") or ()), _width(plan, plan.inputs(union)[:1])
            if keys and keys == width:
                rows = plan.rows(shuffles[-1])
                told = f"{count(len(plan.inputs(union)), 'input')} are made distinct by {count(keys, 'column')}"
                told += f", {exact(rows[0])} rows shuffled." if rows else ", in 1 shuffle."
                stake = Stake(rows[0], "rows", rows[1]) if rows else None
                yield Hit(told, (node.id, union.id), stake=stake)


def _below_aggregates(plan: PlanView, node: PlanNode) -> PlanNode | None:
    down = plan.input(node)
    while down is not None and (down.kind in ("aggregate", "exchange") or down.op in PASSING - {"Project"}):
        down = plan.input(down)
    return down


def _width(plan: PlanView, inputs: list[PlanNode]) -> int | None:
    """The columns of an input of a union; None where its text does not list them."""
    down = inputs[0] if inputs else None
    while down is not None and down.op in LOOSE - {"Project"}:
        down = plan.input(down)
    if down is None or "truncated" in down.badges:
        return None
    if down.op == "Project":
        return len(down.arguments.get("project_list") or ()) or None
    return len(down.arguments.get("output") or ()) or None if down.kind == "scan" else None


class FirstRowByWindow(Check):
    """`row_number() = 1` over a window without a WindowGroupLimit below: all rows are sorted to keep one a group."""

    name = "first-row-by-window"
    title = "One row a group by a window"
    why = "All rows are shuffled and sorted, and all but the first of each group are dropped only then."
    advice = (
        "Since Spark 3.5 the rows are dropped before the shuffle; before, GROUP BY the same keys and take max_by or "
    )
    advice += "min_by of a struct of the columns: it keeps one row a group in each task."
    cost = "A struct to pack and unpack; among equal rows another one may win."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            window = plan.below(node) if node.op == "Filter" else None
            if window is None or window.op != "Window" or "truncated" in window.badges:
                continue
            if not window.arguments.get("partition_spec") or any(
                "WindowGroupLimit" in n.op for n in plan.walk(window) if n.depth - window.depth < 8
            ):
                continue
            numbered = [
                found[1]
                for e in window.arguments.get("window_expressions") or ()
                if str(e).startswith("row_number()") and (found := re.search(r"#(\d+)L?$", str(e)))
            ]
            parts = conjuncts(str(node.arguments.get("condition", "")))
            if any(_FIRST.fullmatch(part) and ids(part) & set(numbered) for part in parts):
                rows = plan.rows(window) or next(map(plan.rows, plan.inputs(window)), None)
                amount = f"{exact(rows[0])} rows" if rows else f"all rows of {listed(plan.tables(window), 3) or 'it'}"
                spec = listed([short(k, 40) for k in window.arguments["partition_spec"]], 3)
                told = f"{amount} are sorted to keep 1 for each {spec}."
                stake = Stake(rows[0], "rows", rows[1]) if rows else None
                yield Hit(f"{told[0].upper()}{told[1:]}", (window.id, node.id), stake=stake)


class AggregateSpill(Check):
    """An aggregate, a sort or a window that was measured to write to disk because memory ran out."""

    name = "spill"
    title = "Spilled to disk"
    severity = "warning"
    why = "What does not fit the memory of a task is sorted, written to disk and merged again."
    advice = "Use more and smaller partitions (spark.sql.shuffle.partitions), fewer columns, or more memory per core."
    cost = "More tasks, or larger executors."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            value = plan.metric(node, "spill size")
            if value is None or value.total <= 0:
                continue
            largest = f", {byte_size(value.largest)} in one task" if value.largest is not None else ""
            told = f"{node.op} spilled {byte_size(value.total)}{largest}."
            yield Hit(told, (node.id,), stake=Stake(value.total, "bytes", True), severity=_grave(value.total))


def _grave(bytes: float) -> Severity | None:
    return "problem" if bytes >= 10 << 30 else None


class WindowsDiffer(Check):
    """Windows of three different PARTITION BY or more in one query, each with a shuffle and a sort of its own."""

    name = "windows-differ"
    title = "Windows with different PARTITION BY"
    why = "Each other PARTITION BY needs its own shuffle and sort of all rows."
    advice = "Compute what can share a PARTITION BY together, or aggregate first and join the results."
    cost = "A rewrite of the windows."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        longest: list[PlanNode] = []
        for node in plan.nodes:
            if (spec := _shuffled_for(plan, node)) is None:
                continue
            specs = {spec: node}
            for up in plan.above(node):
                if (other := _shuffled_for(plan, up)) is not None:
                    specs.setdefault(other, up)
                elif up.kind == "join":
                    break  # Above a join the rows are others.
            longest = max(longest, list(specs.values()), key=len)
        if len(longest) >= MANY_SPECS:
            keys = [f"({', '.join(map(short, n.arguments['partition_spec']))})" for n in longest]
            told = f"{len(longest)} different PARTITION BY one above the other: {listed(keys, 3)}."
            yield Hit(told, tuple(n.id for n in longest))


def _shuffled_for(plan: PlanView, node: PlanNode) -> str | None:
    """The PARTITION BY of a window right above an exchange; None for what is none."""
    if node.kind != "window" or node.op == "WindowGroupLimit" or not node.arguments.get("partition_spec"):
        return None
    below = plan.below(node, PASSING)
    if below is None or below.kind != "exchange":
        return None
    return ", ".join(short(k) for k in node.arguments["partition_spec"])
