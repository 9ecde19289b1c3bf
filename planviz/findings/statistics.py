"""What Spark knew before it planned: sizes, rows, and whether the run agreed."""

from __future__ import annotations

from collections.abc import Iterator

from planviz.findings.finding import Check, Hit, Stake
from planviz.findings.plan_view import PlanView, count, listed
from planviz.graph.node import PlanNode
from planviz.graph.scan_names import name_of
from planviz.units import exact, short

#: Spark's size of a relation that it knows nothing of (`spark.sql.defaultSizeInBytes`), about 8 EiB; printed rounded.
UNKNOWN_SIZE = 9e18
#: From how many times on an estimate counts as wrong.
WRONG = 10
_TABLES = frozenset({"Relation", "LogicalRelation", "HiveTableRelation", "CatalogRelation", "MetastoreRelation",
                     "RelationV2", "DataSourceV2ScanRelation"})  # fmt: skip


def _leaves(plan: PlanView) -> list[PlanNode]:
    return [node for node in plan.nodes if node.estimate is not None and not plan.graph.children(node.id)]


def _unknown(node: PlanNode) -> bool:
    return node.estimate is not None and (node.estimate.size_in_bytes or 0) >= UNKNOWN_SIZE


#: Of a query that planviz planned the sizes are what it was told; Spark itself lists the files.
_NOT_TOLD = (
    "Planned as if each had 8 EiB, so none is broadcast for its size; hints, NOT IN and joins without keys broadcast "
    "all the same. Spark takes the size of their files, and may broadcast."
)
_TELL = (
    "Give their sizes: a catalogue with statistics, --size on the command line, or numbers on the Cardinality page, "
    "whose plans follow and tell at which sizes they change."
)


class SizeUnknown(Check):
    """A table of whose size the plan says 8 EiB: Spark knows nothing of it, or planviz where it planned the query."""

    name = "size-unknown"
    title = "Size unknown"
    severity = "warning"
    stages = ("physical", "initial", "optimized", "other")
    why = "Spark assumes 8 EiB, so it will not broadcast it by itself, and orders joins blindly."
    advice = (
        "Run ANALYZE TABLE, or set spark.sql.statistics.fallBackToHdfs for Hive tables; hint BROADCAST if it is small."
    )
    cost = "ANALYZE TABLE ... NOSCAN lists the files; without NOSCAN it reads the table once."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        unknown = [n for n in _leaves(plan) if _unknown(n) and n.op not in ("UnionLoopRef", "LogicalRDD")]
        if unknown:
            tables = count(len({name_of(n) for n in unknown}), "table")
            names, nodes = listed(map(name_of, unknown)), tuple(n.id for n in unknown)
            if plan.planned:
                yield Hit(f"{tables} of unknown size: {names}.", nodes, severity="info", why=_NOT_TOLD, advice=_TELL)
            else:
                yield Hit(f"{tables} of unknown size, for which Spark takes 8 EiB: {names}.", nodes)


class RowCountMissing(Check):
    """Tables of which only the size is known, in a plan that has estimates and joins them."""

    name = "row-count-missing"
    title = "No row counts"
    stages = ("optimized", "other")
    why = "Without rows and distinct values, filters are taken to keep everything and joins to give the product."
    advice = "Run ANALYZE TABLE ... COMPUTE STATISTICS FOR COLUMNS on what is filtered and joined."
    cost = "One pass over the table, and again when it has changed much."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        # With CBO off Spark prints no row count, known or not: only beside a known one is a missing one missing.
        known = any(n.estimate is not None and n.estimate.rows is not None for n in _leaves(plan))
        if not known or not any(n.kind == "join" for n in plan.nodes):
            return
        silent = [n for n in _leaves(plan) if n.estimate and n.estimate.rows is None and not _unknown(n)]
        silent = [n for n in silent if n.op in _TABLES]
        if silent:
            told = f"{count(len({name_of(n) for n in silent}), 'table')} with a size and no row count: "
            yield Hit(f"{told}{listed(map(name_of, silent))}.", tuple(n.id for n in silent))


class StatisticsStale(Check):
    """A table whose row count in the plan is ten times off what was read without a filter."""

    name = "statistics-stale"
    title = "Statistics are stale"
    severity = "warning"
    stages = ("physical", "optimized", "other")
    why = "Join order, broadcasts and the number of partitions were decided on a number that is not true any more."
    advice = "Run ANALYZE TABLE again, and after each large load."
    cost = "One pass over the table."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            read = plan.metric(node, "number of output rows")
            whole = not any(node.arguments.get(k) for k in ("pushed_filters", "partition_filters", "filters"))
            if node.kind != "scan" or node.estimate is None or node.estimate.rows is None or read is None or not whole:
                continue
            factor = _factor(node.estimate.rows, read.total)
            if factor >= WRONG:
                told = f"{name_of(node)}: {exact(node.estimate.rows)} rows by its statistics, {exact(read.total)} read."
                yield Hit(told, (node.id,), name_of(node), stake=Stake(read.total, "rows", True))


class EstimateWrong(Check):
    """The lowest operators whose measured rows are ten times more or less than estimated."""

    name = "estimate-wrong"
    title = "Estimate contradicted by the run"
    why = "What is above was planned for another number of rows: joins in another order or of another "
    why += "kind might be better."
    advice = (
        "Collect column statistics and histograms of the columns in the condition; for related columns, filter earlier."
    )
    cost = "ANALYZE TABLE ... FOR COLUMNS reads the table once."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        wrong: set[int] = set()
        for node in reversed(list(plan.nodes)):
            rows = plan.metric(node, "number of output rows")
            known = node.estimate is not None and node.estimate.rows is not None
            if rows is None or not known or node.estimate is None or node.estimate.rows is None or node.kind == "scan":
                continue
            if max(rows.total, node.estimate.rows) < 10_000 or _factor(node.estimate.rows, rows.total) < WRONG:
                continue
            if not any(below.id in wrong for below in plan.walk(node) if below is not node):
                told = f"{node.op}: {short(node.estimate.rows)} rows estimated, {short(rows.total)} measured."
                yield Hit(told, (node.id,), stake=Stake(rows.total, "rows", True))
            wrong.add(node.id)


def _factor(a: float, b: float) -> float:
    return max(a, b, 1) / max(min(a, b), 1)


class TextCut(Check):
    """Operators that Spark shortened in the text."""

    name = "text-cut"
    title = "Text cut off by Spark"
    stages = ("physical", "initial", "optimized", "analyzed", "parsed", "other")
    why = "What is not printed cannot be judged: findings that need it are left out."
    advice = "Set spark.sql.debug.maxToStringFields and spark.sql.maxMetadataStringLength to 100000 and print it again."
    cost = "A longer text."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        cut = [node for node in plan.nodes if "truncated" in node.badges]
        if cut:
            told = f"Shortened: {len(cut):,} of {count(len(plan.nodes), 'operator')}."
            yield Hit(told, tuple(n.id for n in cut))
