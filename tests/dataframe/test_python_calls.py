"""Python functions whose result is read more than once."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.document import open_text
from planviz.errors import AnalysisError
from planviz.programs import read_program
from tests.plans import canonical

PROGRAM = """
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
pair = F.udf(lambda x: (x, x), "struct<a: bigint, b: bigint>")
frame = spark.range(9).select((F.col("id") {} 3).alias("g"), "id")
frame.select(pair({!r}).alias("p")).select("p.a", "p.b").show()
"""


def optimized(program: str, profile: str = "") -> list[str]:
    (statement,) = open_text(program, config=OptimizerConfig.of(profile or "spark-4.3")).statements
    return canonical(statement.execution.text("optimized")).splitlines()


def test_what_costs_beneath_a_call_keeps_the_call_below_two_reads():
    found = optimized(PROGRAM.format("%", "g"))
    assert [line.lstrip(" +-").partition(" ")[0] for line in found][:3] == ["Project", "Project", "ArrowEvalPython"]


def test_a_call_of_a_column_is_cheap():
    found = optimized(PROGRAM.format("%", "id"))
    assert [line.lstrip(" +-").partition(" ")[0] for line in found][:2] == ["Project", "ArrowEvalPython"]


def test_before_4_0_every_call_is_cheap():
    found = optimized(PROGRAM.format("%", "g"), "spark-3.5")
    assert [line.lstrip(" +-").partition(" ")[0] for line in found][:2] == ["Project", "BatchEvalPython"]


@pytest.mark.parametrize(("profile", "refused"), [("spark-3.5", False), ("spark-4.0", True), ("spark-4.3", True)])
def test_a_pivot_counts_rows_by_a_star_before_4_0_alone(profile, refused):
    program = """
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.getOrCreate()
spark.range(9).groupBy("id").pivot("id", [1, 2]).agg(F.count("*")).show()
"""
    config = OptimizerConfig.of(profile)
    if not refused:
        assert open_text(program, config=config).error is None
        return
    with pytest.raises(AnalysisError, match=r"Invalid usage of '\*' in Pivot"):
        open_text(program, config=config)


def test_a_column_in_the_text_of_a_query_stands_there_as_sql():
    program = """
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.master("local[3]").getOrCreate()
df = spark.range(9)
spark.sql("SELECT * FROM {df} WHERE {c} > 2", df=df, c=F.col("id")).show()
"""
    found = optimized(program)
    assert found == ["Filter (id#1L > 2)", "+- Range (0, 9, step=1, splits=Some(3))"]


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("make_interval(days=F.lit(1))", "make_interval(0, 0, 0, 1, 0, 0, 0)"),
        ("make_dt_interval(hours='id')", "make_dt_interval(0, id, 0, 0)"),
        ("make_ym_interval('id')", "make_ym_interval(id, 0)"),
    ],
)
def test_parts_of_an_interval_that_are_not_given_are_zeros_before_and_behind(call, shown):
    program = read_program(f"from pyspark.sql import functions as F\nspark.range(3).select(F.{call}).show()\n")

    assert program.error is None
    assert program.actions[0].execution.analyzed.output[0].name == shown
