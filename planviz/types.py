"""Data types as Spark has them: their names in every form, decimal arithmetic, and the ANSI coercion lattice of 4.x.

`simple_string` is what plans print (`decimal(7,2)`, `struct<a:int>`), `sql` what error messages print (`DECIMAL(7,2)`).
Types are compared by value. Sources: `org.apache.spark.sql.types`, `AnsiTypeCoercion`, `DecimalPrecision`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from planviz.errors import InputError


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


BOOLEAN = AtomicType("boolean", "BooleanType", 1)
BYTE = AtomicType("tinyint", "ByteType", 1)
SHORT = AtomicType("smallint", "ShortType", 2)
INT = AtomicType("int", "IntegerType", 4)
LONG = AtomicType("bigint", "LongType", 8)
FLOAT = AtomicType("float", "FloatType", 4)
DOUBLE = AtomicType("double", "DoubleType", 8)
STRING = AtomicType("string", "StringType", 20)
BINARY = AtomicType("binary", "BinaryType", 100)
DATE = AtomicType("date", "DateType", 4)
TIMESTAMP = AtomicType("timestamp", "TimestampType", 8)
TIMESTAMP_NTZ = AtomicType("timestamp_ntz", "TimestampNTZType", 8)
TIME = AtomicType("time(6)", "TimeType(6)", 8)
NULL = AtomicType("void", "NullType", 1)
CALENDAR_INTERVAL = AtomicType("interval", "CalendarIntervalType", 16)
VARIANT = AtomicType("variant", "VariantType", 2048)
GEOGRAPHY = AtomicType("geography(any)", "GeographyType(ANY)", 4096)
GEOMETRY = AtomicType("geometry(any)", "GeometryType(ANY)", 4096)
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

    @property
    def simple_string(self) -> str:  # type: ignore[override]
        """See DataType."""
        return f"{'var' if self.varying else ''}char({self.length})"


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
        return STRING
    if isinstance(t, ArrayType):
        return ArrayType(without_lengths(t.element), t.contains_null)
    if isinstance(t, MapType):
        return MapType(without_lengths(t.key), without_lengths(t.value), t.value_contains_null)
    if isinstance(t, StructType):
        return StructType(tuple(StructField(f.name, without_lengths(f.data_type), f.nullable) for f in t.fields))
    return t


def _bool(value: bool) -> str:
    return "true" if value else "false"


PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def quote_if_needed(name: str) -> str:
    """An identifier, in backquotes when it is not plain (letters, digits and underscores, no leading digit)."""
    return name if PLAIN_NAME.match(name) else quote(name)


def quote(name: str) -> str:
    """An identifier in backquotes."""
    return "`" + name.replace("`", "``") + "`"


INTEGRAL: tuple[DataType, ...] = (BYTE, SHORT, INT, LONG)
FRACTIONAL: tuple[DataType, ...] = (FLOAT, DOUBLE)
_NUMERIC_ORDER: tuple[DataType, ...] = (BYTE, SHORT, INT, LONG, FLOAT, DOUBLE)

#: The decimal that holds every value of an integral type.
FOR_TYPE: dict[DataType, DecimalType] = {
    BYTE: DecimalType(3, 0),
    SHORT: DecimalType(5, 0),
    INT: DecimalType(10, 0),
    LONG: DecimalType(20, 0),
    FLOAT: DecimalType(14, 7),
    DOUBLE: DecimalType(30, 15),
}


def is_numeric(t: DataType) -> bool:
    """Whether arithmetic applies: integral, floating or decimal."""
    return isinstance(t, DecimalType) or t in _NUMERIC_ORDER


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


def is_orderable(t: DataType) -> bool:
    """Whether values can be compared with `<`: everything but maps, variants and calendar intervals."""
    if isinstance(t, ArrayType):
        return is_orderable(t.element)
    if isinstance(t, StructType):
        return all(is_orderable(f.data_type) for f in t.fields)
    return not isinstance(t, MapType) and t not in (CALENDAR_INTERVAL, VARIANT)


# ---------------------------------------------------------------------------------------------------- decimals


def bounded(precision: int, scale: int) -> DecimalType:
    """decimal(precision, scale) with both cut to 38 (Spark: `DecimalType.bounded`)."""
    return DecimalType(min(precision, 38), min(scale, 38))


def adjusted(precision: int, scale: int) -> DecimalType:
    """decimal(precision, scale) cut to 38 digits, giving up at most the scale beyond 6 (`adjustPrecisionScale`)."""
    if precision <= 38:
        return DecimalType(precision, scale)
    digits = precision - scale
    min_scale = min(scale, 6)
    return DecimalType(38, max(38 - digits, min_scale))


def decimal_result(op: str, a: DecimalType, b: DecimalType) -> DecimalType:
    """The type of `a op b`, op one of + - * / % div pmod (Spark: BinaryArithmetic.resultDecimalType)."""
    p1, s1, p2, s2 = a.precision, a.scale, b.precision, b.scale
    if op in ("+", "-"):
        scale = max(s1, s2)
        return adjusted(max(p1 - s1, p2 - s2) + scale + 1, scale)
    if op == "*":
        return adjusted(p1 + p2 + 1, s1 + s2)
    if op == "/":
        scale = max(6, s1 + p2 + 1)
        return adjusted(p1 - s1 + s2 + scale, scale)
    if op in ("%", "pmod"):
        scale = max(s1, s2)
        return adjusted(min(p1 - s1, p2 - s2) + scale, scale)
    digits = p1 - s1 + s2
    return bounded(digits if digits else 1, 0)


def wider_decimal(a: DecimalType, b: DecimalType) -> DecimalType:
    """The decimal that holds the values of both, cut to 38 digits keeping the integral part."""
    scale = max(a.scale, b.scale)
    digits = max(a.precision - a.scale, b.precision - b.scale)
    if digits + scale <= 38:
        return DecimalType(digits + scale, scale)
    return DecimalType(38, max(0, 38 - digits))


# ---------------------------------------------------------------------------------------------------- coercion


def tightest_common_type(a: DataType, b: DataType) -> DataType | None:
    """The narrowest type both convert to without loss, ANSI rules; None when there is none.

    Spark: `AnsiTypeCoercion.findTightestCommonType`. Strings take no part here.
    """
    if a == b:
        return a
    if a == NULL:
        return b
    if b == NULL:
        return a
    if a in INTEGRAL and b in INTEGRAL:
        return INTEGRAL[max(INTEGRAL.index(a), INTEGRAL.index(b))]
    if a in _NUMERIC_ORDER and b in _NUMERIC_ORDER:
        # An integral beside a float goes to double: a float cannot hold it.
        return DOUBLE
    if isinstance(a, DecimalType) and b in _NUMERIC_ORDER:
        return _decimal_with(a, b)
    if isinstance(b, DecimalType) and a in _NUMERIC_ORDER:
        return _decimal_with(b, a)
    if isinstance(a, DayTimeIntervalType) and isinstance(b, DayTimeIntervalType):
        return DayTimeIntervalType(min(a.start, b.start), max(a.end, b.end))
    if isinstance(a, YearMonthIntervalType) and isinstance(b, YearMonthIntervalType):
        return YearMonthIntervalType(min(a.start, b.start), max(a.end, b.end))
    if is_datetime(a) and is_datetime(b):
        return TIMESTAMP if TIMESTAMP in (a, b) else TIMESTAMP_NTZ
    return _common_complex(a, b)


def _decimal_with(d: DecimalType, t: DataType) -> DataType | None:
    if t in FRACTIONAL:
        return DOUBLE
    i = FOR_TYPE[t]
    if d.precision - d.scale >= i.precision - i.scale:
        return d
    return None


def _common_complex(a: DataType, b: DataType) -> DataType | None:
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        element = wider_type(a.element, b.element)
        return ArrayType(element, a.contains_null or b.contains_null) if element else None
    if isinstance(a, MapType) and isinstance(b, MapType):
        k, v = wider_type(a.key, b.key), wider_type(a.value, b.value)
        return MapType(k, v, a.value_contains_null or b.value_contains_null) if k and v else None
    if isinstance(a, StructType) and isinstance(b, StructType) and len(a.fields) == len(b.fields):
        fields = []
        for x, y in zip(a.fields, b.fields, strict=True):
            t = wider_type(x.data_type, y.data_type)
            if t is None or x.name.lower() != y.name.lower():
                return None
            fields.append(StructField(x.name, t, x.nullable or y.nullable))
        return StructType(tuple(fields))
    return None


def promote_string(t: DataType) -> DataType | None:
    """What a string is cast to beside a value of type `t` (ANSI): bigint for integrals, double for other numbers."""
    if t in INTEGRAL:
        return LONG
    if is_numeric(t):
        return DOUBLE
    if t == CALENDAR_INTERVAL or isinstance(t, ArrayType | MapType | StructType):
        return None
    return t


def wider_type(a: DataType, b: DataType) -> DataType | None:
    """The type both are cast to where they must agree: set operations, CASE branches, comparisons (ANSI).

    Spark: `AnsiTypeCoercion.findWiderTypeForTwo` with decimals widened and strings promoted.
    """
    common = tightest_common_type(a, b)
    if common is not None:
        return common
    da = a if isinstance(a, DecimalType) else FOR_TYPE.get(a)
    db = b if isinstance(b, DecimalType) else FOR_TYPE.get(b)
    if da is not None and db is not None:
        return wider_decimal(da, db)
    if a == STRING and is_atomic(b):
        return promote_string(b)
    if b == STRING and is_atomic(a):
        return promote_string(a)
    return None


def wider_common(types: list[DataType]) -> DataType | None:
    """The wider type of several, from left to right (`AnsiTypeCoercion.findWiderCommonType`)."""
    common: DataType | None = NULL
    for t in types:
        common = wider_type(common, t) if common is not None else None
    return common


# ---------------------------------------------------------------------------------------------------- reading names

_NAMES: dict[str, DataType] = {
    "boolean": BOOLEAN, "tinyint": BYTE, "byte": BYTE, "smallint": SHORT, "short": SHORT, "int": INT, "integer": INT,
    "bigint": LONG, "long": LONG, "float": FLOAT, "real": FLOAT, "double": DOUBLE, "string": STRING, "date": DATE,
    "timestamp": TIMESTAMP, "timestamp_ltz": TIMESTAMP, "timestamp_ntz": TIMESTAMP_NTZ, "binary": BINARY,
    "interval": CALENDAR_INTERVAL, "void": NULL, "null": NULL, "variant": VARIANT, "unknown": UNKNOWN, "time": TIME,
    "decimal": DecimalType(10, 0), "dec": DecimalType(10, 0), "numeric": DecimalType(10, 0),
}  # fmt: skip
_TOKEN = re.compile(r"\s*(?:(`(?:[^`]|``)*`|[A-Za-z_0-9]+)|(.))", re.S)


def parse_type(text: str) -> DataType:
    """The type that `text` names: `decimal(7,2)`, `array<struct<a:int,b:string>>`, `interval day to second` ...

    Raises InputError when it names none.
    """
    tokens = [m.group(1) or m.group(2) for m in _TOKEN.finditer(text.strip()) if (m.group(1) or m.group(2)).strip()]
    reader = _TypeReader(tokens, text)
    found = reader.read()
    if reader.at < len(tokens):
        raise reader.error()
    return found


def parse_fields(text: str) -> tuple[StructField, ...]:
    """The fields of a column list `a int, b string not null`; raises InputError when it is none."""
    tokens = [m.group(1) or m.group(2) for m in _TOKEN.finditer(text.strip()) if (m.group(1) or m.group(2)).strip()]
    reader = _TypeReader([*tokens, ">"], text)
    return reader.fields()


class _TypeReader:
    def __init__(self, tokens: list[str], text: str) -> None:
        self.tokens, self.text, self.at = tokens, text, 0

    def error(self) -> InputError:
        return InputError(
            f"{self.text.strip()!r} is not a data type: write it as in int, decimal(7,2) or array<string>."
        )

    def peek(self) -> str:
        return self.tokens[self.at].lower() if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        token = self.peek()
        if not token or (wanted and token not in wanted):
            raise self.error()
        self.at += 1
        return token

    def read(self) -> DataType:
        name = self.take()
        if name == "array":
            self.take("<")
            element = self.read()
            self.take(">")
            return ArrayType(element)
        if name == "map":
            self.take("<")
            key = self.read()
            self.take(",")
            value = self.read()
            self.take(">")
            return MapType(key, value)
        if name == "struct":
            self.take("<")
            return StructType(self.fields())
        if name in ("decimal", "dec", "numeric", "char", "character", "varchar", "time") and self.peek() == "(":
            return self._with_length(name)
        if name == "interval" and self.peek():
            return self._interval()
        if name == "timestamp" and self.peek() in ("with", "without"):
            kind = self.take()
            if self.take("local", "time") == "local":
                self.take("time")
            self.take("zone")
            return TIMESTAMP_NTZ if kind == "without" else TIMESTAMP
        if name not in _NAMES:
            raise self.error()
        if name == "string" and self.peek() == "collate":
            self.at += 2
        return _NAMES[name]

    def fields(self) -> tuple[StructField, ...]:
        fields: list[StructField] = []
        while self.peek() != ">":
            if fields:
                self.take(",")
            name = self.tokens[self.at] if self.at < len(self.tokens) else ""
            self.take()
            if self.peek() == ":":
                self.take()
            t, nullable = self.read(), True
            if self.peek() == "not":
                self.take()
                self.take("null")
                nullable = False
            if self.peek() == "comment":
                while self.peek() not in (",", ">", ""):
                    self.take()
            plain = name[1:-1].replace("``", "`") if name.startswith("`") else name
            fields.append(StructField(plain, t, nullable))
        self.take(">")
        return tuple(fields)

    def _with_length(self, name: str) -> DataType:
        self.take("(")
        sizes = [self._number()]
        while self.peek() == ",":
            self.take()
            sizes.append(self._number())
        self.take(")")
        if name in ("char", "character", "varchar"):
            return CharType(sizes[0], name == "varchar")
        if name == "time":
            return AtomicType(f"time({sizes[0]})", f"TimeType({sizes[0]})", 8)
        precision, scale = sizes[0], sizes[1] if len(sizes) > 1 else 0
        if precision > 38 or scale > precision or len(sizes) > 2:
            raise InputError(f"{self.text.strip()!r} is no valid decimal: at most 38 digits, the scale within them.")
        return DecimalType(precision, scale)

    def _number(self) -> int:
        token = self.take()
        if not token.isdigit():
            raise self.error()
        return int(token)

    def _interval(self) -> DataType:
        start = self.take("year", "month", "day", "hour", "minute", "second")
        end = start
        if self.peek() == "to":
            self.take()
            end = self.take("year", "month", "day", "hour", "minute", "second")
        for kind in (YearMonthIntervalType, DayTimeIntervalType):
            names = kind.names
            if start in names and end in names and names.index(start) <= names.index(end):
                return kind(names.index(start), names.index(end))
        raise self.error()
