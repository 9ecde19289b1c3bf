from __future__ import annotations

import pytest

from planviz.catalogs import read
from planviz.errors import InputError

SHELL = """
spark-sql (default)> DESCRIBE EXTENDED sales;
id                  \tbigint              \t                    
amount              \tdecimal(12,2)       \tnet, without tax
day                 \tdate                \t                    
# Partition Information\t                    \t                    
# col_name          \tdata_type           \tcomment             
day                 \tdate                \t                    
                    \t                    \t                    
# Detailed Table Information\t                    \t                    
Catalog             \tspark_catalog       \t                    
Database            \tshop                \t                    
Table               \tsales               \t                    
Type                \tMANAGED             \t                    
Provider            \tORC                 \t                    
Statistics          \t123 bytes, 456 rows \t                    
Time taken: 0.05 seconds, Fetched 14 row(s)
"""  # noqa: W291 (as the shell pads its cells)

SHOWN = """
+----------------------------+----------------------+-------+
|col_name                    |data_type             |comment|
+----------------------------+----------------------+-------+
|a                           |int                   |NULL   |
|xs                          |array<struct<k:string>>|NULL  |
|                            |                      |       |
|# Detailed Table Information|                      |       |
|Table                       |t                     |       |
|Statistics                  |77 bytes              |       |
+----------------------------+----------------------+-------+
"""

COLUMN = """DESCRIBE EXTENDED t a;
col_name\ta
data_type\tint
comment\tNULL
min\t1
max\t30
num_nulls\t2
distinct_count\t9
avg_col_len\t4
max_col_len\t4
histogram\tNULL
"""


def test_the_shell_s_description():
    table = read(SHELL).table(("shop", "sales"))

    assert table is not None
    assert [(c.name, c.data_type.simple_string) for c in table.columns] == [
        ("id", "bigint"), ("amount", "decimal(12,2)"), ("day", "date"),
    ]  # fmt: skip
    assert (table.provider, table.partition_columns) == ("orc", ("day",))
    assert (table.size_in_bytes, table.row_count) == (123, 456)


def test_a_description_with_bars():
    table = read(SHOWN).table(("t",))

    assert table is not None
    assert table.columns[1].data_type.simple_string == "array<struct<k:string>>"
    assert (table.size_in_bytes, table.row_count) == (77, None)


def test_two_descriptions_and_a_column_s_statistics():
    catalog = read(SHELL + SHOWN + COLUMN)
    statistics = catalog.table(("t",)).statistics_of("a")

    assert catalog.names() == ["shop.sales", "t"]
    assert (statistics.min, statistics.max, statistics.null_count, statistics.distinct_count) == ("1", "30", 2, 9)
    assert (statistics.avg_len, statistics.histogram) == (4, None)


def test_descriptions_of_columns_go_with_ddl():
    shown = "+---------+----------+\n|info_name|info_value|\n+---------+----------+\n"
    shown += "|col_name |b         |\n|data_type|string    |\n|distinct_count|7     |\n+---------+----------+\n"
    catalog = read("CREATE TABLE t (a INT, b STRING);\n" + COLUMN + shown)

    assert catalog.table(("t",)).statistics_of("a").max == "30"
    assert catalog.table(("t",)).statistics_of("b").distinct_count == 7


def test_a_plain_description_needs_its_command():
    text = "col_name\tdata_type\tcomment\na\tint\tNULL\n"

    assert read("DESC my.t\n" + text).table(("my", "t")).columns[0].name == "a"
    with pytest.raises(InputError, match="line 1 on does not say of which table"):
        read(text)


def test_statistics_of_a_column_that_nothing_has():
    with pytest.raises(InputError, match="column a belong to no table"):
        read(COLUMN)


def test_show_create_table_in_every_form():
    plain = "CREATE TABLE spark_catalog.default.a (\n  x INT,\n  y STRING)\nUSING parquet\n"
    bars = (
        "+--------------+\n|createtab_stmt|\n+--------------+\n|CREATE TABLE b (\n  z\tdouble\n)\nUSING orc\n|\n+---+\n"
    )
    shell = "createtab_stmt\nCREATE TABLE c (\n  w    int\n)\nUSING json\nTime taken: 0.1 seconds, Fetched 1 row(s)\n"
    catalog = read(plain + bars + shell)

    assert catalog.names() == ["a", "b", "c"]
    assert catalog.table(("b",)).provider == "orc"
    assert catalog.table(("c",)).columns[0].name == "w"
