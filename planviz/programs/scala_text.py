"""Values as Scala writes them into a text."""

from __future__ import annotations

import re

from planviz.programs.values import Unknown, Value

#: How wide a value may be written.
_WIDEST = 1_000


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


def formatted(form: Value, value: Value) -> Value:
    """A value as a form such as `%.2f` writes it; one that nobody knows by its name."""
    if not isinstance(form, str) or not isinstance(value, str | int | float):
        return str(Unknown("formatted")) if not isinstance(value, Unknown) else str(value)
    number = re.search(r"\d+", form)
    if number is not None and int(number[0]) > _WIDEST:
        return str(value)
    try:
        if form[-1] in "dfegxXoc":
            return format(value, form[1:].replace("-", "<")) if "," in form else form.replace(",", "") % value
        return form % value if form[-1] == "s" else str(value)
    except (TypeError, ValueError):
        return str(value)


def without_margin(value: Value, margin: Value = "|") -> Value:
    """A text without the blanks and the sign that its lines begin with (stripMargin)."""
    if not isinstance(value, str) or not isinstance(margin, str):
        return value
    return re.sub(rf"(?m)^[ \t]*{re.escape(margin)}", "", value)
