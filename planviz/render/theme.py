"""The tokens of `theme.json`: sizes, colours and icons, the same for the screen and for every picture."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from planviz.errors import ExportError
from planviz.jsontypes import JsonObject

THEMES = ("light", "dark")


@cache
def tokens() -> JsonObject:
    """The whole of `theme.json`; lengths in px at the drawing's own size. Not to be changed by the caller."""
    loaded: dict[str, object] = json.loads(files("planviz.render").joinpath("theme.json").read_text("utf-8"))
    return loaded


def palette(theme: str) -> JsonObject:
    """The colours of the light or the dark theme.

    Raises ExportError for any other name.
    """
    if theme not in THEMES:
        raise ExportError(f"There is no theme {theme!r}: choose one of {', '.join(THEMES)}.")
    colours: dict[str, object] = tokens()[theme]
    return colours


def kind_colour(kind: str, theme: str) -> str:
    """The colour of a kind's bar and icon."""
    colour: str = tokens()["kinds"][kind][theme]
    return colour
