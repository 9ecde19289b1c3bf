"""Rows that go through Python: operators that compute functions written in Python (Spark: BaseEvalPython)."""

from __future__ import annotations

from planviz.expressions.core import AttributeReference, Expression
from planviz.logical.plan import BinaryNode, LogicalPlan, UnaryNode, bracketed
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


class EvalPythonTable(UnaryNode):
    """Base: beside the child's columns that are `kept`, the rows of a class written in Python."""

    udtf: Expression
    kept: tuple[AttributeReference, ...]
    columns: tuple[AttributeReference, ...]

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's columns that are kept, and the class's."""
        return (*self.kept, *self.columns)

    @lazy
    def produced(self) -> frozenset[int]:
        """The class's columns."""
        return frozenset(a.expr_id for a in self.columns)


@node
class BatchEvalPythonUDTF(EvalPythonTable):
    """Rows are pickled for it and read back."""

    udtf: Expression
    kept: tuple[AttributeReference, ...]
    columns: tuple[AttributeReference, ...]
    child: LogicalPlan


@node
class ArrowEvalPythonUDTF(EvalPythonTable):
    """Rows go there and back as Arrow batches; `eval_type` is a number of PythonEvalType."""

    udtf: Expression
    kept: tuple[AttributeReference, ...]
    columns: tuple[AttributeReference, ...]
    eval_type: int
    child: LogicalPlan


class TableFunction(UnaryNode):
    """Base: a function makes other rows of the child's; `name` is Spark's for the operator."""

    name: str
    udf: Expression
    columns: tuple[AttributeReference, ...]

    @property
    def node_name(self) -> str:
        """The operator's name."""
        return self.name

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The function's columns."""
        return self.columns

    @lazy
    def produced(self) -> frozenset[int]:
        """They are made here."""
        return frozenset(a.expr_id for a in self.columns)


@node
class MapInPython(TableFunction):
    """All rows, batch by batch (MapInPandas, MapInArrow)."""

    name: str
    udf: Expression
    columns: tuple[AttributeReference, ...]
    barrier: bool
    child: LogicalPlan

    def arguments(self) -> list[str]:
        """The call, its columns, whether all tasks start together."""
        return [str(self.udf), bracketed(self.columns), str(self.barrier).lower()]


@node
class FlatMapGroupsInPython(TableFunction):
    """The rows of each group (FlatMapGroupsInPandas, FlatMapGroupsInArrow); `keys` say which belong together."""

    name: str
    keys: tuple[AttributeReference, ...]
    udf: Expression
    columns: tuple[AttributeReference, ...]
    child: LogicalPlan

    def arguments(self) -> list[str]:
        """The keys, the call, its columns."""
        return [bracketed(self.keys), str(self.udf), bracketed(self.columns)]


@node
class FlatMapCoGroupsInPython(BinaryNode):
    """The rows of each pair of groups of two inputs (FlatMapCoGroupsInPandas, FlatMapCoGroupsInArrow)."""

    name: str
    left_keys: tuple[AttributeReference, ...]
    right_keys: tuple[AttributeReference, ...]
    udf: Expression
    columns: tuple[AttributeReference, ...]
    left: LogicalPlan
    right: LogicalPlan

    @property
    def node_name(self) -> str:
        """The operator's name."""
        return self.name

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The function's columns."""
        return self.columns

    @lazy
    def produced(self) -> frozenset[int]:
        """They are made here."""
        return frozenset(a.expr_id for a in self.columns)

    def arguments(self) -> list[str]:
        """How many keys there are in both, the call, its columns."""
        return [str(len(self.left_keys)), str(len(self.right_keys)), str(self.udf), bracketed(self.columns)]
