"""Expected rows beside measured ones, operator by operator, and where they part first (inventory G-006)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from planviz.decisions.estimates import EstimateRecord
from planviz.document.cardinality.estimates import estimate_json, estimates_of
from planviz.document.decisions.queries import plain
from planviz.document.model import Document, SqlStatement
from planviz.errors import InputError
from planviz.graph import PlanGraph, PlanNode, title
from planviz.graph.actual import FACTOR, actual_rows, error_factor, first_divergence, measured_rows
from planviz.units import byte_size


@dataclass(frozen=True)
class MeasuredRow:
    """One operator: rows and bytes that were expected (None: unknown) and rows that were measured (None: not).

    `label` says where the expectation is from: "planviz", "Spark", "Spark, rounded" or "". `record` has the formula of
    our own. `first` marks the operator where the estimates go wrong first.
    """

    operator: str
    depth: int
    expected: int | None
    size: int | None
    label: str
    measured: int | None
    record: EstimateRecord | None = None
    first: bool = False

    @property
    def factor(self) -> float | None:
        """How many times the estimate is off, from 1 on; None where one of the numbers is not known."""
        if self.expected is None or self.measured is None:
            return None
        return error_factor(self.expected, self.measured)


def measured_plans(
    document: Document, run: Document | None = None, factor: float = FACTOR
) -> list[tuple[SqlStatement | None, list[MeasuredRow]]]:
    """The operators of every query of an SQL document, or, without a statement, of the plan of a text with estimates.

    Of a pasted text Spark's own numbers count where it prints them, else those of its optimized plan, planned again.
    Measured rows are those of `run`, else of the document itself; an operator off by `factor` or more counts as wrong.
    Raises InputError when there are no estimates, or `run` has no measured rows.
    """
    ran = _ran(run or document)
    if run is not None and ran is None:
        raise InputError("That text has no measured rows: a capture that ran, an event log or Spark's REST answer has.")
    printed = [plan for plan in document.plans if any(node.estimate and node.estimate.rounded for node in plan)]
    if printed:
        return [(None, _rows(printed[0], ran, [], factor))]
    found: list[tuple[SqlStatement | None, list[MeasuredRow]]] = []
    for statement in document.statements:
        optimized = [document.plans[at] for at in statement.plans if document.plans[at].stage == "optimized"]
        if statement.execution is None or statement.error is not None or not optimized:
            continue
        records = estimates_of(statement.execution)
        # Of a broken text what could be read back is not all that stands there.
        if len(records) == len(optimized[-1]):
            found.append((statement, _rows(optimized[-1], ran, records, factor)))
    if found:
        return found
    estimated = [plan for plan in document.plans if any(node.estimate for node in plan)]
    if not estimated:
        raise InputError("There are no estimates in this text: `explain cost`, a capture or an SQL query has them.")
    return [(None, _rows(estimated[0], ran, [], factor))]


def run_rows(run: PlanGraph, factor: float = FACTOR) -> list[MeasuredRow]:
    """The operators of a plan that ran, with what stands at them: measured rows and Spark's estimates."""
    return _rows(run, run, [], factor)


def _ran(document: Document) -> PlanGraph | None:
    ran = [plan for plan in document.plans if any(measured_rows(node) is not None for node in plan)]
    return ran[-1] if ran else None


def _rows(
    graph: PlanGraph, run: PlanGraph | None, records: Sequence[EstimateRecord], factor: float
) -> list[MeasuredRow]:
    if run is None:
        actual: dict[int, int] = {}
    elif run is graph:
        actual = {node.id: count for node in run if (count := measured_rows(node)) is not None}
    else:
        actual = actual_rows(graph, run)
    if records:
        rows = [_ours(node, record, actual.get(node.id)) for node, record in zip(graph, records, strict=True)]
    else:
        rows = [_theirs(node, actual.get(node.id)) for node in graph]
    parting = first_divergence(graph, [row.expected for row in rows], actual, factor)
    if parting is not None:
        rows[parting.node] = replace(rows[parting.node], first=True)
    return rows


def _ours(node: PlanNode, record: EstimateRecord, measured: int | None) -> MeasuredRow:
    return MeasuredRow(title(node), node.depth, record.rows, record.size, "planviz", measured, record)


def _theirs(node: PlanNode, measured: int | None) -> MeasuredRow:
    if node.estimate is None:
        return MeasuredRow(title(node), node.depth, None, None, "", measured)
    label = "Spark, rounded" if node.estimate.rounded else "Spark"
    return MeasuredRow(title(node), node.depth, node.estimate.rows, node.estimate.size_in_bytes, label, measured)


def measured_text(rows: Sequence[MeasuredRow]) -> str:
    """A line for each operator: expected and measured rows and how far these are apart; below it the formula."""
    known = [row for row in rows if row.expected is not None or row.measured is not None or row.record is not None]
    if not known:
        return ""
    top = min(row.depth for row in known)
    heads = ("operator", "bytes", "expected", "measured", "off")
    cells = [heads, *(_cells(row, top) for row in known)]
    widths = [max(len(line[at]) for line in cells) for at in range(5)]
    formulas = ["", *(_formula(row, top) for row in known)]
    lines = []
    for (name, *numbers, apart), formula in zip(cells, formulas, strict=True):
        columns = "  ".join(f"{number:>{width}}" for number, width in zip(numbers, widths[1:4], strict=True))
        lines.append(f"{name:<{widths[0]}}  {columns}  {apart}".rstrip() + "\n" + formula)
    return "".join(lines)


def _cells(row: MeasuredRow, top: int) -> tuple[str, ...]:
    size = "" if row.size is None else byte_size(row.size)
    mark = "  <- first divergence" if row.first else ""
    name = "  " * (row.depth - top) + row.operator
    return name, size, _count(row.expected), _count(row.measured), off(row) + mark


def off(row: MeasuredRow) -> str:
    """How far an estimate is off: `12.0x` too many, `1/12.0` too few; empty where it is not known."""
    if row.factor is None or row.expected is None or row.measured is None:
        return ""
    return f"{row.factor:,.1f}x" if row.expected >= row.measured else f"1/{row.factor:,.1f}"


def _count(rows: int | None) -> str:
    return "" if rows is None else f"{rows:,}"


def _formula(row: MeasuredRow, top: int) -> str:
    if row.record is None or row.record.inherited:
        return ""
    formula = f"{plain(row.record.formula.text)} = {row.record.calculation}"
    return f"{'  ' * (row.depth - top)}    {formula}\n"


def measured_json(rows: Sequence[MeasuredRow]) -> list[dict[str, object]]:
    """The same as JSON values; null for what is unknown."""
    return [
        {
            "operator": row.operator, "depth": row.depth, "rows": row.expected, "bytes": row.size, "from": row.label,
            "measured": row.measured, "factor": row.factor, "firstDivergence": row.first,
            **({} if row.record is None else {"estimate": estimate_json(row.record)}),
        }
        for row in rows
    ]  # fmt: skip
