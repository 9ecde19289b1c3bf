"""A value of a column as Python holds it."""

from __future__ import annotations

from typing import Any, TypeAlias

#: None, bool, int, float, Decimal, str, bytes, date, datetime, a tuple for an array or a struct, a tuple of pairs for a
#: map: which of them is said by the value's DataType, which the type checker cannot follow.
Value: TypeAlias = Any


class PackedArray(tuple[Value, ...]):
    """An array of numbers, dates or timestamps without nulls that Spark holds in one block (UnsafeArrayData).

    Spark prints its hash in place of its values.
    """

    hash: int = 0
