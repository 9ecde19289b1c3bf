"""How much the statements of a script write to the tables that it makes."""

from __future__ import annotations

from planviz.catalog.tables import Table
from planviz.errors import PlanvizError
from planviz.estimation import Estimator
from planviz.execution.query import QueryExecution

#: What is estimated to be more than this comes from tables of which no size is known.
_LARGEST = 1 << 50


#: About how many bytes an empty file of columns has, and each column of it more.
_FILE, _COLUMN = 300, 150


def written_size(execution: QueryExecution, table: Table) -> int | None:
    """The bytes that the rows of a query take in a table's files; None where they are not known.

    Estimated from the optimized plan: Spark goes by the size of the files, which nobody knows without writing them.
    """
    try:
        size = Estimator(execution.config).size_in_bytes(execution.optimized)
    except PlanvizError:
        return None
    if size > _LARGEST:
        return None
    return size + about_files(table.provider, len(table.columns))


def about_files(provider: str, columns: int) -> int:
    """The bytes of files of so many columns beside their values."""
    return _FILE + _COLUMN * columns if provider in ("parquet", "orc") else 0
