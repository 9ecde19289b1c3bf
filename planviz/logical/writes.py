"""Commands that write the rows of a query (Spark: DataWritingCommand, RunnableCommand)."""

from __future__ import annotations

from planviz.expressions.core import AttributeReference, Expression
from planviz.logical.plan import LeafNode, LogicalPlan, UnaryNode, bracketed
from planviz.trees.node import Held, lazy, node


@node
class InsertIntoHadoopFsRelationCommand(UnaryNode):
    """The rows of the child go into files."""

    #: The folder with its scheme, the columns that make folders in it, the format as Spark names it, options as they
    #: are printed, what happens to rows that are there, the table whose files they are (empty: of none), the columns.
    path: str
    partitions: tuple[Expression, ...]
    source: str
    settings: str
    mode: str
    table: str
    names: tuple[str, ...]
    child: LogicalPlan
    #: How many buckets there are (0: none), by which columns, in which order.
    buckets: int = 0
    bucketed_by: tuple[Expression, ...] = ()
    sorted_by: tuple[Expression, ...] = ()

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """A command gives nothing."""
        return ()

    @lazy
    def missing_input(self) -> frozenset[int]:
        """None: what is written comes through WriteFiles, which gives no columns."""
        return frozenset()

    def arguments(self) -> list[str]:
        """path, whether partitions that exist are left alone, [partitions], buckets, format, [options], mode, names."""
        return [
            self.path,
            "false",
            *([bracketed(self.partitions)] if self.partitions else []),
            *([self._buckets()] if self.buckets else []),
            self.source,
            f"[{self.settings}]",
            self.mode,
            *([self.table] if self.table else []),
            f"[{', '.join(self.names)}]",
        ]

    def _buckets(self) -> str:
        by, order = (", ".join(_name(e) for e in keys) for keys in (self.bucketed_by, self.sorted_by))
        shown = f"{self.buckets} buckets, bucket columns: [{by}]"
        return f"{shown}, sort columns: [{order}]" if order else shown


def _name(column: Expression) -> str:
    return column.name if isinstance(column, AttributeReference) else str(column)


@node
class WriteFiles(UnaryNode):
    """The tasks that write files, over rows that come in the order that the files need."""

    child: LogicalPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """Nothing that a query could read."""
        return ()


@node
class NoopWrite(UnaryNode):
    """The rows of the child are computed and go nowhere (the format noop)."""

    #: The command's.
    name: str
    child: LogicalPlan

    @property
    def node_name(self) -> str:
        """The command's name."""
        return self.name

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """A command gives nothing."""
        return ()

    def arguments(self) -> list[str]:
        """The table of that format, and what of it is replaced: all."""
        replaced = ["true", "true", "false"] if self.name == "OverwriteByExpression" else ["false"]
        return ["RelationV2[] noop-table", *replaced]


@node
class RunnableCommand(LeafNode):
    """A command that runs a query of its own, which is no part of the plan."""

    #: What its line says; whether the query is printed beneath.
    name: str
    details: str
    query: Held[LogicalPlan]
    shows_query: bool = False

    @property
    def node_name(self) -> str:
        """The command's name."""
        return self.name

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """A command gives nothing."""
        return ()

    @property
    def inner_children(self) -> tuple[LogicalPlan, ...]:
        """The query, where it is printed."""
        return (self.query,) if self.shows_query else ()

    def arguments(self) -> list[str]:
        """As they are printed."""
        return [self.details]
