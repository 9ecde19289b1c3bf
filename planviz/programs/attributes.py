"""Attributes and items that a program may read, by the type of the value: nothing else of Python's is reachable.

Every name stands in a list here. That keeps what was pasted from reaching anything but plain values and plans.
"""

from __future__ import annotations

import ast
import datetime
import decimal
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from planviz.dataframe import api
from planviz.dataframe.column import Column
from planviz.dataframe.frame import DataFrame
from planviz.programs.containers import Counter, Deque
from planviz.programs.schema_json import json_of_field, json_of_type, json_text
from planviz.programs.signals import LimitReached, raised
from planviz.programs.type_objects import found_by_class, type_name, type_of
from planviz.programs.values import Class, ErrorClass, Function, Module, Native, Unknown, Value
from planviz.types import ArrayType, DataType, DecimalType, MapType, StructField, StructType

if TYPE_CHECKING:
    from planviz.programs.members import Members

_TEXT = """capitalize casefold center count encode endswith expandtabs find index isalnum isalpha isascii isdecimal
isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip partition
removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase
title translate upper zfill"""
_LISTS = "append clear copy count extend index insert pop remove reverse sort"
_DICTS = "clear copy get items keys pop popitem setdefault update values"
_SETS = """add clear copy difference difference_update discard intersection intersection_update isdisjoint issubset
issuperset pop remove symmetric_difference union update"""
_DATES = """year month day hour minute second microsecond tzinfo isoformat strftime weekday isoweekday date time replace
days seconds total_seconds timestamp toordinal ctime"""
ALLOWED: dict[type, frozenset[str]] = {
    t: frozenset(names.split())
    for t, names in (
        (str, _TEXT), (bytes, "decode hex startswith endswith"), (list, _LISTS), (tuple, "count index"),
        (dict, _DICTS), (set, _SETS), (frozenset, "difference intersection issubset issuperset union"),
        (int, "bit_length real imag"), (float, "is_integer real imag"), (range, "start stop step count index"),
        (datetime.date, _DATES), (datetime.time, _DATES), (datetime.timedelta, _DATES),
        (Deque, "popleft appendleft extendleft"), (Counter, "most_common"),
        (decimal.Decimal, "quantize is_nan normalize to_integral_value copy_abs"),
    )
}  # fmt: skip
_OPERABLE = (
    int, float, complex, str, bytes, list, tuple, dict, set, frozenset, Column, datetime.date, datetime.timedelta,
    datetime.time, decimal.Decimal,
)  # fmt: skip
_NESTS = (list, tuple, dict, set, frozenset)


def is_moment(value: object) -> bool:
    """A date, a time, or a duration."""
    return isinstance(value, datetime.date | datetime.time | datetime.timedelta)


def may_operate(value: object) -> bool:
    """Whether operators may be applied to a value."""
    return value is None or isinstance(value, _OPERABLE)


def type_text(kind: DataType) -> str:
    """What str() gives of a type of PySpark: `IntegerType()`, `ArrayType(StringType(), True)`."""
    match kind:
        case ArrayType():
            return f"ArrayType({type_text(kind.element)}, {kind.contains_null})"
        case MapType():
            return f"MapType({type_text(kind.key)}, {type_text(kind.value)}, {kind.value_contains_null})"
        case StructType():
            return f"StructType([{', '.join(map(_field_text, kind.fields))}])"
        case DecimalType():
            return f"DecimalType({kind.precision},{kind.scale})"
    return f"{kind.scala_name.split('(')[0]}()"


def _field_text(field: StructField) -> str:
    return f"StructField('{field.name}', {type_text(field.data_type)}, {field.nullable})"


def check_size(op: type, left: object, right: object) -> None:
    """Raise LimitReached where an operation on numbers or lists would make something huge."""
    if op is ast.Pow and isinstance(left, int) and isinstance(right, int):
        if abs(left) > 1 and right * max(1, left.bit_length()) > 4000:
            raise LimitReached("a number grows too large")
    elif op is ast.LShift and isinstance(right, int) and right > 4000:
        raise LimitReached("a number grows too large")
    elif op is ast.Mult:
        for a, b in ((left, right), (right, left)):
            if isinstance(a, str | bytes | list | tuple) and isinstance(b, int) and len(a) * b > 1_000_000:
                raise LimitReached("a value grows too large")
        if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right.bit_length() > 8000:
            raise LimitReached("a number grows too large")


def check_spelled(*values: object) -> None:
    """Raise LimitReached where lists, tuples or dicts would be huge spelled out: what stands in one twice counts twice.

    Python's own text, comparison and hash of a value walk it like this.
    """
    known: dict[int, int] = {}
    for value in values:
        if isinstance(value, _NESTS) and _spelled(value, known) > 1_000_000:
            raise LimitReached("a value grows too large")


def _spelled(root: Collection[object], known: dict[int, int]) -> int:
    """How many values are in a value, counted on every way to them; `known` are the numbers of those seen, by id."""
    stack = [root]
    while stack:
        top = stack[-1]
        inner = [*top, *top.values()] if isinstance(top, dict) else top
        nested = [v for v in inner if isinstance(v, _NESTS)]
        if id(top) not in known:
            known[id(top)] = 0  # one that holds itself ends here
            stack += [v for v in nested if id(v) not in known]
        else:
            stack.pop()
            if not known[id(top)]:
                known[id(top)] = len(inner) + sum(known[id(v)] for v in nested) + 1
    return known[id(root)]


#: What actions give as a list, and what only a DataFrame has of what is asked for.
_LISTS_OF_ROWS = ("collect()", "take()", "tail()")
_ONLY_OF_FRAMES = frozenset(["show", "filter", "where", "select", "withColumn", "groupBy", "join", "write", "toPandas"])


def of_unknown(value: Unknown, name: str) -> Unknown:
    """An attribute of an unknown value: unknown, too, and named as the program names it.

    Rows that an action gave are a list, whatever is in them. Raises the program's AttributeError.
    """
    if value.what in _LISTS_OF_ROWS and name in _ONLY_OF_FRAMES:
        raise raised("AttributeError", f"'list' object has no attribute '{name}'")
    return Unknown(f"{value.what}.{name}")


def of_object(reader: Members, value: object, name: str) -> object:
    """An attribute of a plain value or of an object of the DataFrame API. Raises the program's AttributeError."""
    if name == "__class__":
        return type_of(value)
    if name in ("__name__", "__doc__", "__version__"):
        return Unknown(name)
    if name.startswith("__"):
        raise raised("AttributeError", f"'{type_name(value)}' object has no attribute '{name}'")
    fields = getattr(value, "_fields", ()) if isinstance(value, tuple) else ()
    if name in fields:
        return value[fields.index(name)]  # type: ignore[index]
    if fields and name in ("asDict", "_asdict"):
        return Native(name, lambda recursive=False: dict(zip(fields, value, strict=False)), True)  # type: ignore[call-overload]
    if isinstance(value, str) and name in ("format", "format_map"):
        return Native("format", lambda *a, **k: _format(reader, value, a, k), True)
    for kind, names in ALLOWED.items():
        if isinstance(value, kind) and not isinstance(value, api.KINDS) and name in names:
            return _method(reader, value, name)
    if name in _OF_JVM and isinstance(value, api.KINDS):
        return Unknown(name)
    if name == "col" and reader.applies and isinstance(value, DataFrame):
        return Native(name, lambda column: reader.item(value, column), True)
    made = api.attribute(value, name)
    if made is not api.ABSENT:
        return made
    if fields and type(value).__name__ == "RowTuple":
        told = f"[ATTRIBUTE_NOT_SUPPORTED] Attribute `{name}` is not supported."
        raise raised("PySparkAttributeError", told, "ATTRIBUTE_NOT_SUPPORTED")
    if isinstance(value, DataType | StructField):
        return _of_type(reader, value, name)
    raise raised("AttributeError", f"'{type_name(value)}' object has no attribute '{name}'")


def _method(reader: Members, value: Value, name: str) -> object:
    found = getattr(value, name)
    if not callable(found):
        return found
    if name in ("keys", "values", "items"):
        return Native(name, lambda: list(found()), True)
    if name == "join":
        return Native(name, lambda parts: reader.checked(_joined(reader, value, parts)), True)
    if name == "get" and isinstance(value, dict):
        return Native(name, lambda key, *other: found(found_by_class(value, key), *other), True)
    takes_unknown = isinstance(value, list | dict | set)
    if name == "pop" and isinstance(value, list | set):
        return Native(name, lambda *a: found(*a) if value else Unknown("pop"), False)
    if name == "replace" and isinstance(value, str):
        # Each replacement may lengthen the text as often as it is found.
        return Native(name, lambda *a: reader.checked(_replaced(value, *a)))
    if name in ("center", "ljust", "rjust", "zfill", "expandtabs"):
        return Native(name, lambda *a: found(*a) if _small(a[:1]) else Unknown(name))
    return Native(name, found, takes_unknown)


def _small(numbers: tuple[object, ...]) -> bool:
    return all(isinstance(n, int) and abs(n) < 10_000 for n in numbers)


def _replaced(value: str, old: str, new: str, *count: int) -> str:
    if value.count(old) * len(new) > 1_000_000:
        raise LimitReached("a value grows too large")
    return value.replace(old, new, *count)


def _joined(reader: Members, separator: str, parts: object) -> object:
    if isinstance(parts, Unknown):
        return parts
    items = [str(p) if isinstance(p, Unknown) else p for p in reader.iterate(parts)]
    if sum(len(i) for i in items if isinstance(i, str)) + len(separator) * len(items) > 1_000_000:
        raise LimitReached("a value grows too large")
    return separator.join(items)


def _format(reader: Members, pattern: str, given: tuple[object, ...], named: dict[str, object]) -> object:
    """str.format for plain fields ({}, {0}, {name:>10}); parts of values (`{a.b}`) are read as attributes are."""
    import string

    made, count = [], 0
    try:
        pieces = list(string.Formatter().parse(pattern))
    except ValueError as e:
        raise raised("ValueError", str(e)) from None
    for text, name, spec, conversion in pieces:
        made.append(text)
        if name is None:
            continue
        first = name.replace("[", ".").split(".")[0]
        if first == "":
            value, count = (given[count] if count < len(given) else Unknown("format")), count + 1
        elif first.isdigit() and len(first) < 4:
            value = given[int(first)] if int(first) < len(given) else Unknown("format")
        else:
            value = named.get(first, Unknown(first))
        for part in name[len(first) :].replace("]", "").replace("[", ".[").split(".")[1:]:
            key: Value = part[1:]
            value = (
                reader.item(value, int(key) if key.isdigit() else key)
                if part.startswith("[")
                else reader.attribute(value, part)
            )
        plain = isinstance(value, int | float | str) and conversion in (None, "s")
        narrow = len(spec or "") < 12 and not any(len(d) > 3 for d in _digits(spec or ""))
        try:
            made.append(format(value, spec) if spec and plain and narrow and "{" not in spec else reader.text(value))
        except (ValueError, TypeError) as e:
            raise raised(type(e).__name__, str(e)) from None
    return reader.checked("".join(made))


def _digits(text: str) -> list[str]:
    return "".join(c if c.isdigit() else " " for c in text).split()


#: What PySpark's objects have of the JVM behind them.
_OF_JVM = frozenset(
    ["_jdf", "_jvm", "_jsc", "_sc", "_jsparkSession", "_jc", "_jrdd", "_gateway", "_jwrite", "_jreader"]
)
#: Names of types that are shorter in a schema.
_LONG_NAMES = {"int": "integer", "bigint": "long", "smallint": "short", "tinyint": "byte", "void": "void"}


def _of_type(reader: Members, value: DataType | StructField, name: str) -> object:
    """Attributes of types and fields under PySpark's names."""
    if isinstance(value, StructField):
        found = {
            "name": value.name,
            "dataType": value.data_type,
            "nullable": value.nullable,
            "metadata": Unknown("metadata"),
        }
        if name in found:
            return found[name]
        if name == "simpleString":
            return Native(name, lambda: f"{value.name}:{value.data_type.simple_string}")
        if name in ("json", "jsonValue"):
            return Native(name, lambda: _json(name, json_of_field(value)))
        raise raised("AttributeError", f"'StructField' object has no attribute '{name}'")
    if name in ("simpleString", "typeName", "catalogString"):
        shown = value.simple_string
        plain = shown.split("(")[0].split("<")[0]
        return Native(name, lambda: _LONG_NAMES.get(plain, plain) if name == "typeName" else shown)
    if isinstance(value, StructType):
        if name == "fields":
            return list(value.fields)
        if name in ("names", "fieldNames"):
            names = [f.name for f in value.fields]
            return names if name == "names" else Native(name, lambda: names)
        if name == "add":
            return Native(name, lambda *a, **k: _added(reader, value, *a, **k))
    parts = {"elementType": "element", "keyType": "key", "valueType": "value", "containsNull": "contains_null"}
    if name in parts and hasattr(value, parts[name]):
        return getattr(value, parts[name])
    if name in ("precision", "scale", "length") and hasattr(value, name):
        return getattr(value, name)
    if name in ("json", "jsonValue"):
        return Native(name, lambda: _json(name, json_of_type(value)))
    if name in ("needConversion", "toDDL"):
        return Native(name, lambda: Unknown(name))
    raise raised("AttributeError", f"'{type_name(value)}' object has no attribute '{name}'")


def _json(name: str, value: Value) -> Value:
    return value if name == "jsonValue" else json_text(value)


def _added(reader: Members, struct: StructType, *given: Value, **named: Value) -> object:
    """StructType.add, of whose types PySpark takes fewer names than Scala does."""
    if not reader.applies:
        api.check_added(*given, **named)
    return api.added(struct, *given, **named)


def item_unknown(reader: Members, value: object, key: Unknown) -> object:
    """value[key] for a key that is not known: any element that is there is as good as another."""
    if isinstance(value, dict) and value and all(v is not None for v in value.values()):
        return Unknown(f"[{key}]")
    if isinstance(value, Column):
        return reader.python(lambda: value[str(key)])
    return Unknown(f"[{key}]")


def item_of_object(reader: Members, value: object, key: object) -> object:
    """value[key] for objects of the DataFrame API and types."""
    if isinstance(value, DataFrame | Column):
        return reader.python(lambda: value[key])
    if isinstance(value, StructType):
        if isinstance(key, int | slice):
            return reader.python(lambda: value.fields[key])
        found = next((f for f in value.fields if f.name == key), None)
        if found is None:
            raise raised("PySparkKeyError", f"[KEY_NOT_EXISTS] Key `{key}` does not exist.", "KEY_NOT_EXISTS")
        return found
    if isinstance(value, Module) and isinstance(key, str):
        return Unknown(f"{value.name}[{key}]")
    if isinstance(value, Function | Native | Class | Module | ErrorClass):
        # A type with its parameters: list[str], Dataset[Row].
        return value
    made = api.item(value, key)
    if made is not api.ABSENT:
        return made
    raise raised("TypeError", f"'{type_name(value)}' object is not subscriptable")


def set_item_of_object(reader: Members, value: object, key: object, given: object) -> None:
    """value[key] = given for anything but lists and dicts."""
    if isinstance(value, DataFrame):
        raise raised("TypeError", "'DataFrame' object does not support item assignment")


def elements(value: object) -> Iterable[object] | None:
    """The elements of types and other known objects; None for what cannot be walked through."""
    if isinstance(value, StructType):
        return list(value.fields)
    found: Iterable[Value] | None = api.elements(value)
    return found
