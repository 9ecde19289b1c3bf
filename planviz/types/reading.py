"""Types and column lists read from their names."""

from __future__ import annotations

import re

from planviz.errors import AnalysisError, InputError, cut
from planviz.types.collations import collated, collation_name
from planviz.types.data import (
    BINARY,
    BOOLEAN,
    BYTE,
    CALENDAR_INTERVAL,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    NULL,
    SHORT,
    SRIDS,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    UNKNOWN,
    VARIANT,
    ArrayType,
    AtomicType,
    CharType,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    MapType,
    StringType,
    StructField,
    StructType,
    YearMonthIntervalType,
    geospatial,
)

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
    tokens = _tokens(text)
    reader = _TypeReader(tokens, text)
    found = reader.read()
    if reader.at < len(tokens):
        raise reader.error()
    return found


def parse_fields(text: str) -> tuple[StructField, ...]:
    """The fields of a column list `a int, b string not null`; raises InputError when it is none."""
    return _TypeReader([*_tokens(text), ">"], text).fields()


def _tokens(text: str) -> list[str]:
    found = (m.group(1) or m.group(2) for m in _TOKEN.finditer(text.strip()))
    return [token for token in found if token.strip()]


#: Levels of a type: each takes three calls of Python, which takes a thousand.
_DEEPEST = 100


class NotAType(InputError):
    """A text that is no data type, or no list of columns with their types.

    `error_class` is Spark's: of a text whose words stand where types and names may stand, only a type is unknown.
    """

    python_type = "ParseException"

    def __init__(self, message: str, text: str = "") -> None:
        super().__init__(message)
        words = re.fullmatch(
            r"\s*`?\w+`?(?:\s*+:)?\s++\w+(\s*+\([\d\s,]*+\))?(\s*+,\s*`?\w+`?(?:\s*+:)?\s++\w+.*)?", text
        )
        self.error_class = "UNSUPPORTED_DATATYPE" if words else "PARSE_SYNTAX_ERROR"


class _TypeReader:
    def __init__(self, tokens: list[str], text: str) -> None:
        self.tokens, self.text, self.at, self.depth = tokens, text, 0, 0

    def error(self) -> NotAType:
        return NotAType(
            f"{self.text.strip()!r} is not a data type: write it as in int, decimal(7,2) or array<string>.", self.text
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
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotAType(f"A data type nests at most {_DEEPEST} levels deep: {cut(self.text.strip(), 60)}.")
        try:
            return self._read()
        finally:
            self.depth -= 1

    def _read(self) -> DataType:
        name = self.take()
        if name in ("array", "map", "struct") and self.peek() != "<":
            told = f"The type {name.upper()} lacks what it holds: array<int>, map<string,int>, struct<a:int>."
            raise AnalysisError(f"INCOMPLETE_TYPE_DEFINITION.{name.upper()}", told)
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
        if name in SRIDS and self.peek() == "(":
            return self._geospatial(name)
        if name == "interval" and self.peek().isalpha() and self.peek() not in ("not", "comment", "default"):
            return self._interval()
        if name == "timestamp" and self.peek() in ("with", "without"):
            kind = self.take()
            if self.take("local", "time") == "local":
                self.take("time")
            self.take("zone")
            return TIMESTAMP_NTZ if kind == "without" else TIMESTAMP
        if name not in _NAMES:
            raise self.error()
        if name == "time":
            self._without_zone()
        return self._text() if name == "string" else _NAMES[name]

    def _text(self) -> StringType:
        """The text type of COLLATE and a name, which may be that of the system's own collations in full."""
        if self.peek() != "collate":
            return STRING
        self.take()
        parts = [self._plain(self.take())]
        while self.peek() == ".":
            self.take()
            parts.append(self._plain(self.take()))
        return collated(collation_name(parts))

    @staticmethod
    def _plain(name: str) -> str:
        return name[1:-1].replace("``", "`") if name.startswith("`") else name

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
            fields.append(StructField(self._plain(name), t, nullable))
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
            return CharType(sizes[0], name == "varchar", self._text())
        if name == "time":
            self._without_zone()
            return AtomicType(f"time({sizes[0]})", f"TimeType({sizes[0]})", 8)
        precision, scale = sizes[0], sizes[1] if len(sizes) > 1 else 0
        if precision > 38 and len(sizes) < 3:
            told = f"A decimal has at most 38 digits, not {precision}."
            raise AnalysisError("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", told)
        if scale > precision and len(sizes) < 3:
            told = f"A decimal of {precision} digits cannot have {scale} behind the point."
            raise AnalysisError("DECIMAL_SCALE_EXCEEDS_PRECISION", told)
        if len(sizes) > 2:
            raise InputError(f"{self.text.strip()!r} is no valid decimal: at most 38 digits, the scale within them.")
        return DecimalType(precision, scale)

    def _geospatial(self, kind: str) -> DataType:
        self.take("(")
        said = self.take()
        self.take(")")
        if said != "any" and not (said.isdecimal() and len(said) < 10 and int(said) in SRIDS[kind]):
            raise self.error()
        return geospatial(kind, None if said == "any" else int(said))

    def _without_zone(self) -> None:
        if self.peek() == "without":
            self.take()
            self.take("time")
            self.take("zone")

    def _number(self) -> int:
        token = self.take()
        if not token.isdecimal() or len(token) > 18:
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
