"""Filters: what keeps them from the scan, what they cost."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planviz.findings.columns import is_whole
from planviz.findings.finding import Check, Hit, Stake
from planviz.findings.plan_view import PASSING, PlanView, count, ids, short
from planviz.graph.differences import conjuncts
from planviz.graph.node import PlanNode
from planviz.graph.scan_names import name_of
from planviz.units import short as short_number

#: Values of IN from which on a row group is asked for their range alone.
MANY_VALUES = 100
MANY_ROWS = 1_000_000
RANDOM = re.compile(r"\b(rand|randn|uuid|shuffle|monotonically_increasing_id|spark_partition_id)\(", re.IGNORECASE)
_PUSHING = frozenset({"parquet", "orc"})
_BETWEEN = PASSING | {"Filter"}
_LITERAL = r"[^#()]+"
_COLUMN = r"[\w.`$ -]+#\d+L?"
_COMPARED = re.compile(
    rf"^\(?(?P<f>\w+)\((?P<in>.*)\) (?:=|<|>|<=|>=|<=>|IN|LIKE|RLIKE) (?P<v>\(?{_LITERAL}\)?)\)?$", re.DOTALL
)
_IN = re.compile(r" (?:INSET|IN) \(?([^()]*)\)?$")
_DATE_PARTS = frozenset({"year", "month", "day", "dayofmonth", "quarter", "hour", "date_format", "to_date",
                         "date_trunc", "trunc", "weekofyear", "dayofweek", "dayofyear", "gettimestamp"})  # fmt: skip
_TEXT_PARTS = frozenset({"lower", "upper", "trim", "ltrim", "rtrim", "substring", "substr", "left", "right", "concat",
                         "regexp_replace", "regexp_extract", "replace", "translate", "split"})  # fmt: skip
_OWN = frozenset({"isnotnull", "isnull", "size", "might_contain", "dynamicpruning", "not", "exists", "staticinvoke"})


class FilterNotPushed(Check):
    """A comparison of a function of a column with a literal, right above a Parquet or ORC scan that gets none of it."""

    name = "filter-not-pushed"
    title = "Filter not pushed into the scan"
    severity = "warning"
    why = "Row groups are skipped by the least and largest value of a column; of a function of it nothing is known."
    advice = "Compare the column itself with a literal of its own type."
    cost = "None: the same rows, written as a condition on the column."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for scan in plan.nodes:
            if scan.kind != "scan" or str(scan.arguments.get("format", "")).lower() not in _PUSHING:
                continue
            whole = is_whole(scan, "pushed_filters", "partition_filters")
            if not whole or scan.arguments.get("pushed_filters") is None:
                continue
            output = ids(scan.arguments.get("output")) - ids(scan.arguments.get("partition_filters"))
            for up in plan.above(scan):
                if up.op == "Filter" and "truncated" not in up.badges:
                    yield from self._of(scan, up, output)
                elif up.op not in _BETWEEN:
                    break

    def _of(self, scan: PlanNode, filter: PlanNode, output: set[str]) -> Iterator[Hit]:
        parts = conjuncts(str(filter.arguments.get("condition", "")))
        pushed = [p for p in scan.arguments["pushed_filters"] if not str(p).lstrip("*").startswith("IsNotNull(")]
        asked = [p for p in parts if not p.startswith("isnotnull(")]
        for part in parts:
            barred = _bar(part)
            if barred is None or not ids(part) <= output:
                continue
            what, advice = barred
            told = f"{name_of(scan)}: {short(part)} is tested after reading, for {what} bars it; "
            told += f"{count(len(pushed), 'condition')} of {len(asked)} reached the files."
            yield Hit(
                told, (filter.id, scan.id), cause=short(part), advice=advice, severity=None if not pushed else "info"
            )


def _bar(part: str) -> tuple[str, str] | None:
    """What keeps a condition from being pushed and what to do; None if it compares no function with a literal."""
    found = _COMPARED.match(part)
    if (
        found is None
        or "Subquery" in part
        or "subquery" in part
        or RANDOM.search(part)
        or found["v"].strip() in ("true", "false")
    ):
        return None
    function = found["f"].lower()
    if function in _OWN or not ids(found["in"]) or ids(found["v"]):
        return None
    if function == "cast":
        to = found["in"].rpartition(" as ")[2]
        if not re.fullmatch(rf"{_COLUMN} as [\w(),]+", found["in"]):
            return None
        return f"the cast to {to}", f"Write the literal in the column's own type, so that no cast to {to} is needed."
    if function in _DATE_PARTS:
        return f"{function}()", f"Write a range on the column, such as >= and <, in place of {function}()."
    if function in _TEXT_PARTS:
        advice = f"Compare the column itself (LIKE 'x%' for a prefix), or store the value of {function}() as a column."
        return f"{function}()", advice
    if function == "udf" or "udf" in function:
        return "a user's function", "Write the condition with Spark's own functions, or store its value as a column."
    return None


class PatternInside(Check):
    """A scan of Parquet or ORC files all conditions of which look for a text inside or at the end of a value."""

    name = "pattern-inside"
    title = "Search inside of texts"
    why = "Row groups are skipped by the least and largest value; where a text may stand anywhere, none can be skipped."
    advice = "Add a condition on another column, such as a date, or store what is searched for as a column of its own."
    cost = "One more column to store, where no other condition fits."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for scan in plan.nodes:
            if scan.kind != "scan" or str(scan.arguments.get("format", "")).lower() not in _PUSHING:
                continue
            if "truncated" in scan.badges or scan.arguments.get("partition_filters"):
                continue
            pushed = [str(p).lstrip("*") for p in scan.arguments.get("pushed_filters") or ()]
            pushed = [p for p in pushed if not p.startswith("IsNotNull(")]
            if pushed and all(p.startswith(("StringContains(", "StringEndsWith(")) for p in pushed):
                told = f"{name_of(scan)}: {count(len(pushed), 'condition')} reached the files, {short(pushed[0])}, and "
                yield Hit(f"{told}0 can skip a row group.", (scan.id,), name_of(scan), stake=_bytes(plan, scan))


def _bytes(plan: PlanView, scan: PlanNode) -> Stake | None:
    size = plan.size(scan)
    return None if size is None or size >= 1 << 60 else Stake(size, "bytes")


class RandomFilter(Check):
    """A filter whose condition is random or depends on how the rows are spread."""

    name = "random-filter"
    title = "Filter that is not deterministic"
    why = (
        "Spark may not move it, nor what is beneath it: each row is read first, and a retried task may keep other rows."
    )
    advice = "Use TABLESAMPLE or df.sample with a seed, or a hash of a key, to take a part of the rows."
    cost = "Other rows are taken than by rand()."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            if node.op != "Filter":
                continue
            parts = conjuncts(str(node.arguments.get("condition", "")))
            random = [part for part in parts if RANDOM.search(part)]
            if random:
                told = f"{len(random)} of {count(len(parts), 'condition')} is random: {short(random[0])}."
                yield Hit(told, (node.id,), cause=short(random[0]))


class LongInList(Check):
    """IN with more than a hundred values over a Parquet scan."""

    name = "long-in-list"
    title = "IN with many values"
    why = "Parquet row groups are asked for the range of the values only "
    why += "(spark.sql.parquet.pushdown.inFilterThreshold: 10)."
    advice = "Join with the values as a small table: it is broadcast, and the plan stays short."
    cost = "The values must be a table or VALUES."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            scan = plan.below(node, _BETWEEN) if node.op == "Filter" else None
            if scan is None or str(scan.arguments.get("format", "")).lower() != "parquet":
                continue
            for part in conjuncts(str(node.arguments.get("condition", ""))):
                found = _IN.search(part)
                values = found[1].count(",") + 1 if found else 0
                left = re.search(r"\.\.\. (\d+) more", part)
                values += int(left[1]) - 1 if left else 0
                if found and values > MANY_VALUES:
                    told = f"{name_of(scan)}: {values:,} values for {short(part.split(' IN')[0], 40)}."
                    yield Hit(told, (node.id,), cause=short(part, 40))


class MostRowsDropped(Check):
    """A filter that was measured to drop 99 % or more of over a million rows read."""

    name = "rows-read-for-nothing"
    title = "Most rows read are dropped"
    severity = "warning"
    why = "Reading and decoding them was the work; a layout by the filtered column would let files or row "
    why += "groups be skipped."
    advice = "Partition, sort or cluster the table by the filtered column when it is written."
    cost = "One rewrite of the table; other queries may want another order."

    def find(self, plan: PlanView) -> Iterator[Hit]:
        """See `Check.find`."""
        for node in plan.nodes:
            scan = plan.below(node) if node.op == "Filter" else None
            if scan is None or scan.kind != "scan":
                continue
            out, read = plan.metric(node, "number of output rows"), plan.metric(scan, "number of output rows")
            if out is None or read is None or read.total < MANY_ROWS or out.total > 0.01 * read.total:
                continue
            told = f"{name_of(scan)}: {short_number(read.total)} rows read, {short_number(out.total)} kept by "
            told += f"{short(node.arguments.get('condition', ''))}."
            yield Hit(told, (node.id, scan.id), name_of(scan), stake=Stake(read.total, "rows", True))
