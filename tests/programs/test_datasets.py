"""Typed Datasets of Scala and Java: classes of rows, functions of objects, and what is known of what these give."""

from __future__ import annotations

import re

import pytest

from planviz.catalogs import read
from planviz.config import OptimizerConfig
from planviz.programs import read_program

_TABLES = "CREATE TABLE people (name STRING, age BIGINT, city STRING) USING parquet;"
_CLASS = 'case class Person(name: String, age: Long)\nval ds = spark.table("people").as[Person]\n'
_CONFIG = OptimizerConfig().with_settings({"spark.sql.adaptive.enabled": "false"})


def _read(text, catalog=_TABLES):
    return read_program(text, read(catalog) if catalog else None, _CONFIG)


def _last(text, stage="physical"):
    program = _read(_CLASS + text)
    assert program.error is None
    return [re.sub(r"#\d+L?", "", line) for line in program.actions[-1].execution.text(stage).splitlines() if line]


_PERSON = "class Person, [StructField(name,StringType,true), StructField(age,LongType,false)]"


def test_a_class_changes_no_plan():
    assert _last("ds.show()", "analyzed")[0] == "SubqueryAlias spark_catalog.default.people"


def test_a_filter_by_a_function_sees_objects():
    text = "ds.filter(p => p.age > 3).show()"

    assert _last(text, "analyzed")[0] == f"TypedFilter <function>, {_PERSON}, newInstance(class Person)"
    assert _last(text)[0] == "*(1) Filter invoke(<function>.apply(newInstance(class Person)))"


@pytest.mark.parametrize(
    ("function", "column"),
    [
        ("p => p.name", "static_invoke(UTF8String.fromString(input[0, java.lang.String, true])) AS value"),
        ("_.age", "input[0, bigint, false] AS value"),
        ("p => p.age + 1", "input[0, bigint, false] AS value"),
        ("p => p.name.length", "input[0, int, false] AS value"),
        ("_.age > 3", "input[0, boolean, false] AS value"),
    ],
)
def test_what_a_function_gives_is_found_by_calling_it(function, column):
    lines = _last(f"ds.map({function}).show()")

    assert lines[0].startswith(f"*(1) SerializeFromObject [{column}")
    assert lines[1].startswith("+- *(1) MapElements <function>, obj: ")
    assert lines[2] == "   +- *(1) DeserializeToObject newInstance(class Person), obj: Person"


def test_functions_that_give_tuples_and_classes():
    pair = _last('ds.map(p => (p.name, p.age)).toDF("a", "b").groupBy("a").sum("b").show()', "analyzed")
    same = _last("ds.map(p => Person(p.name, p.age + 1)).show()", "analyzed")

    assert pair[0] == "Aggregate [a], [a, sum(b) AS sum(b)]"
    assert "invoke(knownnotnull(assertnotnull(input[0, scala.Tuple2, true]))._2()) AS _2" in pair[2]
    assert same[0].endswith("invoke(knownnotnull(assertnotnull(input[0, Person, true])).age()) AS age]")


def test_a_stage_does_not_end_with_objects():
    lines = _last('ds.flatMap(_.name.split(" ")).groupBy("value").count().show()')

    assert [line.lstrip(" :+-").split(" ")[0] + line.lstrip(" :+-").split(" ")[1][:8] for line in lines[3:7]] == [
        "*(2)Serializ", "MapPartitions<functio", "DeserializeToObjectnewInsta", "*(1)Columnar",
    ]  # fmt: skip


def test_groups_of_objects():
    counted = _last("ds.groupByKey(_.name).count().show()")
    mapped = _last("ds.groupByKey(_.name).mapGroups((k, it) => (k, it.size)).show()")

    assert counted[0] == "*(3) HashAggregate(keys=[value], functions=[count(1)], output=[key, count(1)])"
    assert (
        mapped[1].lstrip(" +-").startswith("MapGroups <function>, invoke(value.toString()), newInstance(class Person)")
    )
    assert mapped[2].lstrip(" +-") == "*(2) Sort [value ASC NULLS FIRST], false, 0"
    assert mapped[3].lstrip(" +-").startswith("Exchange hashpartitioning(value, 200), ENSURE_REQUIREMENTS")


def test_a_class_tells_the_columns_of_a_guessed_table():
    text = (
        'case class Ev(id: String, amount: Double, n: Int)\nval ev = spark.read.parquet("/events").as[Ev]\n'
        "ev.filter(_.amount > 1).show()\nval total = ev.map(_.amount).reduce(_ + _)\nprintln(total)\n"
    )
    program = _read(text, None)

    assert program.error is None
    assert [a.name for a in program.actions] == ["show", "reduce"]
    assert [(a.name, a.type.simple_string) for a in program.actions[0].execution.analyzed.output] == [
        ("id", "string"), ("amount", "double"), ("n", "int"),
    ]  # fmt: skip


def test_columns_that_do_not_fit_a_class_are_refused():
    program = _read('case class P(age: Int)\nval d = spark.table("people").as[P]\nd.show()\n')

    assert program.error is not None
    assert (program.error.condition, program.error.place.line) == ("CANNOT_UP_CAST_DATATYPE", 2)


def test_java_says_of_which_class_a_result_is():
    text = """import org.apache.spark.sql.*;
public class J {
  public static void main(String[] args) {
    SparkSession spark = SparkSession.builder().getOrCreate();
    Encoder<Person> e = Encoders.bean(Person.class);
    Dataset<Person> ds = spark.read().json("people.json").as(e);
    Dataset<String> names = ds.map((MapFunction<Person, String>) p -> p.getName(), Encoders.STRING());
    names.toDF("n").select(col("n")).show();
  }
}
"""
    program = _read(text, None)

    assert program.error is None
    assert [(a.name, a.type.simple_string) for a in program.actions[0].execution.analyzed.output] == [("n", "string")]
