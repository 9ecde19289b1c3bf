"""The columns of rows that a program writes down: types inferred as PySpark does, values checked against a schema.

Raises PySpark's own errors: CANNOT_INFER_EMPTY_SCHEMA, CANNOT_DETERMINE_TYPE, CANNOT_MERGE_TYPE,
FIELD_DATA_TYPE_UNACCEPTABLE_WITH_NAME, FIELD_NOT_NULLABLE_WITH_NAME, FIELD_STRUCT_LENGTH_MISMATCH.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal

from planviz.dataframe.refusals import BadRows
from planviz.errors import InputError
from planviz.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    NULL,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    parse_fields,
    parse_type,
)

#: What a value of a type has to be in Python; a text takes everything, other types are not checked.
_ACCEPTED: dict[DataType, tuple[type, ...]] = {
    BOOLEAN: (bool,), BYTE: (int,), SHORT: (int,), INT: (int,), LONG: (int,), FLOAT: (float,), DOUBLE: (float,),
    BINARY: (bytes, bytearray), DATE: (date, datetime), TIMESTAMP: (datetime,), TIMESTAMP_NTZ: (datetime,),
}  # fmt: skip
#: The classes of values that are surely what they are; anything else stands for what nobody knows.
_PLAIN = (bool, int, float, str, bytes, bytearray, date, datetime, Decimal, timedelta, list, tuple, dict)


#: What says the columns of rows: DDL text, a type, the names alone, or nothing.
Schema = DataType | str | Iterable[str] | None


def fields_of(rows: list[object], schema: Schema, verify: bool = True) -> Sequence[StructField]:
    """The columns of rows: as the schema (DDL text, type, list of names, None) gives them, else inferred."""
    if isinstance(schema, str):
        fields = _named_fields(schema)
    elif isinstance(schema, StructType):
        fields = schema.fields
    elif isinstance(schema, DataType):
        return [StructField("value", schema)]
    else:
        return _inferred(rows, schema)
    if verify:
        for row in rows:
            _verify(row, fields)
    return fields


def _inferred(rows: list[object], schema: Iterable[str] | None) -> list[StructField]:
    if not rows:
        raise BadRows(
            "CANNOT_INFER_EMPTY_SCHEMA", "Can not infer schema from an empty dataset: give a schema, as 'id int'."
        )
    names = list(schema) if schema is not None else None
    types: dict[str, DataType] = {}
    for row in rows:
        # Fields of one name are one column, wherever they stand in their rows.
        for name, v in _record(row):
            types[name] = _merged(types.get(name, NULL), _type_of(v))
    if names is not None and len(names) > len(types):
        raise IndexError("list index out of range")
    if any(map(_open, types.values())):
        raise BadRows("CANNOT_DETERMINE_TYPE", "Some of types cannot be determined after inferring.")
    labels = (names or []) + list(types)[len(names or ()) :]
    return [StructField(n, t) for n, t in zip(labels, types.values(), strict=True)]


def _verify(row: object, fields: Sequence[StructField]) -> None:
    if isinstance(row, dict):
        values: Sequence[object] = [row.get(f.name) for f in fields]
    elif type(row) in (tuple, list):
        values = row  # type: ignore[assignment]
    else:
        return
    if len(values) != len(fields):
        raise BadRows(
            "FIELD_STRUCT_LENGTH_MISMATCH",
            f"Length of object ({len(values)}) does not match with length of fields ({len(fields)}).",
        )
    for f, v in zip(fields, values, strict=True):
        if v is None:
            if not f.nullable:
                raise BadRows(
                    "FIELD_NOT_NULLABLE_WITH_NAME", f"field {f.name}: This field is not nullable, but got None."
                )
            continue
        accepted = (Decimal,) if isinstance(f.data_type, DecimalType) else _ACCEPTED.get(f.data_type)
        if accepted is not None and type(v) in _PLAIN and type(v) not in accepted:
            raise BadRows(
                "FIELD_DATA_TYPE_UNACCEPTABLE_WITH_NAME",
                f"field {f.name}: {f.data_type.scala_name}() can not accept object {v!r:.80} in type {type(v)}.",
                "PySparkTypeError",
            )


def _named_fields(text: str) -> Sequence[StructField]:
    """The fields of a column list, of a struct's type, or one called `value` of any other type."""
    try:
        return parse_fields(text)
    except InputError as no_list:
        try:
            kind = parse_type(text)
        except InputError:
            raise no_list from None
    return kind.fields if isinstance(kind, StructType) else [StructField("value", kind)]


def _record(row: object) -> list[tuple[str, object]]:
    if isinstance(row, dict):
        # Python's own dicts keep their order; PySpark sorts the keys.
        return sorted(row.items(), key=lambda item: item[0])
    fields: tuple[str, ...] = getattr(row, "_fields", ())
    if fields and isinstance(row, Iterable):
        return list(zip(fields, row, strict=True))
    if not isinstance(row, list | tuple):
        told = f"Can not infer schema for type: `{type(row).__name__}`; give rows, as [(1,), (2,)], or a type."
        raise BadRows("CANNOT_INFER_SCHEMA_FOR_TYPE", told, "PySparkTypeError")
    return [(f"_{i + 1}", v) for i, v in enumerate(row)]


_TYPES: list[tuple[type, DataType]] = [
    (type(None), NULL), (bool, BOOLEAN), (int, LONG), (float, DOUBLE), (str, STRING), (bytes, BINARY),
    (bytearray, BINARY), (Decimal, DecimalType(38, 18)), (datetime, TIMESTAMP), (date, DATE),
]  # fmt: skip


def _type_of(value: object) -> DataType:
    if isinstance(value, list):
        return ArrayType(type_of_values(value))
    if isinstance(value, dict):
        return MapType(type_of_values(value), type_of_values(value.values()))
    if isinstance(value, tuple):
        return StructType(tuple(StructField(n, _type_of(v)) for n, v in _record(value)))
    found = next((t for kind, t in _TYPES if isinstance(value, kind)), None)
    if found is None:
        raise InputError(f"A {type(value).__name__} has no type in SQL; give a schema or plain values.")
    return found


def type_of_values(values: Iterable[object]) -> DataType:
    """The type of a column that holds these values. Raises InputError where they have none in common."""
    found: DataType = NULL
    for v in values:
        found = _merged(found, _type_of(v))
    return found


def _open(kind: DataType) -> bool:
    """Whether a part of a type is not told by any value."""
    match kind:
        case ArrayType():
            return _open(kind.element)
        case MapType():
            return _open(kind.key) or _open(kind.value)
        case StructType():
            return any(_open(f.data_type) for f in kind.fields)
    return kind is NULL


def _merged(a: DataType, b: DataType) -> DataType:
    """The type of a column that holds both: a text where one is a text, nulls apart no other two."""
    match a, b:
        case _ if a == b or b is NULL:
            return a
        case _ if a is NULL:
            return b
        case ArrayType(), ArrayType():
            return ArrayType(_merged(a.element, b.element))
        case MapType(), MapType():
            return MapType(_merged(a.key, b.key), _merged(a.value, b.value))
        case StructType(), StructType():
            known = {f.name: f for f in b.fields}
            fields = [
                StructField(f.name, _merged(f.data_type, known[f.name].data_type) if f.name in known else f.data_type)
                for f in a.fields
            ]
            have = {f.name for f in a.fields}
            return StructType((*fields, *(f for f in b.fields if f.name not in have)))
    if STRING in (a, b) and not isinstance(a, _NESTED) and not isinstance(b, _NESTED):
        return STRING
    names = [t.scala_name.split("(")[0] for t in (a, b)]
    raise BadRows(
        "CANNOT_MERGE_TYPE", f"Can not merge type `{names[0]}` and `{names[1]}`; give a schema.", "PySparkTypeError"
    )


_NESTED = (ArrayType, MapType, StructType)
