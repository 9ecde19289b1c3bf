"""Lambda functions and their variables."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.core import Declared, Expression, LeafExpression, NamedExpression, type_suffix
from planviz.expressions.unresolved import Unresolved, name_text
from planviz.trees.node import always, lazy, node
from planviz.types import DataType


@node
class UnresolvedLambdaVariable(LeafExpression, Unresolved, NamedExpression):
    """A lambda's argument, or a name in its body."""

    parts: tuple[str, ...]

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name."""
        return name_text(self.parts)

    def to_string(self) -> str:
        """lambda 'x."""
        return f"lambda '{self.name}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """The name."""
        return self.name


@node
class LambdaFunction(Expression):
    """A lambda: its body and arguments. `hidden` marks one that analysis made of a plain expression."""

    body: Expression
    arguments: tuple[Expression, ...]
    hidden: bool = False

    @property
    def data_type(self) -> DataType:
        """The body's."""
        return self.body.data_type

    @lazy
    def nullable(self) -> bool:
        """The body's."""
        return self.body.nullable

    @lazy
    def references(self) -> frozenset[int]:
        """Everything the body reads but the arguments."""
        own = frozenset(getattr(a, "expr_id", 0) for a in self.arguments)
        return self.body.references - own


@node
class NamedLambdaVariable(Declared, LeafExpression, NamedExpression):
    """A bound argument of a lambda."""

    name: str
    type: DataType
    is_nullable: bool
    expr_id: int

    foldable = always(False)

    def to_string(self) -> str:
        """lambda x#id."""
        return f"lambda {self.name}#{self.expr_id}{type_suffix(self.type)}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """Spark prints no name here."""
        return "namedlambdavariable()"
