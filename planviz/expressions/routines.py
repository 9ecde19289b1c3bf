"""Calls of functions that CREATE FUNCTION made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planviz.expressions.core import Expression
from planviz.trees.node import lazy, node
from planviz.types import DataType


@node
class SQLFunctionExpression(Expression):
    """A call whose body is still to be put in; `function` is the catalogue's, `inputs` what is given, in order."""

    name: str
    inputs: tuple[Expression, ...]
    type: DataType
    function: Any

    UNCOMPARED = ("function",)

    @property
    def data_type(self) -> DataType:
        """The function's."""
        return self.type

    @lazy
    def nullable(self) -> bool:
        """Until the body is known."""
        return True

    @lazy
    def foldable(self) -> bool:
        """Not before the body is there."""
        return False

    def to_string(self) -> str:
        """name(inputs)."""
        return f"{self.name}({', '.join(map(str, self.inputs))})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """name(inputs)."""
        return f"{self.name}({', '.join(map(r, self.inputs))})"
