"""Session variables."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.core import Expression, LeafExpression, Literal, Typed
from planviz.trees.node import always, lazy, node
from planviz.types import DataType
from planviz.types.values import Value


@node
class VariableReference(Typed, LeafExpression):
    """A variable that DECLARE made, with the value that it has when the query is planned."""

    variable: str
    value: Value
    type: DataType

    @lazy
    def nullable(self) -> bool:
        """Where it is null now."""
        return self.value is None

    foldable = always(True)  # it does not change while a query runs

    @property
    def literal(self) -> Literal:
        """Its value."""
        return Literal(self.value, self.type)

    def to_string(self) -> str:
        """variablereference(system.session.name=value as SQL), the name in small letters as Spark keeps it."""
        value = f"CAST(NULL AS {self.type.sql})" if self.value is None else self.literal.sql
        return f"variablereference(system.session.{self.variable.lower()}={value})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """As `to_string`."""
        return self.to_string()
