"""Operators of versions before 4.3 where they differ in their text alone, under the same names."""

from __future__ import annotations

from functools import cache

from planviz.config import OptimizerConfig
from planviz.expressions.core import AttributeReference, Expression
from planviz.logical.plan import bracketed, named_lists
from planviz.physical import aggregates, exchanges, joins, operators, scans, subqueries
from planviz.physical.distribution import Partitioning, UnknownPartitioning
from planviz.physical.plan import SparkPlan
from planviz.physical.pushed import pushed
from planviz.trees.node import lazy, node
from planviz.versions import Behaviour

#: Words of 4.3 for what asks for an exchange, and those of 3.1.
_ORIGINS = {
    "REPARTITION_BY_COL": "REPARTITION",
    "REPARTITION_BY_NUM": "REPARTITION_WITH_NUM",
    "REBALANCE_PARTITIONS_BY_NONE": "REPARTITION",
}


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
class NoFullOuterSortMergeJoinExec(joins.SortMergeJoinExec):
    """A merge join without generated code for full outer joins, as a setting may say."""

    node_name = "SortMergeJoin"

    @property
    def supports_codegen(self) -> bool:
        """For any other join."""
        return self.kind != "FullOuter"


@node
class NoExistenceSortMergeJoinExec(joins.SortMergeJoinExec):
    """A merge join without generated code for existence joins, as a setting may say."""

    node_name = "SortMergeJoin"

    @property
    def supports_codegen(self) -> bool:
        """For any other join."""
        return self.kind != "ExistenceJoin"


@node
class InnerSortMergeJoinExec(joins.SortMergeJoinExec):
    """A merge join with generated code for inner joins alone (before Spark 3.2)."""

    node_name = "SortMergeJoin"

    @property
    def supports_codegen(self) -> bool:
        """For inner joins."""
        return self.kind in joins.INNER_LIKE


@node
class ShuffledHashJoinExec(joins.ShuffledHashJoinExec):
    """A shuffled hash join without generated code for full outer joins (before Spark 3.3)."""

    @property
    def supports_codegen(self) -> bool:
        """For any other join."""
        return self.kind != "FullOuter"


@node
class NoBuildSideOuterHashJoinExec(joins.ShuffledHashJoinExec):
    """One without generated code where it keeps all rows of the side that is hashed."""

    node_name = "ShuffledHashJoin"

    @property
    def supports_codegen(self) -> bool:
        """For any other join."""
        return (self.kind, self.build) not in _BUILD_SIDE_OUTER


@node
class NoOuterHashJoinExec(ShuffledHashJoinExec):
    """One without generated code for full outer joins, too."""

    node_name = "ShuffledHashJoin"

    @property
    def supports_codegen(self) -> bool:
        """For neither."""
        return self.kind != "FullOuter" and (self.kind, self.build) not in _BUILD_SIDE_OUTER


@node
class BroadcastNestedLoopJoinExec(joins.BroadcastNestedLoopJoinExec):
    """A nested loop join without generated code, of which nothing is known but its rows (before Spark 3.2)."""

    supports_codegen = False

    @lazy
    def output_partitioning(self) -> Partitioning:
        """Unknown."""
        return UnknownPartitioning(0)


@node
class HashAggregateExec(aggregates.HashAggregateExec):
    """A hash aggregate without generated code where a function has FILTER (before Spark 3.2)."""

    @property
    def supports_codegen(self) -> bool:
        """Unless a function has code of its own or leaves rows out."""
        return self.declarative and all(f.where is None for f in self.functions)


@node
class KeylessSortAggregateExec(aggregates.SortAggregateExec):
    """An aggregate over sorted rows with generated code where it has no keys (before Spark 4.3)."""

    node_name = "SortAggregate"

    @property
    def supports_codegen(self) -> bool:
        """Without keys."""
        return not self.keys and super().supports_codegen


@node
class SortAggregateExec(aggregates.SortAggregateExec):
    """An aggregate over sorted rows without generated code (before Spark 3.3)."""

    supports_codegen = False


@node
class ShuffleExchangeExec(exchanges.ShuffleExchangeExec):
    """A shuffle whose number has the short name that it had before Spark 3.2, and what asks for it another one."""

    @lazy
    def simple_string(self) -> str:
        """Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [id=#7]."""
        return f"Exchange {self.spread}, {_ORIGINS.get(self.shuffle_origin, self.shuffle_origin)}, [id=#{self.plan_id}]"


@node
class BroadcastExchangeExec(exchanges.BroadcastExchangeExec):
    """A broadcast with such a number."""

    @lazy
    def simple_string(self) -> str:
        """BroadcastExchange mode, [id=#7]."""
        return f"BroadcastExchange {self.mode}, [id=#{self.plan_id}]"


@node
class UntruthfulFileSourceScanExec(scans.FileSourceScanExec):
    """A scan that is given no columns of truth values as filters (before Spark 3.3)."""

    node_name = "FileSourceScan"

    @lazy
    def pushed_filters(self) -> tuple[str, ...]:
        """The filters that the reader takes, as it prints them."""
        return tuple(p for p in (pushed(f, booleans=False) for f in self.readable_filters) if p is not None)


@node
class FileSourceScanExec(scans.FileSourceScanExec):
    """A scan whose place stands without a count of paths, the values of lists as they came (before Spark 3.2)."""

    @property
    def file_index(self) -> str:
        """Who lists the files."""
        return super().file_index.partition("(")[0]

    @lazy
    def pushed_filters(self) -> tuple[str, ...]:
        """The filters that the reader takes, as it prints them."""
        found = (pushed(f, by_text=False, booleans=False) for f in self.readable_filters)
        return tuple(p for p in found if p is not None)


@node
class ExpandExec(operators.ExpandExec):
    """An Expand that shows its projections as Scala's lists (before Spark 3.2); `word` is their class."""

    projections: tuple[tuple[Expression, ...], ...]
    columns: tuple[AttributeReference, ...]
    child: SparkPlan
    word: str = "List"

    @lazy
    def simple_string(self) -> str:
        """Expand [List(a, b), List(a, null)], [columns]."""
        return f"Expand {named_lists(self.projections, self.word)}, {bracketed(self.columns)}"


@node
class GenerateExec(operators.GenerateExec):
    """A generator's rows without generated code (before Spark 3.2)."""

    CODEGEN = False


@node
class UnionExec(operators.UnionExec):
    """A union that gives rows (before Spark 3.3)."""

    @property
    def columnar(self) -> bool:
        """Never."""
        return False


@node
class GlobalLimitExec(operators.GlobalLimitExec):
    """A limit without an offset (before Spark 3.4)."""

    @lazy
    def simple_string(self) -> str:
        """GlobalLimit 10."""
        return f"GlobalLimit {self.limit}"


@node
class TakeOrderedAndProjectExec(operators.TakeOrderedAndProjectExec):
    """A limit over sorted rows that does not show its offset (before Spark 4.0)."""

    @lazy
    def simple_string(self) -> str:
        """TakeOrderedAndProject(limit=100, orderBy=[...], output=[...])."""
        return super().simple_string.replace(f"offset={self.offset}, ", "", 1)


@node
class SubqueryBroadcastExec(subqueries.SubqueryBroadcastExec):
    """The keys of a broadcast that prune partitions, one key alone (before Spark 4.0)."""

    @property
    def shown_keys(self) -> str:
        """The key's place."""
        return ", ".join(map(str, self.indices))


@node
class SubqueryAdaptiveBroadcastExec(subqueries.SubqueryAdaptiveBroadcastExec):
    """The same under adaptive execution."""

    @property
    def shown_keys(self) -> str:
        """The key's place."""
        return ", ".join(map(str, self.indices))


_MERGE_JOINS: dict[str, type] = {"one side": SortMergeJoinExec, "inner": InnerSortMergeJoinExec}
_BUILD_SIDE_OUTER = {("LeftOuter", "BuildLeft"), ("RightOuter", "BuildRight")}
#: Shuffled hash joins by whether code is made of full outer joins, and of those that keep the rows of the hashed side.
_HASH_JOINS: dict[tuple[bool, bool], type] = {
    (False, True): ShuffledHashJoinExec,
    (True, False): NoBuildSideOuterHashJoinExec,
    (False, False): NoOuterHashJoinExec,
}
_SETTING = "spark.sql.codegen.join."
_SORT_AGGREGATES: dict[str, type] = {"without keys": KeylessSortAggregateExec, "none": SortAggregateExec}


def without_code(config: OptimizerConfig) -> dict[type, type]:
    """The joins that settings take the generated code of, each under the operator whose place it takes."""
    found: dict[type, type] = {}
    full = config.get(f"{_SETTING}fullOuterSortMergeJoin.enabled")
    existence = config.get(f"{_SETTING}existenceSortMergeJoin.enabled")
    if config.behaviour.coded_merge_joins == "all" and not (full and existence):
        neither = SortMergeJoinExec
        one = NoExistenceSortMergeJoinExec if full else NoFullOuterSortMergeJoinExec
        found[joins.SortMergeJoinExec] = one if full or existence else neither
    full = bool(config.get(f"{_SETTING}fullOuterShuffledHashJoin.enabled"))
    built = bool(config.get(f"{_SETTING}buildSideOuterShuffledHashJoin.enabled"))
    if not (full and built):
        found[joins.ShuffledHashJoinExec] = _HASH_JOINS[full, built]
    return found


@cache
def operators_of(known: Behaviour) -> dict[type, type]:
    """The operators of a version since 3.1, each under the operator of 4.3 whose place it takes."""
    found: dict[type, type] = {}
    if not known.hash_joins_show_two_flags:
        found[joins.BroadcastHashJoinExec] = BroadcastHashJoinExec
    if known.coded_merge_joins in _MERGE_JOINS:
        found[joins.SortMergeJoinExec] = _MERGE_JOINS[known.coded_merge_joins]
    if known.coded_sort_aggregates in _SORT_AGGREGATES:
        found[aggregates.SortAggregateExec] = _SORT_AGGREGATES[known.coded_sort_aggregates]
    if not known.filters_of_functions_are_coded:
        found[aggregates.HashAggregateExec] = HashAggregateExec
    if not known.full_hash_joins_are_coded:
        found[joins.ShuffledHashJoinExec] = ShuffledHashJoinExec
    if not known.nested_loop_joins_are_coded:
        found[joins.BroadcastNestedLoopJoinExec] = BroadcastNestedLoopJoinExec
    if not known.unions_give_batches:
        found[operators.UnionExec] = UnionExec
    if not known.pruning_keys_are_listed:
        found[subqueries.SubqueryBroadcastExec] = SubqueryBroadcastExec
        found[subqueries.SubqueryAdaptiveBroadcastExec] = SubqueryAdaptiveBroadcastExec
    if known.limits_show_offsets != "all":
        found[operators.TakeOrderedAndProjectExec] = TakeOrderedAndProjectExec
    if known.limits_show_offsets == "none":
        found[operators.GlobalLimitExec] = GlobalLimitExec
    if known.exchange_numbers_are_short:
        found[exchanges.ShuffleExchangeExec] = ShuffleExchangeExec
        found[exchanges.BroadcastExchangeExec] = BroadcastExchangeExec
    if not known.generators_are_coded:
        found[operators.GenerateExec] = GenerateExec
    if not known.booleans_are_pushed:
        found[scans.FileSourceScanExec] = UntruthfulFileSourceScanExec
    if known.lists_are_named:
        found[scans.FileSourceScanExec] = FileSourceScanExec
        found[operators.ExpandExec] = ExpandExec
    return found
