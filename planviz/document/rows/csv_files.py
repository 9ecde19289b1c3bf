"""Rows of a CSV file as the inline table that SQL would write."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Sequence

from planviz.errors import InputError

_INT, _LONG = 2**31, 2**63
#: What a column's values must all look like to be of a type; text where nothing else fits.
_FORMS = (
    (re.compile(r"[+-]?\d{1,18}"), lambda v: f"{int(v)}{'' if -_INT <= int(v) < _INT else 'L'}"),
    (re.compile(r"[+-]?(\d+\.\d*|\.?\d+)([eE][+-]?\d+)?"), lambda v: f"{float(v)!r}D"),
    (re.compile(r"\d{4}-\d\d-\d\d"), lambda v: f"DATE'{v}'"),
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?"), lambda v: f"TIMESTAMP'{v}'"),
    (re.compile(r"true|false", re.IGNORECASE), str.lower),
)


def header_of(text: str) -> list[str]:
    """The columns' names, which the first line has."""
    return [c.strip() for c in next(csv.reader(io.StringIO(text)), [])]


def values_of(text: str, name: str) -> str:
    """`VALUES (...), ... AS name(columns)` of a CSV text whose first line names the columns.

    Values are integers, doubles, dates, timestamps and booleans where all of a column are; an empty field is null.
    Raises InputError for a text without rows, and for a row of another length than the first line.
    """
    try:
        lines = [line for line in csv.reader(io.StringIO(text)) if line]
    except csv.Error as error:
        raise InputError(f"{name}: the rows cannot be read ({error}). Write a CSV file as spreadsheets do.") from None
    if len(lines) < 2:
        raise InputError(f"{name}: a CSV file needs a line with the columns' names and a row at least.")
    header, rows = header_of(text), [[v.strip() for v in line] for line in lines[1:]]
    for at, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise InputError(f"{name}: row {at} has {len(row)} fields, the first line {len(header)}.", line=at)
    written = [_column([row[at] for row in rows]) for at in range(len(header))]
    shown = ", ".join(f"({', '.join(row)})" for row in zip(*written, strict=True))
    return f"VALUES {shown} AS {_quoted(name)}({', '.join(map(_quoted, header))})"


def _column(values: Sequence[str]) -> list[str]:
    known = [v for v in values if v]
    form = next((f for pattern, f in _FORMS if known and all(pattern.fullmatch(v) for v in known)), _text)
    form = _double if form is _FORMS[0][1] and any(abs(int(v)) >= _LONG for v in known) else form
    return [form(v) if v else "null" for v in values]


def _double(value: str) -> str:
    return f"{float(value)!r}D"


_text: Callable[[str], str] = lambda v: "'" + v.replace("\\", "\\\\").replace("'", "\\'") + "'"  # noqa: E731


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
