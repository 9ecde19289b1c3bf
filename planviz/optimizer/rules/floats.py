"""NaN and zero in keys."""

from __future__ import annotations

from typing import Any

from planviz.expressions.core import Literal
from planviz.expressions.internal import KnownFloatingPointNormalized, NormalizeNaNAndZero
from planviz.expressions.predicates import EqualNullSafe, EqualTo
from planviz.logical.combining import Join
from planviz.logical.operators import Window
from planviz.optimizer.context import OptimizerRule
from planviz.types import DOUBLE, FLOAT


class NormalizeFloatingNumbers(OptimizerRule):
    """Floating keys of joins and windows get one NaN and one zero.

    Join(l, r, l.k = r.k)  =>  Join(l, r, normalized(l.k) = normalized(r.k))

    Pays because keys are compared by their bits. Without it -0.0 and 0.0, equal in SQL, would not meet.
    """

    matches = (Join, Window)
    excludable = False

    def apply(self, plan: Any) -> Any:
        """See the class."""
        return plan.transform_down(self._step, self.mask, self.settled)

    @staticmethod
    def _step(plan: Any) -> Any:
        if isinstance(plan, Window):
            return plan.replace(
                partition=tuple(map(normalized, plan.partition))
                if any(p.data_type in (DOUBLE, FLOAT) for p in plan.partition)
                else plan.partition
            )
        if isinstance(plan, Join) and plan.condition is not None:
            left, right = plan.left.output_set, plan.right.output_set

            def key(e: Any) -> Any:
                if not isinstance(e, EqualTo | EqualNullSafe) or e.left.data_type not in (DOUBLE, FLOAT):
                    return e
                a, b = e.left.references, e.right.references
                if a and b and ((a <= left and b <= right) or (a <= right and b <= left)):
                    return e.with_new_children((normalized(e.left), normalized(e.right)))
                return e

            from planviz.expressions.predicates import conjunction, split_conjunction
            from planviz.optimizer.attributes import map_list

            parts = tuple(split_conjunction(plan.condition))
            new = map_list(parts, key)
            return plan if new is parts else plan.replace(condition=conjunction(list(new)))
        return plan


def normalized(e: Any) -> Any:
    """A floating value with one NaN and one zero; others as they are."""
    if e.data_type not in (DOUBLE, FLOAT) or isinstance(e, KnownFloatingPointNormalized | Literal):
        return e
    return KnownFloatingPointNormalized(NormalizeNaNAndZero(e))
