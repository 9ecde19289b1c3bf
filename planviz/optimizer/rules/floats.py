"""NaN and zero in keys."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.complex import CreateNamedStruct, GetStructField
from planviz.expressions.conditional import Coalesce, If
from planviz.expressions.core import Expression, Literal
from planviz.expressions.ids import next_id
from planviz.expressions.internal import KnownFloatingPointNormalized, NormalizeNaNAndZero
from planviz.expressions.lambdas import LambdaFunction, NamedLambdaVariable
from planviz.expressions.predicates import EqualTo, IsNull, conjunction
from planviz.logical.combining import Join
from planviz.logical.join_keys import keys_and_rest
from planviz.logical.operators import Window
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.attributes import function
from planviz.optimizer.context import OptimizerRule
from planviz.types import DOUBLE, FLOAT, STRING, ArrayType, DataType, StructType


class NormalizeFloatingNumbers(OptimizerRule):
    """Floating keys of joins and windows get one NaN and one zero.

    Join(l, r, l.k = r.k)  =>  Join(l, r, normalized(l.k) = normalized(r.k))

    Of a null-safe comparison two keys are left. Pays because keys are compared by their bits. Without it -0.0 and 0.0,
    equal in SQL, would not meet.
    """

    matches = (Join, Window)
    excludable = False

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._step, self.mask, self.settled)

    @staticmethod
    def _step(plan: LogicalPlan) -> LogicalPlan:
        if isinstance(plan, Window):
            return plan.replace(
                partition=tuple(map(normalized, plan.partition))
                if any(_floating(p.data_type) for p in plan.partition)
                else plan.partition
            )
        keys, rest = keys_and_rest(plan) if isinstance(plan, Join) else ([], [])
        if all(normalized(a) is a for a, _ in keys):
            return plan
        equal: list[Expression] = [EqualTo(normalized(a), normalized(b)) for a, b in keys]
        return plan.replace(condition=conjunction([*equal, *([conjunction(rest)] if rest else [])]))


def normalized(e: Expression) -> Expression:
    """A floating value with one NaN and one zero, and a struct with such fields; others as they are."""
    t = e.data_type
    if not _floating(t) or isinstance(e, KnownFloatingPointNormalized):
        return e
    if isinstance(e, CreateNamedStruct):
        return e.replace(parts=tuple(normalized(p) if i % 2 else p for i, p in enumerate(e.parts)))
    if isinstance(e, If):
        return e.replace(then=normalized(e.then), otherwise=normalized(e.otherwise))
    if isinstance(e, Coalesce) and isinstance(t, StructType | ArrayType):
        return e.map_children(normalized)
    if isinstance(t, StructType):
        parts = []
        for i, f in enumerate(t.fields):
            parts += [Literal(f.name, STRING), normalized(GetStructField(e, i))]
        made = CreateNamedStruct(tuple(parts))
        kept = If(IsNull(e), Literal(None, made.data_type), made) if e.nullable else made
        return KnownFloatingPointNormalized(kept)
    if isinstance(t, ArrayType):
        element = NamedLambdaVariable("arg", t.element, t.contains_null, next_id())
        each = LambdaFunction(normalized(element), (element,))
        return KnownFloatingPointNormalized(function("transform", e, each))
    return KnownFloatingPointNormalized(NormalizeNaNAndZero(e))


def _floating(t: DataType) -> bool:
    """Whether a value of the type is or holds a floating one that is compared by its bits."""
    if isinstance(t, StructType):
        return any(_floating(f.data_type) for f in t.fields)
    if isinstance(t, ArrayType):
        return _floating(t.element)
    return t in (DOUBLE, FLOAT)
