"""SQL functions over columns: `functions.sum("a")`, `functions.upper(col("c"))`.

Any function of SQL can be called by its name; a text stands for a column, other Python values for literals. Where
PySpark takes a text as a text (formats, patterns, separators ...), so does planviz: `LITERAL_TEXTS` says where. A
Python function stands for a lambda.
"""

from __future__ import annotations

import inspect
import itertools as _itertools
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING

from planviz.dataframe import python
from planviz.dataframe.column import Column, call, column_or_name, expression, literal, named
from planviz.dataframe.refusals import BadValue, NoSuchMethod, UnexpectedType, not_iterable
from planviz.dataframe.signatures import arranged, check_columns, check_java, is_column
from planviz.expressions.conditional import CaseWhen
from planviz.expressions.core import Expression
from planviz.expressions.ids import ids_from, no_ids
from planviz.expressions.lambdas import LambdaFunction, UnresolvedLambdaVariable
from planviz.expressions.unresolved import UnresolvedAlias, UnresolvedFunction
from planviz.frontend import parse_expression

if TYPE_CHECKING:
    from planviz.dataframe.frame import DataFrame

#: function -> positions (from 0) at which a text is a text; "rest" begins one that lasts to the end.
LITERAL_TEXTS: dict[str, tuple[int, ...]] = {
    "add_months": (), "array_join": (1, 2), "concat_ws": (0,), "conv": (), "date_format": (1,), "date_trunc": (0,),
    "decode": (1,), "encode": (1,), "format_number": (), "format_string": (0,), "from_csv": (1,), "from_json": (1,),
    "from_unixtime": (1,), "from_utc_timestamp": (1,), "get_json_object": (1,), "instr": (1,), "json_tuple": (1, 2, 3),
    "levenshtein": (), "locate": (0,), "lpad": (1, 2), "next_day": (1,), "regexp_extract": (1,),
    "regexp_extract_all": (), "regexp_replace": (1, 2), "rpad": (1, 2), "split": (1,), "substring_index": (1,),
    "to_date": (1,), "to_timestamp": (1,), "to_utc_timestamp": (1,), "translate": (1, 2),
    "trunc": (1,), "unix_timestamp": (1,), "window": (1, 2, 3), "array_contains": (1,), "array_position": (1,),
    "array_remove": (1,), "element_at": (1,), "overlay": (), "sentences": (1, 2), "schema_of_json": (0,),
    "array_append": (1,), "array_insert": (2,), "array_prepend": (1,), "assert_true": (1,), "collate": (1,),
    "from_xml": (1,), "listagg": (1,), "map_contains_key": (1,), "raise_error": (0,), "schema_of_csv": (0,),
    "schema_of_xml": (0,), "session_window": (1,), "string_agg": (1,), "try_to_date": (1,), "try_variant_get": (1, 2),
    "variant_get": (1, 2), "timestamp_add": (0,), "timestamp_diff": (0,), "percentile_approx": (1, 2),
    "approx_percentile": (1, 2), "percentile": (1, 2),
}  # fmt: skip
_NAMES = {
    "create_map": "map", "countDistinct": "count_distinct", "approxCountDistinct": "approx_count_distinct",
    "sumDistinct": "sum_distinct", "bitwiseNOT": "~", "bitwise_not": "~", "negate": "negative", "signum": "signum",
    "toDegrees": "degrees", "toRadians": "radians", "shiftLeft": "shiftleft", "shiftRight": "shiftright",
    "shiftRightUnsigned": "shiftrightunsigned", "monotonicallyIncreasingId": "monotonically_increasing_id",
    "mean": "avg", "pow": "power", "isnan": "isNaN", "isnull": "isNull", "timestamp_add": "timestampadd",
    "timestamp_diff": "timestampdiff",
}  # fmt: skip
#: Numbers the variables of lambdas: keeps those of nested ones apart.
_variables: ContextVar[Iterator[int] | None] = ContextVar("lambda_variables", default=None)


def col(name: str) -> Column:
    """A column by name: `a`, `t.a`, `struct.field`, `*`."""
    _refuse_other("col", name)
    return Column(named(name))


column = col


def _refuse_other(function: str, value: object) -> None:
    if isinstance(value, Column):
        raise not_iterable()
    if not isinstance(value, str):
        raise NoSuchMethod(f"Method {function}([{type(value).__name__}]) does not exist.")


def _column(value: object) -> Expression:
    """The expression of a column or its name. Raises UnexpectedType for a value of another type."""
    if not is_column(value):
        raise UnexpectedType("col", "Column or str", value)
    return column_or_name(value)


def _check_shift(name: str, offset: object, default: object) -> None:
    check_java(name, offset, (int,))
    if isinstance(default, Column):
        raise not_iterable()


def lit(value: object) -> Column:
    """A Python value as a column; a column stays as it is."""
    return Column(expression(value))


def expr(text: str) -> Column:
    """An expression of SQL."""
    _refuse_other("expr", text)
    with ids_from(no_ids()):
        found = parse_expression(text)
    return Column(found.child if isinstance(found, UnresolvedAlias) else found)


def when(condition: Column, value: object) -> Column:
    """CASE WHEN condition THEN value; go on with `.when(...)` and `.otherwise(...)`."""
    if not isinstance(condition, Column):
        raise UnexpectedType("condition", "Column", condition)
    return Column(CaseWhen((condition.expr, expression(value)), None))


def count(col: object) -> Column:
    """How many rows have a value, all rows for `*`."""
    return call("count", _column(col))


def count_distinct(col: object, *cols: object) -> Column:
    """How many different values there are."""
    return call("count", *[_column(c) for c in (col, *cols)], distinct=True)


def sum_distinct(col: object) -> Column:
    """The sum of the different values."""
    return call("sum", _column(col), distinct=True)


def listagg_distinct(col: object, delimiter: object = None) -> Column:
    """The different values, one behind the other."""
    more = () if delimiter is None else (expression(delimiter),)
    return call("listagg", _column(col), *more, distinct=True)


def string_agg_distinct(col: object, delimiter: object = None) -> Column:
    """The same under its other name."""
    more = () if delimiter is None else (expression(delimiter),)
    return call("string_agg", _column(col), *more, distinct=True)


countDistinct, sumDistinct = count_distinct, sum_distinct
udf, pandas_udf, arrow_udf = python.udf, python.pandas_udf, python.arrow_udf


def lag(col: object, offset: int = 1, default: object = None) -> Column:
    """The value `offset` rows before."""
    _check_shift("lag", offset, default)
    return call("lag", _column(col), literal(offset), literal(default), literal(False))


def lead(col: object, offset: int = 1, default: object = None) -> Column:
    """The value `offset` rows after."""
    _check_shift("lead", offset, default)
    return call("lead", _column(col), literal(offset), literal(default), literal(False))


def first(col: object, ignorenulls: bool = False) -> Column:
    """The first value of a group."""
    check_java("first", ignorenulls, (bool,))
    return call("first", _column(col), literal(ignorenulls))


def last(col: object, ignorenulls: bool = False) -> Column:
    """The last value of a group."""
    check_java("last", ignorenulls, (bool,))
    return call("last", _column(col), literal(ignorenulls))


def months_between(date1: object, date2: object, roundOff: bool = True) -> Column:
    """The months between two dates."""
    return call("months_between", _column(date1), _column(date2), literal(roundOff))


def unix_timestamp(timestamp: object = None, format: str = "yyyy-MM-dd HH:mm:ss") -> Column:
    """The seconds since 1970 of a time, or of now."""
    if timestamp is None:
        return call("unix_timestamp")
    check_java("unix_timestamp", format, (str,))
    return call("unix_timestamp", _column(timestamp), literal(format))


def from_unixtime(timestamp: object, format: str = "yyyy-MM-dd HH:mm:ss") -> Column:
    """Seconds since 1970 as a text."""
    check_java("from_unixtime", format, (str,))
    return call("from_unixtime", _column(timestamp), literal(format))


def log(arg1: object, arg2: object = None) -> Column:
    """The natural logarithm of a column, or that to a base, which comes first."""
    if arg2 is None:
        return call("ln", _column(arg1))
    return call("log", expression(arg1), _column(arg2))


def split(str: object, pattern: object, limit: object = -1) -> Column:
    """A text in parts, cut where a pattern matches; -1 for as many parts as there are."""
    return call("split", _column(str), expression(pattern), column_or_name(limit))


def asc(col: object) -> Column:
    """A sort key, ascending."""
    return Column(_column(col)).asc()


def desc(col: object) -> Column:
    """A sort key, descending."""
    return Column(_column(col)).desc()


def asc_nulls_last(col: object) -> Column:
    """A sort key, ascending, nulls last."""
    return Column(_column(col)).asc_nulls_last()


def desc_nulls_first(col: object) -> Column:
    """A sort key, descending, nulls first."""
    return Column(_column(col)).desc_nulls_first()


asc_nulls_first, desc_nulls_last = asc, desc


def broadcast(df: DataFrame) -> DataFrame:
    """The DataFrame with the hint to broadcast it when it is joined."""
    return df.hint("broadcast")


def call_function(name: str, *columns: object) -> Column:
    """A function of SQL by its name."""
    return _called(name, columns)


call_udf = call_function


def trim(col: object, trim: object = None) -> Column:
    """A text without blanks, or without these characters, at both ends."""
    return _trimmed("trim", col, trim)


def ltrim(col: object, trim: object = None) -> Column:
    """A text without blanks, or without these characters, at its beginning."""
    return _trimmed("ltrim", col, trim)


def rtrim(col: object, trim: object = None) -> Column:
    """A text without blanks, or without these characters, at its end."""
    return _trimmed("rtrim", col, trim)


def _trimmed(name: str, col: object, trim: object) -> Column:
    """SQL has the characters first."""
    return call(name, *([] if trim is None else [column_or_name(trim)]), column_or_name(col))


def _called(name: str, arguments: tuple[object, ...]) -> Column:
    flat = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], list | tuple) else arguments
    texts = LITERAL_TEXTS.get(name, ())
    return call(_NAMES.get(name, name), *[_argument(a, i in texts) for i, a in enumerate(flat)])


def _argument(value: object, text: bool) -> Expression:
    if callable(value) and not isinstance(value, Column):
        return _lambda(value)
    if isinstance(value, dict):
        # Options, as {"mode": "FAILFAST"}.
        pairs = [literal(str(v)) for entry in value.items() for v in entry]
        return UnresolvedFunction(("map",), tuple(pairs))
    if isinstance(value, list):
        return UnresolvedFunction(("array",), tuple(_argument(v, True) for v in value))
    return expression(value) if text else column_or_name(value)


def _lambda(body: Callable[..., object]) -> Expression:
    """A Python function of columns as a lambda; its arguments are called x, y, z, with a number each."""
    numbers = _variables.get() or count_variables()
    names = [f"{n}_{next(numbers)}" for n, _ in zip("xyz", inspect.signature(body).parameters, strict=False)]
    variables = tuple(UnresolvedLambdaVariable((n,)) for n in names)
    made = body(*[Column(v) for v in variables])
    if isinstance(made, str) or not is_column(made):
        named = getattr(body, "__name__", "<lambda>")
        told = f"Function `{named}` should return Column, got {type(made).__name__}."
        raise BadValue("HIGHER_ORDER_FUNCTION_SHOULD_RETURN_COLUMN", told)
    return LambdaFunction(expression(made), variables)


def count_variables() -> Iterator[int]:
    """Number the variables of lambdas from 1 again, as Spark does in every process."""
    numbers = _itertools.count(1)
    _variables.set(numbers)
    return numbers


def __getattr__(name: str) -> Callable[..., Column]:
    if name.startswith("_"):
        raise AttributeError(name)

    def function(*arguments: object, **named: object) -> Column:
        given = arranged(name, arguments, named)
        check_columns(name, given)
        return _called(name, given)

    function.__name__ = name
    function.__doc__ = f"The SQL function {name}."
    return function
