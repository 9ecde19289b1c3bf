"""Casts: which conversions exist, and what to say about those that do not (Spark: `Cast.canCast`, `canAnsiCast`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from planviz.expressions.core import Expression, Typed, TypeMismatch, UnaryExpression
from planviz.trees.node import always, lazy, node
from planviz.types import (
    BINARY,
    BOOLEAN,
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    FLOAT,
    FOR_TYPE,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    UNKNOWN,
    VARIANT,
    ArrayType,
    DataType,
    DecimalType,
    GeospatialType,
    MapType,
    StructType,
    is_ansi_interval,
    is_atomic,
    is_datetime,
    is_integral,
    is_interval,
    is_numeric,
    is_string,
    is_time,
)
from planviz.types.collations import BINARY_TEXT

#: What is remarked about a column that is declared as char(n) or varchar(n), before the type (Spark: CharVarcharUtils).
_CHAR_VARCHAR = "__CHAR_VARCHAR_TYPE_STRING="


def remark_of_declared(text: str) -> str:
    """The remark about a column that is declared as a type, `char(5)` say."""
    return _CHAR_VARCHAR + text


def declared_text(metadata: tuple[str, ...]) -> str | None:
    """The type that a column is declared as by what is remarked about it: char(n), varchar(n), or neither."""
    return next((m.removeprefix(_CHAR_VARCHAR) for m in metadata if m.startswith(_CHAR_VARCHAR)), None)


@node
class Cast(Typed, UnaryExpression):
    """A conversion. `mode` is "ANSI", "LEGACY" or "TRY"; `user_specified` tells a written cast from an inserted one."""

    child: Expression
    type: DataType
    mode: str = "ANSI"
    user_specified: bool = False
    time_zone: str | None = None

    UNCOMPARED: ClassVar[tuple[str, ...]] = ("user_specified",)

    @property
    def data_type(self) -> DataType:
        """The type; text under the binary collation by name is plain text."""
        return STRING if self.type is BINARY_TEXT else self.type

    @lazy
    def nullable(self) -> bool:
        """As the child; in every mode what may not convert counts as one that gives null."""
        return self.child.nullable or self.mode == "TRY" or force_nullable(self.child.data_type, self.type)

    null_intolerant = always(True)

    @lazy
    def canonicalized(self) -> Expression:
        """Without origin and time zone."""
        return Cast(self.child.canonicalized, self.type, self.mode)

    def check_input_types(self) -> TypeMismatch | None:
        """Whether the conversion exists."""
        return cast_mismatch(self)

    def to_string(self) -> str:
        """cast(child as type)."""
        return f"{'try_' if self.mode == 'TRY' else ''}cast({self.child} as {self.type.simple_string})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """CAST(child AS TYPE); casts to complex types print only their child, as in Spark."""
        if isinstance(self.type, ArrayType | MapType | StructType):
            return r(self.child)
        return f"{'TRY_' if self.mode == 'TRY' else ''}CAST({r(self.child)} AS {self.type.sql})"

    def render_pretty(self) -> str:
        """Only a cast that the user wrote is shown."""
        if not self.user_specified:
            return self.child.pretty
        return self.render(lambda e: e.pretty)


def can_ansi_cast(a: DataType, b: DataType) -> bool:
    """Whether ANSI mode allows a cast from `a` to `b` (values may still fail at run time)."""
    if a not in (b, NULL, UNKNOWN) and b != UNKNOWN and GeospatialType in (type(a), type(b)):
        return _can_cast_shapes(a, b)
    if a in (b, NULL) or UNKNOWN in (a, b) or is_string(b) or a == VARIANT:
        return True
    if b == VARIANT:
        # An object is made by to_variant_object().
        while isinstance(a, ArrayType):
            a = a.element
        return not isinstance(a, StructType | MapType) and not is_interval(a)
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        return can_ansi_cast(a.element, b.element)
    if isinstance(a, MapType) and isinstance(b, MapType):
        return can_ansi_cast(a.key, b.key) and can_ansi_cast(a.value, b.value)
    if isinstance(a, StructType) and isinstance(b, StructType):
        pairs = zip(a.fields, b.fields, strict=False)
        return len(a.fields) == len(b.fields) and all(can_ansi_cast(x.data_type, y.data_type) for x, y in pairs)
    if is_string(a):
        return b in (BINARY, BOOLEAN, DATE, TIMESTAMP, TIMESTAMP_NTZ) or is_numeric(b) or is_interval(b)
    if is_numeric(a):
        exact = is_integral(a) or isinstance(a, DecimalType)
        return is_numeric(b) or b in (BOOLEAN, TIMESTAMP) or (exact and is_ansi_interval(b))
    if a == BOOLEAN:
        return is_numeric(b)
    if a in (DATE, TIMESTAMP, TIMESTAMP_NTZ):
        return b in (DATE, TIMESTAMP, TIMESTAMP_NTZ) or (a == TIMESTAMP and is_numeric(b))
    if is_time(a):
        return b in (TIMESTAMP, TIMESTAMP_NTZ) or is_integral(b) or isinstance(b, DecimalType)
    if is_ansi_interval(a):
        return type(a) is type(b) or is_integral(b) or isinstance(b, DecimalType)
    return False


def _can_cast_shapes(a: DataType, b: DataType) -> bool:
    """Shapes become such of any reference system; on the globe and in the plane they meet in the system of both."""
    if not isinstance(a, GeospatialType) or not isinstance(b, GeospatialType):
        return False
    return b.srid is None if a.kind == b.kind else a.srid is not None and a.srid == b.srid


def can_store_assign(a: DataType, b: DataType) -> bool:
    """Whether a value of type `a` may go where `b` is wanted without being asked (`Cast.canANSIStoreAssign`)."""
    if a in (b, NULL) or (is_numeric(a) and is_numeric(b)) or (is_string(b) and is_atomic(a)):
        return True
    if (is_datetime(a) or is_time(a)) and (is_datetime(b) or is_time(b)):
        return True
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        return can_store_assign(a.element, b.element)
    if isinstance(a, MapType) and isinstance(b, MapType):
        return can_store_assign(a.key, b.key) and can_store_assign(a.value, b.value)
    if isinstance(a, StructType) and isinstance(b, StructType):
        pairs = zip(a.fields, b.fields, strict=False)
        return len(a.fields) == len(b.fields) and all(
            x.name == y.name and can_store_assign(x.data_type, y.data_type) for x, y in pairs
        )
    return is_ansi_interval(a) and type(a) is type(b)


def _can_legacy_cast(a: DataType, b: DataType) -> bool:
    if can_ansi_cast(a, b):
        return True
    return (
        (is_integral(a) and b == BINARY)
        or (a == BOOLEAN and b == TIMESTAMP)
        or (a in (DATE, TIMESTAMP) and (is_numeric(b) or b == BOOLEAN))
    )


def force_nullable(a: DataType, b: DataType) -> bool:
    """Whether a cast counts as one that may give null for a value that is none (Spark: `Cast.forceNullable`)."""
    if a in (NULL, b):
        return False
    if is_string(a):
        return b != BINARY and not is_string(b)
    if is_string(b) or (a, b) in ((TIMESTAMP, DATE), (DATE, TIMESTAMP), (TIMESTAMP_NTZ, DATE), (DATE, TIMESTAMP_NTZ)):
        return False
    if b in (DATE, CALENDAR_INTERVAL) or a in (DATE, VARIANT):
        return True
    if isinstance(b, DecimalType):
        return not _fits_decimal(a, b)
    if a == TIMESTAMP:
        return is_integral(b) and b != LONG
    fractional = a in (FLOAT, DOUBLE)
    return (fractional and b == TIMESTAMP) or ((fractional or isinstance(a, DecimalType)) and is_integral(b))


def _fits_decimal(a: DataType, b: DecimalType) -> bool:
    """Whether no value of `a` overflows `b` (Spark: `Cast.canNullSafeCastToDecimal`)."""
    if isinstance(a, DecimalType):
        # Rounding may carry into one more digit in front of the point.
        spare = 0 if b.scale >= a.scale else 1
        return b.precision - b.scale >= a.precision - a.scale + spare
    held = DecimalType(1, 0) if a == BOOLEAN else FOR_TYPE.get(a)
    return held is not None and b.precision - b.scale >= held.precision - held.scale and b.scale >= held.scale


def cast_mismatch(cast: Cast) -> TypeMismatch | None:
    """What is wrong with a cast in its mode, or None."""
    a, b = cast.child.data_type, cast.type
    allowed = _can_legacy_cast(a, b) if cast.mode == "LEGACY" else can_ansi_cast(a, b)
    if allowed and not (a == CALENDAR_INTERVAL and not is_string(b) and a != b):
        return None
    base = f'cannot cast "{a.sql}" to "{b.sql}"'
    function = _suggested_function(a, b) if cast.mode != "LEGACY" else ""
    if function:
        return TypeMismatch(
            "CAST_WITH_FUNC_SUGGESTION",
            f'{base}.\nTo convert values from "{a.sql}" to "{b.sql}", you can use the functions {function} instead',
        )
    if cast.mode == "ANSI" and _can_legacy_cast(a, b):
        return TypeMismatch(
            "CAST_WITH_CONF_SUGGESTION",
            f'{base} with ANSI mode on.\nIf you have to cast "{a.sql}" to "{b.sql}", you can set '
            "\"spark.sql.ansi.enabled\" as 'false'",
        )
    return TypeMismatch("CAST_WITHOUT_SUGGESTION", base)


def _suggested_function(a: DataType, b: DataType) -> str:
    if is_numeric(a) and b == DATE:
        return "`DATE_FROM_UNIX_DATE`"
    if a == DATE and is_numeric(b):
        return "`UNIX_DATE`"
    return ""


def needs_time_zone(a: DataType, b: DataType) -> bool:
    """Whether the conversion reads the session's time zone (Spark: `Cast.needsTimeZone`)."""
    zoned = (
        (is_string(a) and b in (TIMESTAMP, DATE))
        or (a == TIMESTAMP and (is_string(b) or b in (DATE, TIMESTAMP_NTZ)))
        or (a == DATE and b == TIMESTAMP)
        or (a == TIMESTAMP_NTZ and b == TIMESTAMP)
    )
    if zoned:
        return True
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        return needs_time_zone(a.element, b.element)
    if isinstance(a, MapType) and isinstance(b, MapType):
        return needs_time_zone(a.key, b.key) or needs_time_zone(a.value, b.value)
    if isinstance(a, StructType) and isinstance(b, StructType):
        return any(needs_time_zone(x.data_type, y.data_type) for x, y in zip(a.fields, b.fields, strict=False))
    return False
