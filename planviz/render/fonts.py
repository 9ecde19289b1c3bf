"""Real font metrics: how wide a text is, where to cut it, and the font itself for embedding.

The font is Source Sans Pro from the package font-source-sans-pro (SIL Open Font License), never one of the system's, so
a picture is the same everywhere.
"""

from __future__ import annotations

from functools import cache, lru_cache
from importlib.resources import files
from io import BytesIO
from unicodedata import east_asian_width

ELLIPSIS = "…"
#: Drawn in place of a character that the font lacks, where no other font can step in (PNG, PDF).
MISSING = "☐"
_FILES = {False: "SourceSansPro-Regular.ttf", True: "SourceSansPro-Semibold.ttf"}


def font_path(bold: bool) -> str:
    """The TTF file of the regular or the semibold face."""
    return str(files("font_source_sans_pro").joinpath("files", _FILES[bold]))


@cache
def _advances(bold: bool) -> dict[str, float]:
    """Advance width of every character of the face, in em."""
    from fontTools.ttLib import TTFont

    with TTFont(font_path(bold), lazy=True) as font:
        em = font["head"].unitsPerEm
        widths = font["hmtx"].metrics
        return {chr(code): widths[glyph][0] / em for code, glyph in font.getBestCmap().items()}


def has_glyph(character: str) -> bool:
    """Whether the font can draw the character."""
    return character in _advances(False)


@lru_cache(maxsize=50_000)
def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width in px of `text` at `size` px, without kerning; a character the font lacks counts as another font's."""
    known = _advances(bold)
    width = 0.0
    for character in text:
        em = known.get(character)
        if em is None:
            em = 1.0 if east_asian_width(character) in "WF" else 0.6
        width += em
    return width * size


def clip(text: str, width: float, size: float, bold: bool = False) -> str:
    """`text`, or its longest beginning with an ellipsis, at most `width` px wide."""
    if text_width(text, size, bold) <= width:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if text_width(text[:middle].rstrip() + ELLIPSIS, size, bold) <= width:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + ELLIPSIS


def wrap(text: str, width: float, size: float, most: int, bold: bool = False) -> list[str]:
    """`text` broken at spaces into at most `most` lines of at most `width` px; the last one is clipped."""
    found: list[str] = []
    words = text.split(" ")
    while words and len(found) < most - 1:
        line = words.pop(0)
        while words and text_width(f"{line} {words[0]}", size, bold) <= width:
            line += " " + words.pop(0)
        found.append(clip(line, width, size, bold))
    if words:
        found.append(clip(" ".join(words), width, size, bold))
    return found


@lru_cache(maxsize=64)
def subset(characters: frozenset[str], bold: bool) -> bytes:
    """The face as a WOFF file with only these characters, without kerning, the same bytes for the same characters."""
    from fontTools.subset import Options, Subsetter, load_font, save_font

    options = Options(
        flavor="woff",
        hinting=False,
        layout_features=[],
        name_IDs=[0, 1, 2, 13],
        notdef_outline=True,
        recalc_timestamp=False,
    )
    options.drop_tables += ["GPOS", "GSUB", "GDEF"]
    with load_font(font_path(bold), options) as font:
        subsetter = Subsetter(options)
        subsetter.populate(unicodes=sorted(map(ord, characters)))
        subsetter.subset(font)
        out = BytesIO()
        save_font(font, out, options)
    return out.getvalue()
