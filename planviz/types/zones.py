"""Time zones by the names that Spark takes (`DateTimeUtils.getZoneId`): offsets, regions, Java's short names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?", re.IGNORECASE)
#: java.time.ZoneId.SHORT_IDS.
_SHORT = {
    "ACT": "Australia/Darwin", "AET": "Australia/Sydney", "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo", "AST": "America/Anchorage", "BET": "America/Sao_Paulo", "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare", "CNT": "America/St_Johns", "CST": "America/Chicago", "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa", "ECT": "Europe/Paris", "EST": "-05:00", "HST": "-10:00",
    "IET": "America/Indiana/Indianapolis", "IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "MIT": "Pacific/Apia",
    "MST": "-07:00", "NET": "Asia/Yerevan", "NST": "Pacific/Auckland", "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix", "PRT": "America/Puerto_Rico", "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal", "VST": "Asia/Ho_Chi_Minh",
}  # fmt: skip
#: Regions begin so; what else lies in a system's folder of zones (posix/..., localtime) is none.
_REGION = re.compile(r"[A-Z][\w+-]*(?:/[\w+-]+)*")


def zone_of(name: str) -> tzinfo | None:
    """The time zone of a name such as `+02:00`, `UTC`, `CET`, `Etc/GMT+5`, `America/Port_of_Spain`; None for no zone.

    Names of regions are read as Java reads them, capitals and small letters included.
    """
    name = _SHORT.get(name, name)
    if name.upper() in ("Z", "UTC", "GMT", "UT"):
        return UTC
    if found := _OFFSET.fullmatch(name):
        sign, hours, minutes, seconds = found.groups()
        span = timedelta(hours=int(hours), minutes=int(minutes or 0), seconds=int(seconds or 0))
        if max(int(minutes or 0), int(seconds or 0)) > 59 or span > timedelta(hours=18):
            return None
        return timezone(-span if sign == "-" else span)
    if _REGION.fullmatch(name) is None:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


_session: ContextVar[str] = ContextVar("session_zone", default="UTC")


def session_zone() -> str:
    """The time zone of the session whose query is planned, for what is asked in the middle (Spark: SQLConf.get)."""
    return _session.get()


@contextmanager
def in_session_zone(name: str) -> Iterator[None]:
    """Within the block `session_zone` is this one."""
    token = _session.set(name)
    try:
        yield
    finally:
        _session.reset(token)


def clock_of(micros: int, name: str) -> datetime:
    """The wall clock of a zone so many microseconds after 1970 began in UTC. Raises OverflowError."""
    return (_EPOCH + timedelta(microseconds=micros)).astimezone(zone_of(name) or UTC).replace(tzinfo=None)


def micros_of(clock: datetime, name: str) -> int:
    """Microseconds since 1970 in UTC of the wall clock of a zone; of one in UTC where the name is no zone's."""
    moment = clock.replace(tzinfo=zone_of(name) or UTC)
    since = clock.replace(tzinfo=UTC) - _EPOCH - (moment.utcoffset() or timedelta())
    return since // timedelta(microseconds=1)


def existing(clock: datetime, name: str) -> datetime:
    """The wall clock of a zone, later by as much as the zone leaves out where it never shows this one."""
    where = zone_of(name) or UTC
    if where is UTC:
        return clock
    try:
        return clock.replace(tzinfo=where).astimezone(UTC).astimezone(where).replace(tzinfo=None)
    except OverflowError:  # the first and the last hours that Python can count: no zone leaves any of them out
        return clock
