"""Operators that write files (Spark: DataWritingCommandExec, WriteFilesExec)."""

from __future__ import annotations

from planviz.logical.plan import LogicalPlan
from planviz.physical.plan import SparkPlan, UnaryExec
from planviz.trees.node import Held, always, lazy, node


@node
class DataWritingCommandExec(UnaryExec):
    """Carries out a command that writes the rows of its input."""

    command: Held[LogicalPlan]
    child: SparkPlan
    output = always(())

    @property
    def node_name(self) -> str:
        """Execute, and the command's name."""
        return f"Execute {self.command.node_name}"

    @lazy
    def simple_string(self) -> str:
        """Execute InsertIntoHadoopFsRelationCommand file:/t, false, Parquet, ..."""
        return f"Execute {self.command.simple_string.removeprefix('!')}"


@node
class WriteFilesExec(UnaryExec):
    """Writes the rows of every partition as files."""

    child: SparkPlan
    output = always(())
    simple_string = always("WriteFiles")

    @property
    def node_name(self) -> str:
        """Without Exec."""
        return "WriteFiles"
