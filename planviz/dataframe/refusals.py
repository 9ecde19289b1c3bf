"""What PySpark itself refuses before Spark sees it: the exceptions of its own, of Python and of the JVM's `require`.

`python_type` is the class that a program would catch; the condition is Spark's where the exception has one.
"""

from __future__ import annotations

from planviz.errors import AnalysisError, InputError


class IllegalArgument(InputError):
    """A value that a method of Spark does not take (Java's IllegalArgumentException)."""

    python_type = "IllegalArgumentException"


class NoSuchMethod(InputError):
    """Arguments for which Java has no method (py4j's Py4JError)."""

    python_type = "Py4JError"


class NotAsserted(InputError):
    """An assertion of PySpark that does not hold."""

    python_type = "AssertionError"


class BadCall(InputError):
    """A function is called with other arguments than it has parameters."""

    python_type = "TypeError"


class UnexpectedType(AnalysisError):
    """An argument of another type than PySpark takes (NOT_EXPECTED_TYPE)."""

    python_type = "PySparkTypeError"

    def __init__(self, argument: str, expected: str, value: object) -> None:
        given = type(value).__name__
        super().__init__("NOT_EXPECTED_TYPE", f"Argument `{argument}` should be {expected}, got {given}.")


class UnrecognizedStatistic(AnalysisError):
    """A statistic that `summary` does not know (UNRECOGNIZED_STATISTIC)."""

    python_type = "IllegalArgumentException"

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        shown = ", ".join(f"`{k}`" for k in known)
        told = f"The statistic '{name}' is not recognized. Valid statistics include {shown}, and percentiles."
        super().__init__("UNRECOGNIZED_STATISTIC", told)


class BadValue(AnalysisError):
    """A value that PySpark refuses by a condition of its own."""

    def __init__(self, error_class: str, message: str, python_type: str = "PySparkValueError") -> None:
        super().__init__(error_class, message)
        self.python_type = python_type


def not_iterable() -> BadValue:
    """The error for a column where PySpark hands a text to Java."""
    return BadValue("NOT_ITERABLE", "Column is not iterable.", "PySparkTypeError")


class BadIndex(AnalysisError):
    """A place at which no column stands."""

    python_type = "PySparkIndexError"


class BadRows(AnalysisError):
    """Rows of a program of which no DataFrame can be made."""

    def __init__(self, error_class: str, message: str, python_type: str = "PySparkValueError") -> None:
        super().__init__(error_class, message)
        self.python_type = python_type
