"""The preparations as rules under the names of Spark's classes, in the order in which they run (inventory B-080).

Each does what its module does; here stands what a person is told of it, and an executor of rules runs them, so that a
trace has them as steps: with the plan before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from planviz.config import OptimizerConfig
from planviz.physical.preparations.adjacent_aggregates import combine_adjacent_aggregation, replace_hash_with_sort
from planviz.physical.preparations.bucketed_scans import coalesce_buckets_in_join, disable_unnecessary_bucketed_scans
from planviz.physical.preparations.collapse_codegen import CollapseCodegenStages as _Stages
from planviz.physical.preparations.collapse_codegen import insert_transitions
from planviz.physical.preparations.local_sorts import push_down_local_sorts
from planviz.physical.preparations.redundant import (
    insert_sort_for_limit_and_offset,
    remove_redundant_projects,
    remove_redundant_sorts,
    remove_redundant_window_group_limits,
)
from planviz.physical.preparations.requirements import EnsureRequirements as _Requirements
from planviz.physical.preparations.reuse import ReuseExchangeAndSubquery as _Reuse
from planviz.physical.preparations.reuse import ReuseExchangeThenSubquery as _ReuseThen
from planviz.physical.preparations.subqueries import PlanSubqueries as _Subqueries
from planviz.physical.strategies.context import PlanningContext
from planviz.trees.executor import Check, RuleExecutor
from planviz.trees.rule import Batch, Once, Rule

if TYPE_CHECKING:
    from planviz.physical.plan import SparkPlan

Rewrite = Callable[["SparkPlan"], "SparkPlan"]

#: The executor's name in a trace, and its batches: those of a plan, and those that adaptive execution starts from.
EXECUTOR = "Preparations"
_NOT_ADAPTIVE = {"spark.sql.adaptive.enabled": "false"}
BATCH, ADAPTIVE_BATCH = "Preparations", "AQE Preparations"


class PreparationExecutor(RuleExecutor):
    """Runs preparations; what holds for logical plans after every rule is not asked of physical ones."""

    standing: ClassVar[tuple[Check, ...]] = ()


class Preparation(Rule):
    """A rule over physical plans. `example` is a query over the catalogue `documents` in which it fires."""

    package = "org.apache.spark.sql.execution"
    example: ClassVar[str] = ""
    settings: ClassVar[dict[str, str]] = {}

    def __init__(self, rewrite: Rewrite) -> None:
        self.whole = rewrite

    def apply(self, plan: SparkPlan) -> SparkPlan:
        """The prepared plan; the same object when nothing changed."""
        return self.whole(plan)


class CoalesceBucketsInJoin(Preparation):
    """Read the larger number of buckets of two joined tables as the smaller one.

    Join(scan of 8 buckets, scan of 4 buckets)  =>  Join(scan of 8 buckets read as 4, scan of 4 buckets)

    Pays because neither side is shuffled. Off by default: fewer, larger tasks read the one table.
    """

    package = "org.apache.spark.sql.execution.bucketing"


class PlanSubqueries(Preparation):
    """Plan the subqueries that stand in expressions, and put what runs them in their place.

    Filter (a > scalar-subquery#1 [])  =>  Filter (a > Subquery scalar-subquery#1), with the plan beneath

    Has to be first: what the subquery's plan reads counts for all that follows. Each is prepared like a query.
    """

    example = "SELECT a FROM t1 WHERE a > (SELECT max(a) FROM t2)"
    settings = _NOT_ADAPTIVE


class PlanAdaptiveSubqueries(Preparation):
    """Plan the subqueries that stand in expressions, each to be planned anew while it runs.

    Filter (a > scalar-subquery#1 [])  =>  Filter (a > Subquery scalar-subquery#1), with an adaptive plan beneath

    One of several equal subqueries is planned, the others share it.
    """

    package = "org.apache.spark.sql.execution.adaptive"
    example = "SELECT a FROM t1 WHERE a > (SELECT max(a) FROM t2)"


class RemoveRedundantProjects(Preparation):
    """Drop projections that give their input's columns.

    Project [a, b] over [a, b]  =>  its input

    Pays because no row is copied. One that gives the columns in another order stays where the order matters above.
    """

    example = "SELECT a, b FROM t1 WHERE a > 1 ORDER BY b"


class EnsureRequirements(Preparation):
    """Put in an exchange or a sort wherever an operator needs its rows spread or ordered otherwise than they come.

    SortMergeJoin(l, r)  =>  SortMergeJoin(Sort(Exchange hashpartitioning(k, 200), l), Sort(Exchange ..., r))
    HashAggregate(keys=[k], final) over partial  =>  HashAggregate(final) over Exchange hashpartitioning(k, 200)

    Every operator says what it needs of each child (requiredChildDistribution, requiredChildOrdering) and what it
    gives (outputPartitioning, outputOrdering); where the one does not satisfy the other, rows move. Two sides of a join
    must also fit each other, partition by partition. Nothing else puts exchanges in, but for what a query asks for.
    """

    package = "org.apache.spark.sql.execution.exchange"
    example = "SELECT a, count(*) FROM t1 GROUP BY a"


class InsertSortForLimitAndOffset(Preparation):
    """Sort once more where the exchange of a limit or offset would lose the order of all rows.

    GlobalLimit over Exchange over LocalLimit over Sort  =>  GlobalLimit over Sort over Exchange ...

    Without it a limit of sorted rows would give other rows than the first ones.
    """


class CombineAdjacentAggregation(Preparation):
    """Make one complete stage of a final aggregate right over its partial one.

    HashAggregate(final) over HashAggregate(partial)  =>  HashAggregate(complete)

    Pays because groups are built once. Only where no exchange came between: the rows were spread by the keys already.
    """


class ReplaceHashWithSortAgg(Preparation):
    """Group with sorted rows where they are sorted by the keys already.

    HashAggregate over rows sorted by its keys  =>  SortAggregate

    Pays because no hash map is needed. Off by default (spark.sql.execution.replaceHashWithSortAgg).
    """


class PushDownLocalSort(Preparation):
    """Let one sort by more keys take the place of a sort by the first of them beneath it.

    Sort [a, b] over ... over Sort [a]  =>  ... over Sort [a, b]

    Pays because rows are sorted once.
    """


class RemoveRedundantWindowGroupLimits(Preparation):
    """Drop the partial of two group limits that stand on each other.

    WindowGroupLimit(final) over WindowGroupLimit(partial)  =>  WindowGroupLimit(final)

    With an exchange between them the partial one stays: it keeps rows from being moved.
    """


class DisableUnnecessaryBucketedScan(Preparation):
    """Read a bucketed table file by file where no operator needs its rows in buckets.

    Filter over bucketed scan  =>  Filter over a scan with as many tasks as its size asks for

    Pays because the number of tasks follows the size, not the buckets. Not where a join or an aggregate uses them.
    """

    package = "org.apache.spark.sql.execution.bucketing"


class RemoveRedundantSorts(Preparation):
    """Drop sorts of what is sorted already.

    Sort [a] over rows sorted by a  =>  its input

    Pays because sorting is dear. A sort by more keys than its input's stays.
    """


class ApplyColumnarRulesAndInsertTransitions(Preparation):
    """Turn columns into rows above what gives batches of columns.

    Filter over FileScan parquet, Batched: true  =>  Filter over ColumnarToRow over FileScan

    Row by row operators cannot read batches. Other engines put their own operators in here.
    """

    example = "SELECT a FROM t1 WHERE a > 1"
    settings = _NOT_ADAPTIVE


class CollapseCodegenStages(Preparation):
    """Let neighbours that generate code run as one function: a stage, printed as `*(1)`.

    Project over Filter over ColumnarToRow  =>  *(1) Project over *(1) Filter over *(1) ColumnarToRow

    Pays because a row passes several operators without a call or a copy. Exchanges, and what cannot generate code,
    end a stage.
    """

    example = "SELECT a FROM t1 WHERE a > 1"
    settings = _NOT_ADAPTIVE


class ReuseExchangeAndSubquery(Preparation):
    """Do equal exchanges and subqueries once.

    Exchange#1 ... and an equal Exchange#2  =>  Exchange#1 ... and ReusedExchange of #1

    Pays because the rows beneath are computed and moved once. Equal means the same plan but for the ids of columns.
    """

    package = "org.apache.spark.sql.execution.reuse"
    example = "WITH x AS (SELECT a, count(*) AS c FROM t1 GROUP BY a) SELECT * FROM x l JOIN x r ON l.c = r.c + 1"
    settings = _NOT_ADAPTIVE


class ReuseExchange(Preparation):
    """Do equal exchanges and subqueries once, as Spark 3.0 does: within one plan, and only of columns of equal names.

    Exchange#1 ... and an equal Exchange#2  =>  Exchange#1 ... and ReusedExchange of #1

    Pays because the rows beneath are computed and moved once.
    """

    package = "org.apache.spark.sql.execution.exchange"


class InsertAdaptiveSparkPlan(Preparation):
    """Let a query with exchanges or subqueries be planned anew while it runs.

    a plan with an exchange  =>  AdaptiveSparkPlan isFinalPlan=false over the plan, prepared as the start

    The other preparations work within it; reuse, columns and generated code come stage by stage, when each is about to
    run. Without an exchange there is nothing to learn, and the plan stays as it is.
    """

    package = "org.apache.spark.sql.execution.adaptive"
    example = "SELECT a, count(*) FROM t1 GROUP BY a"


def before_exchanges(config: OptimizerConfig, subqueries: _Subqueries, adaptive: bool) -> list[Preparation]:
    """What runs before exchanges are put in: buckets, subqueries, projections."""
    planned = PlanAdaptiveSubqueries if adaptive else PlanSubqueries
    found: list[Preparation] = [planned(subqueries.apply)]
    if not adaptive or config.behaviour.adaptive_plans_coalesce_buckets:
        found.insert(0, CoalesceBucketsInJoin(lambda plan: coalesce_buckets_in_join(plan, config)))
    if config.get("spark.sql.execution.removeRedundantProjects"):
        found.append(RemoveRedundantProjects(remove_redundant_projects))
    return [rule for rule in found if rule.name == planned.__name__ or rule.name in config.behaviour.preparations]


_ORDERED_LIMITS = "spark.sql.orderingAwareLimitOffset"


def exchanges(config: OptimizerConfig, context: PlanningContext) -> list[Preparation]:
    """Exchanges and sorts, and what makes do with fewer of them, as far as the version has it."""
    redundant = config.get("spark.sql.execution.removeRedundantSorts")
    remove = partial(remove_redundant_sorts, shuffled=config.behaviour.shuffled_sorts_are_dropped)
    sorts: list[Preparation] = [RemoveRedundantSorts(remove)] if redundant else []
    last = config.behaviour.sorts_go_last
    found: list[Preparation] = [
        *([InsertSortForLimitAndOffset(insert_sort_for_limit_and_offset)] if config.get(_ORDERED_LIMITS) else []),
        CombineAdjacentAggregation(lambda plan: combine_adjacent_aggregation(plan, config)),
        ReplaceHashWithSortAgg(lambda plan: replace_hash_with_sort(plan, config)),
        PushDownLocalSort(lambda plan: push_down_local_sorts(plan, config)),
        *([] if last else sorts),
        RemoveRedundantWindowGroupLimits(remove_redundant_window_group_limits),
        DisableUnnecessaryBucketedScan(lambda plan: disable_unnecessary_bucketed_scans(plan, config)),
        *(sorts if last else []),
    ]
    there = config.behaviour.preparations
    return [EnsureRequirements(_Requirements(context).apply), *(rule for rule in found if rule.name in there)]


def generated_code(config: OptimizerConfig, subquery: bool) -> list[Preparation]:
    """Columns to rows, generated stages, reuse: what adaptive execution leaves to the moment when a stage runs."""
    passed_on = config.behaviour.arrow_takes_columns
    found: list[Preparation] = [
        ApplyColumnarRulesAndInsertTransitions(lambda plan: insert_transitions(plan, passed_on))
    ]
    if config.get("spark.sql.codegen.wholeStage"):
        found.append(CollapseCodegenStages(_Stages().apply))
    if not config.behaviour.reused_in_one_walk:
        return [*found, ReuseExchange(_ReuseThen(config).apply)]
    return found if subquery else [*found, ReuseExchangeAndSubquery(_Reuse(config).apply)]


def batch(rules: list[Preparation], adaptive: bool = False) -> Batch:
    """Preparations as a batch that runs once."""
    return Batch(ADAPTIVE_BATCH if adaptive else BATCH, Once, rules)


def preparation_classes() -> dict[str, type[Preparation]]:
    """Every preparation by its name, in the order of this module, which is the order in which they run."""
    return {rule.__name__: rule for rule in Preparation.__subclasses__()}
