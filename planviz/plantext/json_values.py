"""Values of JSON as what they are read for: a text of strangers may have anything in their place.

Those that end in `_of` answer None or nothing for a value of another type; `must_be` raises.
"""

from __future__ import annotations

import json
import math
from typing import TypeVar

from planviz.jsontypes import JsonObject

T = TypeVar("T")

#: Numbers from here on are none that Spark counts to; a float holds them still.
_MOST = 10**300


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


#: Reads JSON; NaN, Infinity and 1e400, which no JSON has and no picture can show, are null.
DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=lambda name: None)


def loads(text: str) -> object:
    """The value of a JSON text, numbers that are none as None. Raises what json.loads raises."""
    return DECODER.decode(text)


def number_of(value: object) -> int | float | None:
    """A number, as it stands there."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < _MOST else None


def count_of(value: object) -> int | None:
    """A whole number from 0 on."""
    number = number_of(value)
    return int(number) if number is not None and number >= 0 and number == int(number) else None


def entries_of(value: object) -> list[JsonObject]:
    """The objects of an array."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def must_be(kind: type[T], value: object) -> T:
    """The value, which has this type. Raises TypeError."""
    if not isinstance(value, kind):
        raise TypeError(f"{type(value).__name__} where {kind.__name__} is expected")
    return value
