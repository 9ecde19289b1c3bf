"""A statement of a script, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planviz.catalog.tables import Buckets
from planviz.errors import ParseError
from planviz.expressions.core import Expression
from planviz.frontend.commands import Command
from planviz.logical.plan import LogicalPlan
from planviz.types import StructField

#: What is said of a query whose rows are written.
WRITTEN = (
    "The plan is that of the query whose rows are written. Spark has the write above it, and may sort the rows by the "
    "partitions that they go to."
)
#: What is said of the plan of CREATE TABLE ... AS.
CREATED = (
    "The plan is what Spark runs once the table is made. EXPLAIN of CREATE TABLE AS ends at the analyzed query, as "
    "CreateDataSourceTableAsSelectCommand, and does not show it."
)
#: What is said of the rows that a statement changes.
CHANGED = {
    "MERGE": (
        "The plan is that of the join of target and source that MERGE begins with, as Spark makes it for tables that "
        "take changed rows (RewriteMergeIntoTable). How the rows are written the table's format says: Delta joins "
        "twice, the first time to find the files."
    ),
    "UPDATE": (
        "The plan is that of the rows that UPDATE changes, with their new values. How they are written the table's "
        "format says: many write anew the files that hold such a row."
    ),
    "DELETE": (
        "The plan is that of the rows that DELETE removes. How that is done the table's format says: many write anew "
        "the files that hold such a row."
    ),
}
#: What a statement is; "explain" is EXPLAIN before another one than a query, whose `plan` is what that would ask for or
#: write and which itself is not carried out, "unsupported" is what changes nothing that a plan depends on.
StatementKind = Literal[
    "query",
    "explain",
    "create_table",
    "create_view",
    "create_function",
    "drop",
    "drop_function",
    "drop_variable",
    "declare",
    "set",
    "set_variable",
    "execute",
    "insert",
    "analyze",
    "cache",
    "uncache",
    "clear_cache",
    "unsupported",
]


@dataclass(frozen=True)
class Statement:
    """One statement of a script.

    `plan` is the query's (also of CREATE ... AS and CACHE ... AS, of values for variables, whose names stand in
    `name`), `name` the object's parts,
    `columns` a table's or the names that a view gives its columns, `partition_columns`, `buckets` and `provider` as
    written, `options` a setting's key and value or the options of CACHE, `sql` the text, `start` its offset, `words`
    what an object is (TEMPORARY, REPLACE, ...), IF EXISTS, LAZY, or
    the statement's first words, `notes` what was passed over, `error` why it could not be read, or None, `command` what
    a command is about.
    """

    kind: StatementKind
    sql: str
    start: int
    plan: LogicalPlan | None = None
    name: tuple[str, ...] = ()
    columns: tuple[StructField, ...] = ()
    partition_columns: tuple[str, ...] = ()
    provider: str = "parquet"
    options: tuple[tuple[str, str], ...] = ()
    words: str = ""
    notes: tuple[str, ...] = ()
    error: ParseError | None = None
    buckets: Buckets | None = None
    command: Command | None = None
    #: What columns of a new table have where nothing is given: the column and its expression.
    defaults: tuple[tuple[StructField, Expression], ...] = ()
    #: Whether it stands between BEGIN and END.
    in_block: bool = False

    @property
    def written(self) -> LogicalPlan | None:
        """The query whose rows the statement writes to a table: that of INSERT and of CREATE TABLE AS; else None."""
        if self.kind == "create_table" and "LIKE" not in self.words:
            return self.plan
        return self.command.plan if self.command is not None and self.command.verb == "INSERT" else None

    @property
    def changed(self) -> LogicalPlan | None:
        """The query for the rows that UPDATE, DELETE or MERGE changes; else None."""
        return self.command.changed if self.command is not None else None

    @property
    def remark(self) -> str:
        """What is said of the plan of what it writes or changes; "" where it does neither."""
        if self.command is not None and self.changed is not None:
            return CHANGED[self.command.verb]
        return WRITTEN if self.written is not None else ""

    @property
    def read(self) -> tuple[LogicalPlan, ...]:
        """Every query in the statement: what tables are guessed from."""
        plans = (self.written if self.plan is None else self.plan, self.changed)
        return (*(p for p in plans if p is not None), *(self.command.parts if self.command is not None else ()))
