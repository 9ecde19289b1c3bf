"""Rows of Scala's sequences: `Seq((1, "a")).toDF("id", "v")` is a LocalRelation with the types of Scala's values."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from planviz.dataframe.column import FloatNumber, LongNumber
from planviz.dataframe.frame import DataFrame
from planviz.expressions.core import AttributeReference
from planviz.expressions.ids import next_id
from planviz.logical.relations import LocalRelation
from planviz.programs.known_rows import handed_over
from planviz.programs.spark import RowClass, RowTuple, named_row
from planviz.programs.values import Native, Unknown, Value
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
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
)

if TYPE_CHECKING:
    from planviz.programs.session import ProgramSession

#: The types that Scala's numbers and booleans come to Spark with: they are never null.
_PRIMITIVE = {
    "Int": INT, "Long": LONG, "Double": DOUBLE, "Float": FLOAT, "Boolean": BOOLEAN, "Byte": BYTE, "Short": SHORT,
}  # fmt: skip
_OBJECTS: dict[str, DataType] = {
    "String": STRING, "BigDecimal": DecimalType(38, 18), "Date": DATE, "LocalDate": DATE, "Timestamp": TIMESTAMP,
    "Instant": TIMESTAMP, "Array[Byte]": BINARY,
}  # fmt: skip
_GENERIC = re.compile(r"(\w+)\[(.*)\]")
_SEQUENCES = ("Seq", "List", "Array", "Vector", "Set", "IndexedSeq")


class Record(RowTuple):
    """An object of a case class; `declared` are the fields as their types say, None where they say nothing known."""

    declared: tuple[StructField | None, ...] = ()
    #: The name of the case class.
    kind: str = ""
    #: Gives what the class has beside its fields, by name, of the values of its fields.
    members: Value = None


def record_class(
    *fields: Value, kind: str = "", defaults: dict[str, Value] | None = None, members: Value = None
) -> RowClass:
    """A case class, by names and types of its fields in turn, with its name and what fields are when not given.

    `members` gives what it has beside its fields.
    """
    names = [str(n) for n in fields[::2]]
    declared = tuple(_declared(n, str(t)) for n, t in zip(names, fields[1::2], strict=True))

    def make(*values: Value, **named: Value) -> Record:
        given = {**dict(zip(names, values, strict=False)), **named}
        made = Record(given.get(n, (defaults or {}).get(n)) for n in names)
        made._fields, made.declared, made.kind, made.members = tuple(names), declared, kind, members
        return made

    found = RowClass(RowTuple(names), make)
    found.kind, found.types = kind, tuple(map(str, fields[1::2]))
    return found


def scala_names() -> dict[str, Native]:
    """What the translation calls: case classes, and what makes the values that Scala has no literals of."""
    return {
        "scala_record": Native("scala_record", record_class, True),
        "scala_decimal": Native("scala_decimal", lambda v: Decimal(str(v))),
        "scala_date": Native("scala_date", datetime.date.fromisoformat),
        "scala_timestamp": Native("scala_timestamp", datetime.datetime.fromisoformat),
    }


def local_rows(session: ProgramSession, values: Sequence[Value], schema: StructType | None = None) -> DataFrame | None:
    """A sequence as a DataFrame, of the schema's columns where there is one; None where a value of it is not known."""
    if not values or any(isinstance(v, Unknown) for v in values):
        return None
    rows = [v if isinstance(v, tuple) else named_row(["value"], [v]) for v in values]
    names = list(getattr(rows[0], "_fields", ())) or [f"_{i + 1}" for i in range(len(rows[0]))]
    if schema is not None:
        names = [f.name for f in schema.fields]
    if any(len(r) != len(names) for r in rows):
        return None
    fields = [_field(n, i, rows) for i, n in enumerate(names)] if schema is None else list(schema.fields)
    cells = [handed_over(tuple(r), names, [f.data_type for f in fields]) for r in rows]
    known = tuple(c for c in cells if c is not None)
    if len(known) < len(cells):
        return None
    with session.numbering():
        columns = tuple(AttributeReference(f.name, f.data_type, f.nullable, next_id()) for f in fields)
        return DataFrame(session, LocalRelation(columns, known))


def _field(name: str, at: int, rows: Sequence[tuple[Value, ...]]) -> StructField:
    first = rows[0]
    if isinstance(first, Record) and first.declared[at] is not None:
        return first.declared[at] or StructField(name, STRING)
    return _merged(name, [r[at] for r in rows])


def _merged(name: str, values: Sequence[Value]) -> StructField:
    """A field that holds these values: text where all of them are null."""
    found = [type_of(v) for v in values]
    kinds = [k for k, _ in found if k != NULL] or [STRING]
    kind = max(kinds, key=_width) if all(k in _WIDTHS for k in kinds) else kinds[0]
    return StructField(name, kind, any(nullable for _, nullable in found))


_WIDTHS = (INT, LONG, DOUBLE)


def _width(kind: DataType) -> int:
    return _WIDTHS.index(kind)


def type_of(value: Value) -> tuple[DataType, bool]:
    """The type of a value, and whether such a value may be null."""
    match value:
        case bool():
            return BOOLEAN, False
        case LongNumber():
            return LONG, False
        case int():
            return INT, False
        case FloatNumber():
            return FLOAT, False
        case float():
            return DOUBLE, False
        case str():
            return STRING, True
        case Decimal():
            return DecimalType(38, 18), True
        case datetime.datetime():
            return TIMESTAMP, True
        case datetime.date():
            return DATE, True
        case list():
            inner = _merged("", value)
            return ArrayType(inner.data_type, inner.nullable), True
        case dict():
            keys, held = _merged("", list(value)), _merged("", list(value.values()))
            return MapType(keys.data_type, held.data_type, held.nullable), True
        case tuple():
            names = getattr(value, "_fields", ()) or [f"_{i + 1}" for i in range(len(value))]
            return StructType(tuple(_field(n, i, [value]) for i, n in enumerate(names))), True
    return NULL, True


def _declared(name: str, written: str) -> StructField | None:
    found = scala_type(written)
    return None if found is None else StructField(name, *found)


def scala_type(written: str) -> tuple[DataType, bool] | None:
    """The type that a type of Scala such as `Option[Int]` comes to Spark with, and whether it may be null; None where
    it is not known."""
    return _written(written.replace(" ", ""))


def _written(text: str) -> tuple[DataType, bool] | None:
    if text in _PRIMITIVE:
        return _PRIMITIVE[text], False
    plain = text if "[" in text else text.rpartition(".")[2]
    if plain in _OBJECTS:
        return _OBJECTS[plain], True
    generic = _GENERIC.fullmatch(text)
    if generic is None:
        return None
    outer, inner = generic[1], generic[2]
    if outer == "Map":
        key, _, held = inner.partition(",")
        k, v = _written(key), _written(held)
        return None if k is None or v is None else (MapType(k[0], v[0], v[1]), True)
    found = _written(inner)
    if found is None or outer not in ("Option", *_SEQUENCES):
        return None
    return (found[0] if outer == "Option" else ArrayType(*found)), True
