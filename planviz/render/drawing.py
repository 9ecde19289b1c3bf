"""A scene as a picture: cards, edges and links, a header above and a legend below."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Literal

from planviz.graph import KINDS
from planviz.render.cards import Scene
from planviz.render.fonts import clip, text_width, wrap
from planviz.render.primitives import Drawing, Group, Path, Primitive, Rect, Step, Text, moved, transformed
from planviz.render.scene import number_mark
from planviz.render.text import one_line
from planviz.render.theme import kind_colour, palette, tokens

LEAST_WIDTH = 560
# What moves rows: not a stage that wraps an exchange, not the reading of one, not one that is used again.
_PAD = 28  # between the frame of the picture and the words of header and legend
_NOTE_LINES = 6
_PATIENCE = 200_000  # links times cards up to which a link's words look for a place where no card hides them


def draw(scene: Scene, *, theme: str = "light", title: str | None = None) -> Drawing:
    """The picture of a scene whose words are loaded or not, in the `theme` "light" or "dark".

    `title` replaces the plan's own heading. Raises ExportError for an unknown theme.
    """
    painter = Painter(scene, theme)
    heading = one_line(title) if title else scene.title
    width = max(float(scene.size[0]), LEAST_WIDTH)
    header, top = painter.header(heading, width)
    painter.shift((width - scene.size[0]) / 2, top)
    edges, edge_labels = painter.edges()
    links, labels = painter.links(edge_labels)
    legend, bottom = painter.legend(width, top + scene.size[1])
    return Drawing(
        width=width,
        height=bottom,
        background=painter.colours["surface"],
        title=heading or "Plan",
        description=painter.summary(),
        items=(*header, *edges, *links, *labels, *painter.cards(), *legend),
    )


class Painter:
    """Draws the parts of one scene."""

    def __init__(self, scene: Scene, theme: str) -> None:
        self.scene = scene
        self.nodes = scene.nodes
        self.theme = theme
        self.colours = palette(theme)
        self.estimated = scene.rows_are == "estimated"

    def shift(self, dx: float, dy: float) -> None:
        """Where the plan goes once the header's height is known."""
        x, y = self.nodes["x"], self.nodes["y"]
        self.nodes = {**self.nodes, "x": [value + dx for value in x], "y": [value + dy for value in y]}

    # -- words around the plan -------------------------------------------------------------------------------------

    def summary(self) -> str:
        """The plan in one line: how many operators, how deep, how many exchanges and joins."""
        count = len(self.nodes["id"])
        parts = [_counted(count, "operator")]
        if count:
            joins = self.nodes["kind"].count(KINDS.index("join"))
            moves = self.scene.exchanges
            parts += [_counted(found, word) for found, word in ((joins, "join"), (moves, "exchange")) if found]
            parts.append(_counted(max(self.nodes["depth"]) + 1, "level"))
        else:
            parts.append("nothing to draw")
        return " · ".join(parts)

    def header(self, heading: str, width: float) -> tuple[list[Primitive], float]:
        """Title, a line of facts with chips, and the plan's notes; returns them and where the plan starts."""
        room = width - 2 * _PAD
        items: list[Primitive] = [self.text(_PAD, 38, heading or "Plan", 18, "ink", room, bold=True)]
        summary = self.summary()
        facts = self.text(_PAD, 60, summary, 12.5, "muted", room)
        items.append(facts)
        x = _PAD + facts.width + 12
        for words, style in self.plan_chips():
            chip, chip_width = self.chip(x, 47.5, words, style, height=18, size=11.5)
            if x + chip_width <= width - _PAD:
                items += chip
                x += chip_width + 6
        y = 68.0 if self.scene.notes else 60.0
        for note in self.scene.notes:
            for line in wrap(note, room - 12, 12.5, _NOTE_LINES):
                y += 19
                items.append(Rect(_PAD, y - 13, 3, 19, self.colours["warning"]["border"]))
                items.append(self.text(_PAD + 12, y, line, 12.5, "ink", room - 12))
            y += 4
        return items, y - 6

    def plan_chips(self) -> list[tuple[str, str]]:
        """Words and style of what is to be said of the whole plan."""
        chips = []
        if self.estimated:
            chips.append(("rows estimated", "estimated"))
        elif self.scene.rows_are == "measured":
            chips.append(("rows measured", "badge"))
        worst: dict[str, int] = {}
        for badges in self.nodes["badges"]:
            for badge in badges:
                worst[badge] = worst.get(badge, 0) + 1
        for badge, count in sorted(worst.items()):
            if (style := _badge_style(badge)) != "badge":
                chips.append((f"{count} × {badge}" if count > 1 else badge, style))
        return chips

    # -- the plan --------------------------------------------------------------------------------------------------

    def edges(self) -> tuple[list[Primitive], list[Primitive]]:
        """From every child's top to its parent's bottom, as wide as the logarithm of the rows that flow there.

        Lines and labels apart: links run between the two.
        """
        nodes, style = self.nodes, tokens()["edge"]
        x, y, w, h, rows = nodes["x"], nodes["y"], nodes["w"], nodes["h"], nodes["rows"]
        lines: list[Primitive] = []
        labels: list[Primitive] = []
        forks: Counter[int] = Counter(nodes["parent"])
        for i, p in enumerate(nodes["parent"]):
            if p < 0:
                continue
            x1, y1, x2, y2 = x[i] + w[i] / 2, y[i], x[p] + w[p] / 2, y[p] + h[p]
            thick = edge_width(rows[i])
            subquery = nodes["edge"][i] == "s"
            if abs(x1 - x2) < 0.5:
                steps: tuple[Step, ...] = (("M", x1, y1), ("L", x1, y2))
            else:
                middle = (y1 + y2) / 2
                steps = (("M", x1, y1), ("C", x1, middle, x2, middle, x2, y2))
            stroke = self.colours["link" if subquery else "edge"]
            lines.append(Path(steps, stroke, 2 if subquery else thick, dash=tuple(style["dash"]) if subquery else None))
            words = [told] if (told := self.scene.rows_words(i)) else []
            if subquery:
                words.append("subquery")
            if words:
                # On the outer side of the curve, where none of two siblings' edges passes; others may.
                outer = -1 if x1 < x2 - 0.5 else 1
                at, room = x1 + outer * (thick / 2 + 6), w[i] / 2 - thick / 2 - 6
                label = self.text(
                    at, y1 - 8, " · ".join(words), style["label"], "muted", room, "end" if outer < 0 else "start"
                )
                if forks[p] > 2 or self.scene.links:
                    left = at - label.width if outer < 0 else at
                    labels.append(Rect(left - 3, y1 - 19, label.width + 6, 15, self.colours["surface"], radius=7))
                labels.append(label)
        return lines, labels

    def links(self, edge_labels: list[Primitive]) -> tuple[list[Primitive], list[Primitive]]:
        """Dashed curves for what is no child: reuse, pruning, bloom filters; their labels keep off the edges'.

        Returns the curves, and all labels.
        """
        nodes, style = self.nodes, tokens()["link"]
        x, y, w, h = nodes["x"], nodes["y"], nodes["w"], nodes["h"]
        colour = self.colours["link"]
        items: list[Primitive] = []
        labels = list(edge_labels)
        for source, target, words in self.scene.links:
            ys, yt = y[source] + h[source] / 2, y[target] + h[target] / 2
            left, right = x[source], x[source] + w[source]
            to_left, to_right = x[target], x[target] + w[target]
            if right < to_left:
                start, end, bend = right, to_left, min(90.0, (to_left - right) / 2)
                bends = (start + bend, end - bend)
            elif to_right < left:
                start, end, bend = left, to_right, min(90.0, (left - to_right) / 2)
                bends = (start - bend, end + bend)
            else:
                start, end = right, to_right
                bends = (max(start, end) + style["bulge"],) * 2
            tip = -6 if end == to_right else 6
            curve: tuple[Step, ...] = (("M", start, ys), ("C", bends[0], ys, bends[1], yt, end, yt))
            items.append(Path(curve, colour, style["width"], dash=tuple(style["dash"])))
            arrow: tuple[Step, ...] = (("M", end, yt), ("L", end - tip, yt - 3.5), ("L", end - tip, yt + 3.5), ("Z",))
            items.append(Path(arrow, fill=colour))
            labels += self.link_label((start, bends[0], bends[1], end), (ys, ys, yt, yt), str(words), labels)
        return items, labels

    def link_label(
        self, xs: tuple[float, ...], ys: tuple[float, ...], words: str, others: list[Primitive]
    ) -> list[Primitive]:
        """The words of a link on its curve, near its start where no other label stands yet.

        A patch of the background lies below, so that the dashes do not strike the words through.
        """
        size = tokens()["link"]["label"]
        wide = text_width(words, size)
        taken = [(item.x, item.y, item.width, item.height) for item in others if isinstance(item, Rect)]
        if len(self.scene.links) * len(self.nodes["id"]) < _PATIENCE:
            taken += zip(*(self.nodes[side] for side in "xywh"), strict=True)
        spots = [
            (_on_curve(xs, t) - wide / 2 - 4, _on_curve(ys, t) - 8)
            for t in (0.3, 0.5, 0.7, 0.2, 0.4, 0.6, 0.8, 0.1, 0.9)
        ]
        free = (
            (x, y)
            for x, y in spots
            if not any(ox - wide - 8 < x < ox + ow and oy - 15 < y < oy + oh for ox, oy, ow, oh in taken)
        )
        x, y = next(free, spots[0])
        patch = Rect(x, y, wide + 8, 15, self.colours["surface"], radius=7)
        return [patch, self.text(x + 4, y + 11.5, words, size, "muted", wide)]

    def cards(self) -> list[Group]:
        """Every node's card."""
        return [self.card(i) for i in range(len(self.nodes["id"]))]

    def card(self, i: int) -> Group:
        """One node's card; its frame comes first."""
        nodes, style = self.nodes, tokens()["card"]
        x, y, w, h = nodes["x"][i], nodes["y"][i], nodes["w"][i], nodes["h"][i]
        kind = KINDS[nodes["kind"][i]]
        tint = kind_colour(kind, self.theme)
        bar, icon, title, number = style["bar"], style["icon"], style["title"], style["number"]
        mark = number_mark(nodes["number"][i], nodes["codegen"][i])
        mark_width = text_width(mark, number["size"])
        items: list[Primitive] = [
            Rect(x, y, w, h, self.colours["card"], self.colours["border"], style["radius"]),
            Rect(x, y + bar["inset"], bar["width"], h - 2 * bar["inset"], tint, radius=bar["radius"]),
            icon_path(kind, x + icon["x"], y + icon["y"], icon["size"], tint),
            self.text(
                x + title["x"],
                y + title["y"],
                nodes["title"][i],
                title["size"],
                "ink",
                w - title["x"] - mark_width - number["right"] - 6,
                bold=True,
            ),
            self.text(x + w - number["right"], y + number["y"], mark, number["size"], "muted", mark_width + 1, "end"),
        ]
        badges, taken = self.badges(i)
        sub = nodes["sub"][i] if nodes["sub"] is not None else []
        rows = round((h - style["bare_height"]) / style["line"])
        for k, (lead, words) in enumerate(sub[:rows]):
            room = w - style["sub"]["x"] - number["right"] - (taken if k == rows - 1 else 0)
            items += self.sub_line(x + style["sub"]["x"], y + style["sub"]["y"] + k * style["line"], lead, words, room)
        items += badges
        label = [nodes["title"][i], *(f"{lead} {words}".strip() for lead, words in sub), *nodes["badges"][i]]
        return Group("\n".join(label), tuple(items))

    def sub_line(self, x: float, y: float, lead: str, words: str, room: float) -> list[Primitive]:
        """A line under a card's title: a muted word, then the text."""
        size = tokens()["card"]["sub"]["size"]
        items: list[Primitive] = []
        if lead:
            width = text_width(lead + " ", size)
            items.append(self.text(x, y, lead, size, "muted", room))
            x, room = x + width, room - width
        items.append(self.text(x, y, words, size, "ink" if lead else "muted", room))
        return items

    def badges(self, i: int) -> tuple[list[Primitive], float]:
        """Pills in the card's lower right corner, and the room they take from a line at their height."""
        style = tokens()["card"]["badge"]
        nodes = self.nodes
        right = nodes["x"][i] + nodes["w"][i] - style["right"]
        least = nodes["x"][i] + nodes["w"][i] / 3
        items: list[Primitive] = []
        edge = right
        for badge in sorted(nodes["badges"][i], key=_badge_style, reverse=True):
            width = text_width(badge, style["size"]) + 2 * style["padding"]
            if edge - width < least:
                break
            y = nodes["y"][i] + nodes["h"][i] - style["height"] - 6
            items += self.chip(edge - width, y, badge, _badge_style(badge), height=style["height"], size=style["size"])[
                0
            ]
            edge -= width + style["gap"]
        return items, right - edge

    # -- legend ----------------------------------------------------------------------------------------------------

    def legend(self, width: float, top: float) -> tuple[list[Primitive], float]:
        """Only what the picture shows: its kinds, its dashes, its numbers. Returns the items and the picture's end."""
        items: list[Primitive] = [
            Path((("M", _PAD, top), ("L", width - _PAD, top)), self.colours["line"], 1),
        ]
        x, y = float(_PAD), top + 26
        for entry, words in self.legend_entries():
            needed = 26 + text_width(words, 12)
            if x > _PAD and x + needed > width - _PAD:
                x, y = float(_PAD), y + 22
            items += [moved(part, x, y) for part in entry]
            items.append(self.text(x + 26, y, words, 12, "muted", min(needed, width - 2 * _PAD - 26)))
            x += needed + 20
        return items, y + 22

    def legend_entries(self) -> list[tuple[list[Primitive], str]]:
        """Each a small drawing in a box of 20 px above the baseline at (0, 0), and its words."""
        kinds = tokens()["kinds"]
        entries: list[tuple[list[Primitive], str]] = []
        for index in sorted(set(self.nodes["kind"])):
            tint = kind_colour(KINDS[index], self.theme)
            bar = Rect(0, -11.5, 4, 15, tint, radius=2)
            entries.append(([bar, icon_path(KINDS[index], 7, -11.5, 15, tint)], kinds[KINDS[index]]["label"]))
        edge, link = self.colours["edge"], self.colours["link"]
        if any(rows is not None for rows in self.nodes["rows"]):
            thin: Path = Path((("M", 0, -4), ("L", 7, -4)), edge, 3)
            thick: Path = Path((("M", 7, -4), ("L", 20, -4)), edge, 9)
            words = "rows, estimated by the optimizer (≈)" if self.estimated else "rows, measured"
            if any(self.nodes["sign"]):
                words = "rows: Spark's estimates (≈), in brackets what its cost-based formulas would give"
            entries.append(([thin, thick], f"{words}; width grows with their logarithm"))
        types = sorted(
            {str(link[2]) for link in self.scene.links} | ({"subquery"} if "s" in self.nodes["edge"] else set())
        )
        if types:
            dashed = Path((("M", 0, -4), ("L", 20, -4)), link, 2, dash=(5, 3))
            entries.append(([dashed], "no child: " + ", ".join(types)))
        if any(stage >= 0 for stage in self.nodes["codegen"]):
            entries.append(([self.text(0, 0, "*(n)", 10.5, "muted", 24)], "whole-stage codegen subtree n"))
        return entries

    # -- small parts -----------------------------------------------------------------------------------------------

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        colour: str,
        room: float,
        anchor: Literal["start", "end"] = "start",
        *,
        bold: bool = False,
    ) -> Text:
        """A line of text cut to the room it has."""
        fitting = clip(words, room, size, bold)
        return Text(x, y, fitting, size, self.colours[colour], text_width(fitting, size, bold), bold, anchor)

    def chip(
        self, x: float, y: float, words: str, style: str, *, height: float, size: float
    ) -> tuple[list[Primitive], float]:
        """A pill with words, and its width."""
        colours = self.colours[style]
        padding = height * 0.43
        wide = text_width(words, size)
        return [
            Rect(x, y, wide + 2 * padding, height, colours["fill"], colours["border"], height / 2),
            Text(x + padding, y + height / 2 + size * 0.33, words, size, colours["text"], wide),
        ], wide + 2 * padding


def edge_width(rows: int | None) -> float:
    """Width in px of an edge that `rows` rows flow along: their natural logarithm within bounds, thin when unknown."""
    from math import log

    style = tokens()["edge"]
    least, most = style["min"], style["max"]
    return round(min(max(log(rows), least), most), 1) if rows else float(least)


def icon_path(kind: str, x: float, y: float, size: float, colour: str) -> Path:
    """The icon of a kind in a square of `size` px."""
    scale = size / tokens()["icon_box"]
    return Path(transformed(_icon(kind), scale, x, y), colour, round(1.5 * scale, 2), round_caps=True)


@cache
def _icon(kind: str) -> tuple[Step, ...]:
    words = tokens()["kinds"][kind]["icon"].replace("Z", "Z ").split()
    steps: list[list[str | float]] = []
    for word in words:
        if word[0].isalpha():
            steps.append([word[0]])
            word = word[1:]
        if word:
            steps[-1].append(float(word))
    return tuple(tuple(step) for step in steps)


def _on_curve(points: tuple[float, ...], t: float) -> float:
    """One coordinate of a cubic Bézier curve at 0 <= t <= 1."""
    a, b, c, d = points
    u = 1 - t
    return u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d


def _badge_style(badge: str) -> str:
    style: str = tokens()["badges"].get(badge, "badge")
    return style


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
