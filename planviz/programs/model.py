"""What reading a program gives: its actions with their plans, the error that would end it, what was not understood."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from planviz.errors import PlanvizError
from planviz.programs.values import Place
from planviz.trees.node import TreeNode

if TYPE_CHECKING:
    from planviz.execution import QueryExecution
    from planviz.programs.sharing import SharedPlan


@dataclass(frozen=True)
class Action:
    """A call that would run a query: its name (`show`, `write.parquet`), where it stands, and the query.

    `error` is what stopped the planning of the query, `text` the source of the statement. `after_error` says that the
    program would have ended before it, `variant` the condition on which it is reached where nobody can know.
    """

    name: str
    place: Place
    execution: QueryExecution
    text: str = ""
    error: PlanvizError | None = None
    after_error: bool = False
    variant: str = ""


@dataclass(frozen=True)
class ProgramError:
    """The error at which the program ends: Spark's condition or Python's type, its message, where."""

    condition: str
    message: str
    place: Place


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

    def place_of(self, node: Any) -> Place | None:
        """Where in the program an operator or expression was made; None where nobody knows."""
        origin = _origin(node)
        if origin is None:
            return None
        text, at = origin
        if text is not self.text:
            # SQL in a text of the program: at the place of that text, where it stands there as it is.
            begin = self.text.find(text) if text.strip() else -1
            if begin < 0:
                return None
            at += begin
        line = self.text.count("\n", 0, at)
        return Place(line + 1, at - (self.text.rfind("\n", 0, at) + 1) + 1)


def _origin(node: Any) -> tuple[str, int] | None:
    """The text that a node comes from and the character there; of what rules made, that of the nearest beneath."""
    origin, link = node.origin, node
    # A physical operator comes from a logical one, and that from the text.
    while isinstance(origin, TreeNode):
        origin, link = origin.origin, origin
    if origin is None and link is not node:
        origin = next((n.origin for n in link.walk() if isinstance(n.origin, tuple)), None)
    # An exchange's own `origin` is the reason for which it is there.
    if not isinstance(origin, tuple) or not isinstance(origin[1], int):
        return None
    return origin[0], origin[1]
