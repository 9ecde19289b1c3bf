"""Scala's match, Option, Map, for and blocks, curried and implicit definitions: the values that plans are made of."""

from __future__ import annotations

import pytest

from planviz.programs import read_program

_HEAD = """import org.apache.spark.sql.functions._
import spark.implicits._
case class Config(input: String = "/in", least: Option[Double] = None, keys: Seq[String] = Seq("id"))
sealed trait Source
case class Table(name: String) extends Source
case class Files(path: String, format: String) extends Source
val df = spark.range(9).withColumn("v", $"id" * 2)
"""


def _columns(text: str) -> list[str]:
    program = read_program(f"{_HEAD}{text}")
    assert program.error is None, program.error
    assert not program.not_understood
    return [a.name for a in program.actions[-1].execution.analyzed.output]


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ('val c = "b" match { case "a" => "x"; case "b" | "c" => "v"; case _ => "id" }\ndf.select(c).show()', "v"),
        ('val c = Seq("v", "id") match { case a :: b :: Nil => b; case _ => "x" }\ndf.select(c).show()', "id"),
        ('val c = (1, "v") match { case (2, x) => "id"; case (n, x) if n > 0 => x }\ndf.select(c).show()', "v"),
        (
            "def read(s: Source) = s match {\n  case Table(n) => df.select(n)\n"
            '  case Files(p, f) if f == "csv" => df\n}\n'
            'read(Table("v")).show()',
            "v",
        ),
        ('val o: Option[String] = Some("v")\no match { case Some(c) => df.select(c).show()\ncase None => }', "v"),
        ('val o: Option[String] = None\ndf.select(o.getOrElse("v")).show()', "v"),
        ('val c = Config()\nc.least.fold(df)(m => df.filter($"v" > m)).select(c.keys.map(col): _*).show()', "id"),
        ('df.select(Config(input = "v").copy(least = Some(3)).input).show()', "v"),
        ('val m = Map("a" -> "v")\ndf.select(m.getOrElse("b", "id"), m("a")).show()', "id v"),
        ('Map("x" -> 1, "y" -> 2).foldLeft(df) { case (d, (k, n)) => d.withColumn(k, lit(n)) }.show()', "id v x y"),
        (
            'val cs = for { a <- Seq("p", "q"); b <- Seq(1, 2) if b > 1; n = s"$a$b" } yield lit(b).as(n)\n'
            "df.select(cs: _*).show()",
            "p2 q2",
        ),
        ("for (c <- df.columns) df.select(c).show()", "v"),
        ('val c = Seq("id").map { x =>\n  val y = x + "_"\n  col(x).as(y)\n}\ndf.select(c: _*).show()', "id_"),
        ('def add(n: Int)(d: DataFrame): DataFrame = d.withColumn("n", lit(n))\ndf.transform(add(3)).show()', "id v n"),
        (
            "implicit class Rich(d: DataFrame) { def only(cs: String*): DataFrame = d.select(cs.map(col): _*) }\n"
            'df.only("v", "id").show()',
            "v id",
        ),
        ('df.select((df.columns.toSet diff Set("v")).toSeq.sorted.map(col): _*).show()', "id"),
    ],
)
def test_what_a_plan_is_made_of(text, columns):
    assert _columns(text) == columns.split()


def test_of_arguments_that_nobody_knows_every_case_is_read():
    text = (
        "object Job {\n  def main(args: Array[String]): Unit = {\n"
        "    val spark = SparkSession.builder().getOrCreate()\n"
        '    args.toList match {\n      case in :: Nil => spark.read.parquet(in).filter("a > 1").show()\n'
        '      case _ => spark.table("t").count()\n    }\n  }\n}\n'
    )
    program = read_program(f"import org.apache.spark.sql._\n{text}")

    assert program.error is None
    assert [(a.name, a.variant) for a in program.actions] == [
        ("show", "<args.toList> match in :: Nil"),
        ("count", "<args.toList> match _"),
    ]


def test_columns_of_nested_structs_are_flattened():
    program = read_program(
        "import org.apache.spark.sql.functions._\n"
        "def flatten(schema: StructType, prefix: String = null): Array[Column] = schema.fields.flatMap { f =>\n"
        '  val name = if (prefix == null) f.name else prefix + "." + f.name\n'
        "  f.dataType match {\n"
        "    case st: StructType => flatten(st, name)\n"
        '    case _ => Array(col(name).alias(name.replace(".", "_")))\n'
        "  }\n}\n"
        'val df = spark.read.schema("id INT, p STRUCT<x: INT, q: STRUCT<y: STRING>>").json("/d")\n'
        "df.select(flatten(df.schema): _*).show()\n"
    )
    assert program.error is None
    assert [a.name for a in program.actions[0].execution.analyzed.output] == ["id", "p_x", "p_q_y"]


def test_values_and_columns_alone_are_scala():
    program = read_program('val cols = Seq("a", "b")\ndf.select(cols.map(col): _*).show()\n')
    assert program.language == "Scala"
    assert [a.name for a in program.actions[0].execution.analyzed.output] == ["a", "b"]
