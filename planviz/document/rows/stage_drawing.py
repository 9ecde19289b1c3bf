"""The stages of an aggregate as a picture: cards whose parts stand in lines, exchanges between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from planviz.document.decisions.aggregates import AggregateReport
from planviz.document.rows.aggregates import Played
from planviz.document.rows.stage_cards import Between, Card, Flow, Item, Part, Rows, facts, flow, heading
from planviz.jsontypes import JsonObject
from planviz.render.fonts import clip, text_width, wrap
from planviz.render.primitives import Drawing, Group, Path, Primitive, Rect, Text
from planviz.render.text import one_line
from planviz.render.theme import kind_colour, palette

_MARGIN, _HEADER = 20.0, 62.0
_CARD, _BETWEEN, _PAD = 268.0, 118.0, 14.0
_HEAD, _PART, _LINE = 50.0, 24.0, 17.0
_TITLE, _SIZE, _SMALL, _GAP = 14.0, 12.5, 11.5, 5.0
#: Lines of names that stand several in a line, and of rows, that a picture shows; the page has them all.
_MOST_LINES, _MOST_ROWS = 5, 12
_ABOVE = ("Keys", "Functions", "Buffers", "Operator")


@dataclass(frozen=True)
class _Line:
    """Pieces of text beside each other: text, colour's name, whether bold."""

    pieces: tuple[tuple[str, str, bool], ...]
    size: float = _SIZE


def draw_stages(
    report: AggregateReport,
    model: AggregateReport | None,
    played: Played | None,
    *,
    promise: str = "",
    theme: str = "light",
) -> Drawing:
    """The cards of an aggregate from the input to the result, under its name; `promise` is a setting that was tried.

    The others are as `planviz.document.rows.stage_cards.flow` takes them. Raises ExportError for an unknown theme.
    """
    told = [*facts(report), *([f"with {promise}"] if promise else [])]
    return _drawing(flow(report, model, played), " ".join(heading(report)).strip(), " · ".join(told), theme)


def _drawing(flow: Flow, title: str, subtitle: str, theme: str) -> Drawing:
    colours = palette(theme) | {kind: kind_colour(kind, theme) for kind in ("aggregate", "exchange", "sort")}
    tops, bottom = _tops(flow.cards)
    items: list[Primitive | Group] = [
        *_text(_MARGIN, 34, title, 19, colours["ink"], _width(flow) - 2 * _MARGIN, bold=True),
        *_text(_MARGIN, 53, subtitle, 13, colours["muted"], _width(flow) - 2 * _MARGIN),
    ]
    x = _MARGIN
    for at, card in enumerate(flow.cards):
        items.append(_card(card, x, tops, bottom, colours))
        x += _CARD
        if at < len(flow.between):
            items += _between(flow.between[at], x, colours)
            x += _BETWEEN
    words = "; ".join([f"{card.title}: {card.about}" for card in flow.cards])
    return Drawing(_width(flow), bottom + _MARGIN, colours["surface"], title, words, tuple(items))


def _width(flow: Flow) -> float:
    return 2 * _MARGIN + _CARD * len(flow.cards) + _BETWEEN * len(flow.between)


def _tops(cards: Sequence[Card]) -> tuple[dict[str, float], float]:
    """Where the parts of each title begin, the rows under "", and where the cards end: all cards have them alike.

    The columns of the input, and the copies of the Expand, stand beside what stages have above their estimate.
    """
    heights: dict[str, float] = {}
    for card in cards:
        for title, lines in _parts(card):
            heights[title] = max(heights.get(title, 0), _PART + _LINE * len(lines) + 8)
    tops, y = {}, _HEADER + _HEAD
    for title in _ABOVE:
        tops[title] = y
        y += heights.get(title, 0)
    tops["Columns"] = tops[_ABOVE[0]]
    tops["Copies"] = max(tops["Columns"] + heights.get("Columns", 0), tops[_ABOVE[-1]])
    y = max(y, tops["Copies"] + heights.get("Copies", 0))
    for title in ("Estimate", ""):
        tops[title] = y
        y += heights.get(title, 0)
    return tops, y


def _parts(card: Card) -> Iterator[tuple[str, list[_Line]]]:
    for part in card.parts:
        yield part.title, list(_lines(part))
    if card.rows is not None:
        yield "", list(_table(card.rows))


def _lines(part: Part) -> Iterator[_Line]:
    if part.is_many:
        yield from _wrapped(part.items)
    else:
        for item in part.items:
            yield _Line(((item.text, "ink", False), (item.aside, "muted", False)))
    for asked in part.questions:
        yield _Line(((asked.text, "ink" if asked.answer else "muted", False), (asked.answer, "accent", True)))
        for more in (asked.seen, f"not {asked.ruled_out}" if asked.ruled_out else ""):
            if more:
                yield _Line(((more, "muted", False),), _SMALL)
    if part.outcome:
        yield _Line(((part.outcome, "accent", True),))
    if part.figures:
        yield _Line(((part.figures, "ink", True),))
    for words in wrap(part.quiet, _CARD - 2 * _PAD, _SIZE, 3) if part.quiet else ():
        yield _Line(((words, "muted", False),))
    for small in part.small:
        yield _Line(((small, "muted", False),), _SMALL)


def _wrapped(items: Sequence[Item]) -> Iterator[_Line]:
    """Names with dots between them, as many in a line as have room."""
    lines: list[str] = []
    for item in items:
        longer = f"{lines[-1]} · {item.text}" if lines else item.text
        if lines and text_width(longer, _SIZE) <= _CARD - 2 * _PAD:
            lines[-1] = longer
        else:
            lines.append(item.text)
    for line in lines[:_MOST_LINES]:
        yield _Line(((line, "ink", False),))
    if len(lines) > _MOST_LINES:
        yield _Line((("and more", "muted", False),))


def _table(rows: Rows) -> Iterator[_Line]:
    """Rows as lines; cells are parted by what a reader sees, not in columns: a picture's cards are narrow."""
    yield _Line(((", ".join(name for name, _ in rows.columns), "muted", False),), _SMALL)
    shown = 0
    for name, cells, told in rows.partitions:
        yield _Line(((name, "muted", True),), _SMALL)
        for row in cells[: max(0, _MOST_ROWS - shown)]:
            yield _Line(((" · ".join("null" if cell is None else cell for cell in row), "ink", False),), _SMALL)
        if told:
            yield _Line(((told, "muted", False),), _SMALL)
        if len(cells) > max(0, _MOST_ROWS - shown):
            yield _Line(((f"{len(cells) - max(0, _MOST_ROWS - shown)} more", "muted", False),), _SMALL)
        shown += len(cells)


def _card(card: Card, x: float, tops: dict[str, float], bottom: float, colours: JsonObject) -> Group:
    y, room = _HEADER, _CARD - 2 * _PAD
    top = colours["aggregate"] if card.kind == "stage" else colours["edge"]
    items: list[Primitive] = [
        Rect(x, y, _CARD, bottom - y, colours["card"], colours["border"], 10),
        Path((("M", x + 8, y), ("L", x + _CARD - 8, y)), top, 3),
    ]
    title = f"{card.number} {card.title}" if card.number else card.title
    items += _text(x + _PAD, y + 22, title, _TITLE, colours["ink"], room, bold=True)
    items += _text(x + _PAD, y + 39, card.about, _SIZE, colours["muted"], room)
    for name, lines in _parts(card):
        at = tops[name]
        items.append(Path((("M", x, at), ("L", x + _CARD, at)), colours["line"], 1))
        heading = card.rows.caption if not name and card.rows is not None else name
        items += _text(x + _PAD, at + 17, heading, _SMALL, colours["muted"], room)
        for number, line in enumerate(lines):
            items += _line(line, x + _PAD, at + _PART + 10 + _LINE * number, room, colours)
    return Group(one_line(f"{card.title}, {card.about}", 600), tuple(items))


def _line(line: _Line, x: float, y: float, room: float, colours: JsonObject) -> Iterator[Primitive]:
    left = room
    for text, colour, bold in line.pieces:
        if left > 0:
            yield from _text(x + room - left, y, text, line.size, colours[colour], left, bold=bold)
        left -= text_width(text, line.size, bold) + _GAP


def _between(between: Between, x: float, colours: JsonObject) -> Iterable[Primitive | Group]:
    """An arrow from card to card, below it what the exchange does."""
    y = _HEADER + 22
    colour = colours["exchange"] if between.name else colours["edge"]
    yield Path((("M", x, y), ("L", x + _BETWEEN - 6, y)), colour, 3 if between.name else 2)
    tip = x + _BETWEEN
    yield Path((("M", tip, y), ("L", tip - 8, y - 5), ("L", tip - 8, y + 5), ("Z",)), fill=colour)
    words = [(between.name, colour, True)] if between.name else []
    words += [(line, colours["muted"], False) for line in between.lines]
    words += [("Sort by the keys", colours["sort"], True)] if between.sorts else []
    at = y + 24
    for text, ink, bold in words:
        for line in wrap(text, _BETWEEN - 12, _SMALL, 4, bold):
            width = text_width(line, _SMALL, bold)
            yield Text(x + (_BETWEEN - width) / 2, at, line, _SMALL, ink, width, bold)
            at += 15
        at += 3


def _text(
    x: float, y: float, text: str, size: float, fill: str, room: float, *, bold: bool = False
) -> Iterator[Primitive]:
    shown = clip(one_line(text, 400), room, size, bold)
    if shown:
        yield Text(x, y, shown, size, fill, text_width(shown, size, bold), bold)
