"""Days and instants: read from text, counted from 1970, moved between time zones."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, tzinfo

from planviz.config import OptimizerConfig
from planviz.evaluation.core import zone
from planviz.evaluation.errors import FailsError, UnknownValueError
from planviz.settings import instant
from planviz.types import zones
from planviz.types.instants import written_day, written_instant, written_time

EPOCH = datetime(1970, 1, 1)
MICROSECOND = timedelta(microseconds=1)
_DAY = 86_400_000_000


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


def later(value: datetime, micros: int) -> datetime:
    """The wall clock of the session's zone so many microseconds after another: whole days by the clock, the rest as
    time goes by (DateTimeUtils.timestampAddDayTime).
    """
    days = int(micros / _DAY)
    moment = micros_of(zones.existing(value + timedelta(days=days), zone())) + (micros - days * _DAY)
    return from_micros(moment)


def from_micros(micros: int) -> datetime:
    """The wall clock of the session's zone."""
    return moved(EPOCH + micros * MICROSECOND, "UTC", zone())


def date_of(text: str) -> date:
    """A date as Spark reads it: month, day and leading zeros may lack, a time may follow.

    Raises FailsError, and UnknownValueError for a year beyond those that Python counts.
    """
    day = written_day(text)
    if day is None:
        raise FailsError(text)
    return _clock(day, text).date()


def time_of(text: str) -> time:
    """A time of the day as Spark reads it. Raises FailsError."""
    value = written_time(text)
    if value is None:
        raise FailsError(text)
    return value


def timestamp_of(text: str, zoned: bool) -> datetime:
    """A timestamp as Spark reads it; a zone behind it counts for TIMESTAMP only.

    Raises FailsError, and UnknownValueError for a time of today and a year beyond those that Python counts.
    """
    written = written_instant(text)
    if written is None or (written.day is None and not zoned):
        raise FailsError(text)
    if written.zone:
        zone_of(written.zone)
    value = _clock(written.day or (2000, 1, 1), text)
    try:
        value = value.replace(
            hour=written.hour, minute=written.minute, second=written.second, microsecond=written.microsecond
        )
    except ValueError:
        raise FailsError(text) from None
    if written.day is None:
        raise UnknownValueError(text)
    try:
        if not zoned:
            return value
        return moved(value, written.zone, zone()) if written.zone else zones.existing(value, zone())
    except OverflowError:  # the first or the last hours that Python can count
        raise UnknownValueError(text) from None


def _clock(day: tuple[int, int, int], text: str) -> datetime:
    year, month, number = day
    counted = 1 <= year <= 9999
    try:
        # Every year that Python does not count has the days of one that it counts, 400 years on.
        value = datetime(year if counted else 2000 + year % 400, month, number)
    except ValueError:
        raise FailsError(text) from None
    if not counted:
        raise UnknownValueError(text)
    return value
