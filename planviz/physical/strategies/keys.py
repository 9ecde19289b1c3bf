"""The keys of an equi-join (Spark: ExtractEquiJoinKeys, ExtractSingleColumnNullAwareAntiJoin)."""

from __future__ import annotations

from dataclasses import dataclass

from planviz.expressions.core import Expression
from planviz.expressions.predicates import EqualTo, IsNull, Or, conjunction
from planviz.logical.combining import Join
from planviz.logical.join_keys import keys_and_rest
from planviz.types import is_collated


@dataclass(frozen=True)
class EquiJoin:
    """The keys of both sides, pair by pair, and the rest of the condition."""

    left: tuple[Expression, ...]
    right: tuple[Expression, ...]
    rest: Expression | None = None

    @property
    def hashable(self) -> bool:
        """Whether equal keys have equal bytes (Spark: JoinSelectionHelper.hashJoinSupported)."""
        return not any(is_collated(k.data_type) for k in (*self.left, *self.right))


def equi_join(join: Join) -> EquiJoin | None:
    """The keys of a join, or None when no conjunct compares one side with the other for equality."""
    pairs, rest = keys_and_rest(join)
    if not pairs:
        return None
    left, right = zip(*pairs, strict=True)
    return EquiJoin(left, right, conjunction(rest) if rest else None)


def null_aware_anti_join(join: Join) -> EquiJoin | None:
    """The keys of `k NOT IN (SELECT j ...)`: an anti join on `k = j OR isnull(k = j)`."""
    match join.condition:
        case Or(EqualTo() as equal, IsNull(EqualTo() as same)) if join.kind == "LeftAnti" and equal == same:
            left, right = join.left.output_set, join.right.output_set
            for a, b in ((equal.left, equal.right), (equal.right, equal.left)):
                if a.references <= left and b.references <= right:
                    return EquiJoin((a,), (b,))
    return None
