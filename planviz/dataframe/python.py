"""Functions written in Python as columns: `udf`, `pandas_udf`, `arrow_udf`, `spark.udf.register`. None is ever called.

@udf("int")
def plus(x): return x + 1

df.select(plus("a"))
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace

from planviz.catalog.tables import PythonFunction, python_eval_type
from planviz.dataframe.column import Column, column_or_name
from planviz.dataframe.refusals import UnexpectedType
from planviz.dataframe.signatures import is_column
from planviz.errors import InputError
from planviz.execution import Session
from planviz.expressions.core import Expression
from planviz.expressions.ids import next_id
from planviz.expressions.python import PythonEvalType, PythonTableCall
from planviz.expressions.unresolved import UnresolvedPythonCall
from planviz.types import DataType, StructField, StructType

#: What a decorator is given: the function, or the type of what it returns.
Given = Callable[..., object] | DataType | str | None

_SCALAR = {"pandas": PythonEvalType.SQL_SCALAR_PANDAS_UDF, "arrow": PythonEvalType.SQL_SCALAR_ARROW_UDF}
_ITERATOR = {"pandas": PythonEvalType.SQL_SCALAR_PANDAS_ITER_UDF, "arrow": PythonEvalType.SQL_SCALAR_ARROW_ITER_UDF}
_GROUPED = {"pandas": PythonEvalType.SQL_GROUPED_AGG_PANDAS_UDF, "arrow": PythonEvalType.SQL_GROUPED_AGG_ARROW_UDF}
#: What a batch of values is called in type hints; anything else that is returned is one value of a group.
_BATCHES = ("Series", "DataFrame", "Array")
_ITERATORS = ("Iterator", "Iterable", "Generator")


class UserDefinedFunction:
    """A Python function as it is used in queries; called with columns or their names it is a column."""

    def __init__(self, function: PythonFunction) -> None:
        self.function = function

    def __call__(self, *columns: object, **named: object) -> Column:
        """The call as a column; arguments by name follow the others."""
        given = (*columns, *named.values())
        for value in given:
            if not is_column(value):
                raise UnexpectedType("col", "Column or str", value)
        return Column(UnresolvedPythonCall(self.function, tuple(map(column_or_name, given))))

    def asNondeterministic(self) -> UserDefinedFunction:
        """The same function as one that may give another value each time."""
        return UserDefinedFunction(replace(self.function, deterministic=False))


class UDFRegistration:
    """PySpark's `spark.udf`: makes functions known to SQL."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def register(self, name: str, f: object, returnType: DataType | str | None = None) -> UserDefinedFunction:
        """A Python function, or what `udf` and its kin made, under a name for SQL; usable as a column as well.

        Raises InputError for a type that there is not, and for one beside a function that has one.
        """
        if isinstance(f, UserDefinedFunction):
            if returnType is not None:
                raise InputError(f"{f.function.name} has its type already: leave out the one in register.")
            made = replace(f.function, name=name)
        else:
            made = PythonFunction.of(name, returnType or "string", PythonEvalType.SQL_BATCHED_UDF)
        self.session.catalog = self.session.catalog.with_function(made)
        return UserDefinedFunction(made)


def udf(f: Given = None, returnType: DataType | str = "string", *, useArrow: bool | None = None) -> object:
    """A function of single rows, as a call or a decorator: `udf(f, "int")`, `@udf("int")`, `@udf`.

    `useArrow` says how rows reach it; None: as the session's settings say.
    """
    kinds = {True: PythonEvalType.SQL_ARROW_BATCHED_UDF, False: PythonEvalType.SQL_BATCHED_UDF}
    return _made(f, returnType, lambda _: None if useArrow is None else kinds[useArrow])


def pandas_udf(
    f: Given = None, returnType: DataType | str | None = None, functionType: int | str | None = None
) -> object:
    """A function of pandas' Series; of which kind its type hints say, or `functionType` by PySpark's name or number."""
    return _vectorized(f, returnType, functionType, "pandas")


def arrow_udf(
    f: Given = None, returnType: DataType | str | None = None, functionType: int | str | None = None
) -> object:
    """A function of Arrow's arrays; of which kind its type hints say, or `functionType` by PySpark's name or number."""
    return _vectorized(f, returnType, functionType, "arrow")


def _vectorized(f: Given, returns: DataType | str | None, kind: int | str | None, library: str) -> object:
    given = returns if returns is not None or callable(f) else f
    if given is None:
        raise InputError(f"A {library}_udf needs the type of what it returns, as in {library}_udf(f, 'double').")
    known = python_eval_type(kind)
    return _made(f, given, lambda function: known or _hinted(function, library))


def _made(f: Given, returns: DataType | str, kind: Callable[[Callable[..., object]], PythonEvalType | None]) -> object:
    """The function, or a decorator that makes it where `f` is missing or the type."""
    if not callable(f):
        return lambda function: _made(function, returns if f is None else f, kind)
    name = getattr(f, "__name__", type(f).__name__)
    return UserDefinedFunction(PythonFunction.of(name, returns, kind(f)))


def python_table_call(f: object, arguments: tuple[Expression, ...], fields: Sequence[StructField]) -> PythonTableCall:
    """The call of a function of whole tables (mapInPandas, applyInPandas) over columns; ids are the session's."""
    name = getattr(f, "__name__", type(f).__name__)
    kind = PythonEvalType.SQL_SCALAR_PANDAS_UDF
    return PythonTableCall(name, arguments, StructType(tuple(fields)), kind, True, next_id())


def _hinted(f: Callable[..., object], library: str) -> PythonEvalType:
    """The kind that type hints say: what is returned is an iterator, a batch, or one value. Without hints: a batch."""
    hint = inspect.signature(f).return_annotation
    shown = hint if isinstance(hint, str) else getattr(hint, "__name__", str(hint))
    if any(word in str(hint) for word in _ITERATORS):
        return _ITERATOR[library]
    batch = hint is inspect.Signature.empty or shown.rpartition(".")[2] in _BATCHES
    return _SCALAR[library] if batch else _GROUPED[library]
