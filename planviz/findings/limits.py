"""Limits and writes: what comes together in one place, and how many files it becomes."""

from __future__ import annotations

from collections.abc import Iterator

from planviz.findings.finding import Check, Hit, Stake
from planviz.findings.measured import MANY_FILES, SMALL_FILE
from planviz.findings.plan_view import LOOSE, PlanView, count, ids, listed, short
from planviz.graph.node import PlanNode
from planviz.units import byte_size, exact

#: From here on rows that meet in one place are worth a word.
MANY = 100_000


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


class LargeTopK(Check):
    """ORDER BY ... LIMIT of a hundred thousand rows or more in one operator."""

    name = "large-top-k"
    title = "Large ORDER BY LIMIT"
    severity = "warning"
    why = "Each task keeps so many rows in memory, and one task merges those of all; above a threshold "
    why += "Spark sorts instead."
    advice = "Lower spark.sql.execution.topKSortFallbackThreshold below the limit, or ask for fewer rows."
    cost = "A full sort by range in place of the merge."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            limit = _number(node.arguments.get("limit"))
            if node.op == "TakeOrderedAndProject" and limit >= MANY:
                order = listed([short(o, 40) for o in node.arguments.get("sort_order") or ()], 2)
                setting = (("spark.sql.execution.topKSortFallbackThreshold", str(MANY)),)
                yield Hit(f"Every task keeps {exact(limit)} rows by {order}.", (node.id,), settings=setting)


class LargeLimit(Check):
    """LIMIT of a hundred thousand rows or more: they all go through one task or to the driver."""

    name = "large-limit"
    title = "Large LIMIT"
    why = "So many rows of every partition are sent to a single task, which counts them."
    advice = "Take a sample or filter where any part of the rows will do; write all rows where they are needed."
    cost = "Not exactly that many rows."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            limit = _number(node.arguments.get("limit"))
            if node.op in ("GlobalLimit", "CollectLimit") and MANY <= limit < 2**31 - 1:
                where = "1 task" if node.op == "GlobalLimit" else "the driver"
                yield Hit(f"Up to {exact(limit)} rows of every partition go to {where}.", (node.id,))


class LargeOffset(Check):
    """OFFSET of a hundred thousand rows or more."""

    name = "large-offset"
    title = "Large OFFSET"
    why = "The skipped rows are computed, ordered and moved like the others, for every page anew."
    advice = "Remember the last key of the page before and filter on it: WHERE key > ... ORDER BY key LIMIT n."
    cost = "A unique key to order by."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            offset = _number(node.arguments.get("offset"))
            if offset >= MANY and node.kind == "limit":
                yield Hit(f"{node.op} drops the first {exact(offset)} rows.", (node.id,))


class ManyOutputFiles(Check):
    """A write into partitions of a table whose rows are not gathered by the partition columns before, or one that was
    measured to write a hundred files or more of less than 16 MiB on average."""

    name = "many-output-files"
    title = "A file per task and partition"
    severity = "warning"
    why = "Every task writes a file of its own into each partition it has rows of; small files slow all later reads."
    advice = "Repartition by the partition columns before the write, or let REBALANCE do so."
    cost = "A shuffle before the write; a large partition value is written by one task unless it is split."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            measured = self._measured(plan, node)
            if measured is not None:
                if measured.evidence:
                    yield measured
                continue
            fixed = node.arguments.get("static_partition") or ()
            columns = (node.arguments.get("partition_columns") or [])[len(fixed) :]
            if node.arguments.get("command") != "InsertIntoHadoopFsRelationCommand" or not columns:
                continue
            wanted = ids(columns)
            exchange = next(self._gathers(plan, node), None)
            if exchange is None or not wanted or ids(exchange.arguments.get("partition_keys")) & wanted:
                continue
            tasks = _number(exchange.arguments.get("partitions"))
            keys = exchange.arguments.get("partition_keys") or ()
            if tasks > 1 and (keys or exchange.arguments.get("partitioning_kind") == "round robin"):
                by = f" by {listed(map(short, keys))}" if keys else ""
                told = f"{exact(tasks)} tasks{by} write into partitions by "
                told += f"{listed(map(short, columns))}: up to {exact(tasks)} files in each."
                yield Hit(told, (node.id, exchange.id))

    def _measured(self, plan: PlanView, node: PlanNode) -> Hit | None:
        """What a write was measured to have written; a hit without evidence where its files are few or large."""
        files, size = plan.metric(node, "number of written files"), plan.metric(node, "written output")
        if files is None or size is None:
            return None
        if files.total < MANY_FILES or size.total / files.total >= SMALL_FILE:
            return Hit("", ())
        parts = plan.metric(node, "number of dynamic part")
        many = f" in {count(parts.total, 'partition')}" if parts is not None and parts.total > 0 else ""
        told = f"{exact(files.total)} files of {byte_size(size.total / files.total)} on average written{many}."
        stake = Stake(files.total * (4 << 20), "bytes", True)
        if many:
            return Hit(told, (node.id,), stake=stake)
        advice = "Let REBALANCE gather the rows before the write, or repartition into fewer."
        return Hit(told, (node.id,), stake=stake, title="Many small files written", advice=advice)

    def _gathers(self, plan: PlanView, node: PlanNode) -> Iterator[PlanNode]:
        """The exchange that the rows of the write come from, with only projections, filters and aggregates between."""
        down: PlanNode | None = plan.input(node)
        while down is not None:
            if down.op in ("Exchange", "ShuffleExchange"):
                yield down
                return
            if down.op not in LOOSE and down.op not in ("WriteFiles", "AdaptiveSparkPlan") and down.kind != "aggregate":
                return
            down = plan.input(down)


class StoppedEarly(Check):
    """A limit above a global sort that could not become one operator."""

    name = "limit-above-sort"
    title = "All rows sorted for a LIMIT"
    why = "A global sort shuffles all rows by range and sorts them; with the limit it would keep a few rows per task."
    advice = "Put LIMIT right behind ORDER BY, with nothing but the select list between."
    cost = "None: the same rows."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.op not in ("GlobalLimit", "CollectLimit") or not 0 < _number(node.arguments.get("limit")) < MANY:
                continue
            below = plan.below(node, LOOSE | {"LocalLimit", "Exchange"})
            sort = next((n for n in plan.walk(node) if n.op == "Sort" and n.arguments.get("global") is True), None)
            if below is None or sort is None or not self._direct(plan, node, sort):
                continue
            told = f"LIMIT {exact(node.arguments['limit'])} above {count(1, 'global sort')} by "
            yield Hit(
                f"{told}{listed([short(o, 40) for o in sort.arguments.get('sort_order') or ()], 2)}.",
                (sort.id, node.id),
            )

    def _direct(self, plan: PlanView, limit: PlanNode, sort: PlanNode) -> bool:
        between: list[PlanNode] = []
        for up in plan.above(sort):
            if up is limit:
                return not any(n.op in ("Exchange", "ShuffleExchange") for n in between)
            between.append(up)
            if up.op not in LOOSE and up.op != "LocalLimit":
                return False
        return False
