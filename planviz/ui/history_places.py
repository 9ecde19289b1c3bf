"""Which catalogues of executions the Event logs page may read."""

from __future__ import annotations

import os
from pathlib import Path

from planviz.errors import InputError

#: Carries what `planviz serve --history` said to the pages: catalogues, or folders of them, one a line.
VARIABLE = "PLANVIZ_HISTORY"


def places() -> dict[str, str]:
    """The catalogues that the server was started with: name and path, names in order."""
    named: dict[str, str] = {}
    for said in os.environ.get(VARIABLE, "").splitlines():
        if "://" in said:
            named[said.rstrip("/").rpartition("/")[2]] = said
        elif said:
            folder = Path(said)
            found = [folder, *sorted(folder.iterdir())] if folder.is_dir() else []
            named |= {path.name: str(path) for path in found if (path / "executions").is_dir()}
    return named


def path_of(named: str) -> str:
    """The path of a catalogue by its name. Raises InputError for what this server does not show.

    A path or an address is never taken from a page or a link: reading one sends requests and tells which files exist.
    """
    known = places()
    if named in known:
        return known[named]
    there = ", ".join(known) or "none"
    raise InputError(
        f"This server shows only the catalogues that it was started with: {there}. Start it with planviz serve "
        "--history DIR to see another."
    )
