"""The commands that PySpark's writers run, as Spark plans them (DataFrameWriter.saveToV1Source)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from planviz.catalog.tables import Table
from planviz.expressions.core import AttributeReference
from planviz.logical.operators import Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import UnresolvedRelation
from planviz.logical.writes import (
    SOURCES,
    InsertIntoHadoopFsRelationCommand,
    InsertIntoStatement,
    NoopWrite,
    RunnableCommand,
)
from planviz.types import StructField

if TYPE_CHECKING:
    from planviz.dataframe.base import Frame
    from planviz.dataframe.writers import DataFrameWriter

#: The modes of a writer by the words for them.
MODES = {
    "append": "Append", "overwrite": "Overwrite", "ignore": "Ignore",
    "error": "ErrorIfExists", "errorifexists": "ErrorIfExists", "default": "ErrorIfExists",
}  # fmt: skip
#: What writes into nothing, by the mode.
_NOOP = {"append": "AppendData", "overwrite": "OverwriteByExpression"}
#: Options whose values Spark does not print (spark.sql.redaction.options.regex, spark.redaction.regex).
_SECRET = re.compile(r"(?i)url|secret|password|token|access[.]?key")
_REDACTED = "*********(redacted)"


def files_command(writer: DataFrameWriter, path: object) -> LogicalPlan | None:
    """What writes a DataFrame into the files of a folder; None where that is for another source to say."""
    layout, frame = writer.layout, writer.frame
    if layout.provider == "noop" and writer.save_mode in _NOOP and frame.session.config.behaviour.noop_write:
        return NoopWrite(_NOOP[writer.save_mode], frame.plan)
    source, mode = SOURCES.get(layout.provider), MODES.get(writer.save_mode)
    if source is None or mode is None or path is None or layout.buckets is not None:
        return None
    partitions = _columns(frame, layout.partitions)
    if partitions is None:
        return None
    options = {k: v for k, v in writer.options_given.items() if k.lower() != "path"}
    if layout.partitions:
        options["__partition_columns"] = json.dumps(list(layout.partitions), separators=(",", ":"))
    options["path"] = str(path)
    return InsertIntoHadoopFsRelationCommand(
        _qualified(str(path)), partitions, source, _shown(options), mode, "", tuple(frame.columns), frame.plan
    )


def columns_in_order(table: Table) -> list[StructField]:
    """A table's columns as queries into it have them: those that make its folders come last."""
    folders = {name.lower() for name in table.partition_columns}
    return sorted(table.columns, key=lambda c: c.name.lower() in folders)


def insert_command(frame: Frame, table: Table, overwrite: bool) -> LogicalPlan | None:
    """What writes a DataFrame into a table, column by column in the table's order; None where it is no table of files.

    Values are cast as the table's columns ask.
    """
    known = frame.session.config.behaviour
    of_files = table.provider in SOURCES and not table.guessed and known.writes_are_planned
    if not of_files or len(frame.output) != len(table.columns) or columns_in_order(table) != list(table.columns):
        return None
    relation = UnresolvedRelation(table.qualified)
    return InsertIntoStatement(relation, (), (), overwrite, False, False, known.insert_flags, frame.plan)


def table_command(writer: DataFrameWriter, name: str) -> LogicalPlan | None:
    """What writes a DataFrame as a table, a command that runs others; None where that is for another source to say."""
    frame, mode = writer.frame, MODES.get(writer.save_mode)
    known = frame.session.config.behaviour
    if writer.layout.provider not in SOURCES or mode is None or not known.writes_are_planned:
        return None
    parts = name.split(".")
    if known.tables_are_saved_by_a_command:
        shown = ".".join(f"`{p}`" for p in parts)
        details = f"{shown}, {mode}, {frame.plan.simple_string}"
        return RunnableCommand("SaveAsV1TableCommand", details, frame.plan)
    folders = [n.lower() for n in writer.layout.partitions]
    columns = [a for a in frame.output if a.name.lower() not in folders]
    last = _columns(frame, writer.layout.partitions)
    if last is None:
        return None
    query = frame.plan if not last else Project((*columns, *last), frame.plan)
    whole = parts if len(parts) > 1 else [frame.session.catalog.current, *parts]
    whole = whole if len(whole) > 2 else ["spark_catalog", *whole]
    names = ", ".join(a.name for a in query.output)
    details = f"{'.'.join(f'`{p}`' for p in whole)}, {mode}, [{names}]"
    return RunnableCommand("CreateDataSourceTableAsSelectCommand", details, query, True)


def _columns(frame: Frame, names: tuple[str, ...]) -> tuple[AttributeReference, ...] | None:
    same = str if frame.session.config.case_sensitive else str.lower
    known = {same(a.name): a for a in frame.output}
    found = [known.get(same(n)) for n in names]
    return tuple(a for a in found if a is not None) if all(a is not None for a in found) else None


def _qualified(path: str) -> str:
    """A path with its scheme; without one it is of this machine, below the folder where the program runs."""
    if re.match(r"[A-Za-z][\w+.-]*:", path) or path.startswith("<"):
        return re.sub(r"^file:/*", "file:/", path).rstrip("/")
    return f"file:/{path.lstrip('/')}".rstrip("/")


def _shown(options: dict[str, str]) -> str:
    return ", ".join(f"{k}={_REDACTED if _SECRET.search(k) else v}" for k, v in options.items())
