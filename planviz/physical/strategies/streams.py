"""What a stream is planned as before other strategies are asked (Spark: IncrementalExecution's strategies)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planviz.expressions.core import AttributeReference, Expression, Literal, NamedExpression
from planviz.expressions.predicates import (
    GreaterThan,
    GreaterThanOrEqual,
    LessThan,
    LessThanOrEqual,
    conjunction,
    split_conjunction,
)
from planviz.logical.combining import Join
from planviz.logical.operators import Deduplicate, GlobalLimit, LocalLimit
from planviz.logical.streams import DeduplicateWithinWatermark, EventTimeWatermark, NamedSource
from planviz.physical.operators import LocalLimitExec
from planviz.physical.strategies.context import PlanningContext
from planviz.physical.strategies.keys import equi_join
from planviz.physical.streams import (
    STATEFUL,
    EventTimeWatermarkExec,
    StreamingDeduplicateExec,
    StreamingDeduplicateWithinWatermarkExec,
    StreamingGlobalLimitExec,
    StreamingLocalLimitExec,
    StreamingRelationExec,
    StreamingSymmetricHashJoinExec,
)

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan
    from planviz.physical.plan import SparkPlan

_KINDS = ("Inner", "LeftOuter", "RightOuter", "FullOuter", "LeftSemi")
#: What a moment is told to be older than before a query has run.
_OLD = -1000


def streaming(plan: LogicalPlan, context: PlanningContext) -> SparkPlan | None:
    """The operator for one over a stream, None where it is planned as any other."""
    number = context.partitions
    match plan:
        case NamedSource():
            return StreamingRelationExec(plan.attributes, plan.source, ".".join(plan.name))
        case EventTimeWatermark(_, column, delay):
            return EventTimeWatermarkExec(plan.shown_id, column, delay, plan.output, context.plan(plan.child))
        case Deduplicate(keys, child):
            return StreamingDeduplicateExec(keys, number, context.plan(child))
        case DeduplicateWithinWatermark(keys, child):
            return StreamingDeduplicateWithinWatermarkExec(keys, number, context.plan(child))
        case GlobalLimit(Literal(int() as limit, _), LocalLimit(_, child)):
            below = context.plan(child)
            keeps = any(isinstance(p, STATEFUL) for p in below.walk())
            local = StreamingLocalLimitExec(limit, below) if keeps else LocalLimitExec(limit, below)
            return StreamingGlobalLimitExec((), limit, number, local)
        case Join(left, right) if left.is_streaming and right.is_streaming and plan.kind in _KINDS:
            return _joined(plan, context)
    return None


def _joined(join: Join, context: PlanningContext) -> SparkPlan | None:
    keys = equi_join(join)
    if keys is None:
        return None
    left, right = context.plan(join.left), context.plan(join.right)
    parts = split_conjunction(keys.rest) if keys.rest is not None else []
    own = [p for p in parts if p.references <= join.left.output_set]
    other = [p for p in parts if p.references <= join.right.output_set and p not in own]
    rest = [p for p in parts if p not in own and p not in other]
    shown = [str(conjunction(x)) if x else "null" for x in (own, other, rest)]
    cleanup = _cleanup(keys.left, keys.right, join, rest)
    return StreamingSymmetricHashJoinExec(
        *(keys.left, keys.right, join.kind, keys.rest, context.partitions, cleanup),
        (shown[0], shown[1], shown[2]),
        left,
        right,
    )


def _late(e: Expression) -> bool:
    return isinstance(e, NamedExpression) and bool(e.delay)


def _cleanup(
    left: Sequence[Expression], right: Sequence[Expression], join: Join, rest: Sequence[Expression]
) -> tuple[str, str]:
    """Which rows of each side are forgotten: by a key with a watermark, else by what the condition says of moments."""
    place = next((i for keys in (left, right) for i, k in enumerate(keys) if _late(k)), None)
    if place is not None:
        shown = [f"(input[{place}, {k[place].data_type.simple_string}, true] <= 0)" for k in (left, right)]
        return f"left key predicate: {shown[0]}", f"right key predicate: {shown[1]}"
    found = []
    for name, side, others in (("left", join.left, join.right), ("right", join.right, join.left)):
        moment = next((a for a in side.output if _late(a)), None)
        bounded = moment is not None and any(_bounds(p, moment, others) for p in rest)
        found.append(f"{name} value predicate: ({moment} <= {_OLD})" if bounded else f"{name} = null")
    return found[0], found[1]


def _bounds(condition: Expression, moment: AttributeReference, others: LogicalPlan) -> bool:
    """Whether a condition says that a side's moment is not before one of the other side, give or take a time."""
    match condition:
        case GreaterThan(later, earlier) | GreaterThanOrEqual(later, earlier):
            pass
        case LessThan(earlier, later) | LessThanOrEqual(earlier, later):
            pass
        case _:
            return False
    reads = earlier.collect(AttributeReference)
    return moment.expr_id in later.references and any(_late(a) and a.expr_id in others.output_set for a in reads)
