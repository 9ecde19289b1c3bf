"""Operators of versions before 4.3 where they differ in their text alone, under the same names."""

from __future__ import annotations

from planviz.physical import joins
from planviz.trees.node import lazy, node


@node
class BroadcastHashJoinExec(joins.BroadcastHashJoinExec):
    """A broadcast hash join that says whether it is null-aware, and no more (before Spark 4.2)."""

    @lazy
    def simple_string(self) -> str:
        """BroadcastHashJoin [left keys], [right keys], Inner, BuildRight, (condition), false."""
        flag = str(self.null_aware).lower()
        parts = [*self.shown_keys, self.shown_kind, self.build, *self.shown_condition, flag]
        return f"BroadcastHashJoin {', '.join(parts)}"


@node
class SortMergeJoinExec(joins.SortMergeJoinExec):
    """A merge join without generated code for full outer and existence joins (before Spark 3.3)."""

    @property
    def supports_codegen(self) -> bool:
        """For joins that drop or fill the rows of one side at most."""
        return self.kind not in ("FullOuter", "ExistenceJoin")


#: Each under the operator of 4.3 whose place it takes.
ONE_FLAG: dict[type, type] = {joins.BroadcastHashJoinExec: BroadcastHashJoinExec}
UNCODED: dict[type, type] = {joins.SortMergeJoinExec: SortMergeJoinExec}
