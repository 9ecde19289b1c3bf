"""A difference as the data of the element that shows it, in the app and as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planviz.document.comparison.plans import SURE, Difference
from planviz.graph import title
from planviz.graph.cells import Cell, number_words
from planviz.render.html import page
from planviz.render.text import one_line
from planviz.render.theme import palette, tokens

#: Effects that are listed, operators whose numbers and whose confidence are told.
_EFFECTS, _OPERATORS = 300, 3_000
_WORDS = 600
_UNSURE = 6


def difference_data(told: Difference, key: str) -> dict[str, object]:
    """What `planviz/render/web/compare.js` takes, without colours; `key` names the comparison."""
    few = told.only_changed
    shown = told.effects[:_EFFECTS]
    more = len(told.effects) - len(shown)
    return {
        "key": key,
        "names": [one_line(name, 80) for name in told.names],
        "headline": told.headline,
        "equal": told.equal,
        "total": f"{len(told.before):,} and {len(told.after):,} operators",
        "all": {"trace": told.trace, "slots": list(told.slots)},
        "few": None if few is None else {"trace": few[0], "slots": list(few[1])},
        "effects": [
            {
                "words": one_line(effect.words, _WORDS),
                "label": effect.kind.replace("-", " "),
                "cost": _cost(effect.worse),
                "sure": "" if effect.confidence >= SURE else f"{effect.confidence:.0%} sure",
                "before": list(effect.before),
                "after": list(effect.after),
            }
            for effect in shown
        ],
        "cells": _cells([cell for cell in told.cells if cell.difference != 0 or cell.measured]),
        "operators": {
            str(match.after): _cells(cells) for match, _, cells in told.operator_cells()[:_OPERATORS]
        },
        "confidence": {str(m.after): m.confidence for m in told.found.matches if m.confidence < 1},
        "notes": [*told.notes, *([f"{more:,} more differences are not listed."] if more > 0 else [])],
        "unsure": _unsure(told),
    }  # fmt: skip


def _cost(worse: bool | None) -> str:
    return "" if worse is None else "worse" if worse else "better"


def _cells(cells: Sequence[Cell]) -> list[dict[str, object]]:
    return [
        {
            "name": one_line(cell.name, 80),
            "before": number_words(cell.before, cell.unit),
            "after": number_words(cell.after, cell.unit),
            "difference": number_words(cell.difference, cell.unit, signed=True) if cell.difference else "",
            "percent": f"{cell.percent:+,.0f} %" if cell.percent and abs(cell.percent) < 1e6 else "",
            "cost": "" if cell.better is None else _cost(not cell.better),
            "measured": cell.measured,
        }
        for cell in cells
    ]


def _unsure(told: Difference) -> str:
    if not told.unsure:
        return ""
    some = [f"{title(told.after[match.after])} ({match.confidence:.0%})" for match in told.unsure[:_UNSURE]]
    more = len(told.unsure) - _UNSURE
    return f"Rather guessed to be the same: {', '.join(some)}{f' and {more} more' if more > 0 else ''}."


def difference_page(told: Difference, theme: str | None = None) -> str:
    """The difference as one interactive HTML file that requests nothing. Raises ExportError for an unknown theme."""
    if theme is not None:
        palette(theme)
    data: Mapping[str, object] = difference_data(told, "difference") | {
        "theme": tokens(),
        "dark": None if theme is None else theme == "dark",
    }
    return page("compare", data, f"{told.names[0]} → {told.names[1]}", theme)
