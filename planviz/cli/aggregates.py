"""`planviz aggregates`: the stages of every aggregate, their estimates, and rows on their way through them."""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterator, Sequence

from planviz.cli.files import read_text, show_each
from planviz.cli.optimize import errors_of, statement_heading
from planviz.cli.settings import open_input
from planviz.document import Document
from planviz.document.alternatives.aggregate_flips import what_ifs
from planviz.document.comparison.replays import report_json, report_text
from planviz.document.decisions.aggregates import AggregateReport, stage_words
from planviz.document.decisions.aggregates import aggregates as aggregates_of
from planviz.document.decisions.pasted_aggregate import modelled
from planviz.document.rows.aggregates import Played, labels, played, rows_from, sample_of, stage_estimates
from planviz.document.rows.stage_drawing import draw_stages
from planviz.errors import InputError, PlanvizError
from planviz.mechanics.play import text_of
from planviz.render.svg import svg
from planviz.types.values import Value
from planviz.units import byte_size, exact

_ENDINGS = {"text": "txt", "json": "json", "svg": "svg"}

Partitions = Sequence[Sequence[Sequence[Value]]]


def aggregates(options: argparse.Namespace) -> int:
    """Print the aggregates of each file's queries, or of its pasted plans."""

    def show(name: str) -> tuple[str, Sequence[PlanvizError]]:
        document = open_input(read_text(name), options, "physical")
        found = aggregates_of(document)
        if options.format == "svg":
            return _svg(found, options), errors_of(document) if document.statements else []
        if options.format == "json":
            told = [_json(r, options) for r in found]
            replays = [report_json(s) for s in document.statements if s.replay is not None]
            more = {"replays": replays} if replays else {}
            shown = json.dumps({"file": name, "aggregates": told, **more}, ensure_ascii=True, indent=1) + "\n"
        else:
            shown = "\n".join(_texts(document, found, options)) or "No aggregate.\n"
            heads = [report_text(s, "aggregates") for s in document.statements if s.replay is not None]
            shown = "\n".join([*heads, shown])
        return shown, errors_of(document) if document.statements else []

    return show_each(options.files, options.out, _ENDINGS[options.format], show)


def _svg(found: Sequence[AggregateReport], options: argparse.Namespace) -> str:
    """The stages of the aggregate of a number, from 1, with sample rows. Raises InputError when there is none."""
    if not 1 <= options.aggregate <= len(found):
        raise InputError(f"There is no aggregate {options.aggregate}: the file has {len(found) or 'none'}.")
    report = found[options.aggregate - 1]
    model = report if report.execution is not None else modelled(report, report.graph)
    rows = _played(report, options.row)
    read, sent = None if isinstance(model, str) else model, None if isinstance(rows, str) else rows
    return svg(draw_stages(report, read, sent, theme=options.theme))


def _texts(document: Document, found: Sequence[AggregateReport], options: argparse.Namespace) -> Iterator[str]:
    """Each aggregate; above the first of a statement which one it is, where there are several."""
    several, before = len({r.statement for r in found}) > 1, None
    for number, report in enumerate(found, 1):
        text = _text(number, report, options)
        if several and report.statement is not None and report.statement != before:
            text = statement_heading(document.statements[report.statement]) + text
        before = report.statement
        yield text


def _text(number: int, report: AggregateReport, options: argparse.Namespace) -> str:
    functions, keys = ", ".join(report.functions) or "only groups", ", ".join(report.keys)
    lines = [f"Aggregate {number}: {functions}{f' by {keys}' if keys else ''}"]
    lines += [f"  {line}" for line in stage_words(report)]
    lines += [f"  {note}" for note in report.notes]
    for at, e in enumerate(stage_estimates(report), 1):
        size = "unknown" if e.rows is None or e.bytes is None else f"{exact(e.rows)} rows, {byte_size(e.bytes)}"
        formula = f" (rows = {e.calculation}, bytes = {e.bytes_calculation})" if e.rows is not None else ""
        lines.append(f"  estimated after stage {at}: {size}{formula}")
    lines += [f"  with {w.key} = {str(w.value).lower()}: {', '.join(w.operators)}" for w in what_ifs(report)]
    if options.rows or options.row:
        found = _played(report, options.row)
        lines += [f"  {found}"] if isinstance(found, str) else [f"  {line}" for line in _rows(found)]
    return "\n".join(lines) + "\n"


def _played(report: AggregateReport, given: Sequence[str] | None) -> Played | str:
    """Sample rows, or those given as comma-separated values, through the stages. Raises InputError for a bad row."""
    model = report if report.execution is not None else modelled(report, report.graph)
    if isinstance(model, str):
        return model
    if not given:
        return played(model, sample_of(model))
    names = labels(model)
    rows = list(csv.reader(given))
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            raise InputError(f"Row {number} has {len(row)} values; give {len(names)}: {', '.join(names)}.")
    return played(model, rows_from(model, {name: [row[at] for row in rows] for at, name in enumerate(names)}))


def _rows(found: Played) -> Iterator[str]:
    yield from _table("input", [a.name for a in found.columns], found.partitions)
    for at, stage in enumerate(found.stages, 1):
        yield from _table(f"after stage {at}", [name for name, _ in stage.columns], stage.partitions)


def _table(title: str, columns: Sequence[str], partitions: Partitions) -> Iterator[str]:
    rows = [[str(at), *map(text_of, row)] for at, part in enumerate(partitions) for row in part]
    lines = [["partition", *columns], *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(columns) + 1)]
    yield f"{title}:"
    for line in lines:
        yield "  " + "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _json(report: AggregateReport, options: argparse.Namespace) -> dict[str, object]:
    estimates = stage_estimates(report)
    stages = []
    for at, stage in enumerate(report.stages):
        buffers = stage.planned.buffers if stage.planned is not None else None
        stages.append(
            {
                "operator": stage.text.operator,
                "mode": stage.text.mode,
                "keys": list(stage.text.keys),
                "functions": [{"text": f["text"], "mode": f["mode"]} for f in stage.text.functions],
                "buffers": None if buffers is None else [[a.name, a.type.simple_string] for a in buffers],
                "exchange": stage.exchange,
                "checks": [{"question": c.condition, "passed": c.passed, "setting": c.setting} for c in stage.checks],
                "rows": estimates[at].rows if estimates else None,
                "bytes": estimates[at].bytes if estimates else None,
            }
        )
    told: dict[str, object] = {"keys": list(report.keys), "functions": list(report.functions), "stages": stages}
    told["notes"] = list(report.notes)
    told["what_if"] = [{"setting": w.key, "value": w.value, "operators": list(w.operators)} for w in what_ifs(report)]
    if options.rows or options.row:
        found = _played(report, options.row)
        parts = [] if isinstance(found, str) else [found.partitions, *[s.partitions for s in found.stages]]
        told["sample"] = [[[list(map(text_of, row)) for row in part] for part in partitions] for partitions in parts]
    return told
