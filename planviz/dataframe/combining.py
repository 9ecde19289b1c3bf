"""DataFrames made of several: joins, unions and sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from planviz.analysis.names import Scope, unresolved_column
from planviz.dataframe.column import Column, expression
from planviz.dataframe.shaping import ColumnMethods
from planviz.errors import AnalysisError
from planviz.expressions.casts import Cast, can_store_assign
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal
from planviz.expressions.ids import UNNUMBERED, next_id
from planviz.expressions.predicates import conjunction
from planviz.expressions.subqueries import Exists, LateralSubquery, ScalarSubquery
from planviz.expressions.unresolved import UnresolvedAttribute, UnresolvedFunction
from planviz.logical.combining import Except, Intersect, Join, LateralJoin, Union
from planviz.logical.operators import (
    Project,
)
from planviz.types import (
    StructField,
    StructType,
)

if TYPE_CHECKING:
    from planviz.logical.plan import LogicalPlan

if TYPE_CHECKING:
    from planviz.dataframe.frame import DataFrame

_KINDS = {
    "inner": "Inner", "cross": "Cross", "outer": "FullOuter", "full": "FullOuter", "fullouter": "FullOuter",
    "left": "LeftOuter", "leftouter": "LeftOuter", "right": "RightOuter", "rightouter": "RightOuter",
    "semi": "LeftSemi", "leftsemi": "LeftSemi", "anti": "LeftAnti", "leftanti": "LeftAnti",
}  # fmt: skip


class Combining(ColumnMethods):
    """Methods that take another DataFrame."""

    def join(self, other: DataFrame, on: object = None, how: str | None = None) -> Self:
        """Joined by common columns (`on` a name or a list of names) or by a condition, `how` inner, left, ..."""
        kind = _kind(how or "inner")
        # First without a condition: analysis tells the columns of a DataFrame joined with itself apart.
        alone = self.derived(Join(self.plan, other.plan, kind))
        if on is None:
            return alone
        joined = alone.plan
        assert isinstance(joined, Join)
        if isinstance(on, str) or (isinstance(on, list) and on and all(isinstance(c, str) for c in on)):
            names = (on,) if isinstance(on, str) else tuple(on)
            return self.derived(Join(joined.left, joined.right, kind, None, names))
        conditions = on if isinstance(on, list) else [on]
        # A text behind a condition is a value of `&`, and no column's name.
        parts = [self.numbered(c if i == 0 else Column(expression(c))) for i, c in enumerate(conditions)]
        condition = conjunction([_told_apart(p, joined) for p in parts])
        condition = _renewed(condition, other.output, joined)
        return self.settled(joined.replace(condition=condition))

    def crossJoin(self, other: DataFrame) -> Self:
        """Every row with every row."""
        return self.derived(Join(self.plan, other.plan, "Cross"))

    def lateralJoin(self, other: DataFrame, on: object = None, how: str | None = None) -> Self:
        """Joined with a DataFrame that may read this one's columns."""
        with self.session.numbering():
            right = LateralSubquery(other.inner_plan, (), next_id())
        condition = None if on is None else self.numbered(on)
        return self.derived(LateralJoin(self.plan, right, _kind(how or "inner"), condition))

    def union(self, other: DataFrame) -> Self:
        """The rows of both, columns by place."""
        return self.same_type(Union((*_inputs(self.plan), other.plan)))

    unionAll = union

    def to(self, schema: StructType) -> Self:
        """These columns in this order, by name and cast; columns that there are not are null.

        Raises AnalysisError where a column cannot be null, or not be of its type.
        """
        return self.settled(Project(tuple(self._matching(f) for f in schema.fields), self.plan))

    def _matching(self, field: StructField) -> Expression:
        found = [a for a in self.output if a.name.lower() == field.name.lower()]
        if len(found) > 1:
            raise AnalysisError("AMBIGUOUS_COLUMN_OR_FIELD", f"Column or field `{field.name}` is ambiguous.")
        with self.session.numbering():
            if not found and field.nullable:
                return Alias(Literal(None, field.data_type), field.name, next_id())
            if not found:
                raise unresolved_column(UnresolvedAttribute((field.name,)), list(self.output))
            column = found[0]
            if column.is_nullable and not field.nullable:
                told = f"The column or field `{field.name}` is nullable while it's required to be non-nullable."
                raise AnalysisError("NULLABLE_COLUMN_OR_FIELD", told)
            if column.type == field.data_type:
                return column.replace(name=field.name)
            if not can_store_assign(column.type, field.data_type):
                told = f"Column or field `{field.name}` is of type {column.type.sql}, not {field.data_type.sql}."
                raise AnalysisError("INVALID_COLUMN_OR_FIELD_DATA_TYPE", told)
            return Alias(Cast(column, field.data_type), field.name, next_id())

    def unionByName(self, other: DataFrame, allowMissingColumns: bool = False) -> Self:
        """The rows of both, columns by name."""
        return self.settled(Union((self.plan, other.plan), True, allowMissingColumns))

    def intersect(self, other: DataFrame) -> Self:
        """The rows that are in both, each once."""
        return self.same_type(Intersect(self.plan, other.plan, False))

    def intersectAll(self, other: DataFrame) -> Self:
        """The rows that are in both, as often as in both."""
        return self.same_type(Intersect(self.plan, other.plan, True))

    def subtract(self, other: DataFrame) -> Self:
        """The rows that are not in the other, each once."""
        return self.same_type(Except(self.plan, other.plan, False))

    def exceptAll(self, other: DataFrame) -> Self:
        """The rows without the other's, each of which takes one away."""
        return self.same_type(Except(self.plan, other.plan, True))

    def exists(self) -> Column:
        """Whether there is a row, as a condition of another DataFrame."""
        return Column(Exists(self.inner_plan, (), UNNUMBERED))

    def scalar(self) -> Column:
        """The one value, as a column of another DataFrame."""
        return Column(ScalarSubquery(self.inner_plan, (), UNNUMBERED))


def _inputs(plan: LogicalPlan) -> tuple[LogicalPlan, ...]:
    """A union of a union is one of three."""
    return plan.inputs if isinstance(plan, Union) else (plan,)


def _kind(how: str) -> str:
    kind = _KINDS.get(how.lower().replace("_", ""))
    if kind is None:
        known = ", ".join(f"'{k}'" for k in sorted(_KINDS))
        raise AnalysisError("UNSUPPORTED_JOIN_TYPE", f"Unsupported join type '{how}'. Supported are {known}.")
    return kind


def _told_apart(e: Expression, join: Join) -> Expression:
    """Columns that a DataFrame compares with themselves in a join with itself: the left one and the right one."""

    def step(x: Expression) -> Expression:
        match x:
            case UnresolvedFunction(("=",) | ("<=>",), (AttributeReference() as a, AttributeReference() as b)) if (
                a.expr_id == b.expr_id
            ):
                left, right = Scope(join.left.output).resolve((a.name,)), Scope(join.right.output).resolve((b.name,))
                if left is not None and right is not None:
                    return x.replace(arguments=(left, right))
        return x

    made: Expression = e.transform_up(step)
    return made


def _renewed(e: Expression, right: tuple[AttributeReference, ...], join: Join) -> Expression:
    """Columns that only the right side has, as they are called since the join gave it ids of its own."""
    left = join.left.output_set
    new = {a.expr_id: b for a, b in zip(right, join.right.output, strict=True) if a.expr_id != b.expr_id}
    new = {k: b for k, b in new.items() if k not in left}
    if not new:
        return e
    made: Expression = e.transform_up(
        lambda x: new.get(x.expr_id, x) if isinstance(x, AttributeReference) else x, AttributeReference.BIT
    )
    return made
