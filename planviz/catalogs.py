"""Every way to a catalogue: a bundled one by its name, a file, a text of either kind, a guess from queries."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from planviz.catalog.bundled import NAMES, bundled_text, read_bundled
from planviz.catalog.check import contradictions
from planviz.catalog.described import take_descriptions, with_column_descriptions
from planviz.catalog.files import Problem, parse_catalog, read_catalog
from planviz.catalog.tables import Catalog
from planviz.errors import InputError, PlanvizError
from planviz.execution import Session, explain
from planviz.units import byte_size

#: Bytes of a catalogue's file.
_MOST = 512 << 20


def find(name: str) -> Catalog:
    """The catalogue that `name` means: a bundled one, a file (planviz-catalog/1 or DDL), `-` for standard input.

    Raises InputError that names the nearest bundled catalogues when there is nothing of that name, or says what is
    wrong in the file.
    """
    if _is_bundled(name):
        return read_bundled(name.lower())
    return read(_text(name), "standard input" if name == "-" else Path(name).stem)


def read(text: str, name: str = "catalog") -> Catalog:
    """The catalogue that a text describes: planviz-catalog/1 JSON, DDL, or pasted descriptions.

    What plans do not depend on (constraints) stands in its notes. Raises InputError with its place.
    """
    if text.lstrip().startswith("{"):
        return read_catalog(text)
    sql, catalog, of_columns = take_descriptions(text, Catalog(name))
    session = Session(catalog)
    notes = []
    for outcome in session.run(sql):
        if outcome.error is not None:
            raise outcome.error
        table = ".".join(outcome.statement.name)
        notes += [f"{table}: {note}" for note in outcome.statement.notes]
    return replace(with_column_descriptions(session.catalog, of_columns), notes=tuple(notes))


def problems_of(name: str) -> list[Problem]:
    """Everything that is wrong in the catalogue that `name` means, each with its path.

    Raises InputError for what is no catalogue at all, and for DDL that cannot be read.
    """
    text = bundled_text(name.lower()) if _is_bundled(name) else _text(name)
    if not text.lstrip().startswith("{"):
        return contradictions(read(text, name))
    catalog, problems = parse_catalog(text)
    for view in catalog.views.values():
        try:
            explain(view.sql, catalog)
        except PlanvizError as e:
            problems.append(Problem(f"views.{view.name}", str(e)))
    return problems + contradictions(catalog)


def guess(scripts: Iterable[str], known: Catalog | None = None) -> tuple[Catalog, list[str]]:
    """A catalogue of the tables that scripts read or create and `known` does not have, and warnings.

    Raises ParseError for a script that cannot be read.
    """
    known = known or Catalog()
    session = Session(known, infer=True)
    for _ in session.run(";\n".join(scripts)):
        pass
    tables = {key: t for key, t in session.catalog.tables.items() if key not in known.tables}
    return replace(Catalog("guessed"), tables=tables), session.warnings


def _is_bundled(name: str) -> bool:
    return name.lower() in NAMES and not Path(name).is_file()


def _text(name: str) -> str:
    try:
        if name == "-":
            return sys.stdin.read()
        with Path(name).open("rb") as file:  # a device may go on without end
            data = file.read(_MOST + 1)
        if len(data) > _MOST:
            raise InputError(f"The catalogue file {name} is larger than {byte_size(_MOST)}: no catalogue is.")
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise InputError(f"The catalogue file {name} is no text in UTF-8.") from None
    except OSError as e:
        if Path(name).exists():
            raise InputError(f"The catalogue file {name} cannot be read: {e.strerror}.") from None
        near = get_close_matches(name.lower(), NAMES, 2, 0.5)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"The bundled ones are {', '.join(NAMES)}."
        raise InputError(f"There is no catalogue or file called “{name}”. {hint}") from None
