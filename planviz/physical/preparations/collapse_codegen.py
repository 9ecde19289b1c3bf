"""Stages of generated code (Spark: ApplyColumnarRulesAndInsertTransitions, CollapseCodegenStages)."""

from __future__ import annotations

import itertools
from typing import Any

from planviz.physical.codegen import ColumnarToRowExec, InputAdapter, WholeStageCodegenExec
from planviz.physical.joins import ShuffledJoinExec
from planviz.physical.operators import LocalTableScanExec
from planviz.physical.plan import UnaryExec
from planviz.physical.scans import FileSourceScanExec

#: More columns than these are not generated (spark.sql.codegen.maxFields).
MAX_FIELDS = 100


def insert_transitions(plan: Any) -> Any:
    """Columns to rows right above every scan that gives batches."""
    return plan.transform_up(
        lambda p: ColumnarToRowExec(p) if isinstance(p, FileSourceScanExec) and batched(p) else p,
        FileSourceScanExec.BIT,
    )


def batched(scan: FileSourceScanExec) -> bool:
    """Whether the scan gives batches of columns."""
    return scan.columnar


class CollapseCodegenStages:
    """Marks the stages; numbers count from the leaves."""

    def __init__(self) -> None:
        self.numbers = itertools.count(1)

    def apply(self, plan: Any) -> Any:
        """The plan with its stages marked."""
        return self._stage(plan)

    def _stage(self, plan: Any) -> Any:
        if isinstance(plan, LocalTableScanExec) or not generated(plan):
            return plan.map_children(self._stage)
        inside = self._inside(plan)
        return WholeStageCodegenExec(inside, next(self.numbers))

    def _inside(self, plan: Any) -> Any:
        if not generated(plan):
            return InputAdapter(self._stage(plan))
        if isinstance(plan, ShuffledJoinExec):
            return plan.map_children(lambda c: InputAdapter(self._stage(c)))
        return plan.map_children(self._inside)


def generated(plan: Any) -> bool:
    """Whether an operator can be part of a stage."""
    if not plan.supports_codegen:
        return False
    narrow = len(plan.output) <= MAX_FIELDS and all(len(c.output) <= MAX_FIELDS for c in plan.children)
    return narrow or not isinstance(plan, UnaryExec)
