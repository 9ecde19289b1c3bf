"""The card of one estimate: the number, its formula with values put in, what it takes for granted (G-006, G-018)."""

from __future__ import annotations

from collections.abc import Iterable

from planviz.decisions.estimates import ColumnChange, EstimateRecord, Formula, StatisticsSource, Step, figure_text
from planviz.jsontypes import JsonObject
from planviz.render.text import one_line
from planviz.units import exact

#: Statistics of a column that are told when an operator changes them.
_STATISTICS = (("distinct_count", "distinct"), ("min", "min"), ("max", "max"), ("null_count", "nulls"))
_COLUMNS = 24
_KINDS = {
    "declared": "written into the catalogue",
    "analyzed": "counted by ANALYZE TABLE",
    "guessed": "guessed from the query: the table is unknown",
    "default size": "nobody knows: spark.sql.defaultSizeInBytes",
    "fitted": "fitted: one size under which the pasted plan comes out; nobody gave it",
    "plan": "rows that stand in the plan",
}

Pairs = Iterable[tuple[str, object]]


def card_of(record: EstimateRecord) -> dict[str, object]:
    """The card of an operator's estimate as JSON values, all numbers as texts."""
    told: JsonObject = {
        "label": record.label,
        "size_label": record.size_label,
        "rows": None if record.rows is None else exact(record.rows),
        "bytes": exact(record.size),
        "inherited": record.inherited,
        "formula": _formula(record.formula, record.calculation),
        "inputs": _pairs(record.inputs),
        "steps": [_step(step) for step in record.steps],
        "assumes": [[a.name, a.sentence] for a in record.assumptions],
        "columns": _columns(record.columns),
        "sources": [_source(source) for source in record.sources],
    }
    if record.size_formula is not None:
        calculation = record.size_formula.with_values(dict(record.size_inputs))
        told |= {"size": _formula(record.size_formula, calculation), "size_inputs": _pairs(record.size_inputs)}
    return told


def _formula(formula: Formula, calculation: str) -> dict[str, str]:
    return {
        "name": one_line(formula.name),
        "text": one_line(formula.text),
        "spark": formula.spark,
        "calculation": one_line(calculation, 600),
    }


def _pairs(pairs: Pairs) -> list[list[str]]:
    return [[one_line(name, 120), one_line(figure_text(value), 200)] for name, value in pairs]


def _step(step: Step) -> dict[str, object]:
    told: JsonObject = {
        "about": one_line(step.about, 300),
        "value": figure_text(step.value),
        "name": one_line(step.formula.name),
        "calculation": one_line(step.calculation, 400),
    }
    return told | {"parts": [_step(part) for part in step.parts]} if step.parts else told


def _columns(changes: Iterable[ColumnChange]) -> list[JsonObject]:
    found = []
    for change in changes:
        told = [
            [words, *(figure_text(getattr(side, field, None)) for side in (change.before, change.after))]
            for field, words in _STATISTICS
            if getattr(change.before, field, None) != getattr(change.after, field, None)
        ]
        if told:
            found.append({"name": one_line(change.name, 120), "changes": told})
    return found[:_COLUMNS]


def _source(source: StatisticsSource) -> list[str]:
    words = [_KINDS.get(source.kind, source.kind)]
    if source.analyzed_at:
        words.append(f"on {source.analyzed_at}")
    if source.rows is not None:
        words.append(f"{exact(source.rows)} rows")
    if source.size is not None:
        words.append(f"{exact(source.size)} bytes")
    if source.unknown:
        words.append(f"nothing known of {', '.join(source.unknown[:6])}")
    return [one_line(source.table, 120), one_line(", ".join(words), 400)]
