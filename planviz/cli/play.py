"""`planviz play`: operators at work on small rows, step by step, as text or as a page that plays them."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

from planviz.cli.files import read_text, write, write_file
from planviz.cli.settings import open_file
from planviz.document.rows.csv_files import values_of
from planviz.document.rows.plays import (
    AGGREGATES,
    JOINS,
    named_aggregate,
    named_join,
    named_sort,
    play_text,
    query_plays,
    table_rows,
)
from planviz.errors import ExportError, InputError
from planviz.execution import QueryExecution
from planviz.mechanics import Options, Play
from planviz.mechanics.play import Row

_NAMES = {name.lower(): name for name in (*JOINS, *AGGREGATES, "Aggregate", "Sort")}


def play(options: argparse.Namespace) -> int:
    """Play what was asked for and write it."""
    operator = _NAMES.get(options.what.lower())
    plays = _query(options) if operator is None else _named(operator, options)
    ending = "txt" if options.output is None else Path(options.output).suffix.lstrip(".").lower()
    shown = _shown(plays, ending, options)
    if options.output is None:
        write(shown)
    else:
        write_file(Path(options.output), shown.encode("utf-8", "replace"))
    return 0


def _shown(plays: list[Play], ending: str, options: argparse.Namespace) -> str:
    if ending == "txt":
        return "\n".join(map(play_text, plays))
    if ending == "json":
        return json.dumps({"plays": [p.to_json() for p in plays]}, ensure_ascii=True, indent=1) + "\n"
    if ending == "html":
        from planviz.render.mechanics import mechanics_page

        named = len(plays) == 1 or options.what == "-" or options.what.lower() in _NAMES
        title = options.title or (plays[-1].title if named else Path(options.what).stem)
        return mechanics_page([p.to_json() for p in plays], title=title, theme=options.theme)
    raise ExportError(f"{options.output}: the ending must be one of html, txt, json.")


def _options(options: argparse.Namespace) -> Options:
    given = {name: getattr(options, name) for name in ("slices", "partitions", "capacity", "fallback", "threshold")}
    return Options(**given)


def _named(operator: str, options: argparse.Namespace) -> list[Play]:
    chosen = _options(options)
    if operator in JOINS:
        left, right = (_relation(options, side) for side in ("left", "right"))
        return [named_join(operator, options.type, left, right, options.on, options.build, chosen)]
    source = _relation(options, "input")
    if operator != "Sort":
        forced = operator if operator in AGGREGATES else None
        return named_aggregate(forced, source, options.group_by, options.select, chosen)
    if not options.order_by:
        raise InputError('A sort needs --order-by, such as --order-by "k DESC".')
    return named_sort(source, options.order_by, chosen)


def _relation(options: argparse.Namespace, name: str) -> str:
    """What was given as rows, as SQL."""
    given: str | None = getattr(options, name)
    if not given:
        raise InputError(f"{options.what} needs --{name}: VALUES (1, 'x') AS a(k, v), or a CSV file.")
    if re.match(r"\s*(VALUES|SELECT|\()", given, re.IGNORECASE):
        return given if not re.match(r"\s*SELECT", given, re.IGNORECASE) else f"({given})"
    return values_of(read_text(given), Path(given).stem)


def _query(options: argparse.Namespace) -> list[Play]:
    """The operators of the last query of a file of SQL that can be planned."""
    document = open_file(read_text(options.what), options, "physical")
    errors = [s.error for s in document.statements if s.error is not None]
    executions = [s.execution for s in document.statements if s.execution is not None and s.error is None]
    if not executions:
        raise errors[0] if errors else InputError(f"{options.what} holds no query, and is no operator's name.")
    execution = executions[-1]
    return query_plays(execution, _tables(execution, options), _options(options), options.operator)[0]


def _tables(execution: QueryExecution, options: argparse.Namespace) -> dict[str, list[Row]]:
    """The rows of `--rows`, by table."""
    found: dict[str, list[Row]] = {}
    for text in options.rows:
        name, equals, file = text.partition("=")
        if not equals:
            raise InputError(f"--rows {text}: write it as TABLE=FILE.csv.")
        table = execution.catalog.table(tuple(name.split(".")))
        if table is None:
            raise InputError(f"--rows {text}: there is no table {name} in the catalogue.")
        found[table.name] = table_rows(read_text(file), table)
    return found
