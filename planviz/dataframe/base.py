"""What every part of a DataFrame builds on: its session, its analyzed plan, and how a new one is derived."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Self, TypeVar

from planviz.analysis.hidden import coming
from planviz.dataframe.ambiguity import carry, check, plain, reaching, references, remember, with_hidden
from planviz.dataframe.column import column_or_name, numbered, select_item
from planviz.dataframe.refusals import BadIndex, UnexpectedType
from planviz.execution import QueryExecution
from planviz.expressions.core import AttributeReference, Expression, SortOrder
from planviz.expressions.unresolved import LazyOuter, UnresolvedAlias
from planviz.frontend import parse_expression
from planviz.logical.plan import LogicalPlan
from planviz.types import StructField, StructType

if TYPE_CHECKING:
    from planviz.dataframe.encoders import Encoder
    from planviz.dataframe.session import SparkSession


_CHECKED = "spark.sql.analyzer.failAmbiguousSelfJoin"


T = TypeVar("T")


def flat(values: tuple[T, ...]) -> list[T]:
    """Arguments given one by one or as one list."""
    return list(values[0]) if len(values) == 1 and isinstance(values[0], list | tuple) else list(values)


class Frame:
    """A plan of a session, analyzed at once, as Spark does: mistakes show in the line that makes them.

    `execution` gives the stages; `plan` is the analyzed plan, over which the next DataFrame is built. `encoder` tells
    what a typed operation sees, None for rows.
    """

    def __init__(self, session: SparkSession, plan: LogicalPlan, sql: str = "", encoder: Encoder | None = None) -> None:
        self.session = self.sparkSession = session
        self.encoder = encoder
        self.number = session.next_number()
        meant = references(plan)
        given, plan = plan, reaching(plain(plan), meant) if meant else plan
        # What names a column of a query around cannot be analyzed before it stands in that query.
        waits = bool(plan.bits & LazyOuter.BIT)
        self.execution = QueryExecution(sql).starting_at(plan) if waits else session.execution(plan, sql)
        self.plan = plan if waits else self.execution.analyzed
        if meant and not waits:
            known = session.config.behaviour
            found = with_hidden(self.plan, meant, coming(known), known.file_metadata)
            if found is not self.plan:
                self.execution = session.execution(found, sql)
                self.plan = self.execution.analyzed
        if len(plan.children) > 1:
            carry(plan, self.plan)
        if meant and not waits and session.config.get(_CHECKED) != "false":
            check(given, self.plan)
        remember(self.plan, self.number)

    def derived(self, plan: LogicalPlan, encoder: Encoder | None = None) -> Self:
        """A DataFrame of the same session over another plan."""
        return type(self)(self.session, plan, "", encoder)

    def settled(self, plan: LogicalPlan) -> Self:
        """The same where Spark shows the analyzed plan as the parsed one, too (joins by condition, unions by name)."""
        return self.derived(self.derived(plan).plan)

    def same_type(self, plan: LogicalPlan) -> Self:
        """A Dataset of the same type over another plan: filters, sorts and the like keep what the rows are."""
        return self.derived(plan, self.encoder)

    @property
    def output(self) -> tuple[AttributeReference, ...]:
        """The columns of the plan."""
        found: tuple[AttributeReference, ...] = self.plan.output
        return found

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return [a.name for a in self.output]

    @property
    def schema(self) -> StructType:
        """The columns with their types."""
        return StructType(tuple(StructField(a.name, a.type, a.is_nullable) for a in self.output))

    @property
    def dtypes(self) -> list[tuple[str, str]]:
        """Names and types, as Spark prints types."""
        return [(a.name, a.type.simple_string) for a in self.output]

    def numbered(self, value: object) -> Expression:
        """A column, or a name as one, with ids of this session."""
        with self.session.numbering():
            return numbered(column_or_name(value))

    @property
    def inner_plan(self) -> LogicalPlan:
        """The plan as it stands in a subquery of another DataFrame."""
        if not self.plan.bits & LazyOuter.BIT:
            return self.plan
        plain: LogicalPlan = self.plan.transform_up(
            lambda p: p.map_expressions(lambda e: e.transform_up(lambda x: x.child if isinstance(x, LazyOuter) else x))
        )
        return plain

    def items(self, values: Iterable[object]) -> tuple[Expression, ...]:
        """Columns or names as items of a select list."""
        values = list(values)
        for v in values:
            if isinstance(v, int | float):
                raise UnexpectedType("col", "Column or str", v)
        return tuple(select_item(self.numbered(v)) for v in values)

    def parsed(self, text: str) -> Expression:
        """SQL text as an item of a select list."""
        with self.session.numbering():
            return parse_expression(text)

    def condition(self, value: object) -> Expression:
        """A condition: SQL text or a column."""
        if isinstance(value, int | float):
            raise UnexpectedType("condition", "Column or str", value)
        if not isinstance(value, str):
            return self.numbered(value)
        found = self.parsed(value)
        return found.child if isinstance(found, UnresolvedAlias) else found

    def key(self, value: object) -> Expression:
        """A sort or partition key; a number means the column at that place, from 1, a negative one falling."""
        if isinstance(value, int) and not isinstance(value, bool):
            if value == 0:
                raise BadIndex("ZERO_INDEX", "Index must be non-zero.")
            if abs(value) > len(self.output):
                raise IndexError("list index out of range")
            column = self.output[abs(value) - 1]
            return column if value > 0 else SortOrder(column, "DESC", "NULLS LAST")
        return self.numbered(value)
