"""The size of a plan's result in bytes, from table sizes alone (Spark: SizeInBytesOnlyStatsPlanVisitor).

An operator over one input is taken to give as many rows as it gets, a join every pair. It is also the way out where
rows are unknown although the cost-based optimizer is on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import prod

from planviz.estimation import formulas
from planviz.estimation.model import NO_COLUMNS, Estimate, output_size, row_size, share, sized_output
from planviz.expressions.core import Literal
from planviz.logical.combining import Except, Intersect, Join, Union, WithCTE
from planviz.logical.join_keys import distinct_keys, join_keys, unique_keys
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
from planviz.logical.plan import LogicalPlan, UnaryNode

_MATCHING = ("Inner", "LeftOuter", "RightOuter", "FullOuter")


def size_estimate(plan: LogicalPlan, inputs: tuple[Estimate, ...], unique: bool = True) -> Estimate:
    """The estimate of an operator from its children's, in bytes; rows only where a limit gives them."""
    match plan:
        case Aggregate(()):
            return Estimate(output_size(plan.output, 1), 1, rule=formulas.NO_KEYS, inputs=inputs)
        case Project() | Filter() | Aggregate() | Distinct() | Window():
            return _widened(plan, inputs[0])
        case Expand(projections, _, _):
            one = _widened(plan, inputs[0])
            given = (*one.given, ("projections", len(projections)))
            return replace(one, size=one.size * len(projections), rule=formulas.EXPANDED, given=given)
        case GlobalLimit() | LocalLimit() | Offset():
            return _limited(plan, inputs[0])
        case Join(_, _, kind) if kind in ("LeftSemi", "LeftAnti"):
            return _left(inputs)
        case Join(_, _, kind) if unique and kind in _MATCHING and _one_match(plan):
            # What was estimated as a single byte stands for nothing.
            size = sum(i.size for i in inputs if i.size > 1)
            return Estimate(size, rule=formulas.ONE_MATCH_SIZE, inputs=inputs)
        case Union():
            return Estimate(sum(i.size for i in inputs), rule=formulas.SUM_SIZE, inputs=inputs)
        case Intersect():
            return Estimate(min(i.size for i in inputs), rule=formulas.SMALLER_SIZE, inputs=inputs)
        case Except():
            return _left(inputs)
        case Sample():
            return _sampled(plan, inputs[0])
        case WithCTE():
            return inputs[-1]
        case Sort() | Repartition() | RepartitionByExpression() | RebalancePartitions():
            return inputs[0]
    rule = formulas.PASSED_ON_SIZE if len(inputs) == 1 else formulas.PAIRS_SIZE
    return Estimate(product(i.size for i in inputs), rule=rule, inputs=inputs)


def _left(inputs: tuple[Estimate, ...]) -> Estimate:
    return replace(inputs[0], rule=formulas.LEFT_SIZE, inputs=inputs, parts=(), given=())


def _one_match(join: Join) -> bool:
    """Whether the keys of one side are unique, so that each row of the other side finds one match at most."""
    if not distinct_keys(join.left) and not distinct_keys(join.right):
        return False
    keys = join_keys(join)
    if not keys:
        return False
    return unique_keys(join.left, [a for a, _ in keys]) or unique_keys(join.right, [b for _, b in keys])


def product(sizes: Iterable[int]) -> int:
    """The product of those that are more than nothing."""
    return prod(s for s in sizes if s > 0)


def _widened(plan: UnaryNode, child: Estimate) -> Estimate:
    wide, before = row_size(sized_output(plan)), row_size(sized_output(plan.child))
    given = (("bytes of a row", wide), ("bytes of an input's row", before))
    return Estimate(child.size * wide // before or 1, rule=formulas.WIDENED, inputs=(child,), given=given)


def _limited(plan: GlobalLimit | LocalLimit | Offset, child: Estimate) -> Estimate:
    e = plan.offset if isinstance(plan, Offset) else plan.limit
    count = e.value if isinstance(e, Literal) and isinstance(e.value, int) else None
    if isinstance(plan, LocalLimit):
        # Every partition may give that many, and nobody knows how many partitions there are.
        if count == 0:
            return Estimate(1, 0, rule=formulas.NOTHING, inputs=(child,))
        rule = formulas.PASSED_ON_SIZE if child.rows is None else formulas.PASSED_ON
        return replace(child, columns=NO_COLUMNS, rule=rule, inputs=(child,), parts=(), given=())
    if count is None:
        return _widened(plan, child)
    if isinstance(plan, Offset):
        rows = 0 if child.rows is None else max(0, child.rows - count)
        rule, name = formulas.OFFSET, "offset"
    else:
        rows = count if child.rows is None else min(child.rows, count)
        rule, name = formulas.LIMIT, "limit"
    size = output_size(plan.output, rows, child.columns)
    return Estimate(size, rows, rule=rule, inputs=(child,), given=((name, count),))


def _sampled(plan: Sample, child: Estimate) -> Estimate:
    part = plan.upper - plan.lower
    rows = None if child.rows is None else share(child.rows, part)
    rule = formulas.SAMPLE_SIZE if rows is None else formulas.SAMPLE
    return Estimate(share(child.size, part) or 1, rows, rule=rule, inputs=(child,), given=(("share", part),))
