"""Typed operations: what Scala's and Java's Datasets do with functions of objects (as, map, filter, groupByKey, ...).

A function is known by its name only. The plans are those of Spark: rows are made into objects, the function sees them,
and what it gives is made into rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from planviz.dataframe.base import Frame
from planviz.dataframe.encoders import PRIMITIVES, Encoder, encoder
from planviz.errors import InputError
from planviz.expressions.complex import CreateNamedStruct
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, lit
from planviz.expressions.ids import next_id
from planviz.expressions.objects import UnresolvedDeserializer
from planviz.expressions.unresolved import UnresolvedAlias, UnresolvedFunction
from planviz.logical.objects import (
    AppendColumns,
    DeserializeToObject,
    MapElements,
    MapGroups,
    MapPartitions,
    SerializeFromObject,
    TypedFilter,
)
from planviz.logical.operators import Aggregate, Distinct, Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation
from planviz.types import STRING, DataType


def label(function: object) -> str:
    """How a plan shows a function: its name, or the text given in its place."""
    return function if isinstance(function, str) else str(getattr(function, "__name__", type(function).__name__))


def _object(kind: DataType) -> AttributeReference:
    return AttributeReference("obj", kind, True, next_id())


class TypedMethods(Frame):
    """The typed methods of a Dataset; functions are Python functions or names."""

    def as_(self, of: object) -> Self:
        """The rows as objects of a class: an encoder, or the name of a type (Scala: `as[T]`).

        Raises AnalysisError when the columns do not fit the class.
        """
        made = self.derived(self.plan, encoder(of))
        made.derived(made._objects())
        return made

    def map(self, function: object, of: object) -> Self:
        """A function of each object, which gives objects of the class `of`."""
        return self._applied(
            encoder(of),
            lambda own, obj, child: MapElements(label(function), own.class_name, own.schema, obj, child),
        )

    def mapPartitions(self, function: object, of: object) -> Self:
        """A function of the objects of a partition."""
        return self._applied(encoder(of), lambda own, obj, child: MapPartitions(label(function), obj, child))

    flatMap = mapPartitions

    def typed_filter(self, function: object) -> Self:
        """The rows whose objects the function accepts; `filter` with a function comes here."""
        own = self._own()
        bound = UnresolvedDeserializer(own.deserializer())
        return self.same_type(TypedFilter(label(function), own.class_name, own.schema, bound, self.plan))

    def groupByKey(self, function: object, of: object) -> KeyValueGroupedDataset:
        """Groups by what a function gives for each object."""
        own, key = self._own(), encoder(of)
        with self.session.numbering():
            appended = AppendColumns(
                label(function),
                own.class_name,
                own.schema,
                UnresolvedDeserializer(own.deserializer()),
                key.serializer(),
                self.plan,
            )
        return KeyValueGroupedDataset(self.derived(appended), key, own, self.output)

    def _own(self) -> Encoder:
        if self.encoder is not None:
            return self.encoder
        columns = self.output
        if len(columns) == 1 and isinstance(self.plan, LocalRelation) and not columns[0].is_nullable:
            # The numbers of a sequence are Scala's own.
            return PRIMITIVES.get(columns[0].type) or encoder(columns[0].type.simple_string)
        if len(columns) == 1:
            return encoder(columns[0].type.simple_string)
        raise InputError("A typed operation needs the class of the rows: call as_(Encoders...) first.")

    def _objects(self) -> LogicalPlan:
        own = self._own()
        with self.session.numbering():
            return DeserializeToObject(UnresolvedDeserializer(own.deserializer()), _object(own.kind), self.plan)

    def _applied(self, to: Encoder, make: Callable[[Encoder, AttributeReference, LogicalPlan], LogicalPlan]) -> Self:
        child = self._objects()
        with self.session.numbering():
            applied = make(self._own(), _object(to.kind), child)
            plan = SerializeFromObject(to.serializer(), applied)
        return self.derived(plan, to)


class KeyValueGroupedDataset:
    """Objects in groups by a key (Spark: KeyValueGroupedDataset)."""

    def __init__(
        self, appended: TypedMethods, key: Encoder, value: Encoder, data: tuple[AttributeReference, ...]
    ) -> None:
        self.appended, self.key, self.value, self.data = appended, key, value, data
        self.grouping: tuple[AttributeReference, ...] = appended.plan.new_columns  # type: ignore[attr-defined]

    def count(self) -> TypedMethods:
        """The number of objects of each key."""
        with self.appended.session.numbering():
            counted = UnresolvedAlias(UnresolvedFunction(("count",), (lit(1),)))
            items = (Alias(self._key_column(), "key", next_id()), counted)
        return self.appended.derived(Aggregate(self.grouping, items, self.appended.plan))

    def _key_column(self) -> Expression:
        if len(self.grouping) == 1:
            return self.grouping[0]
        parts = [x for a in self.grouping for x in (Literal(a.name, STRING), a)]
        return CreateNamedStruct(tuple(parts))

    def keys(self) -> TypedMethods:
        """Each key once."""
        return self.appended.derived(Distinct(Project(self.grouping, self.appended.plan)), self.key)

    def mapGroups(self, function: object, of: object) -> TypedMethods:
        """A function of a key and its objects."""
        to = encoder(of)
        with self.appended.session.numbering():
            plan = MapGroups(
                label(function),
                UnresolvedDeserializer(self.key.deserializer(), self.grouping),
                UnresolvedDeserializer(self.value.deserializer(), self.data),
                self.grouping,
                self.data,
                _object(to.kind),
                self.appended.plan,
            )
            made = SerializeFromObject(to.serializer(), plan)
        return self.appended.derived(made, to)
