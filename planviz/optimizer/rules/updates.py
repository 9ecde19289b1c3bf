"""Structs with other fields (Spark: UpdateFields)."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.core import Expression
from planviz.expressions.updates import UpdateFields
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.context import OptimizerRule
from planviz.types import StructType


class OptimizeUpdateFields(OptimizerRule):
    """Change the fields of a struct once, not of a changed struct again.

    update_fields(update_fields(s, op1), op2)  =>  update_fields(s, op1, op2)

    Pays because no struct is built in between.
    """

    matches = (UpdateFields,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return self.on_expressions(plan, self._one)

    @staticmethod
    def _one(e: Expression) -> Expression:
        match e:
            case UpdateFields(UpdateFields(struct, first), then):
                return UpdateFields(struct, (*first, *then))
        return e


class ReplaceUpdateFieldsExpression(OptimizerRule):
    """Put a changed struct together of its fields.

    update_fields(s, WithField(c, 1))  =>  if (isnull(s)) null else named_struct('a', s.a, 'c', 1)

    Needed because only the struct that is put together can be computed.
    """

    matches = (UpdateFields,)
    excludable = False

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return self.on_expressions(plan, self._one)

    @staticmethod
    def _one(e: Expression) -> Expression:
        # Of a struct whose fields nobody knows nothing can be put together.
        return e.built if isinstance(e, UpdateFields) and isinstance(e.struct.data_type, StructType) else e
