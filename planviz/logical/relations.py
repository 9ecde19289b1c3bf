"""Operators without children: where rows come from."""

from __future__ import annotations

from typing import Self

from planviz.catalog.tables import Table
from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, AttributeReference, Expression, LeafExpression, Literal, Typed
from planviz.logical.plan import LeafNode, LogicalPlan, Source, Statistics, bracketed
from planviz.trees.node import always, lazy, node
from planviz.types import DataType
from planviz.types.values import Value


@node
class OneRowRelation(LeafNode):
    """One row without columns: a query without FROM."""

    max_rows = always(1)


@node
class LogicalRelation(Source):
    """A table. `name` is its qualified name (empty for a path), `table` the catalogue's entry.

    Only the partitions for which all of `partition_filters` hold are read (Spark: its location is pruned).
    """

    attributes: tuple[AttributeReference, ...]
    name: tuple[str, ...]
    table: Table | None = None
    provider: str = "parquet"
    partition_filters: tuple[Expression, ...] = ()
    #: Whether its text tells the name, which Spark does since 3.2.
    shows_name: bool = True
    #: The columns' types with only those fields of structs that are read (SchemaPruning); () where all are.
    read_types: tuple[DataType, ...] = ()

    UNCOMPARED = ("shows_name",)

    @lazy
    def read_output(self) -> tuple[AttributeReference, ...]:
        """The columns with the types that are read of them."""
        if not self.read_types:
            return self.attributes
        return tuple(a.replace(type=t) for a, t in zip(self.attributes, self.read_types, strict=True))

    def new_instance(self) -> Self:
        """The same rows under fresh ids."""
        new = super().new_instance()
        return new.replace(partition_filters=self._filters_over(new.attributes)) if self.partition_filters else new

    def _filters_over(self, attributes: tuple[AttributeReference, ...]) -> tuple[Expression, ...]:
        known = {old.expr_id: a for old, a in zip(self.attributes, attributes, strict=True)}

        def column(x: Expression) -> Expression:
            return known[x.expr_id] if isinstance(x, AttributeReference) else x

        return tuple(f.transform_up(column, AttributeReference.BIT) for f in self.partition_filters)

    @lazy
    def canonicalized(self) -> LogicalPlan:
        """With ids by position; a name means one table, whatever its statistics, but other partitions other rows."""
        form = super().canonical_form()
        if self.partition_filters:
            filters = self._filters_over(tuple(a.with_id(i) for i, a in enumerate(self.attributes)))
            form = form.replace(partition_filters=tuple(f.canonicalized for f in filters))
        return form.replace(table=None) if self.name else form

    @lazy
    def simple_string(self) -> str:
        """Relation name[columns] provider."""
        name = f" {'.'.join(self.name)}" if self.shows_name else ""
        return f"Relation{name}[{','.join(map(str, self.attributes))}] {self.provider}"


class UntoldRows(tuple[tuple[Value, ...], ...]):
    """Rows that stand for those that a text does not tell: nobody knows how many there are and what is in them."""

    __slots__ = ()

    @classmethod
    def over(cls, columns: int) -> UntoldRows:
        """Two rows, since one would be known to be the only one."""
        return cls(((None,) * columns,) * 2)


@node
class UntoldValue(Typed, LeafExpression):
    """A value in a row that Spark computes while planning, and that nobody knows here."""

    type: DataType
    nullable: bool = True

    def to_string(self) -> str:
        """What no plan shows."""
        return "?"


@node
class LocalRelation(Source):
    """Rows known while planning, or at least to Spark.

    A cell is a value of its column's type, or an expression of that type that is not computed yet.
    """

    attributes: tuple[AttributeReference, ...]
    rows: tuple[tuple[Value, ...], ...] = ()

    @lazy
    def max_rows(self) -> int | None:
        """The number of rows."""
        return None if isinstance(self.rows, UntoldRows) else len(self.rows)

    def arguments(self) -> list[str]:
        """<empty>, [columns]."""
        columns = [bracketed(self.attributes)] if self.attributes else []
        return columns if self.rows else ["<empty>", *columns]


@node
class ResolvedInlineTable(Source):
    """VALUES that ask for the moment or the user, which the optimizer knows."""

    attributes: tuple[AttributeReference, ...]
    rows: tuple[tuple[Expression, ...], ...]

    @lazy
    def max_rows(self) -> int | None:
        """The number of rows."""
        return len(self.rows)

    def arguments(self) -> list[str]:
        """[[cells], [cells]], [columns]."""
        return [f"[{', '.join(map(bracketed, self.rows))}]", bracketed(self.attributes)]


def cell(e: Expression, t: DataType) -> Value:
    """A constant as it stands in a LocalRelation's column of type `t`: its value, or what is still to be computed."""
    while isinstance(e, Alias) or (isinstance(e, Cast) and e.child.data_type == e.type):
        e = e.child
    if isinstance(e, Literal) and (e.value is None or e.data_type == t):
        return e.value
    return e if e.data_type == t else Cast(e, t)


@node
class LogicalRDD(LeafNode):
    """Rows that a program handed over (DataFrame API: createDataFrame); planning knows only their columns.

    `rdd` tells rows that were handed over apart from others of the same columns; 0 where nobody knows.
    """

    attributes: tuple[AttributeReference, ...]
    rdd: int = 0

    expressions = always(())

    def map_expressions(self, f, mask=-1):  # type: ignore[no-untyped-def]
        """Itself."""
        return self

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """Its columns."""
        return self.attributes

    @lazy
    def canonicalized(self) -> LogicalPlan:
        """With ids by position; rows of which nobody knows where they come from are no others'."""
        if not self.rdd:
            return self
        return self.replace(attributes=tuple(a.with_id(i).canonicalized for i, a in enumerate(self.attributes)))

    def new_instance(self) -> LogicalRDD:
        """The same rows under fresh ids."""
        return LogicalRDD(tuple(a.new_instance() for a in self.attributes), self.rdd)

    def arguments(self) -> list[str]:
        """[columns], false."""
        return [bracketed(self.attributes), "false"] if self.attributes else ["false"]


@node
class Range(LeafNode):
    """range(start, end, step)."""

    start: int
    end: int
    step: int
    slices: int | None
    column: AttributeReference
    #: Whether it says that the number of slices is open.
    shows_none: bool = False

    expressions = always(())

    def map_expressions(self, f, mask=-1):  # type: ignore[no-untyped-def]
        """Itself."""
        return self

    @lazy
    def output(self) -> tuple[AttributeReference, ...]:
        """id."""
        return (self.column,)

    @lazy
    def max_rows(self) -> int | None:
        """The number of steps."""
        return max(0, -(-(self.end - self.start) // self.step)) if self.step > 0 else None

    @lazy
    def canonicalized(self) -> LogicalPlan:
        """Only the numbers count."""
        return self.replace(column=self.column.with_id(0).canonicalized)

    def new_instance(self) -> Range:
        """The same numbers under a fresh id."""
        return Range(self.start, self.end, self.step, self.slices, self.column.new_instance(), self.shows_none)

    @lazy
    def simple_string(self) -> str:
        """Range (0, 10, step=1)."""
        slices = ", splits=None" if self.shows_none else ""
        slices = f", splits=Some({self.slices})" if self.slices is not None else slices
        return f"Range ({self.start}, {self.end}, step={self.step}{slices})"


@node
class CTERelationRef(Source):
    """The use of a CTE definition."""

    id: int
    is_resolved: bool
    attributes: tuple[AttributeReference, ...]
    #: None: Spark's version does not say (streaming since 3.5, recursive since 4.0).
    streaming: bool | None = False
    recursive: bool | None = False
    rows: int | None = None
    #: The definition's estimate, once it is known.
    statistics: Statistics | None = None

    @lazy
    def max_rows(self) -> int | None:
        """The definition's."""
        return self.rows

    @lazy
    def resolved(self) -> bool:
        """Once the definition is."""
        return self.is_resolved

    def arguments(self) -> list[str]:
        """id, resolved, [columns], streaming, size, recursive, most rows."""
        columns = [bracketed(self.attributes)] if self.attributes else []
        size = [] if self.statistics is None else [self.statistics.text]
        rows = [] if self.rows is None else [str(self.rows)]
        streaming, recursive = ([] if f is None else [str(f).lower()] for f in (self.streaming, self.recursive))
        flags = [*streaming, *size, *recursive]
        return [str(self.id), str(self.is_resolved).lower(), *columns, *flags, *rows]


@node
class UnionLoopRef(Source):
    """What the recursion of a UnionLoop reads: the rows of the step before, or all rows so far."""

    id: int
    attributes: tuple[AttributeReference, ...]
    accumulated: bool = False

    def new_instance(self) -> UnionLoopRef:
        """The same rows under fresh ids."""
        return self.replace(attributes=tuple(a.new_instance() for a in self.attributes))

    def arguments(self) -> list[str]:
        """id, [columns], accumulated."""
        return [str(self.id), bracketed(self.attributes), str(self.accumulated).lower()]
