"""Subexpressions computed once and used in several places (Spark: With)."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.core import Declared, Expression, LeafExpression, UnaryExpression
from planviz.expressions.ids import next_common_id
from planviz.trees.node import lazy, node
from planviz.types import UNKNOWN, DataType


@node
class CommonExpressionDef(UnaryExpression):
    """The definition of a shared subexpression, computed once."""

    child: Expression
    id: int

    @property
    def data_type(self) -> DataType:
        """The child's."""
        return self.child.data_type

    @lazy
    def canonicalized(self) -> Expression:
        """The child's form under the id."""
        return CommonExpressionDef(self.child.canonicalized, self.id)

    def to_string(self) -> str:
        """common_expr def."""
        return f"commonexpressiondef({self.child}, CommonExpressionId({self.id},false))"


@node
class CommonExpressionRef(Declared, LeafExpression):
    """The use of a shared subexpression."""

    id: int
    type: DataType
    is_nullable: bool

    def to_string(self) -> str:
        """common_expr ref."""
        nullable = str(self.is_nullable).lower()
        return f"commonexpressionref(CommonExpressionId({self.id},false), {self.type.scala_name}, {nullable})"


@node
class With(Expression):
    """A body that uses shared subexpressions."""

    body: Expression
    definitions: tuple[Expression, ...]

    @lazy
    def canonicalized(self) -> Expression:
        """With the definitions' places, counted down from -1, for their ids."""
        places = {d.id: -1 - at for at, d in enumerate(self.definitions) if isinstance(d, CommonExpressionDef)}

        def placed(e: Expression) -> Expression:
            if isinstance(e, CommonExpressionRef | CommonExpressionDef) and e.id in places:
                return e.replace(id=places[e.id])
            return e

        bits = CommonExpressionRef.BIT | CommonExpressionDef.BIT
        body = self.body.transform_up(placed, bits).canonicalized
        return With(body, tuple([placed(d).canonicalized for d in self.definitions]))

    @property
    def data_type(self) -> DataType:
        """The body's."""
        return self.body.data_type

    @lazy
    def nullable(self) -> bool:
        """The body's."""
        return self.body.nullable

    def render(self, r: Callable[[Expression], str]) -> str:
        """As Spark prints the class."""
        return f"with({', '.join(r(c) for c in (self.body, *self.definitions))})"


def with_shared(build: Callable[[Expression], Expression], shared: Expression) -> With:
    """A With over one shared expression; `build` gets the reference and gives the body."""
    definition = CommonExpressionDef(shared, next_common_id())
    if shared.resolved:
        ref = CommonExpressionRef(definition.id, shared.data_type, shared.nullable)
    else:
        ref = CommonExpressionRef(definition.id, UNKNOWN, True)
    return With(build(ref), (definition,))


def written_out(e: Expression) -> Expression:
    """The expression with what is shared computed wherever it is named."""

    def step(x: Expression) -> Expression:
        if not isinstance(x, With):
            return x
        known = {d.id: d.child for d in x.definitions if isinstance(d, CommonExpressionDef)}
        return x.body.transform_up(
            lambda r: known.get(r.id, r) if isinstance(r, CommonExpressionRef) else r, CommonExpressionRef.BIT
        )

    return e.transform_up(step, With.BIT) if e.bits & With.BIT else e
