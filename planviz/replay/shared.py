"""Aggregate functions that several operators of a plan have in common.

Where a definition is read twice, its second copy has new columns, and the functions in it that read none of them, such
as `count(1)`, stay one object: the columns of their buffers then have one id in both copies of the physical plan. A
text does not tell which functions are one; the plan that the optimizer gave of the analyzed one does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from planviz.expressions.aggregates import AggregateFunction
from planviz.expressions.core import Expression
from planviz.logical.operators import Aggregate
from planviz.logical.plan import LogicalPlan
from planviz.replay.opaque import nodes_of
from planviz.replay.plans import ReadPlan


def _functions(plan: LogicalPlan) -> list[list[AggregateFunction]]:
    """The aggregate functions of every Aggregate, in the order of the plan."""
    return [list(_inside(node)) for node in nodes_of(plan) if isinstance(node, Aggregate)]


def _inside(node: Aggregate) -> Iterator[AggregateFunction]:
    for e in node.expressions:
        for x in e.walk():
            if isinstance(x, AggregateFunction):
                yield x


def with_shared_functions(read: ReadPlan, ours: LogicalPlan) -> ReadPlan:
    """A plan that was read, with those functions one object that are one in `ours`, which prints the same text.

    The same plan where there are none, or the two turn out not to have the same functions in the same places.
    """
    theirs, made = _functions(read.plan), _functions(ours)
    if list(map(len, theirs)) != list(map(len, made)):
        return read
    first: dict[int, tuple[int, AggregateFunction]] = {}
    # By the id of a function that was read: the one that takes its place.
    shared: dict[int, AggregateFunction] = {}
    for at, (a, b) in enumerate(zip(theirs, made, strict=True)):
        for function, same in zip(a, b, strict=True):
            where, one = first.setdefault(id(same), (at, function))
            if where != at and one is not function and one == function:
                shared[id(function)] = one
    if not shared:
        return read

    def take(e: Expression) -> Expression:
        return shared.get(id(e), e)

    def one_object(p: LogicalPlan) -> LogicalPlan:
        if not isinstance(p, Aggregate):
            return p
        new: LogicalPlan = p.map_expressions(lambda e: e.transform_down(take, AggregateFunction.BIT))
        return new

    plan: LogicalPlan = read.plan.transform_with_subqueries(one_object)
    pairs = zip(nodes_of(read.plan), nodes_of(plan), strict=True) if read.estimates else ()
    told = {id(new): read.estimates[id(old)] for old, new in pairs if id(old) in read.estimates}
    return replace(read, plan=plan, estimates=told)
