"""A decision tree as a picture: every test and every outcome, the path that was taken lit, the rest greyed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from planviz.jsontypes import JsonObject
from planviz.render.decision_layout import Place
from planviz.render.fonts import clip, text_width
from planviz.render.primitives import Drawing, Group, Path, Primitive, Step, Text
from planviz.render.text import one_line
from planviz.render.theme import palette

#: taken: a test on the path; chosen: the outcome; passed: not on the path; open: nobody knows whether it was asked.
State = Literal["taken", "chosen", "passed", "open"]

MARGIN = 16
_EDGE = 8  # above and below a tree that stands in a page, without title and legend
_LANE = 14  # from a box's side to what runs beside it
_BEND = 8
_ARC = 0.5523  # of the radius: handles of a curve that looks like a quarter of a circle
_TITLE, _LINE, _LABEL = 12.5, 11.75, 11.75
_HEADER, _FOOTER = 78.0, 44.0
_DASH = (4.0, 3.0)


@dataclass(frozen=True)
class Box:
    """A test or an outcome: `line` is what was seen, or why it was not taken; `told` is all of it for a tooltip."""

    id: str
    title: str
    line: str = ""
    state: State = "passed"
    is_test: bool = True
    told: str = ""


@dataclass(frozen=True)
class Way:
    """From a test to the box that an answer leads to; `lit` is on the path, `open` may be."""

    source: str
    target: str
    label: str
    lit: bool = False
    open: bool = False


def draw_decisions(
    boxes: Sequence[Box],
    ways: Sequence[Way],
    places: Mapping[str, Place],
    *,
    theme: str = "light",
    title: str = "",
    subtitle: str = "",
    description: str = "",
) -> Drawing:
    """The whole tree; with a `title` it stands above and a legend below, as a picture for elsewhere needs them.

    Raises ExportError for an unknown theme, KeyError for a box that has no place.
    """
    painter = _Painter(palette(theme), places, ways, MARGIN, _HEADER if title else _EDGE)
    width = max(place.x + place.width / 2 for place in places.values()) + 2 * MARGIN
    bottom = max(place.y + place.height / 2 for place in places.values()) + painter.dy + (MARGIN if title else _EDGE)
    items: list[Primitive | Group] = []
    if title:
        items += painter.header(title, subtitle, width)
    for way in sorted(ways, key=lambda way: (way.lit, way.open)):
        items += painter.way(way)
    items += [painter.box(box) for box in boxes]
    if title:
        items += painter.legend(bottom, width, any(box.state == "open" for box in boxes))
        bottom += _FOOTER
    return Drawing(width, bottom, painter.colours["surface"], title or "Decision tree", description, tuple(items))


class _Painter:
    def __init__(
        self, colours: JsonObject, places: Mapping[str, Place], ways: Sequence[Way], dx: float, dy: float
    ) -> None:
        self.colours, self.ways, self.dy = colours, ways, dy
        self.places = {
            box: Place(place.x + dx, place.y + dy, place.width, place.height) for box, place in places.items()
        }

    # -- boxes

    def box(self, box: Box) -> Group:
        """A test as a pill, an outcome as a card."""
        place, colours = self.places[box.id], self.colours
        chosen, taken, is_open = box.state == "chosen", box.state == "taken", box.state == "open"
        radius = place.height / 2 if box.is_test else 8
        stroke = colours["accent"] if taken or chosen else colours["moved"]["border"] if is_open else colours["line"]
        fill = colours["accent"] if chosen else colours["card"]
        outline = _outline(place, radius)
        items: list[Primitive] = [
            Path(outline, fill=fill),
            Path(outline, stroke, 2 if taken or chosen else 1, dash=_DASH if is_open else None),
        ]
        ink = colours["card"] if chosen else colours["ink"] if taken or is_open else colours["muted"]
        quiet = colours["card"] if chosen else colours["muted"]
        room = place.width - (24 if box.is_test else 14)
        if box.line:
            items.append(_centred(place.x, place.y - 3, box.title, _TITLE, ink, room, bold=True))
            items.append(_centred(place.x, place.y + 13, box.line, _LINE, quiet, room))
        else:
            items.append(_centred(place.x, place.y + 4.5, box.title, _TITLE, ink, room, bold=True))
        return Group(one_line(box.told or f"{box.title} {box.line}".strip(), 600), tuple(items))

    # -- ways

    def way(self, way: Way) -> list[Primitive]:
        """A line with its answer; on the path wider and in the accent."""
        steps, label = self.route(self.places[way.source], self.places[way.target])
        on = way.lit or way.open
        colour = self.colours["accent"] if way.lit else self.colours["moved" if on else "edge"]
        line = colour["border"] if isinstance(colour, Mapping) else colour
        words = colour["text"] if isinstance(colour, Mapping) else colour if way.lit else self.colours["muted"]
        width = text_width(way.label, _LABEL, way.lit)
        x, y, anchor = label
        x -= {"start": 0, "middle": width / 2, "end": width}[anchor]
        return [
            Path(steps, line, 3 if way.lit else 1.5, dash=_DASH if way.open else None, round_caps=not way.open),
            Text(x, y, way.label, _LABEL, words, width, bold=way.lit),
        ]

    def route(self, a: Place, b: Place) -> tuple[tuple[Step, ...], tuple[float, float, str]]:
        """The line from one box to another and where its answer stands: x, y and the text's anchor."""
        if a.y == b.y:
            sign = 1 if b.x > a.x else -1
            start, end = a.x + sign * a.width / 2, b.x - sign * b.width / 2
            label = a.y + 13 if sign > 0 and self.entered(a) else a.y - 5
            return (("M", start, a.y), ("L", end, b.y)), ((start + end) / 2, label, "middle")
        if a.x == b.x and not self.between(a, b):
            top, bottom = a.y + a.height / 2, b.y - b.height / 2
            return (("M", a.x, top), ("L", b.x, bottom)), (a.x + 7, min(top + 16, (top + bottom) / 2 + 4), "start")
        if a.x == b.x:
            lane = a.x + max(a.width, b.width) / 2 + _LANE
            return self.lane(a, b, lane, b.x + b.width / 2)
        if self.by_side(a, b):
            return self.lane(a, b, a.x - a.width / 2 - _LANE, b.x + b.width / 2)
        sign = 1 if b.x > a.x else -1
        start, top = a.x + sign * a.width / 2, b.y - b.height / 2
        steps: tuple[Step, ...] = (("M", start, a.y), *_corner(start, a.y, b.x, a.y, b.x, top), ("L", b.x, top))
        return steps, (start + sign * 8, a.y - 5, "start" if sign > 0 else "end")

    def lane(self, a: Place, b: Place, lane: float, end: float) -> tuple[tuple[Step, ...], tuple[float, float, str]]:
        """Out of the side of a box, down beside the others, into the side of another, above its middle."""
        sign = 1 if lane > a.x else -1
        start, out, into = a.x + sign * a.width / 2 - sign * 4, a.y + 11.0, b.y - 11.0
        steps: tuple[Step, ...] = (
            ("M", start, out),
            *_corner(start, out, lane, out, lane, into),
            *_corner(lane, out, lane, into, end, into),
            ("L", end - 3, into),
        )
        return steps, (lane + 5 if sign > 0 else lane - 5, out + 18, "start" if sign > 0 else "end")

    def entered(self, place: Place) -> bool:
        """Whether a line comes into the box from the right."""
        return any(
            self.by_side(self.places[way.source], place) for way in self.ways if self.places[way.target] == place
        )

    def by_side(self, a: Place, b: Place) -> bool:
        """Whether the line from one box to another goes down beside others and in by the side."""
        return a.y != b.y and (self.between(a, b) if a.x == b.x else b.x < a.x and self.above(b))

    def between(self, a: Place, b: Place) -> bool:
        return any(p.x == a.x and a.y < p.y < b.y for p in self.places.values())

    def above(self, place: Place) -> bool:
        """Whether another box stands higher in the same column: what comes from elsewhere enters by the side."""
        return any(p.x == place.x and p.y < place.y for p in self.places.values())

    # -- words around the tree

    def header(self, title: str, subtitle: str, width: float) -> list[Primitive]:
        """Title and a line of facts."""
        room = width - 2 * MARGIN
        return [
            _text(MARGIN, 34, title, 18, self.colours["ink"], room, bold=True),
            _text(MARGIN, 55, subtitle, 12.5, self.colours["muted"], room),
        ]

    def legend(self, top: float, width: float, with_open: bool) -> list[Primitive]:
        """What the looks mean."""
        colours, x = self.colours, float(MARGIN)
        items: list[Primitive] = [Path((("M", x, top), ("L", width - x, top)), colours["line"], 1)]
        entries = [
            ("taken", "asked, with what was seen"),
            ("chosen", "the outcome"),
            ("passed", "not asked or rejected"),
        ]
        entries += [("open", "cannot be told from this plan")] * with_open
        for state, words in entries:
            place = Place(x + 11, top + 22, 22, 12)
            strong = state in ("taken", "chosen")
            stroke = colours["accent"] if strong else colours["moved" if state == "open" else "badge"]["border"]
            shape = _outline(place, 2 if state == "chosen" else 6)
            items.append(Path(shape, fill=colours["accent"] if state == "chosen" else colours["card"]))
            items.append(Path(shape, stroke, 2 if strong else 1, dash=_DASH if state == "open" else None))
            items.append(_text(x + 30, top + 26, words, 12, colours["muted"], 260))
            x += 30 + text_width(words, 12) + 22
        return items


def _outline(place: Place, radius: float) -> tuple[Step, ...]:
    """A rectangle with round corners, as a path: only a path can be dashed or wide."""
    left, right = place.x - place.width / 2, place.x + place.width / 2
    top, bottom = place.y - place.height / 2, place.y + place.height / 2
    k = radius * (1 - _ARC)
    return (
        ("M", left + radius, top),
        ("L", right - radius, top),
        ("C", right - k, top, right, top + k, right, top + radius),
        ("L", right, bottom - radius),
        ("C", right, bottom - k, right - k, bottom, right - radius, bottom),
        ("L", left + radius, bottom),
        ("C", left + k, bottom, left, bottom - k, left, bottom - radius),
        ("L", left, top + radius),
        ("C", left, top + k, left + k, top, left + radius, top),
        ("Z",),
    )


def _corner(x0: float, y0: float, x1: float, y1: float, x2: float, y2: float) -> Iterable[Step]:
    """To (x1, y1) and on towards (x2, y2), the corner rounded."""

    def towards(x: float, y: float) -> tuple[float, float]:
        length = abs(x - x1) + abs(y - y1)  # one of both is 0: lines run along the axes
        part = min(_BEND, length / 2) / length if length else 0
        return x1 + (x - x1) * part, y1 + (y - y1) * part

    (ax, ay), (bx, by) = towards(x0, y0), towards(x2, y2)
    return (("L", ax, ay), ("C", x1, y1, x1, y1, bx, by))


def _centred(x: float, y: float, words: str, size: float, fill: str, room: float, *, bold: bool = False) -> Text:
    shown = clip(one_line(words, 120), room, size, bold)
    width = text_width(shown, size, bold)
    return Text(x - width / 2, y, shown, size, fill, width, bold)


def _text(x: float, y: float, words: str, size: float, fill: str, room: float, *, bold: bool = False) -> Text:
    shown = clip(one_line(words, 300), room, size, bold)
    return Text(x, y, shown, size, fill, text_width(shown, size, bold), bold)
