"""Constants as text, exactly as Spark prints them."""

from __future__ import annotations

import struct
from datetime import date, datetime, time
from decimal import Decimal
from math import isinf, isnan
from zlib import crc32

from planviz.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    FLOAT,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    MapType,
    StringType,
    StructType,
    YearMonthIntervalType,
)
from planviz.types.values import PackedArray, Value
from planviz.types.zones import micros_of


def java_double(value: float) -> str:
    """A float as Java's Double.toString prints it: 1.5, 1.0E10, 1.0E-5, NaN, Infinity."""
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    point = len(digits) + int(exponent)
    head = "-" if sign else ""
    if text == "0":
        return head + "0.0"
    if -2 <= point <= 7:
        if point <= 0:
            return head + "0." + "0" * -point + text
        whole, rest = text[:point].ljust(point, "0"), text[point:]
        return f"{head}{whole}.{rest or '0'}"
    return f"{head}{text[0]}.{text[1:] or '0'}E{point - 1}"


def java_float(value: float) -> str:
    """The same for a number of 32 bits: the fewest digits that mean it."""
    if isnan(value) or isinf(value):
        return java_double(value)
    for digits in range(1, 10):
        short = float(f"{value:.{digits}g}")
        if struct.pack("f", short) == struct.pack("f", value):
            return java_double(short)
    return java_double(value)


def _seconds(micros: int) -> str:
    whole, fraction = divmod(micros, 1_000_000)
    return f"{whole:02d}" + (f".{fraction:06d}".rstrip("0") if fraction else "")


def year_month_text(months: int, t: YearMonthIntervalType) -> str:
    """INTERVAL '1-2' YEAR TO MONTH."""
    sign, n = ("-" if months < 0 else ""), abs(months)
    unit = t.simple_string.removeprefix("interval ").upper()
    if t.start == t.end:
        return f"INTERVAL '{sign}{n // 12 if t.start == 0 else n}' {unit}"
    return f"INTERVAL '{sign}{n // 12}-{n % 12}' {unit}"


def day_time_text(micros: int, t: DayTimeIntervalType) -> str:
    """INTERVAL '1 02:03:04' DAY TO SECOND."""
    sign, n = ("-" if micros < 0 else ""), abs(micros)
    day, hour, minute = 86_400_000_000, 3_600_000_000, 60_000_000
    unit = t.simple_string.removeprefix("interval ").upper()
    parts: list[str] = []
    rest = n
    if t.start == 0:
        days, rest = divmod(rest, day)
        parts.append(f"{days}")
    if t.end >= 1 and t.start <= 1:
        hours, rest = divmod(rest, hour)
        parts.append(f"{hours:02d}")
    if t.end >= 2 and t.start <= 2:
        minutes, rest = divmod(rest, minute)
        parts.append(f"{minutes:02d}")
    if t.end >= 3:
        parts.append(_seconds(rest))
    text = parts[0] + " " + ":".join(parts[1:]) if t.start == 0 and len(parts) > 1 else ":".join(parts)
    return f"INTERVAL '{sign}{text}' {unit}"


def calendar_interval_text(value: tuple[int, int, int]) -> str:
    """1 years 2 months 3 days 4 hours ..., Spark's multi-unit form; zero is '0 seconds'."""
    months, days, micros = value
    out = []
    sign = -1 if months < 0 else 1
    years, rest = divmod(abs(months), 12)
    if years:
        out.append(f"{sign * years} years")
    if rest:
        out.append(f"{sign * rest} months")
    if days:
        out.append(f"{days} days")
    sign = -1 if micros < 0 else 1
    hours, left = divmod(abs(micros), 3_600_000_000)
    minutes, left = divmod(left, 60_000_000)
    if hours:
        out.append(f"{sign * hours} hours")
    if minutes:
        out.append(f"{sign * minutes} minutes")
    if left:
        seconds = Decimal(sign * left) / 1_000_000
        out.append(f"{seconds.normalize():f} seconds")
    return " ".join(out) or "0 seconds"


def _timestamp(value: datetime) -> str:
    text = value.strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0")
    return text + (f".{value.microsecond:06d}".rstrip("0") if value.microsecond else "")


def literal_text(value: Value, t: DataType, zone: str = "UTC") -> str:
    """The value as `Literal.toString` prints it: no quotes, no suffix. `zone`: whose clock a TIMESTAMP shows."""
    if value is None:
        return "null"
    if t == BOOLEAN:
        return "true" if value else "false"
    if t == DOUBLE:
        return java_double(value)
    if t == FLOAT:
        return java_float(value)
    if t == BINARY:
        result: str = "0x" + value.hex().upper()
        return result
    if t == DATE and isinstance(value, date):
        iso: str = value.isoformat()
        return iso
    if t in (TIMESTAMP, TIMESTAMP_NTZ):
        return _timestamp(value)
    if isinstance(value, time):
        return value.strftime("%H:%M:%S") + (f".{value.microsecond:06d}".rstrip("0") if value.microsecond else "")
    if isinstance(t, DecimalType):
        return decimal_text(value)
    if isinstance(t, YearMonthIntervalType):
        return year_month_text(value, t)
    if isinstance(t, DayTimeIntervalType):
        return day_time_text(value, t)
    if t == CALENDAR_INTERVAL:
        return calendar_interval_text(value)
    if isinstance(value, PackedArray):
        return f"org.apache.spark.sql.catalyst.expressions.UnsafeArrayData@{value.hash:x}"
    if isinstance(t, ArrayType):
        return "[" + ",".join(stored_text(v, t.element, zone) for v in value) + "]"
    if isinstance(t, MapType):
        keys = ",".join(stored_text(k, t.key, zone) for k, _ in value)
        return f"map(keys: [{keys}], values: [{','.join(stored_text(v, t.value, zone) for _, v in value)}])"
    if isinstance(t, StructType):
        fields = zip(value, t.fields, strict=True)
        return "[" + ",".join(stored_text(v, f.data_type, zone) for v, f in fields) + "]"
    return str(value)


def stored_text(value: object, t: DataType, zone: str = "UTC") -> str:
    """A value as it stands within an array, map or struct: days, microseconds and months as Spark stores them."""
    if isinstance(value, datetime):
        return str(micros_of(value, zone if t == TIMESTAMP else "UTC"))
    if isinstance(value, time):
        return str(nanos_of(value))
    if isinstance(value, bytes):
        # Java prints an array of bytes by a number of this run; here it is made of the bytes.
        return f"[B@{crc32(value):08x}"
    if isinstance(value, date):
        return str((value - date(1970, 1, 1)).days)
    if isinstance(t, YearMonthIntervalType | DayTimeIntervalType) and value is not None:
        return str(value)
    return literal_text(value, t, zone)


def nanos_of(value: time) -> int:
    """Nanoseconds since midnight."""
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return (seconds * 1_000_000 + value.microsecond) * 1_000


def decimal_text(value: Decimal) -> str:
    """A decimal as Java's BigDecimal.toString prints it."""
    sign, digits, exponent = value.as_tuple()
    exp = int(exponent)
    text = "".join(map(str, digits))
    adjusted = exp + len(digits) - 1
    head = "-" if sign else ""
    if exp <= 0 and adjusted >= -6:
        if exp == 0:
            return head + text
        text = text.rjust(-exp + 1, "0")
        return f"{head}{text[:exp]}.{text[exp:]}"
    mantissa = text[0] + ("." + text[1:] if len(text) > 1 else "")
    return f"{head}{mantissa}E{adjusted:+d}"


def literal_sql(value: Value, t: DataType) -> str:
    """The value as `Literal.sql` prints it: quotes, suffixes, casts."""
    if value is None:
        return "NULL" if t.simple_string == "void" else f"CAST(NULL AS {t.sql})"
    if isinstance(t, StringType):
        text: str = "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
        return text if t is STRING else f"{text} collate {t.collation}"
    suffixes: dict[DataType, str] = {BYTE: "Y", SHORT: "S", LONG: "L"}
    suffix = suffixes.get(t)
    if suffix:
        return f"{value}{suffix}"
    if t == FLOAT:
        if isnan(value) or isinf(value):
            return f"CAST('{java_double(value)}' AS FLOAT)"
        return f"CAST({java_float(value)} AS FLOAT)"
    if t == DOUBLE:
        return f"CAST('{java_double(value)}' AS DOUBLE)" if isnan(value) or isinf(value) else f"{java_double(value)}D"
    if isinstance(t, DecimalType):
        return f"{decimal_text(value)}BD"
    if t == DATE:
        return f"DATE '{literal_text(value, t)}'"
    if t == TIMESTAMP:
        return f"TIMESTAMP '{_timestamp(value)}'"
    if t == TIMESTAMP_NTZ:
        return f"TIMESTAMP_NTZ '{_timestamp(value)}'"
    if isinstance(value, time):
        return f"TIME '{literal_text(value, t)}'"
    if t == BINARY:
        return f"X'{value.hex().upper()}'"
    if t == CALENDAR_INTERVAL:
        return f"INTERVAL '{calendar_interval_text(value)}'"
    if isinstance(t, ArrayType):
        return "ARRAY(" + ", ".join(literal_sql(v, t.element) for v in value) + ")"
    if isinstance(t, MapType):
        keys = ", ".join(literal_sql(k, t.key) for k, _ in value)
        return f"MAP({keys}, {', '.join(literal_sql(v, t.value) for _, v in value)})"
    if isinstance(t, StructType):
        pairs = zip(value, t.fields, strict=True)
        parts = (f"{literal_sql(f.name, STRING)}, {literal_sql(v, f.data_type)}" for v, f in pairs)
        return f"NAMED_STRUCT({', '.join(parts)})"
    return literal_text(value, t)
