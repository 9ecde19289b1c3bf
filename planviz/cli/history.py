"""`planviz history`: past executions out of a catalogue, searched, ranked, opened."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from planviz.cli.files import write, write_file
from planviz.render.text import one_line

if TYPE_CHECKING:
    from planviz.history.catalogue import Catalogue, PastExecution, ReadLog
    from planviz.history.changed import PlanChange
    from planviz.history.questions import Question

_RANKS = ("slowest", "spill", "shuffle", "estimate", "changed", "failed", "latest")


def add_history(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("catalogue", metavar="CATALOGUE", help="what `planviz spark ingest LOGS -o CATALOGUE` wrote")
    parser.add_argument("--rank", choices=_RANKS, default="slowest", help="changed: plans that changed between runs")
    parser.add_argument("--application", default="", metavar="NAME|ID")
    parser.add_argument("--text", default="", help="part of the description or of the error")
    parser.add_argument("--since", metavar="TIME", help="a day or a time in UTC: 2026-09-21, 2026-09-21T14:30")
    parser.add_argument("--until", metavar="TIME", help="a day, which counts, or a time")
    parser.add_argument("--operator", default="", metavar="NAME", help="plans with this operator, such as Window")
    parser.add_argument("--join", default="", metavar="NAME", help="plans with this strategy, such as SortMergeJoin")
    parser.add_argument("--status", choices=("succeeded", "failed", "incomplete"), default="")
    parser.add_argument("--limit", type=int, default=20, metavar="N", help="at most so many; default: 20")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--open", metavar="LOG#ID", help="print this execution as a document that planviz opens")
    what.add_argument("--logs", action="store_true", help="the logs that were read, and what was damaged in them")
    parser.add_argument("-o", "--output", metavar="FILE", help="with --open: write the document here")


def history(options: argparse.Namespace) -> int:
    """Answer one question. Raises InputError for what is no catalogue, and for a name that nothing has."""
    from planviz.history.catalogue import Catalogue

    catalogue = Catalogue(options.catalogue)
    if options.open:
        return _open(catalogue, options)
    if options.logs:
        return _logs(catalogue, options.format)
    question = _question(options)
    if question.rank == "changed":
        return _changed(catalogue, question, options.format)
    from planviz.history.ranked import ranked

    answer = ranked(catalogue, question)
    if options.format == "text" and not answer.count:
        return _nothing(question.rank)
    if options.format == "json":
        told = [_json(execution) for execution in answer.executions]
        _write_json({"rank": question.rank, "count": answer.count, "executions": told})
    else:
        more = f"; the first {len(answer.executions):,}" if len(answer.executions) < answer.count else ""
        write(f"{answer.count:,} executions{more}\n" + _table([_HEAD, *map(_cells, answer.executions)]))
    return 0


def _nothing(rank: str) -> int:
    from planviz.history.words import nothing

    write(f"{nothing(rank)}\n")
    return 0


def _question(options: argparse.Namespace) -> Question:
    from planviz.history.questions import Question, moment

    return Question(
        options.rank, options.application, options.text, moment(options.since) if options.since else None,
        moment(options.until, end=True) if options.until else None, options.operator, options.join, options.status,
        options.limit,
    )  # fmt: skip


def _open(catalogue: Catalogue, options: argparse.Namespace) -> int:
    from planviz.history.opened import document_text, find

    found = find(catalogue, options.open)
    text = document_text(catalogue, found.log, found.execution_id, found.description)
    if options.output:
        write_file(Path(options.output), text.encode("utf-8", "surrogateescape"))
    else:
        write(text)
    return 0


def _logs(catalogue: Catalogue, format: str) -> int:
    logs = catalogue.logs()
    if format == "json":
        _write_json([asdict(log) for log in logs])
    else:
        write("".join(map(_log, logs)))
    return 0


def _log(log: ReadLog) -> str:
    lines = [f"{log.path}: {log.executions:,} executions"]
    lines += [f"  {file}{f', line {line}' if line else ''}: {one_line(reason)}" for file, line, reason in log.faults]
    return "".join(f"{line}\n" for line in lines)


def _changed(catalogue: Catalogue, question: Question, format: str) -> int:
    from planviz.history.changed import changes

    found, count = changes(catalogue, question)
    if format == "text" and not count:
        return _nothing("changed")
    if format == "json":
        told = [asdict(change) | {"difference": _difference(catalogue, change)} for change in found]
        _write_json({"rank": question.rank, "count": count, "changes": told})
    else:
        more = f"; the first {len(found):,}" if len(found) < count else ""
        write(f"{count:,} queries whose plan changed{more}\n")
        write("".join(_change(catalogue, change) for change in found))
    return 0


def _difference(catalogue: Catalogue, change: PlanChange) -> list[str]:
    from planviz.history.difference import in_words
    from planviz.history.opened import plan_of

    plans = [plan_of(catalogue, side.log, side.execution_id) for side in (change.before, change.after)]
    return in_words(*plans)


def _change(catalogue: Catalogue, change: PlanChange) -> str:
    from planviz.history.words import change_of_time, duration, when

    sides = []
    for name, side in (("before", change.before), ("after", change.after)):
        times = f"{side.executions:,} times, median {duration(side.milliseconds) or 'unknown'}"
        sides.append(f"  {name:<7} {times}, last {when(side.last)}, {side.reference}")
    lines = ["", f"{one_line(change.application, 60)}: {one_line(change.description, 160)}", *sides]
    turns = "; the two plans take turns" if change.overlapping else ""
    lines.append(f"  {change_of_time(change) or 'times cannot be compared'}{turns}")
    told = _difference(catalogue, change) or ["the plans as they ran are alike; they differed before they ran"]
    return "\n".join(lines + [f"    {one_line(line)}" for line in told]) + "\n"


_HEAD = ("when (UTC)", "time", "shuffled", "spilled", "estimate", "joins", "status", "execution", "what")


def _cells(execution: PastExecution) -> tuple[str, ...]:
    from planviz.history import words

    return (
        words.when(execution.started),
        words.duration(execution.milliseconds),
        words.size(execution.shuffle_write_bytes),
        words.size(execution.disk_spill_bytes),
        words.estimate(execution),
        words.joins(execution),
        execution.status,
        f"{execution.app_id or execution.log}#{execution.execution_id}",
        f"{one_line(execution.app_name, 40)}: {one_line(execution.error or execution.description, 90)}",
    )


def _table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "".join(
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True) if width).rstrip() + "\n"
        for row in rows
    )


def _json(execution: PastExecution) -> dict[str, object]:
    from planviz.history.ranked import estimate_error

    error = estimate_error(execution.estimated_rows, execution.output_rows)
    return asdict(execution) | {"estimate_error": error, "open": execution.reference}


def _write_json(value: object) -> None:
    write(json.dumps(value, indent=1, ensure_ascii=True, default=lambda time: time.isoformat()) + "\n")
