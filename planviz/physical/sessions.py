"""Sessions: rows of a group whose times lie within a gap of each other."""

from __future__ import annotations

from collections.abc import Sequence

from planviz.expressions.aggregates import AggregateExpression
from planviz.expressions.core import AttributeReference, Expression, NamedExpression, SortOrder
from planviz.logical.plan import bracketed
from planviz.physical.aggregates import BaseAggregateExec
from planviz.physical.distribution import AllTuples, ClusteredDistribution, Distribution, OutputOrder, ascending
from planviz.physical.plan import SparkPlan, UnaryExec
from planviz.trees.node import lazy, node


def _session_last(keys: Sequence[Expression], session: AttributeReference) -> tuple[SortOrder, ...]:
    """Rows of one group by time: by the other keys first, then by the session."""
    return ascending([*[k for k in keys if k != session], session])


@node
class MergingSessionsExec(BaseAggregateExec):
    """Makes one of the sessions that overlap and merges the buffers of their functions."""

    distribution: tuple[Expression, ...] | None
    keys: tuple[NamedExpression, ...]
    session: AttributeReference
    functions: tuple[AggregateExpression, ...]
    buffers: tuple[AttributeReference, ...]
    results: tuple[Expression, ...]
    child: SparkPlan
    #: How Scala calls the collection of the keys to spread by.
    collection: str = "List"
    #: Into how many partitions the state of a stream is spread, 0 for rows that do not stream.
    partitions: int = 0

    @property
    def required_ordering(self) -> tuple[tuple[SortOrder, ...], ...]:
        """By the keys, the session last."""
        return (_session_last(self.keys, self.session),)

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """The child's."""
        found: tuple[OutputOrder, ...] = self.child.output_ordering
        return found

    @lazy
    def simple_string(self) -> str:
        """MergingSessions List(keys to spread by), false, [keys], session, [functions], [values], keys, [results].

        The second says whether the rows stream, the last number where the buffers begin; empty lists are left out. The
        mark of columns that are missing stands there because filters that a stage beneath has done are still named.
        """
        values = [AttributeReference(str(f.function), f.data_type, f.nullable, f.result_id) for f in self.functions]
        missing = any(f.where is not None and not f.where.references <= self.child.output_set for f in self.functions)
        spread = f"{self.collection}({bracketed(self.distribution or ())[1:-1]})"
        lists = [bracketed(x) for x in (self.functions, values) if x]
        streams = ["true", str(self.partitions)] if self.partitions else ["false"]
        parts = [spread, *streams, bracketed(self.keys), self.session.simple_string, *lists, f"{len(self.keys)}"]
        return f"{'!' * missing}{self.node_name} {', '.join(parts)}, {bracketed(self.results)}"

    @property
    def brief_string(self) -> str:
        """The same in every mode of explain."""
        return self.simple_string


@node
class UpdatingSessionsExec(UnaryExec):
    """Writes into every row the whole session that it belongs to, for the distinct values of a session."""

    keys: tuple[AttributeReference, ...]
    session: AttributeReference
    child: SparkPlan

    @property
    def required_distribution(self) -> tuple[Distribution, ...]:
        """By the other keys; all rows together where the session is the only one."""
        others = tuple([k for k in self.keys if k != self.session])
        return (ClusteredDistribution(others) if others else AllTuples(),)

    @property
    def required_ordering(self) -> tuple[tuple[SortOrder, ...], ...]:
        """By the keys, the session last."""
        return (_session_last(self.keys, self.session),)

    @lazy
    def simple_string(self) -> str:
        """UpdatingSessions false, [keys], session (the first: whether the rows stream)."""
        return f"UpdatingSessions false, {bracketed(self.keys)}, {self.session.simple_string}"
