"""COLLATE: text under a collation of its own (Spark: Collate, CollationKey)."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from planviz.expressions.core import BinaryExpression, Expression, LeafExpression, TypeMismatch, UnaryExpression
from planviz.expressions.unresolved import Unresolved
from planviz.trees.node import always, lazy, node
from planviz.types import BINARY, NULL, STRING, UNKNOWN, DataType, collated, is_string


@node
class UnresolvedCollation(Unresolved, LeafExpression):
    """The name of a collation as it was written, perhaps in full."""

    parts: tuple[str, ...]

    def to_string(self) -> str:
        """unresolvedcollation(parts)."""
        return f"unresolvedcollation({', '.join(self.parts)})"


@node
class ResolvedCollation(LeafExpression):
    """A collation by its name, in the letters that it was written in."""

    name: str

    nullable = always(False)

    @property
    def data_type(self) -> DataType:
        """Its name is text."""
        return STRING

    def to_string(self) -> str:
        """The name."""
        return self.name

    def render(self, r: Callable[[Expression], str]) -> str:
        """The name."""
        return self.name


@node
class Collate(BinaryExpression):
    """collate(left, right): the text `left` under the collation `right`."""

    left: Expression
    right: Expression

    @property
    def data_type(self) -> DataType:
        """Text of the collation."""
        assert isinstance(self.right, ResolvedCollation)
        return collated(self.right.name)

    @lazy
    def nullable(self) -> bool:
        """As the text."""
        return self.left.nullable

    @lazy
    def foldable(self) -> bool:
        """When the text is."""
        return self.left.foldable

    def check_input_types(self) -> TypeMismatch | None:
        """Text only."""
        from planviz.expressions.arithmetic import unexpected_input

        t = self.left.data_type
        return None if is_string(t) or t in (NULL, UNKNOWN) else unexpected_input(1, self.left, '"STRING"')


@node
class CollationKey(UnaryExpression):
    """The bytes that are the same for texts which the collation takes for equal."""

    child: Expression
    NAME: ClassVar[str | None] = "collationkey"

    @property
    def data_type(self) -> DataType:
        """Bytes."""
        return BINARY
