"""Scala: what case classes have beside their fields, texts with margins, names of functions without parameters."""

from __future__ import annotations

import pytest

from planviz.catalogs import find
from planviz.programs import read_program


def plans(text: str) -> list[str]:
    program = read_program("import org.apache.spark.sql.functions._\n" + text, find("tpch"))
    assert program.error is None, program.error
    return [a.execution.text("optimized") for a in program.actions]


CONF = """
case class Conf(table: String, least: Int = 7) {
  val key = "o_" + "orderkey"
  def cutoff: Int = least * 10
  def where(more: Int): String = s"$key > ${cutoff + more}"
}
"""


def test_a_case_class_has_its_methods_and_values():
    (plan,) = plans(CONF + 'val c = Conf("orders")\nspark.table(c.table).where(c.where(5)).select(c.key).show()\n')
    assert "> 75)" in plan


def test_its_copy_has_them_too():
    (plan,) = plans(CONF + 'val c = Conf("orders").copy(least = 2)\nspark.table(c.table).where(c.where(0)).show()\n')
    assert "> 20)" in plan


def test_margins_are_no_part_of_a_query():
    text = 'val q = """\n    |select o_orderkey\n    |  from orders""".stripMargin\nspark.sql(q).show()\n'
    assert plans(text)[0].startswith("Project [o_orderkey#")


def test_a_function_without_parameters_stands_for_what_it_gives():
    text = 'object P {\n  def suffix: String = "_x"\n  def name = "k" + suffix\n}\nspark.range(1).toDF(P.name).show()\n'
    assert "AS k_x#" in plans(text)[0]


@pytest.mark.parametrize(("value", "shown"), [("true", "true"), ("1 == 2", "false"), ("null", "null"), ("1.5", "1.5")])
def test_values_are_shown_in_texts_as_scala_shows_them(value: str, shown: str):
    text = f"val v = {value}\nspark.sql(s\"select '$v' as s from orders\").show()\n"
    assert f"Project [{shown} AS s#" in plans(text)[0]


def test_a_value_may_be_called_like_an_operator_of_columns():
    text = 'val plus = udf((a: Long) => a + 1)\nspark.range(3).select(plus(col("id")).as("n")).show()\n'
    assert "UDF(" in plans(text)[0]


def test_an_error_that_is_caught_ends_nothing():
    text = """
def load(n: String): DataFrame = try { spark.table(n) } catch { case e: Exception => spark.table("nation") }
try {
  spark.range(1).select("nope").show()
} catch {
  case e: Exception => println(e.getMessage)
} finally {
  load("x").show()
}
"""
    assert "nation[" in plans(text)[0]


def test_an_error_that_is_thrown_again_ends_the_program():
    text = 'try { spark.range(1).select("nope").show() } catch { case e: Exception => throw e }\n'
    error = read_program("import org.apache.spark.sql.functions._\n" + text, find("tpch")).error
    assert error is not None
    assert error.condition == "UNRESOLVED_COLUMN.WITH_SUGGESTION"


def test_the_environment_has_what_stands_for_its_values():
    (plan,) = plans('val t = sys.env.getOrElse("TABLE", "nation")\nspark.table(t).show()\n')
    assert "nation[" in plan
