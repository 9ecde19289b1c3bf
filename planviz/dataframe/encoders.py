"""Encoders: how objects of a class become rows and come back (Spark: ExpressionEncoder, Encoders).

`Encoders.LONG` and its like are Java's boxed classes, which may be null; `Encoders.long` and its like the primitives of
Scala; `Encoders.array("long")`, `Encoders.tuple(a, b)` are made of others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from planviz.errors import InputError
from planviz.expressions.core import Alias, Expression
from planviz.expressions.ids import next_id
from planviz.expressions.objects import (
    AssertNotNull,
    BoundReference,
    CheckOverflow,
    GetColumnByOrdinal,
    Invoke,
    KnownNotNull,
    LambdaVariable,
    MapObjects,
    NewInstance,
    StaticInvoke,
    UnresolvedMapObjects,
    UpCast,
    ValidateExternalType,
)
from planviz.expressions.unresolved import UnresolvedAttribute
from planviz.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    ArrayType,
    DataType,
    DecimalType,
    ObjectType,
    StructField,
    StructType,
)


@dataclass(frozen=True)
class Encoder:
    """A class and its columns.

    `kind` is the type of its objects in plans, `class_name` how Java's reflection prints the class, `schema` its
    columns; `read(source)` gives the object from a column, `write(object)` the column from an object, for a class of
    one column; `fields` are the encoders of a tuple's parts.
    """

    kind: DataType
    class_name: str
    schema: StructType
    read: Callable[[Expression], Expression]
    write: Callable[[Expression], Expression]
    fields: tuple[Encoder, ...] = ()
    #: The names of a class's fields, by which they are read; a tuple's are read by their places.
    names: tuple[str, ...] = ()

    @property
    def column(self) -> DataType:
        """The type of the only column."""
        return self.schema.fields[0].data_type

    def deserializer(self) -> Expression:
        """The object from the columns by their places, not bound yet."""
        if not self.fields:
            return self.read(GetColumnByOrdinal(0, self.column))
        if self.names:
            parts = [f.read(UnresolvedAttribute((n,))) for n, f in zip(self.names, self.fields, strict=True)]
        else:
            parts = [f.read(GetColumnByOrdinal(i, f.column)) for i, f in enumerate(self.fields)]
        return NewInstance(self.kind.simple_string, tuple(parts), self.kind)

    def serializer(self) -> tuple[Expression, ...]:
        """The columns from the object, with fresh ids."""
        given = BoundReference(0, self.kind, self.schema.fields[0].nullable or bool(self.fields))
        if not self.fields:
            return (Alias(self.write(given), "value", next_id()),)
        whole = KnownNotNull(AssertNotNull(given))
        names = self.names or tuple(f"_{i + 1}" for i in range(len(self.fields)))
        pairs = zip(names, self.fields, strict=True)
        return tuple([Alias(f.write(Invoke(whole, name, f.kind)), name, next_id()) for name, f in pairs])


def _one(t: DataType, nullable: bool = True) -> StructType:
    return StructType((StructField("value", t, nullable),))


def _boxed(java: str, t: DataType, primitive: str) -> Encoder:
    """A wrapper class of Java."""
    name = f"java.lang.{java}"
    kind = ObjectType(name)

    def read(source: Expression) -> Expression:
        return StaticInvoke(name, "valueOf", kind, (UpCast(source, t, name),))

    return Encoder(kind, f"class {name}", _one(t), read, lambda o: Invoke(o, f"{primitive}Value", t))


def _primitive(name: str, t: DataType) -> Encoder:
    """A primitive type of Scala."""
    return Encoder(t, name, _one(t, False), lambda s: AssertNotNull(UpCast(s, t, name)), lambda o: o)


def _converted(name: str, t: DataType, owner: str, to_java: str, from_java: str) -> Encoder:
    """A class that static methods convert."""
    kind = ObjectType(name)

    def read(source: Expression) -> Expression:
        return StaticInvoke(owner, to_java, kind, (UpCast(source, t, name),))

    return Encoder(kind, f"class {name}", _one(t), read, lambda o: StaticInvoke(owner, from_java, t, (o,)))


def _text() -> Encoder:
    name = "java.lang.String"
    kind = ObjectType(name)

    def read(source: Expression) -> Expression:
        return Invoke(UpCast(source, STRING, name), "toString", kind)

    def write(given: Expression) -> Expression:
        return StaticInvoke("UTF8String", "fromString", STRING, (given,))

    return Encoder(kind, f"class {name}", _one(STRING), read, write)


def _decimal() -> Encoder:
    name, t = "java.math.BigDecimal", DecimalType(38, 18)
    kind = ObjectType(name)

    def read(source: Expression) -> Expression:
        return Invoke(UpCast(source, t, name), "toJavaBigDecimal", kind)

    def write(given: Expression) -> Expression:
        return CheckOverflow(StaticInvoke("Decimal", "apply", t, (given,)), t)

    return Encoder(kind, f"class {name}", _one(t), read, write)


def _same(name: str, t: DataType) -> Encoder:
    """A class that rows hold as it is."""
    return Encoder(ObjectType(name), f"class {name}", _one(t), lambda s: UpCast(s, t, name), lambda o: o)


_LETTERS = {"boolean": "Z", "byte": "B", "short": "S", "int": "I", "long": "J", "float": "F", "double": "D"}
_PRIMITIVES: dict[str, DataType] = {
    "boolean": BOOLEAN, "byte": BYTE, "short": SHORT, "int": INT, "long": LONG, "float": FLOAT, "double": DOUBLE,
}  # fmt: skip


class Encoders:
    """The encoders there are."""

    BOOLEAN = _boxed("Boolean", BOOLEAN, "boolean")
    BYTE = _boxed("Byte", BYTE, "byte")
    SHORT = _boxed("Short", SHORT, "short")
    INT = _boxed("Integer", INT, "int")
    LONG = _boxed("Long", LONG, "long")
    FLOAT = _boxed("Float", FLOAT, "float")
    DOUBLE = _boxed("Double", DOUBLE, "double")
    STRING = _text()
    BINARY = _same("[B", BINARY)
    DECIMAL = _decimal()
    DATE = _converted("java.sql.Date", DATE, "DateTimeUtils", "toJavaDate", "fromJavaDate")
    TIMESTAMP = _converted("java.sql.Timestamp", TIMESTAMP, "DateTimeUtils", "toJavaTimestamp", "fromJavaTimestamp")
    boolean, byte, short, int = (_primitive(n, _PRIMITIVES[n]) for n in ("boolean", "byte", "short", "int"))
    long, float, double = (_primitive(n, _PRIMITIVES[n]) for n in ("long", "float", "double"))

    @staticmethod
    def array(element: str) -> Encoder:
        """An array of a primitive (`int`, `long`, ...) or of `string`."""
        if element == "string":
            return _text_array()
        if element not in _PRIMITIVES:
            raise InputError(
                f"There is no encoder for arrays of {element!r}; there are {', '.join(_PRIMITIVES)}, string."
            )
        t = _PRIMITIVES[element]
        array = ArrayType(t, False)
        name = f"[{_LETTERS[element]}"
        method = f"to{element.capitalize()}Array"

        def read(source: Expression) -> Expression:
            mapped = UnresolvedMapObjects(source, lambda v: AssertNotNull(UpCast(v, t, element)), array)
            return Invoke(mapped, method, ObjectType(name))

        def write(given: Expression) -> Expression:
            return StaticInvoke("UnsafeArrayData", "fromPrimitiveArray", array, (given,))

        return Encoder(ObjectType(name), f"class {name}", _one(array), read, write)

    @staticmethod
    def tuple(*parts: Encoder) -> Encoder:
        """A tuple of other classes, with the columns `_1`, `_2`, ..."""
        encoders = [encoder(p) for p in parts]
        if not encoders or any(e.fields for e in encoders):
            raise InputError("A tuple's encoder needs parts, each of one column.")
        kind = ObjectType(f"scala.Tuple{len(encoders)}")
        fields = [StructField(f"_{i}", e.column, e.schema.fields[0].nullable) for i, e in enumerate(encoders, 1)]
        return Encoder(kind, f"class {kind.class_name}", StructType((*fields,)), lambda s: s, lambda o: o, (*encoders,))


def class_encoder(name: str, fields: Sequence[tuple[str, Encoder]]) -> Encoder:
    """A class with fields, each of one column of its name (Scala: a case class; Java: a bean)."""
    parts = [StructField(n, e.column, e.schema.fields[0].nullable) for n, e in fields]
    names, encoders = tuple(n for n, _ in fields), tuple(e for _, e in fields)
    schema = StructType(tuple(parts))
    return Encoder(ObjectType(name), f"class {name}", schema, lambda s: s, lambda o: o, encoders, names)


def plain_encoder(kind: DataType) -> Encoder:
    """A field whose class is not told apart: read and written as it is."""
    return Encoder(ObjectType("java.lang.Object"), "class java.lang.Object", _one(kind), lambda s: s, lambda o: o)


def _text_array() -> Encoder:
    name = "[Ljava.lang.String;"
    text = Encoders.STRING
    array = ArrayType(STRING, True)

    def read(source: Expression) -> Expression:
        return Invoke(UnresolvedMapObjects(source, text.read, array), "array", ObjectType(name))

    def write(given: Expression) -> Expression:
        variable = LambdaVariable("MapObject", ObjectType("java.lang.Object"), True, next_id())
        checked = ValidateExternalType(variable, STRING, text.kind)
        return MapObjects(variable, text.write(checked), given, array)

    return Encoder(ObjectType(name), f"class {name}", _one(array), read, write)


def encoder(of: object) -> Encoder:
    """An encoder, or the one of a type's name: `bigint`, `string`, `double` (boxed classes).

    Raises InputError when there is none.
    """
    if isinstance(of, Encoder):
        return of
    found = _BY_NAME.get(str(of).lower())
    if found is None:
        raise InputError(f"There is no encoder for {of!r}; see Encoders, or name one of {', '.join(_BY_NAME)}.")
    return found


_BY_NAME: dict[str, Encoder] = {
    "boolean": Encoders.BOOLEAN, "tinyint": Encoders.BYTE, "smallint": Encoders.SHORT, "int": Encoders.INT,
    "bigint": Encoders.LONG, "float": Encoders.FLOAT, "double": Encoders.DOUBLE, "string": Encoders.STRING,
    "decimal(38,18)": Encoders.DECIMAL, "date": Encoders.DATE, "timestamp": Encoders.TIMESTAMP,
    "binary": Encoders.BINARY,
}  # fmt: skip

#: The encoders of Scala's own numbers, by what rows hold of them.
PRIMITIVES: dict[DataType, Encoder] = {
    BOOLEAN: Encoders.boolean, BYTE: Encoders.byte, SHORT: Encoders.short, INT: Encoders.int, LONG: Encoders.long,
    FLOAT: Encoders.float, DOUBLE: Encoders.double,
}  # fmt: skip
