"""Aggregate functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from planviz.expressions.core import Expression, SortOrder, TypeMismatch, UnaryExpression, occurs
from planviz.expressions.specs import FunctionSpec, SignatureCall
from planviz.trees.node import always, lazy, node
from planviz.types import (
    BYTE,
    DOUBLE,
    LONG,
    UNKNOWN,
    DataType,
    DecimalType,
    bounded,
    is_ansi_interval,
    is_integral,
    is_numeric,
    is_orderable,
)

#: Names of one function beside its first one: calls under both are computed once (Spark: FunctionRegistry, setAlias).
SAME_FUNCTION = {
    "mean": "avg", "first_value": "first", "last_value": "last", "std": "stddev", "stddev_samp": "stddev",
    "var_samp": "variance",
}  # fmt: skip


class AggregateFunction(Expression):
    """A function over the rows of a group."""

    foldable = always(False)

    def distinct_text(self, distinct: bool, where: str) -> str:
        """`str` of the call with its DISTINCT and FILTER."""
        prefix = "distinct " if distinct else ""
        return f"{self.pretty_name}({prefix}{', '.join(self.flat_arguments())}){where}"

    def render_call(self, r: Callable[[Expression], str], distinct: bool) -> str:
        """SQL of the call with its DISTINCT."""
        prefix = "DISTINCT " if distinct else ""
        return f"{self.pretty_name}({prefix}{', '.join(r(c) for c in self.children)})"


#: Which part of the work an aggregate function does where it stands.
AggregateMode = Literal["Complete", "Partial", "PartialMerge", "Final"]


@node
class AggregateExpression(Expression):
    """An aggregate function as it is used: with its mode, DISTINCT, FILTER and the id of its result."""

    function: AggregateFunction
    mode: AggregateMode
    distinct: bool
    where: Expression | None
    result_id: int

    @property
    def data_type(self) -> DataType:
        """The function's."""
        return self.function.data_type

    @lazy
    def nullable(self) -> bool:
        """The function's."""
        return self.function.nullable

    foldable = always(False)

    @lazy
    def canonicalized(self) -> Expression:
        """Without the result id."""
        where = self.where.canonicalized if self.where is not None else None
        function = self.function.canonicalized
        assert isinstance(function, AggregateFunction)
        return AggregateExpression(function, self.mode, self.distinct, where, 0)

    def to_string(self) -> str:
        """sum(distinct a#1) FILTER (WHERE b#2), partial_sum(...) in mode Partial."""
        where = "" if self.where is None else f" FILTER (WHERE {self.where})"
        prefix = {"Partial": "partial_", "PartialMerge": "merge_"}.get(self.mode, "")
        return prefix + self.function.distinct_text(self.distinct, where)

    def render(self, r: Callable[[Expression], str]) -> str:
        """sum(DISTINCT a) FILTER (WHERE b)."""
        where = "" if self.where is None else f" FILTER (WHERE {r(self.where)})"
        return self.function.render_call(r, self.distinct) + where


@node
class Sum(AggregateFunction, UnaryExpression):
    """sum(child); `name` is sum or try_sum. `tries`: it gives null where it overflows, whatever it is called."""

    child: Expression
    name: str = "sum"
    tries: bool = False

    @property
    def pretty_name(self) -> str:
        """See Expression."""
        return self.name

    @lazy
    def data_type(self) -> DataType:
        """Decimals get 10 more digits, integrals bigint, the rest double."""
        t = self.child.data_type
        if isinstance(t, DecimalType):
            return bounded(t.precision + 10, t.scale)
        if is_integral(t):
            return LONG
        return t if is_ansi_interval(t) or t == UNKNOWN else DOUBLE

    nullable = always(True)  # no rows give null

    def check_input_types(self) -> TypeMismatch | None:
        """Numbers and intervals."""
        return numeric_input(self.child)

    def flat_arguments(self) -> list[str]:
        """Only the child."""
        return [str(self.child)]


@node
class Average(AggregateFunction, UnaryExpression):
    """avg(child); `name` is avg, mean or try_avg."""

    child: Expression
    name: str = "avg"

    @lazy
    def canonicalized(self) -> Expression:
        """Under the first of the function's names."""
        return type(self)(self.child.canonicalized, SAME_FUNCTION.get(self.name, self.name))

    @property
    def pretty_name(self) -> str:
        """See Expression."""
        return self.name

    @lazy
    def data_type(self) -> DataType:
        """Decimals get 4 more digits on both ends, the rest double."""
        t = self.child.data_type
        if isinstance(t, DecimalType):
            return bounded(t.precision + 4, t.scale + 4)
        return t if is_ansi_interval(t) else DOUBLE

    nullable = always(True)

    def check_input_types(self) -> TypeMismatch | None:
        """Numbers and intervals."""
        return numeric_input(self.child)

    def flat_arguments(self) -> list[str]:
        """Only the child."""
        return [str(self.child)]


def numeric_input(child: Expression) -> TypeMismatch | None:
    """The mismatch of an argument that must be a number or an ANSI interval, or None."""
    from planviz.expressions.arithmetic import unexpected_input

    t = child.data_type
    if is_numeric(t) or is_ansi_interval(t) or t == UNKNOWN:
        return None
    return unexpected_input(1, child, '("NUMERIC" or "ANSI INTERVAL")')


@node
class Count(AggregateFunction):
    """count(arguments): rows where none of them is null."""

    arguments: tuple[Expression, ...]

    data_type = always(LONG)
    nullable = always(False)


class MinMax(AggregateFunction, UnaryExpression):
    """Base of min and max."""

    @lazy
    def data_type(self) -> DataType:
        """The child's."""
        return self.child.data_type

    nullable = always(True)

    def check_input_types(self) -> TypeMismatch | None:
        """Orderable."""
        t = self.child.data_type
        if is_orderable(t):
            return None
        return TypeMismatch(
            "INVALID_ORDERING_TYPE", f'The `{self.pretty_name}` does not support ordering on type "{t.sql}"'
        )


@node
class Min(MinMax):
    """min(child)."""

    child: Expression


@node
class Max(MinMax):
    """max(child)."""

    child: Expression


@node
class FirstLast(AggregateFunction, UnaryExpression):
    """first, last or any_value of the child (`name` as written)."""

    child: Expression
    name: str = "first"
    ignore_nulls: bool = False
    #: Whether it counts as one value for the same rows, whatever their order, as it does since Spark 3.3.
    settled: bool = True

    @lazy
    def deterministic(self) -> bool:
        """As Spark takes it, and the child."""
        return self.settled and self.child.deterministic

    @lazy
    def canonicalized(self) -> Expression:
        """Under the first of the function's names."""
        return type(self)(self.child.canonicalized, SAME_FUNCTION.get(self.name, self.name), self.ignore_nulls)

    @property
    def pretty_name(self) -> str:
        """See Expression."""
        return self.name

    @lazy
    def data_type(self) -> DataType:
        """The child's."""
        return self.child.data_type

    nullable = always(True)

    def flat_arguments(self) -> list[str]:
        """The child and the flag."""
        return [str(self.child), "true" if self.ignore_nulls else "false"]

    def to_string(self) -> str:
        """first(child) ignore nulls, or the "()" that Spark prints in place of these words."""
        return f"{self.name}({self.child}){' ignore nulls' if self.ignore_nulls else '()'}"


@node
class AggregateCall(SignatureCall, AggregateFunction):
    """Any other aggregate function: its name, arguments, signature and what `str` prints behind the arguments.

    `sql_tail` follows the call in SQL text, `sql_text` is all of it.
    """

    name: str
    arguments: tuple[Expression, ...]
    spec: FunctionSpec
    tail: tuple[str, ...] = ()
    sql_tail: str = ""
    sql_text: str = ""

    @lazy
    def deterministic(self) -> bool:
        """By the signature and the arguments."""
        return self.spec.deterministic and all(c.deterministic for c in self.children)

    def to_string(self) -> str:
        """The call; one that collects shows its column alone since Spark 4.2 (Collect.toString), as it shows nulls."""
        collects = self.name in ("collect_list", "collect_set") and len(self.tail) > 2
        return f"{self.name}({self.arguments[0]})" if collects else super().to_string()

    @lazy
    def canonicalized(self) -> Expression:
        """Under the first of the function's names."""
        new: AggregateCall = self.map_children(lambda c: c.canonicalized)
        first = SAME_FUNCTION.get(self.name, self.name)
        if first not in SAME_FUNCTION.values():
            return new
        # Signatures are compared by identity: one stands for those of all names.
        return new.replace(name=first, spec=_SPECS.setdefault(first, new.spec))

    def render_call(self, r: Callable[[Expression], str], distinct: bool) -> str:
        """SQL of the call; what stands in `sql_tail` follows it, `sql_text` is all of it."""
        if self.sql_text:
            return self.sql_text
        prefix = "DISTINCT " if distinct else ""
        shown = [r(c) for c in self.arguments if not isinstance(c, SortOrder)]
        return f"{self.name}({prefix}{', '.join(shown)}){self.sql_tail}"


#: The signature that stands for those of all names of a function.
_SPECS: dict[str, FunctionSpec] = {}


@node
class Grouping(UnaryExpression):
    """grouping(column), before it becomes arithmetic on the grouping id."""

    child: Expression

    @property
    def data_type(self) -> DataType:
        """tinyint."""
        return BYTE

    nullable = always(False)

    @lazy
    def references(self) -> frozenset[int]:
        """The grouping id, not the column."""
        return frozenset()


@node
class GroupingID(Expression):
    """grouping_id(columns)."""

    columns: tuple[Expression, ...]
    type: DataType = LONG
    NAME = "grouping_id"

    nullable = always(False)

    @property
    def data_type(self) -> DataType:
        """BIGINT, in Spark 3.0 INT."""
        return self.type

    @lazy
    def references(self) -> frozenset[int]:
        """The grouping id, not the columns."""
        return frozenset()


def is_aggregate(e: Expression) -> bool:
    """Whether an aggregate function occurs anywhere in the expression itself, the plans of its subqueries left out."""
    return occurs(e, AggregateExpression.BIT)
