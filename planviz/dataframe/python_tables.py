"""Classes written in Python that give rows: `udtf`, `spark.udtf.register`. None is ever called.

@udtf(returnType="num: int, squared: int")
class Squares: ...

Squares(lit(1), lit(3))          spark.sql("SELECT * FROM squares(1, 3)")
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from planviz.analysis.python import python_table
from planviz.catalog.tables import PythonFunction
from planviz.dataframe.column import column_or_name
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.refusals import UnexpectedType
from planviz.dataframe.signatures import is_column
from planviz.errors import InputError
from planviz.expressions.python import NamedArgumentExpression, PythonEvalType
from planviz.types import STRING, StructType, parse_fields

if TYPE_CHECKING:
    from planviz.dataframe.session import SparkSession


class UserDefinedTableFunction:
    """A class as it is used in queries; called with columns or their names it is a DataFrame."""

    def __init__(self, session: SparkSession, function: PythonFunction) -> None:
        self.session, self.function = session, function

    def __call__(self, *columns: object, **named: object) -> DataFrame:
        """The rows that it gives for these arguments."""
        for value in (*columns, *named.values()):
            if not is_column(value):
                raise UnexpectedType("col", "Column or str", value)
        given = [column_or_name(c) for c in columns]
        with self.session.numbering():
            arguments = (*given, *(NamedArgumentExpression(k, column_or_name(v)) for k, v in named.items()))
            return DataFrame(self.session, python_table(self.function, arguments, self.session.config))

    def asDeterministic(self) -> UserDefinedTableFunction:
        """The same class, said to give the same rows each time."""
        return self


class UDTFRegistration:
    """PySpark's `spark.udtf`: makes classes known to SQL."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session

    def register(self, name: str, f: UserDefinedTableFunction) -> UserDefinedTableFunction:
        """A class that `udtf` made, under a name for SQL. Raises InputError for anything else."""
        if not isinstance(f, UserDefinedTableFunction):
            raise InputError("spark.udtf.register takes what `udtf` makes of a class.")
        made = replace(f.function, name=name)
        self.session.catalog = self.session.catalog.with_function(made)
        return UserDefinedTableFunction(self.session, made)


def table_function(
    session: SparkSession, name: str, returns: StructType | str, use_arrow: bool | None = None
) -> UserDefinedTableFunction:
    """A class of that name whose rows have these columns. Raises InputError for a type that there is not."""
    fields = parse_fields(returns) if isinstance(returns, str) else returns.fields
    kinds = {True: PythonEvalType.SQL_ARROW_TABLE_UDF, False: PythonEvalType.SQL_TABLE_UDF}
    kind = None if use_arrow is None else kinds[use_arrow]
    return UserDefinedTableFunction(session, PythonFunction(name, STRING, kind, True, tuple(fields)))
