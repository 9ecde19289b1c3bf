"""One query planned by planviz and by a real Spark, beside each other (inventory G-010).

Compared are the plans of every stage, the rules that changed something, in their order and with the trees after each,
the estimates of every operator, and, where Spark executed the query, the rows that it measured.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from planviz.document.comparison.normalization import Line, equal_but_for_chance, lines_of
from planviz.document.comparison.spark_steps import EXECUTORS, StepComparison, compare_steps, in_words
from planviz.document.model import Document, SqlStatement
from planviz.errors import InputError
from planviz.estimation import Estimator
from planviz.graph import PlanGraph
from planviz.graph.actual import actual_rows
from planviz.graph.trace import RuleTrace
from planviz.jsontypes import JsonObject

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan

STAGES = ("parsed", "analyzed", "optimized", "physical")

#: Rows (None: unknown) and bytes.
Size = tuple[int | None, int | None]


@dataclass(frozen=True)
class StageComparison:
    """One stage: how many operators Spark has and how many are the same in planviz, at the same place.

    `difference` is the first place where they part: what Spark has there and what planviz has (None: nothing); `words`
    say the first difference in words. `missing` says which side did not reach the stage, "" when both did. `chance`:
    they differ only in an order that Spark takes from hash codes, and count as equal.
    """

    stage: str
    operators: int = 0
    same: int = 0
    difference: tuple[str | None, str | None] | None = None
    missing: str = ""
    words: str = ""
    chance: bool = False

    @property
    def equal(self) -> bool:
        """Whether both plans are the same, operator by operator."""
        return not self.missing and self.difference is None


@dataclass(frozen=True)
class Expected:
    """One operator of the optimized plan: what both expect of it, and the rows that Spark measured (None: not)."""

    operator: str
    depth: int
    spark: Size
    planviz: Size
    measured: int | None = None

    @property
    def equal(self) -> bool:
        """Whether both expect the same."""
        return self.spark == self.planviz


@dataclass(frozen=True)
class Comparison:
    """A whole query: its stages, the rules that changed the plan on both sides or one, their steps, the estimates.

    `expected` has every operator of the optimized plan; it is empty where the plans differ or Spark's estimates are not
    known.
    """

    stages: tuple[StageComparison, ...]
    rules: tuple[str, ...] = ()
    only_spark: tuple[str, ...] = ()
    only_planviz: tuple[str, ...] = ()
    steps: tuple[StepComparison, ...] = ()
    expected: tuple[Expected, ...] = ()

    @property
    def wrong(self) -> tuple[Expected, ...]:
        """The operators of which planviz expects something else than Spark."""
        return tuple(one for one in self.expected if not one.equal)

    @property
    def equal(self) -> bool:
        """Whether the plans, the rules that made them and the estimates are the same.

        The order of steps is told and does not count: rules that leave each other's work alone may change places.
        """
        return all(s.equal for s in self.stages) and not self.only_spark and not self.only_planviz and not self.wrong


def settings_of(captured: JsonObject) -> dict[str, str]:
    """The settings, and the clock, with which Spark planned what a capture holds (JSON values of planviz-capture/1)."""
    clock = {"planviz.now": captured["at"]} if captured.get("at") else {}
    return {**clock, **captured["conf"]}


def compare(ours: Document, spark: Document) -> Comparison:
    """Compare a document of one SQL query with the capture of the same query. Raises InputError for anything else."""
    queries = [s for s in ours.statements if s.kind == "query"]
    if len(queries) != 1 or spark.recognised != "Spark capture":
        raise InputError("One query is compared with one capture of it.")
    own = {plan.stage: plan for plan in ours.plans}
    theirs: dict[str, PlanGraph] = {}
    for plan in spark.plans:
        theirs.setdefault(plan.stage, plan)
    stages = tuple(_stage(stage, theirs.get(stage), own.get(stage)) for stage in STAGES)
    fired = _fired(spark.trace)
    # Captures follow the analyzer and the optimizer alone.
    logical = [step for executor in EXECUTORS for step in queries[0].trace.only(executor).steps]
    our_rules = dict.fromkeys(step.short_rule for step in logical)
    known = bool(spark.trace.rules)
    return Comparison(
        stages,
        tuple(rule for rule in fired if rule in our_rules),
        tuple(rule for rule in fired if rule not in our_rules),
        tuple(rule for rule in our_rules if known and rule not in fired),
        compare_steps(spark.trace, queries[0].trace),
        _expected(queries[0], theirs.get("optimized"), _executed(spark)) if stages[2].equal else (),
    )


def _executed(spark: Document) -> PlanGraph | None:
    return next((plan for plan in spark.plans if plan.title.startswith("Executed")), None)


def _fired(trace: RuleTrace) -> list[str]:
    """The rules of analyzer and optimizer that changed a plan, also inside subqueries."""
    physical = {run.number for run in trace.runs if run.executor in ("SparkPlanner", "Preparations")}
    names = {rule for batch in trace.batches if batch.run not in physical for rule in batch.rules}
    return list(dict.fromkeys(r.short_rule for r in trace.rules if r.effective and r.rule in names))


def _stage(stage: str, spark: PlanGraph | None, ours: PlanGraph | None) -> StageComparison:
    if spark is None or ours is None:
        return StageComparison(stage, missing="Spark" if spark is None else "planviz")
    theirs, own = lines_of(spark), lines_of(ours)
    same = sum(a == b for a, b in zip(theirs, own, strict=False))
    if theirs == own or equal_but_for_chance(theirs, own):
        return StageComparison(stage, len(theirs), same, chance=theirs != own)
    at = next((i for i, (a, b) in enumerate(zip(theirs, own, strict=False)) if a != b), min(len(theirs), len(own)))
    difference = (_at(theirs, at), _at(own, at))
    return StageComparison(stage, len(theirs), same, difference, words=in_words(spark, ours))


def _at(lines: list[Line], at: int) -> str | None:
    return lines[at][1] if at < len(lines) else None


def _expected(statement: SqlStatement, spark: PlanGraph | None, run: PlanGraph | None) -> tuple[Expected, ...]:
    execution = statement.execution
    if spark is None or execution is None or not all(node.estimate for node in spark):
        return ()
    measured = actual_rows(spark, run) if run is not None else {}
    estimates = map(Estimator(execution.config).estimate, _nodes(execution.optimized))
    own = [(found.rows, found.size) for found in estimates]
    found = []
    for node, ours in zip(spark, own, strict=True):
        assert node.estimate is not None
        theirs = (node.estimate.rows, node.estimate.size_in_bytes)
        found.append(Expected(node.op, node.depth, theirs, ours, measured.get(node.id)))
    return tuple(found)


def _nodes(plan: LogicalPlan) -> Iterator[LogicalPlan]:
    """The operators in the order of the text."""
    stack = [plan]
    while stack:
        node = stack.pop()
        yield node
        # Nothing is cached in the plans of a capture: what is inside of logical plans is logical.
        stack += [*reversed(node.children), *reversed(cast("tuple[LogicalPlan, ...]", node.inner_children))]
