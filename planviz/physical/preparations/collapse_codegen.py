"""Stages of generated code (Spark: ApplyColumnarRulesAndInsertTransitions, CollapseCodegenStages)."""

from __future__ import annotations

import itertools

from planviz.physical.codegen import ColumnarToRowExec, InputAdapter, WholeStageCodegenExec, generated
from planviz.physical.plan import SparkPlan
from planviz.physical.sources import CommandResultExec, LocalTableScanExec
from planviz.types import ObjectType


def insert_transitions(plan: SparkPlan, passed_on: bool = True) -> SparkPlan:
    """The plan with columns turned into rows above everything that gives batches, but for those who take them;
    `passed_on` says whether any do."""
    if not plan.row_based:
        return ColumnarToRowExec(plan)
    takes = plan.TAKES_COLUMNS and passed_on
    return plan.map_children(lambda c: c if takes and not c.row_based else insert_transitions(c, passed_on))


class CollapseCodegenStages:
    """Marks the stages; numbers count from the leaves."""

    def __init__(self) -> None:
        self.numbers = itertools.count(1)

    def apply(self, plan: SparkPlan) -> SparkPlan:
        """The plan with its stages marked."""
        return self._stage(plan)

    def _stage(self, plan: SparkPlan) -> SparkPlan:
        alone = isinstance(plan, LocalTableScanExec | CommandResultExec) or _gives_objects(plan)
        if alone or not generated(plan):
            return plan.map_children(self._stage)
        inside = self._inside(plan)
        return WholeStageCodegenExec(inside, next(self.numbers))

    def _inside(self, plan: SparkPlan) -> SparkPlan:
        if not generated(plan):
            return InputAdapter(self._stage(plan))
        if plan.APART:
            return plan.map_children(lambda c: InputAdapter(self._stage(c)))
        return plan.map_children(self._inside)


def _gives_objects(plan: SparkPlan) -> bool:
    """Whether it gives objects, which no row can hold: a stage cannot end with it."""
    return len(plan.output) == 1 and isinstance(plan.output[0].type, ObjectType)
