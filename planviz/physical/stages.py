"""The stages in which an aggregate is computed, one operator each, from the input up (inventory C-001, C-026)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import AttributeReference, Expression, NamedExpression
from planviz.physical.aggregates import GroupingExec

#: The modes of functions in the order in which a row meets them.
MODES = ("Partial", "PartialMerge", "Final", "Complete")


@dataclass(frozen=True)
class PlannedStage:
    """One stage: its number from 1 at the input, its operator as plans name it, and what the operator holds.

    `keys` and `results` are named expressions, `functions` aggregate expressions in their modes, `buffers` the columns
    of the functions' buffers in order. `distribution` are the keys by which rows must lie together: None for anyhow,
    none of them for all rows in one place. `required_order` tells that it needs its rows sorted by the keys.
    """

    number: int
    operator: str
    keys: tuple[NamedExpression, ...]
    functions: tuple[AggregateExpression, ...]
    buffers: tuple[AttributeReference, ...]
    results: tuple[Expression, ...]
    distribution: tuple[Expression, ...] | None = None
    required_order: bool = False

    @classmethod
    def of(cls, number: int, made: GroupingExec) -> PlannedStage:
        """The stage that an aggregate operator is."""
        return cls(
            number,
            made.node_name,
            made.keys,
            made.functions,
            made.buffers,
            made.results,
            made.distribution,
            any(made.required_ordering),
        )

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes of the functions, each once; none where the stage only groups."""
        found = {f.mode for f in self.functions}
        return tuple([mode for mode in MODES if mode in found])

    @property
    def exchange(self) -> str | None:
        """The exchange that it asks for unless its rows lie so already, as plans say it; None for none."""
        if self.distribution is None:
            return None
        return f"hashpartitioning({_listed(self.distribution)})" if self.distribution else "SinglePartition"

    def __str__(self) -> str:
        """As one line: 2. HashAggregate (Final) by k: count(v); buffer count bigint."""
        modes = f" ({', '.join(self.modes)})" if self.modes else ""
        keys = f" by {_listed(self.keys)}" if self.keys else ""
        functions = _listed(self.functions) or "groups only"
        buffers = ", ".join(f"{a.name} {a.type.simple_string}" for a in self.buffers)
        return f"{self.number}. {self.operator}{modes}{keys}: {functions}" + (f"; buffer {buffers}" if buffers else "")


def stage_lines(stages: Iterable[PlannedStage]) -> list[str]:
    """The stages from the input up, with a line for every exchange that one of them asks for."""
    lines = []
    for stage in stages:
        if stage.exchange is not None and stage.number > 1:
            lines.append(f"   Exchange {stage.exchange}")
        lines.append(str(stage))
    return lines


def _listed(items: Iterable[object]) -> str:
    return ", ".join(map(str, items))
