"""Aggregate functions over small rows, by their buffers: start, update, merge, result (inventory C-026).

A buffer is a tuple with a value for each column that `planviz.physical.buffers` names, in that order; a function that
keeps an object has a single one, the object as people read it. Values are those of `Literal`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import cmp_to_key
from math import ceil, sqrt
from typing import TYPE_CHECKING, Any

from planviz.evaluation import DEFAULT_EVALUATOR, UnknownValueError, compare
from planviz.evaluation.core import Row
from planviz.expressions.aggregates import AggregateCall, AggregateFunction, Average, Count, FirstLast, Max, MinMax, Sum
from planviz.types import DOUBLE, LONG, DecimalType, is_integral
from planviz.types.values import Value

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan
    from planviz.types.data import DataType

Buffer = tuple[Value, ...]
#: Rows are computed by Spark's default settings.
row_value = DEFAULT_EVALUATOR.row_value
#: Digits in which decimals are added: more than any sum of that many rows has.
_DIGITS = 60


class Buffered:
    """Base: how one aggregate function keeps its buffer. Raises UnknownValueError where a value cannot be known."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.arguments: tuple[Value, ...] = function.children

    def start(self) -> Buffer:
        """The buffer of a group without rows."""
        raise NotImplementedError

    def add(self, buffer: Buffer, *values: Value) -> Buffer:
        """The buffer after one more row, given as the arguments' values."""
        raise NotImplementedError

    def merge(self, one: Buffer, other: Buffer) -> Buffer:
        """The buffer over the rows of both; `one` has those that came first."""
        raise NotImplementedError

    def result(self, buffer: Buffer) -> Value:
        """The function's value."""
        return buffer[0]

    def skips(self, *values: object) -> bool:
        """Whether a row leaves the buffer as it is: by default any null does."""
        return None in values

    def update(self, buffer: Buffer, row: Row) -> Buffer:
        """The buffer after one more row, given as values by attribute id."""
        values = [row_value(a, row) for a in self.arguments]
        return buffer if self.skips(*values) else self.add(buffer, *values)

    def over(self, rows: Iterable[Buffer]) -> Value:
        """The value over rows that are given as the arguments' values."""
        buffer = self.start()
        for values in rows:
            buffer = buffer if self.skips(*values) else self.add(buffer, *values)
        return self.result(buffer)


class Counted(Buffered):
    """count: the rows in which no argument is null."""

    def start(self) -> Buffer:
        """See Buffered."""
        return (0,)

    def add(self, buffer: Buffer, *values: object) -> Buffer:
        """See Buffered."""
        return (buffer[0] + 1,)

    def merge(self, one: Buffer, other: Buffer) -> Buffer:
        """See Buffered."""
        return (one[0] + other[0],)


class CountedIf(Counted):
    """count_if: the rows in which the condition is true."""

    def skips(self, *values: object) -> bool:
        """See Buffered."""
        return values != (True,)


class Summed(Buffered):
    """sum; decimals also keep whether there was no value yet."""

    def start(self) -> Buffer:
        """See Buffered."""
        tracked = isinstance(self.function.data_type, DecimalType)
        return (_zero(self.function.data_type), True) if tracked else (None,)

    def add(self, buffer: Buffer, *values: Value) -> Buffer:
        """See Buffered."""
        sum = _added(buffer[0], values[0], self.function.data_type)
        return (sum, False) if len(buffer) == 2 else (sum,)

    def merge(self, one: Buffer, other: Buffer) -> Buffer:
        """See Buffered."""
        sum = _added(one[0], other[0], self.function.data_type)
        return (sum, one[1] and other[1]) if len(one) == 2 else (sum,)

    def result(self, buffer: Buffer) -> Value:
        """See Buffered."""
        return None if len(buffer) == 2 and buffer[1] else buffer[0]


class Averaged(Buffered):
    """avg: a sum and a count."""

    def __init__(self, function: Average) -> None:
        super().__init__(function)
        decimal = isinstance(function.child.data_type, DecimalType)
        if not decimal and function.data_type != DOUBLE:
            raise UnknownValueError("the average of an interval")
        self.read: Callable[[Value], Value] = (lambda v: v) if decimal else float

    def start(self) -> Buffer:
        """See Buffered."""
        return (_zero(self.function.child.data_type), 0)

    def add(self, buffer: Buffer, *values: Value) -> Buffer:
        """See Buffered."""
        return self.merge(buffer, (self.read(values[0]), 1))

    def merge(self, one: Buffer, other: Buffer) -> Buffer:
        """See Buffered."""
        with localcontext(prec=_DIGITS):
            return (one[0] + other[0], one[1] + other[1])

    def result(self, buffer: Buffer) -> Value:
        """See Buffered."""
        if not buffer[1]:
            return None
        kind = self.function.data_type
        with localcontext(prec=_DIGITS):
            value = buffer[0] / buffer[1]
            if isinstance(kind, DecimalType):
                return value.quantize(Decimal(1).scaleb(-kind.scale), ROUND_HALF_UP)
            return value


class Extreme(Buffered):
    """min and max."""

    def start(self) -> Buffer:
        """See Buffered."""
        return (None,)

    def add(self, buffer: Buffer, *values: Value) -> Buffer:
        """See Buffered."""
        return self.merge(buffer, values)

    def merge(self, one: Buffer, other: Buffer) -> Buffer:
        """See Buffered."""
        return (_extreme(isinstance(self.function, Max), one[0], other[0]),)


class FirstOrLast(Buffered):
    """first, last, any_value: the value and whether there is one."""

    def __init__(self, function: FirstLast) -> None:
        super().__init__(function)
        self.last = function.name.startswith("last")

    def start(self) -> Buffer:
        """See Buffered."""
        return (None, False)

    def skips(self, *values: object) -> bool:
        """See Buffered."""
        return bool(self.function.ignore_nulls) and values[0] is None

    def add(self, buffer: Buffer, *values: Value) -> Buffer:
        """See Buffered."""
        return (values[0], True) if self.last or not buffer[1] else buffer

    def merge(self, one: Buffer, other: Buffer) -> Buffer:
        """See Buffered."""
        return (other if other[1] else one) if self.last else (one if one[1] else other)


class ExtremeBy(Buffered):
    """max_by and min_by: a value and what it is ordered by."""

    def start(self) -> Buffer:
        """See Buffered."""
        return (None, None)

    def skips(self, *values: object) -> bool:
        """See Buffered."""
        return values[1] is None

    def add(self, buffer: Buffer, *values: object) -> Buffer:
        """See Buffered."""
        return self.merge(buffer, values)

    def merge(self, one: Buffer, other: Buffer) -> Buffer:
        """See Buffered."""
        if one[1] is None or other[1] is None:
            return one if other[1] is None else other
        order = compare(one[1], other[1])
        # The later one of equal ones stays.
        return one if (order > 0 if self.function.name == "max_by" else order < 0) else other


class Collected(Buffered):
    """collect_list: an object that holds every value."""

    def start(self) -> Buffer:
        """See Buffered."""
        return ((),)

    def add(self, buffer: Buffer, *values: Value) -> Buffer:
        """See Buffered."""
        return ((*buffer[0], values[0]),)

    def merge(self, one: Buffer, other: Buffer) -> Buffer:
        """See Buffered."""
        return ((*one[0], *other[0]),)


class CollectedOnce(Collected):
    """collect_set: every value once, in the order in which they came; Spark's order is not fixed."""

    def add(self, buffer: Buffer, *values: object) -> Buffer:
        """See Buffered."""
        return self.merge(buffer, (values,))

    def merge(self, one: Buffer, other: Buffer) -> Buffer:
        """See Buffered."""
        new: tuple[LogicalPlan, ...] = one[0]
        for value in other[0]:
            new = new if any(compare(value, v) == 0 for v in new) else (*new, value)
        return (new,)


class Ranked(Collected):
    """percentile_approx over few rows, where it is exact: the value at the rank."""

    def result(self, buffer: Buffer) -> Value:
        """See Buffered."""
        share = row_value(self.arguments[1], {})
        if not buffer[0] or share is None:
            return None
        ordered = sorted(buffer[0], key=cmp_to_key(compare))
        found = [ordered[max(1, ceil(float(p) * len(ordered))) - 1] for p in (share if _several(share) else (share,))]
        return tuple(found) if _several(share) else found[0]

    def skips(self, *values: object) -> bool:
        """See Buffered."""
        return values[0] is None


class Moments(Buffered):
    """variance and standard deviation: count, mean and the sum of squared distances, merged as Spark merges them."""

    def start(self) -> Buffer:
        """See Buffered."""
        return (0.0, 0.0, 0.0)

    def add(self, buffer: Buffer, *values: Value) -> Buffer:
        """See Buffered."""
        return self.merge(buffer, (1.0, float(values[0]), 0.0))

    def merge(self, one: Buffer, other: Buffer) -> Buffer:
        """See Buffered."""
        count = one[0] + other[0]
        distance = other[1] - one[1]
        part = distance / count if count else 0.0
        return (count, one[1] + part * other[0], one[2] + other[2] + distance * part * one[0] * other[0])

    def result(self, buffer: Buffer) -> Value:
        """See Buffered."""
        name = self.function.name.lower()
        rows = buffer[0] if name.endswith("_pop") else buffer[0] - 1
        if buffer[0] == 0 or rows <= 0:
            return None
        return sqrt(buffer[2] / rows) if name.startswith("std") else buffer[2] / rows


_BIT_FUNCTIONS: dict[str, Callable[[int, int], int]] = {
    "bit_and": int.__and__,
    "bit_or": int.__or__,
    "bit_xor": int.__xor__,
}


class Bits(Buffered):
    """bit_and, bit_or and bit_xor."""

    def start(self) -> Buffer:
        """See Buffered."""
        return (None,)

    def add(self, buffer: Buffer, *values: Value) -> Buffer:
        """See Buffered."""
        return self.merge(buffer, values)

    def merge(self, one: Buffer, other: Buffer) -> Buffer:
        """See Buffered."""
        if one[0] is None or other[0] is None:
            return one if other[0] is None else other
        return (_BIT_FUNCTIONS[self.function.name](one[0], other[0]),)


_CLASSES: dict[type, type[Buffered]] = {
    Count: Counted,
    Sum: Summed,
    Average: Averaged,
    FirstLast: FirstOrLast,
}
_CALLS: dict[str, type[Buffered]] = {
    "count_if": CountedIf,
    "collect_list": Collected,
    "array_agg": Collected,
    "collect_set": CollectedOnce,
    **dict.fromkeys(("max_by", "min_by"), ExtremeBy),
    **dict.fromkeys(("percentile_approx", "approx_percentile"), Ranked),
    **dict.fromkeys(("stddev", "std", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop"), Moments),
    **dict.fromkeys(_BIT_FUNCTIONS, Bits),
}


def buffered(function: AggregateFunction) -> Buffered:
    """How a function keeps its buffer. Raises UnknownValueError for a function that is not modelled."""
    if isinstance(function, MinMax):
        return Extreme(function)
    found = _CALLS.get(function.name.lower()) if isinstance(function, AggregateCall) else _CLASSES.get(type(function))
    if found is None:
        raise UnknownValueError(function.pretty_name)
    return found(function)


def _several(share: object) -> bool:
    return isinstance(share, tuple)


def _zero(kind: object) -> Decimal | float:
    return Decimal(0).scaleb(-kind.scale) if isinstance(kind, DecimalType) else 0.0


def _extreme(largest: bool, one: Decimal | str | None, other: Decimal | str | None) -> Decimal | str | None:
    if one is None or other is None:
        return one if other is None else other
    return one if (compare(one, other) >= 0) is largest else other


def _added(one: Decimal | int | None, other: Decimal | int | None, kind: DataType) -> Value:
    """The sum; unknown where it does not fit its type, and for types whose sums are not known here."""
    if not (kind in (LONG, DOUBLE) or isinstance(kind, DecimalType)):
        raise UnknownValueError(f"a sum of {kind.simple_string}")
    if one is None or other is None:
        return one if other is None else other
    with localcontext(prec=_DIGITS):
        total = one + other
        if isinstance(kind, DecimalType):
            fits = abs(total) < 10 ** (kind.precision - kind.scale)
        else:
            fits = not is_integral(kind) or -(2**63) <= total < 2**63
    if not fits:
        raise UnknownValueError("an overflow")
    return total
