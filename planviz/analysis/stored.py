"""Nested values as the columns of a table have them (Spark: TableOutputResolver)."""

from __future__ import annotations

from dataclasses import replace

from planviz.analysis.context import same_name
from planviz.analysis.text_lengths import checked
from planviz.expressions.casts import Cast
from planviz.expressions.complex import CreateNamedStruct, GetStructField
from planviz.expressions.conditional import If
from planviz.expressions.core import Expression, Literal, lit
from planviz.expressions.ids import next_id
from planviz.expressions.lambdas import LambdaFunction, NamedLambdaVariable
from planviz.expressions.predicates import IsNull
from planviz.functions.registry import build
from planviz.types import NULL, STRING, UNKNOWN, ArrayType, CharType, DataType, MapType, StructType


def stored(value: Expression, wanted: DataType, zone: str, by_name: bool) -> Expression:
    """A value as a column's type has it: structs put together field by field, arrays and maps entry by entry.

    `zone` is the session's time zone, for casts. Fields stand for each other by their place, `by_name` by their name.
    The value itself where nothing in it changes; structs are always put together anew.
    """
    given = value.data_type
    if isinstance(wanted, CharType):
        return checked(Cast(value, STRING, time_zone=zone), wanted)
    match given, wanted:
        case StructType(), StructType() if len(given.fields) == len(wanted.fields):
            return _struct(value, given, wanted, zone, by_name)
        case ArrayType(), ArrayType():
            return _each(value, "element", given.element, given.contains_null, wanted.element, zone, by_name)
        case MapType(), MapType():
            return _map(value, given, wanted, zone, by_name)
    if UNKNOWN in (given, wanted) or (given != NULL and given.simple_string == wanted.simple_string):
        return value
    return Cast(value, wanted, time_zone=zone)


def _struct(value: Expression, given: StructType, wanted: StructType, zone: str, by_name: bool) -> Expression:
    parts: list[Expression] = []
    for i, field in enumerate(wanted.fields):
        at = next((k for k, f in enumerate(given.fields) if same_name(f.name, field.name)), i) if by_name else i
        parts += [lit(field.name), stored(GetStructField(value, at), field.data_type, zone, by_name)]
    made = CreateNamedStruct(tuple(parts))
    return If(IsNull(value), Literal(None, made.data_type), made) if value.nullable else made


def _each(
    value: Expression, name: str, given: DataType, nullable: bool, wanted: DataType, zone: str, by_name: bool
) -> Expression:
    """An array with each element stored; `name` is what the element is called."""
    variable = NamedLambdaVariable(name, given, nullable, next_id())
    body = stored(variable, wanted, zone, by_name)
    if body is variable:
        return value
    return _call("transform", value, LambdaFunction(body, (variable,)))


def _map(value: Expression, given: MapType, wanted: MapType, zone: str, by_name: bool) -> Expression:
    keys, values = _call("map_keys", value), _call("map_values", value)
    new_keys = _each(keys, "key", given.key, False, wanted.key, zone, by_name)
    new_values = _each(values, "value", given.value, given.value_contains_null, wanted.value, zone, by_name)
    if new_keys is keys and new_values is values:
        return value
    return _call("map_from_arrays", new_keys, new_values)


def _call(name: str, *arguments: Expression) -> Expression:
    made = build((name,), arguments, None)
    assert made is not None
    return made


def named_as(given: DataType, wanted: DataType) -> DataType:
    """A type with the names of the fields of another one of its shape."""
    if isinstance(given, ArrayType) and isinstance(wanted, ArrayType):
        return replace(given, element=named_as(given.element, wanted.element))
    if isinstance(given, MapType) and isinstance(wanted, MapType):
        return replace(given, key=named_as(given.key, wanted.key), value=named_as(given.value, wanted.value))
    if isinstance(given, StructType) and isinstance(wanted, StructType) and len(given.fields) == len(wanted.fields):
        pairs = zip(given.fields, wanted.fields, strict=True)
        return StructType(
            tuple(replace(g, name=w.name, data_type=named_as(g.data_type, w.data_type)) for g, w in pairs)
        )
    return given


def in_order_of(given: DataType, wanted: DataType) -> DataType:
    """A type with its fields in the order of another one that has the same names."""
    if isinstance(given, ArrayType) and isinstance(wanted, ArrayType):
        return replace(given, element=in_order_of(given.element, wanted.element))
    if isinstance(given, MapType) and isinstance(wanted, MapType):
        return replace(given, key=in_order_of(given.key, wanted.key), value=in_order_of(given.value, wanted.value))
    if isinstance(given, StructType) and isinstance(wanted, StructType) and len(given.fields) == len(wanted.fields):
        by_name = {f.name.lower(): f for f in given.fields}
        found = [(by_name.get(w.name.lower()), w.data_type) for w in wanted.fields]
        if all(g is not None for g, _ in found):
            return StructType(
                tuple(replace(g, data_type=in_order_of(g.data_type, t)) for g, t in found if g is not None)
            )
    return given
