"""Which catalogues of executions the Event logs page may read."""

from __future__ import annotations

import os
from pathlib import Path

from planviz.errors import InputError

#: Carries what `planviz serve --history` said to the pages: a catalogue, or a folder of them.
VARIABLE = "PLANVIZ_HISTORY"


def places() -> dict[str, str]:
    """The catalogues that the server was started with: name and path, names in order."""
    said = os.environ.get(VARIABLE, "")
    if not said:
        return {}
    if "://" in said:
        return {said.rstrip("/").rpartition("/")[2]: said}
    folder = Path(said)
    found = [folder, *sorted(folder.iterdir())] if folder.is_dir() else []
    return {path.name: str(path) for path in found if (path / "executions").is_dir()}


def path_of(named: str, *, any_path: bool) -> str:
    """The path of a catalogue by its name, or a path itself where any may be read.

    Raises InputError for what this server does not show.
    """
    known = places()
    if named in known:
        return known[named]
    if any_path:
        return named if "://" in named else str(Path(named).expanduser())
    there = ", ".join(known) or "none"
    raise InputError(f"This server shows only the catalogues that it was started with: {there}.")
