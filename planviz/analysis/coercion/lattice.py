"""What implicit casts aim at, by ANSI rules; `legacy` has those of spark.sql.ansi.enabled=false."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from planviz.expressions.casts import Cast, can_store_assign
from planviz.expressions.core import Expression
from planviz.expressions.specs import Accepts
from planviz.types import NULL, STRING, UNKNOWN, DataType, is_atomic, is_string, wider_common, wider_type


def cast_to(e: Expression, t: DataType) -> Expression:
    """`e` as type `t`: itself when it has it, else a cast."""
    if e.data_type == t or e.data_type.simple_string == t.simple_string:
        return e
    return Cast(e, t)


def cast_to_exactly(e: Expression, t: DataType) -> Expression:
    """`e` as type `t`, also where only what may be null within differs: the sides of an operator."""
    return e if e.data_type == t else Cast(e, t)


class TypeCoercion:
    """The types that values are cast to without being asked (Spark: `AnsiTypeCoercion`)."""

    #: The mode of arithmetic and casts.
    mode = "ANSI"
    #: What a version of Spark does beside to every expression whose inputs are cast.
    finish: Callable[[Expression], Expression] | None = None
    #: Whether concat() and elt() of bytes give texts (spark.sql.function.concatBinaryAsString, eltOutputAsString).
    bytes_join_as_text = False
    bytes_are_chosen_as_text = False
    #: Whether size() of null is -1 without ANSI mode (spark.sql.legacy.sizeOfNull).
    null_has_a_size = True

    def wider(self, a: DataType, b: DataType) -> DataType | None:
        """The type both are cast to where they must agree (`findWiderTypeForTwo`)."""
        return wider_type(a, b)

    def common(self, types: list[DataType]) -> DataType | None:
        """The same of several (`findWiderCommonType`)."""
        return wider_common(types)

    def least_common(self, types: list[DataType]) -> DataType | None:
        """The same without promotion of strings: greatest and least, arrays and their elements, VALUES."""
        return wider_common(types)

    def implicit(self, t: DataType, accepts: Accepts) -> DataType | None:
        """What a value of type `t` is cast to for a parameter, or None when no implicit cast exists.

        Spark: `AnsiTypeCoercion.implicitCast`.
        """
        if accepts.test(t) or t == UNKNOWN:
            return t
        if accepts.alternatives:
            return self._closest(t, accepts.alternatives)
        target = accepts.default
        if target is None:
            return None
        if t == NULL:
            return target
        if accepts.family is not None:
            return accepts.family.get(STRING if is_string(t) else t)
        if is_string(t) and is_atomic(target):
            return None if is_string(target) else target
        return target if can_store_assign(t, target) else None

    def _closest(self, t: DataType, members: Iterable[Accepts]) -> DataType | None:
        """Of the types that a value can be cast to the first that can itself be cast to all others."""
        found = [c for m in members if (c := self.implicit(t, m)) is not None]
        if t == NULL or len(found) == 1:
            return found[0] if found else None
        return next((c for c in found if all(self.implicit(c, Accepts.exactly(o)) is not None for o in found)), None)


ANSI = TypeCoercion()
#: How an expression of one kind gets its casts; itself when they fit. Any: each rule knows its kind.
Rule = Callable[[Any, TypeCoercion], Expression]
