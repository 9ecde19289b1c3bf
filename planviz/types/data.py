"""Data types as Spark has them: their names in every form, their sizes, and the families they belong to.

`simple_string` is what plans print (`decimal(7,2)`, `struct<a:int>`), `sql` what error messages print (`DECIMAL(7,2)`).
Types are compared by value. Source: `org.apache.spark.sql.types`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from planviz.types.identifiers import quote_if_needed

#: The collation of text that is given none: texts are equal when their bytes are.
BINARY_COLLATION = "UTF8_BINARY"


class DataType:
    """Base of all types. `simple_string` names it in plans, `json` in struct fields as Scala prints them."""

    simple_string: str = "?"
    scala_name: str = "DataType"

    @property
    def sql(self) -> str:
        """The name as SQL and Spark's error messages write it."""
        return self.simple_string.upper()

    @property
    def catalog_string(self) -> str:
        """The name without truncation; the same as `simple_string` here, which never truncates."""
        return self.simple_string

    @property
    def default_size(self) -> int:
        """Spark's guess of the bytes of one value, used by size estimates."""
        return 8

    def __str__(self) -> str:
        return self.simple_string


@dataclass(frozen=True, eq=False)
class AtomicType(DataType):
    """A type without parts, known by its name. Each is made once, below, and equal to nothing but itself."""

    simple_string: str
    scala_name: str
    size: int = 8
    sql_name: str = ""

    @property
    def sql(self) -> str:
        """See DataType."""
        return self.sql_name or self.simple_string.upper()

    @property
    def default_size(self) -> int:
        """See DataType."""
        return self.size


@dataclass(frozen=True, eq=False)
class StringType(AtomicType):
    """Text. The collation says which texts are equal and how they sort; `collated` makes each type once."""

    collation: str = BINARY_COLLATION


@dataclass(frozen=True, eq=False)
class GeospatialType(AtomicType):
    """Shapes on the globe (geography) or in a plane (geometry); `geospatial` makes each type once.

    `srid`: the spatial reference system that all values have, None where each has its own.
    """

    kind: str = "geometry"
    srid: int | None = None


#: The reference systems that Spark knows, by kind.
SRIDS = {"geography": (4326,), "geometry": (0, 3857, 4326)}


@cache
def geospatial(kind: str, srid: int | None = None) -> GeospatialType:
    """The type of shapes of one reference system, or of any."""
    name = "any" if srid is None else str(srid)
    scala = f"{kind.capitalize()}Type({name.upper()})"
    return GeospatialType(f"{kind}({name})", scala, 4096, "", kind, srid)


BOOLEAN = AtomicType("boolean", "BooleanType", 1)
BYTE = AtomicType("tinyint", "ByteType", 1)
SHORT = AtomicType("smallint", "ShortType", 2)
INT = AtomicType("int", "IntegerType", 4)
LONG = AtomicType("bigint", "LongType", 8)
FLOAT = AtomicType("float", "FloatType", 4)
DOUBLE = AtomicType("double", "DoubleType", 8)
STRING = StringType("string", "StringType", 20)
BINARY = AtomicType("binary", "BinaryType", 100)
DATE = AtomicType("date", "DateType", 4)
TIMESTAMP = AtomicType("timestamp", "TimestampType", 8)
TIMESTAMP_NTZ = AtomicType("timestamp_ntz", "TimestampNTZType", 8)
TIME = AtomicType("time(6)", "TimeType(6)", 8)
NULL = AtomicType("void", "NullType", 1)
CALENDAR_INTERVAL = AtomicType("interval", "CalendarIntervalType", 16)
VARIANT = AtomicType("variant", "VariantType", 2048)
GEOGRAPHY = geospatial("geography")
GEOMETRY = geospatial("geometry")
#: A type that could not be known: of an unknown function, or of a column of an inferred catalogue.
UNKNOWN = AtomicType("unknown", "UnknownType", 20)


@dataclass(frozen=True)
class DecimalType(DataType):
    """An exact number of at most `precision` digits, `scale` of them after the point."""

    precision: int = 10
    scale: int = 0

    @property
    def simple_string(self) -> str:  # type: ignore[override]
        """See DataType."""
        return f"decimal({self.precision},{self.scale})"

    @property
    def scala_name(self) -> str:  # type: ignore[override]
        """See DataType."""
        return f"DecimalType({self.precision},{self.scale})"

    @property
    def default_size(self) -> int:
        """8 bytes up to 18 digits, 16 beyond."""
        return 8 if self.precision <= 18 else 16


@dataclass(frozen=True)
class CharType(DataType):
    """`char(n)` or `varchar(n)`: a column's declared type; plans see it as string."""

    length: int
    varying: bool = False
    text: StringType = STRING

    @property
    def simple_string(self) -> str:  # type: ignore[override]
        """See DataType."""
        return f"{'var' if self.varying else ''}char({self.length}){self.text.simple_string.removeprefix('string')}"


@dataclass(frozen=True)
class ObjectType(DataType):
    """A Java object that a typed Dataset operation sees; `class_name` as the JVM says it (`java.lang.Long`, `[I`)."""

    class_name: str

    @property
    def simple_string(self) -> str:  # type: ignore[override]
        """The class."""
        return self.class_name

    @property
    def scala_name(self) -> str:  # type: ignore[override]
        """ObjectType(class name)."""
        return f"ObjectType(class {self.class_name})"


@dataclass(frozen=True)
class YearMonthIntervalType(DataType):
    """Interval of months; fields from `start` to `end`, 0 year, 1 month."""

    start: int = 0
    end: int = 1
    names = ("year", "month")

    @property
    def scala_name(self) -> str:  # type: ignore[override]
        """See DataType."""
        return f"YearMonthIntervalType({self.start},{self.end})"

    @property
    def simple_string(self) -> str:  # type: ignore[override]
        """See DataType."""
        a, b = self.names[self.start], self.names[self.end]
        return f"interval {a}" if a == b else f"interval {a} to {b}"

    @property
    def default_size(self) -> int:
        """See DataType."""
        return 4


@dataclass(frozen=True)
class DayTimeIntervalType(DataType):
    """Interval of microseconds; fields from `start` to `end`, 0 day, 1 hour, 2 minute, 3 second."""

    start: int = 0
    end: int = 3
    names = ("day", "hour", "minute", "second")

    @property
    def scala_name(self) -> str:  # type: ignore[override]
        """See DataType."""
        return f"DayTimeIntervalType({self.start},{self.end})"

    @property
    def simple_string(self) -> str:  # type: ignore[override]
        """See DataType."""
        a, b = self.names[self.start], self.names[self.end]
        return f"interval {a}" if a == b else f"interval {a} to {b}"


@dataclass(frozen=True)
class ArrayType(DataType):
    """Values of one type in order."""

    element: DataType
    contains_null: bool = True

    @property
    def simple_string(self) -> str:  # type: ignore[override]
        """See DataType."""
        return f"array<{self.element.simple_string}>"

    @property
    def sql(self) -> str:
        """See DataType."""
        return f"ARRAY<{self.element.sql}>"

    @property
    def scala_name(self) -> str:  # type: ignore[override]
        """See DataType."""
        return f"ArrayType({self.element.scala_name},{_bool(self.contains_null)})"

    @property
    def default_size(self) -> int:
        """One element."""
        return self.element.default_size


@dataclass(frozen=True)
class MapType(DataType):
    """Keys of one type with values of another."""

    key: DataType
    value: DataType
    value_contains_null: bool = True

    @property
    def simple_string(self) -> str:  # type: ignore[override]
        """See DataType."""
        return f"map<{self.key.simple_string},{self.value.simple_string}>"

    @property
    def sql(self) -> str:
        """See DataType."""
        return f"MAP<{self.key.sql}, {self.value.sql}>"

    @property
    def scala_name(self) -> str:  # type: ignore[override]
        """See DataType."""
        return f"MapType({self.key.scala_name},{self.value.scala_name},{_bool(self.value_contains_null)})"

    @property
    def default_size(self) -> int:
        """One entry."""
        return self.key.default_size + self.value.default_size


@dataclass(frozen=True)
class StructField:
    """A named, typed part of a struct."""

    name: str
    data_type: DataType
    nullable: bool = True


@dataclass(frozen=True)
class StructType(DataType):
    """Named fields in order."""

    fields: tuple[StructField, ...] = field(default=())

    @property
    def simple_string(self) -> str:  # type: ignore[override]
        """See DataType."""
        return "struct<" + ",".join(f"{f.name}:{f.data_type.simple_string}" for f in self.fields) + ">"

    @property
    def sql(self) -> str:
        """See DataType."""
        return (
            "STRUCT<"
            + ", ".join(
                f"{quote_if_needed(f.name)}: {f.data_type.sql}{'' if f.nullable else ' NOT NULL'}" for f in self.fields
            )
            + ">"
        )

    @property
    def scala_name(self) -> str:  # type: ignore[override]
        """See DataType."""
        return f"StructType({','.join(self.scala_name_of(f) for f in self.fields)})"

    @staticmethod
    def scala_name_of(f: StructField) -> str:
        """A field as Scala prints it."""
        return f"StructField({f.name},{f.data_type.scala_name},{_bool(f.nullable)})"

    @property
    def default_size(self) -> int:
        """The sum over its fields."""
        return sum(f.data_type.default_size for f in self.fields)


def spaced(t: DataType) -> str:
    """The type as an operator prints it beside a column that stands alone: struct<a: int, b: string>."""
    if isinstance(t, StructType):
        return "struct<" + ", ".join(f"{f.name}: {spaced(f.data_type)}" for f in t.fields) + ">"
    if isinstance(t, ArrayType):
        return f"array<{spaced(t.element)}>"
    return f"map<{spaced(t.key)},{spaced(t.value)}>" if isinstance(t, MapType) else t.simple_string


def equal_structurally(a: DataType, b: DataType) -> bool:
    """Whether two types are the same but for nullability and field names inside (`DataType.equalsStructurally`)."""
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        return equal_structurally(a.element, b.element)
    if isinstance(a, MapType) and isinstance(b, MapType):
        return equal_structurally(a.key, b.key) and equal_structurally(a.value, b.value)
    if isinstance(a, StructType) and isinstance(b, StructType):
        pairs = zip(a.fields, b.fields, strict=False)
        return len(a.fields) == len(b.fields) and all(equal_structurally(x.data_type, y.data_type) for x, y in pairs)
    return a == b


def without_lengths(t: DataType) -> DataType:
    """A type with string in place of char and varchar, which only columns are (`replaceCharVarcharWithString`)."""
    if isinstance(t, CharType):
        return t.text
    if isinstance(t, ArrayType):
        return ArrayType(without_lengths(t.element), t.contains_null)
    if isinstance(t, MapType):
        return MapType(without_lengths(t.key), without_lengths(t.value), t.value_contains_null)
    if isinstance(t, StructType):
        return StructType(tuple(StructField(f.name, without_lengths(f.data_type), f.nullable) for f in t.fields))
    return t


def as_nullable(t: DataType) -> DataType:
    """A type whose elements, values and fields may all be null (Spark: DataType.asNullable)."""
    if isinstance(t, ArrayType):
        return ArrayType(as_nullable(t.element))
    if isinstance(t, MapType):
        return MapType(as_nullable(t.key), as_nullable(t.value))
    if isinstance(t, StructType):
        return StructType(tuple(StructField(f.name, as_nullable(f.data_type)) for f in t.fields))
    return t


def _bool(value: bool) -> str:
    return "true" if value else "false"


INTEGRAL: tuple[DataType, ...] = (BYTE, SHORT, INT, LONG)
FRACTIONAL: tuple[DataType, ...] = (FLOAT, DOUBLE)
#: All numbers but decimals, the narrowest first.
NUMERIC: tuple[DataType, ...] = (BYTE, SHORT, INT, LONG, FLOAT, DOUBLE)


def is_string(t: DataType) -> bool:
    """Text of any collation."""
    return isinstance(t, StringType)


def is_numeric(t: DataType) -> bool:
    """Whether arithmetic applies: integral, floating or decimal."""
    return isinstance(t, DecimalType) or t in NUMERIC


def is_integral(t: DataType) -> bool:
    """tinyint, smallint, int or bigint."""
    return isinstance(t, AtomicType) and t in INTEGRAL


def is_interval(t: DataType) -> bool:
    """Any of the three interval types."""
    return isinstance(t, YearMonthIntervalType | DayTimeIntervalType) or t == CALENDAR_INTERVAL


def is_ansi_interval(t: DataType) -> bool:
    """Year-month or day-time interval."""
    return isinstance(t, YearMonthIntervalType | DayTimeIntervalType)


def is_datetime(t: DataType) -> bool:
    """date, timestamp or timestamp_ntz."""
    return t in (DATE, TIMESTAMP, TIMESTAMP_NTZ)


def is_atomic(t: DataType) -> bool:
    """Anything but array, map, struct and void."""
    return not isinstance(t, ArrayType | MapType | StructType) and t != NULL


def is_time(t: DataType) -> bool:
    """Whether the type is TIME, of any precision."""
    return t.simple_string.startswith("time(")


def has_time(t: DataType) -> bool:
    """Whether the type is TIME or has it in it."""
    if isinstance(t, ArrayType):
        return has_time(t.element)
    if isinstance(t, MapType):
        return has_time(t.key) or has_time(t.value)
    if isinstance(t, StructType):
        return any(has_time(f.data_type) for f in t.fields)
    return is_time(t)


def parts_of(t: DataType) -> tuple[DataType, ...]:
    """The types that a complex type is made of; nothing for others."""
    if isinstance(t, ArrayType):
        return (t.element,)
    if isinstance(t, MapType):
        return t.key, t.value
    return tuple(f.data_type for f in t.fields) if isinstance(t, StructType) else ()


def has_timestamp(t: DataType) -> bool:
    """Whether the type is TIMESTAMP or has it in it."""
    if isinstance(t, ArrayType):
        return has_timestamp(t.element)
    if isinstance(t, MapType):
        return has_timestamp(t.key) or has_timestamp(t.value)
    if isinstance(t, StructType):
        return any(has_timestamp(f.data_type) for f in t.fields)
    return t == TIMESTAMP


def has_map(t: DataType) -> bool:
    """Whether the type is a map or has one in it."""
    if isinstance(t, ArrayType):
        return has_map(t.element)
    if isinstance(t, StructType):
        return any(has_map(f.data_type) for f in t.fields)
    return isinstance(t, MapType)


def is_orderable(t: DataType) -> bool:
    """Whether values can be compared with `<`: everything but maps, variants and calendar intervals."""
    if isinstance(t, ArrayType):
        return is_orderable(t.element)
    if isinstance(t, StructType):
        return all(is_orderable(f.data_type) for f in t.fields)
    return not isinstance(t, MapType) and t not in (CALENDAR_INTERVAL, VARIANT)
