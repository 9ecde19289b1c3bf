"""The tokens: every kind has a colour and an icon, and words can be read (WCAG AA)."""

from __future__ import annotations

import pytest

from planviz.graph import KINDS
from planviz.render.theme import THEMES, kind_colour, palette, tokens


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_words_reach_aa(theme: str) -> None:
    colours = palette(theme)
    for ground in ("surface", "card"):
        for ink in ("ink", "muted", "accent"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
    for chip in ("badge", "estimated", "warning", "problem"):
        assert contrast(colours[chip]["text"], colours[chip]["fill"]) >= 4.5, chip


@pytest.mark.parametrize("theme", THEMES)
def test_bars_icons_and_links_can_be_seen(theme: str) -> None:
    colours = palette(theme)
    for kind in KINDS:
        assert contrast(kind_colour(kind, theme), colours["card"]) >= 3, kind
    assert contrast(colours["link"], colours["surface"]) >= 3


def test_every_kind_has_its_own_look() -> None:
    kinds = tokens()["kinds"]

    assert tuple(kinds) == KINDS
    for key in ("label", "light", "dark", "icon"):
        assert len({kind[key] for kind in kinds.values()}) == len(KINDS)


@pytest.mark.parametrize("theme", THEMES)
def test_red_is_kept_for_problems(theme: str) -> None:
    import colorsys

    for kind in KINDS:
        channels = [int(kind_colour(kind, theme)[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        hue, _, saturation = colorsys.rgb_to_hls(*channels)
        assert saturation < 0.2 or 12 < hue * 360 < 340, kind
