"""Every way to a catalogue: a bundled one by its name, a file, a text of either kind."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from pathlib import Path

from planviz.catalog.bundled import NAMES, read_bundled
from planviz.catalog.files import read_catalog
from planviz.catalog.tables import Catalog
from planviz.errors import InputError
from planviz.execution import Session


def find(name: str) -> Catalog:
    """The catalogue that `name` means: a bundled one, a file (planviz-catalog/1 or DDL), `-` for standard input.

    Raises InputError that names the nearest bundled catalogues when there is nothing of that name, or says what is
    wrong in the file.
    """
    if name.lower() in NAMES and not Path(name).is_file():
        return read_bundled(name.lower())
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as e:
        if not isinstance(e, OSError):
            raise InputError(f"The catalogue file {name} is no text in UTF-8.") from None
        near = get_close_matches(name.lower(), NAMES, 2, 0.5)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"The bundled ones are {', '.join(NAMES)}."
        raise InputError(f"There is no catalogue or file called “{name}”. {hint}") from None
    return read(text, "standard input" if name == "-" else Path(name).stem)


def read(text: str, name: str = "catalog") -> Catalog:
    """The catalogue that a text describes: planviz-catalog/1 JSON, or DDL. Raises InputError with its place."""
    if text.lstrip().startswith("{"):
        return read_catalog(text)
    session = Session(Catalog(name))
    for outcome in session.run(text):
        if outcome.error is not None:
            raise outcome.error
    return session.catalog
