"""Functions of variants. A variant's value is its JSON text, without blanks and with the keys of objects in order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import TypeAlias

from planviz.evaluation.core import function, type_of
from planviz.evaluation.errors import FailsError, UnknownValueError
from planviz.expressions.calls import FunctionCall
from planviz.expressions.core import Expression
from planviz.types import (
    BOOLEAN,
    DOUBLE,
    STRING,
    VARIANT,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructType,
    is_integral,
)
from planviz.types.values import Value

#: What JSON holds; numbers with a point are Decimals, those with an exponent floats.
Json: TypeAlias = "bool | int | float | Decimal | str | list[Json] | dict[str, Json] | None"
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]")


def _number(text: str) -> Decimal | float:
    exact = Decimal(text)
    digits = len(exact.as_tuple().digits)
    return float(text) if "e" in text.lower() or digits > 38 else exact


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise FailsError("a key stands twice in an object", "VARIANT_DUPLICATE_KEY")
    return made


def _refused(constant: str) -> Json:
    raise ValueError(constant)


def read(text: str) -> Json:
    """The value of JSON text. Raises FailsError for what is none."""
    try:
        value: Json = json.loads(text, parse_float=_number, object_pairs_hook=_object, parse_constant=_refused)
    except ValueError:
        raise FailsError("no JSON", "MALFORMED_RECORD_IN_PARSING.WITHOUT_SUGGESTION") from None
    return value


def written(value: Json) -> str:
    """The text of a value, as Spark prints a variant."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k, ensure_ascii=False)}:{written(value[k])}" for k in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    if isinstance(value, Decimal):
        shown = value.normalize()
        return f"{shown:f}"
    return json.dumps(value, ensure_ascii=False)


function("parse_json", "try_parse_json")(lambda text: written(read(text)))
function("is_variant_null", nulls=True)(lambda v: v == "null")
function("is_valid_variant")(lambda v: True)


@function("schema_of_variant")
def _schema_of_variant(text: str) -> str:
    return _schema(read(text))


def _schema(value: Json) -> str:
    match value:
        case None:
            return "VOID"
        case bool():
            return "BOOLEAN"
        case int():
            return "BIGINT"
        case float():
            return "DOUBLE"
        case Decimal():
            _, digits, exponent = value.normalize().as_tuple()
            scale = max(-int(exponent), 0)
            return f"DECIMAL({max(len(digits), scale)},{scale})"
        case str():
            return "STRING"
        case dict():
            return "OBJECT<" + ", ".join(f"{k}: {_schema(value[k])}" for k in sorted(value)) + ">"
    kinds = list(dict.fromkeys(map(_schema, value))) or ["VOID"]
    if len(kinds) > 1:
        raise UnknownValueError("the type of an array's several types")
    return f"ARRAY<{kinds[0]}>"


@function("to_variant_object", typed=True)
def _to_variant_object(e: FunctionCall, value: Value) -> str:
    return written(json_of(value, type_of(e, 0)))


def json_of(value: Value, t: DataType) -> Json:
    """A column's value as JSON holds it. Raises UnknownValueError for the types that are not modelled."""
    if t == VARIANT:
        return read(value)
    if isinstance(t, StructType):
        return {f.name: json_of(v, f.data_type) for f, v in zip(t.fields, value, strict=True)}
    if isinstance(t, ArrayType):
        return [json_of(v, t.element) for v in value]
    if isinstance(t, MapType):
        return {str(k): json_of(v, t.value) for k, v in value}
    if value is None or isinstance(value, bool | int | float | str | Decimal):
        kept: Json = value
        return kept
    raise UnknownValueError(t.simple_string)


@function("variant_get", "try_variant_get", typed=True)
def _variant_get(e: Expression, text: str, path: str) -> Value:
    value = read(text)
    for key in steps_of(path):
        held = dict(enumerate(value)) if isinstance(value, list) else value
        if not isinstance(held, dict) or key not in held:
            return None
        value = held[key]  # type: ignore[index]  # a list's keys are numbers, an object's are texts
    return as_type(value, e.data_type)


def steps_of(path: str) -> Iterator[int | str]:
    """Keys and positions of a path such as `$.a[0]['b']`."""
    at = 1
    if not path.startswith("$"):
        raise FailsError(path, "INVALID_VARIANT_GET_PATH")
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            raise FailsError(path, "INVALID_VARIANT_GET_PATH")
        name = next((found[i] for i in (1, 3, 4) if found[i] is not None), None)
        yield int(found[2]) if name is None else name
        at = found.end()


def as_type(value: Json, t: DataType) -> Value:
    """A variant's value as a column's. Raises UnknownValueError for the casts that are not modelled."""
    if t == VARIANT:
        return written(value)
    if value is None:
        return None
    if t == STRING:
        return value if isinstance(value, str) else written(value)
    if isinstance(value, bool):
        if t == BOOLEAN:
            return value
    elif isinstance(value, int):
        if is_integral(t) and -(1 << 31) <= value < 1 << 31 and t.simple_string in ("int", "bigint"):
            return value
        if t == DOUBLE:
            return float(value)
    elif isinstance(value, str) and is_integral(t) and not re.fullmatch(r"\s*[+-]?\d+(\.\d*)?\s*", value):
        raise FailsError(f"the variant {written(value)} cannot be cast to {t.sql}", "INVALID_VARIANT_CAST")
    elif isinstance(value, float | Decimal) and t == DOUBLE:
        return float(value)
    elif isinstance(value, Decimal) and isinstance(t, DecimalType) and t.precision == 38:
        return value.quantize(Decimal(1).scaleb(-t.scale))
    raise UnknownValueError(t.simple_string)
