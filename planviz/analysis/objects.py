"""Typed Dataset operations: what reads the columns into objects is bound to them."""

from __future__ import annotations

from typing_extensions import override

from planviz.analysis.context import AnalyzerRule
from planviz.analysis.names import Scope, bind
from planviz.expressions.casts import Cast
from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.ids import next_id
from planviz.expressions.objects import (
    GetColumnByOrdinal,
    LambdaVariable,
    MapObjects,
    UnresolvedDeserializer,
    UnresolvedMapObjects,
    UpCast,
)
from planviz.frontend.errors import analysis_error
from planviz.logical.plan import LogicalPlan
from planviz.types import ArrayType, DataType, DecimalType, is_atomic, is_numeric, is_string, wider_type


class ResolveDeserializer(AnalyzerRule):
    """Bind a deserializer to the columns it reads.

    unresolveddeserializer(f(getcolumnbyordinal(0)))  =>  f(a#1)
    """

    matches = (UnresolvedDeserializer,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_operators_up(self._operator, UnresolvedDeserializer.BIT)

    @staticmethod
    def _operator(plan: LogicalPlan) -> LogicalPlan:
        if not plan.children_resolved:
            return plan

        def bound(e: Expression) -> Expression:
            if not isinstance(e, UnresolvedDeserializer):
                return e
            columns = e.inputs or tuple(a for c in plan.children for a in c.output)
            return _bound(e.child, columns, e)

        return plan.map_expressions(lambda e: e.transform_down(bound, UnresolvedDeserializer.BIT))


def _bound(e: Expression, columns: tuple[AttributeReference, ...], place: UnresolvedDeserializer) -> Expression:
    def step(x: Expression) -> Expression:
        if isinstance(x, GetColumnByOrdinal):
            if x.ordinal >= len(columns):
                raise analysis_error(
                    "UNSUPPORTED_DESERIALIZER.FIELD_NUMBER_MISMATCH",
                    f"The deserializer is not supported: try to map {len(columns)} columns to more fields than that.",
                    place,
                )
            return columns[x.ordinal]
        if isinstance(x, UnresolvedMapObjects) and x.source.resolved:
            return _map_objects(x)
        return x

    made = e.transform_up(step)
    return bind(made, Scope(columns))


def _map_objects(e: UnresolvedMapObjects) -> Expression:
    t = e.source.data_type
    if not isinstance(t, ArrayType):
        raise analysis_error(
            "UNSUPPORTED_DESERIALIZER.DATA_TYPE_MISMATCH",
            f'The deserializer is not supported: need an array field but got "{t.sql}".',
            e,
        )
    variable = LambdaVariable("MapObject", t.element, t.contains_null, next_id())
    return MapObjects(variable, e.function(variable), e.source, e.result)


class ResolveUpCast(AnalyzerRule):
    """A cast to the type that the object has, unless something could be lost.

    upcast(a#1, LongType)  =>  cast(a#1 as bigint)
    """

    matches = (UpCast,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.resolve_expressions(self._one, UpCast.BIT)

    @staticmethod
    def _one(e: Expression) -> Expression:
        if not isinstance(e, UpCast) or not e.child.resolved:
            return e
        t = e.child.data_type
        if isinstance(t, DecimalType) and isinstance(e.target, DecimalType):
            return e.child
        if not can_up_cast(t, e.target):
            raise analysis_error(
                "CANNOT_UP_CAST_DATATYPE",
                f'Cannot up cast {e.child.pretty} from "{t.sql}" to "{e.target.sql}".\nThe type path of the target '
                f'object is:\n- root class: "{e.path}"\nYou can either add an explicit cast to the input data or '
                f"choose a higher precision type of the field in the target object.",
                e,
            )
        return Cast(e.child, e.target)


def can_up_cast(a: DataType, b: DataType) -> bool:
    """Whether every value of `a` is one of `b` (Spark: Cast.canUpCast)."""
    if a == b:
        return True
    if is_numeric(a) and is_numeric(b):
        return wider_type(a, b) == b
    return is_string(b) and is_atomic(a)
