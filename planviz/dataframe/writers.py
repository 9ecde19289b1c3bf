"""Where rows go: PySpark's DataFrameWriter and DataStreamWriter. Nothing is written; the session is told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from planviz.analysis.commands import check_arity, check_stored
from planviz.analysis.context import sql_text
from planviz.dataframe.refusals import BadValue
from planviz.dataframe.written import MODES, columns_in_order, files_command, insert_command, table_command
from planviz.errors import AnalysisError

if TYPE_CHECKING:
    from planviz.dataframe.actions import Actions
    from planviz.expressions.core import Expression
    from planviz.logical.plan import LogicalPlan


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


#: Formats of files that Spark itself writes, and what it says of them.
_FILES = ("parquet", "csv", "json", "orc", "text", "xml", "avro")


#: Options in the order in which the writers of a format set them.
_OF_CSV = (
    "compression", "sep", "quote", "escape", "header", "nullValue", "escapeQuotes", "quoteAll", "dateFormat",
    "timestampFormat", "ignoreLeadingWhiteSpace", "ignoreTrailingWhiteSpace", "charToEscapeQuoteEscaping", "encoding",
    "emptyValue", "lineSep",
)  # fmt: skip
_OF_JSON = ("compression", "dateFormat", "timestampFormat", "lineSep", "encoding", "ignoreNullFields")


def _in_order(names: tuple[str, ...], options: dict[str, object]) -> dict[str, object]:
    return {n: options[n] for n in (*names, *options) if n in options}


class DataFrameWriter:
    """How and where the rows of a DataFrame are to be written. `frame` is the DataFrame."""

    def __init__(self, frame: Actions) -> None:
        self.frame = frame
        #: How the rows of a table lie: its format, the columns that make its folders, its buckets.
        self.layout = TableLayout()
        #: Where `option("path", ...)` says that files go.
        self.path: object = None
        #: What happens to rows that are there, and the options as they were given.
        self.save_mode = "error"
        self.options_given: dict[str, str] = {}

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

    def mode(self, saveMode: object = None) -> Self:
        """What happens to rows that are there."""
        if isinstance(saveMode, str):
            self.save_mode = saveMode.lower()
        return self

    def option(self, key: object, value: object) -> Self:
        """With an option: whether files have a header, where they lie, what the command's plan tells of it."""
        if value is not None:
            same = next((k for k in self.options_given if k.lower() == str(key).lower()), None)
            if same is not None:
                del self.options_given[same]
            self.options_given[str(key)] = str(value).lower() if isinstance(value, bool) else str(value)
        if str(key).lower() == "path":
            self.path = value
        if str(key).lower() == "header":
            self.layout = replace(self.layout, header=str(value).lower() == "true")
        return self

    def options(self, **options: object) -> Self:
        """With several options."""
        for key, value in options.items():
            self.option(key, value)
        return self

    clusterBy = _same
    using = tableProperty = partitionedBy = _same

    def _act(self, name: str, command: LogicalPlan | None = None) -> Expression:
        return self.frame.session.act(f"write.{name}", self.frame, command=command)

    def _check_layout(self, table: str | None = None) -> None:
        """Raise what Spark raises before it writes: into files, or into a table of this name.

        What other formats take is theirs to say. Raises AnalysisError.
        """
        layout = self.layout
        if layout.buckets is not None and table is None:
            raise AnalysisError("_LEGACY_ERROR_TEMP_1312", "'save' does not support bucketBy right now.")
        if layout.sorted_by and layout.buckets is None:
            raise AnalysisError("SORT_BY_WITHOUT_BUCKETING", "sortBy must be used together with bucketBy.")
        if layout.provider in _FILES:
            self._check_columns(table)

    def _check_columns(self, table: str | None) -> None:
        same = str if self.frame.session.config.case_sensitive else str.lower
        bucketed = () if self.layout.buckets is None else self.layout.buckets[1]
        roles = {"partition": self.layout.partitions, "bucket": bucketed, "sort": self.layout.sorted_by}
        named = [(role, n) for role, names in roles.items() for n in names if "<" not in n]
        for role, name in named:
            if same(name) not in map(same, self.frame.columns) and not self._grown(name):
                if table is None:
                    told = f"Partition column `{name}` not found in schema {self.frame.schema.sql.lower()}."
                    raise AnalysisError("_LEGACY_ERROR_TEMP_1155", told)
                shown = ", ".join(f"`{c}`" for c in self.frame.columns)
                told = f"{role} column `{name}` is not defined in table `{table}`, defined table columns are: {shown}."
                raise AnalysisError("COLUMN_NOT_DEFINED_IN_TABLE", told)
        columns = list(map(same, self.frame.columns))
        twice = next((c for i, c in enumerate(columns) if c in columns[:i]), None)
        if twice is not None:
            told = f"The column `{twice}` already exists. Choose another name or rename the existing column."
            raise AnalysisError("COLUMN_ALREADY_EXISTS", told)
        everything = columns and {same(n) for n in self.layout.partitions} == set(columns)
        if everything and not self.frame.session.may_grow(self.frame):
            raise AnalysisError("ALL_PARTITION_COLUMNS_NOT_ALLOWED", "Cannot use all columns for partition columns.")

    def _grown(self, name: str) -> bool:
        """Whether a guessed table below may have the column, too; the DataFrame has it then."""
        plan = self.frame.session.missing_column(self.frame.plan, (name,))
        if plan is not None:
            self.frame.plan = plan
        return plan is not None

    def _files(
        self, name: str, path: object, mode: object = None, partitionBy: object = None, **options: object
    ) -> None:
        """Write files, and tell the session of them: it may read them again."""
        self.mode(mode).options(**options)
        if partitionBy:
            self.partitionBy(*partitionBy if isinstance(partitionBy, list | tuple) else (partitionBy,))
        self._check_layout()
        self._act(name, files_command(self, self.path if path is None else path))
        self.frame.session.note_files(path, self.frame, self.layout)

    def save(
        self, path: object = None, format: object = None, mode: object = None, partitionBy: object = None, **o: object
    ) -> None:
        """To a path."""
        if isinstance(format, str):
            self.format(format)
        path = self.path if path is None else path
        if path is None and "path" not in o and self.layout.provider in _FILES:
            raise BadValue("_LEGACY_ERROR_TEMP_2047", "'path' is not specified.", "IllegalArgumentException")
        self._files("save", path, mode, partitionBy, **o)

    def saveAsTable(
        self, name: object, format: object = None, mode: object = None, partitionBy: object = None, **o: object
    ) -> None:
        """As a table, which later statements can read."""
        if isinstance(format, str):
            self.format(format)
        if partitionBy:
            self.partitionBy(partitionBy)
        self.mode(mode).options(**o)._check_layout(str(name))
        there = self.frame.session.catalog.table(tuple(str(name).split(".")))
        if there is not None and not there.guessed and MODES.get(self.save_mode) == "ErrorIfExists":
            told = f"Cannot create table or view {sql_text(there.qualified)} because it already exists."
            raise AnalysisError("TABLE_OR_VIEW_ALREADY_EXISTS", told)
        self._act("saveAsTable", table_command(self, str(name)))
        self.frame.session.note_table(str(name), self.frame, self.layout)

    def insertInto(self, tableName: object, overwrite: object = None) -> None:
        """Into a table that is there."""
        if isinstance(tableName, str) and self.frame.session.table_exists(tuple(tableName.split("."))) is False:
            raise AnalysisError("TABLE_OR_VIEW_NOT_FOUND", f"The table or view `{tableName}` cannot be found.")
        table = self.frame.session.catalog.table(tuple(str(tableName).split(".")))
        if table is not None and not table.guessed and not self.frame.execution.reads_guesses:
            wanted = columns_in_order(table)
            check_arity(table, wanted, self.frame.output)
            policy = self.frame.session.config.text("spark.sql.storeAssignmentPolicy")
            check_stored(table, wanted, self.frame.output, policy=policy)
        replaces = self.save_mode == "overwrite" if overwrite is None else bool(overwrite)
        self._act("insertInto", None if table is None else insert_command(self.frame, table, replaces))

    def parquet(self, path: object, *given: object, **options: object) -> None:
        """As files of parquet."""
        self.format("parquet")._files("parquet", path, *given, **options)

    def csv(self, path: object, *given: object, **options: object) -> None:
        """As files of CSV."""
        self.format("csv")._files("csv", path, *given, **_in_order(_OF_CSV, options))

    def json(self, path: object, *given: object, **options: object) -> None:
        """As files of JSON."""
        self.format("json")._files("json", path, *given, **_in_order(_OF_JSON, options))

    def orc(self, path: object, *given: object, **options: object) -> None:
        """As files of ORC."""
        self.format("orc")._files("orc", path, *given, **options)

    def text(self, path: object, *given: object, **options: object) -> None:
        """As files of text."""
        self.format("text")._files("text", path, None, None, **options)

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
            self.function(self.frame.session.batch_of(self.frame), 0)
        return made

    def toTable(self, tableName: object, *given: object, **options: object) -> Expression:
        """Begin, into a table."""
        return self.frame.session.act("writeStream.toTable", self.frame)
