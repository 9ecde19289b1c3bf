"""sequence(start, stop, step): numbers, dates and timestamps, which Spark packs into one block of memory."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta

from planviz.evaluation.core import bounded, function, zone
from planviz.evaluation.errors import FailsError
from planviz.evaluation.hashes import murmur_of
from planviz.evaluation.instants import EPOCH, micros_of, moved
from planviz.evaluation.temporal import add_months
from planviz.expressions.calls import FunctionCall
from planviz.types import BYTE, LONG, SHORT, TIMESTAMP, TIMESTAMP_NTZ, ArrayType, DataType, YearMonthIntervalType
from planviz.types.values import PackedArray, Value

_DAY = 86_400_000_000
#: How an element is packed; an int and a date take four bytes.
_FORMATS: dict[DataType, str] = {BYTE: "b", SHORT: "h", LONG: "q", TIMESTAMP: "q", TIMESTAMP_NTZ: "q"}
#: Months, days and microseconds.
Step = tuple[int, int, int]


@function("sequence", typed=True)
def _sequence(e: FunctionCall, start: Value, stop: Value, step: Value = None) -> PackedArray:
    values: list[Value]
    if isinstance(start, date):
        values = list(_moments(start, stop, _step_of(e, start, stop, step), e.data_type))
    else:
        values = list(_numbers(start, stop, step))
    return packed(values, e.data_type)


def packed(values: list[Value], kind: DataType) -> PackedArray:
    """Values without nulls with the hash of Spark's UnsafeArrayData: their number, a bit for each, themselves."""
    assert isinstance(kind, ArrayType)
    numbers = [micros_of(v) if isinstance(v, datetime) else _days(v) if isinstance(v, date) else v for v in values]
    form = _FORMATS.get(kind.element, "i")
    data = struct.pack("<q", len(numbers)) + bytes((len(numbers) + 63) // 64 * 8)
    data += struct.pack(f"<{len(numbers)}{form}", *numbers)
    made = PackedArray(values)
    made.hash = murmur_of(data + bytes(-len(data) % 8))
    return made


def _days(value: date) -> int:
    return (value - EPOCH.date()).days


def _numbers(start: int, stop: int, step: int | None) -> range:
    step = (1 if start <= stop else -1) if step is None else step
    if not step or (stop - start) * step < 0:
        if start == stop:
            return range(start, start + 1)
        raise FailsError("a step that leads away", "java.lang.IllegalArgumentException")
    bounded((stop - start) // step)
    return range(start, stop + (1 if step > 0 else -1), step)


def _step_of(e: FunctionCall, start: date, stop: date, step: Value) -> Step:
    """The step as an interval: a day where none is given, towards the end."""
    if step is None:
        return 0, 1 if start <= stop else -1, 0
    if isinstance(step, tuple):
        return step
    if isinstance(e.arguments[2].data_type, YearMonthIntervalType):
        return step, 0, 0
    days, micros = (int(step / _DAY), 0) if step % _DAY == 0 else (0, step)
    return 0, days, micros


def _moments(start: date, stop: date, step: Step, kind: DataType) -> Iterator[date]:
    """Every step is taken from the start, so that months keep the day of the month where they have it."""
    zoned = isinstance(kind, ArrayType) and kind.element == TIMESTAMP
    after = _adding(start, step, zone() if zoned else "UTC")
    forward = after(1) > start
    if after(1) == start or (start != stop and forward != (start < stop)):
        if start == stop:
            yield start
            return
        raise FailsError("a step that leads away", "java.lang.IllegalArgumentException")
    i, at = 0, start
    while (at <= stop) if forward else (at >= stop):
        bounded(i)
        yield at
        i += 1
        at = after(i)


def _adding(start: date, step: Step, where: str) -> Callable[[int], date]:
    """What gives the start and so many steps: months and days by a time zone's wall clock, the rest by instants."""
    months, days, micros = step
    if not isinstance(start, datetime):
        if micros:
            raise FailsError("dates are apart by days", "_LEGACY_ERROR_TEMP_3242")
        return lambda i: add_months(start, i * months) + timedelta(days=i * days)

    def after(i: int) -> datetime:
        day = add_months(start.date(), i * months) + timedelta(days=i * days)
        at = datetime.combine(day, start.time())
        return moved(moved(at, where, "UTC") + timedelta(microseconds=i * micros), "UTC", where) if micros else at

    return after
