"""Conditions, nulls, casts by name, errors."""

from __future__ import annotations

from planviz.expressions.calls import FunctionCall, Replaced
from planviz.expressions.casts import Cast
from planviz.expressions.common_expressions import with_shared
from planviz.expressions.complex import CreateMap
from planviz.expressions.conditional import CaseWhen, Coalesce, Extremum, If
from planviz.expressions.core import Expression, Literal, lit
from planviz.expressions.predicates import (
    And,
    EqualNullSafe,
    EqualTo,
    GreaterThanOrEqual,
    IsNotNull,
    IsNull,
    LessThanOrEqual,
    Not,
)
from planviz.expressions.specs import FunctionSpec
from planviz.functions.builders.base import Args, Builder, Entry
from planviz.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    NULL,
    SHORT,
    STRING,
    TIME,
    TIMESTAMP,
    DataType,
    DecimalType,
)


def _between(a: Args) -> Expression:
    made = with_shared(lambda ref: And(GreaterThanOrEqual(ref, a[1]), LessThanOrEqual(ref, a[2])), a[0])
    return Replaced("between", a, made)


def two_comparisons(between: Replaced) -> Expression:
    """BETWEEN as Spark before 4.0 reads it."""
    value, low, high = (p for p in between.parameters if isinstance(p, Expression))
    return And(GreaterThanOrEqual(value, low), LessThanOrEqual(value, high))


def _nullif(a: Args) -> Expression:
    made = with_shared(lambda ref: If(EqualTo(ref, a[1]), Literal(None, a[0].data_type), ref), a[0])
    return Replaced("nullif", a, made)


def _case(a: Args) -> Expression:
    """when(condition, value, ..., otherwise)."""
    paired = len(a) // 2 * 2
    return CaseWhen(a[:paired], a[paired] if len(a) > paired else None)


def _cast(t: DataType) -> Builder:
    return lambda a: Cast(a[0], t)


_RAISE = FunctionSpec("raise_error", (), lambda _: NULL, True, foldable=False)


def asserted(condition: Expression, shown: str) -> Expression:
    """assert_true() whose message shows the condition so."""
    return _assert_true((condition, lit(f"'{shown}' is not true!")))


def _assert_true(a: Args) -> Expression:
    if len(a) == 1:
        return asserted(a[0], a[0].pretty)
    return Replaced("assert_true", a, If(a[0], lit(None), _raise_error(a[1:])))


def _raise_error(a: Args) -> Expression:
    if len(a) == 2:
        return FunctionCall("raise_error", a, _RAISE, ("NullType",))
    details = CreateMap((lit("errorMessage"), a[0]))
    return FunctionCall("raise_error", (lit("USER_RAISED_EXCEPTION"), details), _RAISE, ("NullType",))


BUILDERS: dict[str, Entry] = {
    "between": (3, 3, _between),
    "coalesce": (1, -1, Coalesce),
    "nvl": (2, 2, lambda a: Replaced("nvl", a, Coalesce(a))),
    "ifnull": (2, 2, lambda a: Replaced("ifnull", a, Coalesce(a))),
    "nvl2": (3, 3, lambda a: Replaced("nvl2", a, If(IsNotNull(a[0]), a[1], a[2]))),
    "nullif": (2, 2, _nullif),
    "zeroifnull": (1, 1, lambda a: Replaced("zeroifnull", a, Coalesce((a[0], lit(0))))),
    "nullifzero": (1, 1, lambda a: Replaced("nullifzero", a, If(EqualTo(a[0], lit(0)), lit(None), a[0]))),
    "equal_null": (2, 2, lambda a: Replaced("equal_null", a, EqualNullSafe(a[0], a[1]))),
    "if": (3, 3, lambda a: If(*a)),
    "when": (2, -1, _case),
    "greatest": (2, -1, lambda a: Extremum("greatest", a)),
    "least": (2, -1, lambda a: Extremum("least", a)),
    "isnull": (1, 1, lambda a: IsNull(a[0])),
    "isnotnull": (1, 1, lambda a: IsNotNull(a[0])),
    "not": (1, 1, lambda a: Not(a[0])),
    "assert_true": (1, 2, _assert_true),
    "raise_error": (1, 1, _raise_error),
    "boolean": (1, 1, _cast(BOOLEAN)),
    "tinyint": (1, 1, _cast(BYTE)),
    "smallint": (1, 1, _cast(SHORT)),
    "int": (1, 1, _cast(INT)),
    "bigint": (1, 1, _cast(LONG)),
    "float": (1, 1, _cast(FLOAT)),
    "double": (1, 1, _cast(DOUBLE)),
    "decimal": (1, 1, _cast(DecimalType(10, 0))),
    "date": (1, 1, _cast(DATE)),
    "time": (1, 1, _cast(TIME)),
    "timestamp": (1, 1, _cast(TIMESTAMP)),
    "binary": (1, 1, _cast(BINARY)),
    "string": (1, 1, _cast(STRING)),
}
