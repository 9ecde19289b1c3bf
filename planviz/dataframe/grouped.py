"""groupBy and its relatives (PySpark: GroupedData)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planviz.dataframe.column import Column, literal, select_item
from planviz.dataframe.maps import scala_order
from planviz.dataframe.python import UserDefinedFunction, python_table_call
from planviz.dataframe.refusals import NoSuchMethod, NotAsserted
from planviz.errors import AnalysisError, InputError
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal, NamedExpression, lit
from planviz.expressions.ids import next_id
from planviz.expressions.unresolved import (
    GroupingSets,
    ResolvedStar,
    UnresolvedAlias,
    UnresolvedFunction,
    UnresolvedStar,
)
from planviz.logical.combining import Join
from planviz.logical.operators import Aggregate, Project
from planviz.logical.python import FlatMapCoGroupsInPython, FlatMapGroupsInPython
from planviz.logical.unresolved import Pivot
from planviz.types import StructType, is_numeric, parse_fields

if TYPE_CHECKING:
    from planviz.dataframe.frame import DataFrame


class GroupedData:
    """Groups of rows, ready to be aggregated.

    `keys` are the grouping expressions; `kind` is groupBy, rollup, cube or groupingsets, then `sets` holds the keys of
    each set; `pivoted` is the pivot's column and values.
    """

    def __init__(
        self,
        frame: DataFrame,
        keys: tuple[Expression, ...],
        kind: str = "groupBy",
        sets: tuple[tuple[Expression, ...], ...] = (),
        pivoted: tuple[Expression, tuple[Expression, ...]] | None = None,
    ) -> None:
        self.frame, self.keys, self.kind, self.sets, self.pivoted = frame, keys, kind, sets, pivoted

    def agg(self, *aggregates: object) -> DataFrame:
        """Aggregate columns, or a dict of column to function (`{"b": "sum", "*": "count"}`)."""
        if len(aggregates) == 1 and isinstance(aggregates[0], dict):
            items = [self._by_name(f, c) for c, f in scala_order(aggregates[0])]
            return self._made(items)
        if not aggregates or not all(isinstance(a, Column) for a in aggregates):
            raise NotAsserted("all exprs should be Column" if aggregates else "exprs should not be empty")
        return self._made([self.frame.numbered(a) for a in aggregates])

    def pivot(self, pivot_col: str | Column, values: Sequence[object] | None = None) -> GroupedData:
        """The groups once more by a column, whose values lie side by side."""
        if values is not None and not isinstance(values, list | tuple):
            raise NoSuchMethod(f"The values of a pivot are given as a list, not as {values!r:.80}.")
        if values is None:
            values = self.frame.session.pivot_values(self.frame, pivot_col)
        if self.pivoted is not None:
            told = "The PIVOT clause may be used at most once per SUBQUERY operation."
            raise AnalysisError("REPEATED_CLAUSE", told)
        if self.kind != "groupBy":
            raise InputError("pivot follows groupBy, and only once.")
        shown = self.frame[pivot_col].expr if isinstance(pivot_col, str) else self.frame.numbered(pivot_col)
        return GroupedData(
            self.frame, self.keys, pivoted=(shown, tuple(v if isinstance(v, Literal) else literal(v) for v in values))
        )

    def count(self) -> DataFrame:
        """The number of rows of each group as `count`."""
        with self.frame.session.numbering():
            return self._made([Alias(UnresolvedFunction(("count",), (lit(1),)), "count", next_id())])

    def sum(self, *columns: str) -> DataFrame:
        """The sum of these columns, or of all numeric ones."""
        return self._numeric("sum", columns)

    def avg(self, *columns: str) -> DataFrame:
        """The mean of these columns, or of all numeric ones."""
        return self._numeric("avg", columns)

    mean = avg

    def min(self, *columns: str) -> DataFrame:
        """The least value of these columns, or of all numeric ones."""
        return self._numeric("min", columns)

    def max(self, *columns: str) -> DataFrame:
        """The greatest value of these columns, or of all numeric ones."""
        return self._numeric("max", columns)

    def applyInPandas(self, func: object, schema: StructType | str) -> DataFrame:
        """What a function makes of the rows of each group as a DataFrame of pandas."""
        return self._applied("FlatMapGroupsInPandas", func, schema)

    def applyInArrow(self, func: object, schema: StructType | str) -> DataFrame:
        """The same as tables of Arrow."""
        return self._applied("FlatMapGroupsInArrow", func, schema)

    def apply(self, udf: object) -> DataFrame:
        """What a pandas_udf of the kind GROUPED_MAP makes of the rows of each group."""
        if not isinstance(udf, UserDefinedFunction) or not isinstance(udf.function.returns, StructType):
            raise InputError("apply takes a pandas_udf of the kind GROUPED_MAP, with the columns that it returns.")
        return self._applied("FlatMapGroupsInPandas", _Named(udf.function.name), udf.function.returns)

    def cogroup(self, other: GroupedData) -> CoGroupedData:
        """The groups of two DataFrames together."""
        return CoGroupedData(self, other)

    def keys_first(self) -> tuple[DataFrame, tuple[AttributeReference, ...]]:
        """The rows with the keys before all columns, and the keys."""
        with self.frame.session.numbering():
            keys = [k if isinstance(k, NamedExpression) else Alias(k, str(k), next_id()) for k in self.keys]
        projected = self.frame.derived(Project((*keys, *self.frame.output), self.frame.plan))
        return projected, projected.plan.output[: len(self.keys)]

    def _applied(self, name: str, func: object, schema: StructType | str) -> DataFrame:
        frame = self.frame
        fields = parse_fields(schema) if isinstance(schema, str) else schema.fields
        projected, keys = self.keys_first()
        with frame.session.numbering():
            udf = python_table_call(func, projected.plan.output[len(self.keys) :], fields)
            columns = tuple(AttributeReference(f.name, f.data_type, f.nullable, next_id()) for f in fields)
        return frame.derived(FlatMapGroupsInPython(name, keys, udf, columns, projected.plan))

    def _numeric(self, function: str, columns: tuple[str, ...]) -> DataFrame:
        if columns:
            chosen: Sequence[Expression] = [self.frame[c].expr for c in columns]
            for name, one in zip(columns, chosen, strict=True):
                if not is_numeric(one.data_type) and not self.frame.session.becomes_numeric(self.frame.plan, one):
                    raise AnalysisError(
                        "_LEGACY_ERROR_TEMP_1323",
                        f'"{name}" is not a numeric column. Aggregation function can only be applied on a numeric '
                        "column.",
                    )
        else:
            keys = {k.expr_id for k in self.keys if hasattr(k, "expr_id")}
            chosen = [a for a in self.frame.output if is_numeric(a.type) and a.expr_id not in keys]
        return self._made([UnresolvedFunction((function,), (c,)) for c in chosen])

    def _by_name(self, function: str, column: str) -> Expression:
        if column == "*":
            return UnresolvedFunction((function,), (ResolvedStar((), (), self.frame.output),))
        argument: Expression = self.frame[column].expr
        return UnresolvedFunction((function,), (argument,))

    def _made(self, items: list[Expression]) -> DataFrame:
        plan = self.frame.plan
        if self.pivoted is not None:
            column, values = self.pivoted
            if self.frame.session.config.behaviour.pivots_count_rows:
                items = [e.transform_up(_counted, UnresolvedFunction.BIT) for e in items]
            return self.frame.derived(Pivot(column, values, tuple(items), plan, tuple(map(_named, self.keys)), True))
        grouping = (self._grouping_sets(),) if self.kind != "groupBy" else self.keys
        return self.frame.derived(Aggregate(grouping, (*map(select_item, self.keys), *map(select_item, items)), plan))

    def _grouping_sets(self) -> GroupingSets:
        if self.kind == "groupingsets":
            columns = tuple(c for s in self.sets for c in s)
            at, positions = 0, []
            for s in self.sets:
                positions.append(tuple(range(at, at + len(s))))
                at += len(s)
            return GroupingSets(self.kind, tuple(positions), columns, self.keys)
        return GroupingSets(self.kind, tuple((i,) for i in range(len(self.keys))), self.keys)


def _counted(e: Expression) -> Expression:
    """count(*) as count(1)."""
    if isinstance(e, UnresolvedFunction) and e.parts == ("count",) and e.arguments == (UnresolvedStar(),):
        return e.replace(arguments=(lit(1),))
    return e


class CoGroupedData:
    """Groups of two DataFrames by the same keys (PySpark: PandasCogroupedOps)."""

    def __init__(self, one: GroupedData, other: GroupedData) -> None:
        self.one, self.other = one, other

    def applyInPandas(self, func: object, schema: StructType | str) -> DataFrame:
        """What a function makes of the rows of each pair of groups as DataFrames of pandas."""
        return self._applied("FlatMapCoGroupsInPandas", func, schema)

    def applyInArrow(self, func: object, schema: StructType | str) -> DataFrame:
        """The same as tables of Arrow."""
        return self._applied("FlatMapCoGroupsInArrow", func, schema)

    def _applied(self, name: str, func: object, schema: StructType | str) -> DataFrame:
        fields = parse_fields(schema) if isinstance(schema, str) else schema.fields
        count = len(self.one.keys)
        (left, _), (right, _) = self.one.keys_first(), self.other.keys_first()
        both = left.derived(Join(left.plan, right.plan, "Inner")).plan
        assert isinstance(both, Join)
        sides = both.left.output, both.right.output
        with left.session.numbering():
            # Where both sides have a column, the function keeps that of the left one also for the right.
            own = left.plan.output_set
            pairs = zip(right.plan.output, sides[1], strict=True)
            given = [a if a.expr_id in own else renewed for a, renewed in pairs]
            udf = python_table_call(func, (*sides[0][count:], *given[len(self.other.keys) :]), fields)
            columns = tuple(AttributeReference(f.name, f.data_type, f.nullable, next_id()) for f in fields)
        keys = sides[0][:count], sides[1][: len(self.other.keys)]
        return left.derived(FlatMapCoGroupsInPython(name, *keys, udf, columns, both.left, both.right))


class _Named:
    """A function of which nothing but its name is needed."""

    def __init__(self, name: str) -> None:
        self.__name__ = name


def _named(e: Expression) -> Expression:
    return e if isinstance(e, NamedExpression) else UnresolvedAlias(e)
