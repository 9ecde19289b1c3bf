"""Days and instants: read from text, counted from 1970, moved between time zones."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, tzinfo

from planviz.config import OptimizerConfig, instant
from planviz.evaluation.core import zone
from planviz.evaluation.errors import FailsError
from planviz.types import zones

EPOCH = datetime(1970, 1, 1)
MICROSECOND = timedelta(microseconds=1)
_DATE = re.compile(r"(\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T].*)?)?)?", re.DOTALL)
_TIMESTAMP = re.compile(
    r"(\d{4,6})(?:-(\d{1,2})(?:-(\d{1,2})"
    r"(?:[ T](?:(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d{0,9}))?)?)?)?\s*(.*))?)?)?"
)


def zone_of(name: str) -> tzinfo:
    """A time zone by its name or offset. Raises FailsError."""
    found = zones.zone_of(name)
    if found is None:
        raise FailsError(f"'{name}' is no time zone", "INVALID_TIMEZONE")
    return found


def moved(value: datetime, source: str, target: str) -> datetime:
    """The wall clock of another zone at the same instant."""
    there = value.replace(tzinfo=zone_of(source)).astimezone(zone_of(target))
    return there.replace(tzinfo=None)


def now_by(config: OptimizerConfig) -> datetime:
    """What a query calls now (`planviz.now`), as the wall clock of the session's zone (UTC where that is none)."""
    return now_at(config.text("planviz.now"), config.text("spark.sql.session.timeZone"))


def now_at(said: str, where: str) -> datetime:
    """The wall clock of the zone `where` at the instant `said`; where that is empty, the beginning of the day."""
    there = zones.zone_of(where) or UTC
    given = instant(said)
    now = (given or datetime.now(UTC)).astimezone(there).replace(tzinfo=None)
    return now if given else now.replace(hour=0, minute=0, second=0, microsecond=0)


def micros_of(value: datetime) -> int:
    """Microseconds since 1970 of a wall clock of the session's zone."""
    return (moved(value, zone(), "UTC") - EPOCH) // MICROSECOND


def from_micros(micros: int) -> datetime:
    """The wall clock of the session's zone."""
    return moved(EPOCH + micros * MICROSECOND, "UTC", zone())


def date_of(text: str) -> date:
    """A date as Spark reads it: month, day and leading zeros may lack, a time may follow. Raises FailsError."""
    found = _DATE.fullmatch(text)
    if found is None:
        raise FailsError(text)
    year, month, day = (int(p) if p else 1 for p in found.groups())
    try:
        return date(year, month, day)
    except ValueError:
        raise FailsError(text) from None


def timestamp_of(text: str, zoned: bool) -> datetime:
    """A timestamp as Spark reads it; a zone behind it counts for TIMESTAMP only. Raises FailsError."""
    found = _TIMESTAMP.fullmatch(text)
    if found is None:
        raise FailsError(text)
    *numbers, fraction, where = found.groups()
    first = (1, 1, 1, 0, 0, 0)
    year, month, day, hour, minute, second = (int(p) if p else n for p, n in zip(numbers, first, strict=True))
    try:
        value = datetime(year, month, day, hour, minute, second, int((fraction or "").ljust(6, "0")[:6]))
    except ValueError:
        raise FailsError(text) from None
    if where and not zoned:
        zone_of(where.strip())
    return moved(value, where.strip(), zone()) if where and zoned else value
