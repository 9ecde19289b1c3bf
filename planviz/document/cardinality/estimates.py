"""The estimates of a query's operators, for a person and as JSON values (inventory E-034, G-018)."""

from __future__ import annotations

from collections.abc import Iterator

from planviz.catalog.statistics import ColumnStatistics
from planviz.decisions.estimates import EstimateRecord, StatisticsSource, Step, figure_text
from planviz.document.decisions.queries import plain
from planviz.estimation import explain_estimates
from planviz.execution import QueryExecution
from planviz.jsontypes import JsonObject
from planviz.units import byte_size, exact


def estimates_of(execution: QueryExecution) -> list[EstimateRecord]:
    """The estimates of the optimized plan's operators, in the order of its text. Raises what the stages raise."""
    return list(explain_estimates(execution.optimized, execution.config))


def estimates_text(records: list[EstimateRecord]) -> str:
    """Every operator with its rows and bytes, the formulas that gave them, what they assume, where numbers are from."""
    return "".join(f"{'  ' * r.depth}{line}\n" for r in records for line in _lines(r))


def _lines(r: EstimateRecord) -> Iterator[str]:
    yield plain(r.operator)
    rows = "rows unknown" if r.rows is None else f"{exact(r.rows)} rows"
    yield f"    {rows}, {byte_size(r.size)}" + (" (size unknown)" if r.size_label == "unknown" else "")
    if r.inherited:
        yield "    as the child"
        return
    yield f"    {r.formula.text} = {r.calculation}  ({r.formula.spark})"
    for step in r.steps:
        yield from _step_lines(step, 3)
    if r.assumptions:
        yield f"    assumes {', '.join(a.name for a in r.assumptions)}"
    if not r.node.children:
        yield from (f"    {_source(s)}" for s in r.sources)


def _step_lines(step: Step, depth: int) -> Iterator[str]:
    about = f"{plain(step.about)}: " if step.about else ""
    value = "not estimated" if step.value is None else figure_text(step.value)
    yield f"{'  ' * depth}{about}{value} = {step.calculation}"
    for part in step.parts:
        yield from _step_lines(part, depth + 1)


def _source(s: StatisticsSource) -> str:
    when = f", {s.analyzed_at}" if s.analyzed_at else ""
    unknown = f"; nothing of {', '.join(s.unknown)}" if s.unknown else ""
    return f"statistics of {s.table}: {s.kind}{when}{unknown}"


def estimate_json(r: EstimateRecord) -> dict[str, object]:
    """An estimate as JSON values; null for what is unknown."""
    return {
        "operator": r.operator, "depth": r.depth, "rows": r.rows, "rowsLabel": r.label, "bytes": r.size,
        "bytesLabel": r.size_label, "inherited": r.inherited, "rule": r.formula.name, "spark": r.formula.spark,
        "formula": r.formula.text, "inputs": _values(r.inputs), "calculation": r.calculation,
        "bytesFormula": None if r.size_formula is None else r.size_formula.text, "bytesInputs": _values(r.size_inputs),
        "steps": [_step_json(s) for s in r.steps],
        "columns": [{"name": c.name, "before": _column(c.before), "after": _column(c.after)} for c in r.columns],
        "assumptions": [{"name": a.name, "sentence": a.sentence} for a in r.assumptions],
        "sources": [
            {"table": s.table, "kind": s.kind, "rows": s.rows, "bytes": s.size, "analyzedAt": s.analyzed_at,
             "columns": list(s.columns), "unknown": list(s.unknown)}
            for s in r.sources
        ],
    }  # fmt: skip


def _step_json(s: Step) -> dict[str, object]:
    return {
        "about": s.about, "value": s.value, "formula": s.formula.text, "inputs": _values(s.inputs),
        "calculation": s.calculation, "parts": [_step_json(p) for p in s.parts],
    }  # fmt: skip


def _values(pairs: tuple[tuple[str, object], ...]) -> JsonObject:
    return {name: plain_value(value) for name, value in pairs}


def plain_value(value: object) -> object:
    """A value of a column as JSON has it: what it has no type for, a date or a decimal, as text."""
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _column(stats: object) -> dict[str, object] | None:
    if not isinstance(stats, ColumnStatistics):
        return None
    return {
        "distinctCount": stats.distinct_count, "min": plain_value(stats.min), "max": plain_value(stats.max),
        "nullCount": stats.null_count, "histogram": stats.histogram is not None,
    }  # fmt: skip
