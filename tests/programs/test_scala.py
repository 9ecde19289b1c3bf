"""Scala Spark read through tree-sitter: the same plans as the Python that means the same."""

from __future__ import annotations

import pytest

from planviz.catalogs import find
from planviz.document import open_text
from planviz.programs import looks_like_program, read_program

IMPORTS = "import org.apache.spark.sql.functions._\nimport spark.implicits._\n"
PYTHON = "from pyspark.sql.functions import *\nfrom pyspark.sql import Window\n"
PAIRS = {
    "names in full": (
        """val w = org.apache.spark.sql.expressions.Window.partitionBy("o_custkey").orderBy($"o_orderdate".desc)
spark.table("orders").withColumn("r", org.apache.spark.sql.functions.rank().over(w)).where($"r" === 1).show()""",
        """w = Window.partitionBy("o_custkey").orderBy(col("o_orderdate").desc())
spark.table("orders").withColumn("r", rank().over(w)).where(col("r") == 1).show()""",
    ),
    "columns": (
        """val o = spark.table("orders")
o.filter($"o_totalprice" > 10 && 'o_orderstatus =!= "F").select($"o_orderkey" + 1, col("o_custkey")).show""",
        """o = spark.table("orders")
o.filter((col("o_totalprice") > 10) & (col("o_orderstatus") != "F")).select(
    col("o_orderkey") + 1, col("o_custkey")).show()""",
    ),
    "joins": (
        """val o = spark.table("orders")
val c = spark.table("customer")
o.join(broadcast(c), o("o_custkey") === c("c_custkey"), "left_outer")
  .groupBy($"c_name").agg(sum("o_totalprice").as("t")).orderBy($"t".desc).show()""",
        """o = spark.table("orders")
c = spark.table("customer")
o.join(broadcast(c), o["o_custkey"] == c["c_custkey"], "left_outer") \\
    .groupBy(col("c_name")).agg(sum("o_totalprice").alias("t")).orderBy(col("t").desc()).show()""",
    ),
    "windows and folds": (
        """import org.apache.spark.sql.expressions.Window
val w = Window.partitionBy("o_custkey").orderBy($"o_orderdate".desc)
val cols = Seq("o_comment", "o_clerk")
val d = cols.foldLeft(spark.table("orders"))((acc, c) => acc.withColumn(c, trim(col(c))))
d.withColumn("r", row_number().over(w)).where("r = 1").select(cols.map(col): _*).show()""",
        """w = Window.partitionBy("o_custkey").orderBy(col("o_orderdate").desc())
d = spark.table("orders")
for c in ["o_comment", "o_clerk"]:
    d = d.withColumn(c, trim(col(c)))
d.withColumn("r", row_number().over(w)).where("r = 1").select(col("o_comment"), col("o_clerk")).show()""",
    ),
    "sql": (
        """val t = "orders"
spark.sql(s"SELECT count(*) FROM $t WHERE o_orderkey > ${1}").show()""",
        """spark.sql("SELECT count(*) FROM orders WHERE o_orderkey > 1").show()""",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_scala_gives_the_plans_of_its_python(name):
    scala, python = PAIRS[name]
    mine, other = read_program(IMPORTS + scala, find("tpch")), read_program(PYTHON + python, find("tpch"))
    assert mine.error is None, mine.error
    (one,), (two,) = mine.actions, other.actions
    for stage in ("analyzed", "optimized", "physical"):
        assert one.execution.text(stage) == two.execution.text(stage)


def test_prompts_objects_and_functions():
    text = """scala> val df = Seq((1, "a")).toDF("id", "v")
df: org.apache.spark.sql.DataFrame = [id: int, v: string]

scala> df.select($"id",
     |   upper($"v")).show()
"""
    program = read_program(text)
    assert [(a.name, a.place.line) for a in program.actions] == [("show", 5)]
    job = """object Job {
  def clean(df: DataFrame, n: Int = 3): DataFrame = {
    val x = df.na.drop()
    x.limit(n)
  }
  def main(args: Array[String]): Unit = {
    val spark = SparkSession.builder.getOrCreate()
    clean(spark.table("orders")).agg("o_totalprice" -> "max").show()
  }
}
"""
    program = read_program(job, find("tpch"))
    assert program.error is None
    assert "GlobalLimit 3" in program.actions[0].execution.text("analyzed")


def test_scala_is_recognised_and_python_is_not_taken_for_it():
    assert looks_like_program('val df = spark.read.parquet("x")\ndf.show()\n')
    assert open_text('val o = spark.table("orders")\no.count()\n', catalog=find("tpch")).recognised == "Scala program"
    assert read_program("df = spark.table('orders')\ndf.show()\n", find("tpch")).language == "PySpark"


def test_functions_of_objects_are_opaque():
    program = read_program('val d = spark.table("orders").as[Order]\nd.filter(_.price > 1).show()\n', find("tpch"))
    assert "Filter <function>(" in program.actions[0].execution.text("analyzed")


def test_a_value_may_stand_indented_below_its_name():
    program = read_program(
        'import org.apache.spark.sql.DataFrame\nval d: DataFrame =\n  spark.range(3)\n    .filter("id > 1")\nd.show()\n'
    )
    assert program.not_understood == []
    assert program.actions[0].execution.text("optimized").startswith("Filter")


SCALA = "import org.apache.spark.sql.functions._\nimport spark.implicits._\n"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ('val d = spark.table("orders").map(r => (r.getInt(0), 1)).toDF("i", "one")\nd.show()', ["i", "one"]),
        ('case class P(name: String, age: Long)\nSeq(P("a", 3)).toDS().show()', ["name", "age"]),
        ('val rows = Seq((1, "a"), (2, "b"))\nrows.toDF("id", "k").show()', ["id", "k"]),
        ('spark.table("orders").groupByKey(r => r.getInt(0)).count().show()', ["key", "count(1)"]),
        ('spark.range(3).groupByKey(_ % 2).mapGroups((k, xs) => (k, xs.size)).toDF("k", "n").show()', ["k", "n"]),
        ('spark.read.textFile("x.txt").filter(col("value") === "a").show()', ["value"]),
        ('val n = Seq("A").map(c => c.toLowerCase)\nspark.range(1).toDF(n: _*).show()', ["a"]),
        ('spark.range(3).dropDuplicates("id").show()', ["id"]),
    ],
)
def test_typed_operations_and_rows_of_classes_have_their_columns(text, columns):
    program = read_program(SCALA + text + "\n", find("tpch"))
    assert program.error is None
    assert [a.name for a in program.actions[0].execution.analyzed.output] == columns


def _of(text):
    program = read_program("import org.apache.spark.sql.functions._\n" + text)
    assert program.error is None, program.error
    return [a.name for a in program.actions], program.actions[-1].execution.text("optimized")


def test_cases_take_their_arguments_apart():
    text = "val d = spark.range(3)\n"
    text += 'val r = Map("id" -> "n").foldLeft(d) { case (x, (o, n)) => x.withColumnRenamed(o, n) }\n'
    assert " AS n#" in _of(text + "r.show()\n")[1]


def test_methods_that_scala_has_under_other_names():
    text = 'val d = spark.range(3)\nval e = spark.range(2)\nd.except(e).orderBy($"id" desc).show()\n'
    assert "DESC NULLS LAST" in _of(text)[1]
    assert _of('val d = sql("SELECT 1 AS a")\nd.as[Int].na.drop(Seq("a")).show()\n')[0] == ["show"]


def test_objects_of_classes_and_definitions_that_stand_below():
    text = (
        'class Job(path: String, low: Int) {\n  val keys = List("a")\n'
        "  def run(spark: SparkSession): Unit = { load(spark).groupBy(keys.head).count().show() }\n"
        '  private def load(spark: SparkSession): DataFrame = spark.read.parquet(path).filter($"b" > low)\n}\n'
        "object Main extends App {\n  val job = new Job(args(0), 3)\n  job.run(SparkSession.builder.getOrCreate)\n}\n"
    )
    names, plan = _of(text)
    assert names == ["show"]
    assert plan.startswith("Aggregate [a#")


def _scala_plans(text):
    program = read_program(text, find("tpch"))
    assert program.error is None, program.error
    return [a.execution.text("optimized") for a in program.actions]


def test_what_is_imported_from_elsewhere_is_no_mistake_beside_a_catalogue():
    (plan,) = _scala_plans(
        "import org.apache.log4j.{Level, Logger => Log}\nimport com.acme.config._\nimport org.apache.spark.sql._\n"
        "import org.apache.spark.sql.streaming.Trigger\n"
        "object Job {\n  val log = Log.getLogger(getClass.getName)\n  val t = Trigger.ProcessingTime(1)\n"
        "  def main(args: Array[String]): Unit = {\n    val spark = SparkSession.builder.getOrCreate()\n"
        '    log.info("begins")\n    val limit = settings.limit\n'
        '    spark.table("orders").select("o_orderkey").show()\n'
        "  }\n}\n"
    )
    assert plan.startswith("Project [o_orderkey#")


def test_what_is_nowhere_is_a_mistake_still():
    error = read_program(
        "import org.apache.spark.sql.functions._\nval d = spark.table(nosuch)\nd.show()\n", find("tpch")
    ).error
    assert error is not None
    assert error.condition == "NameError"


def test_delta_tables_are_known_by_their_import():
    (plan,) = _scala_plans(
        'import io.delta.tables._\nval t = DeltaTable.forName(spark, "orders")\n'
        't.as("t").merge(spark.table("orders").as("s"), "t.o_orderkey = s.o_orderkey")'
        ".whenNotMatched().insertAll().execute()\n"
    )
    assert plan.startswith("Join LeftAnti") or "Join LeftOuter" in plan


def test_options_of_frames_parts_of_pairs_and_abstract_members():
    plans = _scala_plans(
        "import org.apache.spark.sql.DataFrame\nimport org.apache.spark.sql.functions._\n"
        "abstract class Stage(keys: String*) {\n  def name: String\n  val source: String\n}\n"
        'val wanted: Option[String] = Some("o_orderstatus")\n'
        'val d = wanted.map(c => spark.table("orders").groupBy(c).count()).getOrElse(spark.emptyDataFrame)\nd.show()\n'
        'val names = Map("count" -> "n", "o_orderstatus" -> "status")\n'
        "names.foldLeft(d) { (acc, kv) => acc.withColumnRenamed(kv._1, kv._2) }.show()\n"
    )
    assert plans[0].startswith("Aggregate [o_orderstatus#")
    assert "AS status#" in plans[1]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('"t" + 1', "t1"),
        ('1 + "t" + 2L', "1t2"),
        ('"t" + true', "ttrue"),
        ('"t" + pair._2', "t7"),
        ('"t" + 1.5', "t1.5"),
    ],
)
def test_anything_is_added_to_a_text(text, name):
    (plan,) = _scala_plans(f'val pair = (5, 7)\nspark.table("orders").select($"o_orderkey".as({text})).show()\n')
    assert f" AS {name}#" in plan


def test_functions_registered_for_sql_are_the_jvm_s():
    text = (
        'val d = spark.range(3).toDF("id")\nspark.udf.register("twice", (x: Long) => x * 2)\n'
        'val shout = spark.udf.register("shout", udf((s: String) => s.toUpperCase))\n'
        'd.selectExpr("twice(id) AS t").select(shout(col("t").cast("string")), callUDF("shout", lit("a"))).show()\n'
    )
    program = read_program(IMPORTS + text)
    assert program.error is None
    execution = program.actions[0].execution
    assert [a.data_type.simple_string for a in execution.analyzed.output] == ["string", "string"]
    assert "twice(" in execution.text("optimized")
    assert "Python" not in execution.text("physical")
