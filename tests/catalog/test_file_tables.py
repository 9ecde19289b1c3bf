"""What Spark keeps of CREATE TABLE: names in lower case, columns of files that may be null whatever was declared."""

from __future__ import annotations

import pytest

from planviz.catalog import Catalog
from planviz.execution import Session

COLUMNS = "(Id int NOT NULL, tags array<struct<n: int NOT NULL>>, Day date NOT NULL)"


def columns(statement):
    session = Session(Catalog())
    (outcome,) = session.run(statement)
    assert outcome.error is None
    (table,) = session.catalog.tables.values()
    return table


@pytest.mark.parametrize("provider", ["parquet", "orc", "csv", "json"])
def test_columns_of_files_are_nullable_and_partition_columns_are_as_declared(provider):
    table = columns(f"CREATE TABLE Sales.Visits {COLUMNS} USING {provider} PARTITIONED BY (Day)")
    assert [(c.name, c.nullable) for c in table.columns] == [("Id", True), ("tags", True), ("Day", False)]
    assert table.columns[1].data_type.element.fields[0].nullable
    assert table.qualified == ("spark_catalog", "sales", "visits")


def test_tables_that_keep_versions_keep_not_null():
    table = columns(f"CREATE TABLE Visits {COLUMNS} USING delta")
    assert [c.nullable for c in table.columns] == [False, True, False]


def test_another_catalogue_keeps_its_names():
    table = columns(f"CREATE TABLE Lake.Sales.Visits {COLUMNS} USING iceberg")
    assert table.qualified == ("Lake", "Sales", "Visits")


def test_not_null_columns_of_files_are_tested_for_null():
    session = Session(Catalog())
    script = "CREATE TABLE t (a int NOT NULL) USING parquet; CREATE TABLE u (a int NOT NULL) USING parquet;"
    *_, outcome = session.run(script + " SELECT count(*) FROM t JOIN u ON t.a = u.a", "optimized")
    assert outcome.execution.text("optimized").count("Filter isnotnull(a#") == 2
