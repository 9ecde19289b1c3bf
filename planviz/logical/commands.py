"""Commands whose rows a program reads: SHOW, DESCRIBE, SET. Spark runs them at once and keeps what they gave."""

from __future__ import annotations

from planviz.expressions.core import AttributeReference, Expression
from planviz.logical.plan import LogicalPlan, Source, bracketed
from planviz.trees.node import Held, always, lazy, node


@node
class CommandText(LogicalPlan):
    """A command, or what it is about, as a plan prints it."""

    text: str
    inputs: tuple[LogicalPlan, ...] = ()

    @lazy
    def expressions(self) -> tuple[Expression, ...]:
        """None: the line stays as it stands."""
        return ()

    resolved = always(True)

    @lazy
    def simple_string(self) -> str:
        """The line."""
        return self.text


@node
class CommandResult(Source):
    """The rows that a command gave (Spark: CommandResult), which nobody knows here.

    `physical` is how the operator of the command is called, `command` the command beneath.
    """

    attributes: tuple[AttributeReference, ...]
    physical: str
    command: Held[LogicalPlan]
    executed: bool = True

    @property
    def inner_children(self) -> tuple[LogicalPlan, ...]:
        """The command."""
        return (self.command,)

    def arguments(self) -> list[str]:
        """[columns], what ran."""
        return [bracketed(self.attributes), self.physical]
