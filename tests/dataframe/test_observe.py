"""Metrics of rows that pass (DataFrame.observe): in every plan where Spark 4.3 has them."""

from __future__ import annotations

import pytest

from planviz.dataframe import functions as F  # noqa: N812  PySpark programs call it so
from planviz.dataframe import session
from planviz.errors import PlanvizError
from planviz.programs import read_program


def test_metrics_stay_where_they_are_and_end_the_generated_stage():
    d = session().range(100, numPartitions=2).observe("m", F.count(F.lit(1)).alias("n"), F.max("id").alias("top"))
    execution = d.filter("id > 2").execution

    assert execution.text("optimized").splitlines() == [
        "Filter (id#1L > 2)",
        "+- CollectMetrics m, [count(1) AS n#2L, max(id#1L) AS top#3L], 1",
        "   +- Range (0, 100, step=1, splits=Some(2))",
    ]
    assert execution.text("physical").splitlines()[-3:] == [
        "*(2) Filter (id#1L > 2)",
        "+- CollectMetrics m, [count(1) AS n#2L, max(id#1L) AS top#3L]",
        "   +- *(1) Range (0, 100, step=1, splits=2)",
    ]


def test_columns_that_only_metrics_read_are_not_pruned():
    d = session().range(9).select("id", (F.col("id") * 2).alias("x"), F.lit("a").alias("unused"))
    plan = d.observe("m", F.sum("x").alias("s")).select("id").execution.text("optimized")

    assert "x#" in plan
    assert "unused" not in plan


def test_metrics_of_an_unknown_column_are_refused():
    with pytest.raises(PlanvizError, match="UNRESOLVED_COLUMN"):
        session().range(9).observe("m", F.sum("nosuch").alias("s"))


def test_an_observation_of_a_program():
    text = (
        "from pyspark.sql import Observation, functions as F\nseen = Observation('q')\n"
        "d = spark.table('t').observe(seen, F.sum('v').alias('s')).filter('k = 1')\nd.show()\nprint(seen.get['s'])\n"
    )
    program = read_program(text)

    assert (program.error, program.not_understood) == (None, [])
    assert "CollectMetrics q, [sum(" in program.actions[0].execution.text("analyzed")
