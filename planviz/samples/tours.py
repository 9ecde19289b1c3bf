"""Tours: stories in a few steps on the real pages. A step is an address, so that a teacher can link to it.

stories/NAME.json   one tour: title, about, and its steps as `Step` says
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

import msgspec

from planviz.errors import InputError

#: The tours in the order in which they are offered.
NAMES = ("slow-query", "join-strategies", "aggregation-stages", "hash-map", "outer-joins", "statistics")


@dataclass(frozen=True)
class Step:
    """A step of a tour.

    `page` is the address of the page ("explore": the first), `lines` the SQL that is open, planned with the bundled
    catalogue `catalog`, `slide` in its place an example of the slides; `query` are further parts of the address. `see`
    says what there is to see, `do` what to do. `expect` are words of which each stands in the plan, with | between
    alternatives, `rule` the rule of the step of the trace that is shown, `rows` the query's result, where it is given.
    """

    title: str
    page: str
    see: str
    do: str
    lines: tuple[str, ...] = ()
    catalog: str = ""
    slide: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    expect: tuple[str, ...] = ()
    rule: str = ""
    rows: tuple[tuple[str | int | None, ...], ...] | None = None

    @property
    def sql(self) -> str:
        """What is open at the step; empty where an example of the slides is."""
        return "\n".join(self.lines)


@dataclass(frozen=True)
class Tour:
    """A tour with its steps; `about` is one sentence."""

    name: str
    title: str
    about: str
    steps: tuple[Step, ...]


@cache
def tours() -> Mapping[str, Tour]:
    """All tours by name, in the order in which they are offered."""
    return {name: _read(name) for name in NAMES}


def tour_named(name: str) -> Tour:
    """A tour by its name. Raises InputError with the names there are."""
    found = tours().get(name)
    if found is None:
        raise InputError(f"There is no tour {name!r}; there are {', '.join(NAMES)}.")
    return found


def step_at(tour: Tour, number: int) -> Step:
    """A step by its number, from 1. Raises InputError for one that is not there."""
    if not 1 <= number <= len(tour.steps):
        raise InputError(f"The tour {tour.name} has steps 1 to {len(tour.steps)}, not {number}.")
    return tour.steps[number - 1]


def _read(name: str) -> Tour:
    text = (files(__package__) / "stories" / f"{name}.json").read_bytes()
    return msgspec.json.decode(text, type=Tour)
