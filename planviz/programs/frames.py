"""DataFrames of pandas and arrays of numpy that a program writes down, and the rows that Spark makes of them.

Only what makes them is followed; a frame that is changed afterwards, and what is computed from an array, holds what
nobody knows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

from planviz.dataframe.rows import type_of_values
from planviz.errors import InputError
from planviz.programs.values import Module, Native, Unknown, Value
from planviz.types import DOUBLE, DataType

#: How many elements an array is followed with.
_MOST = 10_000


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

    def part(self, key: object) -> Unknown | None:
        """frame[key]: a column, or a frame of some columns; None for any other part."""
        known = self.columns or {}
        if isinstance(key, str) and key in known:
            return Values(list(known[key]), f"pd.DataFrame(...)[{key!r}]")
        if isinstance(key, list) and key and all(isinstance(k, str) and k in known for k in key):
            return PandasFrame({k: list(known[k]) for k in key})
        return None


class Values(Unknown):
    """A Series of pandas or an array of numpy: its elements; to operators a value that nobody knows."""

    __slots__ = ("elements",)

    def __init__(self, elements: list[Value], what: str) -> None:
        super().__init__(what)
        self.elements = elements


def pandas_names() -> dict[str, object]:
    """What of the module pandas is followed."""
    return {
        "DataFrame": Native("pandas.DataFrame", _frame, True),
        "Series": Native("pandas.Series", lambda data=None, *_, **k: _values(data, "pd.Series(...)"), True),
        "to_datetime": Native("pandas.to_datetime", _times, True),
        "date_range": Native("pandas.date_range", _dates, True),
    }


def numpy_names() -> dict[str, object]:
    """What of the module numpy is followed."""
    made: dict[str, Value] = {
        n: Native(f"numpy.{n}", lambda data=None, *_, n=n, **k: _statistic(n, data), True) for n in _STATISTICS
    }
    kinds = {"float64": float, "float32": float, "int64": int, "int32": int, "float_": float, "int_": int}
    made |= {n: Native(f"numpy.{n}", kind) for n, kind in kinds.items()}
    return made | {
        "array": Native("numpy.array", lambda data=None, *_, **k: _array(data), True),
        "arange": Native("numpy.arange", _arange, True),
        "nan": math.nan, "inf": math.inf, "pi": math.pi, "e": math.e,
    }  # fmt: skip


_STATISTICS: dict[str, Callable[[list[float]], float]] = {
    "mean": lambda v: math.fsum(v) / len(v), "sum": sum, "max": max, "min": min,
}  # fmt: skip


def _values(data: object, what: str) -> Unknown:
    if isinstance(data, Values):
        return Values(list(data.elements), what)
    return Values(list(data), what) if isinstance(data, list | tuple | range) else Unknown(what)


def _array(data: object) -> Unknown:
    """An array of numpy: of one type, so that whole numbers beside others are floating ones."""
    made = _values(data, "np.array(...)")
    if isinstance(made, Values) and {type(v) for v in made.elements} == {int, float}:
        made.elements = [float(v) for v in made.elements]
    return made


def _statistic(name: str, data: object) -> object:
    values = data.elements if isinstance(data, Values) else data
    if not isinstance(values, list | tuple) or not values or not all(type(v) in (int, float) for v in values):
        return Unknown(f"{name}(...)")
    return _STATISTICS[name](list(values))


def _arange(*bounds: object, **named: object) -> Unknown:
    given = [b for b in bounds if isinstance(b, int | float)]
    if named or len(given) != len(bounds) or not 1 <= len(given) <= 3:
        return Unknown("np.arange(...)")
    start, stop, step = (0, *given, 1) if len(given) == 1 else (*given, 1) if len(given) == 2 else given
    count = math.ceil((stop - start) / step) if step else 0
    return Values([start + i * step for i in range(count)], "np.arange(...)") if count <= _MOST else Unknown("arange")


def _dates(
    start: object = None, end: object = None, periods: object = None, freq: object = "D", **_: object
) -> Unknown:
    try:
        first = datetime.fromisoformat(start) if isinstance(start, str) else start
        last = datetime.fromisoformat(end) if isinstance(end, str) else end
    except ValueError:
        return Unknown("pd.date_range(...)")
    if not isinstance(first, datetime) or freq not in ("D", "d"):
        return Unknown("pd.date_range(...)")
    count = periods if isinstance(periods, int) else (last - first).days + 1 if isinstance(last, datetime) else 0
    return Values([first + timedelta(days=i) for i in range(min(count, _MOST))], "pd.date_range(...)")


def typed(values: Sequence[object]) -> DataType:
    """The type that a column of pandas comes to Spark with: whole numbers with gaps are floating ones.

    Raises InputError for values that have none in common.
    """
    found = type_of_values(values)
    return DOUBLE if found.simple_string == "bigint" and None in values else found


def _frame(data: object = None, index: object = None, columns: object = None, *_: object, **named: object) -> Unknown:
    made = {n: v.elements if isinstance(v, Values) else v for n, v in _columns(data, columns).items()}
    if not made or not all(isinstance(v, list) and not any(map(_hidden, v)) for v in made.values()):
        return Unknown("pd.DataFrame(...)")
    if len({len(v) for v in made.values()}) > 1:
        return Unknown("pd.DataFrame(...)")
    return PandasFrame(made)


def _columns(data: object, columns: object) -> dict[str, list[object]]:
    if isinstance(data, dict) and all(isinstance(k, str) for k in data):
        return dict(data)
    if isinstance(data, Values):
        rows = data.elements
        if not any(isinstance(r, list | tuple) for r in rows):
            return {str(columns[0]) if isinstance(columns, list) and len(columns) == 1 else "0": rows}
        data = rows
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
    return value is not None and not isinstance(value, bool | int | float | str | date)


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


def module(name: str) -> Module:
    """The module pandas or numpy."""
    return Module(name, pandas_names() if name == "pandas" else numpy_names())
