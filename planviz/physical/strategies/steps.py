"""What the planner's strategies did, one after the other: the plan in between, planned above and logical beneath.

A strategy plans one operator, or a few that it looks for as a whole, and leaves what is beneath to be planned later
(Spark: PlanLater). So a plan of n operators is planned in at most n steps, from the root down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from planviz.physical.operators import FilterExec, ProjectExec
from planviz.physical.strategies.matched import matched
from planviz.trees.memo import STANDS_FOR
from planviz.trees.trace import BatchRun, DeferredTree, RuleApplication, Trace

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan
    from planviz.physical.plan import SparkPlan

#: The executor's name in a trace, and its batch.
EXECUTOR, BATCH = "SparkPlanner", "Strategies"
_PACKAGE = "org.apache.spark.sql.execution"
_OBJECTS = {"FileSourceStrategy": f"{_PACKAGE}.datasources.FileSourceStrategy"}


#: Operators that print like the logical ones that they come from: they are planned within the next step.
_ALIKE = (ProjectExec, FilterExec)


@dataclass(frozen=True)
class Planned:
    """One call of the planner: the strategy that knew `logical`, and the operators that it gave."""

    strategy: str
    logical: LogicalPlan
    physical: SparkPlan

    @property
    def alike(self) -> bool:
        """Whether it cannot be seen: the operator prints as the logical one does."""
        return self.strategy == "BasicOperators" and isinstance(self.physical, _ALIKE)


def spark_name(strategy: str) -> str:
    """The strategy's class in Spark, package included: most are objects within SparkStrategies."""
    return _OBJECTS.get(strategy, f"{_PACKAGE}.SparkStrategies${strategy}")


class _Places:
    """Where in a planned tree every call's operators stand, and after which call a subtree is planned as a whole.

    `shown` are the calls that are steps.
    """

    def __init__(self, root: SparkPlan, calls: Sequence[Planned]) -> None:
        self.calls = calls
        self.at: dict[int, list[int]] = {}
        for number, call in enumerate(calls):
            self.at.setdefault(id(call.physical), []).append(number)
        self.last: dict[int, int] = {}
        order = list(root.walk())
        there = (n for node in order for n in self.at.get(id(node), ()))
        self.shown = sorted(n for n in there if not calls[n].alike)
        for node in reversed(order):
            below = [self.last[id(c)] for c in node.children]
            self.last[id(node)] = max([*self.at.get(id(node), ()), *below], default=-1)

    def until(self, node: SparkPlan, number: int) -> SparkPlan | LogicalPlan:
        """The tree under `node` when all calls before `number` had been made."""
        if self.last[id(node)] < number:
            return node
        later = [n for n in self.at.get(id(node), ()) if n >= number]
        if later:
            return self.calls[later[0]].logical
        # What is planned later stands logical beneath physical operators.
        until = cast("Callable[[SparkPlan], SparkPlan]", partial(self.until, number=number))
        made = node.map_children(until)
        STANDS_FOR.set(made, node)
        return made


def note_strategies(
    trace: Trace, logical: LogicalPlan, physical: SparkPlan, calls: Sequence[Planned], parent: int | None
) -> None:
    """Put into `trace`, as a run within `parent`, how the calls made `physical` of `logical`.

    The plans in between are made when somebody looks.
    """
    run = trace.start_run(EXECUTOR, parent)
    places = _Places(physical, calls)
    shown = places.shown
    before: SparkPlan | LogicalPlan | DeferredTree = logical
    for number, following in zip(shown, [*shown[1:], None], strict=True):
        call = calls[number]
        after = physical if following is None else DeferredTree(partial(places.until, physical, following))
        what = partial(matched, call.strategy, call.logical)
        trace.applications.append(RuleApplication(run, BATCH, 1, spark_name(call.strategy), before, after, 0.0, what))
        before = after
    done = len(trace.applications)
    trace.batches.append(BatchRun(run, BATCH, (), 1, logical, physical, done))
