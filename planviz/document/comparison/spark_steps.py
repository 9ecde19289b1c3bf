"""Our rule-by-rule trace beside Spark's: the same rules in the same order, the same tree after each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planviz.document.comparison.normalization import renumbered, without_numbering
from planviz.graph.diff import diff
from planviz.graph.plan_graph import PlanGraph
from planviz.graph.trace import RuleStep, RuleTrace

EXECUTORS = ("Analyzer", "Optimizer")


@dataclass(frozen=True)
class Parting:
    """Where two traces part: after so many equal steps, in this batch, Spark's next rule and ours (None: no more).

    `words` say how the trees after the rule differ, "" where another rule ran.
    """

    executor: str
    steps: int
    batch: str | None
    spark: str | None
    planviz: str | None
    words: str = ""


@dataclass(frozen=True)
class StepComparison:
    """The steps of one executor: how many each side made, and where they part first (None: nowhere)."""

    executor: str
    spark: int
    planviz: int
    parting: Parting | None = None

    @property
    def equal(self) -> bool:
        """Whether both made the same steps with the same trees."""
        return self.parting is None


def compare_steps(spark: RuleTrace, ours: RuleTrace) -> tuple[StepComparison, ...]:
    """The steps of Analyzer and Optimizer beside each other; what ran inside a rule counts with it. Empty: no steps."""
    if not spark.steps:
        return ()
    return tuple(_compare(executor, _steps(spark, executor), _steps(ours, executor)) for executor in EXECUTORS)


def _steps(trace: RuleTrace, executor: str) -> list[RuleStep]:
    """The outermost steps that changed the plan's text; a rule may count as effective that changed nothing in it."""
    outer = {run.number for run in trace.runs if run.executor == executor and run.parent is None}
    return [step for step in trace.steps if step.run in outer and renumbered(step.before) != renumbered(step.after)]


def _compare(executor: str, spark: list[RuleStep], ours: list[RuleStep]) -> StepComparison:
    parting = next(_partings(executor, spark, ours), None)
    return StepComparison(executor, len(spark), len(ours), parting)


def _partings(executor: str, spark: list[RuleStep], ours: list[RuleStep]) -> Iterator[Parting]:
    for at in range(max(len(spark), len(ours))):
        theirs, own = (steps[at] if at < len(steps) else None for steps in (spark, ours))
        rule, other = (None if step is None else step.short_rule for step in (theirs, own))
        batch = next(step.batch for step in (theirs, own) if step is not None)
        if theirs is None or own is None or rule != other:
            yield Parting(executor, at, batch, rule, other)
        elif renumbered(theirs.after) != renumbered(own.after):
            yield Parting(executor, at, batch, rule, other, in_words(theirs.after_plan.graph, own.after_plan.graph))


def in_words(spark: PlanGraph, ours: PlanGraph) -> str:
    """The first difference of two plans in words, from Spark's to ours."""
    found = diff(spark, ours, numbers=True)
    places = [
        (m.before, f"{spark[m.before].op}: {', '.join(map(str, m.changes))}")
        for m in found.changed
        if without_numbering(spark[m.before].text) != without_numbering(ours[m.after].text)
    ]
    places += [(m.before, f"{spark[m.before].op} stands elsewhere") for m in found.moved]
    places += [(id, f"{spark[id].op} is only in Spark") for id in found.removed]
    places += [(id, f"{ours[id].op} is only in planviz") for id in found.inserted]
    if not places:
        return "other numbers of columns"
    more = len(places) - 1
    return min(places)[1] + (f"; {more} more" if more else "")
