"""Dates, timestamps, intervals."""

from __future__ import annotations

import calendar
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import TypeVar

from planviz.evaluation.arithmetic import bounded_integer
from planviz.evaluation.core import Row, deferred, evaluate, function, strict, type_of, zone
from planviz.evaluation.dateformats import formatted, parsed
from planviz.evaluation.errors import FailsError, UnknownValueError
from planviz.evaluation.instants import from_micros, later, micros_of, moved
from planviz.expressions.calls import DatetimeMinus, DatetimePlus, FunctionCall
from planviz.types import (
    CALENDAR_INTERVAL,
    DATE,
    INT,
    LONG,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DayTimeIntervalType,
    YearMonthIntervalType,
)
from planviz.types.values import Value
from planviz.types.zones import existing

_Day = TypeVar("_Day", bound=date)
_DAY = 86_400_000_000
_FIRST = date(1970, 1, 1)
_NAMES = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")


def add_months(day: _Day, months: int) -> _Day:
    """The same day of another month, or that month's last."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return day.replace(year=year, month=month + 1, day=min(day.day, calendar.monthrange(year, month + 1)[1]))


@strict(DatetimePlus)
def _datetime_plus(e: DatetimePlus, a: Value, b: Value) -> Value:
    sign = -1 if e.sign == "-" else 1
    t = e.right.data_type
    if isinstance(t, YearMonthIntervalType):
        shifted = add_months(a, sign * b)
        return existing(shifted, zone()) if e.type == TIMESTAMP else shifted
    if isinstance(t, DayTimeIntervalType):
        if e.type == DATE:
            return a + timedelta(days=sign * (b // _DAY))
        if e.type == TIMESTAMP:
            return later(_midnight(a), sign * b)
        return _midnight(a) + timedelta(microseconds=sign * b)
    if isinstance(b, tuple):
        months, days, micros = b
        shifted = add_months(a, sign * months) + timedelta(days=sign * days)
        if e.type == TIMESTAMP:
            return _after(shifted, sign * micros)
        return shifted + timedelta(microseconds=sign * micros) if micros else shifted
    if isinstance(b, int):
        return a + timedelta(days=sign * b)
    raise UnknownValueError(str(e))


@strict(DatetimeMinus)
def _datetime_minus(e: DatetimeMinus, a: object, b: object) -> object:
    gap = _midnight(a) - _midnight(b)
    if e.type == CALENDAR_INTERVAL:
        dates = e.left.data_type == DATE
        return (*_period(_day(b), _day(a)), 0) if dates else (0, 0, gap // timedelta(microseconds=1))
    return gap.days if e.type == INT else gap // timedelta(microseconds=1)


def _period(start: date, end: date) -> tuple[int, int]:
    """Whole months and the days beside them (Java: Period.between)."""
    months = (end.year - start.year) * 12 + end.month - start.month
    days = end.day - start.day
    if months > 0 > days:
        months -= 1
        days = (end - _day(add_months(start, months))).days
    elif months < 0 < days:
        months += 1
        days -= calendar.monthrange(end.year, end.month)[1]
    return months, days


def _after(value: datetime, micros: int) -> datetime:
    """The session's wall clock so many microseconds after another."""
    return from_micros(micros_of(existing(value, zone())) + micros)


def _midnight(value: Value) -> datetime:
    return value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)


def _day(value: Value) -> date:
    return value.date() if isinstance(value, datetime) else value


function("year")(lambda d: d.year)
function("month")(lambda d: d.month)
function("day", "dayofmonth")(lambda d: d.day)
function("dayofyear")(lambda d: d.timetuple().tm_yday)
function("quarter")(lambda d: (d.month + 2) // 3)
function("dayofweek")(lambda d: d.isoweekday() % 7 + 1)
function("dayofweek_iso")(lambda d: d.isoweekday())
function("weekday")(lambda d: d.weekday())
function("weekofyear")(lambda d: d.isocalendar()[1])
function("yearofweek")(lambda d: d.isocalendar()[0])
function("hour")(lambda d: d.hour)
function("minute")(lambda d: d.minute)
function("second")(lambda d: d.second)
function("secondwithfraction")(lambda d: Decimal(d.second) + Decimal(d.microsecond).scaleb(-6))
function("dayname")(lambda d: _NAMES[d.weekday()].capitalize())
function("monthname")(lambda d: calendar.month_abbr[d.month])
function("date_add", "dateadd")(lambda d, n: d + timedelta(days=n))
function("date_sub")(lambda d, n: d - timedelta(days=n))
function("datediff", "date_diff")(lambda a, b: (_day(a) - _day(b)).days)
function("add_months")(add_months)
function("last_day")(lambda d: d.replace(day=calendar.monthrange(d.year, d.month)[1]))
function("unix_date")(lambda d: (d - _FIRST).days)
function("date_from_unix_date")(lambda n: _FIRST + timedelta(days=n))
function("unix_seconds")(lambda t: micros_of(t) // 1_000_000)
function("unix_millis")(lambda t: micros_of(t) // 1_000)
function("unix_micros")(micros_of)
function("timestamp_millis")(lambda n: from_micros(bounded_integer(n * 1_000, LONG, "DATETIME_OVERFLOW")))
function("timestamp_micros")(from_micros)
function("from_utc_timestamp")(lambda t, name: moved(t, "UTC", name))
function("to_utc_timestamp")(lambda t, name: moved(t, name, "UTC"))
function("convert_timezone")(lambda *a: moved(a[-1], a[0] if len(a) == 3 else zone(), a[-2]))


@function("timestamp_seconds")
def _timestamp_seconds(n: Value) -> datetime:
    exact = Decimal(repr(n)) if isinstance(n, float) else Decimal(n)
    micros = exact.scaleb(6)
    if not isinstance(n, float) and micros != micros.to_integral_value():
        raise FailsError(f"{n} has a fraction of a microsecond", "java.lang.ArithmeticException")
    return from_micros(bounded_integer(int(micros), LONG, "DATETIME_OVERFLOW"))


@function("time_bucket", typed=True)
def _time_bucket(e: FunctionCall, width: Value, moment: datetime, origin: datetime) -> date:
    """The start of the bucket that a moment is in; buckets of days and months go by the session's clock."""
    if isinstance(type_of(e, 0), YearMonthIntervalType):
        months = (moment.year - origin.year) * 12 + moment.month - origin.month
        n = months // width
        start = add_months(origin, n * width)
        return start if start <= moment else add_months(origin, (n - 1) * width)
    gap = (moment - origin) // timedelta(microseconds=1)
    return origin + timedelta(microseconds=gap // width * width)


@function("next_day")
def _next_day(day: date, name: str) -> date:
    found = [i for i, n in enumerate(_NAMES) if name.upper() in (n, n[:2], _LONG[i])]
    if not found:
        raise FailsError(f"'{name}' is no day of the week", "ILLEGAL_DAY_OF_WEEK")
    return day + timedelta(days=(found[0] - day.weekday() - 1) % 7 + 1)


_LONG = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")


@function("months_between")
def _months_between(a: datetime, b: datetime, round_off: bool = True) -> float:
    months = (a.year - b.year) * 12 + a.month - b.month
    if a.day == b.day or all(t.day == calendar.monthrange(t.year, t.month)[1] for t in (a, b)):
        return float(months)
    seconds = (a.day - b.day) * 86_400 + (a - datetime(*a.timetuple()[:3])).seconds
    seconds -= (b - datetime(*b.timetuple()[:3])).seconds
    value = months + seconds / (31 * 86_400)
    exact = Decimal(repr(value)).quantize(Decimal("1E-8"), ROUND_HALF_UP)
    return float(exact) if round_off else value


_YEAR = ("YEAR", "YYYY", "YY")
_MONTH = ("MONTH", "MON", "MM")


def _truncated(day: Value, unit: str) -> Value:
    """The first day of the year, quarter, month or week; None for another unit."""
    if unit in _YEAR:
        return day.replace(month=1, day=1)
    if unit == "QUARTER":
        return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
    if unit in _MONTH:
        return day.replace(day=1)
    return day - timedelta(days=day.weekday()) if unit == "WEEK" else None


@deferred("trunc")
def _trunc(arguments: tuple[Value, ...], row: Row) -> date | None:
    """The unit is looked at first: the date of an unknown one is not read."""
    day, unit = arguments[0], evaluate(arguments[1], row)
    if unit is None or unit.upper() not in (*_YEAR, *_MONTH, "QUARTER", "WEEK"):
        return None
    value = evaluate(day, row)
    return None if value is None else _truncated(value, unit.upper())


_STEPS = {"DAY": 86_400_000_000, "DD": 86_400_000_000, "HOUR": 3_600_000_000, "MINUTE": 60_000_000,
          "SECOND": 1_000_000, "MILLISECOND": 1_000, "MICROSECOND": 1}  # fmt: skip


@function("date_trunc")
def _date_trunc(unit: str, value: datetime) -> datetime | None:
    unit = unit.upper()
    midnight = value.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit in _STEPS:
        micros = (value - midnight) // timedelta(microseconds=1)
        return midnight + timedelta(microseconds=micros // _STEPS[unit] * _STEPS[unit])
    result: datetime | None = _truncated(midnight, unit)
    return result


_SPANS = {"MICROSECOND": 1, "MILLISECOND": 1_000, "SECOND": 1_000_000, "MINUTE": 60_000_000, "HOUR": 3_600_000_000,
          "DAY": _DAY, "DAYOFYEAR": _DAY, "WEEK": 7 * _DAY}  # fmt: skip
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}


@function("timestampadd", typed=True)
def _timestamp_add(e: FunctionCall, unit: str, n: int, value: object) -> object:
    unit, value = unit.upper(), _midnight(value)
    zoned = e.data_type == TIMESTAMP
    if unit in _MONTHS:
        shifted = add_months(value, n * _MONTHS[unit])
        return existing(shifted, zone()) if zoned else shifted
    return later(value, n * _SPANS[unit]) if zoned else value + timedelta(microseconds=n * _SPANS[unit])


@function("timestampdiff")
def _timestamp_diff(unit: str, a: datetime, b: datetime) -> int:
    unit = unit.upper()
    gap = (b - a) // timedelta(microseconds=1)
    if unit in _SPANS:
        return int(Decimal(gap) / _SPANS[unit])
    months: int = (b.year - a.year) * 12 + b.month - a.month
    step = 1 if gap < 0 else -1
    if months and (add_months(a, months) > b) == (gap > 0) and add_months(a, months) != b:
        months += step
    return int(Decimal(months) / _MONTHS[unit])


@function("make_date")
def _make_date(year: int, month: int, day: int) -> date:
    last = calendar.monthrange(year, month)[1] if 1 <= month <= 12 else 0
    if not 1 <= day <= last:
        raise FailsError(f"{year}-{month}-{day} is no date", "DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION")
    return date(year, month, day)


def _make_timestamp(*parts: Value) -> datetime:
    if isinstance(parts[0], date):
        made = _midnight(parts[0])
        if len(parts) > 1:
            made = datetime.combine(parts[0], parts[1])
        return moved(made, parts[2], zone()) if len(parts) > 2 else made
    year, month, day, hour, minute, seconds, *where = parts
    micros = int(Decimal(seconds).scaleb(6))
    minute_up = micros == 60_000_000
    if not 0 <= micros <= 60_000_000:
        over = micros > 60_000_000 and micros < 61_000_000
        raise FailsError(
            f"{seconds} are no seconds of a minute",
            "INVALID_FRACTION_OF_SECOND" if over else "DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION",
        )
    if not (0 <= hour <= 23 and 0 <= minute <= 59):
        raise FailsError(f"{hour}:{minute} is no time", "DATETIME_FIELD_OUT_OF_BOUNDS.WITHOUT_SUGGESTION")
    midnight = datetime.combine(_make_date(year, month, day), datetime.min.time())
    base = midnight + timedelta(hours=hour, minutes=minute) + timedelta(microseconds=micros)
    return moved(base, where[0], zone()) if where and not minute_up else base


def _make_zoned_timestamp(*parts: Value) -> datetime:
    return existing(_make_timestamp(*parts), zone())


function("make_timestamp_ntz")(_make_timestamp)
function("make_timestamp_ltz")(_make_zoned_timestamp)


@function("make_timestamp", typed=True)
def _make_typed_timestamp(e: FunctionCall, *parts: Value) -> datetime:
    """A zone counts where the type has one."""
    return _make_timestamp(*parts[:6]) if e.data_type == TIMESTAMP_NTZ else _make_zoned_timestamp(*parts)


@function("try_make_timestamp", "try_make_timestamp_ntz", "try_make_timestamp_ltz")
def _try_make_timestamp(*parts: object) -> datetime | None:
    try:
        return _make_timestamp(*parts)
    except (ValueError, FailsError):
        return None


@function("make_interval")
def _make_interval(*parts: Value) -> tuple[int, int, int]:
    years, months, weeks, days, hours, minutes, seconds = [*parts, 0, 0, 0, 0, 0, 0, 0][:7]
    micros = hours * 3_600_000_000 + minutes * 60_000_000 + int(Decimal(seconds).scaleb(6))
    return bounded_integer(years * 12 + months, INT), bounded_integer(weeks * 7 + days, INT), micros


@function("try_make_interval")
def _try_make_interval(*parts: object) -> tuple[int, int, int] | None:
    try:
        made: tuple[int, int, int] = _make_interval(*parts)
    except FailsError:
        return None
    return made


@function("make_dt_interval")
def _make_dt_interval(*parts: Value) -> int:
    days, hours, minutes = map(int, [*parts[:3], 0, 0, 0][:3])
    seconds = parts[3] if len(parts) > 3 else 0
    total = days * _DAY + hours * 3_600_000_000 + minutes * 60_000_000 + int(Decimal(seconds).scaleb(6))
    if not -(2**63) <= total < 2**63:
        raise FailsError("the interval is too long", "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION")
    return total


@function("make_ym_interval")
def _make_ym_interval(*parts: int) -> int:
    years, months = [*parts, 0, 0][:2]
    return bounded_integer(years * 12 + months, INT, "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION")


def _part(unit: int, within: int | None) -> Callable[[int], int]:
    """A field of an interval: whole units, within the next greater one; negative as the interval is."""

    def compute(value: int) -> int:
        units = abs(value) // unit
        return (units % within if within else units) * (-1 if value < 0 else 1)

    return compute


function("extractansiintervalyears")(_part(12, None))
function("extractansiintervalmonths")(_part(1, 12))
function("extractansiintervaldays")(_part(_DAY, None))
function("extractansiintervalhours")(_part(3_600_000_000, 24))
function("extractansiintervalminutes")(_part(60_000_000, 60))


@function("extractansiintervalseconds")
def _interval_seconds(value: int) -> Decimal:
    return Decimal(abs(value) % 60_000_000).scaleb(-6) * (-1 if value < 0 else 1)


def _calendar_part(of: int, compute: Callable[[int], object]) -> Callable[[tuple[int, int, int]], object]:
    """A field of an interval of months, days and microseconds, `of` which of these it is a part."""
    return lambda value: compute(value[of])


function("extractintervalyears")(_calendar_part(0, _part(12, None)))
function("extractintervalmonths")(_calendar_part(0, _part(1, 12)))
function("extractintervaldays")(_calendar_part(1, int))
function("extractintervalhours")(_calendar_part(2, _part(3_600_000_000, 24)))
function("extractintervalminutes")(_calendar_part(2, _part(60_000_000, 60)))
function("extractintervalseconds")(_calendar_part(2, _interval_seconds))


@function("unix_timestamp", "to_unix_timestamp", typed=True)
def _unix_timestamp(e: FunctionCall, value: object, form: str) -> int:
    if isinstance(value, str):
        value = parsed(value, form)
    if e.arguments[0].data_type not in (TIMESTAMP, DATE) and not isinstance(value, datetime):
        raise UnknownValueError(str(e))
    return micros_of(_midnight(value)) // 1_000_000


@function("from_unixtime")
def _from_unixtime(seconds: int, form: str) -> str:
    return formatted(from_micros(seconds * 1_000_000), form)


@function("precisetimestampconversion", typed=True)
def _precise(e: FunctionCall, value: Value) -> object:
    """Microseconds since 1970 of a moment, and back."""
    epoch = datetime(1970, 1, 1)
    if e.tail[1] == "LongType":
        return (value - epoch) // timedelta(microseconds=1)
    return epoch + timedelta(microseconds=value)


@function("knownnullable")
def _known_nullable(value: object) -> object:
    return value
