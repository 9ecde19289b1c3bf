"""What would run a query: PySpark's actions. planviz runs none; a session may note them down (`Session.act`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.dataframe.base import Frame
from planviz.dataframe.writers import DataFrameWriter, DataStreamWriter
from planviz.errors import AnalysisError

if TYPE_CHECKING:
    from planviz.dataframe.writers import DataFrameWriter, DataStreamWriter
    from planviz.expressions.core import Expression


class Actions(Frame):
    """The methods of DataFrame that need its rows. Each gives what the session's `act` gives, which may raise."""

    def show(self, n: int = 20, truncate: object = True, vertical: bool = False) -> None:
        """Print the first rows."""
        self.session.act("show", self)

    def display(self, *given: object, **named: object) -> None:
        """Show the rows as Databricks does."""
        self.session.act("display", self)

    def count(self) -> object:
        """The number of rows."""
        return self.session.act("count", self)

    def collect(self) -> object:
        """All rows."""
        return self.session.act("collect", self)

    def take(self, num: int) -> Expression:
        """The first rows as a list."""
        return self.session.act("take", self, num)

    def tail(self, num: int) -> Expression:
        """The last rows as a list."""
        return self.session.act("tail", self, num)

    def head(self, n: int | None = None) -> object:
        """The first row, or a list of the first rows."""
        return self.session.act("head", self, n)

    def first(self) -> Expression:
        """The first row."""
        return self.session.act("first", self)

    def isEmpty(self) -> Expression:
        """Whether there is no row."""
        return self.session.act("isEmpty", self)

    def toPandas(self) -> Expression:
        """All rows as a DataFrame of pandas."""
        return self.session.act("toPandas", self)

    def toArrow(self) -> Expression:
        """All rows as a table of Arrow."""
        return self.session.act("toArrow", self)

    def pandas_api(self, index_col: object = None) -> Expression:
        """All rows for the pandas API on Spark."""
        return self.session.act("pandas_api", self)

    def toLocalIterator(self, prefetchPartitions: bool = False) -> Expression:
        """The rows one by one."""
        return self.session.act("toLocalIterator", self)

    def foreach(self, f: object) -> None:
        """A function of every row."""
        self.session.act("foreach", self)

    def foreachPartition(self, f: object) -> None:
        """A function of the rows of every partition."""
        self.session.act("foreachPartition", self)

    def toJSON(self, use_unicode: bool = True) -> Expression:
        """The rows as JSON texts."""
        return self.session.act("toJSON", self)

    def printSchema(self, level: int | None = None) -> None:
        """Print the columns with their types; no query runs."""

    @property
    def write(self) -> DataFrameWriter:
        """Where the rows are written to: `df.write.mode("overwrite").parquet(path)`.

        Raises AnalysisError for a stream.
        """
        if self.plan.is_streaming:
            told = "The method `write` can not be called on streaming Dataset/DataFrame."
            raise AnalysisError("CALL_ON_STREAMING_DATASET_UNSUPPORTED", told)
        return DataFrameWriter(self)

    def writeTo(self, table: str) -> DataFrameWriter:
        """Where the rows are written to: a table."""
        return self.write

    @property
    def writeStream(self) -> DataStreamWriter:
        """Where the rows of a stream are written to. Raises AnalysisError for rows that are no stream."""
        if self.session.is_batch(self.plan):
            told = "`writeStream` can be called only on streaming Dataset/DataFrame."
            raise AnalysisError("WRITE_STREAM_NOT_ALLOWED", told)
        return DataStreamWriter(self)
