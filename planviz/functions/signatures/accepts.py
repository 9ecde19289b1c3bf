"""What an argument may be, by short codes (Spark: AbstractDataType, TypeCollection).

A code is one or more names with `|` between; `S[]` is an array of S. A name is a type (`I` int) or a family (`N` any
number). `!` behind it: such a type or null as they are, nothing is cast; `!!`: such a type, and no null. The order of
alternatives matters: an implicit cast goes to the first one that allows it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from planviz.expressions.specs import Accepts
from planviz.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    FLOAT,
    FOR_TYPE,
    GEOGRAPHY,
    GEOMETRY,
    INT,
    LONG,
    NULL,
    SHORT,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    ArrayType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    GeospatialType,
    MapType,
    StringType,
    StructType,
    YearMonthIntervalType,
    is_integral,
    is_numeric,
)

TYPES: dict[str, DataType] = {
    "S": STRING, "X": BINARY, "Y": BYTE, "SH": SHORT, "I": INT, "L": LONG, "F": FLOAT, "D": DOUBLE, "B": BOOLEAN,
    "A": DATE, "T": TIMESTAMP, "TN": TIMESTAMP_NTZ, "TM": TIME, "V": CALENDAR_INTERVAL, "VAR": VARIANT, "NUL": NULL,
    "U16": DecimalType(16, 6), "U18": DecimalType(18, 6),
}  # fmt: skip


def _family(
    word: str, test: Callable[[DataType], bool], default: DataType | None, casts: dict[DataType, DataType] | None = None
) -> Accepts:
    return Accepts(f'"{word}"', test, default, (), casts or {NULL: NULL})


def _text(test: Callable[[str], bool]) -> Accepts:
    """Text of the collations that a function can work by."""
    return Accepts('"STRING"', lambda t: isinstance(t, StringType) and test(t.collation), STRING)


_FAMILIES: dict[str, Accepts] = {
    # All but those that tell capitals apart and accents not.
    "SA": _text(lambda name: "_AI" not in name or "_CI" in name),
    # Those of bytes and of lower case.
    "SL": _text(lambda name: name in ("UTF8_BINARY", "UTF8_LCASE")),
    "N": _family("NUMERIC", is_numeric, DOUBLE, {STRING: DOUBLE}),
    "SUM": _family("NUMERIC", is_numeric, DOUBLE, {STRING: DOUBLE, TIMESTAMP: DOUBLE}),
    "IL": _family("INTEGRAL", is_integral, LONG, {STRING: LONG}),
    "DEC": _family(
        "DECIMAL", lambda t: isinstance(t, DecimalType), DecimalType(38, 18), {**FOR_TYPE, STRING: DecimalType(38, 18)}
    ),
    "TT": _family(
        "(TIMESTAMP OR TIMESTAMP WITHOUT TIME ZONE)",
        lambda t: t in (TIMESTAMP, TIMESTAMP_NTZ),
        TIMESTAMP,
        {STRING: TIMESTAMP, DATE: TIMESTAMP},
    ),
    "R": _family("ARRAY", lambda t: isinstance(t, ArrayType), ArrayType(NULL)),
    "M": _family("MAP", lambda t: isinstance(t, MapType), MapType(NULL, NULL)),
    "ST": _family("STRUCT", lambda t: isinstance(t, StructType), StructType(())),
    "GEOG": _family("GEOGRAPHY", lambda t: isinstance(t, GeospatialType) and t.kind == "geography", GEOGRAPHY),
    "GEOM": _family("GEOMETRY", lambda t: isinstance(t, GeospatialType) and t.kind == "geometry", GEOMETRY),
    "DT": _family("INTERVAL DAY TO SECOND", lambda t: isinstance(t, DayTimeIntervalType), DayTimeIntervalType()),
    "YM": _family("INTERVAL YEAR TO MONTH", lambda t: isinstance(t, YearMonthIntervalType), YearMonthIntervalType()),
    "*": _family("ANY", lambda t: True, None),
}


@cache
def accepts(code: str) -> Accepts:
    """The parameter that a code stands for."""
    if code.endswith("!!"):
        return accepts(code[:-2]).strictly()
    if code.endswith("!"):
        return accepts(code[:-1]).as_it_is()
    if "|" in code:
        return Accepts.one_of(*map(accepts, code.split("|")))
    if code in _FAMILIES:
        return _FAMILIES[code]
    return Accepts.exactly(type_of(code))


def type_of(code: str) -> DataType:
    """The type that a code names."""
    if code.endswith("[]"):
        return ArrayType(type_of(code[:-2]))
    return TYPES[code]
