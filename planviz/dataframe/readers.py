"""Where rows come from that are no table: PySpark's DataFrameReader, `spark.read.schema(...).csv(path)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from planviz.catalog.tables import Table
from planviz.dataframe.refusals import BadValue, UnexpectedType
from planviz.expressions.core import AttributeReference, Expression
from planviz.expressions.ids import next_id
from planviz.logical.relations import LogicalRelation
from planviz.logical.streams import shown_options
from planviz.types import STRING, DataType, StructField, StructType, as_nullable, parse_fields

if TYPE_CHECKING:
    from planviz.dataframe.frame import DataFrame
    from planviz.dataframe.session import SparkSession

#: Options of `csv` that may be given by place.
_CSV = ("sep", "encoding", "quote", "escape", "comment", "header", "inferSchema")
#: Files of which a stream has to be told the columns.
_WITH_SCHEMA = ("csv", "json", "parquet", "orc", "xml")
#: What formats give whatever the files hold.
_FIXED = {
    "text": (StructField("value", STRING),),
    "socket": (StructField("value", STRING),),
    "rate-micro-batch": tuple(parse_fields("timestamp timestamp, value bigint")),
    "rate": tuple(parse_fields("timestamp timestamp, value bigint")),
    "kafka": tuple(
        parse_fields(
            "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp, "
            "timestampType int"
        )
    ),
}


class DataFrameReader:
    """How files or another source are to be read. Every method gives the same reader."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        self.provider = "parquet"
        self.fields: tuple[StructField, ...] | None = None
        self.given: dict[str, object] = {}
        #: The names of the options as they were written.
        self.written: dict[str, str] = {}

    def format(self, source: object) -> Self:
        """The kind of files, or the name of another source."""
        self.provider = str(source)
        return self

    def option(self, key: Expression, value: object) -> Self:
        """A setting of the source."""
        self.given[str(key).lower()] = value
        self.written[str(key).lower()] = str(key)
        return self

    def options(self, **options: object) -> Self:
        """Several of them."""
        self.given.update({k.lower(): v for k, v in options.items()})
        self.written.update({k.lower(): k for k in options})
        return self

    def schema(self, schema: object) -> Self:
        """The columns: a struct type or DDL text. Raises UnexpectedType for anything else."""
        if isinstance(schema, str):
            self.fields = tuple(parse_fields(schema))
        elif isinstance(schema, StructType):
            self.fields = schema.fields
        else:
            raise UnexpectedType("schema", "str or struct type", schema)
        return self

    def load(self, path: object = None, format: object = None, schema: object = None, **options: object) -> DataFrame:
        """The rows. Raises InputError where nothing says what columns they have."""
        if format is not None:
            self.format(format)
        if schema is not None:
            self.schema(schema)
        self.options(**options)
        fields = self.fields or _FIXED.get(self.provider.lower())
        if (
            fields is None
            and self.provider.lower() in ("delta", "iceberg")
            and isinstance(path, str)
            and "/" not in path
        ):
            return self.session.table(path)
        return self.session.from_source(self.provider, path if path is not None else self._place(), fields, self.given)

    def _place(self) -> object:
        found = (self.given.get(k) for k in ("path", "dbtable", "table", "query", "subscribe", "collection"))
        return next((v for v in found if v is not None), self.provider)

    def table(self, tableName: str) -> DataFrame:
        """A table."""
        return self.session.table(tableName)

    def parquet(self, *paths: object, **options: object) -> DataFrame:
        """Files of parquet."""
        return self.load(_one(paths), "parquet", **options)

    def orc(self, path: object, **options: object) -> DataFrame:
        """Files of ORC."""
        return self.load(path, "orc", **options)

    def csv(self, path: object, schema: object = None, *given: object, **options: object) -> DataFrame:
        """Files of CSV."""
        options = {**dict(zip(_CSV, given, strict=False)), **options}
        return self.load(path, "csv", schema, **options)

    def json(self, path: object, schema: object = None, *given: object, **options: object) -> DataFrame:
        """Files of JSON."""
        return self.load(path, "json", schema, **options)

    def xml(self, path: object, *given: object, **options: object) -> DataFrame:
        """Files of XML."""
        return self.load(path, "xml", **options)

    def text(self, paths: object, *given: object, **options: object) -> DataFrame:
        """Files of text, a row for each line."""
        return self.load(paths, "text", **options)

    def jdbc(self, url: object, table: object, *given: object, **options: object) -> DataFrame:
        """A table of another database."""
        return self.load(table, "jdbc")


class DataStreamReader(DataFrameReader):
    """PySpark's DataStreamReader: the same with rows that keep coming."""

    #: Whether a path was given.
    paths = False

    def load(self, path: object = None, format: object = None, schema: object = None, **options: object) -> DataFrame:
        """The rows. Raises InputError where nothing says what columns they have."""
        self.paths = path is not None or "path" in self.given
        provider = str(format or self.provider).lower()
        inferred = str(self.session.conf.get("spark.sql.streaming.schemaInference", "false")).lower() == "true"
        if schema is None and self.fields is None and provider in _WITH_SCHEMA and not inferred:
            told = "Schema must be specified when creating a streaming source DataFrame."
            raise BadValue("_LEGACY_ERROR_TEMP_2048", told, "IllegalArgumentException")
        return self.session.streaming(super().load(path, format, schema, **options), self)

    def table(self, tableName: str) -> DataFrame:
        """A table."""
        return self.session.streaming(super().table(tableName), self)

    @property
    def shown_options(self) -> tuple[str, ...]:
        """What was given, as plans print it."""
        return shown_options({self.written.get(k, k): v for k, v in self.given.items()})


def _one(paths: tuple[object, ...]) -> object:
    return paths[0] if len(paths) == 1 else list(paths)


def relation(
    provider: str, path: object, fields: tuple[StructField, ...], folders: tuple[str, ...] = (), size: int | None = None
) -> LogicalRelation:
    """Files with these columns, which may all be null, as Spark takes them from files.

    `folders` are the names of those that stand in the names of folders, `size` the bytes where they are known.
    """
    columns = tuple(AttributeReference(f.name, _nullable(f.data_type), True, next_id()) for f in fields)
    place = path if isinstance(path, str) else str(path)
    inside = tuple(StructField(a.name, a.type) for a in columns)
    table = Table(place, inside, provider=provider, partition_columns=folders, size_in_bytes=size)
    return LogicalRelation(columns, (), table, provider)


def _nullable(t: DataType) -> DataType:
    return as_nullable(t)
