"""Operators of versions before 4.3 where they differ in their text alone, under the same names."""

from __future__ import annotations

from planviz.physical import exchanges, joins
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


@node
class ShuffleExchangeExec(exchanges.ShuffleExchangeExec):
    """A shuffle whose number has the short name that it had before Spark 3.2."""

    @lazy
    def simple_string(self) -> str:
        """Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [id=#7]."""
        return f"Exchange {self.spread}, {self.origin}, [id=#{self.plan_id}]"


@node
class BroadcastExchangeExec(exchanges.BroadcastExchangeExec):
    """A broadcast with such a number."""

    @lazy
    def simple_string(self) -> str:
        """BroadcastExchange mode, [id=#7]."""
        return f"BroadcastExchange {self.mode}, [id=#{self.plan_id}]"


#: Each under the operator of 4.3 whose place it takes.
ONE_FLAG: dict[type, type] = {joins.BroadcastHashJoinExec: BroadcastHashJoinExec}
UNCODED: dict[type, type] = {joins.SortMergeJoinExec: SortMergeJoinExec}
SHORT_IDS: dict[type, type] = {
    exchanges.ShuffleExchangeExec: ShuffleExchangeExec,
    exchanges.BroadcastExchangeExec: BroadcastExchangeExec,
}
