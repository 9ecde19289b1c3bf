"""The order in which Spark sees the entries of a dictionary: those of a Java map, copied into a Scala map."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")
_MASK = 0xFFFFFFFF
#: How many entries a Scala map keeps in order; more go into its HashMap.
_SMALL = 4


class InOrder(dict[K, V]):
    """A map of Scala: up to four entries stand as they were given."""


def scala_order(given: Mapping[K, V]) -> list[tuple[K, V]]:
    """The entries of `dictionary` as Spark walks through them (Spark: javaMap.asScala.toMap).

    Keys are texts, numbers and booleans; others come last, as they stand.
    """
    entries = list(given.items())
    if not isinstance(given, InOrder):
        entries.sort(key=lambda entry: _java_place(entry[0], len(given)))
    return entries if len(entries) <= _SMALL else _walked([(e, _improved(_scala_hash(e[0]))) for e in entries])


def set_order(names: list[str]) -> list[str]:
    """Texts as Spark walks through a set of them (Spark: names.toSet.toSeq)."""
    once = list(dict.fromkeys(names))
    return once if len(once) <= _SMALL else _walked([(n, _improved(_scala_hash(n))) for n in once])


def _java_place(key: object, entries: int) -> int:
    """The bucket of a java.util.HashMap."""
    size = 16
    while entries > size * 3 // 4:
        size *= 2
    h = _java_hash(key)
    return (h ^ (h >> 16)) & (size - 1)


def _java_hash(key: object) -> int:
    match key:
        case bool():
            return 1231 if key else 1237
        case int():
            return key & _MASK if -(1 << 31) <= key < 1 << 31 else (key ^ key >> 32) & _MASK
        case float():
            (bits,) = struct.unpack("<Q", struct.pack("<d", key))
            return int((bits ^ bits >> 32) & _MASK)
        case str():
            h = 0
            data = key.encode("utf-16-be", "surrogatepass")
            for i in range(0, len(data), 2):
                h = (h * 31 + (data[i] << 8 | data[i + 1])) & _MASK
            return h
    return _MASK


def _scala_hash(key: object) -> int:
    """Scala's `##`: numbers that are equal have the same, whatever their class."""
    if isinstance(key, float):
        if key.is_integer() and abs(key) < 1 << 63:
            return _java_hash(int(key))
        if abs(key) < 1e38:
            (bits,) = struct.unpack("<I", struct.pack("<f", key))
            if struct.unpack("<f", struct.pack("<f", key))[0] == key:
                return int(bits)
    return _java_hash(key)


def _improved(h: int) -> int:
    """Scala: collection.Hashing.improve."""
    h = (h + (~(h << 9) & _MASK)) & _MASK
    h ^= h >> 14
    h = (h + (h << 4)) & _MASK
    return h ^ h >> 10


def _walked(entries: list[tuple[T, int]], shift: int = 0) -> list[T]:
    """The entries of a HashMap's node by five bits of their hashes: those that are alone there first."""
    if shift > 30:
        return [e for e, _ in entries]
    parts: dict[int, list[tuple[T, int]]] = {}
    for entry in entries:
        parts.setdefault(entry[1] >> shift & 31, []).append(entry)
    groups = [parts[bits] for bits in sorted(parts)]
    alone = [g[0][0] for g in groups if len(g) == 1]
    return alone + [e for g in groups if len(g) > 1 for e in _walked(g, shift + 5)]
