"""What of a pasted catalogue enters a statement is data: formats and names on a list, or nothing is made."""

from __future__ import annotations

import pytest

from planviz.catalog.files import read_catalog, write_catalog
from planviz.catalog.tables import Catalog, Table
from planviz.errors import InputError
from planviz.spark.tables import register_catalog
from planviz.types import INT, StructField


class Session:
    """Stands for Spark's: whoever reaches it has gone too far."""

    def __getattr__(self, name: str) -> None:
        raise AssertionError(f"session.{name} was reached")


@pytest.mark.parametrize(
    "provider",
    ["jdbc OPTIONS (url 'jdbc:derby:memory:x;create=true')", "text OPTIONS (path '/etc/passwd')", "text",
     "jdbc", "kafka", "socket",
     "parquet LOCATION '/etc'", "parquet; DROP TABLE x", "org.apache.spark.sql.jdbc", "`parquet`", "parquet\n"],
)  # fmt: skip
def test_a_format_that_is_not_on_the_list_makes_no_statement(provider: str) -> None:
    text = write_catalog(Catalog().with_table(Table("t", (StructField("a", INT, True),), provider=provider)))
    assert read_catalog(text).tables
    with pytest.raises(InputError, match="a live Spark is given only tables of"):
        register_catalog(Session(), text)


@pytest.mark.parametrize(("database", "name"), [("../x", "t"), ("d", "a b"), ("d`", "t"), ("d", "t\n")])
def test_a_name_that_spark_does_not_take_makes_no_statement(database: str, name: str) -> None:
    text = write_catalog(Catalog().with_table(Table(name, (StructField("a", INT, True),), database=database)))
    with pytest.raises(InputError, match="is no name of a table or database"):
        register_catalog(Session(), text)
