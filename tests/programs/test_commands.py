"""Commands whose rows a program reads: their columns are known, and how plans show them."""

from __future__ import annotations

import re

import pytest

from planviz.catalogs import read
from planviz.programs import read_program

_TABLES = "CREATE TABLE t (a INT, b STRING);"


def _read(text):
    return read_program(text, read(_TABLES))


def _plain(text):
    return re.sub(r"#\d+L?", "", text)


@pytest.mark.parametrize(
    ("command", "columns"),
    [
        ("SHOW TABLES", ["namespace", "tableName", "isTemporary"]),
        ("show tables in default like 'a*'", ["namespace", "tableName", "isTemporary"]),
        ("SHOW DATABASES", ["namespace"]),
        ("show columns in t", ["col_name"]),
        ("SHOW CREATE TABLE t", ["createtab_stmt"]),
        ("describe t", ["col_name", "data_type", "comment"]),
        ("DESC EXTENDED default.t", ["col_name", "data_type", "comment"]),
        ("describe database default", ["info_name", "info_value"]),
        ("show tblproperties t", ["key", "value"]),
        ("SHOW FUNCTIONS", ["function"]),
        ("SET", ["key", "value"]),
        ("set spark.sql.ansi.enabled", ["key", "value"]),
    ],
)
def test_what_is_asked_of_the_rows_of_a_command_is_there(command, columns):
    program = _read(f"d = spark.sql({command!r})\nd.select({', '.join(map(repr, columns))}).filter('1 = 1').show()\n")

    assert program.error is None
    assert [a.name for a in program.actions[-1].execution.analyzed.output] == columns
    assert "CommandResult [" in program.actions[-1].execution.text("physical")


def test_a_command_is_shown_as_spark_shows_it():
    tables, described = _read("spark.sql('SHOW TABLES').show()\nspark.sql('describe t').show()\n").actions

    assert _plain(tables.execution.text("parsed")).splitlines() == [
        "'ShowTables [namespace, tableName, isTemporary]",
        "+- 'CurrentNamespace$",
    ]
    assert _plain(tables.execution.text("physical")).splitlines() == [
        "CommandResult [namespace, tableName, isTemporary]",
        "   +- ShowTables [namespace, tableName, isTemporary], V2SessionCatalog(spark_catalog), [default]",
    ]
    assert _plain(described.execution.text("physical")).splitlines() == [
        "CommandResult [col_name, data_type, comment]",
        "   +- Execute DescribeTableCommand",
        "         +- DescribeTableCommand `spark_catalog`.`default`.`t`, false, [col_name, data_type, comment]",
        "            +- ResolvedTable V2SessionCatalog(spark_catalog), default.t, V1Table(default.t), [a, b]",
    ]


def test_rows_of_commands_lead_to_tables():
    program = _read("for r in spark.sql('show tables').collect():\n    spark.table(r.tableName).count()\n")

    assert program.error is None
    assert [a.name for a in program.actions] == ["collect", "count"]


def test_texts_that_are_nearly_commands_take_no_time():
    program = _read(f"spark.sql('show tables{' ' * 1900}x').show()\n")

    assert [a.name for a in program.actions] in ([], ["show"])
