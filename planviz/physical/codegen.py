"""Whole-stage code generation: the nodes that mark its stages. No text shows them but as `*(n)`."""

from __future__ import annotations

from planviz.physical.plan import SparkPlan, UnaryExec
from planviz.trees.node import node


@node
class WholeStageCodegenExec(UnaryExec):
    """The root of a stage: what is beneath it, up to the next mark, runs as one generated function."""

    child: SparkPlan
    codegen_stage: int

    UNCOMPARED = ("codegen_stage",)


@node
class InputAdapter(UnaryExec):
    """The end of a stage: what is beneath it gives rows to the stage above."""

    child: SparkPlan

    codegen_stage = None


@node
class ColumnarToRowExec(UnaryExec):
    """Batches of columns to rows."""

    child: SparkPlan
    CODEGEN = True

    @property
    def streams(self) -> bool:
        """Always."""
        return True


@node
class AdaptiveSparkPlanExec(UnaryExec):
    """The root of a plan that is planned anew while it runs."""

    child: SparkPlan

    @property
    def simple_string(self) -> str:
        """AdaptiveSparkPlan isFinalPlan=false."""
        return "AdaptiveSparkPlan isFinalPlan=false"
