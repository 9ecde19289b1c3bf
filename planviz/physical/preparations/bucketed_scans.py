"""Bucketed scans whose spread helps nobody (Spark: DisableUnnecessaryBucketedScan)."""

from __future__ import annotations

from typing import Any

from planviz.config import OptimizerConfig
from planviz.physical.aggregates import BaseAggregateExec
from planviz.physical.distribution import AllTuples, ClusteredDistribution
from planviz.physical.exchanges import Exchange
from planviz.physical.operators import FilterExec, ProjectExec, SortExec
from planviz.physical.scans import FileSourceScanExec

_AUTO = "spark.sql.sources.bucketing.autoBucketedScan.enabled"


def disable_unnecessary_bucketed_scans(plan: Any, config: OptimizerConfig) -> Any:
    """The plan with scans read file by file where no operator asks for the spread, or an exchange undoes it.

    Pays because a bucket is one task, however many files it has. Wrong where an operator above relies on the spread.
    """
    if not config.get(_AUTO) or not any(s.bucketed for s in plan.collect(FileSourceScanExec)):
        return plan
    return _disabled(plan, asked=False, exchanged=False, plain=True)


def _disabled(plan: Any, asked: bool, exchanged: bool, plain: bool) -> Any:
    """`asked`: an operator above needs a spread; `exchanged`: an exchange below that one makes it; `plain`: nothing in
    between could use what the scan gives.
    """
    if isinstance(plan, FileSourceScanExec):
        helps = asked and not (exchanged and plain)
        return plan.replace(bucketing_off="disabled by query planner") if plan.bucketed and not helps else plan
    if any(isinstance(d, ClusteredDistribution | AllTuples) for d in plan.required_distribution):
        asked, exchanged, plain = True, False, True
    elif isinstance(plan, Exchange):
        exchanged = True
    else:
        plain = plain and _passes_on(plan)
    return plan.map_children(lambda c: _disabled(c, asked, exchanged, plain))


def _passes_on(plan: Any) -> bool:
    partial = isinstance(plan, BaseAggregateExec) and not plan.distribution
    return partial or isinstance(plan, SortExec | ProjectExec | FilterExec)
