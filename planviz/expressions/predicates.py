"""Comparisons, logic, membership, pattern matching."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from planviz.expressions.arithmetic import BinaryOperator, operands, unexpected_input
from planviz.expressions.core import Expression, Literal, TypeMismatch, UnaryExpression
from planviz.trees.node import always, lazy, lazy_alone, node
from planviz.types import BOOLEAN, UNKNOWN, DataType, MapType, equal_structurally, is_orderable


class Predicate(Expression):
    """An expression that gives true, false or null."""

    data_type = always(BOOLEAN)


class BinaryComparison(BinaryOperator, Predicate):
    """= <=> < <= > >=."""

    ACCEPTS = '"ORDERED"'
    #: The comparison that gives the same with the sides exchanged.
    MIRROR: ClassVar[str] = ""

    data_type = always(BOOLEAN)
    null_intolerant = always(True)

    def accepts(self, t: DataType) -> bool:
        """Orderable types."""
        return is_orderable(t)

    def same_kind(self, a: DataType, b: DataType) -> bool:
        """Types that differ only in nullability and field names inside."""
        return equal_structurally(a, b)

    def check_input_types(self) -> TypeMismatch | None:
        """One type on both sides, and not a map."""
        a = self.left.data_type
        if self.same_kind(a, self.right.data_type) and not self.accepts(a):
            return TypeMismatch(
                "INVALID_ORDERING_TYPE", f'The `{self.SYMBOL}` does not support ordering on type "{a.sql}"'
            )
        return super().check_input_types()

    @lazy
    def canonicalized(self) -> Expression:
        """The sides in the order of their hashes."""
        a, b = self.left.canonicalized, self.right.canonicalized
        if hash(a) > hash(b):
            return MIRRORS[type(self)](b, a)
        return self if a is self.left and b is self.right else type(self)(a, b)  # type: ignore[call-arg]


@node
class EqualTo(BinaryComparison):
    """left = right."""

    left: Expression
    right: Expression
    SYMBOL = "="


@node
class EqualNullSafe(BinaryComparison):
    """left <=> right: null equals null."""

    left: Expression
    right: Expression
    SYMBOL = "<=>"

    nullable = always(False)
    null_intolerant = always(False)


@node
class LessThan(BinaryComparison):
    """left < right."""

    left: Expression
    right: Expression
    SYMBOL = "<"


@node
class LessThanOrEqual(BinaryComparison):
    """left <= right."""

    left: Expression
    right: Expression
    SYMBOL = "<="


@node
class GreaterThan(BinaryComparison):
    """left > right."""

    left: Expression
    right: Expression
    SYMBOL = ">"


@node
class GreaterThanOrEqual(BinaryComparison):
    """left >= right."""

    left: Expression
    right: Expression
    SYMBOL = ">="


MIRRORS: dict[type, Callable[[Expression, Expression], BinaryComparison]] = {
    EqualTo: EqualTo,
    EqualNullSafe: EqualNullSafe,
    LessThan: GreaterThan,
    GreaterThan: LessThan,
    LessThanOrEqual: GreaterThanOrEqual,
    GreaterThanOrEqual: LessThanOrEqual,
}


class Connective(BinaryOperator, Predicate):
    """AND, OR."""

    ACCEPTS = '"BOOLEAN"'

    data_type = always(BOOLEAN)

    def accepts(self, t: DataType) -> bool:
        """boolean."""
        return t == BOOLEAN

    @lazy_alone
    def canonicalized(self) -> Expression:
        """The operands, flattened, in the order of their hashes."""
        cls = type(self)
        parts = sorted((p.canonicalized for p in operands(self, cls)), key=hash)
        result = parts[0]
        for p in parts[1:]:
            result = cls(result, p)  # type: ignore[call-arg]
        return result


@node
class And(Connective):
    """left AND right."""

    left: Expression
    right: Expression
    SYMBOL = "AND"


@node
class Or(Connective):
    """left OR right."""

    left: Expression
    right: Expression
    SYMBOL = "OR"


@node
class Not(UnaryExpression, Predicate):
    """NOT child."""

    child: Expression

    @lazy
    def canonicalized(self) -> Expression:
        """The opposite comparison, where the child is one."""
        child = self.child.canonicalized
        if isinstance(child, BinaryComparison) and type(child) in _OPPOSITES:
            return _OPPOSITES[type(child)](child.left, child.right).canonicalized
        return self if child is self.child else Not(child)

    null_intolerant = always(True)

    def check_input_types(self) -> TypeMismatch | None:
        """boolean."""
        ok = self.child.data_type in (BOOLEAN, UNKNOWN)
        return None if ok else unexpected_input(1, self.child, '"BOOLEAN"')

    def to_string(self) -> str:
        """NOT child."""
        return f"NOT {self.child}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """(NOT child)."""
        return f"(NOT {r(self.child)})"


@node
class IsNull(UnaryExpression, Predicate):
    """child IS NULL."""

    child: Expression

    nullable = always(False)

    def to_string(self) -> str:
        """isnull(child)."""
        return f"isnull({self.child})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """(child IS NULL)."""
        return f"({r(self.child)} IS NULL)"


@node
class IsNotNull(UnaryExpression, Predicate):
    """child IS NOT NULL."""

    child: Expression

    nullable = always(False)

    def to_string(self) -> str:
        """isnotnull(child)."""
        return f"isnotnull({self.child})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """(child IS NOT NULL)."""
        return f"({r(self.child)} IS NOT NULL)"


@node
class IsUnknown(IsNull):
    """child IS UNKNOWN: an IS NULL as soon as its child is another one.

    Spark: a class without a name, so that it is printed as its child in parentheses.
    """

    child: Expression

    def map_children(self, f: Callable[[Expression], Expression], mask: int = -1) -> Any:
        """Over a new child it is IS NULL."""
        new = f(self.child) if self.child.bits & mask else self.child
        return self if new is self.child else self.rebuilt(IsNull(new))

    def to_string(self) -> str:
        """(child)."""
        return f"({self.child})"


@node
class IsNotUnknown(IsNotNull):
    """child IS NOT UNKNOWN, as IsUnknown."""

    child: Expression

    def map_children(self, f: Callable[[Expression], Expression], mask: int = -1) -> Any:
        """Over a new child it is IS NOT NULL."""
        new = f(self.child) if self.child.bits & mask else self.child
        return self if new is self.child else self.rebuilt(IsNotNull(new))

    def to_string(self) -> str:
        """(child)."""
        return f"({self.child})"


@node
class IsNaN(UnaryExpression, Predicate):
    """isnan(child)."""

    child: Expression

    nullable = always(False)


@node
class AtLeastNNonNulls(Predicate):
    """Whether at least `least` of the items have a value; NaN is none (DataFrame API: na.drop)."""

    least: int
    items: tuple[Expression, ...]

    nullable = always(False)
    foldable = always(False)


@node
class In(Predicate):
    """value IN (items)."""

    value: Expression
    items: tuple[Expression, ...]

    def check_input_types(self) -> TypeMismatch | None:
        """All of one orderable type."""
        t = self.value.data_type
        for item in self.items:
            if not equal_structurally(item.data_type, t) and UNKNOWN not in (t, item.data_type):
                kinds = ", ".join(f'"{c.data_type.sql}"' for c in (self.value, *self.items))
                return TypeMismatch("DATA_DIFF_TYPES", f"Input to `in` should all be the same type, but it's [{kinds}]")
        if isinstance(t, MapType):
            return TypeMismatch("INVALID_ORDERING_TYPE", f'The `in` does not support ordering on type "{t.sql}"')
        return None

    def to_string(self) -> str:
        """value IN (a,b), no space after the comma."""
        return f"{self.value} IN ({','.join(map(str, self.items))})"

    def render(self, r: Callable[[Expression], str]) -> str:
        """(value IN (a, b))."""
        return f"({r(self.value)} IN ({', '.join(r(i) for i in self.items)}))"

    @lazy
    def canonicalized(self) -> Expression:
        """The items in the order of their hashes."""
        items = tuple(sorted((i.canonicalized for i in self.items), key=hash))
        return In(self.value.canonicalized, items)


@node
class InSet(UnaryExpression, Predicate):
    """child IN a set of literals, the optimizer's form of a long list."""

    child: Expression
    values: tuple[Literal, ...]

    @lazy_alone
    def children(self) -> tuple[Expression, ...]:
        """Only the tested value."""
        return (self.child,)

    def map_children(self, f: Callable[[Expression], Expression], mask: int = -1) -> InSet:
        """Only the tested value is mapped."""
        new = f(self.child) if self.child.bits & mask else self.child
        return self if new is self.child else self.replace(child=new)

    @lazy
    def nullable(self) -> bool:
        """When the value is, or the set holds a null."""
        return self.child.nullable or any(v.value is None for v in self.values)

    def to_string(self) -> str:
        """child INSET a, b: sorted by text."""
        return f"{self.child} INSET {', '.join(sorted(map(str, self.values)))}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """(child IN (a, b))."""
        return f"({r(self.child)} IN ({', '.join(sorted(r(v) for v in self.values))}))"


#: What holds just when the comparison does not, where neither side is null.
_OPPOSITES: dict[type, Callable[[Expression, Expression], Expression]] = {
    GreaterThan: LessThanOrEqual,
    GreaterThanOrEqual: LessThan,
    LessThan: GreaterThanOrEqual,
    LessThanOrEqual: GreaterThan,
}


def split_conjunction(e: Expression) -> list[Expression]:
    """The conjuncts of a condition, left to right."""
    return operands(e, And)


def conjunction(parts: list[Expression]) -> Expression:
    """The left-deep AND of one or more conditions."""
    result = parts[0]
    for p in parts[1:]:
        result = And(result, p)
    return result


def disjunction(parts: list[Expression]) -> Expression:
    """The left-deep OR of one or more conditions."""
    result = parts[0]
    for p in parts[1:]:
        result = Or(result, p)
    return result
