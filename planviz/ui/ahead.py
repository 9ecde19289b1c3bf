"""What a page will show, told before Streamlit has run it: the element's name and data.

The browser asks for it ahead and shows it at the click (`ahead.js`); the page's own run then takes its place. Both are
made by the same functions of the same state, so that they are equal.
"""

from __future__ import annotations

from planviz.jsontypes import JsonObject
from planviz.replay.given import Given, given_from
from planviz.ui import (
    aggregate_views,
    cache,
    cardinality,
    following,
    joins,
    queries,
    replayed,
    rules,
    selections,
    views,
)
from planviz.ui.opened import Opened


def first_look(opened: Opened) -> bytes | None:
    """What Explore shows of a text that was just opened; None where that is no picture alone."""
    plan = views.first_plan(opened)
    return views.workbench(opened, plan, None) if plan.isdigit() else None


def page_data(visitor: str, page: str, plan: str | None = None) -> tuple[str, bytes] | None:
    """The element of a page (its address's name, "explore" for the first) and its data, for what a visitor has open.

    `plan` is another of Explore's plans. None where the page has no such element or nothing is known of the visitor;
    raises PlanvizError where the page would say so.
    """
    shown = selections.shown(visitor)
    opened = None if shown is None else cache.find(str(shown["key"]))
    if shown is None or opened is None:
        return None
    following.take_selection(shown, selections.selected(visitor))
    if page == "explore":
        return _explore(opened, shown, plan)
    following.arrive_at(shown, page)
    planned = replayed.shown_as(opened, _given(shown)) or opened
    alone = queries.alone(planned, shown["plan"]) if page in ("rules", "cardinality") else planned
    if page == "rules" and alone.facts.steps:
        return "rules", rules.data(alone, shown["step"], shown["off"], shown["why"])
    if page == "joins" and not joins.nothing_to_show(planned):
        return "joins", joins.data(planned, shown["join"], shown["what"], shown["plan"])
    if page == "cardinality" and cardinality.has_numbers(alone):
        return "cardinality", cardinality.data(alone, cardinality.asked_of(alone, shown["numbers"]))
    if page == "aggregations" and aggregate_views.count(planned):
        return "aggregations", aggregate_views.data(planned, shown["aggregate"], shown["plan"])
    return None


def _explore(opened: Opened, shown: JsonObject, plan: str | None) -> tuple[str, bytes] | None:
    plan = shown["plan"] if plan is None else plan
    if not (plan.isascii() and plan.isdigit() and len(plan) < 9) or int(plan) >= len(opened.facts.stages):
        return None
    node = shown["node"]
    if plan != shown["plan"] and node is not None:
        node = following.follow(opened, shown["plan"], node, plan)
    return "workbench", views.workbench(opened, plan, node)


def _given(shown: dict[str, object]) -> Given:
    return given_from(str(shown["given"] or ""))
