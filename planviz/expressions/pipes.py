"""What the operators of SQL pipes (`|>`) write around their expressions until analysis has looked at them."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.core import Expression, LeafExpression, NamedExpression, UnaryExpression
from planviz.expressions.unresolved import Unresolved
from planviz.trees.node import node
from planviz.types import DataType


@node
class PipeExpression(UnaryExpression, Unresolved):
    """An expression of a pipe operator; `aggregates` tells that it must have an aggregate function (|> AGGREGATE)."""

    child: Expression
    aggregates: bool
    clause: str

    @property
    def data_type(self) -> DataType:
        """The child's."""
        return self.child.data_type

    def to_string(self) -> str:
        """pipeexpression(child, aggregates, clause)."""
        return f"pipeexpression({self.child}, {str(self.aggregates).lower()}, {self.clause})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """The child's."""
        return r(self.child)


@node
class UnresolvedPipeAggregateOrdinal(LeafExpression, Unresolved):
    """A position in |> AGGREGATE ... GROUP BY: a column of the input, from 1."""

    ordinal: int

    def to_string(self) -> str:
        """unresolvedpipeaggregateordinal(n)."""
        return f"unresolvedpipeaggregateordinal({self.ordinal})"


@node
class UnresolvedStarExceptOrReplace(Unresolved, NamedExpression):
    """All columns, with the one that a replacement is named like replaced where it stands (|> SET)."""

    replacements: tuple[Expression, ...]

    @property
    def name(self) -> str:  # type: ignore[override]
        """The star itself."""
        return "*"

    def to_string(self) -> str:
        """The star."""
        return "*"
