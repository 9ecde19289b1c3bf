"""Operators called as functions, as columns of the DataFrame API write them: `+`(a, 1), and(p, q)."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.arithmetic import (
    Add,
    BitwiseAnd,
    BitwiseNot,
    BitwiseOr,
    BitwiseXor,
    Divide,
    Multiply,
    Remainder,
    Subtract,
)
from planviz.expressions.core import Expression
from planviz.expressions.predicates import (
    And,
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    LessThan,
    LessThanOrEqual,
    Not,
    Or,
)

Arguments = tuple[Expression, ...]
Builder = Callable[[Arguments], Expression]


def _two(make: Callable[[Expression, Expression], Expression]) -> tuple[int, int, Builder]:
    return 2, 2, lambda a: make(a[0], a[1])


def _one(make: Callable[[Expression], Expression]) -> tuple[int, int, Builder]:
    return 1, 1, lambda a: make(a[0])


#: name -> (fewest arguments, most arguments or -1, builder); Spark: the operators of FunctionRegistry.
OPERATORS: dict[str, tuple[int, int, Builder]] = {
    "+": _two(Add), "-": _two(Subtract), "*": _two(Multiply), "/": _two(Divide), "%": _two(Remainder),
    "&": _two(BitwiseAnd), "|": _two(BitwiseOr), "^": _two(BitwiseXor), "~": _one(BitwiseNot),
    "=": _two(EqualTo), "==": _two(EqualTo), "<=>": _two(EqualNullSafe), "<": _two(LessThan),
    "<=": _two(LessThanOrEqual), ">": _two(GreaterThan), ">=": _two(GreaterThanOrEqual),
    "and": _two(And), "or": _two(Or), "!": _one(Not), "in": (1, -1, lambda a: In(a[0], a[1:])),
}  # fmt: skip
