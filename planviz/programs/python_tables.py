"""`udtf` in a program: a class of it that gives rows, as a call, a decorator, or under a name for SQL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from planviz.dataframe.frame import DataFrame
from planviz.dataframe.python_tables import UDTFRegistration, UserDefinedTableFunction, table_function
from planviz.expressions.core import AttributeReference
from planviz.expressions.ids import next_id
from planviz.logical.relations import LogicalRDD
from planviz.programs.values import Class, Described, Native, Unknown, Value
from planviz.types import StructType

if TYPE_CHECKING:
    from planviz.programs.calls import Calls
    from planviz.programs.session import ProgramSession

#: f(TABLE(t)), f(t => TABLE(SELECT ...)).
_TABLE_ARGUMENT = re.compile(r"\w\s*\((?:[^()]*(?:,|=>))?\s*TABLE\s*\(", re.IGNORECASE)


def udtf(reader: Calls, cls: Value = None, **named: Value) -> Value:
    """udtf(Squares, returnType="x: int", useArrow=True), or a decorator where the class is to come.

    A class that tells its columns only when it runs (`analyze`) is not known.
    """
    if cls is None:
        return Native("udtf", lambda c: udtf(reader, c, **named), True)
    returns, by_arrow = named.get("returnType"), named.get("useArrow")
    name = cls.name if isinstance(cls, Class) else getattr(cls, "what", "udtf")
    if not isinstance(returns, str | StructType):
        reader.unplanned("a table function whose columns only its run tells", reader.at)
        return Unknown(f"{name}(...)")
    return table_function(reader.session, name, returns, by_arrow if isinstance(by_arrow, bool) else None)


class TableArgument(Described):
    """`df.asTable()`: the rows of a DataFrame as an argument of a table function, perhaps in parts and in order."""

    def attribute(self, name: str) -> Value:
        """partitionBy, orderBy, withSinglePartition."""
        return Native(name, lambda *given, **named: self, True)


def called(reader: Calls, function: UserDefinedTableFunction, given: Sequence[Value]) -> DataFrame | None:
    """What a table function gives of the rows of a DataFrame, which are not known; None for other arguments."""
    if not any(isinstance(g, TableArgument) for g in given):
        return None
    reader.unplanned("a table function over the rows of a DataFrame", reader.at)
    fields = function.function.columns or ()
    with reader.session.numbering():
        columns = tuple(AttributeReference(f.name, f.data_type, f.nullable, next_id()) for f in fields)
        return DataFrame(reader.session, LogicalRDD(columns, next_id()))


def transposed(reader: Calls, frame: DataFrame, index: Value) -> DataFrame:
    """DataFrame.transpose: the rows' values of a column become names of columns; only rows that the text tells tell
    these."""
    rows = reader.session.rows_of(frame)
    at = 0
    named = index if isinstance(index, str) else getattr(getattr(index, "expr", None), "name", None)
    if isinstance(named, str) and named in frame.columns:
        at = frame.columns.index(named)
    names = sorted({str(row[at]) for row in rows if isinstance(row, tuple)}) if rows else []
    return reader.session.guessed_rows(f"transpose of line {getattr(reader.at, 'lineno', 1)}", ["key", *names])


def is_untold(session: ProgramSession, receiver: object, arguments: list[Value]) -> bool:
    """Whether what is registered is a class of which nobody knows the columns; its name in SQL is remembered."""
    untold = isinstance(receiver, UDTFRegistration) and len(arguments) == 2 and isinstance(arguments[1], Unknown)
    if untold:
        session.untold_tables.add(str(arguments[0]))
    return untold


def calls_untold(text: str, names: set[str]) -> bool:
    """Whether a query calls one of these classes, or hands a table to one, of which nothing is planned here."""
    called = any(re.search(rf"\b{re.escape(n)}\s*\(", text, re.IGNORECASE) for n in names)
    return called or _TABLE_ARGUMENT.search(text) is not None
