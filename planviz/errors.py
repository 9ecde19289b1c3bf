"""What planviz says when it cannot go on.

    PlanvizError                 everything planviz raises on purpose; its text is fit for a user
    ├── InputError               the text or file handed in cannot be used
    │   ├── NotAPlan             nothing in the text looks like a plan, a log or a query
    │   └── InputTooLarge        more text than planviz opens
    └── ExportError              a picture or file cannot be made as asked

Every message says what was wrong, where (line and column when known) and what to do about it.
"""

from __future__ import annotations


class PlanvizError(Exception):
    """Base of all errors meant for a user: `str(error)` is one clear sentence or a few."""


class InputError(PlanvizError):
    """The input cannot be used.

    `line` and `column` count from 1 and are None when the place is not known.
    """

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class NotAPlan(InputError):
    """Nothing in the text was recognised; the message says what was expected and where it stopped making sense."""


class InputTooLarge(InputError):
    """The text is larger than planviz opens."""


class ExportError(PlanvizError):
    """A picture or a file cannot be written as asked."""
