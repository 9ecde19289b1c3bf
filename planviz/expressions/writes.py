"""Expressions that Spark puts over the rows of a query that is written (V1WritesUtils)."""

from __future__ import annotations

from planviz.expressions.core import Expression, UnaryExpression
from planviz.trees.node import always, node
from planviz.types import INT, DataType


@node
class Empty2Null(UnaryExpression):
    """A text, null where it is empty: no folder has an empty name."""

    child: Expression

    @property
    def data_type(self) -> DataType:
        """The child's."""
        return self.child.data_type

    nullable = always(True)

    def to_string(self) -> str:
        """empty2null(child)."""
        return f"empty2null({self.child})"


@node
class BucketId(Expression):
    """The number of the bucket that a row goes to, by the hash of some columns. `function` is the hash's name."""

    function: str
    keys: tuple[Expression, ...]
    number: int

    data_type = always(INT)
    nullable = always(False)

    def to_string(self) -> str:
        """pmod(hash(keys, 42), number)."""
        return f"pmod({self.function}({', '.join(map(str, self.keys))}, 42), {self.number})"
