"""A rule-by-rule trace as data: one form for our own optimizer and for Spark's log (inventory F-001, F-002)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from planviz.graph.plan_graph import PlanGraph

GraphOf = Callable[[str], PlanGraph]


@dataclass(slots=True)
class RuleStep:
    """One effective application of a rule.

    `rule` is the name as logged (a class name, mostly with its package), `batch` the batch it ran in or None when the
    log does not tell. `before` and `after` are tree texts; the graphs are read from them on first use. `source` is the
    first and last line in the input. `output_before` and `output_after` hold the "Output Information" of Spark 4,
    or None.
    """

    rule: str
    before: str
    after: str
    source: tuple[int, int]
    batch: str | None = None
    output_before: str | None = None
    output_after: str | None = None
    graph_of: GraphOf | None = field(default=None, repr=False)
    _graphs: tuple[PlanGraph, PlanGraph] | None = field(default=None, repr=False)

    @property
    def short_rule(self) -> str:
        """The rule's name without package and enclosing object: `EliminateOuterJoin`."""
        return self.rule.rsplit(".", 1)[-1].rstrip("$").rsplit("$", 1)[-1]

    def graphs(self) -> tuple[PlanGraph, PlanGraph]:
        """The plan before and after the rule."""
        if self._graphs is None:
            if self.graph_of is None:
                raise ValueError("a step without a reader has texts only")
            self._graphs = (self.graph_of(self.before), self.graph_of(self.after))
        return self._graphs


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """One run of a batch: whether it changed the plan, and after how many of the trace's steps it ended."""

    name: str
    effective: bool
    steps_before: int
    line: int


@dataclass(frozen=True, slots=True)
class RunMetrics:
    """`=== Metrics of Executed Rules ===`: counts, and milliseconds."""

    executor: str | None
    runs: int | None
    milliseconds: float | None
    effective_runs: int | None
    effective_milliseconds: float | None


@dataclass(slots=True)
class RuleTrace:
    """The steps in order, with the batches and the metrics that the log told."""

    steps: list[RuleStep] = field(default_factory=list)
    batches: list[BatchRecord] = field(default_factory=list)
    metrics: list[RunMetrics] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.steps or self.batches or self.metrics)
