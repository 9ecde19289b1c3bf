"""What INSERT does with structs, arrays and maps: they are put together as the table has them."""

from __future__ import annotations

import re

import pytest

from planviz.config import OptimizerConfig
from planviz.execution import Session

TABLES = """CREATE TABLE n (id INT, s STRUCT<a:INT,b:STRUCT<c:DOUBLE>>, arr ARRAY<STRUCT<k:STRING>>, l ARRAY<INT>,
    m MAP<INT,STRUCT<p:INT>>) USING parquet"""


def last(sql, profile="spark-4.3"):
    *_, outcome = Session(config=OptimizerConfig.of(profile)).run(f"{TABLES}; {sql}")
    return outcome


def first_items(outcome):
    """The select list that stands right below the command, without the numbers of ids."""
    return re.sub(r"#\d+L?", "", outcome.execution.text("analyzed").split("\n")[1]).removeprefix("+- Project ")


# As Spark 4.3 printed it.
@pytest.mark.parametrize(
    ("sql", "items"),
    [
        (
            "INSERT INTO n SELECT * FROM n",
            "[id AS id, if (isnull(s)) null else named_struct(a, s.a, b, if (isnull(s.b)) null else named_struct(c, "
            "s.b.c)) AS s, transform(arr, lambdafunction(if (isnull(lambda element)) null else named_struct(k, lambda "
            "element.k), lambda element, false)) AS arr, l AS l, map_from_arrays(map_keys(m), transform(map_values(m), "
            "lambdafunction(if (isnull(lambda value)) null else named_struct(p, lambda value.p), lambda value, "
            "false))) AS m]",
        ),
        (
            "INSERT INTO n (id, s) VALUES (1, struct(2, struct(3)))",
            "[id AS id, named_struct(a, s.a, b, named_struct(c, cast(s.b.c as double))) AS s, null AS arr, null AS l, "
            "null AS m]",
        ),
        (
            "INSERT INTO n BY NAME SELECT named_struct('b', named_struct('c', 1.5D), 'a', 1) AS s, array(1L) AS l",
            "[null AS id, named_struct(a, s.a, b, named_struct(c, s.b.c)) AS s, null AS arr, transform(l, "
            "lambdafunction(cast(lambda element as int), lambda element, false)) AS l, null AS m]",
        ),
    ],
)
def test_nested_values_are_put_together_as_the_table_has_them(sql, items):
    outcome = last(sql)
    assert outcome.error is None
    assert first_items(outcome) == items


def test_fields_of_a_column_that_is_named_get_the_names_of_the_table():
    outcome = last("INSERT INTO n (id, arr) SELECT id, array(struct(1)) FROM n")
    lines = [re.sub(r"#\d+L?", "", line) for line in outcome.execution.text("analyzed").split("\n")]
    assert lines[2].endswith("Project [id AS id, cast(array(struct(1)) as array<struct<k:int>>) AS arr]")


def test_before_spark_4_1_nested_values_are_cast_as_a_whole():
    text = last("INSERT INTO n (id, s) VALUES (1, struct(2, struct(3)))", "spark-4.0").execution.text("analyzed")
    assert "as struct<a:int,b:struct<c:double>>)" in text


def test_values_nested_deep_are_put_together_in_time():
    depth = 40
    kind = "STRUCT<a:" * depth + "INT" + ">" * depth
    sql = f"CREATE TABLE d (v {kind}) USING parquet; INSERT INTO d SELECT v FROM d"
    *_, outcome = Session().run(sql)
    assert outcome.error is None
    assert outcome.execution.text("analyzed").count("named_struct(") == depth
