"""Arrays, maps, structs."""

from __future__ import annotations

from functools import cmp_to_key

from planviz.evaluation.core import (
    Row,
    bounded,
    compare,
    evaluate,
    expression,
    function,
    last_value_wins,
    strict,
    type_of,
)
from planviz.evaluation.errors import AlwaysFailsError, FailsError
from planviz.expressions.calls import FunctionCall
from planviz.expressions.complex import (
    CreateArray,
    CreateMap,
    CreateNamedStruct,
    GetArrayItem,
    GetArrayStructFields,
    GetMapValue,
    GetStructField,
)
from planviz.expressions.core import Expression
from planviz.types import MapType
from planviz.types.values import Value

Array = tuple[Value, ...]
Map = tuple[tuple[Value, Value], ...]

expression(CreateArray)(lambda e, row: tuple(evaluate(i, row) for i in e.items))
expression(CreateNamedStruct)(lambda e, row: tuple(evaluate(v, row) for v in e.values))
strict(GetStructField)(lambda e, v: v[e.ordinal])
strict(GetArrayStructFields)(lambda e, v: tuple(None if s is None else s[e.ordinal] for s in v))
strict(GetMapValue)(lambda e, entries, key: _entry(entries, key))


def _map_of(pairs: Value) -> Map:
    """A map of these entries. Raises FailsError for a null key, and for a key twice unless its last value wins."""
    found: dict[Value, Value] = {}
    for k, v in pairs:
        if k is None:
            raise FailsError("a key of the map is null", "NULL_MAP_KEY")
        if k in found and not last_value_wins():
            raise FailsError(f"the key {k} of the map stands there twice", "DUPLICATED_MAP_KEY")
        found[k] = v
    return tuple(found.items())


@expression(CreateMap)
def _create_map(e: Expression, row: Row) -> Map:
    values = [evaluate(c, row) for c in e.children]
    return _map_of(list(zip(values[::2], values[1::2], strict=True)))


def _entry(entries: Map, key: object) -> Value:
    return next((v for k, v in entries if compare(k, key) == 0), None)


@strict(GetArrayItem)
def _item(e: GetArrayItem, array: Array, index: int) -> object:
    if 0 <= index < len(array):
        return array[index]
    if e.mode == "LEGACY":
        return None
    raise FailsError(f"the array has {len(array)} elements, none at {index}", "INVALID_ARRAY_INDEX")


function("get")(lambda array, i: array[i] if 0 <= i < len(array) else None)


def _element(e: FunctionCall, whole: Value, key: Value) -> Value:
    if isinstance(type_of(e, 0), MapType):
        return _entry(whole, key)
    if not key:
        raise AlwaysFailsError("positions begin at 1", "INVALID_INDEX_OF_ZERO")
    if abs(key) > len(whole):
        raise LookupError("beyond the end")
    return whole[key - 1 if key > 0 else key]


@function("element_at", typed=True)
def _element_at(e: FunctionCall, whole: Value, key: Expression, *_: object) -> Value:
    try:
        return _element(e, whole, key)
    except LookupError:
        if e.tail[-1] == "false":
            return None
        raise FailsError(
            f"the array has {len(whole)} elements, none at {key}", "INVALID_ARRAY_INDEX_IN_ELEMENT_AT"
        ) from None


@function("try_element_at", typed=True)
def _try_element_at(e: FunctionCall, whole: object, key: Expression, *_: object) -> object:
    try:
        return _element(e, whole, key)
    except LookupError:
        return None


function("array_size", "map_size")(len)


@function("size", "cardinality", typed=True, nulls=True)
def _size(e: FunctionCall, whole: Value) -> int | None:
    """Of null -1 where the flag says so (Spark: legacySizeOfNull)."""
    if whole is None:
        return -1 if e.tail[-1:] == ("true",) else None
    return len(whole)


function("reverse")(lambda x: x[::-1])


def _index(array: Array, value: object) -> int:
    """Where a value stands first, -1 for nowhere."""
    return next((i for i, x in enumerate(array) if x is not None and compare(x, value) == 0), -1)


def distinct(values: Value) -> Array:
    """Each value once, in order of first appearance."""
    out: list[Expression] = []
    for v in values:
        if not any(compare(v, x) == 0 for x in out):
            out.append(v)
    return tuple(out)


def _within(value: object, array: Array) -> bool:
    return any(compare(value, x) == 0 for x in array)


@function("array_contains")
def _array_contains(array: Array, value: object) -> bool | None:
    return True if _index(array, value) >= 0 else None if None in array else False


function("array_position")(lambda array, value: _index(array, value) + 1)
function("array_distinct")(distinct)
function("array_union")(lambda a, b: distinct(a + b))
function("array_intersect")(lambda a, b: distinct(x for x in a if _within(x, b)))
function("array_except")(lambda a, b: distinct(x for x in a if not _within(x, b)))
function("array_remove")(lambda array, value: tuple(x for x in array if x is None or compare(x, value)))


@function("arrays_overlap")
def _arrays_overlap(a: Array, b: Array) -> bool | None:
    if any(x is not None and _within(x, b) for x in a):
        return True
    return None if a and b and (None in a or None in b) else False


@function("array_join")
def _array_join(array: Array, separator: str, null: str | None = None) -> str:
    return separator.join(null if x is None else x for x in array if x is not None or null is not None)  # type: ignore[misc]


def _extreme(array: Array, sign: int) -> object:
    values = [x for x in array if x is not None]
    return max(values, key=cmp_to_key(lambda a, b: sign * compare(a, b))) if values else None


function("array_max")(lambda array: _extreme(array, 1))
function("array_min")(lambda array: _extreme(array, -1))


@function("array_repeat", nulls=True)
def _array_repeat(value: object, n: int | None) -> Array | None:
    bounded(n or 0)
    return None if n is None else (value,) * max(n, 0)


@function("array_append", nulls=True)
def _array_append(array: Array | None, value: object) -> Array | None:
    return None if array is None else (*array, value)


@function("array_prepend", nulls=True)
def _array_prepend(array: Array | None, value: object) -> Array | None:
    return None if array is None else (value, *array)


@function("array_insert", nulls=True)
def _array_insert(array: Array | None, position: int | None, value: object, *_: object) -> Array | None:
    if array is None or position is None:
        return None
    if not position:
        raise FailsError("positions begin at 1", "INVALID_INDEX_OF_ZERO")
    bounded(abs(position))
    if position > 0:
        head = array[: position - 1]
        return (*head, *(None,) * (position - 1 - len(head)), value, *array[position - 1 :])
    at = len(array) + position + 1
    return (*array[:at], value, *array[at:]) if at >= 0 else (value, *(None,) * -at, *array)


@function("flatten")
def _flatten(arrays: Array) -> Array | None:
    return None if None in arrays else tuple(x for a in arrays for x in a)


@function("slice")
def _slice(array: Array, start: int, length: int) -> Array:
    if not start:
        raise FailsError("the start of a slice counts from 1", "INVALID_PARAMETER_VALUE.START")
    if length < 0:
        raise FailsError("the length of a slice is negative", "INVALID_PARAMETER_VALUE.LENGTH")
    begin = start - 1 if start > 0 else len(array) + start
    return array[begin : begin + length] if 0 <= begin < len(array) else ()


@function("sort_array")
def _sort_array(array: Array, ascending: bool = True) -> Array:
    return tuple(sorted(array, key=cmp_to_key(compare), reverse=not ascending))


@function("arrays_zip")
def _arrays_zip(*arrays: Array) -> Array:
    longest = max(map(len, arrays), default=0)
    return tuple(tuple(a[i] if i < len(a) else None for a in arrays) for i in range(longest))


function("map_keys")(lambda m: tuple(k for k, _ in m))
function("map_values")(lambda m: tuple(v for _, v in m))
function("map_entries")(lambda m: tuple(m))
function("map_contains_key")(lambda m, key: any(compare(k, key) == 0 for k, _ in m))
function("map_from_entries")(lambda entries: None if None in entries else _map_of(entries))


@function("map_from_arrays")
def _map_from_arrays(keys: Array, values: Array) -> Map:
    if len(keys) != len(values):
        raise FailsError("the keys and the values are not as many", "_LEGACY_ERROR_TEMP_2128")
    return _map_of(list(zip(keys, values, strict=True)))
