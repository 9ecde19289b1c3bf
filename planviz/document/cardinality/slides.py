"""The slides' examples of cost-based optimization: their own numbers, beside ours (inventory E-070..E-097, G-018).

`slides.json` has the numbers as the slides have them; the tables are the bundled catalogue `slides`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from planviz.catalog import Catalog, edited, read_bundled
from planviz.config import OptimizerConfig
from planviz.decisions.estimates import EstimateRecord
from planviz.errors import InputError
from planviz.estimation import explain_estimate
from planviz.execution import QueryExecution, explain
from planviz.expressions.subqueries import QueryPlan
from planviz.jsontypes import JsonObject
from planviz.logical.combining import Join
from planviz.logical.operators import Filter
from planviz.logical.relations import LogicalRelation

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan

_OPERATORS: dict[str, type[LogicalPlan]] = {"table": LogicalRelation, "filter": Filter, "join": Join}


@dataclass(frozen=True)
class SlideFigure:
    """A number of a slide: the rows or bytes of a table, a filtered table or a join of these relations.

    `inferred` says that which arrow of the picture it belongs to is a guess: the slides' text has lost their form.
    """

    about: str
    relations: tuple[str, ...]
    operator: str
    rows: int | None = None
    size: int | None = None
    inferred: bool = False


@dataclass(frozen=True)
class SlideSide:
    """The example without (`off`) or with (`on`) the cost-based optimizer.

    `joins` are the operators that the slide shows, `operators` how many of each (of q64, whose slide shows fragments).
    """

    name: str
    settings: tuple[tuple[str, str], ...]
    figures: tuple[SlideFigure, ...]
    joins: tuple[str, ...] = ()
    operators: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class SlideExample:
    """An example of the slides.

    `items` are the inventory's, `said` what the slides say of it, `limits` what cannot be had as the slide has it,
    `speedup` how many times as fast it became there, `edits` the numbers in which its catalogue differs from `slides`.
    """

    name: str
    title: str
    about: str
    sql: str
    items: tuple[str, ...]
    sides: tuple[SlideSide, ...]
    said: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    speedup: float | None = None
    edits: tuple[str, ...] = field(default=(), repr=False)

    @property
    def catalog(self) -> Catalog:
        """The tables with the statistics of the example."""
        return edited(read_bundled("slides"), self.edits)

    def side(self, name: str) -> SlideSide:
        """The side `off` or `on`."""
        return next(s for s in self.sides if s.name == name)


@dataclass(frozen=True)
class SlideFact:
    """A sentence of the slides that belongs to no example."""

    item: str
    about: str
    text: str


@dataclass(frozen=True)
class Beside:
    """A slide's number and our estimate of the same; `ours` is None where our plan has no such operator."""

    figure: SlideFigure
    ours: EstimateRecord | None


@cache
def _document() -> JsonObject:
    found: JsonObject = json.loads((files("planviz.document.cardinality") / "slides.json").read_text(encoding="utf-8"))
    return found


@cache
def slide_examples() -> tuple[SlideExample, ...]:
    """All examples, in the order of the slides."""
    return tuple(map(_example, _document()["examples"]))


def slide_example(name: str) -> SlideExample:
    """The example of this name. Raises InputError for another name."""
    found = next((e for e in slide_examples() if e.name == name), None)
    if found is None:
        raise InputError(f"There is no example {name!r}; there are {', '.join(e.name for e in slide_examples())}.")
    return found


def slide_facts() -> tuple[SlideFact, ...]:
    """What the slides say beside their examples."""
    return tuple([SlideFact(**f) for f in _document()["facts"]])


def slide_query(example: SlideExample, side: SlideSide) -> QueryExecution:
    """The example's query with the settings of a side, to be planned."""
    return explain(example.sql, example.catalog, OptimizerConfig().with_settings(dict(side.settings)))


def beside(side: SlideSide, execution: QueryExecution) -> tuple[Beside, ...]:
    """The slide's numbers beside our estimates of the optimized plan. Raises what the stages raise."""
    return tuple([Beside(f, _ours(f, execution)) for f in side.figures])


def _ours(figure: SlideFigure, execution: QueryExecution) -> EstimateRecord | None:
    wanted, kind = Counter(figure.relations), _OPERATORS[figure.operator]
    found = (n for n in _walk(execution.optimized) if isinstance(n, kind) and _tables(n) == wanted)
    node = next(found, None)
    return None if node is None else explain_estimate(node, execution.config)


def _walk(plan: QueryPlan) -> Iterator[object]:
    for node in plan.walk():
        yield node
        for inner in node.inner_children:
            yield from _walk(inner)


def _tables(plan: LogicalPlan) -> Counter[str]:
    return Counter(n.table.name for n in plan.walk() if isinstance(n, LogicalRelation) and n.table is not None)


def _example(entry: JsonObject) -> SlideExample:
    return SlideExample(
        entry["name"],
        entry["title"],
        entry["about"],
        "\n".join(entry["sql"]),
        tuple(entry["items"]),
        tuple(map(_side, entry["sides"])),
        tuple(entry.get("said", ())),
        tuple(entry.get("limits", ())),
        entry.get("speedup"),
        tuple(entry.get("edits", ())),
    )


def _side(entry: JsonObject) -> SlideSide:
    figures = [
        SlideFigure(
            f["about"],
            tuple(f["relations"]),
            f["operator"],
            f.get("rows"),
            f.get("bytes"),
            f.get("inferred", False),
        )
        for f in entry["figures"]
    ]
    return SlideSide(
        entry["name"],
        tuple(entry["settings"].items()),
        tuple(figures),
        tuple(entry.get("joins", ())),
        tuple(entry.get("operators", {}).items()),
    )
