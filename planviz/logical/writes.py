"""Commands that write the rows of a query (Spark: DataWritingCommand, RunnableCommand)."""

from __future__ import annotations

from typing_extensions import override

from planviz.catalog.tables import Buckets, Table
from planviz.expressions.core import AttributeReference, Expression
from planviz.logical.plan import LeafNode, LogicalPlan, UnaryNode, bracketed
from planviz.trees.node import Held, always, lazy, node

#: Formats of files, by what the plan of a command calls them.
SOURCES = {
    "parquet": "Parquet", "csv": "CSV", "json": "JSON", "text": "Text", "xml": "XML", "orc": "ORC",
}  # fmt: skip


class UnaryCommand(UnaryNode):
    """A command over the query whose rows it takes: it gives none itself (Spark: UnaryCommand)."""

    output = always(())


@node
class InsertIntoStatement(UnaryCommand):
    """INSERT before the table is looked up.

    `partition` are the columns of PARTITION with their values as text (None: the query gives it), `columns` the names
    written behind the table, `table` stands for its name as SQL has it.
    """

    table: Held[LogicalPlan]
    partition: tuple[tuple[str, str | None], ...]
    columns: tuple[str, ...]
    overwrite: bool
    if_not_exists: bool
    by_name: bool
    #: How many of its flags the text tells.
    told: int
    child: LogicalPlan
    #: The table itself, where it is known already or guessed.
    into: Table | None = None

    @property
    def fixed(self) -> tuple[tuple[str, str], ...]:
        """The columns of PARTITION that have one value for all rows, with it."""
        return tuple((name, value) for name, value in self.partition if value is not None)

    UNRESOLVED = True

    @override
    def arguments(self) -> list[str]:
        """The table, [column=Some(value)], [columns], whether it overwrites, IF NOT EXISTS, BY NAME."""
        parts = [f"{name}={'None' if value is None else f'Some({value})'}" for name, value in self.partition]
        flags = [self.overwrite, self.if_not_exists, self.by_name, False][: self.told]
        return [
            self.table.simple_string,
            *([f"[{', '.join(parts)}]"] if parts else []),
            *([f"[{', '.join(self.columns)}]"] if self.columns else []),
            *(str(flag).lower() for flag in flags),
        ]


@node
class CreateTableAsSelect(UnaryCommand):
    """CREATE TABLE AS before the table is made, to whose folder, `path`, the rows are written.

    `provider` is the format, `partition` are the names of the columns that tell the folder, `buckets` say how rows are
    spread over files (None: they are not), `if_not_exists` as written.
    """

    path: str
    provider: str
    partition: tuple[str, ...]
    buckets: Buckets | None
    if_not_exists: bool
    child: LogicalPlan
    UNRESOLVED = True

    @override
    def arguments(self) -> list[str]:
        """[identity(column)], the table's specification, IF NOT EXISTS, whether it is a write without AS."""
        by = [f"identity({name})" for name in self.partition]
        if self.buckets is not None:
            sorted_by = f", {', '.join(self.buckets.sorted_by)}" if self.buckets.sorted_by else ""
            by.append(f"bucket({self.buckets.number}, {', '.join(self.buckets.columns)}{sorted_by})")
        specification = f"unresolvedtablespec(Some({self.provider}), optionlist(), None, None, None, None, false)"
        return [*([f"[{', '.join(by)}]"] if by else []), specification, str(self.if_not_exists).lower(), "false"]


@node
class InsertIntoHadoopFsRelationCommand(UnaryCommand):
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
    #: The first of `partitions`, with the one value that all rows have.
    fixed: tuple[tuple[str, str], ...] = ()

    #: None: what is written comes through WriteFiles, which gives no columns.
    missing_input = always(frozenset[int]())

    def arguments(self) -> list[str]:
        """path, [fixed], IF NOT EXISTS, [partitions], buckets, format, [options], mode, the table, names."""
        return [
            self.path,
            *([f"[{', '.join(f'{name}={value}' for name, value in self.fixed)}]"] if self.fixed else []),
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
class WriteFiles(UnaryCommand):
    """The tasks that write files, over rows that come in the order that the files need (since Spark 3.4)."""

    child: LogicalPlan


@node
class NoopWrite(UnaryCommand):
    """The rows of the child are computed and go nowhere (the format noop)."""

    #: The command's.
    name: str
    child: LogicalPlan

    @property
    def node_name(self) -> str:
        """The command's name."""
        return self.name

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
