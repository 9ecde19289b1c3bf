"""Rows of a program with values that nobody knows: their columns, and values of the same classes in their place."""

from __future__ import annotations

from planviz.errors import InputError
from planviz.programs.values import Unknown, Value


def all_known(rows: object) -> bool:
    """Whether no value in rows stands for what nobody knows."""
    if isinstance(rows, dict):
        return all(map(all_known, rows.values()))
    return all(map(all_known, rows)) if isinstance(rows, list | tuple) else not isinstance(rows, Unknown)


def _stand_in(value: object) -> object:
    """A value of the same class for one that nobody knows; a text where that is not known, either."""
    if not isinstance(value, Unknown):
        return value
    return str(value) if value.kind is None else value.kind(1)


def as_text(row: object) -> object:
    """A row with texts for the values that nobody knows."""
    if isinstance(row, Unknown):
        raise InputError("The rows are not known.")
    if isinstance(row, dict):
        return {k: _stand_in(v) for k, v in row.items()}
    if isinstance(row, tuple | list) and any(isinstance(v, Unknown) for v in row):
        values = tuple(_stand_in(v) for v in row)
        if not hasattr(row, "_fields"):
            return values
        made: Value = type(row)(values)
        made._fields = getattr(row, "_fields", ())
        return made
    return row


def names_of(rows: Value) -> list[str]:
    """The columns of rows whose values are not known: the keys of dictionaries and rows."""
    first = rows[0]
    if isinstance(first, dict):
        return [str(k) for k in first]
    if hasattr(first, "_fields"):
        return list(first._fields)
    return [f"_{i + 1}" for i in range(len(first))] if isinstance(first, list | tuple) else []
