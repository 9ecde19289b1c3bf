"""What is read: partitions, columns, formats, how often, by how many tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planviz.findings.columns import attribute, is_whole, partition_columns, read_schema
from planviz.findings.finding import Check, Hit, Severity, Stake
from planviz.findings.plan_view import LOOSE, SHUFFLES, PlanView, count, ids, listed, short
from planviz.graph.differences import conjuncts
from planviz.graph.kinds import spark_name
from planviz.graph.node import PlanNode
from planviz.graph.scan_names import name_of
from planviz.units import byte_size, exact

#: Fields from which on Spark's own readers give rows (`spark.sql.codegen.maxFields`).
MOST_FIELDS = 100
#: From how many scans of one table on that is worth a word.
OFTEN = 3
#: Below this size a table may be read as often as one likes.
LARGE_TABLE = 64 << 20
_TEXT_FORMATS = frozenset({"csv", "json", "text", "xml"})
_PYTHON = ("BatchEvalPython", "ArrowEvalPython")
_HIVE = re.compile(r"(?:HiveTable|Catalog)Relation ")
_HIVE_PARTITIONS = re.compile(r"Partition Cols: \[([^\]]*)\]")


def _rows_of(plan: PlanView, scan: PlanNode) -> Stake | None:
    size = plan.size(scan)
    if size is None or size >= 1 << 60:
        return None
    return Stake(size, "bytes", plan.metric(scan, "size of files read") is not None)


def _amount(plan: PlanView, scan: PlanNode) -> str:
    stake = _rows_of(plan, scan)
    return f", {byte_size(stake.amount)}" if stake is not None else ""


def _scans(plan: PlanView, *needed: str) -> list[PlanNode]:
    """The scans of which these entries are printed in full, if at all; mostly only the location is cut."""
    return [n for n in plan.nodes if n.kind == "scan" and is_whole(n, *needed)]


class PartitionFilterMissing(Check):
    """A scan of a partitioned table that has no condition on a partition column, static or dynamic."""

    name = "partition-filter-missing"
    title = "All partitions are read"
    why = (
        "Every partition's files are listed and read; a condition on a partition column would leave most of them alone."
    )
    advice = "Add a condition on a partition column, or join on it with a filtered table, so that Spark prunes."
    cost = "None, where the query wants a part of the data only; if it wants all, this finding can be silenced."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for scan in _scans(plan, "partition_filters"):
            if scan.arguments.get("partition_filters"):
                continue
            columns = self._partitioned_by(scan)
            if columns is None:
                continue
            by = f" by {listed(map(short, columns))}" if columns else ""
            if (number := _number_of_partitions(scan)) > 1:
                by += f" into {count(number, 'part')}"
            told = f"{name_of(scan)} is partitioned{by}, and 0 conditions choose among its partitions"
            filtered = any(up.op == "Filter" and self._asks(up) for up in [plan.first_above(scan)] if up is not None)
            severity: Severity = "warning" if filtered else "info"
            yield Hit(f"{told}{_amount(plan, scan)}.", (scan.id,), name_of(scan), severity, stake=_rows_of(plan, scan))

    def _asks(self, filter: PlanNode) -> bool:
        """Whether a filter has a condition of the query: IsNotNull on a join's key is added by Spark."""
        parts = conjuncts(str(filter.arguments.get("condition", "")))
        return any(not part.strip("()").startswith(("isnotnull(", "might_contain(")) for part in parts)

    def _partitioned_by(self, scan: PlanNode) -> list[str] | None:
        if "partition_filters" not in scan.arguments:
            found = _HIVE_PARTITIONS.search(scan.text)
            if scan.op == "FileScan" or not found or not found[1].strip() or "isnotnull(" in scan.text:
                return None
            return None if scan.arguments.get("filters") or "Pruned Partitions" in scan.text else found[1].split(", ")
        columns = partition_columns(scan)
        if _number_of_partitions(scan) > 1:  # printed of partitioned tables alone
            return columns
        # Spark keeps this index for partitioned tables of a catalogue as long as nothing was pruned.
        return columns if columns or str(scan.arguments.get("location", "")).startswith("CatalogFileIndex") else None


def _number_of_partitions(scan: PlanNode) -> int:
    """How many partitions a scan reads (`PartitionCount: 12`), or 0 where the text does not tell."""
    number = str(scan.arguments.get("partition_count", ""))
    return int(number) if number.isdecimal() else 0


class PartitionFilterDefeated(Check):
    """A condition on nothing but partition columns that is tested after reading, not when partitions are chosen."""

    name = "partition-filter-defeated"
    title = "Condition on partitions tested after reading"
    severity = "warning"
    why = "Partitions are chosen before anything is read, by what the driver can compute: this condition is none of it."
    advice = (
        "Compare the partition column itself with literals; take the Python function or rand() out of the condition."
    )
    cost = "A condition written in SQL in place of a function."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for scan in _scans(plan, "partition_filters", "output"):
            columns = partition_columns(scan)
            by = {named[1] for a in columns if (named := attribute(a))}
            pruned = str(scan.arguments.get("partition_filters"))
            computed: dict[str, tuple[str, set[str]]] = {}
            for up in plan.above(scan):
                if up.op in _PYTHON:
                    computed.update(_inputs_of_functions(up))
                if up.op == "Filter" and "truncated" not in up.badges:
                    for part in conjuncts(str(up.arguments.get("condition", ""))):
                        calls = [computed[id] for id in sorted(ids(part)) if id in computed]
                        used = {id for id in ids(part) if id not in computed}.union(*(own for _, own in calls))
                        part = calls[0][0] if len(calls) == 1 else part
                        if used and used <= by and not used & ids(pruned):
                            told = f"1 condition on {name_of(scan)}'s partition column, {short(part)}, is none of its "
                            yield Hit(f"{told}{_filters(scan)} partition filters.", (up.id, scan.id), name_of(scan))
                elif up.op not in LOOSE and up.op not in _PYTHON:
                    break


def _inputs_of_functions(python: PlanNode) -> Iterator[tuple[str, tuple[str, set[str]]]]:
    """The call and the columns that each result of an operator of Python functions is made of, by the result's id."""
    functions = python.arguments.get("functions") or []
    results = python.arguments.get("output") or []
    for function, result in zip(functions, results[-len(functions) :], strict=False):
        named = attribute(result)
        told = str(function.get("text", "")).rpartition(")")[0]
        if named and told:
            yield named[1], (f"{told})", ids(told))


def _filters(scan: PlanNode) -> int:
    return len(scan.arguments.get("partition_filters") or ())


class DynamicPruningDropped(Check):
    """Dynamic partition pruning that was planned and then given up: `dynamicpruningexpression(true)`."""

    name = "dynamic-pruning-dropped"
    title = "Dynamic partition pruning given up"
    severity = "warning"
    why = "The values to prune by would have come from a broadcast; the join was not planned as one, so all is read."
    advice = "Hint BROADCAST at the filtered side or raise spark.sql.autoBroadcastJoinThreshold above its size."
    cost = "The broadcast must fit the driver and the executors; reuseBroadcastOnly=false costs a scan more."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for scan in _scans(plan, "partition_filters"):
            dropped = [
                f for f in scan.arguments.get("partition_filters") or () if f == "dynamicpruningexpression(true)"
            ]
            if dropped:
                told = f"{name_of(scan)} has {count(len(dropped), 'pruning filter')} left that is always true"
                told += f"{_amount(plan, scan)}."
                yield Hit(told, (scan.id,), cause=name_of(scan), stake=_rows_of(plan, scan))


class UnusedColumns(Check):
    """Columns of a scan that nothing above it mentions before other columns are made."""

    name = "unused-columns"
    title = "Columns read and not used"
    why = "Columns that nobody uses are decoded and carried along; a columnar file could have left them alone."
    advice = "Select the columns before the operator that needs all of them, such as a function over whole rows."
    cost = "A projection in the query."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for scan in _scans(plan, "output", "data_filters", "partition_filters"):
            output = [str(a) for a in scan.arguments.get("output") or ()]
            named = {a: attribute(a) for a in output}
            if not output or any(v is None for v in named.values()) or scan.arguments.get("format") is None:
                continue
            if scan.op == "StreamingRelation":
                continue  # It stands for the source before a batch is planned, and always lists all of its columns.
            above = self._used_above(plan, scan)
            partitions = partition_columns(scan)
            read = [a for a in output if a not in partitions]
            unused = [a for a in read if above is not None and (n := named[a]) and n[1] not in above]
            if unused and len(unused) < len(read):
                told = f"{name_of(scan)}: {len(unused)} of {count(len(read), 'column')} read are used by no operator "
                yield Hit(f"{told}above: {listed(map(short, unused))}.", (scan.id,), cause=name_of(scan))

    def _used_above(self, plan: PlanView, scan: PlanNode) -> set[str] | None:
        """The ids in the scan's own filters and up to the first operator that lists its columns; None where the rows
        themselves go further."""
        filters = [v for k, v in scan.arguments.items() if k.endswith("filters")]
        used = ids(filters)
        for up in plan.above(scan):
            if "truncated" in up.badges:
                return None
            used |= ids(up.text) | ids(" ".join(map(str, up.arguments.values())))
            if up.op == "Project" or (up.kind == "aggregate" and up.op.endswith("Aggregate")):
                return used
            if up.kind not in ("filter", "join", "sort", "exchange") and up.op not in LOOSE:
                return None
        return None


class RowReader(Check):
    """A scan of Parquet or ORC files that gives rows in place of batches: `Batched: false`."""

    name = "row-reader"
    title = "Columnar file read row by row"
    why = "Spark's vectorized reader decodes whole columns and is several times faster; this scan cannot use it."
    advice = "Select fewer or flat columns; before Spark 3.4 nested types need "
    advice += "spark.sql.parquet.enableNestedColumnVectorizedReader or its ORC namesake, which exist since 3.3."
    cost = "None for selecting fewer columns."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for scan in _scans(plan, "batched"):
            format = str(scan.arguments.get("format", "")).lower()
            schema = read_schema(scan)
            if scan.arguments.get("batched") is not False or format not in ("parquet", "orc") or not schema:
                continue
            nested = [name for name, type in schema.items() if type.startswith(("struct<", "array<", "map<"))]
            if len(schema) > MOST_FIELDS:
                reason = f"{exact(len(schema))} columns are more than {MOST_FIELDS} (spark.sql.codegen.maxFields)"
            elif nested:
                reason = f"{len(nested)} of {count(len(schema), 'column')} are nested ({listed(nested, 3)})"
            else:
                continue
            yield Hit(f"{name_of(scan)}: {reason}{_amount(plan, scan)}.", (scan.id,), name_of(scan))


class TextFormat(Check):
    """A scan of CSV, JSON, XML or text files."""

    name = "text-format"
    title = "Text files are parsed"
    why = "All lines are read and parsed whatever is asked: text has no column chunks and no statistics to skip by."
    advice = "Write the data once as Parquet or ORC, if it is read more than once."
    cost = "One job and a second copy of the data."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for scan in _scans(plan, "output"):
            format = str(scan.arguments.get("format", "")).lower()
            if "LazySimpleSerDe" in scan.text and scan.op in ("HiveTableScan", "Scan"):
                columns = len(scan.arguments.get("output") or ())
                told = f"{name_of(scan)} is delimited text of Hive: {count(columns, 'column')} parsed from every line"
                yield Hit(f"{told}{_amount(plan, scan)}.", (scan.id,), name_of(scan), stake=_rows_of(plan, scan))
            elif scan.op in ("FileScan", "Scan", "BatchScan") and format in _TEXT_FORMATS:
                listed_columns = scan.arguments.get("output")
                columns = len(listed_columns or ())
                if listed_columns is None:  # a line of explain formatted without its block tells no columns
                    named = name_of(scan) if name_of(scan).lower() != format else "A scan"
                    told = f"{named} reads {format.upper()} and parses every line"
                else:
                    told = f"{name_of(scan)} is {format.upper()}: "
                    told += f"{count(columns, 'column')} parsed from" if columns else "0 columns are wanted of"
                    told += " every line"
                yield Hit(f"{told}{_amount(plan, scan)}.", (scan.id,), name_of(scan), stake=_rows_of(plan, scan))


class SinglePartitionJdbc(Check):
    """A JDBC scan of one partition: one task, one connection."""

    name = "jdbc-one-partition"
    title = "Database read by one task"
    severity = "warning"
    why = (
        "One connection fetches all rows while the other cores wait, and one task must hold what it fetches at a time."
    )
    advice = "Set partitionColumn, lowerBound, upperBound and numPartitions, and fetchsize, on the reader."
    cost = "That many connections to the database at once."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for scan in (n for n in plan.nodes if n.kind == "scan"):
            if scan.arguments.get("format") == "jdbc" and scan.arguments.get("num_partitions") == 1:
                pushed = scan.arguments.get("pushed_filters") if is_whole(scan, "pushed_filters") else None
                told = f"{name_of(scan)}: numPartitions=1"
                told += f", {count(len(pushed), 'filter')} pushed to the database" if pushed is not None else ""
                yield Hit(f"{told}.", (scan.id,), name_of(scan))


class RddScan(Check):
    """A join over rows of an RDD, of which Spark knows no size."""

    name = "rdd-scan"
    title = "Rows of an RDD"
    why = "Spark cannot push filters or columns into an RDD, and takes its size for 8 EiB, so it is not "
    why += "broadcast by itself."
    advice = "Read the data through a data source, or hint BROADCAST if these rows are few."
    cost = "The data must be written to files first."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for scan in _scans(plan, "output"):
            rdd = scan.op in ("ExternalRDDScan", "RDDScan") or scan.text.startswith(
                ("Scan ExistingRDD", "Scan ExternalRDD")
            )
            join = next((up for up in plan.above(scan) if up.kind == "join"), None) if rdd else None
            if join is not None and join.op in ("SortMergeJoin", "ShuffledHashJoin"):
                told = f"{count(len(scan.arguments.get('output') or ()), 'column')} of an RDD, joined by {join.op}."
                yield Hit(told, (scan.id, join.id), cause="rdd")


class HiveReader(Check):
    """A table read through Hive's SerDe that Spark's own reader could read: Parquet or ORC."""

    name = "hive-serde-reader"
    title = "Read through Hive's SerDe"
    severity = "warning"
    why = "Hive's reader gives one row object at a time; Spark's own reads batches of columns and pushes filters."
    advice = (
        "Leave spark.sql.hive.convertMetastoreParquet and convertMetastoreOrc on, or declare the table USING parquet."
    )
    cost = "None; schemas that differ between partitions may read otherwise: compare once."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for scan in _scans(plan, "output"):
            serde = re.search(r"Parquet|Orc", str(scan.arguments.get("serde", "")) or _serde(scan.text))
            if scan.op in ("HiveTableScan", "Scan") and _HIVE.search(scan.text) and serde:
                told = f"{name_of(scan)} ({serde[0]}): {count(len(scan.arguments.get('output') or ()), 'column')} read "
                yield Hit(f"{told}row by row.", (scan.id,), name_of(scan))


def _serde(text: str) -> str:
    found = re.search(_HIVE.pattern + r"\[?[^,\[\]]*, ([\w.]+)", text)
    return found[1] if found else ""


class BucketsNotUsed(Check):
    """A bucketed table whose buckets are not used because of a setting, or that is shuffled all the same."""

    name = "buckets-not-used"
    title = "Buckets without use"
    why = "The table was written in buckets to spare shuffles, and this query shuffles its rows again."
    advice = "Join or aggregate on the bucket columns with as many buckets on both sides, and leave bucketing enabled."
    cost = "Writing the other table in buckets, too."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for scan in _scans(plan, "bucketed"):
            bucketed = str(scan.arguments.get("bucketed", ""))
            if "disabled by configuration" in bucketed:
                told = f"{name_of(scan)}: 0 buckets used, spark.sql.sources.bucketing.enabled is false."
                yield Hit(told, (scan.id,), name_of(scan), settings=(("spark.sql.sources.bucketing.enabled", "true"),))
            elif bucketed == "true":
                up = plan.first_above(scan, LOOSE)
                if up is not None and up.op in SHUFFLES and up.arguments.get("partition_keys"):
                    buckets = scan.arguments.get("selected_buckets", "")
                    told = f"{name_of(scan)} ({buckets or 'bucketed'}) is shuffled again into "
                    told += f"{count(up.arguments.get('partitions') or 0, 'partition')} by "
                    yield Hit(f"{told}{listed(map(short, up.arguments['partition_keys']))}.", (scan.id, up.id))


class RepeatedScan(Check):
    """A table that one query reads three times or more, not counting what is reused."""

    name = "repeated-scan"
    title = "A table read several times"
    why = "Each scan opens, reads and decodes the files again; Spark reuses exchanges, not scans."
    advice = "Merge the branches into one pass with CASE or FILTER, or cache what they share."
    cost = "A query that is harder to read, or the memory of the cache."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        tables: dict[str, list[PlanNode]] = {}
        for scan in _scans(plan):
            place = str(scan.arguments.get("table") or scan.arguments.get("location") or "")
            if (
                place
                and "..." not in place
                and "OneRowRelation" not in place
                and scan.arguments.get("format") is not None
            ):
                tables.setdefault(place, []).append(scan)
        for scans in tables.values():
            whole = [scan for scan in scans if "truncated" not in scan.badges]
            alike = len(whole) - len({_without_ids(scan) for scan in whole})
            if not plan.settled:
                # Adaptive execution may still find that equal stages are needed once.
                scans, alike = list({_without_ids(scan): scan for scan in scans}.values()), 0
            if len(scans) < OFTEN:
                continue
            sizes = [plan.size(scan) for scan in scans]
            known = [size for size in sizes if size is not None and size < 1 << 60]
            if known and max(known) < LARGE_TABLE:
                continue
            if not known and sum(_broadcast(plan, scan) for scan in scans) * 2 > len(scans):
                continue  # Small by Spark's own judgement.
            told = f"{name_of(scans[0])} is read {len(scans)} times"
            told += f", {byte_size(max(known))} in all columns each time" if known else ""
            told += f"; {count(alike, 'scan')} as another one." if alike else ", with different filters or columns."
            stake = Stake(sum(known) - max(known), "bytes") if known else None
            yield Hit(told, tuple(s.id for s in scans), name_of(scans[0]), stake=stake)


def _broadcast(plan: PlanView, scan: PlanNode) -> bool:
    """Whether nothing but filters and projections stands between a scan and a broadcast of it."""
    up = plan.first_above(scan, LOOSE)
    return up is not None and spark_name(up.op) in ("BroadcastExchange", "SubqueryBroadcast")


def _without_ids(scan: PlanNode) -> str:
    return re.sub(r"(?<!subquery)(?<!dynamicpruning)#\d+L?", "", scan.text)
