"""Why a value is not computed."""

from __future__ import annotations


class UnknownValueError(Exception):
    """The value cannot be computed here: a function that is not modelled."""


class FailsError(UnknownValueError):
    """The query itself would fail on this value: an overflow, a bad cast, a division by zero.

    `error_class` is Spark's name for the failure, empty where it is not certain that Spark fails in this way.
    """

    def __init__(self, message: str, error_class: str = "") -> None:
        super().__init__(message)
        self.error_class = error_class


class WrongPatternError(FailsError):
    """A pattern that Spark refuses whatever is read by it: with ANSI off and within `try_` functions, too."""
