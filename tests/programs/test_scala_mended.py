"""Scala's values and calls as Spark 4.3's shell plans them."""

from __future__ import annotations

import pytest

from planviz.catalogs import read
from planviz.programs import read_program

_CATALOG = read(
    "CREATE TABLE t (id INT, name STRING, items ARRAY<STRUCT<sku: STRING, price: DOUBLE>>) USING parquet", "t"
)
_HEAD = 'import org.apache.spark.sql.functions._\nimport spark.implicits._\nval t = spark.table("t")\n'


def _optimized(text: str) -> str:
    program = read_program(_HEAD + text, _CATALOG)
    assert program.error is None, program.error
    return program.actions[-1].execution.text("optimized")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('t.groupBy("name").count().show()', "'Aggregate [name#"),
        ('t.groupBy($"name").count().show()', "'Aggregate ['name]"),
        ('t.select(aggregate($"items", lit(0.0), (a, x) => a + x("price"))).show()', "lambdafunction(lambda 'x_"),
        ('t.select(map(lit("a"), $"name")("a")).show()', "map(a, name#"),
        ('t.select($"*", sum($"id").over()).show()', "Window [sum(id#"),
        ("t.select(typedLit(Seq(1, 2)), lit(2.5f)).show()", "unresolvedalias([1,2]), unresolvedalias(2.5)"),
        ('val x = 3.14159\nt.select(lit(1).as(f"v$x%.2f${2}%03d!")).show()', "AS v3.14002!#"),
        ('val p: String => Option[Int] = s => Some(s.toInt)\nt.select(udf(p).apply($"name").as("n")).show()', "n: int"),
        ('t.withColumnRenamed("name", "name").show()', "name#2 AS name#"),
    ],
)
def test_a_stage_is_as_spark_prints_it(text: str, shown: str) -> None:
    program = read_program(_HEAD + text, _CATALOG)
    assert program.error is None, program.error
    assert shown in program.actions[-1].execution.explain_string("extended")


def test_a_map_of_aggregates_keeps_its_order() -> None:
    shown = _optimized('t.agg(Map("name" -> "max", "id" -> "count")).show()')
    assert shown.index("max(name") < shown.index("count(id")


@pytest.mark.parametrize(
    ("definitions", "call"),
    [
        ('case class By(n: Int) { def apply(d: DataFrame): DataFrame = d.limit(n) }\nval b = By(7)', "b(t).show()"),
        ("trait A\ncase object One extends A { val n = 7 }\nval xs = Nil :+ One", "t.limit(xs.head.n).show()"),
        ('val m = scala.collection.mutable.Map[String, Int]()\nval n = m.getOrElseUpdate("a", 7)', "t.limit(n).show()"),
        ('val o: Option[String] = Some("x")', 'o match { case Some(s) if s.nonEmpty => t.limit(7).show() }'),
        ("val e: Either[String, Int] = Right(7)", "e match { case Right(n) => t.limit(n).show() }"),
        ("case class S(c: Int)\nval xs = Seq(7, 8).map(S(_))", "t.limit(xs.head.c).show()"),
        ('val n = " 7 ".trim.toInt', "t.limit(n).show()"),
    ],
)  # fmt: skip
def test_a_value_is_as_in_scala(definitions: str, call: str) -> None:
    assert _optimized(f"{definitions}\n{call}").startswith("GlobalLimit 7")
