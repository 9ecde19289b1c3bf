"""Typed Datasets: objects are made and taken apart as seldom as can be."""

from __future__ import annotations

from typing_extensions import override

from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, Expression, id_of
from planviz.expressions.objects import AssertNotNull, LambdaVariable, MapObjects
from planviz.logical.objects import (
    AppendColumns,
    AppendColumnsWithObject,
    DeserializeToObject,
    SerializeFromObject,
    TypedFilter,
)
from planviz.logical.operators import Project
from planviz.logical.plan import LogicalPlan
from planviz.optimizer.context import OptimizerRule
from planviz.types import AtomicType


class EliminateSerialization(OptimizerRule[DeserializeToObject | AppendColumns | TypedFilter]):
    """Hand objects on where they would be made into rows and at once into objects again.

    DeserializeToObject over SerializeFromObject over map  =>  Project [obj#1 AS obj#2] over map

    Pays because encoding and decoding cost more than most functions. Only for the same class: `ds.map(f).as[Other]
    .map(g)` reads the columns as something else, so the row in between must stay.
    """

    matches = (DeserializeToObject, AppendColumns, TypedFilter)

    @override
    def rewrite(self, node: DeserializeToObject | AppendColumns | TypedFilter) -> LogicalPlan:
        match node:
            case DeserializeToObject(_, obj, SerializeFromObject() as below) if obj.type == below.input_object.type:
                given = below.input_object
                return Project((Alias(given, given.name, obj.expr_id),), below.child)
            case DeserializeToObject(_, obj, TypedFilter() as below) if obj.type == below.deserializer.data_type:
                return below.over_objects(node.replace(child=below.child))
            case AppendColumns() | TypedFilter() if isinstance(node.child, SerializeFromObject):
                below = node.child
                if node.deserializer.data_type != below.input_object.type:
                    return node
                if isinstance(node, TypedFilter):
                    return below.replace(child=node.over_objects(below.child))
                return AppendColumnsWithObject(node.function, below.serializer, node.serializer, below.child)
        return node


class CombineTypedFilters(OptimizerRule[TypedFilter]):
    """Two functions that filter are one.

    TypedFilter g over TypedFilter f  =>  TypedFilter (f, then g)

    Pays because the object is made once. Only for the same class: `ds.filter(f).as[Other].filter(g)` needs two objects.
    """

    matches = (TypedFilter,)

    @override
    def rewrite(self, node: TypedFilter) -> LogicalPlan:
        match node:
            case TypedFilter(g, argument, schema, deserializer, TypedFilter(f, _, _, lower, child)) if (
                deserializer.data_type == lower.data_type
            ):
                return TypedFilter(f"CombineTypedFilters({f}, {g})", argument, schema, deserializer, child)
        return node


class EliminateMapObjects(OptimizerRule):
    """A function over an array's elements that gives each element back is the array.

    mapobjects(x, x, a)  =>  a

    Pays because no loop runs. An element that may be null has to be checked: an array that contains nulls, read as
    Array[Int], must fail at them.
    """

    matches = (MapObjects,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_all_expressions(self._one, MapObjects.BIT, self.settled)

    @staticmethod
    def _one(e: Expression) -> Expression:
        match e:
            case MapObjects(LambdaVariable(_, t, False) as variable, function, source) if isinstance(
                t, AtomicType
            ) and _same_value(function, variable):
                return source
        return e


def _same_value(e: Expression, variable: LambdaVariable) -> bool:
    """Whether the expression gives the variable as it is."""
    while isinstance(e, AssertNotNull) or (isinstance(e, Cast) and e.type == variable.type):
        e = e.child
    return bool(e == variable)


class ObjectSerializerPruning(OptimizerRule):
    """Do not make columns of objects that nothing reads.

    Project [_1] over SerializeFromObject [_1, _2]  =>  Project [_1] over SerializeFromObject [_1]

    Pays because fields that are not encoded cost nothing. Without the projection all columns are the result:
    `ds.map(f)` keeps them.
    """

    matches = (SerializeFromObject,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        return plan.transform_down(self._step, SerializeFromObject.BIT, self.settled)

    @staticmethod
    def _step(plan: LogicalPlan) -> LogicalPlan:
        match plan:
            case Project(_, SerializeFromObject(serializer) as below):
                kept = tuple(e for e in serializer if id_of(e) in plan.references)
                if len(kept) < len(serializer):
                    return plan.replace(child=below.replace(serializer=kept))
        return plan


class ReassignLambdaVariableID(OptimizerRule):
    """Number the variables of a query from -1 down.

    mapobjects(lambdavariable(..., 27), ...)  =>  mapobjects(lambdavariable(..., -1), ...)

    Pays because equal queries then give equal code, which is compiled once. Two variables that share a number would be
    one: the numbers are therefore given to the whole query at a time, `ds1.join(ds2)` to both sides together.
    """

    matches = (LambdaVariable,)

    @override
    def apply(self, plan: LogicalPlan) -> LogicalPlan:
        numbers: dict[int, int] = {}
        for operator in plan.walk():
            for e in operator.expressions:
                for v in e.collect(LambdaVariable):
                    if v.variable_id >= 0:
                        numbers.setdefault(v.variable_id, -1 - len(numbers))

        def step(e: Expression) -> Expression:
            new = numbers.get(e.variable_id) if isinstance(e, LambdaVariable) else None
            return e if new is None else e.replace(variable_id=new)

        return plan.transform_all_expressions(step, LambdaVariable.BIT) if numbers else plan
