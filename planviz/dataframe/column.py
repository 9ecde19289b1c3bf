"""Columns: expressions that DataFrame methods take, with PySpark's operators and methods."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from planviz.dataframe.refusals import BadValue, IllegalArgument, UnexpectedType
from planviz.errors import AnalysisError, InputError, ParseError
from planviz.expressions.casts import Cast
from planviz.expressions.conditional import CaseWhen
from planviz.expressions.core import REMARKS, Alias, Expression, Literal, NamedExpression, SortOrder
from planviz.expressions.ids import UNNUMBERED, next_id
from planviz.expressions.subqueries import InSubquery, ListQuery, SubqueryExpression
from planviz.expressions.unresolved import (
    LazyOuter,
    MultiAlias,
    UnresolvedAlias,
    UnresolvedAttribute,
    UnresolvedExtractValue,
    UnresolvedFunction,
    UnresolvedPythonCall,
    UnresolvedStar,
)
from planviz.expressions.updates import DropField, UpdateFields, WithField
from planviz.expressions.windows import WindowExpression
from planviz.functions.registry import INTERNAL
from planviz.trees.depth import refuse_heavy
from planviz.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    DataType,
    DayTimeIntervalType,
    DecimalType,
    StructType,
    parse_type,
)

if TYPE_CHECKING:
    from planviz.dataframe.window import WindowSpec
    from planviz.logical.plan import LogicalPlan

#: A name that stands for a value of a program that nobody knows, behind an alias or by itself.
_PLACEHOLDER = re.compile(r"(?:(\w+)\.)?(<[^<>]+>)")
_PART = re.compile(r"`((?:[^`]|``)*)`(?=\.|$)|([^.`]+)(?=\.|$)")


class LongNumber(int):
    """A whole number of 64 bits, as Scala writes 2L: its literals are bigints, and so is what is computed with it."""

    def __add__(self, other: int) -> int:
        return _long(super().__add__(other))

    def __sub__(self, other: int) -> int:
        return _long(super().__sub__(other))

    def __mul__(self, other: int) -> int:
        return _long(super().__mul__(other))

    def __mod__(self, other: int) -> int:
        return _long(super().__mod__(other))

    def __neg__(self) -> int:
        return LongNumber(super().__neg__())

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: int) -> int:
        return _long(super().__rsub__(other))


def _long(result: int) -> int:
    return LongNumber(result) if type(result) is int else result


class FloatNumber(float):
    """A number of 32 bits, as Scala writes 2.5f: a literal of it is a float."""


def literal(value: object) -> Expression:
    """A Python value as a literal; lists become array(...). Raises InputError for what has no type in SQL."""
    if isinstance(value, list | tuple):
        return UnresolvedFunction(("array",), tuple(literal(v) for v in value))
    if isinstance(value, Decimal):
        _, digits, exponent = value.as_tuple()
        scale = -exponent if isinstance(exponent, int) and exponent < 0 else 0
        return Literal(value, DecimalType(max(len(digits), scale), scale))
    for kind, t in _LITERALS:
        if isinstance(value, kind):
            if isinstance(value, timedelta):
                return Literal(value // timedelta(microseconds=1), t)
            long = isinstance(value, LongNumber) or (isinstance(value, int) and abs(value) >= 1 << 31)
            if isinstance(value, FloatNumber):
                return Literal(float(value), FLOAT)
            return Literal(value, LONG if t is INT and long else t)
    if isinstance(value, DataType):
        return Literal(ddl(value), STRING)
    if isinstance(value, dict):
        told = f"The feature is not supported: Literal for '{value}' of class java.util.HashMap."
        raise BadValue("UNSUPPORTED_FEATURE.LITERAL_TYPE", told, "SparkRuntimeException")
    shown = f" {value!r}" if type(value).__repr__ is not object.__repr__ else ""
    raise InputError(f"{type(value).__name__}{shown} cannot be a literal: give a number, text, date, list or None.")


def ddl(kind: DataType) -> str:
    """A type as DDL text: a struct by its columns."""
    if isinstance(kind, StructType):
        return ", ".join(f"`{f.name}` {f.data_type.sql}{'' if f.nullable else ' NOT NULL'}" for f in kind.fields)
    return kind.sql


_LITERALS: list[tuple[type, DataType]] = [
    (type(None), NULL), (bool, BOOLEAN), (int, INT), (float, DOUBLE), (str, STRING), (bytes, BINARY),
    (datetime, TIMESTAMP), (date, DATE), (timedelta, DayTimeIntervalType()),
]  # fmt: skip


def named_type(given: str | DataType) -> DataType:
    """A type, or the one that a text names. Raises ParseError UNSUPPORTED_DATATYPE where there is none of that name."""
    if not isinstance(given, str):
        return given
    try:
        return parse_type(given)
    except InputError as error:
        if re.fullmatch(r"\s*\w+\s*(\([\d\s,]*\))?\s*", given):
            told = f'Unsupported data type "{given.strip().upper()}".'
            raise ParseError("UNSUPPORTED_DATATYPE", told) from None
        raise ParseError("PARSE_SYNTAX_ERROR", str(error)) from None


def named(text: str) -> Expression:
    """The column that a name means: dotted parts, `*`, `t.*`; backquotes keep dots together."""
    if text == "*" or text.endswith(".*"):
        return UnresolvedStar(name_parts(text[:-2]) if text != "*" else ())
    return UnresolvedAttribute(name_parts(text))


def name_parts(text: str) -> tuple[str, ...]:
    """The parts of a dotted name. Raises AnalysisError INVALID_ATTRIBUTE_NAME_SYNTAX."""
    unknown = _PLACEHOLDER.fullmatch(text)
    if unknown is not None:
        return (*(name_parts(unknown[1]) if unknown[1] else ()), unknown[2])
    parts, at = [], 0
    while m := _PART.match(text, at):
        parts.append(m[1].replace("``", "`") if m[1] is not None else m[2])
        at = m.end() + 1
    if not parts or at <= len(text):
        raise AnalysisError("INVALID_ATTRIBUTE_NAME_SYNTAX", f"Syntax error in the attribute name: {text}.")
    return tuple(parts)


def expression(value: object) -> Expression:
    """A column's expression, or a Python value as a literal."""
    return value.expr if isinstance(value, Column) else literal(value)


def column_or_name(value: object) -> Expression:
    """A column's expression, or a text as the name of one."""
    return named(value) if isinstance(value, str) else expression(value)


def call(name: str, *arguments: Expression, distinct: bool = False) -> Column:
    """A function or operator by name over expressions."""
    return Column(UnresolvedFunction((name,), arguments, distinct, internal=name in INTERNAL))


def numbered(e: Expression) -> Expression:
    """The expression with ids for the aliases and subqueries that have none yet."""

    def step(x: Expression) -> Expression:
        if isinstance(x, SubqueryExpression) and x.expr_id == UNNUMBERED:
            plan: LogicalPlan = x.plan
            return x.with_plan(plan.transform_all_expressions(step, mask)).replace(expr_id=next_id())
        if isinstance(x, Alias) and x.expr_id == UNNUMBERED:
            own = REMARKS.get(x)
            new = x.replace(expr_id=next_id())
            return new.remarked(*own) if own else new
        if isinstance(x, UnresolvedPythonCall) and x.result_id == UNNUMBERED:
            return x.replace(result_id=next_id())
        return x

    mask = Alias.BIT | SubqueryExpression.BIT | UnresolvedPythonCall.BIT
    made: Expression = e.transform_up(step, mask)
    return made


def select_item(e: Expression) -> Expression:
    """The expression as an item of a select list: named, or waiting for a name.

    A cast of a cast of a column has the column's name, as the inner one is an item by itself.
    """
    if isinstance(e, NamedExpression):
        return e
    inner = e.child if isinstance(e, Cast) else None
    if isinstance(e, Cast) and isinstance(inner, Cast) and isinstance(inner.child, NamedExpression):
        e = e.replace(child=UnresolvedAlias(inner))
    return UnresolvedAlias(e)


def _binary(name: str, swapped: bool = False) -> Callable[[Column, object], Column]:
    def make(self: Column, other: object) -> Column:
        a, b = self.expr, expression(other)
        return call(name, b, a) if swapped else call(name, a, b)

    return make


def _of(name: str) -> Callable[[Column], Column]:
    return lambda self: call(name, self.expr)


def _order(direction: str, nulls: str) -> Callable[[Column], Column]:
    return lambda self: Column(SortOrder(self.expr, direction, f"NULLS {nulls}"))


def _updated(struct: Expression, parts: tuple[str, ...], operation: Callable[[str], Expression]) -> Expression:
    """The struct with what `operation` does to the field that the parts of a name lead to."""
    first, rest = parts[0], parts[1:]
    if rest:
        new: Expression = WithField(first, _updated(UnresolvedExtractValue(struct, literal(first)), rest, operation))
    else:
        new = operation(first)
    if isinstance(struct, UpdateFields):
        return UpdateFields(struct.struct, (*struct.operations, new))
    return UpdateFields(struct, (new,))


class Column:
    """An expression with PySpark's operators. `expr` is the (unresolved) expression."""

    __slots__ = ("expr",)

    def __init__(self, expr: Expression) -> None:
        self.expr = expr

    def __str__(self) -> str:
        refuse_heavy(self.expr.weight, "A column that is shown")
        return f"Column<'{self.expr}'>"

    __repr__ = __str__

    def __bool__(self) -> bool:
        told = "A column is no truth value: write & for and, | for or, ~ for not, in parentheses."
        raise BadValue("CANNOT_CONVERT_COLUMN_INTO_BOOL", told)

    def __hash__(self) -> int:
        return hash(self.expr)

    # PySpark turns 1 + column and 2 * column round; it matters for the text of a plan.
    __add__ = __radd__ = _binary("+")
    __sub__, __rsub__ = _binary("-"), _binary("-", True)
    __mul__ = __rmul__ = _binary("*")
    __truediv__, __rtruediv__ = _binary("/"), _binary("/", True)
    __mod__, __rmod__ = _binary("%"), _binary("%", True)
    __pow__, __rpow__ = _binary("power"), _binary("power", True)
    __and__ = __rand__ = _binary("and")
    __or__ = __ror__ = _binary("or")
    __lt__, __le__, __gt__, __ge__ = _binary("<"), _binary("<="), _binary(">"), _binary(">=")
    # Comparisons are columns, no truth values.
    __eq__ = _binary("=")  # type: ignore[assignment]
    __neg__, __invert__ = _of("negative"), _of("!")
    eqNullSafe = _binary("<=>")
    bitwiseAND, bitwiseOR, bitwiseXOR = _binary("&"), _binary("|"), _binary("^")
    like, ilike, rlike = _binary("like"), _binary("ilike"), _binary("rlike")
    contains, startswith, endswith = _binary("contains"), _binary("startswith"), _binary("endswith")
    isNull, isNotNull, isNaN = _of("isNull"), _of("isNotNull"), _of("isNaN")
    asc = asc_nulls_first = _order("ASC", "FIRST")
    asc_nulls_last = _order("ASC", "LAST")
    desc = desc_nulls_last = _order("DESC", "LAST")
    desc_nulls_first = _order("DESC", "FIRST")

    def __ne__(self, other: object) -> Column:  # type: ignore[override]  # as of __eq__
        return call("!", call("=", self.expr, expression(other)).expr)

    def isin(self, *values: object) -> Column:
        """Whether it is one of the values, given one by one or as a list, or in a DataFrame of one column."""
        # A column has every name as that of a field.
        if len(values) == 1 and not isinstance(values[0], Column) and hasattr(values[0], "inner_plan"):
            return Column(InSubquery((self.expr,), ListQuery(values[0].inner_plan, (), UNNUMBERED)))
        items: Iterable[object] = (
            values[0] if len(values) == 1 and isinstance(values[0], list | set | tuple) else values
        )
        return call("in", self.expr, *[expression(v) for v in items])

    def between(self, lowerBound: object, upperBound: object) -> Column:
        """lowerBound <= column and column <= upperBound."""
        return (self >= lowerBound) & (self <= upperBound)

    def substr(self, startPos: object, length: object) -> Column:
        """`length` characters from position `startPos`, which counts from 1."""
        return call("substr", self.expr, expression(startPos), expression(length))

    def alias(self, *names: str, metadata: object = None) -> Column:
        """Under another name; several names for a generator of several columns.

        Plans do not show metadata, but an alias with some is no redundant one.
        """
        if len(names) == 1:
            made = Alias(self.expr, names[0], UNNUMBERED)
            return Column(made.remarked(*map(str, metadata)) if isinstance(metadata, dict) and metadata else made)
        return Column(MultiAlias(self.expr, names))

    name = alias

    def cast(self, dataType: str | DataType) -> Column:
        """As another type, given as DDL text (`decimal(10,2)`) or a type of planviz."""
        return Column(Cast(self.expr, named_type(dataType), user_specified=True))

    astype = cast

    def try_cast(self, dataType: str | DataType) -> Column:
        """The same with null for what does not convert."""
        return Column(Cast(self.expr, named_type(dataType), "TRY", True))

    def __getitem__(self, key: object) -> Column:
        if isinstance(key, slice):
            return self.substr(key.start, key.stop)
        return Column(UnresolvedExtractValue(self.expr, expression(key)))

    getField = getItem = __getitem__

    def __getattr__(self, name: str) -> Column:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __iter__(self) -> LogicalPlan:
        raise InputError("A column cannot be walked through; explode(column) gives a row per element.")

    def withField(self, fieldName: str, col: Column) -> Column:
        """The struct with a field added, or with another value in it; a dotted name is a field of a field."""
        if not isinstance(col, Column):
            raise UnexpectedType("col", "Column", col)
        return Column(_updated(self.expr, name_parts(fieldName), lambda name: WithField(name, col.expr)))

    def dropFields(self, *fieldNames: str) -> Column:
        """The struct without these fields; a dotted name is a field of a field."""
        made = self.expr
        for name in fieldNames:
            made = _updated(made, name_parts(name), DropField)
        return Column(made)

    def when(self, condition: Column, value: object) -> Column:
        """One more branch of `functions.when`."""
        if not isinstance(condition, Column):
            raise UnexpectedType("condition", "Column", condition)
        case = self._case("when")
        return Column(CaseWhen((*case.branches, condition.expr, expression(value)), None))

    def otherwise(self, value: object) -> Column:
        """What `functions.when` gives when no condition holds."""
        return Column(CaseWhen(self._case("otherwise").branches, expression(value)))

    def _case(self, method: str) -> CaseWhen:
        if isinstance(self.expr, CaseWhen) and self.expr.otherwise is None:
            return self.expr
        if isinstance(self.expr, CaseWhen):
            told = "when() cannot be applied once otherwise() is applied"
            again = "otherwise() can only be applied once on a Column previously generated by when()"
            raise IllegalArgument(told if method == "when" else again)
        raise IllegalArgument(f"{method}() can only be applied on a Column previously generated by when() function")

    def outer(self) -> Column:
        """The column of the query around a subquery: what holds it is analyzed there."""
        return Column(LazyOuter(self.expr))

    def transform(self, f: Callable[[Column], Column]) -> Column:
        """What a function makes of this column."""
        return f(self)

    def over(self, window: WindowSpec) -> Column:
        """A window function or an aggregate over a window."""
        if isinstance(window, Column) or not hasattr(window, "spec"):
            raise UnexpectedType("window", "WindowSpec", window)
        return Column(WindowExpression(self.expr, window.spec))
