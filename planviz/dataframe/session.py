"""Where DataFrames begin: tables, ranges, rows and SQL of one session."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from contextlib import AbstractContextManager

from planviz.analysis import Analyzer
from planviz.catalog.tables import Catalog, View
from planviz.config import OptimizerConfig
from planviz.dataframe.base import Frame
from planviz.dataframe.column import name_parts
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.functions import count_variables
from planviz.dataframe.python import UDFRegistration
from planviz.dataframe.python_tables import UDTFRegistration
from planviz.dataframe.rdd import RDD
from planviz.dataframe.readers import DataFrameReader, DataStreamReader, relation
from planviz.dataframe.refusals import IllegalArgument
from planviz.dataframe.rows import Schema, fields_of
from planviz.dataframe.services import RuntimeConfig, SparkContext
from planviz.dataframe.streams import source_of
from planviz.dataframe.table_functions import TableValuedFunctions
from planviz.dataframe.writers import TableLayout
from planviz.errors import InputError
from planviz.execution import QueryExecution, Session
from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.ids import Ids, ids_from, next_id
from planviz.frontend import Statement, parse_script
from planviz.frontend.dialect import dialect_of
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation, LogicalRDD, LogicalRelation, Range
from planviz.logical.streams import NamedSource, NamedStreamingRelation, UnresolvedDataSource
from planviz.logical.unresolved import UnresolvedRelation
from planviz.types import (
    LONG,
    StructField,
    StructType,
)


def session(catalog: Catalog | None = None, config: OptimizerConfig | None = None) -> SparkSession:
    """A session over a catalogue with settings, as PySpark's `spark`; nothing is executed."""
    return SparkSession(catalog, config)


class SparkSession(Session):
    """PySpark's entry point for planning: `table`, `range`, `createDataFrame`, `sql`.

    One analyzer serves the session, so a table read twice has the same columns, and the session numbers its
    expressions, so that the same program always gives the same ids.
    """

    def __init__(self, catalog: Catalog | None = None, config: OptimizerConfig | None = None) -> None:
        super().__init__(catalog, config)
        #: The settings that count where the program sets none.
        self.begun_with = self.config
        self.ids = Ids()
        self._frames = itertools.count(1)
        count_variables()
        self._analyzer: Analyzer | None = None

    def next_number(self) -> int:
        """The number of one more DataFrame of this session."""
        return next(self._frames)

    @property
    def udtf(self) -> UDTFRegistration:
        """Where classes that give rows are made known to SQL: `spark.udtf.register(name, f)`."""
        return UDTFRegistration(self)

    @property
    def udf(self) -> UDFRegistration:
        """Where functions written in Python are made known to SQL: `spark.udf.register(name, f, returnType)`."""
        return UDFRegistration(self)

    @property
    def read(self) -> DataFrameReader:
        """Where files and other sources are read: `spark.read.schema(...).csv(path)`."""
        return DataFrameReader(self)

    @property
    def readStream(self) -> DataStreamReader:
        """Where streams are read."""
        return DataStreamReader(self)

    def streaming(self, frame: DataFrame, reader: DataStreamReader) -> DataFrame:
        """The same rows as they keep coming."""

        def read(plan: LogicalPlan) -> LogicalPlan:
            known = self.config.behaviour
            return source_of(plan, reader, known) if isinstance(plan, LogicalRelation) else plan

        made = DataFrame(self, frame.plan.transform_up(read, LogicalRelation.BIT))
        marked, named = self.config.behaviour.streams_are_marked, self.config.behaviour.streams_are_named
        asked = frame.execution.parsed
        if isinstance(asked, UnresolvedRelation):
            asked = asked.replace(streaming=True)
        elif isinstance(made.plan, NamedSource) and marked:
            asked = UnresolvedDataSource(reader.provider, int(reader.paths))
        else:
            return made
        made.execution.written_as(NamedStreamingRelation(asked) if named else asked)
        return made

    def is_batch(self, plan: LogicalPlan) -> bool:
        """Whether a plan surely reads no stream."""
        return not plan.is_streaming

    def batch_of(self, frame: Frame) -> DataFrame:
        """The rows that one trigger takes from a stream, as `foreachBatch` gives them to a function."""
        with self.numbering():
            return DataFrame(self, LogicalRDD(tuple(a.new_instance() for a in frame.output), next_id()))

    @property
    def conf(self) -> RuntimeConfig:
        """The settings: `spark.conf.set(name, value)`."""
        return RuntimeConfig(self)

    @property
    def version(self) -> str:
        """The version of Spark that is planned as: `4.3.0`."""
        return f"{self.config.profile.removeprefix('spark-')}.0"

    @property
    def tvf(self) -> TableValuedFunctions:
        """Functions that give rows: `spark.tvf.explode(array)`."""
        return TableValuedFunctions(self)

    @property
    def sparkContext(self) -> SparkContext:
        """Where a program hands over rows."""
        return SparkContext(self)

    def stop(self) -> None:
        """The end of the session; nothing has to be given back."""

    def setConf(self, key: str, value: object) -> None:
        """A setting (SQLContext.setConf)."""
        self.conf.set(key, value)

    def registerDataFrameAsTable(self, df: DataFrame, tableName: str) -> None:
        """A temporary view (SQLContext.registerDataFrameAsTable)."""
        df.createOrReplaceTempView(tableName)

    def dropTempTable(self, tableName: str) -> None:
        """Forget a temporary view (SQLContext.dropTempTable)."""
        self.catalog = self.catalog.without((tableName,))

    def newSession(self) -> SparkSession:
        """Another session over the same tables."""
        return self

    def act(
        self, name: str, frame: object, number: int | None = None, command: LogicalPlan | None = None
    ) -> Expression:
        """What an action on a DataFrame gives, `number` rows of it; `command` writes its rows.

        Raises InputError: there is no data here.
        """
        raise InputError(f"{name} would need the data: planviz plans queries and executes none.")

    def missing_column(self, plan: LogicalPlan, parts: tuple[str, ...]) -> LogicalPlan | None:
        """The plan of a DataFrame that is asked for a column with that column, None: it does not have it."""
        return None

    def may_grow(self, frame: Frame) -> bool:
        """Whether a DataFrame may have columns that nobody named yet: here none has."""
        return False

    def table_exists(self, parts: tuple[str, ...]) -> bool:
        """Whether there is a table or view."""
        return self.catalog.table(parts) is not None or self.catalog.view(parts) is not None

    def becomes_numeric(self, plan: LogicalPlan, column: Expression) -> bool:
        """Whether a column of this plan, which has to be a number, may be one after all: nobody knows its type."""
        return False

    def act_on_rows(self, rows: RDD) -> LogicalPlan:
        """What an action on an RDD gives. Raises InputError: there is no data here."""
        raise InputError("An RDD's rows would be needed: planviz plans queries and executes none.")

    def pivot_values(self, frame: object, column: object) -> list[Expression]:
        """The values of a pivot's column, for which Spark runs a query. Raises InputError: there is no data here."""
        raise InputError("Finding the values of a pivot would need the data: list them, pivot('c', ['x', 'y']).")

    def note_dropped(self, plan: LogicalPlan) -> None:
        """A plan gives the columns of another one without some, or with other values."""

    def note_table(self, name: str, frame: object, layout: TableLayout) -> None:
        """A DataFrame was written as a table."""

    def note_files(self, path: object, frame: object, layout: TableLayout) -> None:
        """A DataFrame was written as files."""

    def from_source(
        self,
        provider: str,
        path: object,
        fields: tuple[StructField, ...] | None,
        options: dict[str, object] | None = None,
    ) -> DataFrame:
        """The rows of a source with these columns. Raises InputError where nobody knows the columns."""
        if fields is None:
            raise InputError(f"The columns of {path} are not known: give them with spark.read.schema(...).")
        with self.numbering():
            return DataFrame(self, relation(provider, path, fields))

    def numbering(self) -> AbstractContextManager[None]:
        """Within this block expressions take the session's ids."""
        return ids_from(self.ids)

    def execution(self, plan: LogicalPlan, sql: str = "") -> QueryExecution:
        """The execution of a plan of this session."""
        made = QueryExecution(sql, self.catalog, self.config, ids=self.ids, analyzer=self.analyzer, caches=self.caches)
        return made.starting_at(plan)

    @property
    def analyzer(self) -> Analyzer:
        """The session's analyzer, for the catalogue and the settings of now."""
        known = self._analyzer
        if known is None or known.catalog is not self.catalog or known.config is not self.config:
            known = self._analyzer = Analyzer(self.catalog, self.config)
            known.relations = self._relations
        return known

    def table(self, tableName: str) -> DataFrame:
        """A table or view. Raises AnalysisError TABLE_OR_VIEW_NOT_FOUND."""
        return DataFrame(self, UnresolvedRelation(name_parts(tableName)))

    def range(
        self,
        start: int,
        end: int | None = None,
        step: int = 1,
        numPartitions: int | None = None,
    ) -> DataFrame:
        """The numbers from `start` up to `end` (from 0 when only one is given) as the column `id`.

        Without `numPartitions` the plan shows `spark.default.parallelism`, else the cores of a local master, else 1.
        """
        if step == 0:
            raise IllegalArgument("requirement failed: step (0) cannot be 0")
        first, last = (0, start) if end is None else (start, end)
        first, last, step = int(first), int(last), int(step)
        slices = numPartitions or self.config.cores or 1
        with self.numbering():
            column = AttributeReference("id", LONG, False, next_id())
        return DataFrame(self, Range(first, last, step, slices, column))

    def createDataFrame(
        self,
        data: Iterable[object] | RDD,
        schema: Schema = None,
        samplingRatio: object = None,
        verifySchema: bool = True,
    ) -> DataFrame:
        """Rows of a program: tuples, lists, dicts or plain values.

        `schema` is DDL text (`id int, s string`), a list of names, a struct type, or None for `_1`, `_2`, ...; types
        that are not given are inferred from the values. The rows are only looked at for that.
        """
        rows = data.rows if isinstance(data, RDD) else list(data)
        if rows is None and not isinstance(schema, str | StructType):
            raise InputError("The rows are not known, so give their columns as a schema.")
        fields = fields_of(rows or [], schema, verifySchema)
        with self.numbering():
            columns = tuple(AttributeReference(f.name, f.data_type, f.nullable, next_id()) for f in fields)
            made = LogicalRDD(columns, next_id())
        return DataFrame(self, made)

    def sql(self, text: str, args: object = None, **kwargs: object) -> DataFrame:
        """A query as a DataFrame; of several statements the last counts, definitions change the session.

        A text that only defines gives a DataFrame without columns. Raises ParseError and AnalysisError.
        """
        with self.numbering():
            statements = parse_script(text, self.params, dialect=dialect_of(self.config))
        made: DataFrame | None = None
        for s in statements:
            made = None
            if s.kind == "query" and s.plan is not None:
                made = DataFrame(self, s.plan, s.sql)
            else:
                self.define(s)
        return made if made is not None else DataFrame(self, LocalRelation(()))

    def define(self, statement: Statement) -> None:
        """A statement that is no query: it changes the session."""
        self._define(statement)

    def _execution(self, s: Statement) -> QueryExecution:
        made = QueryExecution(s.sql, self.catalog, self.config, s, ids=self.ids)
        made.analyzer, made.caches = self.analyzer, self.caches
        return made

    def with_view(self, name: str, plan: LogicalPlan) -> None:
        """Know a plan under a name from now on (DataFrame.createOrReplaceTempView)."""
        self.catalog = self.catalog.with_view(View(name, plan))
