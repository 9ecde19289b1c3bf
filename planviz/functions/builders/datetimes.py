"""Dates, timestamps, their parts, intervals."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import cache

from planviz.expressions.arithmetic import Add
from planviz.expressions.calls import FunctionCall, ReplaceableCall, Replaced
from planviz.expressions.casts import Cast
from planviz.expressions.core import Expression, Literal, lit
from planviz.expressions.specs import ZONE, AnsiFlag, FunctionSpec
from planviz.frontend.errors import analysis_error
from planviz.functions.builders.base import Args, Builder, Entry, signed, spec_of, string_of, wrong_count
from planviz.types import (
    DATE,
    DOUBLE,
    INT,
    LONG,
    NULL,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    YearMonthIntervalType,
    is_interval,
    is_time,
)


def _flag(fails: bool) -> str:
    """Whether the call fails: by the session's setting, unless it never does."""
    return AnsiFlag("true") if fails else "false"


def _to_date(name: str, fails: bool) -> Builder:
    spec = replace(spec_of(name, "S|A|T|TN S", DATE), option=2, null="any" if fails else True)
    mode = "ANSI" if fails else "LEGACY"

    def made(a: Args) -> Expression:
        return Cast(a[0] if len(a) == 1 else _parsed(a, TIMESTAMP, fails), DATE, mode)

    return lambda a: ReplaceableCall(name, a, spec, (ZONE, _flag(fails)), made=made)


def _to_timestamp(name: str, t: DataType, fails: bool = True) -> Builder:
    inputs = "S|A|T|TN|B|Y|SH|I|L|F|D|DEC S" if t == TIMESTAMP else "S|A|T|TN S"
    spec = replace(spec_of(name, inputs, t), option=2, null="any" if fails else True)

    def made(a: Args) -> Expression:
        return Cast(a[0], t, "ANSI" if fails else "LEGACY") if len(a) == 1 else _parsed(a, t, fails, "try_to_timestamp")

    return lambda a: ReplaceableCall(name, a, spec, (t.scala_name, ZONE, _flag(fails)), made=made)


def _parsed(a: Args, t: DataType, fails: bool, instead: str = "try_to_date") -> Expression:
    """Spark: GetTimestamp; `instead` is the function to take where it fails."""
    return FunctionCall("gettimestamp", a, parsed_spec(t), (t.scala_name, instead, ZONE, _flag(fails)))


@cache
def parsed_spec(t: DataType) -> FunctionSpec:
    """Of gettimestamp: one signature for each type: calls that are written alike must be equal."""
    inputs = spec_of("", "S|A|T|TN S", t).inputs
    return FunctionSpec("gettimestamp", inputs, lambda _: t, True, null_intolerant=False)


def _unix_timestamp(name: str) -> Builder:
    # Spark does not say of ToTimestamp that null makes it null.
    spec = replace(spec_of(name, "S|A|T|TN! S", LONG), null_intolerant=False)

    def make(a: Args) -> Expression:
        if not a:
            a = (FunctionCall("current_timestamp", (), CURRENT["current_timestamp"]),)
        full = a if len(a) > 1 else (*a, lit("yyyy-MM-dd HH:mm:ss"))
        return FunctionCall(name, full, spec, (ZONE, _flag(True)))

    return make


_PARTS = {
    "year": "year y years yr yrs", "yearofweek": "yearofweek", "quarter": "quarter qtr",
    "month": "month mon mons months",
    "weekofyear": "week w weeks", "day": "day d days", "dayofweek": "dayofweek dow", "weekday": "dayofweek_iso dow_iso",
    "dayofyear": "doy", "hour": "hour h hours hr hrs", "minute": "minute m min mins minutes",
    "secondwithfraction": "second s sec seconds secs",
}  # fmt: skip
_PART_OF = {word: part for part, words in _PARTS.items() for word in words.split(" ")}
_MONTHS = ("year", "month")
_TIMES = ("day", "hour", "minute", "secondwithfraction")


def _parts_of_interval(t: DataType) -> tuple[str, ...]:
    """What can be taken out of an interval of this type: its own fields."""
    if isinstance(t, YearMonthIntervalType):
        return _MONTHS[t.start : t.end + 1]
    return _TIMES[t.start : t.end + 1] if isinstance(t, DayTimeIntervalType) else (*_MONTHS, *_TIMES)


_SECONDS = DecimalType(8, 6)


def part_of(field: Expression, source: Expression) -> Expression:
    """The expression behind EXTRACT(field FROM source); AnalysisError for a field that is none."""
    t = source.data_type
    if is_time(t) and _PART_OF.get((string_of(field) or "").lower()) in ("hour", "minute", "secondwithfraction"):
        return _time((source,))
    part = _PART_OF.get((string_of(field) or "").lower())
    if part is None or (is_interval(t) and part not in _parts_of_interval(t)) or is_time(t):
        raise analysis_error(
            "INVALID_EXTRACT_FIELD", f"Cannot extract `{string_of(field)}` from {source.pretty}.", field
        )
    if is_interval(t):
        name = part.removesuffix("withfraction") + "s"
        kind = "extractinterval" if t.simple_string == "interval" else "extractansiinterval"
        result: DataType = _SECONDS if name == "seconds" else INT
        return FunctionCall(kind + name, (source,), FunctionSpec(kind + name, (), lambda _: result))
    if part == "secondwithfraction":
        return FunctionCall(part, (source,), spec_of(part, "T", _SECONDS), (ZONE,))
    if part == "yearofweek":
        return FunctionCall(part, (source,), spec_of(part, "A", INT))
    made = signed("dayofmonth" if part == "day" else part, (source,))
    return Add(made, lit(1)) if part == "weekday" else made


def _extract(name: str) -> Builder:
    def make(a: Args) -> Expression:
        field = a[0]
        if not field.foldable:
            raise analysis_error(
                "NON_FOLDABLE_ARGUMENT",
                f'The function `{name}` requires a constant `field` of the type "STRING", not "{field.pretty}".',
                field,
            )
        null = isinstance(field, Literal) and field.value is None
        written = "NULL" if null else string_of(field)
        shown = a if name == "date_part" else (f"{written} FROM {a[1].pretty}",)
        return Replaced(name, a, Literal(None, DOUBLE) if null else part_of(field, a[1]), name, shown)

    return make


def _timestamp_shift(a: Args) -> Expression:
    spec = FunctionSpec("timestampadd", spec_of("", "S L TT", TIMESTAMP).inputs, lambda args: args[-1].data_type)
    return FunctionCall("timestampadd", a, spec, (ZONE,))


_DIFFERENCE = spec_of("timestampdiff", "S T T", LONG)


def _make_timestamp(name: str, t: DataType) -> Builder:
    """From six numbers (and a zone), or from a date and a time (and a zone)."""
    fails = not name.startswith("try_")
    ntz = name.endswith("_ntz")
    plain = name == "try_make_timestamp"
    kind = "TimestampNTZType" if t == TIMESTAMP_NTZ else "TimestampType"
    numbers = FunctionSpec(
        name, spec_of("", "I I I I I U16 S", t).inputs, lambda _: t, "any" if fails else True,
        option=0 if ntz or plain else 7,
    )  # fmt: skip
    parts = spec_of("make_timestamp", "A! TM! S!", t)
    tail = () if plain else (*(("None",) if ntz else ()), ZONE, _flag(fails), kind)

    def make(a: Args) -> Expression:
        if len(a) in (4, 5) or (ntz and len(a) in (3, 7)):
            wrong_count(name, "[2, 6]" if ntz else "[1, 2, 3, 6, 7]", len(a), a[0])
        if len(a) < 4:
            return from_parts(a)
        if plain:
            # Its zone does not print, and counts all the same.
            spec = replace(numbers, name="make_timestamp", option=7)
            return Replaced(name, a[:6], FunctionCall("make_timestamp", a, spec, (ZONE, "false", kind)))
        return FunctionCall(name, a, numbers, tail)

    def from_parts(a: Args) -> Expression:
        if plain or ntz:
            spec = spec_of(name, "A! TM! S!", t)
            inner = FunctionCall("make_timestamp_ntz", a, spec)
            return Replaced(name, (inner,), inner) if ntz and not fails else FunctionCall(name, a, spec)
        shown = [f"Some({x})" for x in a[1:]] + ["None"] * (3 - len(a))
        spec = FunctionSpec(parts.name, parts.inputs[: len(a)], parts.result)
        made = FunctionCall("make_timestamp", a, spec)
        return Replaced("make_timestamp", (a[0], *shown, ZONE), made, "", a)

    return make


def _time_bucket(a: Args) -> Expression:
    # A NULL is of the type that the other of the two says.
    timed = [x.data_type for x in a[1:3] if x.data_type != NULL]
    kind = TIMESTAMP_NTZ if timed and timed[0] == TIMESTAMP_NTZ else TIMESTAMP
    if timed:
        a = (
            a[0],
            *(x.rebuilt(Literal(None, kind)) if isinstance(x, Literal) and x.data_type == NULL else x for x in a[1:]),
        )
    return signed("time_bucket", a if len(a) > 2 else (*a, Literal(datetime(1970, 1, 1), kind)))


def _convert_timezone(a: Args) -> Expression:
    zone = FunctionCall("current_timezone", (), signed("current_timezone", ()).spec)
    return signed("convert_timezone", a if len(a) == 3 else (zone, *a))


def _time(a: Args) -> Expression:
    """Spark has the functions of the TIME type switched off."""
    raise analysis_error("UNSUPPORTED_TIME_TYPE", "The data type TIME is not supported.", a[0] if a else None)


def _clock(name: str) -> Builder:
    """hour, minute, second; of a TIME they are switched off."""
    return lambda a: _time(a) if is_time(a[0].data_type) else signed(name, a)


def _current_time(a: Args) -> Expression:
    return FunctionCall("current_time", a or (lit(6),), FunctionSpec("current_time", (), lambda _: TIME), (ZONE,))


CURRENT = {
    "current_timestamp": FunctionSpec("current_timestamp", (), lambda _: TIMESTAMP, False),
    "now": FunctionSpec("now", (), lambda _: TIMESTAMP, False),
    "current_date": FunctionSpec("current_date", (), lambda _: DATE, False, tail=(ZONE,)),
    "localtimestamp": FunctionSpec("localtimestamp", (), lambda _: TIMESTAMP_NTZ, False, tail=(ZONE,)),
}


def _current(name: str) -> Builder:
    spec = CURRENT[name]
    return lambda a: FunctionCall(name, (), spec, spec.tail)


BUILDERS: dict[str, Entry] = {
    "to_date": (1, 2, _to_date("to_date", True)),
    "try_to_date": (1, 2, _to_date("try_to_date", False)),
    "to_timestamp": (1, 2, _to_timestamp("to_timestamp", TIMESTAMP)),
    "to_timestamp_ltz": (1, 2, _to_timestamp("to_timestamp_ltz", TIMESTAMP)),
    "to_timestamp_ntz": (1, 2, _to_timestamp("to_timestamp_ntz", TIMESTAMP_NTZ)),
    "try_to_timestamp": (1, 2, _to_timestamp("try_to_timestamp", TIMESTAMP, False)),
    "unix_timestamp": (0, 2, _unix_timestamp("unix_timestamp")),
    "to_unix_timestamp": (1, 2, _unix_timestamp("to_unix_timestamp")),
    "extract": (2, 2, _extract("extract")),
    "date_part": (2, 2, _extract("date_part")),
    "datepart": (2, 2, _extract("datepart")),
    "hour": (1, 1, _clock("hour")),
    "minute": (1, 1, _clock("minute")),
    "second": (1, 1, _clock("second")),
    "timestampadd": (3, 3, _timestamp_shift),
    "timestampdiff": (3, 3, lambda a: FunctionCall("timestampdiff", a, _DIFFERENCE, (ZONE,))),
    "time_bucket": (2, 3, _time_bucket),
    "convert_timezone": (2, 3, _convert_timezone),
    "current_time": (0, 1, _current_time),
    "localtime": (0, 1, _current_time),
    "current_timestamp": (0, 0, _current("current_timestamp")),
    "now": (0, 0, _current("now")),
    "current_date": (0, 0, _current("current_date")),
    "curdate": (0, 0, _current("current_date")),
    "localtimestamp": (0, 0, _current("localtimestamp")),
    "make_timestamp": (1, 7, _make_timestamp("make_timestamp", TIMESTAMP)),
    "make_timestamp_ltz": (2, 7, _make_timestamp("make_timestamp_ltz", TIMESTAMP)),
    "make_timestamp_ntz": (2, 6, _make_timestamp("make_timestamp_ntz", TIMESTAMP_NTZ)),
    "try_make_timestamp": (1, 7, _make_timestamp("try_make_timestamp", TIMESTAMP)),
    "try_make_timestamp_ltz": (2, 7, _make_timestamp("try_make_timestamp_ltz", TIMESTAMP)),
    "try_make_timestamp_ntz": (2, 6, _make_timestamp("try_make_timestamp_ntz", TIMESTAMP_NTZ)),
    "make_time": (3, 3, _time),
    "to_time": (1, 2, _time),
    "try_to_time": (1, 2, _time),
    "time_diff": (3, 3, _time),
    "time_trunc": (2, 2, _time),
    **{f"time_{way}_{unit}": (1, 1, _time) for way in ("from", "to") for unit in ("seconds", "millis", "micros")},
}

#: What takes the place of a function where TIMESTAMP has no time zone (spark.sql.timestampType).
WITHOUT_ZONE: dict[str, Entry] = {
    "to_timestamp": (1, 2, _to_timestamp("to_timestamp", TIMESTAMP_NTZ)),
    "try_to_timestamp": (1, 2, _to_timestamp("try_to_timestamp", TIMESTAMP_NTZ, False)),
    "make_timestamp": (1, 7, _make_timestamp("make_timestamp", TIMESTAMP_NTZ)),
}
