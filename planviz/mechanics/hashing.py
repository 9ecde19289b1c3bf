"""Where an exchange sends a row: Spark's partition ids by hash and by range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import localcontext
from functools import cmp_to_key

from planviz.evaluation import UnknownValueError
from planviz.evaluation.core import WIDE
from planviz.evaluation.hashes import MURMUR3
from planviz.types import DataType
from planviz.types.values import Value

Compare = Callable[[Value, Value], int]


def murmur3(values: Sequence[Value], types: Sequence[DataType]) -> int:
    """Spark's `hash(...)`: Murmur3 of 32 bits with seed 42, values as those of `Literal`; a null changes nothing.

    Raises UnknownValueError for a type that is not hashed here.
    """
    try:
        with localcontext(WIDE):
            return MURMUR3.over(values, types)
    except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
        raise UnknownValueError(str(error)) from None


def partition_of(values: Sequence[object], types: Sequence[DataType], number: int) -> int:
    """The partition of `number` that takes the row with these keys (Spark: HashPartitioning.partitionIdExpression)."""
    return murmur3(values, types) % number


def range_bounds(keys: Sequence[Value], number: int, compare: Compare) -> list[Value]:
    """The upper bounds of all ranges but the last, `keys` being those of all rows (Spark: RangePartitioner).

    Spark reads a sample of 100 rows for each partition to be made; that few rows are all in it, each weighing the same.
    """
    ordered = sorted(keys, key=cmp_to_key(compare))
    ranges = min(number, len(ordered))
    bounds: list[Value] = []
    target = step = len(ordered) / ranges if ranges else 0.0
    for count, key in enumerate(ordered, 1):
        if len(bounds) >= ranges - 1:
            break
        if count >= target and (not bounds or compare(key, bounds[-1]) > 0):
            bounds.append(key)
            target += step
    return bounds


def range_of(key: object, bounds: Sequence[object], compare: Compare) -> int:
    """The range that takes a key: the first whose upper bound is not below it."""
    return next((at for at, bound in enumerate(bounds) if compare(key, bound) <= 0), len(bounds))
