"""The three aggregate operators."""

from __future__ import annotations

from typing import ClassVar

from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import Alias, AttributeReference, Expression, NamedExpression, SortOrder
from planviz.logical.plan import bracketed, positioned, positions_of
from planviz.physical.buffers import is_imperative, is_mutable
from planviz.physical.distribution import (
    UNSPECIFIED,
    AllTuples,
    ClusteredDistribution,
    Distribution,
    OutputOrder,
    Partitioning,
    Stateful,
    StatefulDistribution,
    ascending,
    given_order,
)
from planviz.physical.plan import SparkPlan, UnaryExec
from planviz.physical.projection import Projection
from planviz.trees.node import lazy, node
from planviz.types import is_collated


class GroupingExec(UnaryExec):
    """Base of what computes functions of groups.

    `distribution` are the keys by which rows must be together: None for anyhow (a partial stage), none of them for all
    rows in one place. `results` are what it gives, `functions` carry their mode, `buffers` are their buffers' columns.
    """

    distribution: tuple[Expression, ...] | None
    keys: tuple[NamedExpression, ...]
    functions: tuple[AggregateExpression, ...]
    buffers: tuple[AttributeReference, ...]
    results: tuple[Expression, ...]
    #: Whether two plans are the same if only the ids of their functions' values differ (Spark: allAttributes).
    COMPARED_BY_PLACE: ClassVar[bool] = True

    UNCOMPARED = ("distribution",)

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The results' columns."""
        return tuple([e.to_attribute() for e in self.results])

    @lazy
    def canonicalized(self) -> GroupingExec:
        """Without the fresh ids of the functions' results and buffers."""
        positions = positions_of(self.child.output)
        made = [k.expr_id for k in self.keys if isinstance(k, NamedExpression)]
        values = [f.result_id for f in self.functions] if self.COMPARED_BY_PLACE else []
        for i in (*made, *values, *[a.expr_id for a in self.buffers]):
            positions.setdefault(i, len(positions))

        def normal(e: Expression) -> Expression:
            if isinstance(e, Alias):
                return Alias(positioned(e.child, positions).canonicalized, "", 0)
            if isinstance(e, AggregateExpression) and e.mode in ("Final", "PartialMerge"):
                # It reads buffers: what its function once read does not count.
                return positioned(e, dict.fromkeys(e.references, 0)).canonicalized
            return positioned(e, positions).canonicalized

        keys, functions, results = (tuple(map(normal, x)) for x in (self.keys, self.functions, self.results))
        child = self.child.canonicalized
        return self.replace(keys=keys, functions=functions, results=results, buffers=(), child=child)

    @property
    def required_distribution(self) -> tuple[Distribution, ...]:
        """See `distribution`."""
        if self.distribution is None:
            return (UNSPECIFIED,)
        if not self.distribution:
            return (AllTuples(),)
        stateful = isinstance(self.distribution, Stateful)
        return (StatefulDistribution(self.distribution) if stateful else ClusteredDistribution(self.distribution),)

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """None."""
        return ()


class BaseAggregateExec(GroupingExec):
    """Base of the aggregates that keep buffers."""

    #: How `keys` is called in the text.
    KEYS = "keys"

    @lazy
    def output_partitioning(self) -> Partitioning:
        """The child's, as far as its columns are still there."""
        return Projection(self.results).partitioning(self.child.output_partitioning)

    @property
    def modes(self) -> frozenset[str]:
        """The modes of the functions."""
        return frozenset(f.mode for f in self.functions)

    @property
    def declarative(self) -> bool:
        """Whether every function is made of expressions, so that code can be generated for it."""
        return not any(is_imperative(f.function) for f in self.functions)

    @lazy
    def simple_string(self) -> str:
        """HashAggregate(keys=[...], functions=[...], output=[...])."""
        return f"{self.brief_string[:-1]}, output={bracketed(self.output)})"

    @property
    def brief_string(self) -> str:
        """The same without output, as explain's simple mode prints it."""
        return f"{self.node_name}({self.KEYS}={bracketed(self.keys)}, functions={bracketed(self.functions)})"


@node
class HashAggregateExec(BaseAggregateExec):
    """Keeps the buffers of all groups in a hash map."""

    distribution: tuple[Expression, ...] | None
    keys: tuple[NamedExpression, ...]
    functions: tuple[AggregateExpression, ...]
    buffers: tuple[AttributeReference, ...]
    results: tuple[Expression, ...]
    child: SparkPlan

    @property
    def supports_codegen(self) -> bool:
        """Unless a function has code of its own."""
        return self.declarative


@node
class ObjectHashAggregateExec(BaseAggregateExec):
    """The same with objects as buffers."""

    distribution: tuple[Expression, ...] | None
    keys: tuple[NamedExpression, ...]
    functions: tuple[AggregateExpression, ...]
    buffers: tuple[AttributeReference, ...]
    results: tuple[Expression, ...]
    child: SparkPlan


@node
class SortAggregateExec(BaseAggregateExec):
    """Walks rows that are sorted by the keys, one buffer at a time."""

    distribution: tuple[Expression, ...] | None
    keys: tuple[NamedExpression, ...]
    functions: tuple[AggregateExpression, ...]
    buffers: tuple[AttributeReference, ...]
    results: tuple[Expression, ...]
    child: SparkPlan
    KEYS = "key"
    COMPARED_BY_PLACE = False

    @property
    def supports_codegen(self) -> bool:
        """Where buffers can be updated in place, no function has code of its own, and bytes tell the keys apart."""
        told_apart = not any(is_collated(k.data_type) for k in self.keys)
        return told_apart and self.declarative and all(is_mutable(a.type) for a in self.buffers)

    @property
    def required_ordering(self) -> tuple[tuple[SortOrder, ...], ...]:
        """By the keys."""
        return (ascending(self.keys),)

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """By the keys, as far as they are among the results."""
        return Projection(self.results).ordering(given_order(ascending(self.keys)))
