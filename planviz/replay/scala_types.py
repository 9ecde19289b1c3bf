"""Types as Scala writes them inside expressions: StructField(a,IntegerType,true), ArrayType(StringType,true)."""

from __future__ import annotations

import re

from planviz import types
from planviz.types import ArrayType, DataType, DecimalType, MapType, StructField, StructType

#: The words that types with parts begin with.
NESTED = ("StructField(", "StructType(", "ArrayType(", "MapType(")
_WORD = re.compile(r"[A-Z][A-Za-z]+Type\b")
_DECIMAL = re.compile(r"DecimalType\((\d+),(\d+)\)")
_NULLS = re.compile(r",(true|false)\)")
_PLAIN: dict[str, DataType] = {
    t.scala_name: t
    for t in (
        types.BINARY, types.BOOLEAN, types.BYTE, types.DATE, types.DOUBLE, types.FLOAT, types.INT, types.LONG,
        types.NULL, types.SHORT, types.STRING, types.TIMESTAMP, types.TIMESTAMP_NTZ, types.VARIANT,
    )
}  # fmt: skip


def scala_type(text: str) -> DataType:
    """The type that a text names. Raises ValueError for another text."""
    made, end = _read(text, 0)
    if end != len(text):
        raise ValueError(text[:80])
    return made


def scala_field(text: str) -> StructField:
    """`StructField(name,type,true)`. Raises ValueError for another text."""
    made, end = _field(text, 0)
    if end != len(text):
        raise ValueError(text[:80])
    return made


def _read(text: str, at: int) -> tuple[DataType, int]:
    if text.startswith("StructType(", at):
        at += len("StructType(")
        fields: list[StructField] = []
        while not text.startswith(")", at):
            field, at = _field(text, at + bool(fields))
            fields.append(field)
        return StructType(tuple(fields)), at + 1
    if text.startswith("ArrayType(", at):
        element, at = _read(text, at + len("ArrayType("))
        nulls, at = _nulls(text, at)
        return ArrayType(element, nulls), at
    if text.startswith("MapType(", at):
        key, at = _read(text, at + len("MapType("))
        value, at = _read(text, at + 1)
        nulls, at = _nulls(text, at)
        return MapType(key, value, nulls), at
    if (m := _DECIMAL.match(text, at)) is not None:
        return DecimalType(int(m[1]), int(m[2])), m.end()
    word = _WORD.match(text, at)
    if word is None or word.group() not in _PLAIN:
        raise ValueError(text[at : at + 80])
    return _PLAIN[word.group()], word.end()


def _field(text: str, at: int) -> tuple[StructField, int]:
    begin = "StructField("
    if not text.startswith(begin, at):
        raise ValueError(text[at : at + 80])
    # A name may hold a comma: the type begins behind the first one that a type follows.
    start, comma = at + len(begin), text.find(",", at + len(begin))
    while comma >= 0:
        try:
            kind, end = _read(text, comma + 1)
            nulls, end = _nulls(text, end)
        except ValueError:
            comma = text.find(",", comma + 1)
            continue
        return StructField(text[start:comma], kind, nulls), end
    raise ValueError(text[at : at + 80])


def _nulls(text: str, at: int) -> tuple[bool, int]:
    m = _NULLS.match(text, at)
    if m is None:
        raise ValueError(text[at : at + 80])
    return m[1] == "true", m.end()
