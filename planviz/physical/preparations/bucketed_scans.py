"""Bucketed scans: those whose spread helps nobody, and joins of tables with different numbers of buckets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.config import OptimizerConfig
from planviz.physical.aggregates import BaseAggregateExec
from planviz.physical.distribution import (
    Alike,
    AllTuples,
    ClusteredDistribution,
    HashPartitioning,
    Partitioning,
    flattened,
)
from planviz.physical.exchanges import Exchange
from planviz.physical.joins import (
    BroadcastHashJoinExec,
    BroadcastNestedLoopJoinExec,
    ShuffledHashJoinExec,
    ShuffledJoinExec,
)
from planviz.physical.operators import FilterExec, ProjectExec, SortExec
from planviz.physical.plan import SparkPlan
from planviz.physical.scans import FileSourceScanExec

if TYPE_CHECKING:
    from planviz.expressions.core import Expression

_COALESCE = "spark.sql.bucketing.coalesceBucketsInJoin"
_AUTO = "spark.sql.sources.bucketing.autoBucketedScan.enabled"


def coalesce_buckets_in_join(plan: SparkPlan, config: OptimizerConfig) -> SparkPlan:
    """The plan with the larger number of buckets of a join's sides read as the smaller one (CoalesceBucketsInJoin).

    Pays because neither side is shuffled. Of a hash join only the streamed side's buckets grow.
    """
    if not config.get(f"{_COALESCE}.enabled"):
        return plan
    most = config.number(f"{_COALESCE}.maxBucketRatio")
    return plan.transform_down(lambda p: _coalesced(p, most) if isinstance(p, ShuffledJoinExec) else p)


def _coalesced(join: ShuffledJoinExec, most: int) -> SparkPlan:
    sides = ((join.left, join.left_keys), (join.right, join.right_keys))
    if not all(_scanned(side) and _by_keys(side.output_partitioning, keys) for side, keys in sides):
        return join
    left, right = _buckets(join.left), _buckets(join.right)
    few, many = sorted((left, right))
    if not few or few == many or many % few or many // few > most:
        return join
    name = "left" if left == many else "right"
    if isinstance(join, ShuffledHashJoinExec) and join.build.lower() == f"build{name}":
        return join
    side = getattr(join, name)
    return join.replace(**{name: side.transform_up(lambda p: _read_together(p, few))})


def _read_together(p: SparkPlan, number: int) -> SparkPlan:
    return p.replace(coalesced=number) if isinstance(p, FileSourceScanExec) and p.buckets is not None else p


def _buckets(plan: SparkPlan) -> int:
    """The buckets of the first scan beneath that has any and reads them one by one; 0 where there is none."""
    scans = (s for s in plan.walk() if isinstance(s, FileSourceScanExec) and not s.coalesced)
    return next((s.buckets.number for s in scans if s.buckets is not None), 0)


def _scanned(plan: SparkPlan) -> bool:
    """Whether the rows are those of a bucketed scan, filtered, projected or joined to a broadcast."""
    while isinstance(plan, FilterExec | ProjectExec | BroadcastHashJoinExec | BroadcastNestedLoopJoinExec):
        plan = plan.child if isinstance(plan, FilterExec | ProjectExec) else plan.streamed
    return isinstance(plan, FileSourceScanExec) and plan.buckets is not None


def _by_keys(given: Partitioning, keys: tuple[Expression, ...]) -> bool:
    """Whether rows are spread by the hash of all the keys, in whatever order."""
    ways = [w for w in flattened(given) if isinstance(w, HashPartitioning)]
    alike = Alike(keys)
    return any(len(w.keys) == len(keys) and all(map(alike.places, w.keys)) for w in ways)


def disable_unnecessary_bucketed_scans(plan: SparkPlan, config: OptimizerConfig) -> SparkPlan:
    """The plan with scans read file by file where no operator asks for the spread, or an exchange undoes it.

    Pays because a bucket is one task, however many files it has. Wrong where an operator above relies on the spread.
    """
    if not config.get(_AUTO) or not any(s.bucketed for s in plan.collect(FileSourceScanExec)):
        return plan
    kept = config.behaviour.pruned_buckets_are_read_apart
    return _disabled(plan, asked=False, exchanged=False, plain=True, kept=kept)


def _disabled(plan: SparkPlan, asked: bool, exchanged: bool, plain: bool, kept: bool) -> SparkPlan:
    """`asked`: an operator above needs a spread; `exchanged`: an exchange below that one makes it; `plain`: nothing in
    between could use what the scan gives; `kept`: buckets are read one by one where a filter leaves some of them out.
    """
    if isinstance(plan, FileSourceScanExec):
        helps = asked and not (exchanged and plain)
        if kept and plan.buckets is not None and plan.buckets_read < plan.buckets.number:
            return plan
        return plan.replace(bucketing_off="disabled by query planner") if plan.bucketed and not helps else plan
    if any(isinstance(d, ClusteredDistribution | AllTuples) for d in plan.required_distribution):
        asked, exchanged, plain = True, False, True
    elif isinstance(plan, Exchange):
        exchanged = True
    else:
        plain = plain and _passes_on(plan)
    return plan.map_children(lambda c: _disabled(c, asked, exchanged, plain, kept))


def _passes_on(plan: SparkPlan) -> bool:
    partial = isinstance(plan, BaseAggregateExec) and not plan.distribution
    return partial or isinstance(plan, SortExec | ProjectExec | FilterExec)
