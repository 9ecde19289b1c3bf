"""The catalogues that come with planviz: planviz-catalog/1 files, all but `slides` by `tools/make_catalogs.py`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from planviz.catalog.files import read_catalog
from planviz.catalog.tables import Catalog
from planviz.errors import InputError

#: Names in the order in which they are offered.
NAMES = ("documents", "shop", "tpch", "tpcds", "slides")


@cache
def read_bundled(name: str) -> Catalog:
    """The bundled catalogue of that name, read when it is first asked for. Raises InputError for another name."""
    if name not in NAMES:
        raise InputError(f"There is no catalogue called “{name}”. The bundled ones are: {', '.join(NAMES)}.")
    return read_catalog(bundled_text(name))


def bundled_text(name: str) -> str:
    """The JSON of the bundled catalogue of that name."""
    return (files(__name__) / f"{name}.json").read_text(encoding="utf-8")
