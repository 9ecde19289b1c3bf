"""One query planned by planviz and by a real Spark, beside each other (inventory G-010).

Numbers that differ from run to run (`#12`, `plan_id`) are counted anew in the order in which they appear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from planviz.document.model import Document, SqlStatement
from planviz.errors import InputError
from planviz.graph import PlanGraph
from planviz.graph.trace import RuleTrace
from planviz.optimizer.statistics import estimate, estimating

STAGES = ("parsed", "analyzed", "optimized", "physical")
_IDS = re.compile(
    r"(#)(\d+)(?=L?(?!\w))|(plan_id=)(\d+)|\b(CTERelation(?:Def|Ref) |UnionLoop(?:Ref)? )(\d+)"
    r"|\b((?:rand|randn|uuid|shuffle)\((?:\w+#\w+, )?(?:Some\()?)(-?\d{6,})"
)
#: A table's files are elsewhere in every Spark.
_FILES = re.compile(r"Location: \w+\(\d+ paths?\)\[[^\]]*\]")


@dataclass(frozen=True)
class StageComparison:
    """One stage: how many operators Spark has and how many are the same in planviz, at the same place.

    `difference` is the first place where they part: what Spark has there and what planviz has (None: nothing).
    `missing` says which side did not reach the stage, "" when both did.
    """

    stage: str
    operators: int = 0
    same: int = 0
    difference: tuple[str | None, str | None] | None = None
    missing: str = ""

    @property
    def equal(self) -> bool:
        """Whether both plans are the same, operator by operator."""
        return not self.missing and self.difference is None


@dataclass(frozen=True)
class Comparison:
    """A whole query: its stages, the rules that changed the plan on both sides or one, and the estimates.

    `estimates` counts the operators of the optimized plan whose rows and bytes are the same, of how many; None where
    the plans differ or Spark's are not known. `wrong` lists `(operator, Spark's, planviz's)` of the others.
    """

    stages: tuple[StageComparison, ...]
    rules: tuple[str, ...] = ()
    only_spark: tuple[str, ...] = ()
    only_planviz: tuple[str, ...] = ()
    estimates: tuple[int, int] | None = None
    wrong: list[tuple[str, tuple[int | None, int | None], tuple[int | None, int | None]]] = field(default_factory=list)

    @property
    def equal(self) -> bool:
        """Whether nothing differs that was compared."""
        return all(s.equal for s in self.stages) and not self.only_spark and not self.only_planviz and not self.wrong


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
    our_rules = dict.fromkeys(step.short_rule for step in queries[0].trace.steps)
    known = bool(spark.trace.rules)
    estimates, wrong = _estimates(queries[0], theirs.get("optimized"), stages[2].equal)
    return Comparison(
        stages,
        tuple(rule for rule in fired if rule in our_rules),
        tuple(rule for rule in fired if rule not in our_rules),
        tuple(rule for rule in our_rules if known and rule not in fired),
        estimates,
        wrong,
    )


def _fired(trace: RuleTrace) -> list[str]:
    """The rules of analyzer and optimizer that changed a plan, also inside subqueries."""
    physical = {run.number for run in trace.runs if run.executor == "Preparations"}
    names = {rule for batch in trace.batches if batch.run not in physical for rule in batch.rules}
    return list(dict.fromkeys(r.short_rule for r in trace.rules if r.effective and r.rule in names))


def _stage(stage: str, spark: PlanGraph | None, ours: PlanGraph | None) -> StageComparison:
    if spark is None or ours is None:
        return StageComparison(stage, missing="Spark" if spark is None else "planviz")
    theirs, own = list(_lines(spark)), list(_lines(ours))
    same = sum(a == b for a, b in zip(theirs, own, strict=False))
    difference = None
    if theirs != own:
        at = next((i for i, (a, b) in enumerate(zip(theirs, own, strict=False)) if a != b), min(len(theirs), len(own)))
        difference = (_at(theirs, at), _at(own, at))
    return StageComparison(stage, len(theirs), same, difference)


def _at(lines: list[tuple[int, str]], at: int) -> str | None:
    return lines[at][1] if at < len(lines) else None


def _lines(plan: PlanGraph) -> Iterator[tuple[int, str]]:
    """Depth and text of every operator, ids numbered in the order of their appearance."""
    known: dict[str, int] = {}

    def renumbered(match: re.Match[str]) -> str:
        word, number = next((match[i], match[i + 1]) for i in (1, 3, 5, 7) if match[i] is not None)
        return f"{word}{known.setdefault(word + number, len(known))}"

    for node in plan:
        stage = "" if node.codegen_stage is None else f"*({node.codegen_stage}) "
        yield node.depth, stage + _IDS.sub(renumbered, _FILES.sub("Location: ...", node.text))


def _estimates(
    statement: SqlStatement, spark: PlanGraph | None, equal: bool
) -> tuple[tuple[int, int] | None, list[tuple[str, Any, Any]]]:
    execution = statement.execution
    if not equal or spark is None or execution is None or not all(node.estimate for node in spark):
        return None, []
    with estimating(execution.config):
        own = [(found.rows, found.size) for found in map(estimate, _nodes(execution.optimized))]
    wrong = []
    for node, ours in zip(spark, own, strict=True):
        assert node.estimate is not None
        theirs = (node.estimate.rows, node.estimate.size_in_bytes)
        if theirs != ours:
            wrong.append((node.op, theirs, ours))
    return (len(spark) - len(wrong), len(spark)), wrong


def _nodes(plan: Any) -> Iterator[Any]:
    """The operators in the order of the text."""
    stack = [plan]
    while stack:
        node = stack.pop()
        yield node
        stack += [*reversed(node.children), *reversed(node.inner_children)]
