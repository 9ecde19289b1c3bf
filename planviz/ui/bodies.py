"""What a request brings as JSON, read so that nothing in it can do harm, and what is answered."""

from __future__ import annotations

import json

#: Deeper than anything that a page of planviz sends.
_DEEPEST = 32
#: Most digits of a whole number: a longer one costs the more the longer it is.
_DIGITS = 40
#: What is said of a body that makes no sense.
ODD = "The request holds no JSON object as planviz's page sends it: a value has another type than expected."
#: What Python raises where a value is of another type, or too large, than the page would send.
ODDITIES = (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError, RecursionError)


def read_json(body: bytes | bytearray) -> dict[str, object] | None:
    """The JSON object of a body; None for anything else, what is too deep or has endless numbers included."""
    try:
        found = json.loads(body, parse_constant=_refuse, parse_int=_whole, parse_float=_number)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or _too_deep(found):
        return None
    return found


def _refuse(word: str) -> object:
    raise ValueError(word)


def _whole(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError("too many digits")
    return int(digits)


def _number(text: str) -> float:
    found = float(text)
    if found in (float("inf"), float("-inf")):
        raise ValueError("too large")
    return found


def _too_deep(value: object) -> bool:
    level = [value]
    for _ in range(_DEEPEST):
        level = [part for each in level for part in _parts(each)]
        if not level:
            return False
    return True


def _parts(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def json_bytes(told: object) -> bytes:
    """An answer as JSON; half characters, which no UTF-8 has, stand as escapes."""
    return json.dumps(told, separators=(",", ":")).encode()
