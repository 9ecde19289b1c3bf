"""Streams: where their rows come from, and how late these may come.

A node over a stream is marked with ~ in plan texts. What the JVM makes up (hashes of objects, numbers of queries) is
zeros here.
"""

from __future__ import annotations

import re

from planviz.catalog.tables import Table
from planviz.expressions.core import DELAY, AttributeReference, Expression
from planviz.logical.plan import LeafNode, LogicalPlan, StreamingSource, UnaryNode, UnmarkedSource, bracketed
from planviz.trees.node import lazy, node

#: The name of a source that nobody named.
UNASSIGNED = "name=<Unassigned>"
#: What stands for a number that every run makes up.
UUID = "00000000-0000-0000-0000-000000000000"
#: What stands for the hash of an object.
OBJECT = "@00000000"
_SOURCES = "org.apache.spark.sql.execution.streaming.sources."
#: The classes of sources that are no files, by format: the provider and its table.
PROVIDERS = {
    "rate": (f"{_SOURCES}RateStreamProvider", f"{_SOURCES}RateStreamTable"),
    "rate-micro-batch": (f"{_SOURCES}RatePerMicroBatchProvider", f"{_SOURCES}RatePerMicroBatchTable"),
    "socket": (f"{_SOURCES}TextSocketSourceProvider", f"{_SOURCES}TextSocketTable"),
    "kafka": (
        "org.apache.spark.sql.kafka010.KafkaSourceProvider",
        "org.apache.spark.sql.kafka010.KafkaSourceProvider$KafkaTable",
    ),
}  # fmt: skip


class NamedSource(StreamingSource):
    """Base of the leaves whose rows keep coming. `table` is what stands for the columns, `name` a table's name,
    `source` how the operator that reads it calls the source."""

    attributes: tuple[AttributeReference, ...]
    table: Table
    source: str
    name: tuple[str, ...]


@node
class StreamingRelation(NamedSource):
    """Files that keep coming into a folder, or another source of the old kind (Spark: StreamingRelation)."""

    attributes: tuple[AttributeReference, ...]
    table: Table
    source: str
    name: tuple[str, ...] = ()

    @lazy
    def simple_string(self) -> str:
        """StreamingRelation FileSource[path], [columns], name=<Unassigned>: it bears no mark."""
        return f"StreamingRelation {self.source}, {bracketed(self.attributes)}, {UNASSIGNED}"


@node
class StreamingRelationV2(NamedSource):
    """A source by its provider and the options given to it (Spark: StreamingRelationV2)."""

    attributes: tuple[AttributeReference, ...]
    table: Table
    source: str
    options: tuple[str, ...] = ()
    name: tuple[str, ...] = ()

    @lazy
    def simple_string(self) -> str:
        """~StreamingRelationV2 provider, format, table, [options], [columns], name=<Unassigned>."""
        return f"~{_second(self, self.options)}, {UNASSIGNED}"


def _second(source: NamedSource, options: tuple[str, ...]) -> str:
    provider, table = PROVIDERS[source.source]
    parts = [provider + OBJECT, source.source, table + OBJECT, bracketed(options), bracketed(source.attributes)]
    return f"StreamingRelationV2 {', '.join(parts)}"


@node
class MarkedRelation(NamedSource):
    """A stream as Spark 4.0 and 4.1 show it; `described` is the object that reads it, empty for one by its provider."""

    attributes: tuple[AttributeReference, ...]
    table: Table
    source: str
    name: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    described: str = ""

    @property
    def node_name(self) -> str:
        """As newer Sparks."""
        return "StreamingRelation" if self.described else "StreamingRelationV2"

    @lazy
    def simple_string(self) -> str:
        """~StreamingRelation DataSource(...), FileSource[path], [columns]."""
        return f"~{_described(self, self.described, self.options)}"


@node
class UnmarkedRelation(NamedSource, UnmarkedSource):
    """A stream as Spark before 4.0 shows it."""

    attributes: tuple[AttributeReference, ...]
    table: Table
    source: str
    name: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    described: str = ""

    @property
    def node_name(self) -> str:
        """As newer Sparks."""
        return "StreamingRelation" if self.described else "StreamingRelationV2"

    @lazy
    def simple_string(self) -> str:
        """StreamingRelation DataSource(...), FileSource[path], [columns]."""
        return _described(self, self.described, self.options)


def _described(source: NamedSource, described: str, options: tuple[str, ...]) -> str:
    if not described:
        return _second(source, options)
    return f"StreamingRelation {described}, {source.source}, {bracketed(source.attributes)}"


@node
class UnresolvedDataSource(LeafNode):
    """A source by its format, before Spark has looked for it."""

    format: str
    paths: int
    UNRESOLVED = True

    @lazy
    def simple_string(self) -> str:
        """UnresolvedDataSource format: json, isStreaming: true, paths: 1 provided."""
        return f"UnresolvedDataSource format: {self.format}, isStreaming: true, paths: {self.paths} provided"


@node
class NamedStreamingRelation(UnaryNode):
    """A stream before its source is known."""

    child: LogicalPlan
    UNRESOLVED = True

    def arguments(self) -> list[str]:
        """The name that a query has for it."""
        return [UNASSIGNED]


@node
class DeduplicateWithinWatermark(UnaryNode):
    """dropDuplicatesWithinWatermark(keys)."""

    keys: tuple[Expression, ...]
    child: LogicalPlan


@node
class EventTimeWatermark(UnaryNode):
    """How late rows may come, by the moment in a column (Spark: EventTimeWatermark)."""

    id: str
    column: Expression
    delay: str
    milliseconds: int
    child: LogicalPlan
    #: Whether its text tells the number.
    shows_id: bool = True

    @property
    def shown_id(self) -> str:
        """The number as its text has it."""
        return self.id if self.shows_id else ""

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's, the column with a remark on the delay; other columns keep theirs."""
        column = self.column
        if not isinstance(column, AttributeReference):
            return self.child.output
        late = column.expr_id
        return tuple([_remarked(a, self.milliseconds) if a.expr_id == late else a for a in self.child.output])

    def arguments(self) -> list[str]:
        """number, column: type, delay."""
        shown = [self.shown_id] if self.shows_id else []
        return [*shown, self.column.simple_string, self.delay]


def _remarked(a: AttributeReference, milliseconds: int) -> AttributeReference:
    others = tuple(m for m in a.metadata if not m.startswith(DELAY))
    return a.replace(metadata=(*others, f"{DELAY}{milliseconds}"))


def shown_options(given: dict[str, object]) -> tuple[str, ...]:
    """The options of a source as plans print them: name=value, secrets hidden."""
    secret = re.compile(r"(?i)secret|password|token|access[.]?key")
    return tuple(f"{k}={'*********(redacted)' if secret.search(k) else v}" for k, v in given.items())
