"""A value of a column as Python holds it."""

from __future__ import annotations

from typing import Any, TypeAlias

#: None, bool, int, float, Decimal, str, bytes, date, datetime, a tuple for an array or a struct, a tuple of pairs for a
#: map: which of them is said by the value's DataType, which the type checker cannot follow.
Value: TypeAlias = Any
