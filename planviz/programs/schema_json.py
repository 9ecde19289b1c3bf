"""Schemas as the JSON that Spark writes for them, read and written (StructType.fromJson, DataType.json)."""

from __future__ import annotations

import json

from planviz.errors import InputError
from planviz.programs.signals import raised
from planviz.programs.values import Native, Unknown, Value
from planviz.types import ArrayType, DataType, MapType, StructField, StructType, parse_fields, parse_type

#: Types by the names that they have in JSON, where SQL has others.
_LONG = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}
_SHORT = {sql: name for name, sql in _LONG.items()}
#: How deep types may nest in each other.
_DEEPEST = 100
#: How many parts a type has at most whose JSON is written.
_MOST_PARTS = 10_000


def type_of_json(form: Value, depth: int = 0) -> DataType:
    """A type from its JSON, as Python's json has it. Raises InputError where it says none."""
    if depth > _DEEPEST:
        raise InputError("The schema nests too deep.")
    if isinstance(form, str):
        return parse_type(_LONG.get(form, form))
    kind = form.get("type") if isinstance(form, dict) else None
    try:
        if kind == "array":
            return ArrayType(type_of_json(form["elementType"], depth + 1), bool(form.get("containsNull", True)))
        if kind == "map":
            key, value = (type_of_json(form[k], depth + 1) for k in ("keyType", "valueType"))
            return MapType(key, value, bool(form.get("valueContainsNull", True)))
        if kind == "struct":
            return StructType(tuple(_field(f, depth + 1) for f in form["fields"]))
    except (KeyError, TypeError) as e:
        raise InputError(f"The schema lacks {e}.") from None
    raise InputError("The JSON is no schema.")


def _field(form: Value, depth: int) -> StructField:
    return StructField(str(form["name"]), type_of_json(form["type"], depth), bool(form.get("nullable", True)))


def json_of_type(kind: DataType) -> Value:
    """A type as JSON has it (DataType.jsonValue); not known of one that has too many parts."""
    return _written(kind, [_MOST_PARTS])


def json_of_field(field: StructField) -> Value:
    """A field as JSON has it (StructField.jsonValue)."""
    kind = json_of_type(field.data_type)
    return kind if isinstance(kind, Unknown) else _named(field, kind)


def _named(field: StructField, kind: Value) -> Value:
    return {"name": field.name, "type": kind, "nullable": field.nullable, "metadata": {}}


def _written(kind: DataType, left: list[int]) -> Value:
    """The JSON of a type; `left` counts how many parts it may have still."""
    left[0] -= 1
    if left[0] < 0:
        return Unknown("schema")
    parts: list[Value]
    match kind:
        case ArrayType():
            parts = [_written(kind.element, left)]
            made = {"type": "array", "elementType": parts[0], "containsNull": kind.contains_null}
        case MapType():
            parts = [_written(kind.key, left), _written(kind.value, left)]
            nulls = kind.value_contains_null
            made = {"type": "map", "keyType": parts[0], "valueType": parts[1], "valueContainsNull": nulls}
        case StructType():
            parts = [_written(f.data_type, left) for f in kind.fields]
            made = {"type": "struct", "fields": [_named(f, p) for f, p in zip(kind.fields, parts, strict=True)]}
        case _:
            shown = kind.simple_string
            return _SHORT.get(shown, shown)
    return next((p for p in parts if isinstance(p, Unknown)), made)


def json_text(value: Value) -> Value:
    """JSON without spaces and with sorted keys, as DataType.json() writes it."""
    return value if isinstance(value, Unknown) else json.dumps(value, separators=(",", ":"), sort_keys=True)


def of_struct_class(name: str) -> Value:
    """A method of the class StructType itself."""
    if name == "fromJson":
        return Native("fromJson", lambda form: Unknown("schema") if isinstance(form, Unknown) else _read(form), True)
    if name == "fromDDL":
        return Native("fromDDL", parsed_schema, True)
    return Unknown(f"StructType.{name}")


def _read(form: Value) -> Value:
    try:
        return type_of_json(form)
    except InputError as e:
        raise raised("KeyError", str(e)) from None


def schema_of_json(text: Value) -> Value:
    """A schema out of a text of JSON, unknown where it says none."""
    try:
        return type_of_json(json.loads(text)) if isinstance(text, str) else Unknown("schema")
    except (ValueError, RecursionError, InputError):
        return Unknown("schema")


def parsed_schema(text: Value) -> Value:
    """A schema out of DDL (StructType.fromDDL)."""
    if not isinstance(text, str):
        return Unknown("schema")
    try:
        return StructType(tuple(parse_fields(text)))
    except InputError:
        return Unknown("schema")
