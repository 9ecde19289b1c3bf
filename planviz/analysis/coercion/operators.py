"""Casts of what stands beside an operator: arithmetic, comparisons, AND and OR, shifts."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from planviz.analysis.coercion.lattice import TypeCoercion, cast_to, cast_to_exactly
from planviz.expressions.arithmetic import BinaryOperator, Divide, IntegralDivide, Shift
from planviz.expressions.casts import Cast
from planviz.expressions.core import Expression, Literal
from planviz.expressions.predicates import (
    BinaryComparison,
    Connective,
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    LessThan,
    LessThanOrEqual,
)
from planviz.functions.signatures import accepts as parameter
from planviz.types import (
    BOOLEAN,
    DOUBLE,
    FLOAT,
    FOR_TYPE,
    LONG,
    NULL,
    UNKNOWN,
    DataType,
    DecimalType,
    decimal_rules,
    is_atomic,
    is_integral,
    is_numeric,
    is_string,
    promote_string,
    tightest_common_type,
    wider_decimal,
    wider_type,
)
from planviz.types.values import Value


def of_literal(e: Literal) -> DecimalType:
    """The narrowest decimal of an integral literal."""
    return DecimalType(max(len(str(abs(int(e.value)))), 1), 0)


def _whole(e: Expression, t: DataType) -> DecimalType:
    """The decimal of a whole number beside a decimal: as narrow as a constant is, unless a setting says otherwise."""
    written = isinstance(e, Literal) and e.value is not None and decimal_rules().least_precision
    return of_literal(e) if written and isinstance(e, Literal) else FOR_TYPE[t]


def binary(e: BinaryOperator, c: TypeCoercion) -> Expression:
    """An operator with two operands (`BinaryOperator`): both of the type that the operation takes."""
    if isinstance(e, Connective):
        return _connective(e)
    left, right = e.left, e.right
    a, b = left.data_type, right.data_type
    if UNKNOWN in (a, b):
        return e
    if isinstance(e, Divide):
        return _divide(e, a, b, c)
    if isinstance(e, IntegralDivide):
        return _integral_divide(e, a, b)
    if a == b:
        return e
    if isinstance(e, BinaryComparison) and isinstance(a, DecimalType) and isinstance(b, DecimalType):
        t = wider_decimal(a, b)
        return e.replace(left=cast_to(left, t), right=cast_to(right, t))
    made = with_decimal(e, a, b)
    if made is not None:
        # A comparison of the two decimals that this makes is for the next pass, as in Spark.
        return made
    return _tightest(e, a, b)


def with_decimal(e: BinaryOperator, a: DataType, b: DataType) -> Expression | None:
    """The operator with an integral or a float beside a decimal cast, or None (Spark: `DecimalPrecision`)."""
    left, right = e.left, e.right
    if type(e) in _ROUNDED and is_integral(a) and isinstance(right, Literal) and isinstance(b, DecimalType):
        return _with_whole_number(e, right.value, type(e), "right")
    if type(e) in _ROUNDED and is_integral(b) and isinstance(left, Literal) and isinstance(a, DecimalType):
        return _with_whole_number(e, left.value, _MIRRORED[type(e)], "left")
    if isinstance(a, DecimalType) and is_integral(b):
        t = _whole(right, b)
        return e.replace(right=Cast(right, t))
    if isinstance(b, DecimalType) and is_integral(a):
        t = _whole(left, a)
        return e.replace(left=Cast(left, t))
    if isinstance(a, DecimalType) and b in (FLOAT, DOUBLE):
        return e.replace(left=Cast(left, DOUBLE), right=cast_to(right, DOUBLE))
    if isinstance(b, DecimalType) and a in (FLOAT, DOUBLE):
        return e.replace(left=cast_to(left, DOUBLE), right=Cast(right, DOUBLE))
    return None


#: How a comparison of a whole number with a fraction rounds the fraction.
_ROUNDED: dict[type, str] = {
    GreaterThan: ROUND_FLOOR,
    LessThanOrEqual: ROUND_FLOOR,
    LessThan: ROUND_CEILING,
    GreaterThanOrEqual: ROUND_CEILING,
}
_MIRRORED: dict[type, type] = {
    GreaterThan: LessThan,
    LessThan: GreaterThan,
    GreaterThanOrEqual: LessThanOrEqual,
    LessThanOrEqual: GreaterThanOrEqual,
}


def _with_whole_number(e: BinaryOperator, value: Value, asks: type, side: str) -> Expression | None:
    """The comparison with the next whole number in place of a decimal; true or false where none is long enough.

    `asks` is the comparison with the column on the left, `side` where the decimal stands. None for a null.
    """
    if value is None:
        return None
    number = int(Decimal(value).to_integral_value(_ROUNDED[asks]))
    if not -(2**63) <= Decimal(value) <= 2**63 - 1:
        return Literal((value < 0) == (asks in (GreaterThan, GreaterThanOrEqual)), BOOLEAN)
    return e.replace(**{side: Literal(number, LONG)})


def _tightest(e: BinaryOperator, a: DataType, b: DataType) -> Expression:
    left, right = e.left, e.right
    t = tightest_common_type(a, b)
    if a == NULL and is_string(b):
        return e.replace(left=Literal(None, b))
    if b == NULL and is_string(a):
        return e.replace(right=Literal(None, a))
    if t is None and is_string(a) != is_string(b) and is_atomic(a) and is_atomic(b):
        # A string takes the type beside it whether the operator is defined on that or not.
        t = promote_string(b if is_string(a) else a)
        if t is not None:
            return e.replace(left=cast_to(left, t), right=cast_to(right, t))
    if t is None and isinstance(e, BinaryComparison) and is_atomic(a) and is_atomic(b):
        t = wider_type(a, b)
    if t is None or (not e.accepts(t) and not isinstance(e, EqualTo | EqualNullSafe)):
        return e
    return e.replace(left=cast_to_exactly(left, t), right=cast_to_exactly(right, t))


def _connective(e: Connective) -> Expression:
    left, right = e.left, e.right
    for side in (left, right):
        if side.data_type not in (BOOLEAN, NULL) and not is_string(side.data_type):
            return e
    types = left.data_type, right.data_type
    if left.data_type == right.data_type == BOOLEAN or (any(map(is_string, types)) and BOOLEAN not in types):
        return e
    return e.replace(left=cast_to(left, BOOLEAN), right=cast_to(right, BOOLEAN))


def _divide(e: Divide, a: DataType, b: DataType, c: TypeCoercion) -> Expression:
    if (a == b and (a == DOUBLE or isinstance(a, DecimalType))) or (
        isinstance(a, DecimalType) and isinstance(b, DecimalType)
    ):
        return e
    made = with_decimal(e, a, b)
    if made is not None:
        return made
    if c.mode == "ANSI" and (is_string(a) or is_string(b)) and (is_integral(a) or is_integral(b)):
        # A string beside a whole number is one before both are divided as doubles.
        return e.replace(left=_through_long(e.left), right=_through_long(e.right))
    if a != DOUBLE and all(is_numeric(t) or t == NULL for t in (a, b)):
        # Spark casts a divisor that is a double already, too; SimplifyCasts takes that away.
        return e.replace(left=Cast(e.left, DOUBLE), right=Cast(e.right, DOUBLE))
    if _may_be_number(a) and _may_be_number(b) and not (is_string(a) and is_string(b)):
        return e.replace(left=cast_to(e.left, DOUBLE), right=cast_to(e.right, DOUBLE))
    return _tightest(e, a, b) if c.mode == "ANSI" and is_string(a) != is_string(b) else e


def _may_be_number(t: DataType) -> bool:
    return is_numeric(t) or is_string(t) or t == NULL


def _through_long(e: Expression) -> Expression:
    return cast_to(cast_to(e, LONG), DOUBLE)


def _integral_divide(e: IntegralDivide, a: DataType, b: DataType) -> Expression:
    made = with_decimal(e, a, b)
    if made is not None:
        return made
    left, right = (cast_to(side, LONG) if is_integral(side.data_type) else side for side in (e.left, e.right))
    long = e.replace(left=left, right=right)
    a, b = left.data_type, right.data_type
    # A float or double stays what it is and is refused: only integrals become bigint.
    return long if a == b else _tightest(long, a, b)


def shift(e: Shift, c: TypeCoercion) -> Expression:
    """shiftleft and its like: int or bigint by an int."""
    left, right = c.implicit(e.left.data_type, parameter("I|L")), c.implicit(e.right.data_type, parameter("I"))
    return e.replace(
        left=e.left if left is None else cast_to(e.left, left),
        right=e.right if right is None else cast_to(e.right, right),
    )
