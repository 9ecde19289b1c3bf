"""A drawing as PNG, through resvg and the packaged font: the same pixels on every machine."""

from __future__ import annotations

from dataclasses import replace

from planviz.errors import ExportError
from planviz.render.fonts import MISSING, font_path, has_glyph
from planviz.render.primitives import Drawing, Group, Primitive, Text
from planviz.render.svg import svg
from planviz.render.theme import tokens

#: Pixels of the largest picture: some 200 MB of memory while it is drawn.
MOST_PIXELS = 50_000_000
#: Neither side may be longer: common viewers and browsers give up beyond.
MOST_SIDE = 30_000
_SCALE = 2.0  # for sharp letters on a fine screen, as long as the picture stays below this many pixels:
_SHARP_PIXELS = 16_000_000


def png(drawing: Drawing) -> bytes:
    """The drawing at twice its size, or less, down to its own size, where that would be many pixels.

    Raises ExportError when even its own size has more than `MOST_PIXELS` pixels or a side beyond `MOST_SIDE`.
    """
    import resvg_py

    area, side = drawing.width * drawing.height, max(drawing.width, drawing.height)
    if area > MOST_PIXELS or side > MOST_SIDE:
        raise ExportError(
            f"This plan is too large for a PNG: {drawing.width:,.0f} x {drawing.height:,.0f} pixels at a size one can "
            f"read, and the limit is {MOST_PIXELS // 1_000_000} million pixels and {MOST_SIDE:,} on a side. "
            "Export it as SVG or HTML, which have no such limit, or draw only a part of the plan."
        )
    scale = max(1.0, min(_SCALE, (_SHARP_PIXELS / area) ** 0.5, MOST_SIDE / side))
    family = tokens()["font"]["family"]
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg(only_known_glyphs(drawing), embed_font=False),
            zoom=scale,
            skip_system_fonts=True,
            font_files=[font_path(False), font_path(True)],
            font_family=family,
            sans_serif_family=family,
        )
    )


def only_known_glyphs(drawing: Drawing) -> Drawing:
    """The drawing with a visible mark in place of every character that the font cannot draw."""
    return replace(drawing, items=tuple(_known(item) for item in drawing.items))


def _known(item: Primitive | Group) -> Primitive | Group:
    if isinstance(item, Group):
        return Group(item.label, tuple(_known_text(part) if isinstance(part, Text) else part for part in item.items))
    return _known_text(item) if isinstance(item, Text) else item


def _known_text(item: Text) -> Text:
    if item.text.isascii():
        return item
    return replace(item, text="".join(c if has_glyph(c) else MISSING for c in item.text))
