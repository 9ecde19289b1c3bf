"""Window specifications: PySpark's Window and WindowSpec."""

from __future__ import annotations

from typing import ClassVar

from planviz.dataframe.column import column_or_name, literal
from planviz.dataframe.refusals import UnexpectedType
from planviz.dataframe.signatures import is_column
from planviz.expressions import windows
from planviz.expressions.core import Expression, Literal, SortOrder
from planviz.types import LONG

_FIRST, _LAST = -(1 << 63), (1 << 63) - 1
#: From here on PySpark takes a bound for an unbounded one: -sys.maxsize is what programs write.
_BEFORE, _AFTER = -(1 << 63) + 1, (1 << 63) - 1


class WindowSpec:
    """Partitioning, order and frame; every method gives a new one. `spec` is the expression."""

    def __init__(self, spec: windows.WindowSpec) -> None:
        self.spec = spec

    def partitionBy(self, *columns: object) -> WindowSpec:
        """Rows of equal values belong together."""
        return WindowSpec(self.spec.replace(partition=tuple(_column(c) for c in _flat(columns))))

    def orderBy(self, *columns: object) -> WindowSpec:
        """The order within a partition."""
        return WindowSpec(self.spec.replace(order=tuple(sort_order(_column(c)) for c in _flat(columns))))

    def rowsBetween(self, start: int, end: int) -> WindowSpec:
        """A frame by number of rows from the current one; see Window for the bounds without number."""
        return self._frame("RowFrame", start, end)

    def rangeBetween(self, start: int, end: int) -> WindowSpec:
        """A frame by distance of the sort key from the current row's."""
        return self._frame("RangeFrame", start, end)

    def _frame(self, kind: str, start: int, end: int) -> WindowSpec:
        return WindowSpec(
            self.spec.replace(frame=windows.SpecifiedWindowFrame(kind, _bound(kind, start), _bound(kind, end)))
        )


class Window:
    """Where a specification begins: `Window.partitionBy("a").orderBy("b")`."""

    unboundedPreceding: ClassVar[int] = _FIRST
    unboundedFollowing: ClassVar[int] = _LAST
    currentRow: ClassVar[int] = 0
    _start = WindowSpec(windows.WindowSpec((), (), windows.UnspecifiedFrame()))
    partitionBy = _start.partitionBy
    orderBy = _start.orderBy
    rowsBetween = _start.rowsBetween
    rangeBetween = _start.rangeBetween


def sort_order(e: Expression) -> SortOrder:
    """The expression as a sort key, ascending unless it says otherwise."""
    return e if isinstance(e, SortOrder) else SortOrder(e)


def _column(value: object) -> Expression:
    if not is_column(value):
        raise UnexpectedType("col", "Column or str", value)
    return column_or_name(value)


def _flat(columns: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(columns[0]) if len(columns) == 1 and isinstance(columns[0], list) else columns


def _bound(kind: str, at: int) -> Expression:
    if at <= _BEFORE:
        return windows.UNBOUNDED_PRECEDING
    if at >= _AFTER:
        return windows.UNBOUNDED_FOLLOWING
    if at == 0:
        return windows.CURRENT_ROW
    # Distances of values are long numbers in Spark, numbers of rows are not.
    return Literal(at, LONG) if kind == "RangeFrame" and isinstance(at, int) else literal(at)
