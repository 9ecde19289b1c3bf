"""Operators of typed Datasets: rows become objects, a user's function sees them, objects become rows again.

A function is known by its label only: nothing is executed, so only its place in the plan matters.
"""

from __future__ import annotations

from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.objects import FunctionObject, Invoke
from planviz.logical.operators import Filter
from planviz.logical.plan import LogicalPlan, UnaryNode, bracketed
from planviz.trees.node import lazy, node
from planviz.types import BOOLEAN, ObjectType, StructType


def schema_text(schema: StructType) -> str:
    """[StructField(value,LongType,true)]."""
    return bracketed(
        [f"StructField({f.name},{f.data_type.scala_name},{str(f.nullable).lower()})" for f in schema.fields]
    )


class ObjectProducer(UnaryNode):
    """Base of operators that give one column of objects, `obj`."""

    obj: AttributeReference

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The objects."""
        return (self.obj,)

    @lazy
    def produced(self) -> frozenset[int]:
        """The objects."""
        return frozenset((self.obj.expr_id,))

    @lazy
    def references(self) -> frozenset[int]:
        """What the expressions read, and for a consumer of objects the objects below."""
        own = frozenset[int]().union(*[e.references for e in self.expressions]) - self.produced
        return own | self.child.output_set if isinstance(self, ObjectConsumer) else own


class ObjectConsumer(UnaryNode):
    """Base of operators over one column of objects."""

    @property
    def input_object(self) -> AttributeReference:
        """The objects below."""
        found: AttributeReference = self.child.output[0]
        return found


@node
class DeserializeToObject(ObjectProducer):
    """Rows to objects (Spark: DeserializeToObject)."""

    deserializer: Expression
    obj: AttributeReference
    child: LogicalPlan


@node
class SerializeFromObject(ObjectConsumer):
    """Objects to rows: one expression per column (Spark: SerializeFromObject)."""

    serializer: tuple[Expression, ...]
    child: LogicalPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The columns."""
        return tuple([e.to_attribute() for e in self.serializer])

    @lazy
    def references(self) -> frozenset[int]:
        """The objects below."""
        return self.child.output_set

    @lazy
    def max_rows(self) -> int | None:
        """The child's."""
        return self.child.max_rows


@node
class MapElements(ObjectProducer, ObjectConsumer):
    """map: a function of one object (Spark: MapElements)."""

    function: str
    argument: str
    schema: StructType
    obj: AttributeReference
    child: LogicalPlan

    @lazy
    def max_rows(self) -> int | None:
        """The child's."""
        return self.child.max_rows

    def arguments(self) -> list[str]:
        """function, class, [schema], obj."""
        return [self.function, self.argument, schema_text(self.schema), self.obj.simple_string]


@node
class MapPartitions(ObjectProducer, ObjectConsumer):
    """mapPartitions, flatMap: a function of a partition's objects (Spark: MapPartitions)."""

    function: str
    obj: AttributeReference
    child: LogicalPlan


@node
class TypedFilter(UnaryNode):
    """filter by a function of one object (Spark: TypedFilter)."""

    function: str
    argument: str
    schema: StructType
    deserializer: Expression
    child: LogicalPlan

    @lazy
    def max_rows(self) -> int | None:
        """The child's."""
        return self.child.max_rows

    @lazy
    def resolved(self) -> bool:
        """When the deserializer is."""
        return self.deserializer.resolved and self.children_resolved

    def arguments(self) -> list[str]:
        """function, class, [schema], deserializer."""
        return [self.function, self.argument, schema_text(self.schema), self.deserializer.simple_string]

    def over_objects(self, child: LogicalPlan) -> Filter:
        """The same over a child that gives the objects."""
        return Filter(self._called(child.output[0]), child)

    @property
    def condition(self) -> Expression:
        """What the rows are asked: the function of the object that is made of each."""
        return self._called(self.deserializer)

    def _called(self, given: Expression) -> Expression:
        called = FunctionObject(self.function, ObjectType("scala.Function1"))
        return Invoke(called, "apply", BOOLEAN, (given,), False)


@node
class AppendColumns(UnaryNode):
    """groupByKey: the columns of a function of each object beside the row's (Spark: AppendColumns)."""

    function: str
    argument: str
    schema: StructType
    deserializer: Expression
    serializer: tuple[Expression, ...]
    child: LogicalPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's columns and the new ones."""
        return (*self.child.output, *self.new_columns)

    @lazy
    def new_columns(self) -> tuple[AttributeReference, ...]:
        """What the function gives."""
        return tuple([e.to_attribute() for e in self.serializer])

    def arguments(self) -> list[str]:
        """function, class, [schema], deserializer, [serializer]."""
        return [
            *[self.function, self.argument, schema_text(self.schema), str(self.deserializer)],
            bracketed(self.serializer),
        ]


@node
class AppendColumnsWithObject(ObjectConsumer):
    """AppendColumns right over objects (Spark: AppendColumnsWithObject)."""

    function: str
    child_serializer: tuple[Expression, ...]
    new_serializer: tuple[Expression, ...]
    child: LogicalPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The columns of the objects and the new ones."""
        return tuple([e.to_attribute() for e in (*self.child_serializer, *self.new_serializer)])

    @lazy
    def references(self) -> frozenset[int]:
        """The objects below."""
        return self.child.output_set


@node
class MapGroups(ObjectProducer):
    """mapGroups: a function of a key and the objects that have it (Spark: MapGroups)."""

    function: str
    key_deserializer: Expression
    value_deserializer: Expression
    grouping: tuple[Expression, ...]
    data: tuple[Expression, ...]
    obj: AttributeReference
    child: LogicalPlan
