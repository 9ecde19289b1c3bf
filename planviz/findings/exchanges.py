"""Exchanges: rows in one place, moved twice, moved equally, in too many or too few parts; adaptive execution."""

from __future__ import annotations

from collections.abc import Iterator

from planviz.findings.finding import Check, Hit, Stake
from planviz.findings.plan_view import LITERAL_ROWS, LOOSE, PASSING, SHUFFLES, PlanView, columns, count, listed, short
from planviz.graph.node import PlanNode
from planviz.units import byte_size

#: More shuffles than this in one plan are worth a word.
MANY_SHUFFLES = 10
#: From how many columns on a row is wide.
MANY_COLUMNS = 50
#: A product moves all rows anyway; a broadcast join that reads an exchange, in Databricks, fetches it to every task.
_FETCHING = frozenset({"CartesianProduct", "Offset", "BroadcastHashJoin", "BroadcastNestedLoopJoin"})
#: Spark's aggregates, all of whose functions can be computed in two stages.
_IN_TWO_STAGES = frozenset({"HashAggregate", "ObjectHashAggregate", "SortAggregate"})
_SMALL = LITERAL_ROWS | {"Range"}
_UDF = ("udf(", "UDF(", "pythonUDF")


class SinglePartition(Check):
    """An exchange that sends all rows to one partition, unless an aggregate or a limit left few of them."""

    name = "single-partition"
    title = "All rows in one partition"
    severity = "warning"
    why = "A single task does all the work from here on, and must sort or hold all rows."
    advice = "Give the operator above a key to distribute by, or take the repartition(1) away."
    cost = "Several files or partitions in place of one."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.op not in SHUFFLES or node.arguments.get("partitioning_kind") != "single":
                continue
            below = plan.below(node, LOOSE)
            if below is None or _few(plan, below):
                continue
            above = plan.first_above(node, LOOSE)
            if above is not None and (above.kind in ("window", "limit") or above.op in _FETCHING):
                continue
            # Before the one partition Spark always aggregates once: an author has left those stages out.
            if above is not None and above.op in _IN_TWO_STAGES:
                continue
            rows = plan.size(node)
            amount = f", {byte_size(rows)}" if rows is not None and rows < 1 << 60 else ""
            told = f"1 partition for the rows of {listed(plan.tables(node)) or short(below.op)}{amount}"
            if str(node.arguments.get("origin", "")).startswith("REPARTITION"):
                yield Hit(f"{told}, as repartition(1) or a hint asks.", (node.id,), severity="info")
            elif plan.streaming:
                continue
            else:
                yield Hit(f"{told}{f', for {above.op}' if above is not None else ''}.", (node.id,))


def _few(plan: PlanView, below: PlanNode) -> bool:
    if "truncated" in below.badges or below.op.endswith("..."):
        return True  # What it is was cut off.
    if below.kind in ("aggregate", "limit", "command") or below.op in _SMALL or plan.one_row(below):
        return True
    rows = plan.rows(below)
    return below.arguments.get("partitioning_kind") == "single" or (rows is not None and rows[0] < 100_000)


class WindowWithoutPartition(Check):
    """A window without PARTITION BY over more than a few rows."""

    name = "window-without-partition"
    title = "Window without PARTITION BY"
    severity = "warning"
    why = "All rows go to a single task, which sorts and holds them; Spark warns of it in its log, too."
    advice = "Partition the window by a column, or number the rows by zipWithIndex or monotonically_increasing_id()."
    cost = "Numbers are no longer consecutive over all rows."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.kind != "window" or node.op == "WindowGroupLimit" or "truncated" in node.badges:
                continue
            exchange = plan.below(node, LOOSE)
            if exchange is None or exchange.arguments.get("partitioning_kind") != "single":
                continue
            below = plan.below(exchange, LOOSE)
            if below is None or _few(plan, below):
                continue
            rows = plan.rows(exchange)
            amount = f" ({count(rows[0], 'row')})" if rows is not None else ""
            told = f"1 task gets all rows of {listed(plan.tables(node)) or short(below.op)}{amount}."
            yield Hit(told, (node.id, exchange.id), cause=str(exchange.id))


class CoalesceToOne(Check):
    """coalesce(1): no exchange, so all that is beneath runs in one task."""

    name = "coalesce-to-one"
    title = "coalesce(1) makes one task of the stage"
    severity = "warning"
    why = "coalesce shuffles nothing, so reading, filtering and joining of its stage run in one task, "
    why += "too, not only writing."
    advice = "Use repartition(1), if one file is wanted: the work before it stays parallel; or leave several files."
    cost = "One shuffle of the result."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.op != "Coalesce" or node.arguments.get("partitions") != 1:
                continue
            inside = self._stage(plan, node)
            below = plan.below(node, LOOSE)
            if below is not None and not _few(plan, below):
                tables = listed(plan.tables(node)) or short(below.op)
                yield Hit(f"{count(len(inside), 'operator')} beneath, over {tables}, run in 1 task.", (node.id,))

    def _stage(self, plan: PlanView, node: PlanNode) -> list[PlanNode]:
        found, stack = [], plan.inputs(node)
        while stack:
            one = stack.pop()
            if one.kind != "exchange":
                found.append(one)
                stack += plan.inputs(one)
        return found


class RepartitionLost(Check):
    """A repartition that the query asks for, right below another exchange, and that nothing else reads."""

    name = "repartition-lost"
    title = "Repartition without effect"
    severity = "warning"
    why = "The next exchange spreads the rows anew, so the asked-for one moved them for nothing."
    advice = "Take the repartition away, or repartition by the keys of the operator above, so that it needs no other."
    cost = "None, unless it was there to spread an expensive function over more tasks."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        read_again = {link.target for link in plan.graph.links() if link.type == "reuse"}
        for node in plan.nodes:
            if node.op not in SHUFFLES or node.id in read_again or not (_asked(node) or _asked_before(node)):
                continue
            between: list[PlanNode] = []
            for up in plan.above(node):
                if up.op in SHUFFLES or up.op == "BroadcastExchange":
                    if not _asked(node) and (up.op == "BroadcastExchange" or any(n.op == "Sort" for n in between)):
                        break
                    if not any(word in n.text for n in between for word in _UDF) and not _asked(up):
                        size = plan.size(node)
                        amount = f", {byte_size(size)}" if size is not None and size < 1 << 60 else ""
                        told = f"{short(node.arguments.get('partitioning', node.text), 50)} is followed by "
                        told += f"{short(up.arguments.get('partitioning') or up.op, 50)}: moved 2 times{amount}."
                        yield Hit(told, (node.id, up.id))
                    break
                if up.op not in LOOSE:
                    break
                between.append(up)


def _asked(node: PlanNode) -> bool:
    """Whether a query asks for an exchange: nothing else spreads rows round robin, and older texts name no origin."""
    origin = str(node.arguments.get("origin", ""))
    return origin.startswith("REPARTITION") or (not origin and node.arguments.get("partitioning_kind") == "round robin")


def _asked_before(node: PlanNode) -> bool:
    """Whether a text of an older Spark, which names no origin, may show a repartition by columns: right below another
    exchange no operator needs one."""
    return "origin" not in node.arguments and node.arguments.get("partitioning_kind") == "hash"


class ManyShuffles(Check):
    """More than ten shuffles in one plan."""

    name = "many-shuffles"
    title = "Many shuffles"
    why = (
        "Each writes all its rows to disk and sends them over the network, and ends a stage that all tasks must finish."
    )
    advice = "Aggregate before joining, join on the same keys one after another, and broadcast what is small."
    cost = "A rewrite of the query, to be compared with the plan that it has now."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        shuffles = [node for node in plan.nodes if node.op in SHUFFLES]
        if len(shuffles) > MANY_SHUFFLES:
            reused = sum(node.op == "ReusedExchange" for node in plan.nodes)
            more = f"; {reused} more are reused" if reused else ""
            yield Hit(f"Rows are redistributed {len(shuffles):,} times{more}.", tuple(n.id for n in shuffles))


class AdaptiveOff(Check):
    """A plan with shuffles, of a Spark that can execute adaptively, which is not adaptive."""

    name = "adaptive-off"
    title = "Adaptive execution is not used"
    stages = ("physical",)
    why = (
        "Without it the number of partitions, the join strategies and skewed keys stay as guessed before the first row."
    )
    advice = "Set spark.sql.adaptive.enabled to true: it is there since Spark 3.0, and the default since 3.2."
    cost = "A little planning between stages."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        if plan.streaming or not plan.unadapted:
            return
        shuffles = [n for n in plan.nodes if n.op in SHUFFLES and not _fixed(n)]
        known = plan.setting("spark.sql.adaptive.enabled")
        # [plan_id=..] is printed since 3.3, [id=#..] from 3.0 on; before there is no adaptive execution to speak of.
        newer = any("[plan_id=" in n.text or "[id=#" in n.text for n in shuffles)
        if not shuffles or known == "true" or (known is None and not newer) or len(plan.graph.roots) != 1:
            return
        if not newer and any("partitioning(" in n.text for n in shuffles):
            return  # of a Spark that has none, whatever a replay of its plan is set to
        parts = next((n.arguments.get("partitions") for n in shuffles if n.arguments.get("partitions")), None)
        told = f"{count(len(shuffles), 'shuffle')}"
        told += f", of {parts} partitions" if parts and parts != 1 else ""
        yield Hit(f"{told}, and no AdaptiveSparkPlan.", (shuffles[0].id,), settings=_ON if known is not None else ())


def _fixed(exchange: PlanNode) -> bool:
    """Whether an exchange stays as it is whatever is measured: one partition, a number that a program asked for, or
    rows that the executors fetch as a broadcast."""
    arguments = exchange.arguments
    asked = arguments.get("number_by_user") or arguments.get("origin") == "REPARTITION_BY_NUM"
    return bool(asked) or arguments.get("partitioning_kind") in ("single", "broadcast")


_ON = (("spark.sql.adaptive.enabled", "true"),)


class ShufflePartitions(Check):
    """Shuffles of a plan without adaptive execution into very few or very many partitions."""

    name = "shuffle-partitions"
    title = "Unusual number of shuffle partitions"
    why = "Without adaptive execution that many tasks run in each stage, whatever the amount of data."
    advice = (
        "Set spark.sql.shuffle.partitions so that a partition holds 100 to 200 MiB, or switch adaptive execution on."
    )
    cost = "None."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        if plan.streaming or not plan.unadapted:
            return
        asked = [
            n
            for n in plan.nodes
            if n.op in SHUFFLES
            and n.arguments.get("origin") == "ENSURE_REQUIREMENTS"
            and n.arguments.get("partitioning_kind") in ("hash", "range")
        ]
        by: dict[int, list[PlanNode]] = {}
        for node in asked:
            number = node.arguments.get("partitions")
            if isinstance(number, int) and number and not 8 <= number <= 2000:
                by.setdefault(number, []).append(node)
        for number, nodes in by.items():
            told = f"{count(len(nodes), 'shuffle')} into {count(number, 'partition')}; the default is 200."
            yield Hit(told, tuple(n.id for n in nodes), cause=str(number))


class GlobalSort(Check):
    """ORDER BY without LIMIT at the end of a query that aggregates nothing."""

    name = "global-sort"
    title = "All rows are sorted"
    why = "The rows are sampled for their ranges, shuffled by range and sorted, and all of them are the result."
    advice = "Add LIMIT, if only the first rows are looked at; for files, sort within partitions (SORT BY)."
    cost = "None with LIMIT; with SORT BY the files are sorted each for itself."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.op != "Sort" or node.arguments.get("global") is not True or plan.streaming:
                continue
            above = [up for up in plan.above(node) if up.op not in PASSING and up.op != "AdaptiveSparkPlan"]
            written = bool(above) and all(up.kind == "command" or up.op == "WriteFiles" for up in above)
            if above and not written:
                continue
            exchange = plan.below(node, PASSING)
            if exchange is None or exchange.arguments.get("partitioning_kind") != "range":
                continue
            below = plan.below(exchange, LOOSE)
            if below is None or _few(plan, below) or _few(plan, exchange):
                continue
            if any(n.kind in ("aggregate", "limit") for n in plan.walk(exchange)):
                continue  # A report is mostly short.
            rows = plan.rows(exchange)
            order = listed([short(o, 40) for o in node.arguments.get("sort_order") or ()], 3)
            amount = f"{count(rows[0], 'row')}" if rows else f"the rows of {listed(plan.tables(node), 3) or below.op}"
            told = f"1 global sort of {amount} by {order}, {'for a write' if written else 'and no LIMIT'}."
            stake = Stake(rows[0], "rows", rows[1]) if rows else None
            yield Hit(told, (node.id, exchange.id), stake=stake)


class WideShuffle(Check):
    """A shuffle of rows with fifty columns or more, right above a scan or a projection."""

    name = "wide-shuffle"
    title = "Wide rows are shuffled"
    why = (
        "Every column of every row is written to disk and sent over the network, whatever the join or aggregate needs."
    )
    advice = "Select the columns that are needed before it; join the others by their key to what is left in the end."
    cost = "A list of columns in the query in place of *."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.op not in SHUFFLES or node.arguments.get("partitioning_kind") != "hash":
                continue
            below = plan.below(node, LOOSE - {"Project"})
            if below is None or (below.kind != "scan" and below.op != "Project"):
                continue
            width = columns(below.arguments.get("output" if below.kind == "scan" else "project_list") or ())
            if width >= MANY_COLUMNS:
                tables = listed(plan.tables(node), 3) or short(below.op)
                size = plan.size(node)
                stake = Stake(size, "bytes") if size is not None and size < 1 << 60 else None
                amount = f", {byte_size(size)}" if size is not None and stake is not None else ""
                told = f"{width:,} columns of {tables} go through 1 shuffle{amount}."
                yield Hit(told, (node.id, below.id), cause=tables, stake=stake)


class SortLost(Check):
    """A global sort whose order the next operator throws away."""

    name = "sort-lost"
    title = "Sort that nobody needs"
    severity = "warning"
    why = "A global sort samples its input, shuffles it by range and sorts it; the exchange above mixes the rows again."
    advice = "Take ORDER BY out of the subquery or the DataFrame step; order the last result only."
    cost = "None: the order was lost anyway."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.op != "Sort" or node.arguments.get("global") is not True:
                continue
            up = plan.first_above(node, PASSING | {"Filter"})
            kinds = ("hash", "round robin", "broadcast")
            if up is None or up.arguments.get("partitioning_kind") not in kinds:
                continue
            order = listed([short(o, 40) for o in node.arguments.get("sort_order") or ()], 3)
            rows = plan.rows(node)
            stake = Stake(rows[0], "rows", rows[1]) if rows is not None else None
            amount = f" of {count(rows[0], 'row')}" if rows is not None else ""
            told = f"1 global sort{amount} by {order} below {up.op} ({up.arguments['partitioning_kind']})."
            yield Hit(told, (node.id, up.id), stake=stake)
