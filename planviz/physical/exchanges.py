"""Operators that move rows, what is used again in place of them, and subqueries."""

from __future__ import annotations

from dataclasses import replace

from planviz.expressions.casts import Cast
from planviz.expressions.core import AttributeReference, Expression, SortOrder
from planviz.logical.plan import bracketed
from planviz.physical.distribution import (
    BroadcastMode,
    BroadcastPartitioning,
    HashPartitioning,
    Partitioning,
    RangePartitioning,
    RoundRobinPartitioning,
    SinglePartition,
)
from planviz.physical.plan import LeafExec, SparkPlan, UnaryExec
from planviz.trees.node import Held, always, lazy, node
from planviz.types import LONG, is_integral

ENSURE_REQUIREMENTS, REPARTITION_BY_NUM = "ENSURE_REQUIREMENTS", "REPARTITION_BY_NUM"
REQUIRED_BY_STATEFUL_OPERATOR = "REQUIRED_BY_STATEFUL_OPERATOR"


class Exchange(UnaryExec):
    """Base of the operators that move rows; `plan_id` names one in the plan's text."""

    plan_id: int

    output_ordering = always(())  # rows come as they arrive


@node
class ShuffleExchangeExec(Exchange):
    """Sends every row to the partition that its keys say (Spark: ShuffleExchangeExec).

    `kind` is hashpartitioning, rangepartitioning, RoundRobinPartitioning or SinglePartition, `keys` what it goes by,
    `shuffle_origin` why it is there.
    """

    kind: str
    keys: tuple[Expression, ...]
    number: int
    shuffle_origin: str
    child: SparkPlan
    plan_id: int = 0

    UNCOMPARED = ("plan_id",)

    @classmethod
    def of(
        cls, p: Partitioning, child: SparkPlan, plan_id: int, origin: str = ENSURE_REQUIREMENTS
    ) -> ShuffleExchangeExec:
        """The exchange that spreads rows like this."""
        match p:
            case HashPartitioning():
                return cls("hashpartitioning", p.keys, p.number, origin, child, plan_id)
            case RangePartitioning():
                return cls("rangepartitioning", p.order, p.number, origin, child, plan_id)
            case RoundRobinPartitioning():
                return cls("RoundRobinPartitioning", (), p.number, origin, child, plan_id)
        return cls("SinglePartition", (), 1, origin, child, plan_id)

    @lazy
    def output_partitioning(self) -> Partitioning:
        """As it sends them."""
        match self.kind:
            case "hashpartitioning":
                return HashPartitioning(self.number, self.keys)
            case "rangepartitioning":
                return RangePartitioning(self.number, self.order)
            case "RoundRobinPartitioning":
                return RoundRobinPartitioning(self.number)
        return SinglePartition()

    @property
    def order(self) -> tuple[SortOrder, ...]:
        """The keys as an order, which those of rangepartitioning are."""
        return tuple([k for k in self.keys if isinstance(k, SortOrder)])

    @property
    def spread(self) -> str:
        """How it sends them, in words: hashpartitioning(k#1, 200)."""
        if self.kind == "RoundRobinPartitioning":
            return f"{self.kind}({self.number})"
        if self.kind == "SinglePartition":
            return self.kind
        return f"{self.kind}({', '.join([*map(str, self.keys), str(self.number)])})"

    @lazy
    def simple_string(self) -> str:
        """Exchange hashpartitioning(k#1, 200), ENSURE_REQUIREMENTS, [plan_id=7]."""
        return f"Exchange {self.spread}, {self.shuffle_origin}, [plan_id={self.plan_id}]"


@node
class BroadcastExchangeExec(Exchange):
    """Sends all rows everywhere, as `mode` says."""

    mode: BroadcastMode
    child: SparkPlan
    plan_id: int = 0

    UNCOMPARED = ("plan_id",)

    @lazy
    def output_partitioning(self) -> Partitioning:
        """Everywhere."""
        return BroadcastPartitioning(1, self.mode)

    @lazy
    def canonicalized(self) -> BroadcastExchangeExec:
        """With the keys in the form that is equal for equal values: packed or cast, a widened integer is the same."""
        keys = tuple(_without_mode(k.canonicalized) for k in self.mode.keys)
        return BroadcastExchangeExec(replace(self.mode, keys=keys), self.child.canonicalized)

    @lazy
    def simple_string(self) -> str:
        """BroadcastExchange mode, [plan_id=7]."""
        return f"BroadcastExchange {self.mode}, [plan_id={self.plan_id}]"


def _without_mode(key: Expression) -> Expression:
    """A key whose widening of an integer does not say whether it would fail: it never does."""
    if isinstance(key, Cast) and key.mode == "LEGACY" and is_integral(key.child.data_type) and key.type == LONG:
        return key.replace(mode="ANSI")
    return key


@node
class ReusedExchangeExec(LeafExec):
    """The rows of another exchange of the plan under the columns that are read here."""

    columns: tuple[AttributeReference, ...]
    exchange: Held[Exchange]

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The columns."""
        return self.columns

    children = always(())  # the exchange stands elsewhere

    def map_children(self, f: object, mask: int = -1) -> ReusedExchangeExec:
        """Itself."""
        return self

    expressions = always(())

    def map_expressions(self, f: object, mask: int = -1) -> ReusedExchangeExec:
        """Itself."""
        return self

    @lazy
    def canonicalized(self) -> SparkPlan:
        """The exchange's."""
        return self.exchange.canonicalized

    @lazy
    def simple_string(self) -> str:
        """ReusedExchange [columns], the exchange; no brackets for no columns."""
        columns = f"{bracketed(self.columns)}, " if self.columns else ""
        return f"ReusedExchange {columns}{self.exchange.simple_string}"
