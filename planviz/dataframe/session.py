"""Where DataFrames begin: tables, ranges, rows and SQL of one session."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from planviz.analysis import Analyzer
from planviz.catalog.tables import Catalog, View
from planviz.config import OptimizerConfig
from planviz.dataframe.column import name_parts
from planviz.dataframe.frame import DataFrame
from planviz.dataframe.python import UDFRegistration
from planviz.dataframe.rdd import RDD
from planviz.dataframe.readers import DataFrameReader, relation
from planviz.dataframe.services import RuntimeConfig, SparkContext
from planviz.errors import InputError
from planviz.execution import QueryExecution, Session
from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.ids import Ids, ids_from, next_id
from planviz.frontend import Statement, parse_script
from planviz.frontend.dialect import reading
from planviz.logical.plan import LogicalPlan
from planviz.logical.relations import LocalRelation, LogicalRDD, Range
from planviz.logical.unresolved import UnresolvedRelation
from planviz.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    LONG,
    NULL,
    STRING,
    TIMESTAMP,
    ArrayType,
    DataType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    parse_fields,
    parse_type,
    wider_type,
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
        self.ids = Ids()
        self._frames = itertools.count(1)
        self._analyzer: Analyzer | None = None

    def next_number(self) -> int:
        """The number of one more DataFrame of this session."""
        return next(self._frames)

    @property
    def udf(self) -> UDFRegistration:
        """Where functions written in Python are made known to SQL: `spark.udf.register(name, f, returnType)`."""
        return UDFRegistration(self)

    @property
    def read(self) -> DataFrameReader:
        """Where files and other sources are read: `spark.read.schema(...).csv(path)`."""
        return DataFrameReader(self)

    @property
    def readStream(self) -> DataFrameReader:
        """Where streams are read."""
        return DataFrameReader(self)

    @property
    def conf(self) -> RuntimeConfig:
        """The settings: `spark.conf.set(name, value)`."""
        return RuntimeConfig(self)

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

    def act(self, name: str, frame: object) -> Expression:
        """What an action on a DataFrame gives. Raises InputError: there is no data here."""
        raise InputError(f"{name} would need the data: planviz plans queries and executes none.")

    def missing_column(self, plan: LogicalPlan, parts: tuple[str, ...]) -> None:
        """A DataFrame of this plan is asked for a column that it does not have."""

    def act_on_rows(self, rows: RDD) -> LogicalPlan:
        """What an action on an RDD gives. Raises InputError: there is no data here."""
        raise InputError("An RDD's rows would be needed: planviz plans queries and executes none.")

    def pivot_values(self, frame: object, column: object) -> list[Expression]:
        """The values of a pivot's column, for which Spark runs a query. Raises InputError: there is no data here."""
        raise InputError("Finding the values of a pivot would need the data: list them, pivot('c', ['x', 'y']).")

    def note_dropped(self, plan: LogicalPlan) -> None:
        """A plan gives the columns of another one without some."""

    def note_table(self, name: str, frame: object) -> None:
        """A DataFrame was written as a table."""

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

    def table(self, name: str) -> DataFrame:
        """A table or view. Raises AnalysisError TABLE_OR_VIEW_NOT_FOUND."""
        return DataFrame(self, UnresolvedRelation(name_parts(name)))

    def range(
        self,
        start: int,
        end: int | None = None,
        step: int = 1,
        numPartitions: int | None = None,
    ) -> DataFrame:
        """The numbers from `start` up to `end` (from 0 when only one is given) as the column `id`.

        Without `numPartitions` the plan shows `spark.default.parallelism`, 1 when that is not set.
        """
        first, last = (0, start) if end is None else (start, end)
        slices = numPartitions or int(self.config.get("spark.default.parallelism") or 1)
        with self.numbering():
            column = AttributeReference("id", LONG, False, next_id())
        return DataFrame(self, Range(first, last, step, slices, column))

    def createDataFrame(
        self,
        data: Iterable[object] | RDD,
        schema: object = None,
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
        fields = _fields(rows or [], schema)
        with self.numbering():
            columns = tuple(AttributeReference(f.name, f.data_type, f.nullable, next_id()) for f in fields)
        return DataFrame(self, LogicalRDD(columns))

    def sql(self, text: str, args: object = None, **kwargs: object) -> DataFrame:
        """A query as a DataFrame; of several statements the last counts, definitions change the session.

        A text that only defines gives a DataFrame without columns. Raises ParseError and AnalysisError.
        """
        with self.numbering(), reading(self.config):
            statements = parse_script(text, self.params)
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


def _fields(rows: list[object], schema: Any) -> Sequence[StructField]:
    if isinstance(schema, str):
        return _named_fields(schema)
    if isinstance(schema, StructType):
        return schema.fields
    if isinstance(schema, DataType):
        return [StructField("value", schema)]
    if not rows:
        raise InputError("Without rows the types cannot be inferred: give a schema such as 'id int, name string'.")
    names = list(schema) if schema is not None else None
    records = [_record(r) for r in rows]
    width = max(len(r) for r in records)
    labels = names or [k for r in records[:1] for k, _ in r]
    if len(labels) < width:
        labels += [f"_{i + 1}" for i in range(len(labels), width)]
    types: list[DataType] = [NULL] * len(labels)
    for r in records:
        for i, (_, v) in enumerate(r):
            types[i] = _merged(types[i], _type_of(v))
    return [StructField(n, t) for n, t in zip(labels, types, strict=True)]


def _named_fields(text: str) -> Sequence[StructField]:
    """The fields of a column list, of a struct's type, or one called `value` of any other type."""
    try:
        return parse_fields(text)
    except InputError as no_list:
        try:
            kind = parse_type(text)
        except InputError:
            raise no_list from None
    return kind.fields if isinstance(kind, StructType) else [StructField("value", kind)]


def _record(row: Any) -> list[tuple[str, object]]:
    if isinstance(row, dict):
        return list(row.items())
    if isinstance(row, tuple) and hasattr(row, "_fields"):
        return list(zip(row._fields, row, strict=True))
    values = row if isinstance(row, list | tuple) else [row]
    return [(f"_{i + 1}", v) for i, v in enumerate(values)]


_TYPES: list[tuple[type, DataType]] = [
    (type(None), NULL), (bool, BOOLEAN), (int, LONG), (float, DOUBLE), (str, STRING), (bytes, BINARY),
    (Decimal, DecimalType(38, 18)), (datetime, TIMESTAMP), (date, DATE),
]  # fmt: skip


def _type_of(value: object) -> DataType:
    if isinstance(value, list):
        return ArrayType(_type_of(value[0]) if value else NULL)
    if isinstance(value, dict):
        key, v = next(iter(value.items()), (None, None))
        return MapType(_type_of(key), _type_of(v))
    if isinstance(value, tuple):
        return StructType(tuple(StructField(n, _type_of(v)) for n, v in _record(value)))
    found = next((t for kind, t in _TYPES if isinstance(value, kind)), None)
    if found is None:
        raise InputError(f"A {type(value).__name__} has no type in SQL; give a schema or plain values.")
    return found


def _merged(a: DataType, b: DataType) -> DataType:
    common = wider_type(a, b)
    if common is None:
        raise InputError(f"A column holds {a.simple_string} and {b.simple_string}; give a schema.")
    return common
