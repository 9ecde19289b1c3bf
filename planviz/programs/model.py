"""What reading a program gives: its actions with their plans, the error that would end it, what was not understood."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from planviz.errors import AnalysisError, PlanvizError
from planviz.logical.writes import RunnableCommand
from planviz.programs.values import Place
from planviz.trees.origin import origin_of

#: Actions that make Spark plan the query where they stand.
_RUNNING = frozenset(
    ["show", "explain", "collect", "count", "first", "head", "take", "tail", "isEmpty", "toPandas", "toArrow",
     "toLocalIterator", "foreach", "foreachPartition", "display"]
)  # fmt: skip

if TYPE_CHECKING:
    from planviz.execution import QueryExecution
    from planviz.programs.sharing import SharedPlan


@dataclass(frozen=True)
class Action:
    """A call that would run a query: its name (`show`, `write.parquet`), where it stands, and the query.

    `text` is the source of the statement. `after_error` says that the program would have ended before it, `variant` the
    condition on which it is reached where nobody can know. The query is planned when somebody looks. `run` is the query
    that the action makes of that of its DataFrame, as `count` and `head` do; None where it runs that one. `command` is
    what a write runs, where that is known.
    """

    name: str
    place: Place
    execution: QueryExecution
    text: str = ""
    after_error: bool = False
    variant: str = ""
    run: QueryExecution | None = None
    command: QueryExecution | None = None

    @property
    def query(self) -> QueryExecution:
        """The query that Spark plans and runs for the action: of a write the command over it, where that shows it."""
        return self.run or self._shown_command or self.execution

    @cached_property
    def _shown_command(self) -> QueryExecution | None:
        command = self.command
        if command is None or isinstance(command.parsed, RunnableCommand):
            return None
        return command if command.error_until("physical") is None else None

    @property
    def runs(self) -> QueryExecution | None:
        """What the action runs beside the query of its DataFrame, where that can be planned."""
        ran = self.run or self.command
        return None if ran is None or ran.error_until("physical") is not None else ran

    @cached_property
    def error(self) -> PlanvizError | None:
        """What stops the planning of the query."""
        return self.query.error_until("physical")


@dataclass(frozen=True)
class ProgramError:
    """The error at which the program ends: Spark's condition or Python's type, its message, where."""

    condition: str
    message: str
    place: Place


def _runs(name: str) -> bool:
    return name in _RUNNING or name.startswith("write.")


@dataclass
class Program:
    """A program that was read.

    `not_understood` holds lines (from 1) and what of them is not known or was passed over; `notes` are sentences about
    the whole program (tables that were guessed).
    """

    text: str
    actions: list[Action] = field(default_factory=list)
    error: ProgramError | None = None
    not_understood: list[tuple[int, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    #: PySpark or Scala.
    language: str = "PySpark"
    #: What several actions compute again, what saves most first.
    shared: list[SharedPlan] = field(default_factory=list)

    def ends(self) -> ProgramError | None:
        """The error at which the program ends: that of its reading, or before it that of an action whose query Spark
        cannot optimize, as where a constant cannot be computed. Plans the actions before it."""
        for action in self.actions:
            # Where a type is only guessed, so is the cast of a constant to it.
            if action.after_error or action.variant or action.execution.reads_guesses or not _runs(action.name):
                continue
            if isinstance(action.error, AnalysisError):
                return ProgramError(action.error.error_class, str(action.error), action.place)
        return self.error

    def position_of(self, node: object) -> tuple[int, int] | None:
        """The same as `place_of`, as line and column."""
        place = self.place_of(node)
        return None if place is None else (place.line, place.column)

    def place_of(self, node: Any) -> Place | None:
        """Where in the program an operator or expression was made; None where nobody knows."""
        origin = origin_of(node)
        if origin is None:
            return None
        text, at = origin
        if text is not self.text:
            # SQL in a text of the program: at the place of that text, where it stands there as it is.
            begin = self.text.find(text) if text.strip() else -1
            if begin < 0:
                return None
            at += begin
        line = bisect_right(self._line_starts, at)
        return Place(line, at - self._line_starts[line - 1] + 1)

    @cached_property
    def _line_starts(self) -> list[int]:
        """Where the lines of the text begin: every operator of every plan asks."""
        return [0, *(found.end() for found in re.finditer("\n", self.text))]
