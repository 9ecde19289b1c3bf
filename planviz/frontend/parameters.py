"""The values of `:name` and `?`, bound while the text is read, as Spark 4.x substitutes them before it parses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal

from planviz.errors import InputError
from planviz.expressions.core import Expression, Literal, lit
from planviz.expressions.unresolved import UnresolvedFunction
from planviz.frontend import literals
from planviz.types import BINARY, DATE, DOUBLE, LONG, TIMESTAMP

#: What a caller hands in: values by name for `:name`, values in order for `?`.
Parameters = Mapping[str, object] | Sequence[object]


def value_of(value: object) -> Expression:
    """A Python value as the constant that Spark makes of it; an expression stays what it is.

    None, bool, int, float, Decimal, str, bytes, date, datetime, lists (array) and dicts (map). Raises InputError for
    anything else.
    """
    if isinstance(value, Expression):
        return value
    if value is None or isinstance(value, bool | str):
        return lit(value)
    if isinstance(value, int):
        return lit(value) if -(1 << 31) <= value < 1 << 31 else Literal(value, LONG)
    if isinstance(value, float):
        return Literal(value, DOUBLE)
    if isinstance(value, Decimal):
        made = literals.number(f"{value:f}BD")
        if isinstance(made, Literal):
            return made
    if isinstance(value, datetime):
        return Literal(value, TIMESTAMP)
    if isinstance(value, date):
        return Literal(value, DATE)
    if isinstance(value, bytes):
        return Literal(value, BINARY)
    if isinstance(value, list | tuple):
        return UnresolvedFunction(("array",), tuple(value_of(v) for v in value))
    if isinstance(value, dict):
        return UnresolvedFunction(("map",), tuple(value_of(v) for pair in value.items() for v in pair))
    raise InputError(
        f"A parameter cannot have the value {value!r}: give a number, text, date, boolean, list or map of these."
    )


def text_key(text: str) -> str:
    """The key of a text in quotes among parameters, where a value that nobody knows stands for it."""
    return f"'{text}'"


def bound(parameters: Parameters | None, key: str | int) -> Expression | None:
    """The value of the parameter `:key`, or of the `?` at position `key` from 0; None when it has none.

    Raises LookupError when the parameters are of the other kind.
    """
    if not parameters:
        return None
    if isinstance(parameters, Mapping) is not isinstance(key, str):
        raise LookupError(key)
    if isinstance(parameters, Mapping):
        return value_of(parameters[str(key)]) if key in parameters else None
    at = int(key)
    return value_of(parameters[at]) if at < len(parameters) else None
