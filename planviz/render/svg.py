"""A drawing as SVG: every text escaped, the font's used characters inside, the same bytes for the same drawing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator
from html import escape

from planviz.render.fonts import has_glyph, subset
from planviz.render.primitives import Drawing, Group, Path, Primitive, Rect, Step, Text
from planviz.render.theme import tokens


def svg(drawing: Drawing, *, embed_font: bool = True) -> str:
    """The drawing as an SVG document, without scripts and without anything to load.

    With `embed_font` the used characters of the font travel inside (some 10 to 20 kB). Every text carries its measured
    width (`textLength`), so that another font in the font's place still keeps within its card.
    """
    width, height = _n(drawing.width), _n(drawing.height)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" font-family="{escape(_families())}">',
        f"<title>{_escaped(drawing.title)}</title>",
        f"<desc>{_escaped(drawing.description)}</desc>",
    ]
    if embed_font:
        parts.append(f"<style>{_font_faces(drawing)}</style>")
    parts.append(f'<rect width="{width}" height="{height}" fill="{drawing.background}"/>')
    for item in drawing.items:
        if isinstance(item, Group):
            parts.append(f"<g><title>{_escaped(item.label)}</title>")
            parts.extend(_element(part, embed_font) for part in item.items)
            parts.append("</g>")
        else:
            parts.append(_element(item, embed_font))
    parts.append("</svg>\n")
    return "\n".join(parts)


def texts(items: Iterable[Primitive | Group]) -> Iterator[Text]:
    """Every text of a drawing, also within groups."""
    for item in items:
        if isinstance(item, Group):
            yield from texts(item.items)
        elif isinstance(item, Text):
            yield item


def _element(item: Primitive, exact: bool) -> str:
    if isinstance(item, Rect):
        radius = f' rx="{_n(item.radius)}"' if item.radius else ""
        stroke = f' stroke="{item.stroke}"' if item.stroke else ""
        box = f'x="{_n(item.x)}" y="{_n(item.y)}" width="{_n(item.width)}" height="{_n(item.height)}"'
        return f'<rect {box}{radius} fill="{item.fill}"{stroke}/>'
    if isinstance(item, Path):
        return _path(item)
    weight = ' font-weight="600"' if item.bold else ""
    anchor = ' text-anchor="end"' if item.anchor == "end" else ""
    length = f' textLength="{_n(item.width)}" lengthAdjust="spacingAndGlyphs"' if exact and len(item.text) > 1 else ""
    place = f'x="{_n(item.x)}" y="{_n(item.y)}" font-size="{_n(item.size)}"{weight}{anchor}'
    return f'<text {place} fill="{item.fill}"{length}>{_escaped(item.text)}</text>'


def _path(item: Path) -> str:
    d = "".join(_step(step) for step in item.steps)
    if item.fill:
        return f'<path d="{d}" fill="{item.fill}"/>'
    dash = f' stroke-dasharray="{_n(item.dash[0])} {_n(item.dash[1])}"' if item.dash else ""
    caps = ' stroke-linecap="round" stroke-linejoin="round"' if item.round_caps else ""
    return f'<path d="{d}" fill="none" stroke="{item.stroke}" stroke-width="{_n(item.width)}"{dash}{caps}/>'


def _step(step: Step) -> str:
    return str(step[0]) + " ".join(_n(float(value)) for value in step[1:])


def _families() -> str:
    font = tokens()["font"]
    return f"'{font['family']}', {font['fallback']}"


def _font_faces(drawing: Drawing) -> str:
    """One face per weight in use; only markup of our own and base64 stand in the style element."""
    faces = []
    for bold, weight in ((False, 400), (True, 600)):
        used = frozenset(c for text in texts(drawing.items) if text.bold is bold for c in text.text if has_glyph(c))
        if used:
            data = b64encode(subset(used, bold)).decode("ascii")
            faces.append(
                f"@font-face{{font-family:'{tokens()['font']['family']}';font-weight:{weight};"
                f"src:url(data:font/woff;base64,{data}) format('woff')}}"
            )
    return "".join(faces)


def _escaped(text: str) -> str:
    return escape(text, quote=True)


def _n(value: float) -> str:
    """At most two decimals, without trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value != int(value) else str(int(value))
