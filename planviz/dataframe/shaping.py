"""DataFrame methods that change columns: add, rename, drop, fill, unpivot."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Generic, Self, TypeVar

from planviz.analysis.names import Scope, unresolved_column
from planviz.dataframe.ambiguity import belonging
from planviz.dataframe.base import Frame, flat
from planviz.dataframe.column import Column, LongNumber, literal, name_parts, named, select_item
from planviz.dataframe.maps import scala_order
from planviz.dataframe.refusals import UnexpectedType
from planviz.errors import InputError
from planviz.expressions.casts import Cast
from planviz.expressions.conditional import CaseWhen
from planviz.expressions.core import Alias, AttributeReference, Expression, Literal
from planviz.expressions.ids import next_id
from planviz.expressions.predicates import AtLeastNNonNulls, EqualTo
from planviz.expressions.unresolved import (
    ResolvedStar,
    UnresolvedAttribute,
    UnresolvedFunction,
    UnresolvedStarWithColumns,
    UnresolvedStarWithColumnsRenames,
)
from planviz.logical.operators import Filter, Project
from planviz.logical.plan import LogicalPlan
from planviz.logical.unresolved import DataFrameDropColumns, Unpivot, UnresolvedSubqueryColumnAliases
from planviz.types import BOOLEAN, DOUBLE, FLOAT, NULL, STRING, DataType, is_numeric

#: What takes the place of nulls, and how a column changes (None: it does not).
Filling = bool | int | float | str
Change = Callable[[AttributeReference], Expression | None]
F = TypeVar("F", bound="ColumnMethods")


class ColumnMethods(Frame):
    """The methods of DataFrame that change its columns."""

    def col(self, name: str) -> Column:
        """A column of this DataFrame. Raises AnalysisError when it has none of that name, or several."""
        if name == "*":
            return Column(ResolvedStar((), (), self.output))
        if name.endswith(".*"):
            return Column(named(name))
        parts = name_parts(name)
        with self.session.numbering():
            found = Scope(self.output).resolve(parts)
        if found is None:
            grown = self.session.missing_column(self.plan, parts)
            if grown is not None:
                self.plan = grown
                return self.col(name)
            raise unresolved_column(UnresolvedAttribute(parts), list(self.output))
        return Column(belonging(found, self.output, self.number))

    def withColumn(self, colName: str, col: Column) -> Self:
        """With one column more, or another in place of one of the same name."""
        if not isinstance(col, Column):
            raise UnexpectedType("col", "Column", col)
        return self.withColumns({colName: col})

    def withColumns(self, colsMap: dict[str, Column], /) -> Self:
        """The same for several columns, which all see this DataFrame."""
        star = UnresolvedStarWithColumns(tuple(colsMap), tuple(self.numbered(c) for c in colsMap.values()))
        return self.derived(Project((star,), self.plan))

    def withColumnRenamed(self, existing: str, new: str) -> Self:
        """With a column under another name; nothing changes when there is none of that name."""
        return self.withColumnsRenamed({existing: new})

    def withColumnsRenamed(self, colsMap: dict[str, str]) -> Self:
        """The same for several columns."""
        star = UnresolvedStarWithColumnsRenames(tuple(colsMap), tuple(colsMap.values()))
        return self.derived(Project((star,), self.plan))

    def toDF(self, *names: str) -> Self:
        """With all columns under other names."""
        if not names:
            return self.derived(self.plan)
        return self.derived(UnresolvedSubqueryColumnAliases(tuple(names), self.plan))

    def drop(self, *columns: Column | str) -> Self:
        """Without these columns; names that are none drop nothing."""
        names = [c for c in columns if isinstance(c, str)]
        if len(names) < len(columns):
            given = tuple(self.numbered(c) for c in columns if not isinstance(c, str))
            made = self.handed_on(DataFrameDropColumns(given, self.plan))
            return made.drop(*names) if names else made
        gone = {c.lower() for c in names}
        kept = tuple(a for a in self.output if a.name.lower() not in gone)
        return self if len(kept) == len(self.output) else self.handed_on(Project(kept, self.plan))

    def handed_on(self, plan: LogicalPlan) -> Self:
        """The DataFrame of a plan that drops or changes columns, and leaves whatever else there is."""
        made = self.derived(plan)
        self.session.note_dropped(made.plan)
        return made

    @property
    def na(self) -> MissingValues[Self]:
        """Methods for nulls: `na.drop`, `na.fill`, `na.replace`."""
        return MissingValues(self)

    def dropna(self, how: str = "any", thresh: int | None = None, subset: object = None) -> Self:
        """See `na.drop`."""
        return self.na.drop(how, thresh, subset)

    def fillna(self, value: Filling | dict[str, Filling], subset: object = None) -> Self:
        """See `na.fill`."""
        return self.na.fill(value, subset)

    def replace(self, to_replace: object, value: object = None, subset: object = None) -> Self:
        """See `na.replace`."""
        return self.na.replace(to_replace, value, subset)

    def unpivot(self, ids: object, values: object, variableColumnName: str, valueColumnName: str) -> Self:
        """A row for each of the value columns (all that are no ids when None), with its name and its value."""
        kept = tuple(self.numbered(c) for c in flat((ids,)))
        if values is None:
            known = self.derived(Project(tuple(map(select_item, kept)), self.plan)).columns
            groups: tuple[tuple[Expression], ...] = tuple((a,) for a in self.output if a.name not in known)
        else:
            groups = tuple((self.numbered(v),) for v in flat((values,)))
        plan = Unpivot(groups, (None,) * len(groups), variableColumnName, (valueColumnName,), self.plan, (), kept, True)
        return self.derived(plan)

    melt = unpivot

    def explode(self, *columns: str) -> Self:
        """A row for each element of an array or map: the columns, with each of these texts exploded in its place."""
        wanted = {c.lower() for c in columns}
        items = [UnresolvedFunction(("explode",), (a,)) if a.name.lower() in wanted else a for a in self.output]
        with self.session.numbering():
            named = [Alias(i, a.name, next_id()) if i is not a else a for i, a in zip(items, self.output, strict=True)]
        return self.derived(Project(tuple(named), self.plan))


class MissingValues(Generic[F]):
    """PySpark's DataFrameNaFunctions."""

    def __init__(self, frame: F) -> None:
        self.frame = frame

    def _subset(self, subset: object) -> list[str]:
        """The columns' names in small letters, as given. Raises AnalysisError where there is none of a name."""
        if subset is None:
            return [n.lower() for n in self.frame.columns]
        return [self._known(str(n)).lower() for n in flat((subset,))]

    def _known(self, name: str) -> str:
        self.frame.col(name)
        return name

    def drop(self, how: str = "any", thresh: int | None = None, subset: object = None) -> F:
        """The rows that have all values (`any`), at least one (`all`), or at least `thresh`."""
        if how not in ("any", "all") and how is not None:
            raise InputError(f"how must be 'any' or 'all', not {how!r}.")
        # Without a subset every name is looked up, so that one which several columns have is ambiguous.
        wanted = self._subset(self.frame.columns if subset is None else subset)
        columns = tuple(a for n in dict.fromkeys(wanted) for a in self.frame.output if a.name.lower() == n)
        least = thresh if thresh is not None else len(columns) if how == "any" else 1
        return self.frame.derived(Filter(AtLeastNNonNulls(least, columns), self.frame.plan))

    def fill(self, value: Filling | dict[str, Filling], subset: object = None) -> F:
        """`value` in place of nulls in the columns of its type; a dict gives a value per column."""
        if isinstance(value, dict):
            # A value that is given for a column is cast to its type, whatever that is.
            return self._mapped({self._known(k).lower(): partial(_cast, value=literal(v)) for k, v in value.items()})
        plain = literal(value if isinstance(value, bool | str | LongNumber) else float(value))
        return self._mapped(dict.fromkeys(self._subset(subset), partial(_filled, value=plain)))

    def filled(self, value: Expression) -> F:
        """This constant where columns of its kind have no value; `fill` takes numbers for doubles, as PySpark does."""
        return self._mapped(dict.fromkeys(self._subset(None), lambda a: _filled(a, value)))

    def replace(self, to_replace: object, value: object = None, subset: object = None) -> F:
        """Other values in place of these: two values, two lists, or a dict."""
        if isinstance(to_replace, dict):
            pairs = to_replace
        else:
            old = flat((to_replace,))
            new = flat((value,)) if isinstance(value, list | tuple) else [value] * len(old)
            pairs = dict(zip(old, new, strict=True))
        ordered = dict(scala_order(pairs))
        return self._mapped(dict.fromkeys(self._subset(subset), lambda a: _replaced(a, ordered)))

    def _mapped(self, changes: dict[str, Change]) -> F:
        with self.frame.session.numbering():
            items = []
            for a in self.frame.output:
                change = changes.get(a.name.lower())
                new = change(a) if change is not None else None
                items.append(a if new is None else Alias(new, a.name, next_id()))
        return self.frame.handed_on(Project(tuple(items), self.frame.plan))


def _fits(value: DataType, column: DataType) -> bool:
    return (is_numeric(value) and is_numeric(column)) or (value == column and value in (STRING, BOOLEAN))


def _filled(a: AttributeReference, value: Expression) -> Expression | None:
    return _cast(a, value) if _fits(value.data_type, a.type) else None


def _cast(a: AttributeReference, value: Expression) -> Expression:
    shown: Expression = a
    if a.type in (DOUBLE, FLOAT):
        # NaN counts as missing, too.
        shown = UnresolvedFunction(("nanvl",), (a, Cast(Literal(None, NULL), a.type)))
    return UnresolvedFunction(("coalesce",), (shown, Cast(value, a.type)))


def _replaced(a: AttributeReference, pairs: dict[object, object]) -> Expression | None:
    def plain(v: object) -> Expression:
        return literal(float(v) if isinstance(v, int) and not isinstance(v, bool) else v)

    fitting = [(plain(k), plain(v)) for k, v in pairs.items() if _fits(plain(k).data_type, a.type)]
    branches = [x for k, v in fitting for x in (EqualTo(a, k), Cast(v, a.type))]
    return CaseWhen(tuple(branches), a) if branches else None
