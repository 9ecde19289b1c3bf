"""Days and instants as Spark reads their texts (SparkDateTimeUtils: parseTimestampString, stringToDate)."""

from __future__ import annotations

import re
from datetime import time
from typing import NamedTuple

#: Spark trims spaces and control characters.
_AROUND = "".join(map(chr, range(33))) + "\x7f"
_DAY = re.compile(r"([+-]?\d{4,7})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T].*)?)?)?", re.DOTALL)
#: A zone may stand behind the seconds only.
_CLOCK = r"(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?(\D.*)?)?)?"
_INSTANT = re.compile(r"([+-]?\d{4,6})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T]" + _CLOCK + ")?)?)?", re.DOTALL)
_TODAY = re.compile(r"(?:T(?=\d)|(?=\d+:))" + _CLOCK, re.DOTALL)


class WrittenInstant(NamedTuple):
    """The numbers of a text; `day` is None for a time of today, `zone` "" where none is named."""

    day: tuple[int, int, int] | None
    hour: int
    minute: int
    second: int
    microsecond: int
    zone: str


def written_day(text: str) -> tuple[int, int, int] | None:
    """Year, month and day of a text, whether there is such a day or not; None where it is written otherwise."""
    found = _DAY.fullmatch(text.strip(_AROUND))
    return None if found is None else (int(found[1]), int(found[2] or 1), int(found[3] or 1))


def written_instant(text: str) -> WrittenInstant | None:
    """A text's numbers, whether there is such an instant or not; None where it is written otherwise."""
    text = text.strip(_AROUND)
    found = _INSTANT.fullmatch(text)
    today = None if found else _TODAY.fullmatch(text)
    if found is not None:
        day = (int(found[1]), int(found[2] or 1), int(found[3] or 1))
        clock = found.groups()[3:]
    elif today is not None:
        day, clock = None, today.groups()
    else:
        return None
    hour, minute, second = (int(p or 0) for p in clock[:3])
    # A fraction's digits behind the sixth are cut off.
    return WrittenInstant(day, hour, minute, second, int((clock[3] or "")[:6].ljust(6, "0")), (clock[4] or "").strip())


_TIME = re.compile(r"\s*(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,6})\d*)?)?(?:\s*([AP]M))?\s*\Z", re.I)


def written_time(text: str) -> time | None:
    """The time of the day that a text says, or None."""
    m = _TIME.match(text)
    if not m:
        return None
    hour = int(m[1])
    if m[5]:
        if not 1 <= hour <= 12:
            return None
        # 12 AM is midnight, 12 PM is noon.
        hour = hour % 12 + (12 if m[5].upper() == "PM" else 0)
    try:
        return time(hour, int(m[2]), int(m[3] or 0), int((m[4] or "0").ljust(6, "0")))
    except ValueError:
        return None
