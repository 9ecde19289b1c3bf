"""Arithmetic of decimals as Spark did it before 3.4: both sides cast to one type, the result checked."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.arithmetic import UNPROMOTED, Add, BinaryArithmetic, IntegralDivide, Subtract
from planviz.expressions.casts import Cast
from planviz.expressions.core import Expression, UnaryExpression
from planviz.expressions.predicates import BinaryComparison
from planviz.trees.node import always, lazy, node
from planviz.types import DataType, DecimalType
from planviz.types.decimals import decimal_result, wider_decimal


@node
class PromotePrecision(UnaryExpression):
    """Marks a side of decimal arithmetic that has the type of both sides already."""

    child: Expression
    NAME = "promote_precision"

    @lazy
    def data_type(self) -> DataType:
        """The child's."""
        return self.child.data_type

    def to_string(self) -> str:
        """promote_precision(child)."""
        return f"promote_precision({self.child})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """The child alone."""
        return r(self.child)


@node
class CheckOverflow(UnaryExpression):
    """A decimal of the type `type`; null where the value has too many digits."""

    child: Expression
    type: DecimalType
    shows_null: bool = False

    UNCOMPARED = ("shows_null",)

    @property
    def data_type(self) -> DataType:
        """The type."""
        return self.type

    nullable = always(True)
    null_intolerant = always(True)

    def to_string(self) -> str:
        """CheckOverflow(child, DecimalType(p,s)), before Spark 3.3 with a flag behind."""
        flag = ", true" if self.shows_null else ""
        return f"CheckOverflow({self.child}, DecimalType({self.type.precision},{self.type.scale}){flag})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """The child alone."""
        return r(self.child)


def _both_cast(e: BinaryComparison, mode: str) -> Expression:
    """A comparison of decimals of two types with both sides cast, the one that has the type already, too."""
    left, right = e.left, e.right
    if _widened(left) and not _widened(right) and right.data_type == left.data_type:
        return e.replace(right=Cast(right, left.data_type, mode))
    if _widened(right) and not _widened(left) and left.data_type == right.data_type:
        return e.replace(left=Cast(left, right.data_type, mode))
    return e


def _widened(e: Expression) -> bool:
    inserted = isinstance(e, Cast) and not e.user_specified and isinstance(e.data_type, DecimalType)
    return inserted and isinstance(e.child.data_type, DecimalType)  # type: ignore[attr-defined]


def promoted(x: Expression, mode: str, shows_null: bool) -> Expression:
    """An operation on decimals over one type and checked; any other one as it is (Spark: DecimalPrecision before 3.4).

    `shows_null`: before Spark 3.3, where CheckOverflow says that it gives null and comparisons cast both sides.

    a * b  =>  CheckOverflow(promote_precision(cast(a as T)) * promote_precision(cast(b as T)), type of the product)
    """
    if shows_null and isinstance(x, BinaryComparison):
        return _both_cast(x, mode)
    if not isinstance(x, BinaryArithmetic) or isinstance(x.left, PromotePrecision):
        return x
    x = x.replace(mode=mode) if x.mode == UNPROMOTED else x
    a, b = x.left.data_type, x.right.data_type
    if not isinstance(a, DecimalType) or not isinstance(b, DecimalType):
        return x
    whole = isinstance(x, IntegralDivide)
    result = None if whole else decimal_result(x.SYMBOL, a, b)
    wide = result if isinstance(x, Add | Subtract) and result is not None else wider_decimal(a, b)
    left, right = (PromotePrecision(Cast(side, wide, mode)) for side in (x.left, x.right))
    new: Expression = x.replace(left=left, right=right)
    return new if result is None else CheckOverflow(new, result, shows_null)
