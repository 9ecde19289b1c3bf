"""What a run of rules did: data only, shared by our engine and by parsed rule logs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from planviz.trees.text import Printable


class DeferredTree:
    """A tree of a trace that is made when somebody looks."""

    def __init__(self, make: Callable[[], Printable]) -> None:
        self._make = make

    @cached_property
    def tree(self) -> Printable:
        """The tree."""
        return self._make()


@dataclass(frozen=True)
class RuleApplication:
    """One effective application of a rule.

    `run` numbers the executor run (0 is the outermost; subqueries that are planned on their own get further numbers),
    `iteration` counts from 1 within the batch, `before` and `after` are the trees (those between the strategies of a
    planner are a DeferredTree), `seconds` the time of the call. `matched` says what a strategy looked for and found.
    """

    run: int
    batch: str
    iteration: int
    rule: str
    before: Printable | DeferredTree
    after: Printable | DeferredTree
    seconds: float
    matched: Callable[[], str] | None = None


@dataclass
class RuleSummary:
    """Calls of one rule over a whole trace: how many, how many effective, seconds in all and in effective calls.

    A pass over a plan in which the rule's pattern does not occur, or which it just left unchanged, is no call.
    """

    rule: str
    calls: int = 0
    effective: int = 0
    seconds: float = 0.0
    effective_seconds: float = 0.0


@dataclass
class Totals:
    """Calls of rules as Spark counts them: one for every rule in every pass over its batch; times in seconds."""

    calls: int = 0
    effective: int = 0
    seconds: float = 0.0
    effective_seconds: float = 0.0

    def since(self, earlier: Totals) -> Totals:
        """What was added since `earlier`."""
        return Totals(
            self.calls - earlier.calls,
            self.effective - earlier.effective,
            self.seconds - earlier.seconds,
            self.effective_seconds - earlier.effective_seconds,
        )


@dataclass
class Run:
    """One run of an executor: its number, the run that started it (None for the outermost) and its name.

    `totals` counts its calls and those of the runs that it started; None until it has ended. `batches` is how many
    batches the trace held when it ended.
    """

    number: int
    parent: int | None
    executor: str
    totals: Totals | None = None
    batches: int = 0


# Not frozen: some thirty are made for every query, and each of a frozen class takes three times as long to make.
@dataclass(slots=True)
class BatchRun:
    """One run of a batch: its rules in order, the passes made, the trees before and after (the same: no effect).

    `steps` is how many applications the trace held when it ended.
    """

    run: int
    batch: str
    rules: tuple[str, ...]
    iterations: int
    before: Printable | DeferredTree
    after: Printable | DeferredTree
    steps: int

    @property
    def effective(self) -> bool:
        """Whether it changed the tree."""
        return self.after is not self.before


@dataclass
class Trace:
    """Every effective rule application in order, and the totals of all calls.

    Applications of nested runs stand where they happened, before the application of the rule that started them.
    """

    applications: list[RuleApplication] = field(default_factory=list)
    summaries: dict[str, RuleSummary] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    batches: list[BatchRun] = field(default_factory=list)
    totals: Totals = field(default_factory=Totals)

    def start_run(self, executor: str, parent: int | None = None) -> int:
        """Register a run; its number."""
        self.runs.append(Run(len(self.runs), parent, executor))
        return len(self.runs) - 1

    def end_run(self, number: int, before: Totals) -> None:
        """Close a run that started when the totals were `before`."""
        self.runs[number].totals = self.totals.since(before)
        self.runs[number].batches = len(self.batches)

    def called(self, rule: str, seconds: float, effective: bool) -> None:
        """Count one call of a rule that took `seconds`."""
        summary = self.summaries.get(rule)
        if summary is None:
            summary = self.summaries[rule] = RuleSummary(rule)
        totals = self.totals
        summary.calls += 1
        summary.seconds += seconds
        totals.seconds += seconds
        if effective:
            summary.effective += 1
            summary.effective_seconds += seconds
            totals.effective += 1
            totals.effective_seconds += seconds

    def __iter__(self) -> Iterator[RuleApplication]:
        return iter(self.applications)

    def __len__(self) -> int:
        return len(self.applications)
