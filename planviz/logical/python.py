"""Rows that go through Python: operators that compute functions written in Python (Spark: BaseEvalPython)."""

from __future__ import annotations

from planviz.expressions.core import AttributeReference, Expression
from planviz.logical.plan import LogicalPlan, UnaryNode
from planviz.trees.node import lazy, node


class BaseEvalPython(UnaryNode):
    """Base: the child's rows with one column more for each function."""

    udfs: tuple[Expression, ...]
    results: tuple[AttributeReference, ...]

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's columns and the results."""
        return (*self.child.output, *self.results)

    @lazy
    def produced(self) -> frozenset[int]:
        """The results."""
        return frozenset(a.expr_id for a in self.results)


@node
class BatchEvalPython(BaseEvalPython):
    """Rows are pickled, one by one computed, and pickled again."""

    udfs: tuple[Expression, ...]
    results: tuple[AttributeReference, ...]
    child: LogicalPlan


@node
class ArrowEvalPython(BaseEvalPython):
    """Rows go there and back as Arrow batches; `eval_type` is a number of PythonEvalType."""

    udfs: tuple[Expression, ...]
    results: tuple[AttributeReference, ...]
    eval_type: int
    child: LogicalPlan
