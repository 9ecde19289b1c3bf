"""The addresses of tours' steps, relative to any page of the app."""

from __future__ import annotations

from functools import cache
from urllib.parse import quote, urlencode

from planviz.document.cardinality.slides import slide_examples
from planviz.samples.tours import Step, Tour, step_at, tour_named
from planviz.ui import links
from planviz.ui.slides import CATALOG, numbers_of


def part_of(tour: Tour, number: int) -> str:
    """How an address names a step: `slow-query.2`."""
    return f"{tour.name}.{number}"


def step_of(part: str) -> tuple[Tour, int]:
    """The tour and the number that a part of an address names. Raises InputError for none that is there."""
    name, _, number = part.partition(".")
    tour = tour_named(name)
    at = int(number) if number.isascii() and number.isdigit() and len(number) < 4 else 1
    step_at(tour, at)
    return tour, at


@cache
def address(name: str, number: int) -> str:
    """The address of a step, relative to any page of the app. Raises InputError for one that is not there."""
    tour = tour_named(name)
    step = step_at(tour, number)
    query = {"plan": links.pack(sql_of(step)) or "", "name": tour.title} | dict(step.query)
    if step.slide:
        query |= {"catalog": CATALOG, "numbers": _numbers(step)}
    elif step.catalog:
        query["catalog"] = step.catalog
    page = "./" if step.page == "explore" else step.page
    return f"{page}?{urlencode(query | {'tour': part_of(tour, number)}, quote_via=quote)}"


def sql_of(step: Step) -> str:
    """What is open at a step."""
    return next((one.sql for one in slide_examples() if one.name == step.slide), step.sql)


def _numbers(step: Step) -> str:
    return next(numbers_of(one) for one in slide_examples() if one.name == step.slide)
