"""Slide examples on the Cardinality page: the slide's numbers beside what planviz estimates, each labelled (G-018)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from urllib.parse import quote, urlencode

from planviz.document.alternatives.what_if import joins_of
from planviz.document.cardinality.slides import SlideExample, SlideFigure, slide_examples
from planviz.document.decisions.queries import outcome
from planviz.graph.actual import tables_beneath
from planviz.jsontypes import JsonObject
from planviz.ui import links
from planviz.ui.opened import Opened
from planviz.ui.sides import REORDER, Side

#: The bundled catalogue of the examples' tables.
CATALOG = "slides"
_KINDS = {"table": "scan", "filter": "filter", "join": "join"}


def numbers_of(example: SlideExample) -> str:
    """The part `numbers` of an address that opens the example's two plans with its statistics."""
    edits: JsonObject = {}
    for edit in example.edits:
        path, _, value = edit.partition("=")
        table, *column, key = path.split(".")
        own = edits.setdefault(table, {})
        for name in column:
            own = own.setdefault("columns", {}).setdefault(name, {})
        own[key] = json.loads(value)
    on = dict(example.side("on").settings)
    right = "reorder" if on.get(REORDER) == "true" else "on"
    return json.dumps({"left": "off", "right": right, "edits": edits}, separators=(",", ":"))


@cache
def _addresses() -> dict[str, str]:
    """The address of the page with an example open, relative to the page, by the example's name."""
    found = {}
    for example in slide_examples():
        query = {"plan": links.pack(example.sql) or "", "catalog": CATALOG, "name": example.title}
        found[example.name] = f"cardinality?{urlencode(query | {'numbers': numbers_of(example)}, quote_via=quote)}"
    return found


def slide_of(opened: Opened) -> SlideExample | None:
    """The example whose query is open."""
    return next((example for example in slide_examples() if example.sql == opened.document.text), None)


def slide_list(opened: Opened) -> list[dict[str, object]]:
    """All examples: title, what they show, where they open."""
    shown = slide_of(opened)
    return [
        {"title": one.title, "about": one.about, "href": _addresses()[one.name], "open": one is shown}
        for one in slide_examples()
    ]


def beside(example: SlideExample, sides: Sequence[Side]) -> dict[str, object]:
    """The example's numbers without and with CBO beside those of the plans that are shown.

    `rows` are [what, slide without, slide with, ours for every side, whether the place in the figure is a guess],
    `joins` the operators: [slide without, slide with, ours for every side].
    """
    off, on = example.side("off"), example.side("on")
    figures: dict[tuple[str, tuple[str, ...]], dict[str, SlideFigure]] = {}
    for side in (off, on):
        for figure in side.figures:
            figures.setdefault((figure.operator, tuple(sorted(figure.relations))), {})[side.name] = figure
    rows = []
    for found in figures.values():
        one = next(iter(found.values()))
        said = [found[name].rows if name in found else None for name in ("off", "on")]
        rows.append([name_of(one), *said, [_rows(s, one) for s in sides], any(f.inferred for f in found.values())])
    ours = [[outcome(d) for d in joins_of(side.execution)] if side.execution else [] for side in sides]
    faster = f"{example.speedup:g} times as fast" if example.speedup else ""
    untold = [f"{faster} with CBO."] if faster and not any(faster in words for words in example.said) else []
    return {
        "title": example.title,
        "about": example.about,
        "rows": rows,
        "joins": [_operators(off.joins, off.operators), _operators(on.joins, on.operators), *ours],
        "facts": [*example.said, *untold],
        "notes": list(example.limits),
    }


def name_of(figure: SlideFigure) -> str:
    """What a number belongs to, in words that no other of its example has."""
    return figure.about if figure.operator != "join" else " ⋈ ".join(figure.relations)


def _operators(joins: Sequence[str], counted: Sequence[tuple[str, int]]) -> list[str]:
    return [*joins, *(name for name, many in counted for _ in range(many))]


def _rows(side: Side, figure: SlideFigure) -> int | None:
    """Rows of the topmost operator of this kind over exactly these tables; None where there is none."""
    wanted = dict(Counter(name.lower() for name in figure.relations))
    beneath = tables_beneath(side.graph)
    for node in side.graph.walk():
        if node.kind == _KINDS[figure.operator] and dict(beneath[node.id]) == wanted:
            return side.rows[node.id]
    return None
