"""The page and the picture are one surface: .streamlit/config.toml repeats the colours of theme.json."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from planviz.document import PASTE_LIMIT
from planviz.render.theme import THEMES, palette

CONFIG = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text("utf-8"))


@pytest.mark.parametrize("theme", THEMES)
def test_colours_are_those_of_the_picture(theme: str) -> None:
    colours, page = palette(theme), CONFIG["theme"][theme]
    pairs = {
        "primaryColor": "accent",
        "backgroundColor": "card",
        "secondaryBackgroundColor": "surface",
        "textColor": "ink",
        "borderColor": "border",
    }
    assert {ours: page[ours] for ours in pairs} == {ours: colours[theirs] for ours, theirs in pairs.items()}


def test_what_the_box_takes_gets_through() -> None:
    # As JSON a text grows by its escapes: half as much again covers every newline and quote of a plan.
    assert CONFIG["server"]["maxWidgetStateSize"] * 1024 * 1024 > 1.5 * PASTE_LIMIT
    assert CONFIG["server"]["maxMessageSize"] > CONFIG["server"]["maxWidgetStateSize"]


def test_nothing_is_told_to_anybody() -> None:
    assert CONFIG["browser"]["gatherUsageStats"] is False
