"""Tests of text: LIKE, regular expressions, contains and its like."""

from __future__ import annotations

from collections.abc import Callable

from planviz.expressions.arithmetic import unexpected_input
from planviz.expressions.core import BinaryExpression, Expression, Literal, TypeMismatch, UnaryExpression
from planviz.expressions.predicates import Predicate
from planviz.expressions.specs import differing_collations
from planviz.trees.node import always, lazy_alone, node
from planviz.types import UNKNOWN, DataType, StringType, is_string
from planviz.types.collations import mixed_collations


def by_bytes_or_lower_case(t: DataType) -> bool:
    """Whether patterns can be looked for in text of a type."""
    return isinstance(t, StringType) and t.collation in ("UTF8_BINARY", "UTF8_LCASE")


@node
class Like(BinaryExpression, Predicate):
    """left LIKE right ESCAPE escape."""

    left: Expression
    right: Expression
    escape: str = "\\"

    null_intolerant = always(True)

    def check_input_types(self) -> TypeMismatch | None:
        """Strings."""
        for i, c in enumerate((self.left, self.right), 1):
            if c.data_type != UNKNOWN and not by_bytes_or_lower_case(c.data_type):
                return unexpected_input(i, c, '"STRING"')
        return None

    def to_string(self) -> str:
        """left LIKE right."""
        return self._write(str(self.left), str(self.right))

    def render(self, r: Callable[[Expression], str]) -> str:
        """The same with the sides' SQL."""
        return self._write(r(self.left), r(self.right))

    def _write(self, a: str, b: str) -> str:
        return f"{a} LIKE {b}" + ("" if self.escape == "\\" else f" ESCAPE '{self.escape}'")


@node
class RLike(BinaryExpression, Predicate):
    """left RLIKE right; `name` is what it was written as."""

    left: Expression
    right: Expression
    name: str = "RLIKE"

    null_intolerant = always(True)

    def check_input_types(self) -> TypeMismatch | None:
        """Under a collation only by bytes and by lower case."""
        for i, c in enumerate((self.left, self.right), 1):
            if is_string(c.data_type) and not by_bytes_or_lower_case(c.data_type):
                return unexpected_input(i, c, '"STRING"')
        return None

    def to_string(self) -> str:
        """RLIKE(left, right)."""
        return f"RLIKE({self.left}, {self.right})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """The function it was written as."""
        return f"{self.name}({r(self.left)}, {r(self.right)})"


@node
class MultiLike(UnaryExpression, Predicate):
    """child LIKE ALL / ANY (patterns), negated or not: `name` is likeall, notlikeall, likeany or notlikeany."""

    child: Expression
    patterns: tuple[Literal, ...]
    name: str

    @lazy_alone
    def children(self) -> tuple[Expression, ...]:
        """Only the tested value."""
        return (self.child,)

    def map_children(self, f: Callable[[Expression], Expression], mask: int = -1) -> MultiLike:
        """Only the tested value is mapped."""
        new = f(self.child) if self.child.bits & mask else self.child
        return self if new is self.child else MultiLike(new, self.patterns, self.name)

    nullable = always(True)

    @property
    def pretty_name(self) -> str:
        """See Expression."""
        return self.name

    def flat_arguments(self) -> list[str]:
        """The value and the patterns."""
        return [str(self.child), *map(str, self.patterns)]


@node
class StringPredicate(BinaryExpression, Predicate):
    """StartsWith, EndsWith or Contains (the `kind`)."""

    left: Expression
    right: Expression
    kind: str

    null_intolerant = always(True)

    def check_input_types(self) -> TypeMismatch | None:
        """Texts of one collation."""
        sides = self.left, self.right
        if mixed_collations([s.data_type for s in sides]):
            return differing_collations(sides)
        for i, s in enumerate(sides, 1):
            t = s.data_type
            if isinstance(t, StringType) and "_AI" in t.collation and "_CI" not in t.collation:
                return unexpected_input(i, s, '"STRING"')
        return None

    def to_string(self) -> str:
        """StartsWith(left, right)."""
        return f"{self.kind}({self.left}, {self.right})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """startswith(left, right)."""
        return f"{self.kind.lower()}({r(self.left)}, {r(self.right)})"
