"""A line of CSV read as a struct, written from one, and the types that it suggests."""

from __future__ import annotations

import re
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from planviz.evaluation.casts import convert, text_of
from planviz.evaluation.core import OUT_OF_REACH, function, shown_bytes
from planviz.evaluation.dateformats import formatted, formatted_timestamp, parsed
from planviz.evaluation.errors import FailsError, UnknownValueError
from planviz.evaluation.instants import date_of, time_of, timestamp_of
from planviz.evaluation.jsonvalues import options_of
from planviz.expressions.calls import FunctionCall
from planviz.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    DecimalType,
    StructField,
    StructType,
    is_integral,
    is_string,
    is_time,
)
from planviz.types.instants import written_instant
from planviz.types.values import Value

if TYPE_CHECKING:
    from planviz.expressions.core import Expression

_KNOWN = {"sep", "delimiter", "timestampformat", "dateformat", "mode"}
_WRITES = {"sep", "delimiter", "timestampformat", "dateformat", "quoteall"}


def _separator(options: dict[str, str]) -> str:
    given = options.get("sep") or options.get("delimiter") or ","
    if len(given) != 1:
        raise UnknownValueError(given)
    return given


def _cells(line: str, options: dict[str, str]) -> list[str | None]:
    """The parts of a line; an empty one is null. Raises UnknownValueError for quotes and for several lines."""
    if '"' in line or "\\" in line or "\n" in line or "\r" in line:
        raise UnknownValueError(line)
    return [c or None for c in line.split(_separator(options))]


@function("from_csv", typed=True)
def _from_csv(e: FunctionCall, line: str) -> tuple[Expression, ...]:
    """In the permissive mode: what cannot be read is null, field by field."""
    options = options_of(e.lead, _KNOWN)
    t = e.data_type
    permissive = options.get("mode", "PERMISSIVE").upper() == "PERMISSIVE"
    if not permissive or not line.strip() or not isinstance(t, StructType):
        raise UnknownValueError(str(e))
    cells = [*_cells(line, options), *(None for _ in t.fields)]
    return tuple(cell_value(c, f.data_type, options) for c, f in zip(cells, t.fields, strict=False))


def cell_value(text: str | None, t: DataType, options: dict[str, str]) -> Value:
    """A cell as a value of a type; null where it is none. Raises UnknownValueError."""
    if text is None or is_string(t):
        return text
    try:
        return _value(text, t, options)
    except UnknownValueError as error:
        if isinstance(error, FailsError):
            return None
        raise
    except OUT_OF_REACH:
        return None


def _value(text: str, t: DataType, options: dict[str, str]) -> object:
    if is_integral(t):
        if not re.fullmatch(r"[+-]?\d+", text, re.ASCII):
            raise FailsError(text)
        return convert(text, STRING, t)
    if t in (DOUBLE, FLOAT) or isinstance(t, DecimalType):
        return convert(text, STRING, t)
    if t == BOOLEAN:
        if text.lower() not in ("true", "false"):
            raise FailsError(text)
        return text.lower() == "true"
    if t == DATE:
        return parsed(text, options["dateformat"]).date() if "dateformat" in options else date_of(text)
    if t in (TIMESTAMP, TIMESTAMP_NTZ):
        zoned = t == TIMESTAMP
        known = options.get("timestampformat")
        return parsed(text, known, zoned) if known else timestamp_of(text, zoned)
    if is_time(t) and "timeformat" not in options:
        return time_of(text)
    if t == BINARY:
        return text.encode()
    raise UnknownValueError(str(t))


@function("to_csv", typed=True)
def _to_csv(e: FunctionCall, value: tuple[object, ...]) -> str:
    options = options_of(e.lead + e.tail, _WRITES)
    struct = e.arguments[0].data_type
    if not isinstance(struct, StructType):
        raise UnknownValueError(str(e))
    fields = struct.fields
    separator = _separator(options)
    every = options.get("quoteall", "false").lower() == "true"
    cells = [_written(v, f.data_type, options) for v, f in zip(value, fields, strict=True)]
    if any(c is not None and (not c or set(c) & {'"', "\\", "\n", "\r", separator} or c != c.strip()) for c in cells):
        raise UnknownValueError(str(e))
    return separator.join("" if c is None else f'"{c}"' if every else c for c in cells)


def _written(value: Value, t: DataType, options: dict[str, str]) -> str | None:
    if value is None:
        return None
    if t in (TIMESTAMP, TIMESTAMP_NTZ):
        return formatted_timestamp(value, t == TIMESTAMP, options)
    if t == DATE and "dateformat" in options:
        return formatted(datetime(value.year, value.month, value.day), options["dateformat"])
    if isinstance(value, tuple):
        raise UnknownValueError(str(t))
    return shown_bytes(value) if t == BINARY else text_of(value, t)


@function("schema_of_csv", typed=True)
def _schema_of_csv(e: FunctionCall, line: str) -> str:
    """Spark: CSVInferSchema; a column without a value is a string."""
    options = options_of(e.lead + e.tail, _KNOWN)
    types = [_inferred(c, options) for c in _cells(line, options)]
    return StructType(tuple(StructField(f"_c{i}", t) for i, t in enumerate(types))).sql


def _is_time_of_today(text: str) -> bool:
    written = written_instant(text)
    if written is None or written.day is not None:
        return False
    return written.hour < 24 and written.minute < 60 and written.second < 60


def _inferred(text: str | None, options: dict[str, str]) -> DataType:
    """The first of int, bigint, decimal, double, date, timestamp, boolean that the text is."""
    if text is None:
        return STRING
    if re.fullmatch(r"[+-]?\d+", text, re.ASCII):
        bits = int(text).bit_length()
        if bits < 64:
            return INT if bits < 32 else LONG
        digits = len(Decimal(text).as_tuple().digits)
        return DecimalType(digits, 0) if digits <= 38 else DOUBLE
    for t in (DOUBLE, DATE, TIMESTAMP):
        if t == DATE and "dateformat" not in options:
            strict = re.fullmatch(r"\d{4}-\d{2}-\d{2}", text)
            if not strict:
                continue
        if t == TIMESTAMP and "timestampformat" not in options and _is_time_of_today(text):
            return t
        try:
            _value(text, t, options)
        except (UnknownValueError, *OUT_OF_REACH):
            continue
        return t
    return BOOLEAN if text.lower() in ("true", "false") else STRING
