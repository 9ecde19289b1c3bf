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


FUNCTIONS = """
val df = spark.range(5).selectExpr("id", "cast(id as int) n", "cast(id as string) s", "if(id > 1, id, null) m")
val inc = udf((x: Long) => x + 1)
val two = udf((x: Long, s: String) => s * x.toInt)
val len = udf((s: String) => s.length)
val big = udf((x: Int) => x > 3)
"""


@pytest.mark.parametrize(
    ("columns", "project"),
    [
        ('inc($"id")', "Project [UDF(id#1L) AS UDF(id)#"),
        ('inc($"n").as("z")', "Project [UDF(cast(n#2 as bigint)) AS z#"),
        ('inc($"m").as("z")', "Project [if (isnull(m#4L)) null else UDF(knownnotnull(m#4L)) AS z#"),
        ('two($"m", $"s")', "Project [if (isnull(m#4L)) null else UDF(knownnotnull(m#4L), s#3) AS UDF(m, s)#"),
        ('len($"s").as("l")', "Project [UDF(s#3) AS l#"),
        ('big.withName("large")($"n")', "Project [large(n#2) AS large(n)#"),
    ],
)
def test_functions_of_scala_are_called_within_the_jvm(columns, project):
    query = action(f"{FUNCTIONS}df.select({columns}).show()\n")

    assert query.text("analyzed").startswith(project)


def test_functions_have_the_types_that_they_give():
    query = action(f'{FUNCTIONS}df.select(inc($"id"), two($"id", $"s"), len($"s"), big($"n")).show()\n')

    assert [a.type.simple_string for a in query.analyzed.output] == ["bigint", "string", "int", "boolean"]


def test_a_function_over_known_rows_is_computed_beforehand():
    query = action('val up = udf((s: String) => s.toUpperCase)\nSeq("a").toDF("x").select(up($"x").as("u")).show()\n')

    assert query.text("optimized").startswith("LocalRelation [u#")
