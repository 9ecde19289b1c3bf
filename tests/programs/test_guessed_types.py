"""Types of columns that nothing describes: what their names suggest, until a use says otherwise."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.programs import read_program

_HEAD = """from pyspark.sql import Window
from pyspark.sql import functions as F
df = spark.table("t")
"""


def _types(program: str) -> dict[str, str]:
    read = read_program(_HEAD + program, None, OptimizerConfig())
    assert read.error is None, read.error
    assert not read.not_understood
    (leaf,) = [n for n in read.actions[-1].execution.analyzed.walk() if not n.children]
    return {a.name: a.type.simple_string for a in leaf.output}


def test_a_name_suggests_a_type_where_nothing_else_does():
    assert _types('df.groupBy("customer_id").agg(F.max("order_ts"), F.min("price"), F.max("note")).show()') == {
        "customer_id": "bigint",
        "order_ts": "timestamp",
        "price": "decimal(18,2)",
        "note": "string",
    }


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ('df.select(F.explode("list")).show()', {"list": "array<string>"}),
        ('df.select("price.amount").show()', {"price": "struct<amount:string>"}),
        ('df.filter(F.col("event_date") == F.lit(20240101)).show()', {"event_date": "string"}),
        ('df.select(F.coalesce("created_at", F.lit(0))).show()', {"created_at": "string"}),
        (
            'df.groupBy("id").pivot("month", ["jan", "feb"]).sum("price").show()',
            {"id": "bigint", "month": "string", "price": "decimal(18,2)"},
        ),
        (
            'w = Window.partitionBy("id").orderBy("ts").rangeBetween(-86400, 0)\n'
            'df.select(F.count("x").over(w)).show()',
            {"x": "string", "id": "bigint", "ts": "bigint"},
        ),
        (
            'df.unpivot("id", ["price", "order_date", "note"], "what", "value").show()',
            {"id": "bigint", "price": "double", "order_date": "double", "note": "double"},
        ),
        (
            'df.melt(["id"], ["order_date", "note"], "what", "value").show()',
            {"id": "bigint", "order_date": "string", "note": "string"},
        ),
        (
            'df.createOrReplaceTempView("v")\n'
            'spark.sql("SELECT * FROM (SELECT id, price, created_at FROM v) UNPIVOT (x FOR y IN (price, created_at))")'
            ".show()",
            {"id": "bigint", "price": "decimal(18,2)", "created_at": "decimal(18,2)"},
        ),
    ],
)
def test_a_use_says_otherwise(program, expected):
    assert _types(program) == expected


def test_a_mistake_stays_one():
    read = read_program(_HEAD + "df.select(F.explode(F.lit(1))).show()", None, OptimizerConfig())

    assert read.error is not None
    assert read.error.condition.startswith("DATATYPE_MISMATCH")


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ('df.select("d.*").select("x", F.col("y") * 1.5).show()', {"d": "struct<x:string,y:double>"}),
        ('df.select("k", "d.inner.*").where("n > 3").show()', {"k": "string", "d": "struct<inner:struct<n:string>>"}),
        (
            'df.select(F.explode("xs").alias("r")).select("r.*").groupBy("g").agg(F.sum("n")).show()',
            {"xs": "array<struct<g:string,n:double>>"},
        ),
        (
            'df.select(F.explode("v.items").alias("i")).select("i.a").show()',
            {"v": "struct<items:array<struct<a:string>>>"},
        ),
        ('df.select("x").where("z > 3").show()', {"x": "string", "z": "string"}),
        ('df.select("x").orderBy("w").show()', {"x": "string", "w": "string"}),
    ],
)
def test_what_is_asked_of_a_struct_that_is_spread_are_its_fields(program, expected):
    assert _types(program) == expected


def test_a_schema_that_nobody_knows_has_the_fields_that_are_asked_for():
    program = """from pyspark.sql.functions import from_json, col
import job
d = spark.read.format("kafka").load().select(from_json(col("value").cast("string"), job.schema).alias("d"))
d.select("d.*").where("city = 'x'").groupBy("city").count().show()
d.select("d.a.b", col("d.c")).show()
"""
    read = read_program(program, None, OptimizerConfig())
    assert read.error is None
    assert not [w for _, w in read.not_understood if "from_json" in w]
    asked = [a.name for action in read.actions for a in action.execution.analyzed.output]
    assert asked == ["city", "count", "b", "c"]
    assert any("only the uses of what is read tell its schema" in n for n in read.notes)
