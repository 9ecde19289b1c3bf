"""In which order Scala 2.12's immutable sets give their elements: values of InSet before 3.2, conditions in 3.0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import TypeVar

from planviz.expressions.core import AttributeReference, Expression, Literal, SortOrder
from planviz.expressions.predicates import (
    And,
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    Or,
)
from planviz.types import (
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    DataType,
    DecimalType,
)

_T = TypeVar("_T")
_E = TypeVar("_E", bound=Expression)
#: What functions of one Window operator share: partitioning, order, kind of function.
_Group = tuple[tuple[Expression, ...], tuple[SortOrder, ...], str]
_MASK = 0xFFFFFFFF
#: The seed of UTF8String.hashCode.
_SEED = 42
_EPOCH = date(1970, 1, 1)
#: Scala has sets of up to four elements of their own, which keep the order.
_SMALL = 4
#: Scala's seed of case classes.
_PRODUCT = 0xCAFEBABE
#: What is made of its children alone, under Spark's name.
_HASHED_BY_CHILDREN = frozenset(
    (
        And,
        EqualNullSafe,
        EqualTo,
        GreaterThan,
        GreaterThanOrEqual,
        IsNotNull,
        IsNull,
        LessThan,
        LessThanOrEqual,
        Not,
        Or,
    )
)
_TYPES: dict[DataType, str] = {
    BOOLEAN: "BooleanType",
    BYTE: "ByteType",
    SHORT: "ShortType",
    INT: "IntegerType",
    LONG: "LongType",
    FLOAT: "FloatType",
    DOUBLE: "DoubleType",
    STRING: "StringType",
    DATE: "DateType",
    TIMESTAMP: "TimestampType",
}


def in_hash_set(items: Iterable[Literal]) -> tuple[Literal, ...]:
    """The literals in the set's order; as they came where a value's hash is not known here (decimals, doubles ...)."""
    given = tuple(items)
    hashes = [_hash(i.value) for i in given]
    if any(h is None for h in hashes):
        return given
    places = {i: _place(h or 0) for i, h in enumerate(hashes)}
    return tuple(given[i] for i in sorted(places, key=places.__getitem__))


def expressions_in_hash_set(given: list[_E]) -> list[_E]:
    """Expressions in the order of Scala's immutable Set: up to four as they came, more by their hashes.

    The hashes are those of Spark 3.0's classes, the ids of columns in them. What is hashed in a way that is not known
    here stays at its number, and the others keep their order around it.
    """
    if len(given) <= _SMALL:
        return given
    hashes = [_hash_of(e) for e in given]
    known = sorted((i for i, h in enumerate(hashes) if h is not None), key=lambda i: _place(hashes[i] or 0))
    ordered = iter(known)
    return [e if h is None else given[next(ordered)] for e, h in zip(given, hashes, strict=True)]


def in_hash_map(groups: Mapping[_Group, _T]) -> list[tuple[_Group, _T]]:
    """Window functions by partitioning, order and kind, in the order of Scala's groupBy (before Spark 3.1).

    A mutable map of sixteen places, told from the last to the first. As they came where a hash is not known here, or
    where they are too many for an immutable map that keeps their order.
    """
    hashes = [_hash_of_group(*key) for key in groups]
    given = list(groups.items())
    if len(given) > _SMALL or any(h is None for h in hashes):
        return given
    # Of two at one place the later one comes first.
    order = sorted(range(len(given)), key=lambda i: (_place_in_table(hashes[i] or 0), i), reverse=True)
    return [given[i] for i in order]


def _hash_of_group(partition: tuple[Expression, ...], order: tuple[SortOrder, ...], kind: str) -> int | None:
    lists = (_hash_of_list([_hash_of(e) for e in partition]), _hash_of_list([_hash_of_order(o) for o in order]))
    return _hash_of_parts(_PRODUCT, *lists, _java_hash(kind))


def _hash_of_order(o: SortOrder) -> int | None:
    direction = "Ascending" if o.direction == "ASC" else "Descending"
    nulls = "NullsFirst" if o.null_order == "NULLS FIRST" else "NullsLast"
    return _hash_of_product("SortOrder", _hash_of(o.child), _java_hash(direction), _java_hash(nulls), _NO_ORDERS)


def _hash_of_list(hashes: list[int | None]) -> int | None:
    return _hash_of_parts(_SEQUENCE, *hashes)


def _hash_of_product(name: str, *parts: int | None) -> int | None:
    """Scala's hash of a case class: its name and what it is made of; None where a part's is not known."""
    return _hash_of_parts(_mixed(_PRODUCT, _java_hash(name)), *parts)


def _hash_of_parts(h: int, *parts: int | None) -> int | None:
    """Scala's hash of a tuple, from the seed `h`; None where a part's is not known."""
    for part in parts:
        if part is None:
            return None
        h = _mixed(h, part)
    return _finished(h, len(parts))


def _place_in_table(h: int) -> int:
    """HashTable.index of a table of sixteen."""
    h = h * 0x9E3775CD & _MASK
    h = int.from_bytes(h.to_bytes(4, "little"), "big") * 0x9E3775CD & _MASK
    return (h >> 4 | h << 28 & _MASK) >> 28


def _place(h: int) -> list[int]:
    """Where a hash lies in the trie: five bits a level, the lowest first."""
    spread = _spread(h & _MASK)
    return [spread >> bits & 31 for bits in range(0, 35, 5)]


def _hash_of(e: Expression) -> int | None:
    """Scala's hash of an expression of Spark 3.0: its class and what that is made of."""
    if isinstance(e, AttributeReference):
        return _hash_of_column(e)
    if isinstance(e, Literal):
        value, kind = _hash(e.value), _hash_of_type(e.data_type)
        return None if value is None or kind is None else 31 * kind + value & _MASK
    if type(e) not in _HASHED_BY_CHILDREN:
        return None
    return _hash_of_product(type(e).__name__, *map(_hash_of, e.children))


def _hash_of_column(e: AttributeReference) -> int | None:
    kind = _hash_of_type(e.data_type)
    if kind is None or e.metadata:
        return None
    path = _hash_of_list([_java_hash(part) for part in e.qualifier])
    nullable = 1231 if e.is_nullable else 1237
    number = e.expr_id ^ e.expr_id >> 32
    h = 17
    for part_hash in (_java_hash(e.name), kind, nullable, _NO_METADATA, number, path or 0):
        h = h * 37 + part_hash & _MASK
    return h


def _hash_of_type(t: DataType) -> int | None:
    if isinstance(t, DecimalType):
        return _hash_of_parts(_PRODUCT, t.precision, t.scale)
    name = _TYPES.get(t)
    return None if name is None else _java_hash(name)


def _java_hash(text: str) -> int:
    """String.hashCode."""
    h = 0
    for unit in memoryview(text.encode("utf-16-le")).cast("H"):
        h = 31 * h + unit & _MASK
    return h


def _hash_of_bytes(data: bytes) -> int:
    """UTF8String.hashCode: four bytes at a time, then one by one."""
    whole = len(data) & ~3
    h = _SEED
    for i in range(0, whole, 4):
        h = _mixed(h, int.from_bytes(data[i : i + 4], "little"))
    for byte in data[whole:]:
        h = _mixed(h, byte - 256 if byte > 127 else byte)
    return _finished(h, len(data))


def _mixed(h: int, k: int) -> int:
    """MurmurHash3.mix."""
    h = _mixed_last(h, k)
    h = (h << 13 | h >> 19) & _MASK
    return h * 5 + 0xE6546B64 & _MASK


def _mixed_last(h: int, k: int) -> int:
    k = (k & _MASK) * 0xCC9E2D51 & _MASK
    k = (k << 15 | k >> 17) & _MASK
    return h ^ k * 0x1B873593 & _MASK


def _finished(h: int, length: int) -> int:
    """MurmurHash3.finalizeHash."""
    h ^= length
    h = (h ^ h >> 16) * 0x85EBCA6B & _MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & _MASK
    return h ^ h >> 16


def _hash(value: object) -> int | None:
    """Scala's `##` of the value as Spark stores it."""
    if isinstance(value, bool):
        return 1231 if value else 1237
    if isinstance(value, str):
        return _hash_of_bytes(value.encode())
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


#: Scala's seed of sequences, the hash of an empty set (equal orders), and of a column's metadata where there is none.
_SEQUENCE = _java_hash("Seq")
_NO_ORDERS = _finished(_mixed_last(_mixed(_mixed(_java_hash("Set"), 0), 0), 1), 0)
_NO_METADATA = _finished(_mixed_last(_mixed(_mixed(_java_hash("Map"), 0), 0), 1), 0)
