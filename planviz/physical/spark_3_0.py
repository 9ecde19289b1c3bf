"""Operators of Spark 3.0 where they differ from 4.3's, under the same names; only the profile spark-3.0 plans them."""

from __future__ import annotations

from dataclasses import replace

from planviz.expressions.core import Alias, AttributeReference, Expression
from planviz.physical import aggregates, earlier, exchanges, joins, operators, subqueries
from planviz.physical.distribution import HashPartitioning, OutputOrder, Partitioning, UnknownPartitioning
from planviz.physical.plan import SparkPlan
from planviz.trees.node import lazy, node

#: How many characters of a value a scan's line shows (a setting since 3.1: spark.sql.maxMetadataStringLength).
_LONGEST = 100


@node
class FileSourceScanExec(earlier.FileSourceScanExec):
    """Reads a table; no value of its line is longer than 100 characters."""

    @property
    def line_metadata(self) -> dict[str, str]:
        """What its line shows: longer values end in dots."""
        return {k: v if len(v) <= _LONGEST else f"{v[: _LONGEST - 3]}..." for k, v in self.metadata.items()}


def _partitioning(given: Partitioning, outputs: tuple[Expression, ...]) -> Partitioning:
    """A partitioning where columns get other names: only one by hash follows them."""
    if not isinstance(given, HashPartitioning):
        return given
    names = {}
    for e in reversed(outputs):
        if isinstance(e, Alias) and isinstance(e.child, AttributeReference):
            names[e.child.expr_id] = e.to_attribute()
    keys = [names.get(k.expr_id, k) if isinstance(k, AttributeReference) else k for k in given.keys]
    return replace(given, keys=tuple(keys))


@node
class ProjectExec(operators.ProjectExec):
    """Computes columns; what gets another name is no longer known to be sorted."""

    @lazy
    def output_partitioning(self) -> Partitioning:
        """The child's, under the columns' names here."""
        return _partitioning(self.child.output_partitioning, self.projects)

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """The child's."""
        given: tuple[OutputOrder, ...] = self.child.output_ordering
        return given


@node
class HashAggregateExec(earlier.HashAggregateExec):
    """Keeps the buffers of all groups in a hash map."""

    @lazy
    def output_partitioning(self) -> Partitioning:
        """The child's, under the columns' names here."""
        return _partitioning(self.child.output_partitioning, self.results)


@node
class ObjectHashAggregateExec(aggregates.ObjectHashAggregateExec):
    """The same with objects as buffers."""

    @lazy
    def output_partitioning(self) -> Partitioning:
        """The child's, under the columns' names here."""
        return _partitioning(self.child.output_partitioning, self.results)


@node
class SortAggregateExec(aggregates.SortAggregateExec):
    """Walks rows that are sorted by the keys; no code is generated for it."""

    @lazy
    def output_partitioning(self) -> Partitioning:
        """The child's, under the columns' names here."""
        return _partitioning(self.child.output_partitioning, self.results)

    supports_codegen = False


@node
class SortMergeJoinExec(joins.SortMergeJoinExec):
    """Walks two sorted inputs."""

    @property
    def supports_codegen(self) -> bool:
        """For inner joins."""
        return self.kind in joins.INNER_LIKE


class _HashJoinExec(joins.JoinExec):
    """What joins by a hash relation keep of their streamed side: where rows are, but no order."""

    streamed: SparkPlan

    @lazy
    def output_partitioning(self) -> Partitioning:
        """The streamed side's."""
        given: Partitioning = self.streamed.output_partitioning
        return given

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """None."""
        return ()


@node
class ShuffledHashJoinExec(_HashJoinExec, joins.ShuffledHashJoinExec):
    """Builds a hash map per partition; no code is generated for it."""

    CODEGEN = False


@node
class BroadcastHashJoinExec(_HashJoinExec, joins.BroadcastHashJoinExec):
    """Broadcasts a hash relation of one side."""

    @lazy
    def simple_string(self) -> str:
        """BroadcastHashJoin [left keys], [right keys], Inner, BuildRight, (condition)."""
        parts = [*self.shown_keys, self.shown_kind, self.build, *self.shown_condition]
        return f"BroadcastHashJoin {', '.join(parts)}"


@node
class BroadcastNestedLoopJoinExec(joins.BroadcastNestedLoopJoinExec):
    """Broadcasts one side and compares every pair of rows; no code is generated for it."""

    TYPE_IN_TREE = False
    SIDES_BENEATH = True
    supports_codegen = False

    @lazy
    def output_partitioning(self) -> Partitioning:
        """Unknown."""
        return UnknownPartitioning(0)


@node
class CartesianProductExec(joins.CartesianProductExec):
    """Compares every pair of partitions."""

    TYPE_IN_TREE = False
    BLANK_BENEATH = " " * 5


@node
class ShuffleExchangeExec(exchanges.ShuffleExchangeExec):
    """A shuffle with a flag in place of its origin: whether nobody asked for this number of partitions."""

    @lazy
    def simple_string(self) -> str:
        """Exchange hashpartitioning(k#1, 200), true, [id=#7]."""
        unasked = str(self.shuffle_origin != exchanges.REPARTITION_BY_NUM).lower()
        return f"Exchange {self.spread}, {unasked}, [id=#{self.plan_id}]"


@node
class BroadcastExchangeExec(exchanges.BroadcastExchangeExec):
    """A broadcast, without a word on nulls."""

    @lazy
    def simple_string(self) -> str:
        """BroadcastExchange mode, [id=#7]."""
        return f"BroadcastExchange {self.mode.words('')}, [id=#{self.plan_id}]"


#: Each under the operator of 4.3 whose place it takes.
_BEFORE_3_1 = {
    operators.ExpandExec: earlier.ExpandExec,
    operators.UnionExec: earlier.UnionExec,
    operators.GenerateExec: earlier.GenerateExec,
    operators.GlobalLimitExec: earlier.GlobalLimitExec,
    operators.TakeOrderedAndProjectExec: earlier.TakeOrderedAndProjectExec,
    subqueries.SubqueryBroadcastExec: earlier.SubqueryBroadcastExec,
}
EARLIER: dict[type, type] = _BEFORE_3_1 | {
    next(base for base in cls.__mro__[::-1] if base.__name__ == cls.__name__): cls
    for cls in (
        FileSourceScanExec, ProjectExec, HashAggregateExec, ObjectHashAggregateExec, SortAggregateExec,
        SortMergeJoinExec, ShuffledHashJoinExec, BroadcastHashJoinExec, BroadcastNestedLoopJoinExec,
        CartesianProductExec, ShuffleExchangeExec, BroadcastExchangeExec,
    )
}  # fmt: skip
