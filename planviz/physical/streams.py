"""Operators of streams: what Spark shows of a query that runs again and again, and that keeps state between runs.

A plan that is shown has not begun to run: its place for the state is unknown, its number of the run is made up (here
zeros), and every watermark is the least number there is.
"""

from __future__ import annotations

from planviz.expressions.core import AttributeReference, Expression, SortOrder
from planviz.logical.plan import bracketed
from planviz.logical.streams import UUID
from planviz.physical.distribution import (
    AllTuples,
    Distribution,
    OutputOrder,
    StatefulDistribution,
    UnknownPartitioning,
)
from planviz.physical.joins import JoinExec
from planviz.physical.plan import SparkPlan, UnaryExec
from planviz.physical.sources import SourceExec
from planviz.trees.node import always, lazy, node

_NEVER = "-9223372036854775808"
_MODE = "Append"
#: The versions of how state is laid out: of aggregates, of sessions, of joins.
_AGGREGATES, _SESSIONS, _JOINS = "2", "1", "2"


@node
class StreamingRelationExec(SourceExec):
    """Rows that keep coming (Spark: StreamingRelationExec)."""

    columns: tuple[AttributeReference, ...]
    source: str
    name: str = ""

    @lazy
    def simple_string(self) -> str:
        """StreamingRelation rate, [columns]."""
        named = [self.name] if self.name else []
        return f"StreamingRelation {', '.join([self.source, bracketed(self.columns), *named])}"


@node
class EventTimeWatermarkExec(UnaryExec):
    """Notes the latest moment seen (Spark: EventTimeWatermarkExec)."""

    id: str
    column: Expression
    delay: str
    columns: tuple[AttributeReference, ...]
    child: SparkPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's, with a remark on the delay."""
        return self.columns

    def arguments(self) -> list[str]:
        """number, column: type, delay."""
        return [*([self.id] if self.id else []), self.column.simple_string, self.delay]


class StatefulExec(UnaryExec):
    """Base of what keeps state by `keys` between runs; `number` tells the operators of a query apart (0 on top)."""

    keys: tuple[Expression, ...]
    partitions: int
    number: int

    @property
    def required_distribution(self) -> tuple[Distribution, ...]:
        """By the hash of the very keys, in as many partitions as the state has."""
        return (StatefulDistribution(self.keys) if self.keys else AllTuples(),)

    @property
    def state(self) -> str:
        """What is told of the state."""
        told = f" checkpoint = <unknown>, runId = {UUID}, opId = {self.number}, ver = 0, numPartitions = "
        return f"state info [{told}{self.partitions}] stateStoreCkptIds = None"

    @property
    def shown_keys(self) -> list[str]:
        """The keys, nothing for none."""
        return [bracketed(self.keys)] if self.keys else []


@node
class StateStoreRestoreExec(StatefulExec):
    """Adds to new buffers those of earlier runs."""

    keys: tuple[Expression, ...]
    partitions: int
    child: SparkPlan
    number: int = 0

    def arguments(self) -> list[str]:
        """[keys], state, version."""
        return [*self.shown_keys, self.state, _AGGREGATES]


@node
class StateStoreSaveExec(StatefulExec):
    """Keeps the buffers for later runs."""

    keys: tuple[Expression, ...]
    partitions: int
    child: SparkPlan
    number: int = 0

    def arguments(self) -> list[str]:
        """[keys], state, mode, watermarks, version."""
        return [*self.shown_keys, self.state, _MODE, _NEVER, _NEVER, _AGGREGATES]


class SessionStateExec(StatefulExec):
    """Base of what keeps sessions: rows are together by the other keys."""

    session: AttributeReference

    @property
    def required_ordering(self) -> tuple[tuple[SortOrder, ...], ...]:
        """By the other keys, then by the session."""
        return (tuple(SortOrder(k) for k in (*self.keys, self.session)),)


@node
class SessionWindowStateStoreRestoreExec(SessionStateExec):
    """Adds to new sessions those of earlier runs."""

    keys: tuple[Expression, ...]
    session: AttributeReference
    partitions: int
    child: SparkPlan
    number: int = 0

    @lazy
    def output_ordering(self) -> tuple[OutputOrder, ...]:
        """As the sessions come."""
        return tuple(OutputOrder(k) for k in (*self.keys, self.session))

    def arguments(self) -> list[str]:
        """[keys], session, state, watermarks, version."""
        return [*self.shown_keys, self.session.simple_string, self.state, _NEVER, _NEVER, _SESSIONS]


@node
class SessionWindowStateStoreSaveExec(SessionStateExec):
    """Keeps sessions for later runs."""

    keys: tuple[Expression, ...]
    session: AttributeReference
    partitions: int
    child: SparkPlan
    number: int = 0

    required_ordering = always(((),))
    output_ordering = always(())

    def arguments(self) -> list[str]:
        """[keys], session, state, mode, watermarks, version."""
        return [*self.shown_keys, self.session.simple_string, self.state, _MODE, _NEVER, _NEVER, _SESSIONS]


class _Deduplicating(StatefulExec):
    """What keeps the keys that it saw."""

    def arguments(self) -> list[str]:
        """[keys], state, watermarks."""
        return [*self.shown_keys, self.state, _NEVER, _NEVER]


@node
class StreamingDeduplicateExec(_Deduplicating):
    """Lets a row pass whose keys were never seen."""

    keys: tuple[Expression, ...]
    partitions: int
    child: SparkPlan
    number: int = 0


@node
class StreamingDeduplicateWithinWatermarkExec(_Deduplicating):
    """Lets a row pass whose keys were not seen of late."""

    keys: tuple[Expression, ...]
    partitions: int
    child: SparkPlan
    number: int = 0


@node
class StreamingLocalLimitExec(UnaryExec):
    """Counts the rows of a partition over operators that keep state."""

    limit: int
    child: SparkPlan


@node
class StreamingGlobalLimitExec(StatefulExec):
    """Lets rows pass until as many have come in all runs."""

    keys: tuple[Expression, ...]
    limit: int
    partitions: int
    child: SparkPlan
    number: int = 0

    def arguments(self) -> list[str]:
        """limit, state, mode."""
        return [str(self.limit), self.state, _MODE]


@node
class StreamingSymmetricHashJoinExec(JoinExec):
    """Joins two streams, each against all that came of the other (Spark: StreamingSymmetricHashJoinExec)."""

    left_keys: tuple[Expression, ...]
    right_keys: tuple[Expression, ...]
    kind: str
    condition: Expression | None
    partitions: int
    cleanup: tuple[str, str]
    parts: tuple[str, str, str]
    TYPE_IN_TREE = False
    SIDES_BENEATH = True
    left: SparkPlan
    right: SparkPlan
    exists: AttributeReference | None = None
    number: int = 0

    output_partitioning = always(UnknownPartitioning(0))
    output_ordering = always(())

    @property
    def required_distribution(self) -> tuple[Distribution, ...]:
        """Both by the hash of the very keys."""
        return (StatefulDistribution(self.left_keys), StatefulDistribution(self.right_keys))

    def arguments(self) -> list[str]:
        """Keys, type, parts of the condition, state, watermarks, what is forgotten, version, mode."""
        names = ("leftOnly", "rightOnly", "both", "full")
        full = "null" if self.condition is None else str(self.condition)
        split = ", ".join(f"{n} = {p}" for n, p in zip(names, (*self.parts, full), strict=True))
        state = StatefulExec.state.fget(self)  # type: ignore[attr-defined]
        keys = [bracketed(self.left_keys), bracketed(self.right_keys)]
        forgotten = f"state cleanup [ {', '.join(self.cleanup)} ]"
        return [*keys, self.kind, f"condition = [ {split} ]", state, _NEVER, _NEVER, forgotten, _JOINS, _MODE]


#: Operators that keep state and have a number.
STATEFUL = (StatefulExec, StreamingSymmetricHashJoinExec)


def numbered(plan: SparkPlan) -> SparkPlan:
    """The plan with its operators that keep state numbered from the top; what saves a state restores the same."""
    count = -1

    def step(p: SparkPlan) -> SparkPlan:
        nonlocal count
        if not isinstance(p, STATEFUL):
            return p
        if not isinstance(p, StateStoreRestoreExec | SessionWindowStateStoreRestoreExec):
            count += 1
        found: SparkPlan = p.replace(number=count)
        return found

    return plan.transform_down(step)
