"""Python functions whose result is read more than once."""

from __future__ import annotations

import pytest

from planviz.config import OptimizerConfig
from planviz.document import open_text
from planviz.errors import AnalysisError
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
