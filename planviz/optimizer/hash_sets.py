"""In which order Scala 2.12's immutable HashSet gives its elements; InSet of Spark before 3.2 shows its values so."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from planviz.expressions.core import Literal
from planviz.optimizer.evaluation.hashes import MURMUR3

_MASK = 0xFFFFFFFF
#: The seed of UTF8String.hashCode.
_SEED = 42
_EPOCH = date(1970, 1, 1)


def in_hash_set(items: Iterable[Literal]) -> tuple[Any, ...]:
    """The literals in the set's order; as they came where a value's hash is not known here (decimals, doubles ...)."""
    given = tuple(items)
    hashes = [_hash(i.value) for i in given]
    if any(h is None for h in hashes):
        return given
    # The set is a trie of five bits of the hash a level, the lowest first.
    places = {i: [_spread(h or 0) >> bits & 31 for bits in range(0, 35, 5)] for i, h in enumerate(hashes)}
    return tuple(given[i] for i in sorted(places, key=places.__getitem__))


def _hash(value: Any) -> int | None:
    """Scala's `##` of the value as Spark stores it."""
    if isinstance(value, bool):
        return 1231 if value else 1237
    if isinstance(value, str):
        return MURMUR3.of_bytes(value.encode(), _SEED)
    if type(value) is date:
        return (value - _EPOCH).days
    if not isinstance(value, int):
        return None
    fits = -(1 << 31) <= value < 1 << 31
    return value if fits else value ^ value >> 32


def _spread(h: int) -> int:
    """HashSet.improve: every bit of a hash moves the lowest ones."""
    h = h + ~(h << 9) & _MASK
    h ^= h >> 14
    h = h + (h << 4) & _MASK
    return h ^ h >> 10
