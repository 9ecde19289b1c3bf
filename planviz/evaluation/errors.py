"""Why a value is not computed."""

from __future__ import annotations

from planviz.expressions.core import Expression


class UnknownValueError(Exception):
    """The value cannot be computed here: a function that is not modelled."""


class FailsError(UnknownValueError):
    """The query itself would fail on this value: an overflow, a bad cast, a division by zero.

    `error_class` is Spark's name for the failure, empty where it is not certain that Spark fails in this way; `at` is
    the expression that failed, None where it is not known.
    """

    def __init__(self, message: str, error_class: str = "") -> None:
        super().__init__(message)
        self.error_class = error_class
        self.at: Expression | None = None


class AlwaysFailsError(FailsError):
    """What fails with ANSI off and within `try_` functions, too."""


class WrongPatternError(AlwaysFailsError):
    """A pattern that Spark refuses whatever is read by it: with ANSI off and within `try_` functions, too."""


def place_of(root: Expression, failed: FailsError) -> Expression:
    """What an expression that fails is to be found by: what failed in it, or the nearest around that with a place."""
    return _placed(root, failed) or root


def holds(root: Expression, failed: FailsError) -> bool:
    """Whether what failed is in the expression."""
    return _placed(root, failed) is not None


def _placed(root: Expression, failed: FailsError) -> Expression | None:
    """Of the path from an expression to what failed in it the last with a place; None where it is not in it."""
    # Parts that are shared are looked at once.
    stack, seen = [(root, root)], {id(root)}
    while stack and failed.at is not None:
        e, placed = stack.pop()
        placed = e if e.origin is not None else placed
        if e is failed.at:
            return placed
        fresh = [c for c in e.children if id(c) not in seen]
        seen.update(map(id, fresh))
        stack.extend((c, placed) for c in fresh)
    return None
