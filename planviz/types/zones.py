"""Time zones by the names that Spark takes (`DateTimeUtils.getZoneId`): offsets, regions, Java's short names."""

from __future__ import annotations

import re
from datetime import UTC, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

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
