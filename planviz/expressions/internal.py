"""Expressions that only the optimizer writes."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.core import Expression, UnaryExpression
from planviz.trees.node import always, lazy, node
from planviz.types import LONG, DataType, DecimalType


@node
class UnscaledValue(UnaryExpression):
    """The digits of a decimal of at most 18 of them, as a bigint."""

    child: Expression
    NAME = "UnscaledValue"

    data_type = always(LONG)
    null_intolerant = always(True)

    def render(self, r: Callable[[Expression], str]) -> str:
        """SQL has it in small letters."""
        return f"unscaledvalue({r(self.child)})"


@node
class MakeDecimal(UnaryExpression):
    """A decimal of these many digits from its digits as a bigint."""

    child: Expression
    precision: int
    scale: int

    @property
    def data_type(self) -> DataType:
        """The decimal."""
        return DecimalType(self.precision, self.scale)

    null_intolerant = always(True)

    def to_string(self) -> str:
        """MakeDecimal(child,precision,scale)."""
        return f"MakeDecimal({self.child},{self.precision},{self.scale})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """The same with the child's SQL."""
        return f"MakeDecimal({r(self.child)},{self.precision},{self.scale})"


@node
class NormalizeNaNAndZero(UnaryExpression):
    """A floating number with one NaN and one zero."""

    child: Expression

    @lazy
    def data_type(self) -> DataType:
        """The child's."""
        return self.child.data_type


@node
class KnownFloatingPointNormalized(UnaryExpression):
    """Marks a value that needs no further normalization."""

    child: Expression

    @lazy
    def data_type(self) -> DataType:
        """The child's."""
        return self.child.data_type
