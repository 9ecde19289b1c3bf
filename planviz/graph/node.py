"""An operator of a plan, what is expected of it, and its links to others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

EdgeType = Literal["child", "subquery", "reuse", "pruning", "bloom"]

#: Parts of an operator by name. Values are JSON values; the names are listed in docs/arguments.md.
Arguments = Mapping[str, Any]

#: Spark's marks before an operator's name, and the badges they stand for.
MARKS = {"'": "unresolved", "!": "missing input", "~": "streaming"}


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the optimizer expected of a node, as `explain cost` prints it.

    `rows` and `size_in_bytes` are None when unknown; `rounded` tells that Spark printed a rounded number
    (`rowCount=1.15E+5`, `91.4 MiB`), so equality with another number proves nothing. Where Spark estimates no rows
    (`spark.sql.cbo.enabled` is false), `formula_rows` are what its formulas would give; `at_most` tells that they are
    no more than a bound, as for the groups of a partial aggregate.
    """

    rows: int | None = None
    size_in_bytes: int | None = None
    rounded: bool = False
    formula_rows: int | None = None
    at_most: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """An edge that is not a child edge: `source` uses or points to `target` (node ids)."""

    source: int
    target: int
    type: EdgeType


class PlanNode:
    """One operator.

    `id` counts from 0 in the order of the text. `op` is Spark's name, `kind` one of `KINDS`. `text` is the operator
    as printed, without tree marks and codegen stage. `source` is the first and last line (from 1) of the text it came
    from, or None. `depth` is 0 for a root. `codegen_stage` is the number of the whole-stage codegen subtree, or None.
    `operator_id` is the `(n)` of `explain formatted`. `badges` are truths to show: "truncated", "reused", "missing
    input", "streaming", "unsure", "skew" ... `metrics` maps Spark's metric names to printed or raw values.
    `identity` is set for our own plans: nodes of one document with the same number stand for the same object, so
    everything below them is the same, too (a plan may hold one object twice). None where only a text is known.
    """

    __slots__ = (
        "_arguments",
        "_reader",
        "badges",
        "codegen_stage",
        "depth",
        "estimate",
        "id",
        "identity",
        "kind",
        "metrics",
        "op",
        "operator_id",
        "parent",
        "source",
        "text",
    )

    def __init__(
        self,
        id: int,
        op: str,
        kind: str,
        text: str,
        *,
        source: tuple[int, int] | None = None,
        depth: int = 0,
        parent: int | None = None,
        codegen_stage: int | None = None,
        operator_id: int | None = None,
        estimate: Estimate | None = None,
        metrics: dict[str, str] | None = None,
        badges: tuple[str, ...] = (),
        arguments: Arguments | None = None,
        reader: Callable[[PlanNode], Arguments] | None = None,
        identity: int | None = None,
    ) -> None:
        self.id = id
        self.op = op
        self.kind = kind
        self.text = text
        self.source = source
        self.depth = depth
        self.parent = parent
        self.codegen_stage = codegen_stage
        self.operator_id = operator_id
        self.estimate = estimate
        self.metrics = metrics
        self.badges = badges
        self._arguments = arguments
        self._reader = reader
        self.identity = identity

    @property
    def arguments(self) -> Arguments:
        """The operator's named parts, read from its text on first use."""
        if self._arguments is None:
            self._arguments = self._reader(self) if self._reader is not None else {}
        return self._arguments

    @property
    def reader(self) -> Callable[[PlanNode], Arguments] | None:
        """What reads the parts of the operator from its text; None where they were given."""
        return self._reader

    @property
    def plan_id(self) -> int | None:
        """Spark's `plan_id` of an exchange or a stage, or None."""
        value = self.arguments.get("plan_id")
        return value if isinstance(value, int) else None

    def __repr__(self) -> str:
        return f"PlanNode({self.id}, {self.op!r}, depth={self.depth})"
