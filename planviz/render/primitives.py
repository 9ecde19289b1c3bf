"""What a drawing is made of: rectangles, paths and texts, in px, colours as #rrggbb. Every writer knows just these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

#: One step of a path: ("M", x, y), ("L", x, y), ("C", x1, y1, x2, y2, x, y) or ("Z",).
Step = tuple[str | float, ...]


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle with corners rounded by `radius`."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str | None = None
    radius: float = 0


@dataclass(frozen=True, slots=True)
class Path:
    """A stroked line or curve, or a filled shape when `fill` is given."""

    steps: tuple[Step, ...]
    stroke: str | None = None
    width: float = 1
    fill: str | None = None
    dash: tuple[float, float] | None = None
    round_caps: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text, already made harmless and clipped; (x, y) is on the baseline, `width` the room it takes."""

    x: float
    y: float
    text: str
    size: float
    fill: str
    width: float
    bold: bool = False
    anchor: Literal["start", "end"] = "start"


Primitive = Rect | Path | Text


@dataclass(frozen=True, slots=True)
class Group:
    """Things that belong together, such as a card; `label` tells in full what a clipped text may hide."""

    label: str
    items: tuple[Primitive, ...]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A whole picture: size in px, background, title and description for those who cannot see it, and what to paint."""

    width: float
    height: float
    background: str
    title: str
    description: str
    items: tuple[Primitive | Group, ...]


def moved(item: Primitive, dx: float, dy: float) -> Primitive:
    """The same thing elsewhere."""
    if isinstance(item, Rect):
        return Rect(item.x + dx, item.y + dy, item.width, item.height, item.fill, item.stroke, item.radius)
    if isinstance(item, Text):
        return Text(item.x + dx, item.y + dy, item.text, item.size, item.fill, item.width, item.bold, item.anchor)
    return Path(transformed(item.steps, 1, dx, dy), item.stroke, item.width, item.fill, item.dash, item.round_caps)


def shifted(items: Iterable[Primitive | Group], dx: float, dy: float) -> list[Primitive | Group]:
    """All of them elsewhere."""
    return [
        Group(item.label, tuple(moved(part, dx, dy) for part in item.items))
        if isinstance(item, Group)
        else moved(item, dx, dy)
        for item in items
    ]


def transformed(steps: tuple[Step, ...], scale: float, dx: float, dy: float) -> tuple[Step, ...]:
    """A path scaled about the origin, then moved."""
    shift = (dx, dy)
    return tuple(
        (step[0], *(float(value) * scale + shift[i % 2] for i, value in enumerate(step[1:]))) for step in steps
    )
