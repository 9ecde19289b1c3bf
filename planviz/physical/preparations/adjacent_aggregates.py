"""Aggregates with no exchange between them, and aggregates over sorted rows."""

from __future__ import annotations

from typing import Any

from planviz.config import OptimizerConfig
from planviz.physical.aggregates import BaseAggregateExec, HashAggregateExec, ObjectHashAggregateExec, SortAggregateExec
from planviz.physical.distribution import ordering_satisfies
from planviz.physical.operators import SortExec

_REPLACE = "spark.sql.execution.replaceHashWithSortAgg"


def combine_adjacent_aggregation(plan: Any) -> Any:
    """A final stage right over its partial one becomes one complete stage (Spark: CombineAdjacentAggregation).

    Spark 3.0 has no such rule and runs both (inventory C-014).
    """
    return plan.transform_up(_combined)


def _combined(plan: Any) -> Any:
    if not isinstance(plan, BaseAggregateExec):
        return plan
    partial = plan.child
    if isinstance(partial, SortExec) and isinstance(plan, SortAggregateExec):
        partial = partial.child
    if not isinstance(partial, BaseAggregateExec) or not _stages_of_one(partial, plan):
        return plan
    mode = "Complete" if plan.modes <= {"Final"} else "Partial"
    functions = tuple(f.replace(mode=mode) for f in partial.functions)
    return plan.replace(keys=partial.keys, functions=functions, child=partial.child)


def _stages_of_one(partial: BaseAggregateExec, upper: BaseAggregateExec) -> bool:
    """Whether `upper` merges what `partial` gives, function by function and key by key."""
    keys = [k.to_attribute().expr_id for k in partial.keys] == [k.to_attribute().expr_id for k in upper.keys]
    fits = partial.modes <= {"Partial"} and upper.modes <= {"Final"}
    same = [f.result_id for f in partial.functions] == [f.result_id for f in upper.functions]
    return keys and fits and same and type(partial) is type(upper)


def replace_hash_with_sort(plan: Any, config: OptimizerConfig) -> Any:
    """Hash aggregates over rows that are sorted by the keys already become sort aggregates (ReplaceHashWithSortAgg)."""
    if not config.get(_REPLACE):
        return plan
    return plan.transform_up(_sorted)


def _sorted(plan: Any) -> Any:
    if not isinstance(plan, HashAggregateExec | ObjectHashAggregateExec) or not plan.keys:
        return plan
    new = SortAggregateExec(plan.distribution, plan.keys, plan.functions, plan.buffers, plan.results, plan.child)
    return new if ordering_satisfies(plan.child.output_ordering, new.required_ordering[0]) else plan
