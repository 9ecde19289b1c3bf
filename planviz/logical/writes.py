"""Operators that write rows to tables and files."""

from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import override

from planviz.catalog.tables import Buckets
from planviz.expressions.core import AttributeReference
from planviz.logical.plan import LogicalPlan, UnaryNode, bracketed
from planviz.trees.node import Held, always, lazy, node

#: How the classes of Spark's file formats call themselves.
_FORMATS = {"parquet": "Parquet", "orc": "ORC", "csv": "CSV", "json": "JSON", "text": "Text", "avro": "AVRO"}
_INDEX = "org.apache.spark.sql.execution.datasources."
#: Providers whose tables and files InsertIntoHadoopFsRelationCommand writes.
WRITTEN_FILES = frozenset(_FORMATS)


@dataclass(frozen=True)
class Target:
    """Where rows are written: a table's files, or a folder that no table has.

    `path` is the folder, `provider` the format, `name` the table's parts (empty of a folder), `columns` the names under
    which they are written, `buckets` how rows are spread over files (None: they are not), `options` keys and values
    beside the path, `static` the partition columns with one value for all rows, with it.
    """

    path: str
    provider: str
    columns: tuple[str, ...]
    name: tuple[str, ...] = ()
    buckets: Buckets | None = None
    options: tuple[tuple[str, str], ...] = ()
    static: tuple[tuple[str, str], ...] = ()


class UnaryCommand(UnaryNode):
    """A command over the query whose rows it takes: it gives none itself (Spark: V1WriteCommand)."""

    output = always(())
    #: What it names of its query it finds there, though a WriteFiles between both gives no columns.
    missing_input = always(frozenset[int]())


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
class InsertIntoHadoopFsRelationCommand(UnaryCommand):
    """Write the rows as files of a folder.

    `partition_columns` tell which folder of it, `mode` is Append or Overwrite.
    """

    target: Target
    partition_columns: tuple[AttributeReference, ...]
    mode: str
    child: LogicalPlan

    @override
    def arguments(self) -> list[str]:
        """As Spark prints them: path, fixed partitions, partition columns, buckets, format, options, mode, table."""
        t = self.target
        static = [f"{name}={value}" for name, value in t.static]
        options = [f"{key}={value}" for key, value in sorted((*t.options, ("path", t.path)))]
        index = "CatalogFileIndex" if self.partition_columns else "InMemoryFileIndex"
        table = [".".join(f"`{part}`" for part in t.name), f"{_INDEX}{index}({t.path})"] if t.name else []
        return [
            t.path,
            *([f"[{', '.join(static)}]"] if static else []),
            "false",
            *([bracketed(self.partition_columns)] if self.partition_columns else []),
            *([bucket_words(t.buckets)] if t.buckets is not None else []),
            _FORMATS.get(t.provider, t.provider),
            f"[{', '.join(options)}]",
            self.mode,
            *table,
            f"[{', '.join(t.columns)}]",
        ]

    @lazy
    def max_rows(self) -> int | None:
        """It gives no rows."""
        return 0


@node
class CreateTableAsSelect(UnaryCommand):
    """CREATE TABLE ... AS before the table is made, whose `target` the rows are written to.

    `partition` are the names of the columns that tell the folder, `if_not_exists` as written.
    """

    target: Target
    partition: tuple[str, ...]
    if_not_exists: bool
    child: LogicalPlan
    UNRESOLVED = True

    @override
    def arguments(self) -> list[str]:
        """[identity(column)], the table's specification, IF NOT EXISTS, whether it is a write without AS."""
        t = self.target
        by = [f"identity({name})" for name in self.partition]
        if t.buckets is not None:
            sorted_by = f", {', '.join(t.buckets.sorted_by)}" if t.buckets.sorted_by else ""
            by.append(f"bucket({t.buckets.number}, {', '.join(t.buckets.columns)}{sorted_by})")
        specification = f"unresolvedtablespec(Some({t.provider}), optionlist(), None, None, None, None, false)"
        return [*([f"[{', '.join(by)}]"] if by else []), specification, str(self.if_not_exists).lower(), "false"]


@node
class WriteFiles(UnaryCommand):
    """Write the rows of every partition, sorted as the folders and buckets want them (since Spark 3.4)."""

    child: LogicalPlan
    simple_string = always("WriteFiles")


def bucket_words(buckets: Buckets) -> str:
    """8 buckets, bucket columns: [id], sort columns: [name]."""
    by = f", sort columns: [{', '.join(buckets.sorted_by)}]" if buckets.sorted_by else ""
    return f"{buckets.number} buckets, bucket columns: [{', '.join(buckets.columns)}]{by}"
