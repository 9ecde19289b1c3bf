"""A rule-by-rule trace as data: one form for our own optimizer and for Spark's log (inventory F-001, F-002)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate

from planviz.graph.plan_graph import PlanGraph


class TracedPlan:
    """One plan of a trace, as text and as graph, each made when somebody looks.

    A long trace has hundreds of plans of which a reader sees a few. Plans that stand in several places of a trace
    (after one step, before the next) are one object.
    """

    def __init__(self, text: Callable[[], str], graph: Callable[[], PlanGraph]) -> None:
        self._text = text
        self._graph = graph

    @cached_property
    def text(self) -> str:
        """The plan as Spark prints it, without a line break at the end."""
        return self._text()

    @cached_property
    def graph(self) -> PlanGraph:
        """The plan as a graph."""
        return self._graph()


@dataclass(eq=False)
class RuleStep:
    """One effective application of a rule.

    `rule` is the name as logged (a class name, mostly with its package), `batch` the batch it ran in or None when the
    log does not tell. `before_plan` and `after_plan` are the plans, `source` the first and last line in the input (None
    for our own steps). `output_before` and `output_after` hold the "Output Information" of Spark 4, or None.
    What only our own trace knows, None otherwise: `run` is the number of the executor's run (`RuleTrace.runs`),
    `iteration` counts from 1 within the batch, `milliseconds` is the time of the call, `matched` tells of a planner's
    strategy what it looked for and found.
    """

    rule: str
    before_plan: TracedPlan
    after_plan: TracedPlan
    source: tuple[int, int] | None = None
    batch: str | None = None
    output_before: str | None = None
    output_after: str | None = None
    run: int | None = None
    iteration: int | None = None
    milliseconds: float | None = None
    matched: Callable[[], str] | None = None

    @property
    def short_rule(self) -> str:
        """The rule's name without package and enclosing object: `EliminateOuterJoin`."""
        return short_name(self.rule)

    @property
    def before(self) -> str:
        """The text of the plan before the rule."""
        return self.before_plan.text

    @property
    def after(self) -> str:
        """The text of the plan after the rule."""
        return self.after_plan.text

    def graphs(self) -> tuple[PlanGraph, PlanGraph]:
        """The plan before and after the rule."""
        return self.before_plan.graph, self.after_plan.graph


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """One run of a batch: whether it changed the plan, and after how many of the trace's steps it ended.

    `line` is where the log says so (None for our own). Our own trace also knows the `run`, how many `iterations` were
    made, the `rules` in order, and the plans before and after.
    """

    name: str
    effective: bool
    steps_before: int
    line: int | None = None
    run: int | None = None
    iterations: int | None = None
    rules: tuple[str, ...] = ()
    before_plan: TracedPlan | None = None
    after_plan: TracedPlan | None = None


@dataclass(frozen=True, slots=True)
class RunMetrics:
    """`=== Metrics of Executed Rules ===`: counts, and milliseconds, of one run with the runs that it started.

    `batches_before` is how many of the trace's batches had ended before.
    """

    executor: str | None
    runs: int | None
    milliseconds: float | None
    effective_runs: int | None
    effective_milliseconds: float | None
    batches_before: int = 0
    run: int | None = None


@dataclass(frozen=True, slots=True)
class RuleRun:
    """One run of an executor ("Analyzer", "Optimizer"): `parent` is the run that started it, None for the outermost."""

    number: int
    parent: int | None
    executor: str


@dataclass(frozen=True, slots=True)
class RuleCalls:
    """All calls of one rule over a trace.

    `runs` counts as Spark does, once for every pass over a batch; `looked` only those where the pattern of the rule
    occurred in a plan that it had not just left unchanged; `effective` those that changed the plan.
    """

    rule: str
    runs: int
    looked: int
    effective: int
    milliseconds: float
    effective_milliseconds: float

    @property
    def short_rule(self) -> str:
        """The rule's name without package and enclosing object."""
        return short_name(self.rule)


@dataclass
class RuleTrace:
    """The steps in order, the batches and the metrics in the order in which they ended.

    Our own trace also has its `runs` and the calls of every `rules`, in the order in which they first ran.
    """

    steps: list[RuleStep] = field(default_factory=list)
    batches: list[BatchRecord] = field(default_factory=list)
    metrics: list[RunMetrics] = field(default_factory=list)
    runs: list[RuleRun] = field(default_factory=list)
    rules: list[RuleCalls] = field(default_factory=list)

    @property
    def silent(self) -> list[RuleCalls]:
        """The rules that were called and changed nothing."""
        return [rule for rule in self.rules if not rule.effective]

    def only(self, *executors: str) -> RuleTrace:
        """What the runs of these executors did; of a parsed log, which names no runs, nothing.

        `rules` stay those of the whole trace.
        """
        runs = [run for run in self.runs if run.executor in executors]
        numbers = {run.number for run in runs}
        steps = [step for step in self.steps if step.run in numbers]
        own = {id(step) for step in steps}
        before = [0, *accumulate(id(step) in own for step in self.steps)]
        ended = [0, *accumulate(batch.run in numbers for batch in self.batches)]
        return RuleTrace(
            steps,
            [replace(b, steps_before=before[b.steps_before]) for b in self.batches if b.run in numbers],
            [replace(m, batches_before=ended[m.batches_before]) for m in self.metrics if m.run in numbers],
            runs,
            self.rules,
        )

    def __bool__(self) -> bool:
        return bool(self.steps or self.batches or self.metrics)


class DeferredTrace(RuleTrace):
    """A trace that is put together when somebody looks at it."""

    def __init__(self, make: Callable[[], RuleTrace]) -> None:
        self._make = make

    def __getattr__(self, name: str) -> object:
        if name not in ("steps", "batches", "metrics", "runs", "rules"):
            raise AttributeError(name)
        self.__dict__.update(vars(self._make()))
        return self.__dict__[name]


def short_name(rule: str) -> str:
    """A rule's name without package and enclosing object: `EliminateOuterJoin`."""
    return rule.rsplit(".", 1)[-1].rstrip("$").rsplit("$", 1)[-1]
