"""The player of operators' mechanics: what the browser plays, and the one-file page of it.

Plays come from `planviz.mechanics` as plain data (`Play.to_json`); several are the stages of one operator, one after
the other.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence

from planviz.render.html import page
from planviz.render.theme import palette, tokens


def player_data(
    plays: Sequence[Mapping[str, object]], key: str, *, play: int = 0, step: int | None = None, dark: bool | None = None
) -> dict[str, object]:
    """What the player shows.

    `key` names it: as long as it stays the same the browser keeps play and step. `play` (from 0) and `step` (from 1)
    are where it opens; `dark` None follows the page or the system.
    """
    return {"key": key, "plays": list(plays), "theme": tokens(), "dark": dark, "play": play, "step": step}


def packed(data: Mapping[str, object]) -> bytes:
    """The data as gzipped JSON, equal bytes for equal data."""
    return gzip.compress(json.dumps(data, separators=(",", ":"), allow_nan=False).encode(), 6, mtime=0)


def mechanics_page(plays: Sequence[Mapping[str, object]], *, title: str | None = None, theme: str | None = None) -> str:
    """The plays as one page that plays them and requests nothing; see `planviz.render.html`.

    `theme` is "light" or "dark"; None follows the reader's system. Raises ExportError for an unknown theme and
    ValueError when there is no play.
    """
    if not plays:
        raise ValueError("a page needs at least one play")
    if theme is not None:
        palette(theme)
    data = player_data(plays, "plays", dark=None if theme is None else theme == "dark")
    return page("mechanics", data, title or str(plays[0]["title"]), theme)
