"""What changes the way through a program while it is read: errors of the program, jumps, limits."""

from __future__ import annotations

from planviz.errors import PlanvizError
from planviz.programs.values import ErrorValue, Place


class Raised(Exception):
    """An exception that the program would meet. `condition` is Spark's name for it, or Python's type."""

    def __init__(self, value: ErrorValue, condition: str = "", cause: PlanvizError | None = None) -> None:
        super().__init__(value.name)
        self.value = value
        self.condition = condition or value.name
        self.cause = cause
        self.place: Place | None = None
        #: The program raised it itself with `raise`.
        self.own = False


def raised(name: str, message: str, condition: str = "") -> Raised:
    """An exception of Python or PySpark by its class's name."""
    return Raised(ErrorValue(name, (message,)), condition)


class Returned(Exception):
    """`return` within a function."""

    def __init__(self, value: object) -> None:
        super().__init__()
        self.value = value


class Broken(Exception):
    """`break` within a loop."""


class Continued(Exception):
    """`continue` within a loop."""


class Ended(Exception):
    """The program ends here: sys.exit() and its like, on a way that is surely taken."""


class LimitReached(Exception):
    """Reading stops: too many steps, or values grow too large. `line` is that of the statement, 0 until it is known."""

    line = 0
