"""Where rows go: PySpark's DataFrameWriter and DataStreamWriter. Nothing is written; the session is told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from planviz.dataframe.actions import Actions
    from planviz.expressions.core import Expression


@dataclass(frozen=True)
class TableLayout:
    """How a written table's rows lie: format, columns that make folders, buckets as number and columns, their order.

    `header`: files of CSV begin with the names of their columns.
    """

    provider: str = "parquet"
    header: bool = False
    partitions: tuple[str, ...] = ()
    buckets: tuple[int, tuple[str, ...]] | None = None
    sorted_by: tuple[str, ...] = ()


def _names(given: tuple[object, ...]) -> tuple[str, ...]:
    flat = given[0] if len(given) == 1 and isinstance(given[0], list | tuple) else given
    return tuple(str(n) for n in flat) if isinstance(flat, list | tuple) else ()


class DataFrameWriter:
    """How and where the rows of a DataFrame are to be written. `frame` is the DataFrame."""

    def __init__(self, frame: Actions) -> None:
        self.frame = frame
        #: How the rows of a table lie: its format, the columns that make its folders, its buckets.
        self.layout = TableLayout()

    def _same(self, *given: object, **named: object) -> Self:
        return self

    def format(self, source: object) -> Self:
        """In this format."""
        self.layout = replace(self.layout, provider=str(source).lower())
        return self

    def partitionBy(self, *cols: object) -> Self:
        """With a folder for each value of these columns."""
        self.layout = replace(self.layout, partitions=_names(cols))
        return self

    def bucketBy(self, numBuckets: object, col: object, *cols: object) -> Self:
        """Spread over so many buckets by the hash of columns."""
        if isinstance(numBuckets, int):
            self.layout = replace(self.layout, buckets=(numBuckets, _names((col, *cols))))
        return self

    def sortBy(self, col: object, *cols: object) -> Self:
        """Each bucket in order of columns."""
        self.layout = replace(self.layout, sorted_by=_names((col, *cols)))
        return self

    def option(self, key: object, value: object = None) -> Self:
        """With an option; only whether files have a header matters here."""
        if str(key).lower() == "header":
            self.layout = replace(self.layout, header=str(value).lower() == "true")
        return self

    def options(self, **options: object) -> Self:
        """With several options."""
        for key, value in options.items():
            self.option(key, value)
        return self

    mode = clusterBy = _same
    using = tableProperty = partitionedBy = _same

    def _act(self, name: str) -> Expression:
        return self.frame.session.act(f"write.{name}", self.frame)

    def _files(self, path: object, mode: object = None, partitionBy: object = None, **options: object) -> None:
        """Tell the session of files that it may read again."""
        self.options(**options)
        if partitionBy:
            self.partitionBy(*partitionBy if isinstance(partitionBy, list | tuple) else (partitionBy,))
        self.frame.session.note_files(path, self.frame, self.layout)

    def save(
        self, path: object = None, format: object = None, mode: object = None, partitionBy: object = None, **o: object
    ) -> None:
        """To a path."""
        self._act("save")
        if isinstance(format, str):
            self.format(format)
        self._files(path, partitionBy=partitionBy, **o)

    def saveAsTable(
        self, name: object, format: object = None, mode: object = None, partitionBy: object = None, **o: object
    ) -> None:
        """As a table, which later statements can read."""
        self._act("saveAsTable")
        if isinstance(format, str):
            self.format(format)
        if partitionBy:
            self.partitionBy(partitionBy)
        self.frame.session.note_table(str(name), self.frame, self.layout)

    def insertInto(self, tableName: object, overwrite: object = None) -> None:
        """Into a table that is there."""
        self._act("insertInto")

    def parquet(self, path: object, *given: object, **options: object) -> None:
        """As files of parquet."""
        self._act("parquet")
        self.format("parquet")._files(path, *given, **options)

    def csv(self, path: object, *given: object, **options: object) -> None:
        """As files of CSV."""
        self._act("csv")
        self.format("csv")._files(path, *given, **options)

    def json(self, path: object, *given: object, **options: object) -> None:
        """As files of JSON."""
        self._act("json")
        self.format("json")._files(path, *given, **options)

    def orc(self, path: object, *given: object, **options: object) -> None:
        """As files of ORC."""
        self._act("orc")
        self.format("orc")._files(path, *given, **options)

    def text(self, path: object, *given: object, **options: object) -> None:
        """As files of text."""
        self._act("text")

    def xml(self, path: object, *given: object, **options: object) -> None:
        """As files of XML."""
        self._act("xml")

    def jdbc(self, url: object, table: object, *given: object, **options: object) -> None:
        """Into a table of another database."""
        self._act("jdbc")

    def create(self) -> None:
        """As a new table (writeTo)."""
        self._act("create")

    def replace(self) -> None:
        """In place of a table (writeTo)."""
        self._act("replace")

    def createOrReplace(self) -> None:
        """As a table (writeTo)."""
        self._act("createOrReplace")

    def append(self) -> None:
        """Into a table (writeTo)."""
        self._act("append")

    def overwrite(self, condition: object = None) -> None:
        """In place of rows of a table (writeTo)."""
        self._act("overwrite")

    def overwritePartitions(self) -> None:
        """In place of partitions of a table (writeTo)."""
        self._act("overwritePartitions")


class DataStreamWriter:
    """How and where the rows of a stream are to be written. `frame` is the DataFrame."""

    def __init__(self, frame: Actions) -> None:
        self.frame = frame
        self.function: object = None

    def _same(self, *given: object, **named: object) -> Self:
        return self

    format = outputMode = option = options = partitionBy = queryName = trigger = foreach = clusterBy = _same

    def foreachBatch(self, func: object) -> Self:
        """A function of every batch."""
        self.function = func
        return self

    def start(self, path: object = None, *given: object, **options: object) -> Expression:
        """Begin."""
        made = self.frame.session.act("writeStream.start", self.frame)
        if callable(self.function):
            self.function(self.frame, 0)
        return made

    def toTable(self, tableName: object, *given: object, **options: object) -> Expression:
        """Begin, into a table."""
        return self.frame.session.act("writeStream.toTable", self.frame)
