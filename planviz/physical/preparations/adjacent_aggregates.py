"""Aggregates with no exchange between them, and aggregates over sorted rows."""

from __future__ import annotations

from planviz.config import OptimizerConfig
from planviz.physical.aggregates import BaseAggregateExec, HashAggregateExec, ObjectHashAggregateExec, SortAggregateExec
from planviz.physical.distribution import ordering_satisfies, same
from planviz.physical.earlier import operators_of
from planviz.physical.operators import SortExec
from planviz.physical.plan import SparkPlan

_COMBINE = "spark.sql.execution.combineAdjacentAggregation"
_REPLACE = "spark.sql.execution.replaceHashWithSortAgg"


def combine_adjacent_aggregation(plan: SparkPlan, config: OptimizerConfig) -> SparkPlan:
    """A final stage right over its partial one becomes one complete stage (Spark: CombineAdjacentAggregation).

    Before Spark 4.3 there is no such rule and both run (inventory C-014).
    """
    if not config.get(_COMBINE):
        return plan
    return plan.transform_up(_combined)


def _combined(plan: SparkPlan) -> SparkPlan:
    if not isinstance(plan, BaseAggregateExec):
        return plan
    partial = plan.child
    if isinstance(partial, SortExec) and isinstance(plan, SortAggregateExec):
        partial = partial.child
    if not isinstance(partial, BaseAggregateExec) or not _stages_of_one(partial, plan):
        return plan
    functions = tuple(f.replace(mode="Complete") for f in partial.functions)
    return plan.replace(keys=partial.keys, functions=functions, child=partial.child)


def _stages_of_one(partial: BaseAggregateExec, upper: BaseAggregateExec) -> bool:
    """Whether `upper` ends what `partial` begins, function by function and key by key.

    A key that the partial stage computes (a normalized floating number) is another one than the column above.
    """
    keys = len(partial.keys) == len(upper.keys) and all(map(same, partial.keys, upper.keys))
    fits = partial.modes <= {"Partial"} and upper.modes <= {"Final"}
    functions = [f.result_id for f in partial.functions] == [f.result_id for f in upper.functions]
    return keys and fits and functions and type(partial) is type(upper)


def replace_hash_with_sort(plan: SparkPlan, config: OptimizerConfig) -> SparkPlan:
    """Hash aggregates over rows that are sorted by the keys already become sort aggregates (ReplaceHashWithSortAgg)."""
    if not config.get(_REPLACE):
        return plan
    sorted_aggregate = operators_of(config.behaviour).get(SortAggregateExec, SortAggregateExec)
    return plan.transform_up(lambda p: _sorted(p, sorted_aggregate))


def _sorted(plan: SparkPlan, sorted_aggregate: type[SortAggregateExec]) -> SparkPlan:
    if not isinstance(plan, HashAggregateExec | ObjectHashAggregateExec) or not plan.keys:
        return plan
    made = plan.distribution, plan.keys, plan.functions, plan.buffers, plan.results, plan.child
    new = sorted_aggregate(*made)
    return new if ordering_satisfies(plan.child.output_ordering, new.required_ordering[0]) else plan
