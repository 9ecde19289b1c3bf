"""The keys of an equi-join (Spark: ExtractEquiJoinKeys, ExtractSingleColumnNullAwareAntiJoin)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from planviz.expressions.conditional import Coalesce
from planviz.expressions.core import Expression, Literal
from planviz.expressions.predicates import EqualNullSafe, EqualTo, IsNull, Or, conjunction, split_conjunction
from planviz.logical.combining import Join
from planviz.types import BOOLEAN, DATE, DOUBLE, FLOAT, STRING, DataType, DecimalType

#: What stands for null where it is not 0.
_DEFAULTS: dict[DataType, Any] = {STRING: "", BOOLEAN: False, DATE: date(1970, 1, 1), DOUBLE: 0.0, FLOAT: 0.0}


@dataclass(frozen=True)
class EquiJoin:
    """The keys of both sides, pair by pair, and the rest of the condition."""

    left: tuple[Expression, ...]
    right: tuple[Expression, ...]
    rest: Expression | None = None


def equi_join(join: Join) -> EquiJoin | None:
    """The keys of a join, or None when no conjunct compares one side with the other for equality."""
    pairs: list[tuple[Any, Any]] = []
    rest: list[Expression] = []
    for c in split_conjunction(join.condition) if join.condition is not None else ():
        sides = _sides(c, join)
        if sides is None:
            rest.append(c)
        elif isinstance(c, EqualTo):
            pairs.append(sides)
        else:
            a, b = sides
            pairs += [(Coalesce((a, _default(a))), Coalesce((b, _default(b)))), (IsNull(a), IsNull(b))]
    if not pairs:
        return None
    left, right = zip(*pairs, strict=True)
    return EquiJoin(left, right, conjunction(rest) if rest else None)


def null_aware_anti_join(join: Join) -> EquiJoin | None:
    """The keys of `k NOT IN (SELECT j ...)`: an anti join on `k = j OR isnull(k = j)`."""
    match join.condition:
        case Or(EqualTo() as equal, IsNull(EqualTo() as same)) if join.kind == "LeftAnti" and equal == same:
            sides = _sides(equal, join)
            return None if sides is None else EquiJoin((sides[0],), (sides[1],))
    return None


def _sides(c: Any, join: Join) -> tuple[Any, Any] | None:
    """Left and right of a comparison of the two sides."""
    if not isinstance(c, EqualTo | EqualNullSafe) or not c.left.references or not c.right.references:
        return None
    left, right = join.left.output_set, join.right.output_set
    for a, b in ((c.left, c.right), (c.right, c.left)):
        if a.references <= left and b.references <= right:
            return a, b
    return None


def _default(e: Expression) -> Literal:
    """Spark's default value of a type: what stands for null in a null-safe key."""
    t = e.data_type
    if isinstance(t, DecimalType):
        return Literal(Decimal(0).scaleb(-t.scale), t)
    return Literal(_DEFAULTS.get(t, 0), t)
