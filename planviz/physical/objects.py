"""Operators of typed Datasets: rows become objects, a user's function sees them, objects become rows again."""

from __future__ import annotations

from planviz.expressions.core import AttributeReference, Expression, SortOrder
from planviz.logical.plan import bracketed
from planviz.physical.distribution import ClusteredDistribution, Distribution, Partitioning, ascending
from planviz.physical.plan import SparkPlan, UnaryExec
from planviz.physical.projection import Projection
from planviz.trees.node import always, lazy, node


class ObjectProducerExec(UnaryExec):
    """Base of what gives one column of objects: nothing is known of their order."""

    obj: AttributeReference

    output_ordering = always(())

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The objects."""
        return (self.obj,)


@node
class DeserializeToObjectExec(ObjectProducerExec):
    """Rows to objects."""

    deserializer: Expression
    obj: AttributeReference
    child: SparkPlan
    CODEGEN = True

    def arguments(self) -> list[str]:
        """deserializer, obj: class."""
        return [self.deserializer.simple_string, self.obj.simple_string]


@node
class SerializeFromObjectExec(UnaryExec):
    """Objects to rows."""

    serializer: tuple[Expression, ...]
    child: SparkPlan
    CODEGEN = True

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The columns."""
        return tuple([e.to_attribute() for e in self.serializer])


@node
class MapElementsExec(ObjectProducerExec):
    """A function of one object."""

    function: str
    obj: AttributeReference
    child: SparkPlan
    CODEGEN = True

    def arguments(self) -> list[str]:
        """function, obj: class."""
        return [self.function, self.obj.simple_string]


@node
class MapPartitionsExec(ObjectProducerExec):
    """A function of a partition's objects."""

    function: str
    obj: AttributeReference
    child: SparkPlan

    def arguments(self) -> list[str]:
        """function, obj: class."""
        return [self.function, self.obj.simple_string]


@node
class AppendColumnsExec(UnaryExec):
    """The columns of a function of each object beside the row's."""

    function: str
    deserializer: Expression
    serializer: tuple[Expression, ...]
    child: SparkPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The child's columns and the new ones."""
        return (*self.child.output, *[e.to_attribute() for e in self.serializer])

    def arguments(self) -> list[str]:
        """function, deserializer, [serializer]."""
        return [self.function, str(self.deserializer), bracketed(self.serializer)]


@node
class AppendColumnsWithObjectExec(UnaryExec):
    """The same right over objects."""

    function: str
    child_serializer: tuple[Expression, ...]
    new_serializer: tuple[Expression, ...]
    child: SparkPlan

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """The columns of the objects and the new ones."""
        return tuple([e.to_attribute() for e in (*self.child_serializer, *self.new_serializer)])

    @lazy
    def output_partitioning(self) -> Partitioning:
        """The child's, as far as its columns are still there."""
        return Projection((*self.child_serializer, *self.new_serializer)).partitioning(self.child.output_partitioning)


@node
class MapGroupsExec(ObjectProducerExec):
    """A function of a key and the objects that have it: rows of a key are together and one behind the other."""

    function: str
    key_deserializer: Expression
    value_deserializer: Expression
    grouping: tuple[Expression, ...]
    data: tuple[Expression, ...]
    obj: AttributeReference
    child: SparkPlan

    @property
    def required_distribution(self) -> tuple[Distribution, ...]:
        """By the keys."""
        return (ClusteredDistribution(self.grouping),)

    @property
    def required_ordering(self) -> tuple[tuple[SortOrder, ...], ...]:
        """By the keys."""
        return (ascending(self.grouping),)

    def arguments(self) -> list[str]:
        """function, deserializers, [keys], [columns], obj: class."""
        read = [str(self.key_deserializer), str(self.value_deserializer)]
        return [self.function, *read, bracketed(self.grouping), bracketed(self.data), self.obj.simple_string]
