"""What the addresses of an open document answer with, as bytes: details for the workbench, pictures, pages."""

from __future__ import annotations

import json
from collections.abc import Callable

from planviz.errors import PlanvizError
from planviz.jsontypes import JsonObject
from planviz.render import render
from planviz.render.png import png
from planviz.render.primitives import Drawing
from planviz.render.scene import scene_details
from planviz.render.step_drawing import VIEWS, draw_step
from planviz.render.svg import svg
from planviz.ui import aggregate_views, joins, reasons, rules, views
from planviz.ui.bodies import ODD, ODDITIES, json_bytes
from planviz.ui.cardinality import asked_for
from planviz.ui.opened import Opened, in_worker


@in_worker
def details(opened: Opened, plan: str) -> bytes:
    """What a large plan's picture comes without: titles, lines and details of all nodes, findings and the text.

    Raises KeyError for a plan that is not there, as the others here do.
    """
    graph = opened.graph(plan)
    more = scene_details(graph) | {"findings": views.found(opened, plan), "text": opened.text_of(plan)}
    return json.dumps(more, separators=(",", ":")).encode()


@in_worker
def why(opened: Opened, plan: str, node: str) -> bytes:
    """Why one operator is there: JSON of `planviz.ui.reasons.reasons_of`. Raises KeyError for what is no number."""
    if not _whole(node):
        raise KeyError(node)
    return json.dumps(reasons.reasons_of(opened, plan, int(node)), separators=(",", ":")).encode()


@in_worker
def joins_in_short(opened: Opened, plan: str) -> bytes:
    """Why a plan's joins are what they are: JSON of `planviz.ui.reasons.joins_in_short`."""
    return json.dumps(reasons.joins_in_short(opened, plan), separators=(",", ":")).encode()


@in_worker
def picture(opened: Opened, plan: str, format: str, theme: str) -> bytes:
    """A plan in a format of `planviz.render`. Raises PlanvizError for a format or theme that there is not."""
    return render(opened.graph(plan), format, theme=theme)


@in_worker
def named(opened: Opened, plan: str, format: str, theme: str, title: str) -> bytes:
    """As `picture`, under a title; "" is the plan's own heading."""
    return render(opened.graph(plan), format, theme=theme, title=title or None)


@in_worker
def step(opened: Opened, number: str, format: str, view: str, theme: str) -> bytes:
    """A step of the trace (from 1) as a picture. Raises KeyError when there is none of that number, format or view."""
    steps = len(opened.document.trace.steps)
    if not (_whole(number) and 0 < int(number) <= steps) or view not in VIEWS or format not in ("svg", "png"):
        raise KeyError(number)
    return _drawn(draw_step(rules.trace_of(opened), int(number) - 1, view=view, theme=theme), format)


@in_worker
def join(opened: Opened, number: str, format: str, what: str, theme: str) -> bytes:
    """A join's decision tree (from 1), as if `what`. Raises KeyError for what is no number or format."""
    if format not in ("svg", "png") or not _whole(number):
        raise KeyError(number)
    return _drawn(joins.join_drawing(opened, int(number) - 1, what, theme), format)


@in_worker
def stages(opened: Opened, number: str, format: str, setting: str, theme: str) -> bytes:
    """An aggregate's stages (from 1), with a setting. Raises KeyError for what is no number or format."""
    if format not in ("svg", "png") or not _whole(number):
        raise KeyError(number)
    return _drawn(aggregate_views.stages_drawing(opened, int(number), setting, theme), format)


@in_worker
def joins_if(opened: Opened, asked: dict[str, object]) -> tuple[int, bytes]:
    """HTTP status and JSON for what the Joins page asks (`planviz.ui.joins.reply`)."""
    return _replied(joins.reply, opened, asked)


@in_worker
def aggregates_if(opened: Opened, asked: dict[str, object]) -> tuple[int, bytes]:
    """HTTP status and JSON for what the Aggregations page asks (`planviz.ui.aggregate_views.reply`)."""
    return _replied(aggregate_views.reply, opened, asked)


def _replied(
    reply: Callable[[Opened, JsonObject], JsonObject], opened: Opened, asked: dict[str, object]
) -> tuple[int, bytes]:
    try:
        return 200, json_bytes(reply(opened, asked))
    except PlanvizError as error:
        return 422, json_bytes({"message": str(error), "line": None})
    except ODDITIES:
        return 400, json_bytes({"message": ODD, "line": None})


@in_worker
def estimates(opened: Opened, what: str, body: bytearray) -> tuple[int, bytes]:
    """HTTP status and JSON for what the Cardinality page asks (`planviz.ui.cardinality.asked_for`)."""
    return asked_for(opened, what, bytes(body))


def _whole(number: str) -> bool:
    return number.isascii() and number.isdigit() and len(number) < 9


def _drawn(drawing: Drawing, format: str) -> bytes:
    return svg(drawing).encode() if format == "svg" else png(drawing)
