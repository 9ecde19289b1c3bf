"""Expressions of Spark before 3.2 where they differ in their text alone."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from planviz.expressions.casts import Cast
from planviz.expressions.core import Expression, Literal
from planviz.expressions.predicates import InSet
from planviz.trees.node import node
from planviz.types import CALENDAR_INTERVAL, DayTimeIntervalType, YearMonthIntervalType

_EPOCH = datetime(1970, 1, 1)
_DAY = 86_400_000_000


@node
class StoredLiteral(Literal):
    """A date or a moment that a plan shows as Spark stores it: days or microseconds since 1970.

    Wrong for a TIMESTAMP where the session's time zone is not UTC: the value is the session's wall clock.
    """

    def to_string(self) -> str:
        """The number."""
        if isinstance(self.value, datetime):
            return str((self.value - _EPOCH) // timedelta(microseconds=1))
        return str((self.value - _EPOCH.date()).days)


@node
class HashedInSet(InSet):
    """child INSET (a,b): the values stand as they lie in Scala's hash set, which whoever makes this says."""

    def to_string(self) -> str:
        """child INSET (a,b)."""
        return f"{self.child} INSET ({','.join(map(str, self.values))})"


def stored(e: Expression) -> Expression:
    """The literal of a date or a moment as it was shown before 3.2; any other expression as it is."""
    if type(e) is Literal and isinstance(e.value, date):
        return StoredLiteral(e.value, e.type)
    return e


def as_stored(expressions: tuple[Expression, ...]) -> tuple[Expression, ...]:
    """The expressions with every date and moment in them shown so."""
    return tuple(e.transform_up(stored, Literal.BIT) for e in expressions)


def untyped_interval(e: Expression) -> Expression:
    """INTERVAL 30 DAYS as months, days and microseconds in one type, the only one before 3.2."""
    if not isinstance(e, Literal) or e.value is None:
        return e
    if isinstance(e.type, YearMonthIntervalType):
        return e.rebuilt(Literal((e.value, 0, 0), CALENDAR_INTERVAL))
    if isinstance(e.type, DayTimeIntervalType):
        # Hours that a text gives in a unit of their own are no days, however many.
        days = int(e.value / _DAY) if e.type.start == 0 else 0
        return e.rebuilt(Literal((0, days, e.value - days * _DAY), CALENDAR_INTERVAL))
    return e


def with_shown_casts(e: Expression) -> Expression:
    """The expression with every inserted cast as if it were written, for a name that shows them all."""

    def step(x: Expression) -> Expression:
        return x.replace(user_specified=True) if isinstance(x, Cast) and not x.user_specified else x

    return e.transform_up(step, Cast.BIT)
