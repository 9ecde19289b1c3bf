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
