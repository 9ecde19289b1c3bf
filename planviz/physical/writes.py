"""Operators that write the rows of a query (Spark: DataWritingCommandExec, WriteFilesExec, ExecutedCommandExec)."""

from __future__ import annotations

from planviz.expressions.subqueries import QueryPlan
from planviz.logical.plan import LogicalPlan
from planviz.logical.writes import RunnableCommand
from planviz.physical.plan import LeafExec, SparkPlan, UnaryExec
from planviz.trees.node import Held, always, lazy, node


@node
class DataWritingCommandExec(UnaryExec):
    """Runs a command that writes what its child gives."""

    command: Held[LogicalPlan]
    child: SparkPlan

    expressions = always(())
    output = always(())

    @property
    def node_name(self) -> str:
        """Execute and the command's name."""
        return f"Execute {self.command.node_name}"

    @lazy
    def simple_string(self) -> str:
        """Execute and the command's line."""
        return f"Execute {self.command.simple_string.lstrip('!')}"


@node
class WriteFilesExec(UnaryExec):
    """Writes files in every task."""

    child: SparkPlan
    output = always(())


@node
class ExecutedCommandExec(LeafExec):
    """Runs a command that has its query to itself."""

    command: Held[RunnableCommand]

    @property
    def node_name(self) -> str:
        """Execute and the command's name."""
        return f"Execute {self.command.node_name}"

    @lazy
    def simple_string(self) -> str:
        """Without arguments: the command is printed beneath."""
        return self.node_name

    @property
    def inner_children(self) -> tuple[QueryPlan, ...]:
        """The command."""
        return (self.command,)
