"""`spark.tvf`: functions that stand in FROM, as DataFrames."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from planviz.dataframe.column import Column
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.refusals import UnexpectedType
from planviz.logical.unresolved import UnresolvedTableValuedFunction

if TYPE_CHECKING:
    from planviz.dataframe.session import SparkSession

#: Their names.
TABLE_FUNCTIONS = (
    "range", "explode", "explode_outer", "inline", "inline_outer", "json_tuple", "posexplode", "posexplode_outer",
    "stack", "collations", "sql_keywords", "variant_explode", "variant_explode_outer",
)  # fmt: skip


class TableValuedFunctions:
    """The functions by name: each takes columns and gives a DataFrame."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        for name in TABLE_FUNCTIONS:
            setattr(self, name, session.range if name == "range" else partial(self._call, name))

    def _call(self, name: str, *columns: Column) -> DataFrame:
        for c in columns:
            if not isinstance(c, Column):
                raise UnexpectedType("col", "Column", c)
        with self.session.numbering():
            return DataFrame(self.session, UnresolvedTableValuedFunction((name,), tuple(c.expr for c in columns)))
