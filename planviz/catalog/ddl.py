"""Tables from the columns of CREATE TABLE."""

from __future__ import annotations

from planviz.catalog.tables import DATABASE, Buckets, Catalog, Table, placed
from planviz.types import STRING, CharType, StructField


def table_of(
    name: tuple[str, ...],
    columns: tuple[StructField, ...],
    provider: str = "parquet",
    partition_columns: tuple[str, ...] = (),
    buckets: Buckets | None = None,
) -> Table:
    """A table without statistics. Plans see char and varchar columns as strings, as Spark does when reading."""
    plain = tuple(
        StructField(c.name, STRING if isinstance(c.data_type, CharType) else c.data_type, c.nullable) for c in columns
    )
    chars = tuple(
        (c.name, c.data_type.length) for c in columns if isinstance(c.data_type, CharType) and not c.data_type.varying
    )
    table = Table(name[-1], plain, DATABASE, provider, partition_columns, buckets=buckets, char_lengths=chars)
    return placed(table, name)


def with_table(
    catalog: Catalog, name: tuple[str, ...], columns: tuple[StructField, ...], provider: str = "parquet"
) -> Catalog:
    """The catalogue with one more table."""
    return catalog.with_table(table_of(name, columns, provider))
