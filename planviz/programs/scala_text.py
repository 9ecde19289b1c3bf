"""Values as Scala writes them into a text."""

from __future__ import annotations

from planviz.programs.values import Unknown, Value


def scala_text(value: Value) -> Value:
    """A number, a truth value or nothing as Scala's toString gives it; sequences as what nobody knows, for their text
    may be without end. Anything else as it is."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None:
        return "null"
    if isinstance(value, list | tuple | dict):
        return str(Unknown(type(value).__name__))
    return str(value) if isinstance(value, int | float) else value
