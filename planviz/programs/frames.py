"""DataFrames of pandas that a program writes down: their columns, and the rows that Spark makes of them.

Only the constructor and `to_datetime` are followed; a frame that is changed afterwards holds what nobody knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from planviz.dataframe.rows import type_of_values
from planviz.errors import InputError
from planviz.programs.values import Module, Native, Unknown
from planviz.types import DOUBLE, DataType


class PandasFrame(Unknown):
    """A DataFrame of pandas: to Spark it is rows, to all else a value that nobody knows.

    `columns` are lists of values by name, None once something else may stand there.
    """

    __slots__ = ("columns",)
    #: What may be asked of it without changing it.
    LOOKS = frozenset(("head", "shape", "columns", "dtypes", "info", "describe", "empty", "tail", "T", "values"))

    def __init__(self, columns: dict[str, list[object]]) -> None:
        super().__init__("pd.DataFrame(...)")
        self.columns: dict[str, list[object]] | None = columns


def pandas_names() -> dict[str, object]:
    """What of the module pandas is followed."""
    return {
        "DataFrame": Native("pandas.DataFrame", _frame, True),
        "to_datetime": Native("pandas.to_datetime", _times, True),
    }


def typed(values: Sequence[object]) -> DataType:
    """The type that a column of pandas comes to Spark with: whole numbers with gaps are floating ones.

    Raises InputError for values that have none in common.
    """
    found = type_of_values(values)
    return DOUBLE if found.simple_string == "bigint" and None in values else found


def _frame(data: object = None, index: object = None, columns: object = None, *_: object, **named: object) -> Unknown:
    made = _columns(data, columns)
    if not made or not all(isinstance(v, list) and not any(map(_hidden, v)) for v in made.values()):
        return Unknown("pd.DataFrame(...)")
    if len({len(v) for v in made.values()}) > 1:
        return Unknown("pd.DataFrame(...)")
    return PandasFrame(made)


def _columns(data: object, columns: object) -> dict[str, list[object]]:
    if isinstance(data, dict) and all(isinstance(k, str) for k in data):
        return dict(data)
    if not isinstance(data, list) or not data:
        return {}
    if all(isinstance(r, dict) for r in data):
        names = list(dict.fromkeys(k for r in data for k in r))
        return {n: [r.get(n) for r in data] for n in names if isinstance(n, str)}
    if isinstance(columns, list | tuple) and all(isinstance(r, list | tuple) and len(r) == len(columns) for r in data):
        return {str(n): [r[i] for r in data] for i, n in enumerate(columns)}
    return {}


def _hidden(value: object) -> bool:
    """Whether a value may not be what stands there: unknown, or an object of another kind than plain values."""
    return value is not None and not isinstance(value, bool | int | float | str | datetime)


def _times(given: object, *_: object, **named: object) -> object:
    if not isinstance(given, list) or named:
        return Unknown("pd.to_datetime(...)")
    try:
        return [datetime.fromisoformat(v) if isinstance(v, str) else v for v in given]
    except ValueError:
        return Unknown("pd.to_datetime(...)")


def spark_rows(frame: PandasFrame, schema: object) -> tuple[list[str], list[DataType], list[tuple[object, ...]]]:
    """Names, types and rows that `createDataFrame(frame, schema)` gives where the schema is none or names.

    Raises InputError where they are not known.
    """
    if not frame.columns or not (schema is None or isinstance(schema, list | tuple)):
        raise InputError("The rows are not known.")
    names = list(map(str, schema)) if schema else list(frame.columns)
    if len(names) != len(frame.columns):
        raise InputError("The rows are not known.")
    types = [typed(v) for v in frame.columns.values()]
    numbers = [
        [float(x) if t is DOUBLE and isinstance(x, int) else x for x in values]
        for t, values in zip(types, frame.columns.values(), strict=True)
    ]
    return names, types, list(zip(*numbers, strict=True))


def module() -> Module:
    """The module pandas."""
    return Module("pandas", pandas_names())
