"""`udtf` in a program: a class of it that gives rows, as a call, a decorator, or under a name for SQL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from planviz.dataframe.python_tables import UDTFRegistration, table_function
from planviz.programs.values import Class, Native, Unknown, Value
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
