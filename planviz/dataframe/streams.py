"""Streams as a program reads them: sources that keep coming, and how late their rows may come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planviz.catalog.tables import FILE_FORMATS, Table
from planviz.errors import AnalysisError, shown
from planviz.expressions.core import AttributeReference, Literal
from planviz.frontend.literals import interval_text
from planviz.logical.relations import LogicalRelation
from planviz.logical.streams import (
    OBJECT,
    PROVIDERS,
    EventTimeWatermark,
    MarkedRelation,
    NamedSource,
    StreamingRelation,
    StreamingRelationV2,
    UnmarkedRelation,
)
from planviz.types import TIMESTAMP, UNKNOWN, StructType

if TYPE_CHECKING:
    from planviz.dataframe.readers import DataStreamReader
    from planviz.versions import Behaviour


def source_of(relation: LogicalRelation, reader: DataStreamReader, known: Behaviour) -> NamedSource:
    """What reads the rows of a table or of files as they keep coming, as a version of Spark shows it."""
    table = relation.table if isinstance(relation.table, Table) else Table("", ())
    provider, columns = reader.provider.lower(), relation.attributes
    second = provider in PROVIDERS and not relation.name
    place = f"file:/{relation.name[-1]}" if relation.name else table.name
    source = f"FileSource[{place}]" if relation.name or provider in FILE_FORMATS else provider
    if known.streams_are_named and second:
        return StreamingRelationV2(columns, table, provider, reader.shown_options)
    if known.streams_are_named:
        return StreamingRelation(columns, table, source, relation.name)
    earlier = MarkedRelation if known.streams_are_marked else UnmarkedRelation
    if second:
        return earlier(columns, table, provider, (), reader.shown_options)
    fields = ",".join(f"StructField({a.name},{a.type.scala_name},true)" for a in columns)
    session = f"org.apache.spark.sql.{'classic.' if known.streams_are_marked else ''}SparkSession{OBJECT}"
    schema = f"Some(StructType({fields}))"
    described = f"DataSource({session},{provider},List(),{schema},List(),None,Map(path -> {place}),None)"
    return earlier(columns, table, source, relation.name, (), described)


def parsed_delay(text: str) -> tuple[str, int]:
    """A delay as plans print it, and in milliseconds (a month has 31 days).

    Raises AnalysisError CANNOT_PARSE_INTERVAL for a text that is no time.
    """
    found = interval_text(text, calendar=True)
    value = found.value if isinstance(found, Literal) else None
    if not isinstance(value, tuple) or not isinstance(found, Literal):
        raise AnalysisError("CANNOT_PARSE_INTERVAL", f"Unable to parse {shown(text)} as an interval.")
    months, days, micros = (v if isinstance(v, int) else 0 for v in value)
    return str(found), (months * 31 + days) * 86_400_000 + micros // 1000


def check_moment(watermark: EventTimeWatermark) -> None:
    """Raise AnalysisError where rows are to be late by a column that is no moment."""
    column = watermark.column
    if not isinstance(column, AttributeReference) or column.type in (TIMESTAMP, UNKNOWN):
        return
    ends = column.type.fields[-1] if isinstance(column.type, StructType) and column.type.fields else None
    if ends is None or ends.name != "end" or ends.data_type != TIMESTAMP:
        raise AnalysisError(
            "EVENT_TIME_IS_NOT_ON_TIMESTAMP_TYPE",
            f'The event time `{column.name}` has the invalid type "{column.type.sql}", but expected "TIMESTAMP".',
        )
