"""What a strategy looked for in the logical plan, and what it found, in words (Spark: the patterns in planning/)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from planviz.expressions.aggregates import AggregateExpression
from planviz.logical.cached import InMemoryRelation
from planviz.logical.combining import Join
from planviz.logical.operators import Aggregate
from planviz.logical.relations import LogicalRelation
from planviz.optimizer.scan_operation import scan_operation
from planviz.physical.strategies.keys import equi_join, null_aware_anti_join
from planviz.physical.strategies.limits import limit_and_offset

if TYPE_CHECKING:
    from planviz.logical.plan import LeafNode, LogicalPlan

#: Expressions of one list that are named; the others are counted.
_MOST = 6


def matched(strategy: str, plan: LogicalPlan) -> str:
    """The pattern by Spark's name, and the parts of the plan that it took: one sentence without full stop."""
    match strategy:
        case "JoinSelection" if isinstance(plan, Join):
            return _join(plan)
        case "Aggregation" if isinstance(plan, Aggregate):
            return _aggregation(plan)
        case "FileSourceStrategy":
            return f"ScanOperation: {_scan(plan, LogicalRelation)}"
        case "InMemoryScans":
            return f"PhysicalOperation: {_scan(plan, InMemoryRelation)}"
        case "SpecialLimits":
            return _limit(plan)
    return f"{type(plan).__name__}, one operator"


def _join(plan: Join) -> str:
    keys = equi_join(plan)
    if keys is not None:
        pairs = _listed([f"{a} = {b}" for a, b in zip(keys.left, keys.right, strict=True)])
        rest = f"; the rest of the condition: {keys.rest}" if keys.rest is not None else "; no other condition"
        return f"ExtractEquiJoinKeys: {plan.kind} on {pairs}{rest}"
    alone = null_aware_anti_join(plan)
    if alone is not None:
        return f"ExtractSingleColumnNullAwareAntiJoin: {alone.left[0]} = {alone.right[0]} or not known"
    condition = "no condition" if plan.condition is None else f"no equality of one side each in {plan.condition}"
    return f"a join without keys: {plan.kind}, {condition}"


def _aggregation(plan: Aggregate) -> str:
    functions = dict.fromkeys(str(f) for e in plan.aggregates for f in e.collect(AggregateExpression))
    keys = _listed(map(str, plan.grouping)) or "no keys, one group of all rows"
    return f"PhysicalAggregation: {keys}; functions: {_listed(functions) or 'none'}"


def _scan(plan: LogicalPlan, leaf: type[LeafNode]) -> str:
    # Columns that are put in more than once are no matter here: the strategy had its match.
    found = scan_operation(plan, True, leaf)
    if found is None:
        return type(plan).__name__
    filters = _listed([str(f) for group in found.filters for f in group])
    columns = _listed(map(str, found.projects))
    return f"columns {columns or 'none'}; filters {filters or 'none'}; over {found.relation.simple_string}"


def _limit(plan: LogicalPlan) -> str:
    found = limit_and_offset(plan)
    if found is None:
        return type(plan).__name__
    limit, offset, child = found
    under = f" over {type(child).__name__}"
    return f"Limit {'none' if limit < 0 else limit}{f', Offset {offset}' if offset else ''}{under}"


def _listed(texts: Iterable[str]) -> str:
    every = list(texts)
    more = f" and {len(every) - _MOST} more" if len(every) > _MOST else ""
    return ", ".join(every[:_MOST]) + more
