"""What every strategy works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from planviz.config import OptimizerConfig
from planviz.decisions.choices import Decision
from planviz.estimation import Estimator
from planviz.physical.buffers import buffer_of
from planviz.physical.distribution import BroadcastMode, Partitioning
from planviz.physical.earlier import operators_of, without_code
from planviz.physical.exchanges import ENSURE_REQUIREMENTS, BroadcastExchangeExec, ShuffleExchangeExec
from planviz.physical.plan import SparkPlan
from planviz.physical.spark_3_0 import EARLIER

if TYPE_CHECKING:
    from planviz.expressions.aggregates import AggregateFunction
    from planviz.expressions.core import AttributeReference
    from planviz.logical.combining import CTERelationDef
    from planviz.logical.plan import LogicalPlan

P = TypeVar("P", bound=SparkPlan)


def undecided(plan: LogicalPlan) -> SparkPlan:
    """What plans beneath an operator where only the choice of the operator is asked for: nothing."""
    raise AssertionError(f"{type(plan).__name__} is beneath an operator that is not planned")


@dataclass
class PlanningContext:
    """Settings, the decisions taken so far, warnings, and `plan`, which plans what is beneath an operator.

    `next_plan_id` numbers exchanges and subqueries.
    """

    config: OptimizerConfig
    plan: Callable[[LogicalPlan], SparkPlan]
    decisions: list[Decision] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    definitions: dict[int, CTERelationDef] = field(default_factory=dict)
    #: Every function planned so far with its buffer's columns: a plan that is planned twice has the same ones.
    buffers: dict[int, tuple[AggregateFunction, tuple[AttributeReference, ...]]] = field(default_factory=dict)
    plan_id: int = 0

    @cached_property
    def estimator(self) -> Estimator:
        """What tells how many rows and bytes a logical plan has."""
        return Estimator(self.config)

    def next_plan_id(self) -> int:
        """A number that no other exchange or subquery of the query has."""
        self.plan_id += 1
        return self.plan_id

    def shuffle(self, p: Partitioning, child: SparkPlan, origin: str = ENSURE_REQUIREMENTS) -> ShuffleExchangeExec:
        """A new exchange that spreads the rows like this."""
        return self.operator(ShuffleExchangeExec).of(p, child, self.next_plan_id(), origin)

    def broadcast(self, mode: BroadcastMode, child: SparkPlan) -> BroadcastExchangeExec:
        """A new exchange that sends the rows everywhere."""
        return self.operator(BroadcastExchangeExec)(mode, child, self.next_plan_id())

    def operator(self, cls: type[P]) -> type[P]:
        """The operator as the profile's version of Spark has it."""
        return self._operators.get(cls, cls)

    @cached_property
    def _operators(self) -> dict[type, type]:
        known = self.config.behaviour
        return EARLIER if known.operators_of_3_0 else operators_of(known) | without_code(self.config)

    def buffer(self, function: AggregateFunction) -> tuple[AttributeReference, ...]:
        """The buffer's columns of an aggregate function, the same for the same object."""
        if id(function) not in self.buffers:
            self.buffers[id(function)] = (function, buffer_of(function, not self.config.behaviour.sums_note_emptiness))
        return self.buffers[id(function)][1]

    @property
    def partitions(self) -> int:
        """How many partitions a shuffle makes."""
        return self.config.shuffle_partitions
