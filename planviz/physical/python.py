"""Operators that send rows to Python workers."""

from __future__ import annotations

from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import AttributeReference, Expression, NamedExpression, SortOrder
from planviz.logical.plan import bracketed
from planviz.physical.aggregates import GroupingExec
from planviz.physical.distribution import (
    AllTuples,
    ClusteredDistribution,
    Distribution,
    UnknownPartitioning,
    ascending,
)
from planviz.physical.operators import WindowBase
from planviz.physical.plan import BinaryExec, SparkPlan, UnaryExec
from planviz.trees.node import always, lazy, node


class EvalPythonExec(UnaryExec):
    """Base: the child's rows with one column more for each function."""

    udfs: tuple[Expression, ...]
    results: tuple[AttributeReference, ...]

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's columns and the results."""
        return (*self.child.output, *self.results)

    # Nothing is promised, though rows stay where and as they are: what stands above may shuffle and sort once more.
    output_partitioning = always(UnknownPartitioning(0))
    output_ordering = always(())


@node
class BatchEvalPythonExec(EvalPythonExec):
    """Rows are pickled for Python and read back one by one."""

    udfs: tuple[Expression, ...]
    results: tuple[AttributeReference, ...]
    child: SparkPlan


@node
class ArrowEvalPythonExec(EvalPythonExec):
    """Rows go to Python and back as Arrow batches; batches of columns are taken as they are."""

    udfs: tuple[Expression, ...]
    results: tuple[AttributeReference, ...]
    eval_type: int
    child: SparkPlan
    TAKES_COLUMNS = True


class EvalPythonTableExec(UnaryExec):
    """Base: beside the child's columns that are `kept`, the rows of a class written in Python."""

    udtf: Expression
    kept: tuple[AttributeReference, ...]
    columns: tuple[AttributeReference, ...]

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's columns that are kept, and the class's."""
        return (*self.kept, *self.columns)

    output_partitioning = always(UnknownPartitioning(0))
    output_ordering = always(())


@node
class BatchEvalPythonUDTFExec(EvalPythonTableExec):
    """Rows are pickled for Python and read back one by one."""

    udtf: Expression
    kept: tuple[AttributeReference, ...]
    columns: tuple[AttributeReference, ...]
    child: SparkPlan


@node
class ArrowEvalPythonUDTFExec(EvalPythonTableExec):
    """Rows go to Python and back as Arrow batches."""

    udtf: Expression
    kept: tuple[AttributeReference, ...]
    columns: tuple[AttributeReference, ...]
    eval_type: int
    child: SparkPlan


class PythonAggregateExec(GroupingExec):
    """Base: hands all rows of a group to Python at once, so they must be together and in order.

    There is one stage, for a function in Python has no buffer: `buffers` stays empty.
    """

    @property
    def required_ordering(self) -> tuple[tuple[SortOrder, ...], ...]:
        """By key."""
        return (ascending(self.keys),)

    def shown(self) -> list[str]:
        """[keys], [functions], [results]; no keys are left out."""
        return [bracketed(x) for x in (self.keys, self.functions, self.results) if x]

    @lazy
    def simple_string(self) -> str:
        """!ArrowAggregatePython [keys], [functions], [results], how: the mark is for results that no input has."""
        return f"!{self.node_name} {', '.join(self.shown())}"


@node
class ArrowAggregatePythonExec(PythonAggregateExec):
    """Groups go to Python as Arrow batches; `eval_type` is a number of PythonEvalType (since Spark 4.1)."""

    distribution: tuple[Expression, ...] | None
    keys: tuple[NamedExpression, ...]
    functions: tuple[AggregateExpression, ...]
    buffers: tuple[AttributeReference, ...]
    results: tuple[Expression, ...]
    eval_type: int
    child: SparkPlan

    def shown(self) -> list[str]:
        """With the number."""
        return [*super().shown(), str(self.eval_type)]


@node
class AggregateInPandasExec(PythonAggregateExec):
    """The same under its first name (Spark 2.4 to 4.0)."""

    distribution: tuple[Expression, ...] | None
    keys: tuple[NamedExpression, ...]
    functions: tuple[AggregateExpression, ...]
    buffers: tuple[AttributeReference, ...]
    results: tuple[Expression, ...]
    child: SparkPlan


class PythonWindowExec(WindowBase):
    """Base: Python functions over windows that share partitioning and order."""

    functions: tuple[Expression, ...]

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's columns and the functions."""
        return (*self.child.output, *[e.to_attribute() for e in self.functions])


@node
class ArrowWindowPythonExec(PythonWindowExec):
    """Partitions go to Python as Arrow batches, with the frames' bounds (since Spark 4.1)."""

    functions: tuple[Expression, ...]
    partition: tuple[Expression, ...]
    order: tuple[SortOrder, ...]
    eval_type: int
    child: SparkPlan


@node
class WindowInPandasExec(PythonWindowExec):
    """The same under its first name (Spark 2.4 to 4.0)."""

    functions: tuple[Expression, ...]
    partition: tuple[Expression, ...]
    order: tuple[SortOrder, ...]
    child: SparkPlan


class TableFunctionExec(UnaryExec):
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

    output_partitioning = always(UnknownPartitioning(0))
    output_ordering = always(())


@node
class MapInPythonExec(TableFunctionExec):
    """All rows, batch by batch."""

    name: str
    udf: Expression
    columns: tuple[AttributeReference, ...]
    barrier: bool
    child: SparkPlan

    @lazy
    def simple_string(self) -> str:
        """MapInPandas f(a#1)#2, [b#3], false."""
        return f"{self.name} {self.udf}, {bracketed(self.columns)}, {str(self.barrier).lower()}"


@node
class FlatMapGroupsInPythonExec(TableFunctionExec):
    """The rows of each group, which must be together and in order."""

    name: str
    keys: tuple[AttributeReference, ...]
    udf: Expression
    columns: tuple[AttributeReference, ...]
    child: SparkPlan

    @property
    def required_distribution(self) -> tuple[Distribution, ...]:
        """Together by the keys; without any in one partition."""
        return (ClusteredDistribution(self.keys) if self.keys else AllTuples(),)

    @property
    def required_ordering(self) -> tuple[tuple[SortOrder, ...], ...]:
        """By the keys."""
        return (ascending(self.keys),)

    @lazy
    def simple_string(self) -> str:
        """FlatMapGroupsInPandas [k#1], f(a#2)#3, [b#4]."""
        return f"{self.name} {bracketed(self.keys)}, {self.udf}, {bracketed(self.columns)}"


@node
class FlatMapCoGroupsInPythonExec(BinaryExec):
    """The rows of each pair of groups: on both sides together and in order."""

    name: str
    left_keys: tuple[AttributeReference, ...]
    right_keys: tuple[AttributeReference, ...]
    udf: Expression
    columns: tuple[AttributeReference, ...]
    left: SparkPlan
    right: SparkPlan

    @property
    def node_name(self) -> str:
        """The operator's name."""
        return self.name

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The function's columns."""
        return self.columns

    output_partitioning = always(UnknownPartitioning(0))
    output_ordering = always(())

    @property
    def required_distribution(self) -> tuple[Distribution, ...]:
        """Together by the keys; without any in one partition."""
        return tuple(ClusteredDistribution(k) if k else AllTuples() for k in (self.left_keys, self.right_keys))

    @property
    def required_ordering(self) -> tuple[tuple[SortOrder, ...], ...]:
        """By the keys."""
        return ascending(self.left_keys), ascending(self.right_keys)

    @lazy
    def simple_string(self) -> str:
        """FlatMapCoGroupsInPandas [k#1], [l#2], f(a#3, b#4)#5, [c#6]."""
        keys = f"{bracketed(self.left_keys)}, {bracketed(self.right_keys)}"
        return f"{self.name} {keys}, {self.udf}, {bracketed(self.columns)}"
