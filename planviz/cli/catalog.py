"""`planviz catalog`: bundled catalogues, what is in one, what is wrong with one, one guessed or with other numbers."""

from __future__ import annotations

import argparse
import json
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path

from planviz.catalog import NAMES, Catalog, Table, edited, read_bundled, write_catalog
from planviz.catalog.check import contradictions
from planviz.catalog.files import Problem
from planviz.catalog.text import catalog_text
from planviz.catalogs import find, guess, problems_of
from planviz.cli.files import complain, read_text, say, write, write_file
from planviz.errors import InputError, PlanvizError


def catalog(options: argparse.Namespace) -> int:
    """Run the part that was asked for."""
    return {"list": _list, "show": _show, "check": _check, "infer": _infer, "edit": _edit}[options.part](options)


def _list(options: argparse.Namespace) -> int:
    entries = [(name, read_bundled(name)) for name in NAMES]
    if options.format == "json":
        rows = [{"name": n, "description": c.description, "tables": c.names()} for n, c in entries]
        write(json.dumps(rows, indent=1) + "\n")
    else:
        width = max(map(len, NAMES))
        write("".join(f"{n:<{width}}  {len(c.names()):2} tables  {c.description}\n" for n, c in entries))
    return 0


def _show(options: argparse.Namespace) -> int:
    found = find(options.catalog)
    wanted = [_table(found, name) for name in options.tables]
    if options.format == "json":
        if wanted:
            tables = {t.key: t for t in wanted}
            found = Catalog(found.name, tables, {}, found.description)
        write(write_catalog(found) + "\n")
    else:
        write(catalog_text(found, wanted or None))
    _notes(found.notes)
    return 0


def _table(catalog: Catalog, name: str) -> Table:
    table = catalog.table(tuple(name.split(".")))
    if table is None:
        near = get_close_matches(name.lower(), [n.lower() for n in catalog.names()], 1, 0.6)
        hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(catalog.names()) or 'none'}."
        raise InputError(f"The catalogue {catalog.name} has no table {name}; {hint}")
    return table


def _check(options: argparse.Namespace) -> int:
    status = 0
    report: list[dict[str, object]] = []
    for name in options.catalogs:
        try:
            found = problems_of(name)
        except PlanvizError as error:
            complain(name, error)
            status = 2
            continue
        status = max(status, 1 if found else 0)
        report.append({"catalog": name, "problems": [{"path": p.path, "message": p.message} for p in found]})
        if options.format == "text":
            write(_checked(name, found))
    if options.format == "json":
        write(json.dumps(report, indent=1) + "\n")
    return status


def _checked(name: str, found: list[Problem]) -> str:
    if not found:
        return f"{name}: nothing is wrong.\n"
    return "".join(f"{name}: {problem}\n" for problem in found)


def _infer(options: argparse.Namespace) -> int:
    known = find(options.catalog) if options.catalog else Catalog()
    guessed, warnings = guess([read_text(name) for name in options.files], known)
    text = catalog_text(guessed) if options.format == "text" else write_catalog(guessed) + "\n"
    if options.output:
        write_file(Path(options.output), text.encode("utf-8"))
    else:
        write(text)
    _notes(warnings)
    return 0


def _edit(options: argparse.Namespace) -> int:
    found = find(options.catalog)
    if options.scale is not None:
        found = found.scaled(factor(options.scale), options.tables or None)
    found = edited(found, options.set)
    text = catalog_text(found) if options.format == "text" else write_catalog(found) + "\n"
    if options.output:
        write_file(Path(options.output), text.encode("utf-8"))
    else:
        write(text)
    _notes([str(problem) for problem in contradictions(found)])
    return 0


def factor(text: str) -> Fraction:
    """A factor as 10, 0.5 or 1/3. Raises InputError for another text."""
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InputError(f"{text} is no factor; write it as 10, 0.5 or 1/3.") from None


def _notes(notes: list[str] | tuple[str, ...]) -> None:
    for note in notes:
        say(f"planviz: note: {note}")
