"""JSON read as a type, written from a value, and the type that a document suggests."""

from __future__ import annotations

import base64
import json
from datetime import datetime
from decimal import Decimal, InvalidOperation

from planviz.evaluation.arithmetic import to_decimal
from planviz.evaluation.core import OUT_OF_REACH, function, zone
from planviz.evaluation.dateformats import formatted, formatted_timestamp, parsed
from planviz.evaluation.documents import Raw, written
from planviz.evaluation.errors import AlwaysFailsError, FailsError, UnknownValueError
from planviz.evaluation.instants import date_of, time_of, timestamp_of
from planviz.expressions.calls import FunctionCall
from planviz.expressions.literals import literal_text
from planviz.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VARIANT,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    is_integral,
    is_interval,
    is_string,
    is_time,
)
from planviz.types.values import Value

_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}


class _NotJson(Exception):
    """The text is no JSON document."""


def options_of(parts: tuple[str, ...], known: set[str]) -> dict[str, str]:
    """The options among what a call prints, by their names in small letters. Raises UnknownValueError for others."""
    pairs = [p[1:-1].partition(",") for p in parts if p.startswith("(") and p.endswith(")")]
    options = {k.lower(): v for k, _, v in pairs}
    if options.keys() - known:
        raise UnknownValueError(str(options))
    return options


def _refused(text: str) -> object:
    raise _NotJson(text)


def _read(text: str) -> object:
    """A JSON document, numbers as they are written. Raises _NotJson, UnknownValueError for what Jackson may accept."""
    if "'" in text and not text.lstrip().startswith('{"'):
        raise UnknownValueError(text)
    try:
        return json.loads(text, parse_float=Raw, parse_int=Raw, parse_constant=_refused)
    except ValueError:
        if "'" in text:
            raise UnknownValueError(text) from None
        raise _NotJson(text) from None


# ------------------------------------------------------------------------------------------------------- writing


@function("to_json", typed=True)
def _to_json(e: FunctionCall, value: object) -> str:
    options = options_of(e.lead + e.tail, {"ignorenullfields", "timestampformat", "dateformat", "sortkeys"})
    t = e.arguments[0].data_type
    if options.get("sortkeys", "false").lower() != "false":
        raise UnknownValueError(str(e))
    return written(_document(value, t, options))


def _document(value: Value, t: DataType, options: dict[str, str]) -> object:
    """What JSON says for a value: dicts, lists, texts, numbers as Raw."""
    if value is None:
        return None
    if isinstance(t, StructType):
        keep = options.get("ignorenullfields", "true").lower() == "false"
        pairs = [(f.name, v, f.data_type) for f, v in zip(t.fields, value, strict=True) if v is not None or keep]
        return {n: _document(v, x, options) for n, v, x in pairs}
    if isinstance(t, ArrayType):
        return [_document(v, t.element, options) for v in value]
    if isinstance(t, MapType):
        if not is_string(t.key):
            raise UnknownValueError(str(t))
        return {k: _document(v, t.value, options) for k, v in value}
    if is_string(t) or t == BOOLEAN:
        return value
    if t == VARIANT:
        return Raw(value)
    if t == BINARY:
        return base64.b64encode(value).decode("ascii")
    if t in (TIMESTAMP, TIMESTAMP_NTZ):
        return formatted_timestamp(value, t == TIMESTAMP, options)
    if t == DATE:
        if "dateformat" not in options:
            return value.isoformat()
        return formatted(datetime(value.year, value.month, value.day), options["dateformat"])
    if is_integral(t) or isinstance(t, DecimalType):
        return Raw(f"{value:f}" if isinstance(value, Decimal) else value)
    if t in (DOUBLE, FLOAT):
        text = literal_text(value, t)
        return text if text.endswith(("NaN", "Infinity")) else Raw(text)
    if is_interval(t) or (is_time(t) and "timeformat" not in options):
        return literal_text(value, t)
    raise UnknownValueError(str(t))


# ------------------------------------------------------------------------------------------------------- reading


@function("from_json", typed=True)
def _from_json(e: FunctionCall, text: str) -> object:
    """In the permissive mode what cannot be read is null, field by field; in the mode FAILFAST it fails."""
    options = options_of(e.lead, {"timestampformat", "dateformat", "mode"})
    t = e.data_type
    fast = options.get("mode", "").upper() == "FAILFAST"
    if not text.strip():
        raise UnknownValueError(str(e))
    nothing = tuple(None for _ in t.fields) if isinstance(t, StructType) else None
    try:
        document = _read(text)
    except _NotJson:
        if fast:
            raise _malformed() from None
        return nothing
    if isinstance(t, StructType) and not isinstance(document, dict):
        if isinstance(document, list):
            raise UnknownValueError(text)
        return nothing
    if isinstance(t, ArrayType) and isinstance(document, dict):
        document = [document]
    try:
        return _value(document, t, options)
    except FailsError:
        if fast:
            raise _malformed() from None
        return None


def _malformed() -> AlwaysFailsError:
    return AlwaysFailsError("a record that is malformed", "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION")


def _value(document: object, t: DataType, options: dict[str, str]) -> object:
    """A part of a document as a type. Raises FailsError where it is not of the type."""
    if document is None:
        return None
    if isinstance(t, StructType) and isinstance(document, dict):
        return tuple(_field(document.get(f.name), f.data_type, options) for f in t.fields)
    if isinstance(t, ArrayType) and isinstance(document, list):
        return tuple(_value(v, t.element, options) for v in document)
    if isinstance(t, MapType) and isinstance(document, dict) and is_string(t.key):
        return tuple((k, _value(v, t.value, options)) for k, v in document.items())
    if is_string(t):
        return str(document) if isinstance(document, str) else written(document)
    if t == BOOLEAN and isinstance(document, bool):
        return document
    try:
        return _scalar(document, t, options)
    except UnknownValueError:
        raise
    except (*OUT_OF_REACH, InvalidOperation):
        raise FailsError(str(document)) from None


def _field(document: object, t: DataType, options: dict[str, str]) -> object:
    try:
        return _value(document, t, options)
    except FailsError:
        if options.get("mode", "").upper() == "FAILFAST":
            raise
        return None


def _scalar(document: Value, t: DataType, options: dict[str, str]) -> object:
    number = isinstance(document, Raw)
    if is_integral(t) and number:
        value, bits = int(document), _BITS[t.simple_string]
        if not -(1 << bits - 1) <= value < 1 << bits - 1:
            raise FailsError(document)
        return value
    if isinstance(t, DecimalType) and number:
        return _decimal(Decimal(document), t)
    if t in (DOUBLE, FLOAT) and number:
        return float(document)
    text = isinstance(document, str) and not number
    if t == BINARY and text:
        return base64.b64decode(document, validate=True)
    if t == DATE and text:
        return parsed(document, options["dateformat"]).date() if "dateformat" in options else date_of(document)
    if t in (TIMESTAMP, TIMESTAMP_NTZ) and text:
        zoned = t == TIMESTAMP
        if "timestampformat" not in options:
            return timestamp_of(document, zoned)
        return parsed(document, options["timestampformat"], zoned)
    if is_time(t) and text and "timeformat" not in options:
        return time_of(document)
    if isinstance(document, bool | dict | list) or (is_integral(t) and text):
        raise FailsError(str(document))
    raise UnknownValueError(f"{document} as {t} in {zone()}")


def _decimal(value: Decimal, t: DecimalType) -> Decimal:
    return to_decimal(value, t)


# ------------------------------------------------------------------------------------------------------- inferring


@function("schema_of_json", typed=True)
def _schema_of_json(e: FunctionCall, text: str) -> str:
    """Spark: JsonInferSchema; null is a string in the end."""
    options = options_of(e.lead + e.tail, {"primitivesasstring", "prefersdecimal", "mode"})
    if options.get("mode", "PERMISSIVE").upper() != "PERMISSIVE" or not text.strip():
        raise UnknownValueError(text)
    try:
        t = _inferred(_read(text), options)
    except _NotJson:
        raise FailsError(text) from None
    return _without_null(t).sql


def _inferred(document: object, options: dict[str, str]) -> DataType:
    if document is None:
        return NULL
    if isinstance(document, dict):
        if not document:
            raise UnknownValueError("{}")
        names = sorted(document, key=lambda n: n.encode("utf-16-be"))
        return StructType(tuple(StructField(n, _inferred(document[n], options)) for n in names))
    if isinstance(document, list):
        element: DataType = NULL
        for v in document:
            element = _common(element, _inferred(v, options))
        return ArrayType(element)
    if options.get("primitivesasstring", "false").lower() == "true":
        return STRING
    if isinstance(document, bool):
        return BOOLEAN
    return _number(document, options) if isinstance(document, Raw) else STRING


def _number(text: str, options: dict[str, str]) -> DataType:
    exact = Decimal(text)
    _, digits, exponent = exact.as_tuple()
    scale = max(-int(exponent), 0)
    precision = max(len(digits) + max(int(exponent), 0), scale)
    whole = not set(text) & set(".eE")
    if whole and -(1 << 63) <= int(text) < 1 << 63:
        return LONG
    fits = precision <= 38
    if whole:
        return DecimalType(precision, 0) if fits else DOUBLE
    return DecimalType(precision, scale) if fits and options.get("prefersdecimal", "").lower() == "true" else DOUBLE


def _common(a: DataType, b: DataType) -> DataType:
    """The type for values of both; what does not go together is a string."""
    if a == b or b == NULL:
        return a
    if a == NULL:
        return b
    if isinstance(a, StructType) and isinstance(b, StructType):
        types: dict[str, DataType] = {f.name: f.data_type for f in a.fields}
        for f in b.fields:
            types[f.name] = _common(types.get(f.name, NULL), f.data_type)
        return StructType(tuple(StructField(n, types[n]) for n in sorted(types, key=lambda n: n.encode("utf-16-be"))))
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        return ArrayType(_common(a.element, b.element))
    if {a, b} == {LONG, DOUBLE}:
        return DOUBLE
    if isinstance(a, DecimalType) or isinstance(b, DecimalType):
        raise UnknownValueError("decimals of several kinds")
    return STRING


def _without_null(t: DataType) -> DataType:
    if isinstance(t, StructType):
        return StructType(tuple(StructField(f.name, _without_null(f.data_type)) for f in t.fields))
    if isinstance(t, ArrayType):
        return ArrayType(_without_null(t.element))
    return STRING if t == NULL else t
