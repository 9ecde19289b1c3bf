"""Values as Scala writes them into a text."""

from __future__ import annotations

import re

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


def without_margin(value: Value, margin: Value = "|") -> Value:
    """A text without the blanks and the sign that its lines begin with (stripMargin)."""
    if not isinstance(value, str) or not isinstance(margin, str):
        return value
    return re.sub(rf"(?m)^[ \t]*{re.escape(margin)}", "", value)
