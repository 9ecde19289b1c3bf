"""What Spark measured, read from its words: "total (min, med, max ...)", sizes, times, counts."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = r"(\d[\d,]{0,30}(?:\.\d{1,9})?)\s?(B|KiB|MiB|GiB|TiB|PiB|EiB|ms|s|m|min|h)?"
_VALUE = re.compile(_NUMBER)
_SPREAD = re.compile(rf"\({_NUMBER}, {_NUMBER}, {_NUMBER}")
#: Bytes and milliseconds of a unit.
_UNITS = {
    "": 1.0, "B": 1.0, "KiB": 2.0**10, "MiB": 2.0**20, "GiB": 2.0**30, "TiB": 2.0**40, "PiB": 2.0**50, "EiB": 2.0**60,
    "ms": 1.0, "s": 1e3, "m": 6e4, "min": 6e4, "h": 3.6e6,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measured:
    """A metric: its total over all tasks, and the least, middle and largest of a task where several were told."""

    total: float
    least: float | None = None
    median: float | None = None
    largest: float | None = None


def measured(value: object) -> Measured | None:
    """A metric's value in bytes, milliseconds or a count; None for what is no number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return Measured(float(value))
    if not isinstance(value, str):
        return None
    last = value.rpartition("\n")[2][:400]
    total = _VALUE.match(last.strip())
    if total is None:
        return None
    spread = _SPREAD.search(last)
    if spread is None:
        return Measured(_amount(total[1], total[2]))
    parts = [_amount(spread[i], spread[i + 1]) for i in (1, 3, 5)]
    return Measured(_amount(total[1], total[2]), *parts)


def _amount(digits: str, unit: str | None) -> float:
    return float(digits.replace(",", "")) * _UNITS[unit or ""]
