"""INSERT puts in the DEFAULT of a column where nothing is given for it, or where DEFAULT stands."""

from __future__ import annotations

import re

import pytest

from planviz.execution import Session

TABLE = "CREATE TABLE d (a INT, b BIGINT DEFAULT 3 + 4, c STRING DEFAULT 'x' || 'y', e DECIMAL(5,2) DEFAULT 1.5)"
SOURCE = "CREATE TABLE s (k INT)"


def last(sql):
    *_, outcome = Session().run(f"{TABLE}; {SOURCE}; {sql}")
    return outcome


# What Spark 4.3 printed below the command that writes, without the numbers of ids.
@pytest.mark.parametrize(
    ("sql", "lines"),
    [
        (
            "INSERT INTO d (a) VALUES (1)",
            ["Project [a AS a, 7 AS b, xy AS c, 1.50 AS e]", "Project [col1 AS a]", "LocalRelation [col1]"],
        ),
        (
            "INSERT INTO d SELECT 1, DEFAULT, 'z', DEFAULT",
            [
                "Project [1 AS a, DEFAULT AS b, z AS c, DEFAULT AS e]",
                "Project [1 AS 1, 7 AS DEFAULT, z AS z, 1.50 AS DEFAULT]",
                "OneRowRelation",
            ],
        ),
        (
            "INSERT INTO d (b, a) SELECT default, k FROM s ORDER BY k",
            [
                "Project [a AS a, b AS b, xy AS c, 1.50 AS e]",
                "Project [DEFAULT AS b, k AS a]",
                "Sort [k ASC NULLS FIRST], true",
                "Project [7 AS DEFAULT, k]",
            ],
        ),
        (
            "INSERT INTO d (c, a) VALUES ('q', 1), (DEFAULT, 2)",
            [
                "Project [a AS a, 7 AS b, c AS c, 1.50 AS e]",
                "Project [col1 AS c, col2 AS a]",
                "LocalRelation [col1, col2]",
            ],
        ),
        # A column without DEFAULT has null.
        (
            "INSERT INTO d (a, b) SELECT DEFAULT, 1",
            [
                "Project [a AS a, cast(b as bigint) AS b, xy AS c, 1.50 AS e]",
                "Project [DEFAULT AS a, 1 AS b]",
                "Project [null AS DEFAULT, 1 AS 1]",
                "OneRowRelation",
            ],
        ),
    ],
)
def test_a_column_has_its_default_where_nothing_is_given(sql, lines):
    outcome = last(sql)
    assert outcome.error is None
    text = re.sub(r"#\d+L?", "", outcome.execution.text("analyzed"))
    assert [line.lstrip(" +-:") for line in text.split("\n")[1:]][: len(lines)] == lines


@pytest.mark.parametrize(
    ("sql", "error_class"),
    [
        ("INSERT INTO d VALUES (1, DEFAULT + 1, 'z', 2)", "DEFAULT_PLACEMENT_INVALID"),
        ("INSERT INTO d (a, b) SELECT k, DEFAULT AS q FROM s", "DEFAULT_PLACEMENT_INVALID"),
        ("INSERT INTO d (a) SELECT * FROM (SELECT DEFAULT)", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
        ("INSERT INTO d (a, b) SELECT DEFAULT, k FROM s UNION ALL SELECT 1, 2", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("INSERT INTO d VALUES (1, DEFAULT)", "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS"),
        ("SELECT DEFAULT", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"),
    ],
)
def test_default_is_the_whole_value_of_a_column(sql, error_class):
    assert last(sql).error.error_class == error_class


def test_nobody_knows_the_defaults_of_a_table_that_nobody_describes():
    *_, outcome = Session(infer=True).run("INSERT INTO nowhere SELECT k, DEFAULT FROM s")
    assert outcome.error is None
    assert outcome.execution is None
