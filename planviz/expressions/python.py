"""Functions written in Python: what planning knows of them, which is everything but what they do."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from planviz.expressions.aggregates import AggregateExpression, AggregateFunction
from planviz.expressions.calls import Replaced
from planviz.expressions.casts import Cast
from planviz.expressions.core import Alias, Attribute, Expression, Literal, PrettyAttribute, Typed, type_suffix
from planviz.expressions.generators import Generator
from planviz.trees.node import always, lazy, node
from planviz.types import DataType, StructField


class PythonEvalType(IntEnum):
    """How rows reach a function and come back, by PySpark's names and numbers (pyspark.util.PythonEvalType)."""

    SQL_BATCHED_UDF = 100
    SQL_ARROW_BATCHED_UDF = 101
    SQL_SCALAR_PANDAS_UDF = 200
    SQL_GROUPED_MAP_PANDAS_UDF = 201
    SQL_GROUPED_AGG_PANDAS_UDF = 202
    SQL_WINDOW_AGG_PANDAS_UDF = 203
    SQL_SCALAR_PANDAS_ITER_UDF = 204
    SQL_GROUPED_AGG_PANDAS_ITER_UDF = 217
    SQL_SCALAR_ARROW_UDF = 250
    SQL_SCALAR_ARROW_ITER_UDF = 251
    SQL_GROUPED_AGG_ARROW_UDF = 252
    SQL_WINDOW_AGG_ARROW_UDF = 253
    SQL_GROUPED_AGG_ARROW_ITER_UDF = 254
    SQL_TABLE_UDF = 300
    SQL_ARROW_TABLE_UDF = 301

    @property
    def aggregates(self) -> bool:
        """Whether the function gives one value for the rows of a group."""
        return "GROUPED_AGG" in self.name

    @property
    def iterates(self) -> bool:
        """Whether the function takes all batches of a partition at once: no other is computed in the same pass."""
        return self.name.endswith("_ITER_UDF")


#: What a function that aggregates is over a window (Spark: ArrowWindowPythonExec).
WINDOWED = {
    PythonEvalType.SQL_GROUPED_AGG_PANDAS_UDF: PythonEvalType.SQL_WINDOW_AGG_PANDAS_UDF,
    PythonEvalType.SQL_GROUPED_AGG_ARROW_UDF: PythonEvalType.SQL_WINDOW_AGG_ARROW_UDF,
}


@node
class NamedArgumentExpression(Expression):
    """An argument given by its name: `key => value`."""

    key: str
    value: Expression

    @property
    def data_type(self) -> DataType:
        """The value's."""
        return self.value.data_type

    def to_string(self) -> str:
        """key => value."""
        return f"{self.key} => {self.value}"

    def render(self, r: Callable[[Expression], str]) -> str:
        """key => value."""
        return f"{self.key} => {r(self.value)}"


class PythonFuncExpression(Typed):
    """Base of calls of Python functions. Nothing is known of the value but its type, not even for constants."""

    name: str
    arguments: tuple[Expression, ...]
    type: DataType
    eval_type: PythonEvalType
    udf_deterministic: bool
    result_id: int

    nullable = always(True)
    foldable = always(False)  # nothing is executed while planning

    @property
    def pretty_name(self) -> str:
        """The name that it is called by."""
        return self.name

    @lazy
    def deterministic(self) -> bool:
        """When the function is said to be, and the arguments are."""
        return self.udf_deterministic and all(a.deterministic for a in self.arguments)

    @lazy
    def canonicalized(self) -> Expression:
        """Without the id of the result."""
        new: Expression = self.map_children(lambda c: c.canonicalized).replace(result_id=0)
        return new

    def to_string(self) -> str:
        """name(arguments)#id; without the id where a plan was read back from a text that shows none."""
        call = f"{self.name}({', '.join(map(str, self.arguments))})"
        suffix = type_suffix(self.type) if self.resolved else ""
        return f"{call}#{self.result_id}{suffix}" if self.result_id else call

    def render(self, r: Callable[[Expression], str]) -> str:
        """The call without ids; arguments are not written as SQL but as in plans (Spark: NonSQLExpression).

        Casts that nobody wrote are left out, which in SQL text, unlike in names of columns, Spark does not do.
        """
        return f"{self.name}({', '.join(str(_without_ids(a)) for a in self.arguments)})"


def _without_ids(e: Expression) -> Expression:
    text = None
    match e:
        case Attribute():
            text = e.name
        case Alias():
            text = e.sql
        case PythonFuncExpression() | AggregateExpression(PythonFuncExpression()) | Replaced():
            text = e.pretty
        case Cast(child) if not e.user_specified:
            text = child.pretty
        case Literal(None):
            text = "NULL"
    if text is not None:
        return PrettyAttribute(text, e.data_type)
    new: Expression = e.map_children(_without_ids)
    return new


@node
class PythonUDF(PythonFuncExpression):
    """A function that gives one value per row; only an operator of its own can compute it."""

    name: str
    arguments: tuple[Expression, ...]
    type: DataType
    eval_type: PythonEvalType
    udf_deterministic: bool
    result_id: int


@node
class PythonTableCall(PythonFuncExpression):
    """A function that makes other rows of a table's; the operator that holds it computes it."""

    name: str
    arguments: tuple[Expression, ...]
    type: DataType
    eval_type: PythonEvalType
    udf_deterministic: bool
    result_id: int


@node
class PythonUDTF(Generator):
    """A class written in Python that gives rows; `schema` are their columns."""

    name: str
    arguments: tuple[Expression, ...]
    schema: tuple[StructField, ...]
    eval_type: PythonEvalType
    result_id: int

    @property
    def pretty_name(self) -> str:
        """The name that it is called by."""
        return self.name

    @property
    def element_schema(self) -> tuple[StructField, ...]:
        """The given columns."""
        return self.schema

    @lazy
    def canonicalized(self) -> Expression:
        """Without the id of the result."""
        new: Expression = self.map_children(lambda c: c.canonicalized).replace(result_id=0)
        return new

    def to_string(self) -> str:
        """name(arguments)#id."""
        return f"{self.name}({', '.join(map(str, self.arguments))})#{self.result_id}"


@node
class PythonUDAF(PythonFuncExpression, AggregateFunction):
    """A function that gives one value per group: it has no buffer, so there is no partial result either."""

    name: str
    arguments: tuple[Expression, ...]
    type: DataType
    eval_type: PythonEvalType
    udf_deterministic: bool
    result_id: int

    def distinct_text(self, distinct: bool, where: str) -> str:
        """As `to_string`: there is neither DISTINCT nor FILTER."""
        return self.to_string()

    def render_call(self, r: Callable[[Expression], str], distinct: bool) -> str:
        """As `render`."""
        return self.render(r)
