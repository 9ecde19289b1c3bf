"""Java Spark read through tree-sitter: the same plans as the Python that means the same."""

from __future__ import annotations

import contextlib

import pytest

from planviz.catalogs import find
from planviz.document import open_text
from planviz.errors import PlanvizError
from planviz.programs import looks_like_program, read_program
from tests.steps import steps

JAVA = """import java.util.*;
import org.apache.spark.sql.*;
import org.apache.spark.sql.expressions.Window;
import static org.apache.spark.sql.functions.*;

public class Job {{
  public static void main(String[] args) {{
    SparkSession spark = SparkSession.builder().appName("job").getOrCreate();
    Dataset<Row> o = spark.table("orders"), c = spark.table("customer");
{}
  }}
}}
"""
PYTHON = """from pyspark.sql.functions import *
from pyspark.sql import Window
o, c = spark.table("orders"), spark.table("customer")
"""
PAIRS = {
    "columns": (
        """o.filter(col("o_totalprice").gt(10).and(o.col("o_orderstatus").notEqual("F")))
          .select(col("o_orderkey").plus(1).as("k"), col("o_custkey").cast("string")).show();""",
        """o.filter((col("o_totalprice") > 10) & (o["o_orderstatus"] != "F")).select(
            (col("o_orderkey") + 1).alias("k"), col("o_custkey").cast("string")).show()""",
    ),
    "a join": (
        """o.join(broadcast(c), o.col("o_custkey").equalTo(c.col("c_custkey")), "left_outer")
          .groupBy("c_name").agg(sum("o_totalprice").alias("t")).orderBy(col("t").desc()).limit(7).show();""",
        """o.join(broadcast(c), o["o_custkey"] == c["c_custkey"], "left_outer") \\
            .groupBy("c_name").agg(sum("o_totalprice").alias("t")).orderBy(col("t").desc()).limit(7).show()""",
    ),
    "lists, arrays and loops": (
        """List<Column> kept = new ArrayList<>();
    for (String name : new String[]{"o_orderkey", "o_custkey"}) { kept.add(col(name).as(name + "_x")); }
    Dataset<Row> d = o.select(kept.toArray(new Column[0]));
    for (int i = 0; i < 2; i++) { d = d.union(d.filter(d.col("o_orderkey_x").equalTo(i))); }
    d.show();""",
        """d = o.select([col(n).alias(n + "_x") for n in ["o_orderkey", "o_custkey"]])
for i in range(2):
    d = d.union(d.filter(d["o_orderkey_x"] == i))
d.show()""",
    ),
    "streams, lambdas and method references": (
        """List<String> keys = Arrays.asList("o_orderkey", "o_clerk");
    Column same = keys.stream().map(k -> col("l." + k).equalTo(col("r." + k))).reduce(Column::and).get();
    o.as("l").join(o.as("r"), same).select(keys.stream().map(k -> "l." + k).map(functions::col).toArray(Column[]::new))
      .show();""",
        """same = (col("l.o_orderkey") == col("r.o_orderkey")) & (col("l.o_clerk") == col("r.o_clerk"))
o.alias("l").join(o.alias("r"), same) \\
    .select(col("l.o_orderkey"), col("l.o_clerk")).show()""",
    ),
    "texts": (
        """StringBuilder where = new StringBuilder("o_totalprice > ");
    where.append(10);
    o.createOrReplaceTempView("t");
    String list = String.join(", ", List.of("o_clerk", "o_custkey"));
    spark.sql(String.format("SELECT %s FROM t WHERE ", list) + where.toString()).show();""",
        """o.createOrReplaceTempView("t")
spark.sql("SELECT o_clerk, o_custkey FROM t WHERE o_totalprice > 10").show()""",
    ),
    "windows, conditions, switch": (
        """String mode = args == null ? "x" : "first";
    Map<String, Integer> limits = new HashMap<>();
    limits.put("first", 3);
    switch ("first") {
      case "none": o.show(); break;
      case "first":
        o.withColumn("r", row_number().over(Window.partitionBy("o_custkey").orderBy(desc("o_orderdate"))))
          .where(col("r").leq(limits.get("first"))).show();
        break;
      default: c.show();
    }""",
        """o.withColumn("r", row_number().over(Window.partitionBy("o_custkey").orderBy(desc("o_orderdate")))) \\
    .where(col("r") <= 3).show()""",
    ),
}


@pytest.mark.parametrize(("java", "python"), PAIRS.values(), ids=PAIRS.keys())
def test_java_gives_the_plans_of_the_python_that_means_the_same(java: str, python: str) -> None:
    mine, other = read_program(JAVA.format(java), find("tpch")), read_program(PYTHON + python, find("tpch"))
    assert (mine.language, mine.error, mine.not_understood) == ("Java", None, [])
    (one,), (two,) = mine.actions, other.actions
    for stage in ("optimized", "physical"):
        assert one.execution.text(stage) == two.execution.text(stage)


def test_objects_methods_and_fields_of_a_class() -> None:
    text = """package com.acme;
import org.apache.spark.sql.*;
import static org.apache.spark.sql.functions.*;
class Daily {
  private final SparkSession session;
  private final int top;
  private static final String KEY = "o_custkey";
  Daily(SparkSession session, int top) { this.session = session; this.top = top; }
  private Dataset<Row> totals(Dataset<Row> in, String... keys) {
    Column[] columns = new Column[keys.length];
    for (int i = 0; i < keys.length; i++) { columns[i] = col(keys[i]); }
    return in.groupBy(columns).agg(sum("o_totalprice").as("t"));
  }
  void run() {
    totals(session.table("orders"), KEY).filter(col("t").geq(this.top)).show();
  }
  public static void main(String[] args) throws Exception {
    try (SparkSession spark = SparkSession.builder().getOrCreate()) {
      new Daily(spark, 9).run();
    }
  }
}
"""
    program = read_program(text, find("tpch"))
    assert (program.error, program.not_understood) == (None, [])
    (action,) = program.actions
    assert (action.name, action.place.line) == ("show", 15)
    plan = action.execution.text("optimized")
    assert plan.startswith("Filter (isnotnull(t#")
    assert ">= 9" in plan


def test_a_list_of_rows_with_its_schema_is_local() -> None:
    text = JAVA.format("""    StructType schema = new StructType(new StructField[]{
        DataTypes.createStructField("id", DataTypes.IntegerType, false),
        new StructField("name", DataTypes.StringType, true, Metadata.empty())});
    List<Row> rows = Arrays.asList(RowFactory.create(1, "a"), RowFactory.create(2, null));
    spark.createDataFrame(rows, schema).filter(col("id").gt(1)).show();""")
    (action,) = read_program(text).actions
    assert action.execution.text("optimized").startswith("LocalRelation [id#")
    assert [(a.name, a.nullable) for a in action.execution.analyzed.output] == [("id", False), ("name", True)]


def test_functions_registered_for_sql_are_the_jvm_s() -> None:
    text = JAVA.format(
        """    spark.udf().register("shout", (UDF1<String, String>) s -> s.toUpperCase() + "!", DataTypes.StringType);
    o.select(callUDF("shout", col("o_clerk")).as("loud")).show();
    o.selectExpr("shout(o_clerk) AS loud").show();"""
    )
    one, two = read_program(text, find("tpch")).actions
    for action in (one, two):
        assert action.execution.text("optimized").startswith("Project [shout(o_clerk#")
        assert action.execution.analyzed.output[0].data_type.simple_string == "string"


def test_mistakes_have_their_line() -> None:
    error = read_program(JAVA.format('    o.select("nosuch").show();'), find("tpch")).error
    assert error is not None
    assert (error.condition, error.place.line) == ("UNRESOLVED_COLUMN.WITH_SUGGESTION", 10)


def test_java_is_recognised_and_scala_and_python_are_not_taken_for_it() -> None:
    snippet = 'Dataset<Row> d = spark.read().option("header", true).csv("x.csv");\nd.groupBy("a").count().show();\n'
    assert looks_like_program(snippet)
    assert open_text(snippet).recognised == "Java program"
    assert [a.place.line for a in read_program(snippet).actions] == [2]
    assert read_program('import org.apache.spark.sql._\nval d = spark.table("orders")\nd.show()\n').language == "Scala"
    conf = "import org.apache.spark.SparkConf;\nval conf = new SparkConf()\nval d = spark.range(3)\nd.show()\n"
    assert read_program(conf).language == "Scala"
    assert read_program("df = spark.table('orders')\ndf.show()\n", find("tpch")).language == "PySpark"


DAMAGED = {
    "never closed": JAVA.format("    o.filter(col(").rstrip("}\n "),
    "half a statement": JAVA.format('    o.filter(col("o_custkey").gt(1)).show(;'),
    "deep brackets": JAVA.format("    int x = " + "(" * 3_000 + "1" + ")" * 3_000 + ";"),
    "deep blocks": JAVA.format("{" * 3_000 + "}" * 3_000),
    "a long chain": JAVA.format("    o" + '.filter("o_custkey > 1")' * 300 + ".show();"),
    "a loop without an end": JAVA.format("    while (true) { o = o.union(o); }"),
    "a loop without its end": JAVA.format(
        "    for (int i = 0; i < ; i++) { o = o.union(o); }\n    for (int 2; i++) o.show();"
    ),
    "no names": JAVA.format("    try { = 3; } finally\n    throw ;\n    f(() -> , ::x).y(;\n    int = new ;"),
    "half a character": JAVA.format('    o.filter("\udc80").show();'),
}


@pytest.mark.parametrize("text", DAMAGED.values(), ids=DAMAGED.keys())
def test_damaged_and_endless_texts_are_read_in_bounded_time(text: str) -> None:
    def read() -> None:
        with contextlib.suppress(PlanvizError):
            open_text(text, catalog=find("tpch"))

    assert steps(read) < 12_000_000


def test_a_question_with_its_code_between_fences() -> None:
    code = 'Dataset<Row> a = spark.table("orders");\na.groupBy("o_clerk").count().show();'
    text = f"Why is this slow?\n```java\n{code}\n```\nThanks\n"
    program = read_program(text, find("tpch"))
    assert (program.error, program.not_understood) == (None, [])
    assert [a.place.line for a in program.actions] == [4]


def test_beans_have_the_columns_of_their_getters() -> None:
    text = """import org.apache.spark.sql.*;
class Job {
  public static class Square { public int getValue() { return 1; } public String getName() { return ""; } }
  public static void main(String[] args) {
    SparkSession spark = SparkSession.active();
    List<Square> squares = new ArrayList<>();
    Square one = new Square();
    one.setValue(3);
    squares.add(one);
    spark.createDataFrame(squares, Square.class).show();
    JavaRDD<Row> rows = spark.sparkContext().textFile("x").toJavaRDD().map(r -> RowFactory.create(r));
    spark.createDataFrame(rows, new StructType().add("a", DataTypes.StringType)).show();
  }
}
"""
    program = read_program(text)
    assert program.error is None
    beans, rows = (a.execution.analyzed.output for a in program.actions)
    assert [(a.name, a.data_type.simple_string, a.nullable) for a in beans] == [
        ("name", "string", True),
        ("value", "int", False),
    ]
    assert [a.name for a in rows] == ["a"]
