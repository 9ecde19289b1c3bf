"""Three and more plans of one query over time: every step from one to the next, and from the first to the last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from planviz.document.comparison.plans import Difference, compare_plans, difference_json
from planviz.errors import InputError
from planviz.graph import PlanGraph
from planviz.graph.cells import Cell, Unit
from planviz.graph.effect import Effect
from planviz.graph.effects import FACTOR

#: Plans that are compared in one chain.
MOST = 24


@dataclass(frozen=True)
class Row:
    """One number of every plan of a chain, None where it is not known; `cell` is that of the first step that has it."""

    cell: Cell
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class Chain:
    """Plans in the order of time: `steps` are the differences of neighbours, `whole` that of the first and the last."""

    steps: tuple[Difference, ...]
    whole: Difference

    @property
    def names(self) -> tuple[str, ...]:
        """What the plans are called."""
        return (self.steps[0].names[0], *(step.names[1] for step in self.steps))

    @property
    def equal(self) -> bool:
        """Whether no step differs."""
        return all(step.equal for step in self.steps)

    @property
    def headline(self) -> str:
        """The answer in one line."""
        changed = [step.names[1] for step in self.steps if not step.equal]
        if not changed:
            return f"{len(self.names)} plans without a difference"
        back = " and the last is the first again" if self.whole.equal else ""
        return f"{len(self.names)} plans, {len(changed)} of {len(self.steps)} steps changed it{back}"

    def failing(self, kinds: Sequence[str]) -> list[Effect]:
        """The effects of these kinds, of every step."""
        return [effect for step in self.steps for effect in step.failing(kinds)]

    def since(self, effect: Effect) -> str:
        """The plan that brought an effect of the whole, by its name; "" where no single step says the same.

        The last one that did, since an earlier one was taken back.
        """
        said = [step.names[1] for step in self.steps if any(_same(effect, other) for other in step.effects)]
        return said[-1] if said else ""

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The numbers that are not the same in all plans."""
        known: list[dict[tuple[str, Unit, bool], float | None]] = [{} for _ in self.names]
        cells: dict[tuple[str, Unit, bool], Cell] = {}
        for at, step in enumerate(self.steps):
            for cell in step.cells:
                key = cell.name, cell.unit, cell.measured
                cells.setdefault(key, cell)
                known[at][key], known[at + 1][key] = cell.before, cell.after
        # What is counted in neither plan of a step is left out there.
        rows = [
            Row(cell, tuple(column.get(key, None if cell.measured or cell.unit else 0) for column in known))
            for key, cell in cells.items()
        ]
        return tuple(row for row in rows if len({*row.values}) > 1)


def _same(one: Effect, other: Effect) -> bool:
    return (one.kind, one.words) == (other.kind, other.words)


def compare_chain(
    plans: Sequence[PlanGraph], names: Sequence[str], *, numbers: bool = False, factor: float = FACTOR
) -> Chain:
    """Compare plans, two at a time and the first with the last. Raises InputError for less than two, or too many."""
    if not 2 <= len(plans) <= MOST:
        raise InputError(f"A chain has 2 to {MOST} plans; these are {len(plans)}.")
    sides = list(zip(plans, _told_apart(names), strict=True))
    steps = tuple(
        compare_plans(one, two, (first, second), numbers=numbers, factor=factor)
        for (one, first), (two, second) in pairwise(sides)
    )
    (one, first), (two, second) = sides[0], sides[-1]
    whole = compare_plans(one, two, (first, second), numbers=numbers, factor=factor) if len(steps) > 1 else steps[0]
    return Chain(steps, whole)


def _told_apart(names: Sequence[str]) -> list[str]:
    if len({*names}) == len(names):
        return list(names)
    return [f"{at}. {name}" for at, name in enumerate(names, 1)]


def chain_json(chain: Chain) -> dict[str, object]:
    """A chain as JSON values (docs/compare.md)."""
    return {
        "format": "planviz-diff-chain/1",
        "equal": chain.equal,
        "names": list(chain.names),
        "headline": chain.headline,
        "steps": [difference_json(step) for step in chain.steps],
        "whole": difference_json(chain.whole),
        "since": [chain.since(effect) for effect in chain.whole.effects],
        "numbers": [
            {"name": row.cell.name, "unit": row.cell.unit, "lower_is_better": row.cell.lower_is_better,
             "measured": row.cell.measured, "values": list(row.values)}
            for row in chain.rows
        ],
    }  # fmt: skip
