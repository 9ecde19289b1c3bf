"""Rows of Scala's sequences: the plans that spark-shell 4.3 printed for the same lines."""

from __future__ import annotations

import pytest

from planviz.programs import read_program
from tests.plans import canonical

HEAD = "import spark.implicits._\nimport org.apache.spark.sql.functions._\n"


def action(text):
    program = read_program(HEAD + text)
    assert program.error is None, program.error
    return program.actions[-1].execution


@pytest.mark.parametrize(
    ("rows", "columns"),
    [
        ('Seq((1, "a", 1.5, true, 2L)).toDF', "_1 int, _2 string, _3 double, _4 boolean, _5 bigint"),
        ('Seq(1, 2).toDF("x")', "x int"),
        ('Seq("a").toDS', "value string"),
        ('(1 to 3).toDF("n")', "n int"),
        ("spark.createDataset(Seq(1, 2))", "value int"),
        ('spark.createDataFrame(Seq((1, "a"))).toDF("id", "v")', "id int, v string"),
        ('List((Seq(1), Map("a" -> 1L), (1, "z"))).toDF("a", "m", "t")',
         "a array<int>, m map<string,bigint>, t struct<_1:int,_2:string>"),
        ('Seq((1, Option(2), null.asInstanceOf[String])).toDF("a", "b", "c")', "a int, b int, c string"),
        ('Seq((java.sql.Date.valueOf("2020-01-01"), BigDecimal("1.5"))).toDF("d", "p")', "d date, p decimal(38,18)"),
        ('case class P(name: String, age: Long, o: Option[Int], xs: Seq[Double])\nSeq(P("a", 1, None, Seq())).toDF',
         "name string, age bigint, o int, xs array<double>"),
    ],
)  # fmt: skip
def test_the_types_are_those_of_scala(rows, columns):
    lines = rows.split("\n")
    query = action("\n".join([*lines[:-1], f"{lines[-1]}.show()"]))

    assert ", ".join(f"{a.name} {a.type.simple_string}" for a in query.analyzed.output) == columns


def test_a_sequence_is_a_local_relation():
    query = action('Seq((1, "a"), (2, "b")).toDF("id", "v").filter($"id" > 1).show()\n')

    assert canonical(query.text("analyzed")) == canonical(
        "Filter (id#3 > 1)\n+- Project [_1#1 AS id#3, _2#2 AS v#4]\n   +- LocalRelation [_1#1, _2#2]\n"
    )
    assert canonical(query.text("optimized")) == canonical("LocalRelation [id#3, v#4]\n")


def test_numbers_that_are_never_null_need_no_test():
    left = 'val a = Seq((1, "x")).toDF("id", "v")\nval b = Seq((1, 2.0)).toDF("id", "w")\n'

    assert "isnotnull" not in action(f'{left}a.join(b, Seq("id")).show()\n').text("optimized")


def test_what_pyspark_leaves_out_of_import_star_is_there():
    query = action('Seq((1, "a")).toDF("id", "v").agg(countDistinct("v"), min("id")).show()\n')

    assert query.text("analyzed").startswith("Aggregate [count(distinct v#")


def test_a_long_number_stays_one():
    query = action('Seq(1).toDF("x").select(lit(2L).as("l"), lit(2).as("i")).na.fill(0, Seq("i")).show()\n')

    assert [a.type.simple_string for a in query.analyzed.output] == ["bigint", "int"]
    assert "coalesce(i#" in query.text("analyzed")
    assert "cast(0 as int)" in query.text("analyzed")
