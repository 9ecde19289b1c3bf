"""How many rows and bytes an operator is thought to give, and by which formula (inventory E-010..E-059, G-018)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from planviz.trees.node import TreeNode
from planviz.types.values import Value
from planviz.units import exact

#: Where a number comes from: the slides of the documents, a formula, a run of the query, a size fitted to a pasted
#: plan; or nobody knows it.
Label = Literal["slide", "estimated", "measured", "fitted", "unknown"]
#: Where statistics come from: written into a catalogue, counted by ANALYZE TABLE (the catalogue says when), a table
#: guessed from queries, the default for a size that nobody knows, a size fitted to the decisions of a pasted plan, or
#: the plan itself (rows that stand in it).
Source = Literal["declared", "analyzed", "guessed", "default size", "fitted", "plan"]

_NAME = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Assumption:
    """What an estimate takes for granted: a word, and a sentence that says when it is wrong."""

    name: str
    sentence: str


@dataclass(frozen=True)
class Formula:
    """A formula of an estimate.

    `name` says it in words, `template` is the formula with the names of its inputs in braces, `spark` Spark's class.
    """

    name: str
    template: str
    spark: str
    assumes: tuple[Assumption, ...] = ()

    @property
    def text(self) -> str:
        """The formula with the names of its inputs."""
        return self.template.replace("{", "").replace("}", "")

    @property
    def names(self) -> frozenset[str]:
        """The names of its inputs."""
        return frozenset(_NAME.findall(self.template))

    def with_values(self, values: Mapping[str, object]) -> str:
        """The formula with values in place of names; a name without a value stays."""
        given = {name: figure_text(value) for name, value in values.items()}
        # Names hold brackets and dots (`values in [min, max]`), which `str.format` would take for look-ups.
        return _NAME.sub(lambda found: given.get(found[1], found[1]), self.template)


def figure_text(value: object) -> str:
    """A number for a person: whole numbers with commas, shares with six figures, None as unknown."""
    if value is None:
        return "unknown"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return exact(value) if isinstance(value, int) else f"{value:.6g}"


@dataclass(frozen=True)
class Step:
    """A piece of an estimate: a condition, a pair of join keys, a grouping key.

    `about` is its text (empty: the whole operator), `value` what it gave (a share of the rows, or rows; None: not
    estimated, every row is kept), `inputs` the numbers of the formula by name, `parts` what AND, OR, NOT are made of.
    """

    about: str
    value: float | int | None
    formula: Formula
    inputs: tuple[tuple[str, object], ...] = ()
    parts: tuple[Step, ...] = ()

    @property
    def calculation(self) -> str:
        """The formula with its values."""
        return self.formula.with_values(dict(self.inputs))


@dataclass(frozen=True)
class ColumnChange:
    """What is known of a column before and after an operator; None where nothing is (`catalog.ColumnStatistics`)."""

    name: str
    before: object
    after: object


@dataclass(frozen=True)
class StatisticsSource:
    """Where the statistics of a table come from; `analyzed_at` is the moment that the catalogue says, as it says it.

    `columns` are the columns with statistics, `unknown` those that the plan reads without any.
    """

    table: str
    kind: Source
    rows: int | None = None
    size: int | None = None
    analyzed_at: str | None = None
    columns: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class EstimateRecord:
    """The estimate of one operator.

    `node` is the operator, `operator` its text; `rows` (None: unknown) and `size` in bytes are what Spark would print;
    `formula` gave the rows (the bytes where rows are unknown), `inputs` are its numbers by name, `steps` the pieces in
    between; `size_formula` with `size_inputs` gave the bytes where rows are known. `inherited` says that the operator
    only passes on what its child has. `sources` are the tables beneath, the operator's own where it is a table. `depth`
    is how deep the operator stands in its plan.
    """

    node: TreeNode
    operator: str
    rows: int | None
    size: int
    formula: Formula
    inputs: tuple[tuple[str, Value], ...] = ()
    steps: tuple[Step, ...] = ()
    size_formula: Formula | None = None
    size_inputs: tuple[tuple[str, float], ...] = ()
    columns: tuple[ColumnChange, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    sources: tuple[StatisticsSource, ...] = ()
    inherited: bool = False
    depth: int = 0

    @property
    def label(self) -> Label:
        """What kind of number the rows are."""
        return "unknown" if self.rows is None else self._estimated

    @property
    def size_label(self) -> Label:
        """What kind of number the bytes are: unknown where the size of a table is."""
        return "unknown" if any(s.kind in ("default size", "guessed") for s in self.sources) else self._estimated

    @property
    def _estimated(self) -> Label:
        return "fitted" if any(s.kind == "fitted" for s in self.sources) else "estimated"

    @property
    def calculation(self) -> str:
        """The formula with its values."""
        return self.formula.with_values(dict(self.inputs))

    @property
    def selectivity(self) -> float | None:
        """The share of the input's rows that are left, for an operator of one input whose rows are known."""
        before = dict(self.inputs).get("rows")
        return None if self.rows is None or not before else self.rows / before
