"""Calls of functions that CREATE FUNCTION made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planviz.expressions.core import Expression, Typed
from planviz.trees.node import always, node
from planviz.types import DataType


@node
class SQLFunctionExpression(Typed):
    """A call whose body is still to be put in; `function` is the catalogue's, `inputs` what is given, in order."""

    name: str
    inputs: tuple[Expression, ...]
    type: DataType
    function: Any

    UNCOMPARED = ("function",)

    nullable = always(True)  # until the body is known
    foldable = always(False)  # not before the body is there

    def to_string(self) -> str:
        """name(inputs)."""
        return f"{self.name}({', '.join(map(str, self.inputs))})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """name(inputs)."""
        return f"{self.name}({', '.join(map(r, self.inputs))})"
