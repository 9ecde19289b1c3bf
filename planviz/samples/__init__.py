"""Plans that a real Spark printed for this project, ready to open: what the Explore page offers (README.md in here)."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from planviz.errors import InputError


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample as the list shows it.

    `name` is its slug, `title` a line, `about` one sentence. `kind` is what planviz recognises its text as ("explain
    formatted", "rule log" ...). `query` is the SQL it was captured from with its header, as in `sample_queries/`.
    """

    name: str
    title: str
    about: str
    kind: str
    query: str | None


@cache
def _index() -> dict[str, dict[str, str]]:
    text = (files(__name__) / "index.json").read_text(encoding="utf-8")
    return {entry["name"]: entry for entry in json.loads(text)}


def samples() -> tuple[Sample, ...]:
    """All samples in the order in which they are offered; no text is read but the index."""
    fields = Sample.__slots__
    return tuple(Sample(**{field: entry.get(field) for field in fields}) for entry in _index().values())  # type: ignore[arg-type]


def load(name: str) -> str:
    """The text of the sample called `name`, as Spark printed it. Raises `InputError` for a name that is not there."""
    entry = _index().get(name)
    if entry is None:
        raise InputError(f"There is no sample called “{name}”. The samples are: {', '.join(_index())}.")
    content = (files(__name__) / "texts" / entry["file"]).read_bytes()
    return (gzip.decompress(content) if entry["file"].endswith(".gz") else content).decode()


def load_live() -> tuple[str, str]:
    """A query that a live Spark captured and ran, as text, and the catalogue of its tables (planviz-catalog/1)."""
    folder = files(__name__) / "live"
    captured = gzip.decompress((folder / "shop.planviz.json.gz").read_bytes()).decode()
    return captured, (folder / "catalog.json").read_text(encoding="utf-8")
