"""A drawing as PDF: one page of the drawing's own size, vectors and selectable text, the same bytes every time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from fpdf import FPDF

from planviz.errors import ExportError
from planviz.render.fonts import font_path
from planviz.render.png import only_known_glyphs
from planviz.render.primitives import Drawing, Group, Path, Primitive, Rect, Text

_POINTS = 0.75  # points per px
_LONGEST = 14_400  # points: the longest side that PDF readers accept
_SMALLEST = 0.1  # of the drawing's own size: below, readers do not zoom far enough
_FAMILY = "plan"


def pdf(drawing: Drawing) -> bytes:
    """The drawing as a PDF document; a very large one is scaled down to the largest page that PDF knows.

    Raises ExportError when it would have to shrink to less than a tenth.
    """
    scale = min(1.0, _LONGEST / (_POINTS * max(drawing.width, drawing.height)))
    if scale < _SMALLEST:
        raise ExportError(
            f"This plan is too large for a PDF page: {drawing.width:,.0f} x {drawing.height:,.0f} px, which no reader "
            "could enlarge enough. Export it as SVG or HTML, which have no such limit, or draw only a part of the plan."
        )
    page = FPDF(unit=_POINTS * scale, format=(drawing.width, drawing.height))
    page.set_auto_page_break(False)
    page.set_margin(0)
    page.set_creation_date(datetime(2000, 1, 1, tzinfo=UTC))
    page.set_title(drawing.title)
    page.set_subject(drawing.description)
    page.set_creator("planviz")
    page.add_font(_FAMILY, style="", fname=font_path(False))
    page.add_font(_FAMILY, style="B", fname=font_path(True))
    page.add_page()
    page.set_fill_color(drawing.background)
    page.rect(0, 0, drawing.width, drawing.height, style="F")
    for item in _flat(only_known_glyphs(drawing)):
        if isinstance(item, Rect):
            _rect(page, item)
        elif isinstance(item, Path):
            _path(page, item)
        else:
            _text(page, item)
    return bytes(page.output())


def _flat(drawing: Drawing) -> Iterator[Primitive]:
    for item in drawing.items:
        if isinstance(item, Group):
            yield from item.items
        else:
            yield item


def _rect(page: FPDF, item: Rect) -> None:
    page.set_fill_color(item.fill)
    if item.stroke:
        page.set_draw_color(item.stroke)
        page.set_line_width(1)
    # fpdf2 draws square corners when the radius reaches half a side.
    radius = min(item.radius, item.width / 2.01, item.height / 2.01)
    style = "DF" if item.stroke else "F"
    page.rect(item.x, item.y, item.width, item.height, style=style, round_corners=radius > 0, corner_radius=radius)


def _path(page: FPDF, item: Path) -> None:
    if item.fill:
        page.set_fill_color(item.fill)
        page.polygon([(float(step[1]), float(step[2])) for step in item.steps if len(step) > 1], style="F")
        return
    page.set_draw_color(item.stroke or "#000000")
    page.set_line_width(item.width)
    if item.dash:
        page.set_dash_pattern(*item.dash)
    x = y = start_x = start_y = 0.0
    for name, *values in item.steps:
        numbers = [float(value) for value in values]
        if name == "M":
            start_x, start_y = numbers
        elif name == "C":
            page.bezier(
                [(x, y), (numbers[0], numbers[1]), (numbers[2], numbers[3]), (numbers[4], numbers[5])], style="D"
            )
        else:
            numbers = numbers or [start_x, start_y]
            page.line(x, y, numbers[0], numbers[1])
        x, y = numbers[-2:]
    if item.dash:
        page.set_dash_pattern()


def _text(page: FPDF, item: Text) -> None:
    page.set_font(_FAMILY, style="B" if item.bold else "", size=item.size * page.k)
    page.set_text_color(item.fill)
    page.text(item.x - (item.width if item.anchor == "end" else 0), item.y, item.text)
