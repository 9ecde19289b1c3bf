"""What planviz says when it cannot go on.

    PlanvizError                 everything planviz raises on purpose; its text is fit for a user
    ├── InputError               the text or file handed in cannot be used
    │   ├── NotAPlan             nothing in the text looks like a plan, a log or a query
    │   ├── InputTooLarge        more text than planviz opens
    │   ├── ParseError           SQL that does not follow the grammar
    │   └── AnalysisError        SQL that names what is not there, or whose types do not fit
    ├── SparkError               a live Spark could not do what it was asked for
    │   ├── SparkMissing         PySpark or Java is not there
    │   ├── SparkUnreachable     no Spark answers at the address
    │   ├── SparkLost            Spark ended, or stopped answering, while it worked
    │   └── StatementRefused     SQL that planviz does not give to a live Spark
    ├── StoreError               the library of saved documents cannot be read or written
    ├── ExportError              a picture or file cannot be made as asked
    ├── PlanTooLarge             a plan grew past what planviz works on
    ├── LimitExceeded            work took more time or memory than it was given, and was stopped
    └── InternalError            a defect of planviz itself

Every message says what was wrong, where (line and column when known) and what to do about it.
"""

from __future__ import annotations

from copy import copy
from decimal import Decimal
from typing import Self

#: How many characters a message shows of one value, and how many it has at most.
VALUE = 200
MESSAGE = 8_000


def shown(value: object) -> str:
    """A value as a message shows it: a number without an exponent where that is short, a long text cut."""
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) < VALUE:
        return cut(f"{value:f}", VALUE)
    if isinstance(value, int) and value.bit_length() > 4 * VALUE:
        return f"a number of about {int(value.bit_length() * 0.30103):,} digits"
    return cut(str(value), VALUE)


def cut(text: str, most: int) -> str:
    """The text, without its middle where it has more than `most` characters."""
    if len(text) <= most:
        return text
    return f"{text[: most * 2 // 3]}… ({len(text):,} characters) …{text[-most // 4 :]}"


class PlanvizError(Exception):
    """Base of all errors meant for a user: `str(error)` is one clear sentence or a few, never a text without end."""

    def __init__(self, message: str = "") -> None:
        super().__init__(cut(message, MESSAGE))

    def __reduce__(self) -> tuple[object, ...]:
        # Subclasses make their message of other arguments; between processes goes what came of them.
        return _again, (type(self), self.args, self.__dict__)


def _again(kind: type[PlanvizError], args: tuple[object, ...], values: dict[str, object]) -> PlanvizError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(values)
    return error


class InputError(PlanvizError):
    """The input cannot be used.

    `line` and `column` count from 1 and are None when the place is not known.
    """

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column

    def placed(self, line: int, column: int) -> Self:
        """The same with a place in its message; itself where it has one."""
        if self.line is not None:
            return self
        other = copy(self)
        other.args, other.line, other.column = (f"{self}{_place(line, column)}",), line, column
        return other


class NotAPlan(InputError):
    """Nothing in the text was recognised; the message says what was expected and where it stopped making sense."""


class InputTooLarge(InputError):
    """The text is larger than planviz opens."""


class ParseError(InputError):
    """SQL text that cannot be read. `error_class` is Spark's name for the mistake where it has one."""

    def __init__(self, error_class: str, message: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(f"[{error_class}] {message}{_place(line, column)}", line=line, column=column)
        self.error_class = error_class


class AnalysisError(InputError):
    """A query that reads well but cannot be planned. `error_class` is Spark's name for the mistake."""

    def __init__(self, error_class: str, message: str, *, line: int | None = None, column: int | None = None) -> None:
        super().__init__(f"[{error_class}] {message}{_place(line, column)}", line=line, column=column)
        self.error_class = error_class


def _place(line: int | None, column: int | None) -> str:
    return "" if line is None else f" (line {line}, column {column})"


class SparkError(PlanvizError):
    """A live Spark could not do what it was asked for."""


class SparkMissing(SparkError):
    """PySpark or Java is not there; the message says how to get it."""


class SparkUnreachable(SparkError):
    """No Spark answers at the address."""


class SparkLost(SparkError):
    """Spark ended, or stopped answering, while it worked; the next call starts another one."""


class StatementRefused(SparkError):
    """SQL that planviz does not give to a live Spark, because more than a plan would come of it."""


class StoreError(PlanvizError):
    """The library of saved documents cannot be read or written."""


class ExportError(PlanvizError):
    """A picture or a file cannot be written as asked."""


class PlanTooLarge(PlanvizError):
    """A plan grew past what planviz works on; the message names the rule and the way out."""


class LimitExceeded(PlanvizError):
    """Work was stopped because it took more time or memory than it was given; the message says where it was."""


class InternalError(PlanvizError):
    """A defect of planviz itself: something failed that no input should make fail; the message asks to report it."""


def defect(where: str, error: Exception) -> PlanvizError:
    """The error for a failure nobody foresaw; `where` is what was being done. Too little memory is no defect."""
    if isinstance(error, MemoryError):
        return LimitExceeded(f"{where} took more memory than there is, and was stopped. Make the text smaller.")
    return InternalError(
        f"{where} failed with {type(error).__name__}: {error}. This is a defect of planviz, not of your query; please "
        "report it together with the query. A simpler form of the query may work."
    )
