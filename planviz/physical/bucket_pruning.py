"""Which buckets of a table can hold rows that pass a filter (Spark: FileSourceStrategy.getExpressionBuckets)."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import localcontext

from planviz.evaluation.core import WIDE
from planviz.evaluation.errors import UnknownValueError
from planviz.evaluation.hashes import MURMUR3
from planviz.expressions.core import AttributeReference, Expression, Literal
from planviz.expressions.predicates import And, EqualNullSafe, EqualTo, In, InSet, IsNull, Or


def selected_buckets(filters: Iterable[Expression], column: str, number: int) -> frozenset[int]:
    """The buckets, of `number` by the hash of one column, that pass all the filters may lie in."""
    found = every = frozenset(range(number))
    for f in filters:
        found &= _of(f, column.lower(), number, every)
    return found


def _of(f: Expression, column: str, number: int, every: frozenset[int]) -> frozenset[int]:
    match f:
        case And(left, right):
            return _of(left, column, number, every) & _of(right, column, number, every)
        case Or(left, right):
            return _of(left, column, number, every) | _of(right, column, number, every)
        case EqualTo(AttributeReference() as a, Literal() as value) | EqualNullSafe(
            AttributeReference() as a, Literal() as value
        ):
            values = (value.value,)
        case In(AttributeReference() as a, items) if all(isinstance(i, Literal) for i in items):
            values = tuple(i.value for i in items if isinstance(i, Literal))
        case InSet(AttributeReference() as a, literals):
            values = tuple(v.value for v in literals)
        case IsNull(AttributeReference() as a):
            values = (None,)
        case _:
            return every
    if a.name.lower() != column:
        return every
    try:
        with localcontext(WIDE):
            return frozenset(MURMUR3.over((v,), (a.type,)) % number for v in values)
    except (UnknownValueError, ArithmeticError, AttributeError, TypeError, ValueError):
        return every
