"""Spark's rule log beside planviz: the optimizer run again from the plan that the log begins with, step by step."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass

from planviz.document.model import Document
from planviz.document.rules.traces import rule_trace
from planviz.graph import PlanGraph
from planviz.graph.from_tree import Identities
from planviz.graph.trace import RuleStep
from planviz.optimizer.batches import batches
from planviz.optimizer.context import OptimizerContext
from planviz.replay.compared import canonical
from planviz.replay.given import Given
from planviz.replay.plans import columns_in
from planviz.replay.replayed import replay
from planviz.replay.result import Replay

#: Steps of the optimizer in one log that are taken again, and operators of a plan.
MOST_STEPS, MOST_OPERATORS = 2000, 2000

#: What marks an operator as unresolved, which one whose types nobody tells is to planviz.
_MARKS = re.compile(r"(?m)^([ :+-]*)['!]")

#: The type of a shared expression, which is printed where it stands for it.
_TYPES = re.compile(r"(commonexpressionref\(CommonExpressionId\(\d+,\w+\)), \w+Type(?:\([^()]*\))?")


@dataclass(frozen=True)
class LoggedStep:
    """One step of Spark's optimizer: `number` counts the log's steps from 0; `same` says whether planviz takes it, too,
    with the same plan after it, `ours` is the step that planviz takes in its place (None: none)."""

    number: int
    same: bool
    ours: RuleStep | None


@dataclass(frozen=True)
class LoggedRun:
    """The steps of one run of Spark's optimizer beside those of planviz, and the replay that made them."""

    steps: tuple[LoggedStep, ...]
    replay: Replay

    @property
    def first(self) -> LoggedStep | None:
        """The first step that planviz does not take; None where it takes all."""
        return next((s for s in self.steps if not s.same), None)

    @property
    def words(self) -> str:
        """In a sentence, steps counted from 1."""
        count = len(self.steps)
        read = self.replay.read.get("analyzed")
        types = f"; the log does not tell the types of {read.open} columns" if read is not None and read.open else ""
        if self.first is None:
            return f"replayed: planviz takes the same {_counted(count)} of the optimizer{types}"
        kept = sum(s.same for s in self.steps)
        first = self.first.number + 1
        return f"replayed: step {first} is the first that differs, {kept} of {_counted(count)} are the same{types}"


def _counted(steps: int) -> str:
    return "1 step" if steps == 1 else f"{steps} steps"


def logged_runs(document: Document, said: Given | None = None) -> tuple[LoggedRun, ...]:
    """The optimizer's runs in a log, each beside planviz's; those whose first plan cannot be read have none.

    Only of Spark's log: the trace of a query that planviz planned, or replayed, has nothing to be held against. Raises
    nothing for what a log says.
    """
    if document.statements:
        return ()
    found = []
    for numbers in _runs(document.trace.steps):
        steps = [document.trace.steps[n] for n in numbers]
        made = _replayed(document, steps, said)
        if made is not None and made.optimized is not None:
            ours = rule_trace(made.trace, Identities()).steps
            found.append(LoggedRun(tuple(_beside(numbers, steps, ours)), made))
    return tuple(found)


def _runs(steps: Sequence[RuleStep]) -> Iterator[list[int]]:
    """The numbers of the steps of every run of the optimizer, the runs for subqueries within it."""
    names = {batch.name for batch in batches(OptimizerContext())}
    run: list[int] = []
    for number, step in enumerate(steps):
        is_optimizer = step.batch in names if step.batch is not None else ".optimizer." in step.rule
        starts = step.short_rule == "FinishAnalysis" and not _is_within(step, steps, run)
        if run and (not is_optimizer or starts):
            yield run
            run = []
        if is_optimizer:
            run.append(number)
    if run:
        yield run


def _is_within(step: RuleStep, steps: Sequence[RuleStep], run: Sequence[int]) -> bool:
    """Whether a step begins the run for a subquery: its plan is part of the plan that the run has reached."""
    if not run:
        return False
    root = canonical(step.before.split("\n", 1)[0]).strip(" '!~")
    return root in canonical(steps[run[-1]].after).replace("'", "")


def _replayed(document: Document, steps: Sequence[RuleStep], said: Given | None) -> Replay | None:
    before, after = steps[0].before_plan.graph, steps[-1].after_plan.graph
    if not len(before) or len(steps) > MOST_STEPS or len(before) + len(after) > MOST_OPERATORS:
        return None
    plans = [_as(before, "analyzed"), _as(after, "optimized")]
    # The scans of physical plans, which stand at the end of a log, say the types of their columns.
    told = [*plans, *document.plans, document.trace.steps[-1].after_plan.graph]
    return replay(plans, columns_in(told, ""), document.printed, said)


def _as(graph: PlanGraph, stage: str) -> PlanGraph:
    found = copy(graph)
    found.stage = stage
    return found


def _beside(numbers: Sequence[int], theirs: Sequence[RuleStep], ours: Sequence[RuleStep]) -> Iterator[LoggedStep]:
    """Every step of the log with the one that planviz takes in its place."""
    a, b = ([(s.short_rule, _comparable(s.after)) for s in side] for side in (theirs, ours))
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    for tag, i, j, k, n in matcher.get_opcodes():
        for at in range(j - i):
            found = ours[k + at] if k + at < n else None
            yield LoggedStep(numbers[i + at], tag == "equal", found)


def _comparable(plan: str) -> str:
    """A plan's text without what hangs on types that a log may not tell."""
    return _TYPES.sub(r"\1", _MARKS.sub(r"\1", canonical(plan)))


def step_difference(step: LoggedStep, theirs: RuleStep) -> list[str]:
    """The lines in which the plans after a step differ, `-` Spark's and `+` planviz's; both where one has no such
    step."""
    if step.ours is None:
        return [f"- {theirs.short_rule}", "+ (planviz takes no such step here)"]
    head = [] if step.ours.short_rule == theirs.short_rule else [f"- {theirs.short_rule}", f"+ {step.ours.short_rule}"]
    a, b = (side.after.split("\n") for side in (theirs, step.ours))
    x, y = (_comparable(side.after).split("\n") for side in (theirs, step.ours))
    for tag, i, j, k, n in difflib.SequenceMatcher(None, x, y, autojunk=False).get_opcodes():
        if tag != "equal":
            head += [f"- {line}" for line in a[i:j]] + [f"+ {line}" for line in b[k:n]]
    return head
