"""Tables from the columns of CREATE TABLE."""

from __future__ import annotations

from dataclasses import replace

from planviz.catalog.tables import CATALOG, DATABASE, TRANSACTIONAL, Buckets, Catalog, Table, placed
from planviz.types import CharType, StructField, as_nullable, without_lengths


def table_of(
    name: tuple[str, ...],
    columns: tuple[StructField, ...],
    provider: str = "parquet",
    partition_columns: tuple[str, ...] = (),
    buckets: Buckets | None = None,
) -> Table:
    """A table without statistics, as Spark reads it.

    char and varchar columns are strings. NOT NULL counts in tables that keep versions and for partition columns; a
    table of files may hold nulls all the same, so its columns and what is nested in them are nullable
    (Spark: HadoopFsRelation's dataSchema.asNullable). Spark's own catalogue writes names in lower case.
    """
    partitions = {p.lower() for p in partition_columns}
    plain = tuple(
        replace(c, data_type=without_lengths(c.data_type))
        if provider in TRANSACTIONAL or c.name.lower() in partitions
        else StructField(c.name, as_nullable(without_lengths(c.data_type)))
        for c in columns
    )
    chars = tuple(
        (c.name, c.data_type.length) for c in columns if isinstance(c.data_type, CharType) and not c.data_type.varying
    )
    table = Table(name[-1], plain, DATABASE, provider, partition_columns, buckets=buckets, char_lengths=chars)
    table = placed(table, name)
    if table.catalog != CATALOG:
        return table
    return replace(table, name=table.name.lower(), database=table.database.lower())


def with_table(
    catalog: Catalog, name: tuple[str, ...], columns: tuple[StructField, ...], provider: str = "parquet"
) -> Catalog:
    """The catalogue with one more table."""
    return catalog.with_table(table_of(name, columns, provider))
