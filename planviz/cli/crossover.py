"""`planviz crossover`: at which sizes of the tables the joins of a query change."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence

from planviz.cli.files import read_text, show_each
from planviz.cli.optimize import errors_of, statement_heading, statement_json
from planviz.cli.settings import open_file
from planviz.document.alternatives.what_if import tables_of
from planviz.document.cardinality.crossovers import Change, Crossovers, crossovers, crossovers_json
from planviz.errors import InputError, PlanvizError
from planviz.execution import QueryExecution
from planviz.settings import read_bytes
from planviz.units import exact

_ENDINGS = {"text": "txt", "json": "json"}


def crossover(options: argparse.Namespace) -> int:
    """Print the crossovers of each file's queries: for one table, for each in turn, or for all together."""
    low, high = _size(options.low), None if options.high is None else _size(options.high)

    def show(name: str) -> tuple[str, Sequence[PlanvizError]]:
        document = open_file(read_text(name), options, "physical")
        queries = []
        for s in document.statements:
            if s.execution is not None and s.error is None:
                found = [crossovers(s.execution, t, low, high) for t in _tables(s.execution, options)]
                queries.append((s, found))
        if options.format == "json":
            told = [{**statement_json(s), "crossovers": [crossovers_json(f) for f in found]} for s, found in queries]
            shown = json.dumps({"file": name, "statements": told}, ensure_ascii=True, indent=1) + "\n"
        else:
            heads = [statement_heading(s) if len(queries) > 1 else "" for s, _ in queries]
            texts = ["\n".join(map(_text, found)) for _, found in queries]
            shown = "\n".join(head + text for head, text in zip(heads, texts, strict=True))
        return shown, errors_of(document)

    return show_each(options.files, options.out, _ENDINGS[options.format], show)


def _size(text: str) -> int:
    size = read_bytes(text)
    if size is None:
        raise InputError(f"{text} is no size; write it as 1048576, 10MB or 1g.")
    return size


def _tables(execution: QueryExecution, options: argparse.Namespace) -> Sequence[str | None]:
    if options.together:
        return [None]
    return options.table or sorted(tables_of(execution))


def _text(found: Crossovers) -> str:
    first, *others = found.tables
    with_it = f", in proportion {', '.join(others)}" if others else ""
    now = f"now {exact(found.now)} bytes" if found.now else "size unknown"
    count = len(found.crossovers)
    lines = [f"{first} ({now}){with_it}: {count} {'crossover' if count == 1 else 'crossovers'}, {found.plans} plans"]
    for stretch, crossing in zip(found.stretches, [*found.crossovers, None], strict=True):
        lines.append(f"  {exact(stretch.low)} to {exact(stretch.high)} bytes")
        lines += [f"    {relations}: {operator}" for relations, operator in stretch.joins]
        if crossing is not None:
            lines += [f"  > {text}" for change in crossing.changes for text in _change(change)]
    return "\n".join(lines) + "\n"


def _change(change: Change) -> Iterator[str]:
    if not change.before or not change.after:
        yield f"{change.relations}: {'no longer joined' if change.before else 'joined'} in this order"
        return
    yield f"{change.relations}: {change.before} -> {change.after}"
    if change.test:
        after = dict(change.saw_after)
        numbers = [
            f"{name} {exact(value)}" + (f" -> {exact(after[name])}" if after.get(name, value) != value else "")
            for name, value in change.saw_before
        ]
        yield f"  {change.test} {', '.join(numbers)}"
