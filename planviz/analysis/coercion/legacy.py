"""Implicit casts with spark.sql.ansi.enabled=false (Spark: TypeCoercion and the rules in TypeCoercionBase).

Strings are promoted to double in arithmetic, take the other side's type in comparisons, and win everywhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import reduce
from typing import TYPE_CHECKING

from planviz.analysis.coercion.lattice import TypeCoercion, cast_to
from planviz.analysis.coercion.operators import with_decimal
from planviz.expressions.arithmetic import BinaryArithmetic, BinaryOperator, Bitwise, Divide, IntegralDivide
from planviz.expressions.calls import Concat, FunctionCall
from planviz.expressions.casts import Cast, force_nullable
from planviz.expressions.core import Expression, Literal, UnaryExpression
from planviz.expressions.predicates import And, BinaryComparison, EqualNullSafe, EqualTo, IsNotNull, Not
from planviz.expressions.specs import Accepts
from planviz.types import (
    BINARY,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    FOR_TYPE,
    INT,
    LONG,
    NULL,
    STRING,
    UNKNOWN,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    is_ansi_interval,
    is_atomic,
    is_datetime,
    is_integral,
    is_interval,
    is_numeric,
    is_string,
    tightest_common_type,
    wider_decimal,
)

if TYPE_CHECKING:
    from planviz.expressions.aggregates import Average, Sum


def tightest(a: DataType, b: DataType) -> DataType | None:
    """The narrowest type both convert to, strings apart (Spark: `TypeCoercion.findTightestCommonType`)."""
    if a != b and FLOAT in (a, b) and is_integral(b if a == FLOAT else a):
        return FLOAT
    if a != b and (_nested(a) or _nested(b)) and NULL not in (a, b):
        return _inside(a, b, tightest)
    if {isinstance(a, DecimalType), isinstance(b, DecimalType)} == {True, False} and (
        a in (FLOAT, DOUBLE) or b in (FLOAT, DOUBLE)
    ):
        return None
    return tightest_common_type(a, b)


def _nested(t: DataType) -> bool:
    return isinstance(t, ArrayType | MapType | StructType)


def _inside(a: DataType, b: DataType, wider: Callable[[DataType, DataType], DataType | None]) -> DataType | None:
    """Two arrays, maps or structs part by part (Spark: `findTypeForComplex`); keys must not become null."""
    if isinstance(a, ArrayType) and isinstance(b, ArrayType):
        t = wider(a.element, b.element)
        lost = t is not None and (force_nullable(a.element, t) or force_nullable(b.element, t))
        return ArrayType(t, a.contains_null or b.contains_null or lost) if t else None
    if isinstance(a, MapType) and isinstance(b, MapType):
        k, v = wider(a.key, b.key), wider(a.value, b.value)
        if not k or not v or force_nullable(a.key, k) or force_nullable(b.key, k):
            return None
        lost = force_nullable(a.value, v) or force_nullable(b.value, v)
        return MapType(k, v, a.value_contains_null or b.value_contains_null or lost)
    if isinstance(a, StructType) and isinstance(b, StructType) and len(a.fields) == len(b.fields):
        fields = []
        for x, y in zip(a.fields, b.fields, strict=True):
            t = wider(x.data_type, y.data_type)
            if t is None or x.name.lower() != y.name.lower():
                return None
            lost = force_nullable(x.data_type, t) or force_nullable(y.data_type, t)
            fields.append(StructField(x.name, t, x.nullable or y.nullable or lost))
        return StructType(tuple(fields))
    return None


def _decimal(a: DataType, b: DataType) -> DataType | None:
    da, db = (t if isinstance(t, DecimalType) else FOR_TYPE.get(t) for t in (a, b))
    if da is None or db is None or not (isinstance(a, DecimalType) or isinstance(b, DecimalType)):
        return None
    return DOUBLE if a in (FLOAT, DOUBLE) or b in (FLOAT, DOUBLE) else wider_decimal(da, db)


def without_strings(a: DataType, b: DataType) -> DataType | None:
    """The type that holds two others, strings apart (Spark: `findWiderTypeWithoutStringPromotionForTwo`)."""
    return tightest(a, b) or _decimal(a, b) or _inside(a, b, without_strings)


class LegacyTypeCoercion(TypeCoercion):
    """See the module."""

    mode = "LEGACY"

    def wider(self, a: DataType, b: DataType) -> DataType | None:
        """Numbers widen; a string and any other atomic type but boolean and binary give a string."""
        found = tightest(a, b) or _decimal(a, b)
        if found is None and (is_string(a) or is_string(b)):
            other = b if is_string(a) else a
            return (a if is_string(a) else b) if is_atomic(other) and other not in (BOOLEAN, BINARY) else None
        return found or _inside(a, b, self.wider)

    def common(self, types: list[DataType]) -> DataType | None:
        """Strings first, so that the order of the rest does not matter."""
        ordered = sorted(types, key=lambda t: not _has_string(t))
        return reduce(lambda r, t: r and self.wider(r, t), ordered, NULL)  # type: ignore[arg-type, return-value]

    def least_common(self, types: list[DataType]) -> DataType | None:
        """Without promotion to strings (`findWiderTypeWithoutStringPromotion`)."""
        return reduce(lambda r, t: r and without_strings(r, t), types, NULL)  # type: ignore[arg-type, return-value]

    def implicit(self, t: DataType, accepts: Accepts) -> DataType | None:
        """Spark: `TypeCoercion.implicitCast`."""
        if accepts.test(t) or t == UNKNOWN:
            return t
        if accepts.alternatives:
            return self._closest(t, accepts.alternatives)
        target = accepts.default
        if target is None or t == NULL:
            return target
        if accepts.family is not None:
            # What is a whole number only takes no string here.
            return None if target == LONG else accepts.family.get(STRING if is_string(t) else t)
        return self._to(t, target)

    def _closest(self, t: DataType, members: Iterable[Accepts]) -> DataType | None:
        return next((c for m in members if (c := self.implicit(t, m)) is not None), None)

    def _to(self, t: DataType, target: DataType) -> DataType | None:
        if isinstance(t, ArrayType) and isinstance(target, ArrayType):
            element = t.element if t.element == target.element else self._to(t.element, target.element)
            if element is None or (not target.contains_null and force_nullable(t.element, element)):
                return None
            return ArrayType(element, t.contains_null or force_nullable(t.element, element))
        if is_numeric(t) and isinstance(target, DecimalType):
            # A decimal of any kind is that of the number's type, one of a kind that kind.
            return FOR_TYPE.get(t, target) if target == DecimalType(38, 18) else target
        allowed = (
            (is_numeric(t) and is_numeric(target))
            or (is_datetime(t) and is_datetime(target))
            or (is_string(t) and (is_numeric(target) or is_datetime(target) or target == BINARY))
            or (is_string(target) and is_atomic(t) and not is_string(t))
        )
        return target if allowed else None


def _has_string(t: DataType) -> bool:
    return _has_string(t.element) if isinstance(t, ArrayType) else is_string(t)


def binary_comparison(a: DataType, b: DataType) -> DataType | None:
    """What a string and something else are cast to to be compared (`findCommonTypeForBinaryComparison`)."""
    if not (is_string(a) or is_string(b)) or a == b:
        return None
    other = b if is_string(a) else a
    if other == NULL:
        return a if is_string(a) else b
    if isinstance(other, DecimalType):
        return DOUBLE
    return other if is_atomic(other) and not is_ansi_interval(other) else None


def binary(e: BinaryOperator, c: TypeCoercion) -> Expression:
    """The rules for operators one after another: strings, decimals, booleans, division, the tightest type."""
    for rule in (_promote_strings, _decimals, _boolean_equality, _division, _integral_division, _implicit):
        made = rule(e)
        if not isinstance(made, BinaryOperator):
            return made
        e = made
    return e


def _types(e: BinaryOperator) -> tuple[DataType, DataType]:
    return e.left.data_type, e.right.data_type


def _promote_strings(e: BinaryOperator) -> Expression:
    a, b = _types(e)
    if isinstance(e, BinaryArithmetic | Bitwise):
        if is_string(a) and not is_interval(b):
            e = e.replace(left=Cast(e.left, DOUBLE))
        if is_string(b) and not is_interval(a):
            e = e.replace(right=Cast(e.right, DOUBLE))
        return e
    t = binary_comparison(a, b) if isinstance(e, BinaryComparison) else None
    return e if t is None else e.replace(left=_as(e.left, t), right=_as(e.right, t))


def _as(e: Expression, t: DataType) -> Expression:
    return Literal(None, t) if e.data_type == NULL else cast_to(e, t)


def _decimals(e: BinaryOperator) -> Expression:
    a, b = _types(e)
    if isinstance(a, DecimalType) and isinstance(b, DecimalType):
        if a == b or not isinstance(e, BinaryComparison):
            return e
        t = wider_decimal(a, b)
        return e.replace(left=cast_to(e.left, t), right=cast_to(e.right, t))
    return with_decimal(e, a, b) or e


_TRUE_OR_FALSE = (1, 0)


def _boolean_equality(e: BinaryOperator) -> Expression:
    """A boolean compared with 1 or 0 is itself or its opposite; with other numbers it becomes one."""
    a, b = _types(e)
    if not isinstance(e, EqualTo | EqualNullSafe) or BOOLEAN not in (a, b):
        return e
    flag, number, swapped = (e.left, e.right, False) if a == BOOLEAN else (e.right, e.left, True)
    if not is_numeric(number.data_type):
        return e
    if isinstance(number, Literal) and number.value in _TRUE_OR_FALSE:
        made = flag if number.value == 1 else Not(flag)
        return made if isinstance(e, EqualTo) else And(IsNotNull(flag), made)
    flag = Cast(flag, number.data_type)
    return e.replace(left=number, right=flag) if swapped else e.replace(left=flag, right=number)


def _division(e: BinaryOperator) -> Expression:
    a, b = _types(e)
    if not isinstance(e, Divide) or a == DOUBLE or isinstance(a, DecimalType):
        return e
    if all(is_numeric(t) or t == NULL for t in (a, b)):
        return e.replace(left=Cast(e.left, DOUBLE), right=Cast(e.right, DOUBLE))
    return e


def _integral_division(e: Expression) -> Expression:
    if not isinstance(e, IntegralDivide):
        return e

    def long(side: Expression) -> Expression:
        return cast_to(side, LONG) if is_integral(side.data_type) else side

    return e.replace(left=long(e.left), right=long(e.right))


def _implicit(e: BinaryOperator) -> Expression:
    a, b = _types(e)
    decimals = isinstance(a, DecimalType) or isinstance(b, DecimalType)
    if a == b or UNKNOWN in (a, b) or (decimals and NULL not in (a, b)):
        return e
    t = tightest(a, b)
    if t is None or not e.accepts(t):
        return e
    return e.replace(left=cast_to(e.left, t), right=cast_to(e.right, t))


def concat(e: Concat, c: TypeCoercion) -> Expression:
    """Anything but binary alone becomes strings; arrays get one element type."""
    types = [i.data_type for i in e.items]
    if any(isinstance(t, ArrayType) for t in types):
        t = c.common(types)
        return e if t is None else e.replace(items=tuple(cast_to(i, t) for i in e.items))
    if (all(t == BINARY for t in types) and not c.bytes_join_as_text) or UNKNOWN in types:
        return e
    text = next(filter(is_string, types), STRING)
    return e.replace(
        items=tuple(cast_to(i, text) if is_atomic(i.data_type) or i.data_type == NULL else i for i in e.items)
    )


def sign(e: UnaryExpression, c: TypeCoercion) -> Expression:
    """abs, - and + of a string are of a double."""
    return e.replace(child=Cast(e.child, DOUBLE)) if e.child.data_type == NULL or is_string(e.child.data_type) else e


def with_decimals(e: Expression) -> Expression:
    """An operator with its strings promoted and its decimals cast, and nothing else; any other expression as it is."""
    if not isinstance(e, BinaryOperator) or UNKNOWN in _types(e):
        return e
    made = _promote_strings(e)
    made = _decimals(made) if isinstance(made, BinaryOperator) else made
    # A comparison has a name only when a whole number beside a decimal is one of the other's type, too.
    return _decimals(made) if isinstance(made, BinaryComparison) else made


#: A text that a cast to INT takes.
_WHOLE_NUMBER = re.compile(r"\s*[+-]?\d{1,9}\s*")


def with_read_days(e: FunctionCall) -> Expression:
    """date_add() or date_sub() with a text for the number of days read already, as before Spark 4.0."""
    start, days = e.arguments
    match days:
        case Cast(Literal(str() as text)) if not days.user_specified and _WHOLE_NUMBER.fullmatch(text):
            return e.replace(arguments=(start, Literal(int(text), INT)))
    return e


def wide_sum(e: Average | Sum) -> Expression:
    """A sum() or avg() with its input as BIGINT or DOUBLE, as before Spark 3.2 (`FunctionArgumentConversion`)."""
    t = e.child.data_type
    if is_integral(t) and t != LONG:
        return e.replace(child=Cast(e.child, LONG, "LEGACY"))
    return e.replace(child=Cast(e.child, DOUBLE, "LEGACY")) if t == FLOAT else e


LEGACY = LegacyTypeCoercion()
