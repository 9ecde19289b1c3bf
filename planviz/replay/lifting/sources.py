"""Where rows come from: scans of files to relations, local rows, ranges; any other leaf stays as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from planviz.errors import PlanvizError
from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.predicates import conjunction
from planviz.logical.operators import Filter, Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation, LogicalRDD, LogicalRelation, OneRowRelation, Range, UntoldRows
from planviz.replay.columns import SCAN, scan_columns
from planviz.replay.lifting.steps import Step, Steps
from planviz.replay.opaque import Beneath, OpaqueOperator, PrintedOperator, PrintedRelation, kept_as_printed
from planviz.replay.operator_lines import MORE, SOURCE, Operator, columns_of
from planviz.types import LONG, UNKNOWN
from planviz.types.reading import parse_type

if TYPE_CHECKING:
    from planviz.replay.lifting.lifter import Lifter

_FORMATS = ("parquet", "orc", "csv", "json", "text", "avro", "delta", "xml")
_PARTITIONS = re.compile(r"PartitionFilters: \[")
_BOUND = re.compile(r"\binput\[(\d+), ([^\[\]]{1,200}?), (true|false)\]")
_RANGE = re.compile(r"Range \((-?\d+), (-?\d+), step=(-?\d+)(?:, splits=(\d+|None|Some\(\d+\)))?\)")


def tables_of(steps: Steps, subqueries: Sequence[Step]) -> dict[str, list[str]]:
    """The columns of every table that a scan names, as far as scans read them, in an order that suits all scans."""
    found: dict[str, list[str]] = {}
    for root in (steps.root, *subqueries):
        for step in root.walk():
            m = SCAN.match(step.text) if step.op in ("FileScan", "Scan") else None
            if m is not None and m.group(2):
                _merge(found.setdefault(m.group(2).lower(), []), [n for n, _, _ in columns_of(f"[{m.group(3)}]")])
    return found


def _merge(known: list[str], names: Iterable[str]) -> None:
    """Add names to a list where they belong: behind the one that stands before them."""
    at = 0
    for name in names:
        if name in known:
            at = known.index(name) + 1
        else:
            known.insert(at, name)
            at += 1


def lifted(lifter: Lifter, step: Step) -> LogicalPlan | None:
    """The relation that a leaf reads, with the filters on its partitions; None for one that is not known."""
    if step.op in ("FileScan", "Scan") and (m := SCAN.match(step.text)) is not None:
        if m.group(2) == "ExistingRDD":
            return LogicalRDD(lifter.operator(step).own_columns(f"[{m.group(3)}]"))
        if m.group(2) == "OneRowRelation":
            return OneRowRelation()
        if (m.group(1) or "").strip().lower() in _FORMATS and "ReadSchema" in step.text:
            return _file_scan(lifter, step, m)
    if step.op in ("LocalTableScan", "LocalRelation"):
        columns = lifter.operator(step).own_columns(step.text) if "[" in step.text else ()
        empty = "<empty>" in step.text
        return LocalRelation(columns, () if empty else UntoldRows.over(len(columns)))
    if step.op == "Range":
        return _range(lifter, step)
    if step.op == "OneRowRelation":
        return OneRowRelation()
    return None


def _file_scan(lifter: Lifter, step: Step, m: re.Match[str]) -> LogicalPlan:
    scan_columns(step.text, lifter.columns)
    _unnamed_partitions(lifter, step.text, m)
    provider, table = (m.group(1) or "").strip(), m.group(2)
    operator = lifter.operator(step)
    given = operator.own_columns(f"[{m.group(3)}]", table.lower())
    every = lifter.tables.get(table.lower(), []) if table else []
    plan: LogicalPlan = LogicalRelation(given, tuple(p for p in table.split(".") if p), None, provider)
    read = {a.name: a for a in given}
    if set(every) - set(read):
        # Two scans of one table that read other columns are told apart by the columns' places in the table.
        more = (read.get(n) or _unread(lifter, n, table.lower()) for n in every)
        plan = plan.replace(attributes=tuple(more))
    filters = _partition_filters(operator, plan)
    if filters:
        plan = Filter(conjunction(filters), plan)
    return plan if set(every) <= set(read) else Project(given, plan)


def _unnamed_partitions(lifter: Lifter, text: str, m: re.Match[str]) -> None:
    """Note the partition columns of a table without a name: those that its filters on partitions read."""
    filters = _PARTITIONS.search(text)
    if m.group(2) or filters is None:
        return
    names = [n for n, _, _ in columns_of(f"[{m.group(3)}]")]
    schema = text[text.rfind("ReadSchema: ") :]
    read = [n for n in names if f"<{n}:" not in schema and f",{n}:" not in schema]
    if "..." not in schema:
        lifter.columns.partitions["[" + ",".join(names) + "]"] = read


def _unread(lifter: Lifter, name: str, table: str) -> AttributeReference:
    number = next(lifter.fresh)
    return AttributeReference(name, lifter.columns.type_of(number, table, name, False), True, number)


def _partition_filters(operator: Operator, relation: LogicalPlan) -> list[Expression]:
    m = _PARTITIONS.search(operator.text)
    if m is None or operator.text.startswith("]", m.end()):
        return []
    line = operator.line
    over = Operator(
        type(line)(line.op, line.text, (relation,), line.plans, {}, True),
        operator.columns, operator.elaborator.mode == "ANSI", operator.found,
    )  # fmt: skip
    terms, _ = over.terms.listed(m.end())
    made = [over.elaborator.expression(t) for t in terms]
    return [e for e in made if str(e) != "true"]


def _range(lifter: Lifter, step: Step) -> LogicalPlan | None:
    m = _RANGE.match(step.text)
    if m is None:
        return None
    numbers = re.search(r"#(\d+)L", step.line.output)
    asked = lifter.open.of(step)
    number = int(numbers.group(1)) if numbers else asked[0][1] if asked else next(lifter.fresh)
    slices = re.sub(r"\D", "", m.group(4) or "")
    column = AttributeReference("id", LONG, False, number)
    return Range(int(m.group(1)), int(m.group(2)), int(m.group(3)), int(slices) if slices else None, column)


def note_broadcast_keys(lifter: Lifter, step: Step, child: LogicalPlan) -> None:
    """Note what the mode of a broadcast says of its keys: `input[0, int, false]` is the first column, never null."""
    leaves = {a.expr_id for n in child.walk() if not n.children for a in n.output}
    for place, kind, null in _BOUND.findall(step.text):
        column = child.output[int(place)] if int(place) < len(child.output) else None
        if column is None or column.expr_id not in leaves:
            continue
        if column.type == UNKNOWN:
            try:
                lifter.columns.by_id[column.expr_id] = parse_type(kind)
            except PlanvizError:
                continue
        if null == "false" and column.nullable:
            lifter.columns.never_null.add(column.expr_id)


def opaque_leaf(step: Step, operator: Operator) -> OpaqueOperator:
    """A leaf as it stands, with the columns that it lists first."""
    m = re.search(rf"\[([^\[\]]*#\d+L?(?:, ?{MORE.pattern})?)\]", step.text)
    given = operator.own_columns(f"[{m.group(1)}]") if m is not None else operator.own_columns(step.line.output)
    own = frozenset(a.expr_id for a in given)
    kind: type[OpaqueOperator] = PrintedOperator if kept_as_printed(step.op) else OpaqueOperator
    kind = PrintedRelation if SOURCE.search(step.op) else kind
    return kind((step.line.printed,), (), (), given, own, Beneath(step.inner), True, step.columnar, step.coded)
