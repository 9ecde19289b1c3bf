"""Numbers as people read them: rows, bytes and times, in one form everywhere.

`render/web/units.js` is the same for the browser; a test holds both against each other. What is printed as Spark
prints it (`Statistics(sizeInBytes=26.7 EiB)`) has Spark's own form, `planviz.logical.plan.size_text`.
"""

from __future__ import annotations

from decimal import Decimal
from math import floor, isfinite

_THOUSANDS = ("", "K", "M", "B", "T")
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
#: From here on nobody reads digits one by one, and a browser no longer knows them all.
_READABLE = 10**15
#: More than any unit is good for, and not yet more than a float holds.
_BEYOND = 10**40
_OVER = "over 10,000 EiB"
_OVER_ROWS = ">10¹⁵"


def exact(number: float) -> str:
    """All digits in groups (1,234,567); from a thousand million million on in short (2.4e22)."""
    if abs(number) >= _READABLE:
        return _power(number)
    return f"{int(number) if number == int(number) else number:,}"


def beyond(number: float) -> bool:
    """Whether a count is more than anybody counts: what an estimate comes to where nothing is known to divide by."""
    return number >= _READABLE


def short(number: float) -> str:
    """A count in at most five characters: 950, 1.2K, 24.5M, 288M, 3.4B, 1.2T; from 10^15 on only that it is so many."""
    if beyond(number):
        return _OVER_ROWS
    value, at = number, 0
    while value >= 999.5 and at < len(_THOUSANDS) - 1:
        value, at = value / 1000, at + 1
    if value >= 999.5:
        return _OVER_ROWS
    return _figures(value, whole=at == 0) + _THOUSANDS[at]


def byte_size(number: float) -> str:
    """Bytes in the unit of which there are at least two, as Spark does: 1351 B, 11 KiB, 476.8 MiB.

    More than 10,000 EiB is no size that anybody reads: it is what Spark gets where it multiplies the sizes of both
    sides of a join, and only said to be over that.
    """
    if number >= _BEYOND:
        return _OVER
    value, at = number, 0
    while value >= 2048 and at < len(_BINARY) - 1:
        value, at = value / 1024, at + 1
    if value >= 9999.5:
        return _OVER
    return f"{_tenths(value)} {_BINARY[at]}"


def duration(milliseconds: float) -> str:
    """A time with as many digits as mean something: 0 ms, 0.42 ms, 3.1 ms, 850 ms, 4.2 s, 3 min 07 s, 2 h 05 min."""
    if milliseconds < 999.5:
        if 0 < milliseconds < 1:
            return f"{floor(milliseconds * 100 + 0.5) / 100:.2f} ms"
        return f"{_tenths(milliseconds) if milliseconds < 9.95 else floor(milliseconds + 0.5)} ms"
    if milliseconds < 59_950:
        return f"{floor(milliseconds / 100 + 0.5) / 10:.1f} s"
    seconds = floor(milliseconds / 1000 + 0.5)
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    minutes = floor(seconds / 60 + 0.5)
    return f"{minutes // 60:,} h {minutes % 60:02d} min"


def _figures(value: float, whole: bool) -> str:
    return str(floor(value + 0.5)) if whole or value >= 99.95 else _tenths(value)


def _tenths(value: float) -> str:
    """One digit after the point, none where it is nought; half of one is rounded up, as Spark and browsers do."""
    if isinstance(value, int):
        return str(value)
    return f"{floor(value * 10 + 0.5) / 10:.1f}".removesuffix(".0")


def _power(number: float) -> str:
    if isinstance(number, float) and not isfinite(number):
        return "∞"
    return f"{Decimal(number):.1e}".replace("e+", "e")
