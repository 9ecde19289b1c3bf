"""How many rows a plan gives at most, where the formulas for rows give none.

Spark's formulas lose the number of rows at a window function, a group by an expression, an expansion, a union of such,
and at everything above; yet none of these gives more rows than follow from its inputs. Nothing is planned by these
bounds; they are shown.
"""

from __future__ import annotations

from planviz.estimation.estimator import Estimator
from planviz.expressions.core import Literal
from planviz.logical.combining import Except, Intersect, Join, Union
from planviz.logical.join_keys import join_keys, unique_keys
from planviz.logical.operators import (
    Aggregate,
    Distinct,
    Expand,
    Filter,
    GlobalLimit,
    LocalLimit,
    Offset,
    Project,
    RebalancePartitions,
    Repartition,
    RepartitionByExpression,
    Sample,
    Sort,
    Window,
)
from planviz.logical.plan import LogicalPlan
from planviz.trees.depth import lowest_first

#: Operators that give no row more than they get. A sample with replacement may.
_NO_MORE = (
    Aggregate,
    Distinct,
    Filter,
    LocalLimit,
    Offset,
    Project,
    RebalancePartitions,
    Repartition,
    RepartitionByExpression,
    Sort,
    Window,
)


class RowBounds:
    """The most rows of the operators of a plan, each computed once; `estimator` is one that estimates rows."""

    def __init__(self, estimator: Estimator) -> None:
        self._estimator = estimator
        self._known: dict[int, tuple[LogicalPlan, int | None]] = {}

    def of(self, plan: LogicalPlan) -> int | None:
        """The rows that an operator gives at most, by the estimates of what is beneath; None where nothing bounds them.

        An operator with an estimate of its own has that: it bounds what is above it as far as it is right.
        """
        known = self._known.get(id(plan))
        if known is not None:
            return known[1]
        # Of a high plan the nodes beneath come first, so that no recursion goes down all of it.
        for below in lowest_first(plan, lambda n: id(n) in self._known):
            self._known[id(below)] = below, self._bound(below)
        rows = self._bound(plan)
        self._known[id(plan)] = plan, rows
        return rows

    def _bound(self, plan: LogicalPlan) -> int | None:
        estimated = self._estimator.estimate(plan).rows
        if estimated is not None:
            return estimated
        inputs = [self.of(child) for child in plan.children]
        known = [rows for rows in inputs if rows is not None]
        match plan:
            case GlobalLimit(limit, _) if isinstance(limit, Literal) and isinstance(limit.value, int):
                return min([limit.value, *known])
            case Intersect():
                return min(known, default=None)
            case Join(_, _, "LeftSemi" | "LeftAnti" | "ExistenceJoin" | "LeftSingle") | Except():
                return inputs[0]
        if len(known) != len(inputs) or not known:
            return None
        match plan:
            case Union():
                return sum(known)
            case Expand(projections, _, _):
                return known[0] * len(projections)
            case Join():
                return _of_join(plan, *known)
            case Sample():
                return None if plan.with_replacement else known[0]
        return known[0] if isinstance(plan, _NO_MORE) else None


def _of_join(join: Join, left: int, right: int) -> int | None:
    """Where a side's keys are unique, each row of the other finds one match at most; without keys, every pair."""
    keys = join_keys(join)
    if not keys:
        return left * right if join.kind in ("Inner", "Cross") else None
    of_left = unique_keys(join.right, [b for _, b in keys])
    of_right = unique_keys(join.left, [a for a, _ in keys])
    match join.kind:
        case "Inner" if of_left or of_right:
            return min(rows for rows, unique in ((left, of_left), (right, of_right)) if unique)
        case "LeftOuter" if of_left:
            return left
        case "RightOuter" if of_right:
            return right
        case "LeftOuter" | "RightOuter" | "FullOuter" if of_left or of_right:
            return left + right
    return None
