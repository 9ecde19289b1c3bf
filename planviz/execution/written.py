"""What the statements of a script write to tables: the command over the query, and how much it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from planviz.analysis.writes import folder_of
from planviz.catalog.ddl import table_of
from planviz.catalog.tables import Table
from planviz.errors import PlanvizError
from planviz.estimation import Estimator
from planviz.execution.query import QueryExecution
from planviz.expressions.core import AttributeReference
from planviz.frontend import Statement
from planviz.frontend.commands import Command
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import UnresolvedRelation
from planviz.logical.writes import CreateTableAsSelect, InsertIntoStatement, UnaryCommand
from planviz.types import STRING, StructField
from planviz.versions import Behaviour

#: What the name of a table that is inserted into says of rights.
_PRIVILEGES = "__required_write_privileges__"
#: What is estimated to be more than this comes from tables of which no size is known.
_LARGEST = 1 << 50


#: About how many bytes an empty file of columns has, and each column of it more.
_FILE, _COLUMN = 300, 150


def insertion(c: Command, table: Table, query: LogicalPlan, known: Behaviour) -> InsertIntoStatement:
    """INSERT into a table over its query, as a version of this behaviour prints it."""
    overwrite = "OVERWRITE" in c.flags
    rights = f"{_PRIVILEGES}={'INSERT,DELETE' if overwrite else 'INSERT'}"
    relation = UnresolvedRelation(c.name, (rights,) if known.inserts_tell_privileges else ())
    columns = tuple(f.name for f in c.columns)
    flags = (overwrite, "IF NOT EXISTS" in c.flags, "BY NAME" in c.flags)
    return InsertIntoStatement(relation, c.partition, columns, *flags, known.insert_flags, query, table)


def creation(s: Statement, table: Table, query: LogicalPlan) -> CreateTableAsSelect:
    """CREATE TABLE ... AS over its query, of a table as the statement makes it."""
    layout = (table.provider, table.partition_columns, table.buckets)
    return CreateTableAsSelect(folder_of(table), *layout, "IF NOT EXISTS" in s.words, query)


def guessed_target(c: Command, given: Sequence[AttributeReference], current: str) -> Table | None:
    """A table that nobody describes, as PARTITION and the columns of the query that is inserted have it.

    Its columns have the names behind the table or else the query's; what PARTITION leaves to the query stands last in
    it. `current` is the database of a name without one. None where two columns would have one name, or PARTITION
    or the names ask for other columns than the query gives.
    """
    moving = [name for name, value in c.partition if value is None]
    if len(moving) > len(given) or len(c.columns) not in (0, len(given)):
        return None
    names = [f.name for f in c.columns] or [a.name for a in given]
    columns = [StructField(name, a.type) for name, a in zip(names, given, strict=True)]
    own = columns[: len(columns) - len(moving)]
    last = {name: replace(f, name=name) for f, name in zip(columns[len(own) :], moving, strict=False)}
    # Those with a value stand before those that the query gives.
    names = [*c.statics, *moving]
    by = [last.get(name, StructField(name, STRING)) for name in names]
    if len({f.name.lower() for f in (*own, *by)}) < len(own) + len(by):
        return None
    return table_of(c.name, (*own, *by), "parquet", tuple(f.name for f in by), None, current)


def written_size(execution: QueryExecution, table: Table) -> int | None:
    """The bytes that the rows of a query take in a table's files; None where they are not known.

    Estimated from the optimized plan: Spark goes by the size of the files, which nobody knows without writing them.
    """
    try:
        query = execution.optimized
        while isinstance(query, UnaryCommand):
            query = query.child
        size = Estimator(execution.config).size_in_bytes(query)
    except PlanvizError:
        return None
    if size > _LARGEST:
        return None
    return size + about_files(table.provider, len(table.columns))


def about_files(provider: str, columns: int) -> int:
    """The bytes of files of so many columns beside their values."""
    return _FILE + _COLUMN * columns if provider in ("parquet", "orc") else 0
