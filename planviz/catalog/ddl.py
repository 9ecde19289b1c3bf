"""Tables from the columns of CREATE TABLE."""

from __future__ import annotations

from dataclasses import replace

from planviz.catalog.tables import CATALOG, DATABASE, TRANSACTIONAL, Buckets, Catalog, Table, placed
from planviz.types import StructField, as_nullable


def table_of(
    name: tuple[str, ...],
    columns: tuple[StructField, ...],
    provider: str = "parquet",
    partition_columns: tuple[str, ...] = (),
    buckets: Buckets | None = None,
    database: str = DATABASE,
) -> Table:
    """A table without statistics, as Spark reads it; in `database` where its name says none.

    char and varchar columns are strings. NOT NULL counts in tables that keep versions and for partition columns; a
    table of files may hold nulls all the same, so its columns and what is nested in them are nullable
    (Spark: HadoopFsRelation's dataSchema.asNullable). Partition columns stand behind the others, in the order of
    PARTITIONED BY, wherever they were written. Spark's own catalogue writes names in lower case.
    """
    partitions = {p.lower() for p in partition_columns}
    plain = tuple(
        c
        if provider in TRANSACTIONAL or c.name.lower() in partitions
        else StructField(c.name, as_nullable(c.data_type))
        for c in columns
    )
    if provider not in TRANSACTIONAL:
        places = {p.lower(): i for i, p in enumerate(partition_columns, 1)}
        plain = tuple(sorted(plain, key=lambda c: places.get(c.name.lower(), 0)))
    table = Table(name[-1], plain, database, provider, partition_columns, buckets=buckets)
    table = placed(table, name)
    if table.catalog != CATALOG:
        return table
    return replace(table, name=table.name.lower(), database=table.database.lower())


def with_table(
    catalog: Catalog, name: tuple[str, ...], columns: tuple[StructField, ...], provider: str = "parquet"
) -> Catalog:
    """The catalogue with one more table."""
    return catalog.with_table(table_of(name, columns, provider))
