"""Two plans of any inputs compared: the effects, the numbers side by side, and what a reader must know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from planviz.document.model import Document
from planviz.errors import InputError
from planviz.graph import PlanGraph, title
from planviz.graph.alignment import without_expression_ids, without_ids, without_plan_ids
from planviz.graph.cells import Cell, basis, node_cells, plan_cells
from planviz.graph.changed_only import changed_only
from planviz.graph.diff import Match, PlanDiff, diff
from planviz.graph.effect import KINDS, Effect
from planviz.graph.effects import FACTOR, effects
from planviz.graph.literals import literal_words
from planviz.graph.trace import RuleStep, RuleTrace, TracedPlan
from planviz.graph.union import StepUnion
from planviz.jsontypes import JsonObject
from planviz.render.steps import trace_data

STAGES = ("parsed", "analyzed", "optimized", "sparkPlan", "physical", "initial", "other")
#: A match that is less sure than this is told as guessed.
SURE = 0.6
_LOGICAL = ("parsed", "analyzed", "optimized")


def choose_plan(document: Document, stage: str | None = None, number: int | None = None) -> PlanGraph:
    """The plan of a document that was asked for: of a stage, or the `number`-th, from 1; by default the last physical.

    Raises the error that stopped a query before that stage, and InputError when there is no such plan.
    """
    plans = document.plans
    if number is not None:
        if not 1 <= number <= len(plans):
            raise InputError(f"There is no plan {number}: the text holds {len(plans)}.")
        return plans[number - 1]
    found = [plan for plan in plans if plan.stage == (stage or "physical")]
    if not found and document.error is not None:
        raise document.error
    if not plans:
        raise InputError("The text holds no plan to compare.")
    if stage is not None and not found:
        stages = ", ".join(dict.fromkeys(plan.stage for plan in plans))
        raise InputError(f"There is no {stage} plan; the text holds {stages}.")
    return found[-1] if found else plans[-1]


@dataclass(frozen=True)
class Difference:
    """Two plans with the names they go by, their difference, and what it means."""

    names: tuple[str, str]
    found: PlanDiff
    effects: tuple[Effect, ...]
    cells: tuple[Cell, ...]
    notes: tuple[str, ...]
    numbers: bool

    @property
    def before(self) -> PlanGraph:
        """The plan that was named first."""
        return self.found.before

    @property
    def after(self) -> PlanGraph:
        """The other one."""
        return self.found.after

    @property
    def equal(self) -> bool:
        """Whether nothing worth telling is different."""
        return not self.found and not self.effects

    @property
    def headline(self) -> str:
        """The answer in one line."""
        if self.equal:
            return f"no difference: {len(self.found.matches):,} operators are the same"
        if not self.found:
            moved = len(self.effects)
            numbers = "number" if moved == 1 else "numbers"
            return f"the same {len(self.found.matches):,} operators, {moved:,} {numbers} moved"
        return f"{self.found.summary()} · {len(self.found.kept):,} kept"

    @cached_property
    def unsure(self) -> tuple[Match, ...]:
        """Matches that are rather guessed than known."""
        return tuple(match for match in self.found.matches if match.confidence < SURE)

    def failing(self, kinds: Sequence[str]) -> list[Effect]:
        """The effects of these kinds; `any` stands for all."""
        return [effect for effect in self.effects if "any" in kinds or effect.kind in kinds]

    def operator_cells(self) -> list[tuple[Match, str, list[Cell]]]:
        """The numbers of every operator that stands in both plans and has some: the match, its title, the cells."""
        told = []
        for match in self.found.matches:
            cells = node_cells(self.before[match.before], self.after[match.after])
            if cells:
                told.append((match, title(self.after[match.after]), cells))
        return told

    @cached_property
    def trace(self) -> JsonObject:
        """Both plans as a trace of one step, for what draws them in one geometry."""
        return _as_trace(self.found, self.names)

    @cached_property
    def slots(self) -> tuple[list[int], list[int]]:
        """Where the operators of both plans stand in that trace: by their ids before and after."""
        return _slots(self.found)

    @cached_property
    def only_changed(self) -> tuple[dict[str, object], tuple[dict[int, int], dict[int, int]]] | None:
        """The same of what changed alone, with the slots of the operators that are left; None where nothing did."""
        few = changed_only(self.found)
        if few is None:
            return None
        found, before, after = few
        one, two = _slots(found)
        places = ({id: one[at] for at, id in enumerate(before)}, {id: two[at] for at, id in enumerate(after)})
        return _as_trace(found, self.names), places


def compare_plans(
    before: PlanGraph,
    after: PlanGraph,
    names: tuple[str, str] = ("before", "after"),
    *,
    numbers: bool = False,
    factor: float = FACTOR,
) -> Difference:
    """Compare two plans; changes in numbers alone count with `numbers`, rows that moved from `factor` times on."""
    found = diff(before, after, numbers=numbers)
    cells = plan_cells(before, after)
    told = tuple(effects(found, factor=factor))
    return Difference(names, found, told, tuple(cells), tuple(_notes(before, after, names)), numbers)


def _notes(before: PlanGraph, after: PlanGraph, names: tuple[str, str]) -> list[str]:
    notes = []
    one, two = basis(before), basis(after)
    if one != two and one and two:
        notes.append(f"The numbers of {names[0]} are {one}, those of {names[1]} are {two}.")
    logical = [plan.stage in _LOGICAL for plan in (before, after)]
    if logical[0] != logical[1]:
        kinds = ["logical" if each else "physical" for each in logical]
        notes.append(f"{names[0]} is a {kinds[0]} plan, {names[1]} a {kinds[1]} one: operators differ by nature.")
    for name, plan in zip(names, (before, after), strict=True):
        if any("truncated" in node.badges for node in plan):
            notes.append(f"{name} was cut short where Spark printed it: lists may hold more than is compared.")
    return notes


def _as_trace(found: PlanDiff, names: tuple[str, str]) -> dict[str, object]:
    step = RuleStep(
        "Difference",
        TracedPlan(lambda: plan_text(found.before), lambda: found.before),
        TracedPlan(lambda: plan_text(found.after), lambda: found.after),
        batch=" and ".join(names),
    )
    return trace_data(RuleTrace([step]), differ=lambda before, after: found)


def _slots(found: PlanDiff) -> tuple[list[int], list[int]]:
    union = StepUnion(found.before)
    return list(union.slots), union.advance(found)


def plan_text(plan: PlanGraph) -> str:
    """A plan as indented lines, without the ids that differ from run to run."""
    literals = literal_words(plan)
    if literals:
        texts = [without_expression_ids(without_plan_ids(node.text), literals) for node in plan.walk()]
    else:
        texts = [without_ids(node.text) for node in plan.walk()]
    return "\n".join("  " * node.depth + text for node, text in zip(plan.walk(), texts, strict=True))


def difference_json(told: Difference) -> dict[str, object]:
    """A difference as JSON values (docs/compare.md)."""
    found = told.found
    return {
        "format": "planviz-diff/1",
        "equal": told.equal,
        "plans": [
            {"name": name, "stage": plan.stage, "title": plan.title, "operators": len(plan), "numbers": basis(plan)}
            for name, plan in zip(told.names, (told.before, told.after), strict=True)
        ],
        "headline": told.headline,
        "effects": [effect.to_json() for effect in told.effects],
        "cells": [cell.to_json() for cell in told.cells],
        "operators": {
            "kept": len(found.kept),
            "matches": [
                {
                    "before": match.before, "after": match.after, "confidence": match.confidence, "moved": match.moved,
                    "op": found.after[match.after].op,
                    "changes": [{"part": change.part, "text": change.text} for change in match.changes],
                }
                for match in found.matches
            ],
            "inserted": [{"after": id, "op": found.after[id].op} for id in found.inserted],
            "removed": [{"before": id, "op": found.before[id].op} for id in found.removed],
        },
        "numbers": [
            {"before": match.before, "after": match.after, "title": words, "cells": [cell.to_json() for cell in cells]}
            for match, words, cells in told.operator_cells()
        ],
        "notes": list(told.notes),
    }  # fmt: skip


def check_kinds(names: Sequence[str]) -> list[str]:
    """Kinds of effects as somebody named them. Raises InputError for one that is none."""
    for name in names:
        if name != "any" and name not in KINDS:
            raise InputError(f"There is no kind of difference “{name}”; there are any, {', '.join(KINDS)}.")
    return list(names)
