"""window(...) and session_window(...): intervals of time by which rows are grouped."""

from __future__ import annotations

from planviz.expressions.casts import Cast
from planviz.expressions.core import Expression, Literal
from planviz.expressions.unresolved import SessionWindow, TimeWindow
from planviz.frontend.errors import analysis_error
from planviz.frontend.literals import Refused, interval_text
from planviz.functions.builders.base import Args, Entry
from planviz.types import (
    CALENDAR_INTERVAL,
    DATE,
    INT,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    UNKNOWN,
    YearMonthIntervalType,
)


def _duration(e: Expression) -> int:
    """A constant duration in microseconds."""
    value = e
    if isinstance(e, Literal) and isinstance(e.value, str):
        found = interval_text(e.value)
        if isinstance(found, Refused):
            raise analysis_error("CANNOT_PARSE_INTERVAL", f"Unable to parse '{e.value}' as an interval.", e)
        value = found
    if isinstance(value, Literal) and isinstance(value.type, YearMonthIntervalType):
        raise analysis_error("_LEGACY_ERROR_TEMP_3231", "Intervals greater than a month are not supported.", e)
    written = value is not e or value.data_type in (INT, LONG)
    if isinstance(value, Literal) and isinstance(value.value, int) and written:
        return value.value
    raise analysis_error(
        "_LEGACY_ERROR_TEMP_1207",
        "The duration and time inputs to window must be an integer, long or string literal.",
        e,
    )


def _moment(e: Expression) -> Expression:
    return Cast(e, TIMESTAMP) if e.data_type in (DATE, STRING) else e


def _window(a: Args) -> Expression:
    size = _duration(a[1])
    slide = _duration(a[2]) if len(a) > 2 else size
    start = _duration(a[3]) if len(a) > 3 else 0
    return TimeWindow(_moment(a[0]), size, slide, start)


def _session(a: Args) -> Expression:
    if a[1].data_type not in (STRING, CALENDAR_INTERVAL, NULL, UNKNOWN):
        raise analysis_error(
            "_LEGACY_ERROR_TEMP_1040",
            "Gap duration expression used in session window must be CalendarIntervalType, but got "
            f"{a[1].data_type.scala_name}.",
            a[1],
        )
    return SessionWindow(_moment(a[0]), a[1])


BUILDERS: dict[str, Entry] = {"window": (2, 4, _window), "session_window": (2, 2, _session)}
